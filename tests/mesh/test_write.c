// SPDX-License-Identifier: Apache-2.0
#include "bodies.h"

#include "mesh/write.h"

#include <unistd.h>

// Writes, loads again and removes the file.
static palSurface roundTrip(const palSurface* surface, const char* extension)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/palpate-write-%d.%s", (int)getpid(), extension);
    palError error = {0};
    if (palSurface_Write(surface, path, &error) != pal_ok)
        fail_msg("%s", error.text);
    palSurface again;
    palLoadDef def = palDefaultLoadDef();
    palResult result = palSurface_Load(path, &def, &again, NULL, NULL, &error);
    remove(path);
    if (result != pal_ok)
        fail_msg("%s", error.text);
    return again;
}

static void expectSame(const palSurface* surface, const char* extension, double tolerance)
{
    palSurface again = roundTrip(surface, extension);
    assert_int_equal(again.vertexCount, surface->vertexCount);
    assert_int_equal(again.triangleCount, surface->triangleCount);
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
        {
            palVec3 a = surface->vertices[surface->triangles[t][k]];
            palVec3 b = again.vertices[again.triangles[t][k]];
            ASSERT_BELOW(palDistance(a, b), tolerance);
        }
    palSurface_Free(&again);
}

static void double_precision_formats_read_back_the_same(void** state)
{
    (void)state;
    palSurface torus = makeTorus(17); // coordinates with all their digits
    expectSame(&torus, "ply", 0.0);
    expectSame(&torus, "off", 0.0);
    expectSame(&torus, "PLY", 0.0);
    palSurface_Free(&torus);
}

static void single_precision_formats_read_back_nearly_the_same(void** state)
{
    (void)state;
#ifdef PAL_HAVE_ASSIMP
    palSurface torus = makeTorus(17); // within 2.5 m of the origin: floats are 2.4e-7 apart there
    expectSame(&torus, "stl", 2.5e-7);
    expectSame(&torus, "obj", 2.5e-7);
    palSurface_Free(&torus);
#else
    SKIP("built without Assimp");
#endif
}

static void what_cannot_be_written_is_refused_with_a_remedy(void** state)
{
    (void)state;
    palSurface cube = makeCube();
    palError error;
    assert_int_equal(palSurface_Write(&cube, "cube.doc", &error), pal_errorInput);
    assert_non_null(strstr(error.remedy, ".ply"));
    assert_int_equal(palSurface_Write(&cube, "cube.gltf", &error), pal_errorInput);
    assert_int_equal(palSurface_Write(&cube, "/no/such/folder/cube.ply", &error), pal_errorFile);
    assert_string_equal(error.file, "/no/such/folder/cube.ply");
    assert_non_null(strstr(error.remedy, "directory"));
    palSurface_Free(&cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_precision_formats_read_back_the_same),
        cmocka_unit_test(single_precision_formats_read_back_nearly_the_same),
        cmocka_unit_test(what_cannot_be_written_is_refused_with_a_remedy),
    };
    return RUN(tests);
}
