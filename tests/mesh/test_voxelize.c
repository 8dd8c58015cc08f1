// SPDX-License-Identifier: Apache-2.0
#include "bodies.h"

#include "math/quat.h"
#include "mesh/shapes.h"
#include "mesh/volume_facts.h"
#include "mesh/voxelize.h"
#include "mesh/write.h"

#include <unistd.h>

static palVoxels voxelsOf(const palSurface* surface, int resolution, int samples)
{
    palVoxels voxels;
    palError error;
    palVoxelDef def = {.resolution = resolution, .samples = samples};
    if (palVoxels_Init(&voxels, surface, &def, NULL, &error) != pal_ok)
        fail_msg("%s", error.text);
    return voxels;
}

static double insideVolume(const palVoxels* voxels)
{
    double sum = 0.0;
    for (int h = 0; h < voxels->volume.hexCount; h++)
        sum += voxels->fill[h];
    return sum * voxels->cell * voxels->cell * voxels->cell;
}

// Every vertex lies in its cell, and its weights give its place, also after a linear map.
static void expectTied(const palVoxels* voxels, const palSurface* surface)
{
    const palVolume* v = &voxels->volume;
    palVec3* moved = malloc((size_t)v->vertexCount * sizeof *moved);
    palQuat turn = palMakeQuatRotationVector(palMakeVec3(0.4, 0.2, -0.9));
    for (int i = 0; i < v->vertexCount; i++)
        moved[i] = palAdd(palRotate(turn, v->vertices[i]), palMakeVec3(1, 2, 3));
    assert_int_equal(voxels->embedding.count, surface->vertexCount);
    for (int i = 0; i < surface->vertexCount; i++)
    {
        palVec3 p = surface->vertices[i];
        const double* w = voxels->embedding.weights[i];
        for (int k = 0; k < 8; k++)
            assert_true(w[k] >= -1e-8 && w[k] <= 1.0 + 1e-8);
        palVec3 here = palEmbedding_Point(&voxels->embedding, v, v->vertices, i);
        palVec3 there = palEmbedding_Point(&voxels->embedding, v, moved, i);
        ASSERT_NEAR(palDistance(here, p), 0.0, 1e-14 * (1.0 + palLength(p)));
        ASSERT_NEAR(palDistance(there, palAdd(palRotate(turn, p), palMakeVec3(1, 2, 3))), 0.0,
                    1e-14);
    }
    free(moved);
}

static void a_cube_fills_its_cells_exactly(void** state)
{
    (void)state;
    palSurface cube = makeCube();
    for (int resolution = 1; resolution <= 7; resolution++)
    {
        palVoxels voxels = voxelsOf(&cube, resolution, 3);
        assert_int_equal(voxels.volume.hexCount, resolution * resolution * resolution);
        assert_int_equal(voxels.parts, 1);
        assert_int_equal(voxels.skippedColumns, 0);
        for (int h = 0; h < voxels.volume.hexCount; h++)
            ASSERT_NEAR(voxels.fill[h], 1.0, 1e-12);
        expectTied(&voxels, &cube);
        palVoxels_Free(&voxels);
    }
    palSurface_Free(&cube);
}

static void cells_that_are_only_touched_stay_away(void** state)
{
    (void)state;
    // The L of three unit cubes: at 2 cells a side its faces lie on the grid.
    palSurface elbow = makeElbow();
    palVoxels voxels = voxelsOf(&elbow, 2, 2);
    assert_int_equal(voxels.volume.hexCount, 3);
    ASSERT_NEAR(insideVolume(&voxels), 3.0, 1e-12);
    expectTied(&voxels, &elbow);
    palVoxels_Free(&voxels);
    palSurface_Free(&elbow);
}

static palSurface shape(palShapeKind kind, int resolution)
{
    palSurface surface;
    palError error;
    palShapeDef def = palDefaultShapeDef(kind);
    def.resolution = resolution;
    assert_int_equal(palMakeShape(&def, &surface, &error), pal_ok);
    return surface;
}

static void the_fill_sums_to_the_volume_of_the_solid(void** state)
{
    (void)state;
    static const struct
    {
        palShapeKind kind;
        int resolution;
    } cases[] = {{pal_shapeSphere, 60},
                 {pal_shapeCylinder, 40},
                 {pal_shapeStatue, 64},
                 {pal_shapeRocker, 64}};
    for (int i = 0; i < 4; i++)
    {
        palSurface surface = shape(cases[i].kind, cases[i].resolution);
        palQuat turn = palMakeQuatRotationVector(palMakeVec3(0.3 * i, 0.2, 0.1));
        palSurface_Transform(&surface, 1.0, turn, palMakeVec3(0.1, 0.2, 0.3));
        double exact = factsOf(&surface).volume;
        palVoxels voxels = voxelsOf(&surface, 24, 6);
        ASSERT_NEAR(insideVolume(&voxels), exact, 5e-3 * exact);
        assert_int_equal(voxels.parts, 1);
        assert_int_equal(voxels.dilated, 0);
        expectTied(&voxels, &surface);
        palVoxels_Free(&voxels);
        palSurface_Free(&surface);
    }
}

