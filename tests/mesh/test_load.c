// SPDX-License-Identifier: Apache-2.0
#include "bodies.h"
#include "comma_locale.h"

#include <unistd.h>

static void writeFile(char* path, size_t size, const char* extension, const char* text)
{
    snprintf(path, size, "/tmp/palpate-load-%d.%s", (int)getpid(), extension);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// A box 20 x 30 x 40 in the file's unit, one square turned the wrong way.
static const char box[] = "OFF\n8 6 0\n"
                          "0 0 0\n20 0 0\n0 30 0\n20 30 0\n0 0 40\n20 0 40\n0 30 40\n20 30 40\n"
                          "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 2 6 4 0\n4 1 3 7 5\n";

static void a_file_is_scaled_and_repaired_and_the_repair_is_told(void** state)
{
    (void)state;
    char path[64];
    writeFile(path, sizeof path, "OfF", box);
    palSurface surface;
    palSurfaceFacts facts;
    palMessages notes = {0};
    palError error;
    palLoadDef def = palDefaultLoadDef();
    def.scale = 0.001;
    assert_int_equal(palSurface_Load(path, &def, &surface, &facts, &notes, &error), pal_ok);
    ASSERT_NEAR(facts.volume, 24e-6, 1e-18);
    ASSERT_NEAR(facts.area, 5.2e-3, 1e-15);
    assert_true(facts.solid);
    assert_int_equal(facts.oriented.turnedTriangles, 2);
    assert_true(isTold(&notes, "2 triangles flipped"));
    assert_string_equal(notes.items[0].what.file, path);
    palMessages_Free(&notes);
    palSurface_Free(&surface);

    // As given, the fault stays and is told.
    def.orient = false;
    assert_int_equal(palSurface_Load(path, &def, &surface, &facts, &notes, &error), pal_ok);
    assert_false(facts.solid);
    assert_int_equal(facts.misorientedEdges, 4);
    assert_true(isTold(&notes, "inconsistently oriented"));
    palMessages_Free(&notes);
    palSurface_Free(&surface);
    remove(path);
}

static void numbers_do_not_depend_on_the_locale(void** state)
{
    (void)state;
    if (!enterCommaLocale())
        SKIP(NO_COMMA_LOCALE);
    const char* text = "OFF\n3 1 0\n0 0 0\n1.5 0 0\n0 2.5e0 0\n3 0 1 2\n";
    palSurface surface;
    palSurfaceFacts facts;
    palError error;
    palResult result = loadData(pal_surfaceOff, text, strlen(text), &surface, &facts, NULL, &error);
    leaveCommaLocale();
    assert_int_equal(result, pal_ok);
    ASSERT_NEAR(facts.area, 1.875, 1e-15);
    palSurface_Free(&surface);
}

static void a_missing_file_and_a_strange_name_are_refused(void** state)
{
    (void)state;
    palSurface surface;
    palError error;
    palLoadDef def = palDefaultLoadDef();
    assert_int_equal(palSurface_Load("/no/such.ply", &def, &surface, NULL, NULL, &error),
                     pal_errorFile);
    assert_string_equal(error.file, "/no/such.ply");
    static const char* const names[][2] = {{"model.xyz", ".ply, .stl"},
                                           {"model.step", ".stl"},
                                           {"model.VTU", "legacy .vtk"},
                                           {"model.vtp", ".ply or .stl"}};
    for (int i = 0; i < 4; i++)
    {
        assert_int_equal(palSurface_Load(names[i][0], &def, &surface, NULL, NULL, &error),
                         pal_errorInput);
        assert_non_null(strstr(error.remedy, names[i][1]));
    }
    assert_int_equal(palSurface_Load("/tmp", &def, &surface, NULL, NULL, &error), pal_errorInput);
    char path[64];
    writeFile(path, sizeof path, "ply", "");
    assert_int_equal(palSurface_Load(path, &def, &surface, NULL, NULL, &error), pal_errorInput);
    assert_string_equal(error.file, path);
    remove(path);
}

static void a_surface_without_area_is_refused(void** state)
{
    (void)state;
    const char* text = "OFF\n3 1 0\n0 0 0\n1 1 1\n3 3 3\n3 0 1 2\n";
    expectRefusal(pal_surfaceOff, text, strlen(text), "have no area", 0);
}

static void numbers_too_large_to_compute_with_are_refused(void** state)
{
    (void)state;
    const char* text = "OFF\n3 1 0\n0 0 0\n1e200 0 0\n0 1 0\n3 0 1 2\n";
    expectRefusal(pal_surfaceOff, text, strlen(text), "vertex 1", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_scaled_and_repaired_and_the_repair_is_told),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(a_missing_file_and_a_strange_name_are_refused),
        cmocka_unit_test(a_surface_without_area_is_refused),
        cmocka_unit_test(numbers_too_large_to_compute_with_are_refused),
    };
    return RUN(tests);
}
