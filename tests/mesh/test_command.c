// SPDX-License-Identifier: Apache-2.0
// The program's mesh command, run as a person runs it.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/palpate-mesh-XXXXXX";

// Runs "palpate mesh ARGUMENTS" in the folder. Returns the exit code; output and errors in `text`.
static int palpate(const char* arguments, char* text, size_t size)
{
    char command[1024];
    snprintf(command, sizeof command, "cd %s && '%s' mesh %s 2>&1", folder, PAL_PROGRAM, arguments);
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(text, 1, size - 1, pipe);
    text[length] = '\0';
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int makeFolder(void** state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int removeFolder(void** state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0;
}

static void writeFile(const char* name, const char* content)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static const char box[] = "OFF\n8 6 0\n"
                          "0 0 0\n20 0 0\n0 30 0\n20 30 0\n0 0 40\n20 0 40\n0 30 40\n20 30 40\n"
                          "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n";

static void facts_are_printed_in_the_unit_that_is_given(void** state)
{
    (void)state;
    char text[8192];
    writeFile("box.off", box);
    assert_int_equal(palpate("box.off --unit mm", text, sizeof text), 0);
    assert_non_null(strstr(text, "20 x 30 x 40 mm"));
    assert_non_null(strstr(text, "24 cm3"));
    assert_non_null(strstr(text, "solid          yes"));
    assert_null(strstr(text, "warning"));
    assert_int_equal(palpate("box.off", text, sizeof text), 0);
    assert_non_null(strstr(text, "did you mean millimetres?"));
}

static void json_has_the_same_facts_in_si_units(void** state)
{
    (void)state;
    char text[8192];
    writeFile("box.off", box);
    assert_int_equal(palpate("box.off --unit cm --scale 0.1 --json", text, sizeof text), 0);
    assert_non_null(strstr(text, "\"solid\": true"));
    assert_non_null(strstr(text, "\"genus\": 0"));
    const char* volume = strstr(text, "\"volume_m3\": ");
    assert_non_null(volume);
    ASSERT_NEAR(strtod(volume + strlen("\"volume_m3\": "), NULL), 24e-6, 1e-17);
}

static void a_file_is_converted_to_metres(void** state)
{
    (void)state;
    char text[8192];
    writeFile("box.off", box);
    assert_int_equal(palpate("box.off --unit mm --out box.ply --quiet", text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(palpate("box.ply", text, sizeof text), 0);
    assert_non_null(strstr(text, "20 x 30 x 40 mm"));
}

static void a_shape_is_generated_to_size(void** state)
{
    (void)state;
    char text[8192];
    assert_int_equal(palpate("--generate box --size 0.2 --out made.ply", text, sizeof text), 0);
    assert_int_equal(palpate("made.ply --json", text, sizeof text), 0);
    assert_non_null(strstr(text, "\"solid\": true"));
    assert_int_equal(palpate("--generate bxo", text, sizeof text), 2);
    assert_non_null(strstr(text, "did you mean 'box'?"));
}

static double numberAfter(const char* text, const char* key)
{
    const char* place = strstr(text, key);
    if (place == NULL)
        fail_msg("there is no %s", key);
    return strtod(place + strlen(key), NULL);
}

static void a_generated_volume_survives_every_format(void** state)
{
    (void)state;
    static const char* const files[] = {"--out b.msh", "--msh 2.2 --out b2.msh", "--out b.vtk"};
    static const char* const names[] = {"b.msh", "b2.msh", "b.vtk"};
    char text[16384], command[128];
    for (int i = 0; i < 3; i++)
    {
        snprintf(command, sizeof command, "--generate block --resolution 4 --quiet %s", files[i]);
        assert_int_equal(palpate(command, text, sizeof text), 0);
        assert_string_equal(text, "");
        snprintf(command, sizeof command, "%s --json", names[i]);
        assert_int_equal(palpate(command, text, sizeof text), 0);
        ASSERT_NEAR(numberAfter(text, "\"volume_m3\": "), 1e-3, 1e-17);
        ASSERT_NEAR(numberAfter(text, "\"tetrahedra\": "), 5 * 64, 0.0);
        assert_non_null(strstr(text, "\"zmax\""));
        assert_non_null(strstr(text, "\"surface_solid\": true"));
    }
    // A millimetre is a millimetre: the file's numbers are taken in the unit that is given.
    assert_int_equal(palpate("b.msh --unit mm", text, sizeof text), 0);
    assert_non_null(strstr(text, "0.1 x 0.1 x 0.1 mm"));
    assert_non_null(strstr(text, "worst tet"));
    assert_int_equal(palpate("b.vtk --out skin.ply --quiet", text, sizeof text), 0);
    assert_int_equal(palpate("skin.ply", text, sizeof text), 0);
    assert_non_null(strstr(text, "1000 cm3"));
}

static void a_surface_is_embedded_in_voxels(void** state)
{
    (void)state;
    char text[16384];
    writeFile("box.off", box);
    assert_int_equal(palpate("box.off --unit mm --voxels 4 --out box.vtk", text, sizeof text), 0);
    assert_non_null(strstr(text, "hexahedra      24"));
    assert_non_null(strstr(text, "cells of 10 mm, on average 1 full"));
    assert_int_equal(palpate("box.vtk --json", text, sizeof text), 0);
    ASSERT_NEAR(numberAfter(text, "\"volume_m3\": "), 24e-6, 1e-17);
}

// A box without its top, and one of 2,400 triangles of which twelve are enough.
static void holes_are_closed_and_triangles_removed(void** state)
{
    (void)state;
    char text[8192];
    writeFile("open.off", "OFF\n8 5 0\n"
                          "0 0 0\n20 0 0\n0 30 0\n20 30 0\n0 0 40\n20 0 40\n0 30 40\n20 30 40\n"
                          "4 0 2 3 1\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n");
    assert_int_equal(palpate("open.off --unit mm --voxels 4", text, sizeof text), 2);
    assert_non_null(strstr(text, "close it with palpate mesh FILE --repair"));
    assert_int_equal(palpate("open.off --unit mm --repair --out top.ply", text, sizeof text), 0);
    assert_non_null(strstr(text, "closed 1 hole with 2 triangles, the widest 36.1 mm across"));
    assert_int_equal(palpate("top.ply --json", text, sizeof text), 0);
    assert_non_null(strstr(text, "\"solid\": true"));
    ASSERT_NEAR(numberAfter(text, "\"volume_m3\": "), 24e-6, 1e-17);
    assert_int_equal(palpate("--generate box --resolution 20 --out fine.ply", text, sizeof text),
                     0);
    assert_int_equal(palpate("fine.ply --decimate 1e-6 --out few.ply", text, sizeof text), 0);
    assert_non_null(strstr(text, "triangles are left; measured"));
    assert_int_equal(palpate("fine.ply --json", text, sizeof text), 0);
    double before = numberAfter(text, "\"triangles\": ");
    double volume = numberAfter(text, "\"volume_m3\": ");
    assert_int_equal(palpate("few.ply --json", text, sizeof text), 0);
    ASSERT_BELOW(numberAfter(text, "\"triangles\": "), before / 20.0);
    ASSERT_NEAR(numberAfter(text, "\"volume_m3\": ") / volume, 1.0, 1e-12);
    assert_non_null(strstr(text, "\"solid\": true"));
}

static void bad_input_is_one_clear_message_and_exit_2(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"", "a mesh file or --generate"},
        {"none.stl", "none.stl: cannot read"},
        {"box.off --unit furlong", "use m, cm, mm or in"},
        {"box.off --scale 0", "--scale must be 1e-9 to 1e9"},
        {"--generate box --size 1e300", "--size at most 1e6 m"},
        {"box.off --size 3", "require --generate"},
        {"box.off --generate box", "not both"},
        {"box.off --out box.xyz", ".ply, .stl, .obj or .off"},
        {"cut.off", "cut.off:3: the OFF header declares more"},
        {"box.off --unti mm", "did you mean '--unit'"},
        {"--generate blok", "did you mean 'block'"},
        {"--generate block --out b.stp", "use .msh or .vtk"},
        {"--generate block --cells seven", "use five or six"},
        {"--generate block --msh 3 --out b.msh", "use 2.2 or 4.1"},
        {"--generate block --voxels 4", "not a volume"},
        {"box.off --cells hex", "--cells requires"},
        {"box.off --decimate -1", "--decimate must be above 0"},
        {"--generate block --repair", "require a surface, not a volume"},
        {"flat.msh", "flat.msh: the file has 1 triangles or quads and no volume element"},
        {"cut.msh", "cut.msh:6: the Gmsh file declares 100 entries"},
    };
    writeFile("box.off", box);
    writeFile("flat.msh", "$NOD\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$ENDNOD\n$ELM\n1\n1 2 0 0 3 1 2 3\n"
                          "$ENDELM\n");
    writeFile("cut.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\n$Nodes\n100\n1 0 0 0\n");
    writeFile("cut.off", "OFF\n8 6 0\n0 0 0\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        char text[8192];
        assert_int_equal(palpate(cases[i][0], text, sizeof text), 2);
        if (strstr(text, cases[i][1]) == NULL)
            fail_msg("'%s' does not say '%s'", text, cases[i][1]);
        // One line.
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_printed_in_the_unit_that_is_given),
        cmocka_unit_test(json_has_the_same_facts_in_si_units),
        cmocka_unit_test(a_file_is_converted_to_metres),
        cmocka_unit_test(a_shape_is_generated_to_size),
        cmocka_unit_test(a_generated_volume_survives_every_format),
        cmocka_unit_test(a_surface_is_embedded_in_voxels),
        cmocka_unit_test(holes_are_closed_and_triangles_removed),
        cmocka_unit_test(bad_input_is_one_clear_message_and_exit_2),
    };
    return RUN_WITHIN(tests, makeFolder, removeFolder);
}