static void the_hexes_are_sound_cubes_in_one_part(void** state)
{
    (void)state;
    palSurface statue = shape(pal_shapeStatue, 64);
    for (int resolution = 4; resolution <= 64; resolution *= 4)
    {
        palVoxels voxels = voxelsOf(&statue, resolution, 2);
        palVolumeFacts facts;
        palError error;
        assert_int_equal(palVolume_Check(&voxels.volume, &facts, &error), pal_ok);
        ASSERT_NEAR(facts.worstHex, 1.0, 1e-9);
        assert_int_equal(facts.components, 1);
        assert_int_equal(facts.foldedFaces + facts.crowdedFaces, 0);
        ASSERT_NEAR(facts.volume, voxels.volume.hexCount * pow(voxels.cell, 3.0),
                    1e-12 * facts.volume);
        palVoxels_Free(&voxels);
    }
    palSurface_Free(&statue);
}

static void a_cavity_stays_empty(void** state)
{
    (void)state;
    // A cube of side 5 with a hollow of side 3 in its middle: 125 - 27 cells.
    palSurface cube = makeCube(), inner = makeCube();
    palSurface_Transform(&cube, 5.0, pal_identityQuat, pal_zeroVec3);
    turnAll(&inner);
    palSurface hollow = joinSurfaces(&cube, &inner, 3.0, palMakeVec3(1, 1, 1));
    palVoxels voxels = voxelsOf(&hollow, 5, 2);
    assert_int_equal(voxels.volume.hexCount, 98);
    ASSERT_NEAR(insideVolume(&voxels), 98.0, 1e-10);
    palVoxels_Free(&voxels);
    palSurface_Free(&hollow);
    palSurface_Free(&inner);
    palSurface_Free(&cube);
}

static void a_thin_slanted_plate_is_kept_whole(void** state)
{
    (void)state;
    // A hundredth of a cell thick: most sampling columns miss parts of it, its triangles do not.
    palSurface plate = makeCube();
    for (int i = 0; i < plate.vertexCount; i++)
        plate.vertices[i].z *= 1e-3;
    palSurface_Transform(&plate, 1.0, palMakeQuatRotationVector(palMakeVec3(0.5, 1.2, 0.2)),
                         pal_zeroVec3);
    palVoxels voxels = voxelsOf(&plate, 10, 2);
    assert_int_equal(voxels.parts, 1);
    expectTied(&voxels, &plate);
    palVoxels_Free(&voxels);
    palSurface_Free(&plate);
}

static void an_stl_of_the_statue_embeds(void** state)
{
    (void)state;
    char path[] = "/tmp/palpate-XXXXXX.stl";
    close(mkstemps(path, 4));
    palSurface statue = shape(pal_shapeStatue, 64), loaded;
    palError error;
    palLoadDef def = palDefaultLoadDef();
    assert_int_equal(palSurface_Write(&statue, path, &error), pal_ok);
    assert_int_equal(palSurface_Load(path, &def, &loaded, NULL, NULL, &error), pal_ok);
    palVoxels voxels = voxelsOf(&loaded, 20, 3);
    expectTied(&voxels, &loaded);
    assert_int_equal(voxels.parts, 1);
    palVoxels_Free(&voxels);
    palSurface_Free(&loaded);
    palSurface_Free(&statue);
    remove(path);
}

static void an_open_surface_has_no_inside(void** state)
{
    (void)state;
    palSurface cube = makeCube();
    palVoxels voxels;
    palError error;
    palVoxelDef def = palDefaultVoxelDef();
    cube.triangleCount--;
    assert_int_equal(palVoxels_Init(&voxels, &cube, &def, NULL, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "no inside"));
    cube.triangleCount++;
    def.resolution = 0;
    assert_int_equal(palVoxels_Init(&voxels, &cube, &def, NULL, &error), pal_errorInput);
    palSurface_Free(&cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_fills_its_cells_exactly),
        cmocka_unit_test(cells_that_are_only_touched_stay_away),
        cmocka_unit_test(the_fill_sums_to_the_volume_of_the_solid),
        cmocka_unit_test(the_hexes_are_sound_cubes_in_one_part),
        cmocka_unit_test(a_cavity_stays_empty),
        cmocka_unit_test(a_thin_slanted_plate_is_kept_whole),
        cmocka_unit_test(an_stl_of_the_statue_embeds),
        cmocka_unit_test(an_open_surface_has_no_inside),
    };
    return RUN(tests);
}
