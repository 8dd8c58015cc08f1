// SPDX-License-Identifier: Apache-2.0
#include "volumes.h"

#include "mesh/quality.h"

// The corners of each tet's face, ascending, with how often it occurs; found by brute sorting.
typedef struct Triple
{
    int v[3];
} Triple;

static int compareTriples(const void* a, const void* b)
{
    return memcmp(a, b, sizeof(Triple));
}

static int compareInts(const void* a, const void* b)
{
    return *(const int*)a - *(const int*)b;
}

// Counts the faces that one, two and more tets have.
static void countFaces(const palVolume* volume, int counts[3])
{
    int total = 4 * volume->tetCount;
    Triple* triples = malloc((size_t)total * sizeof *triples);
    for (int i = 0; i < total; i++)
    {
        for (int k = 0, n = 0; k < 4; k++)
            if (k != i % 4)
                triples[i].v[n++] = volume->tets[i / 4][k];
        qsort(triples[i].v, 3, sizeof(int), compareInts);
    }
    qsort(triples, (size_t)total, sizeof *triples, compareTriples);
    counts[0] = counts[1] = counts[2] = 0;
    for (int i = 0, end; i < total; i = end)
    {
        for (end = i + 1; end < total && compareTriples(&triples[i], &triples[end]) == 0;)
            end++;
        counts[end - i > 3 ? 2 : end - i - 1]++;
    }
    free(triples);
}

static double total(const palVolume* volume, double* least)
{
    double sum = 0.0;
    *least = INFINITY;
    for (int e = 0; e < volume->tetCount + volume->hexCount; e++)
    {
        double v = palVolume_ElementVolume(volume, e);
        sum += v;
        *least = fmin(*least, v);
    }
    return sum;
}

static void blocks_of_tets_conform_and_fill_the_box(void** state)
{
    (void)state;
    static const palVolumeShapeKind kinds[] = {pal_volumeBlock, pal_volumeBeam, pal_volumeGraded};
    static const int sizes[][3] = {{1, 1, 1}, {2, 2, 2}, {3, 4, 5}, {4, 1, 2}};
    for (int kind = 0; kind < 3; kind++)
        for (int cut = 0; cut < 2; cut++)
            for (int s = 0; s < 4; s++)
            {
                const int* n = sizes[s];
                palVolume v = makeShape(kinds[kind], cut, n[0], n[1], n[2]);
                palVec3 size = palDefaultVolumeShapeDef(kinds[kind]).size;
                int counts[3], cells = n[0] * n[1] * n[2];
                double least, box = size.x * size.y * size.z;
                assert_int_equal(v.tetCount, (cut == 0 ? 5 : 6) * cells);
                ASSERT_NEAR(total(&v, &least), box, 1e-14 * box);
                assert_true(least > 0.0);
                countFaces(&v, counts);
                // Two triangles a cell side on the boundary, every other face shared by two.
                int boundary = 4 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
                assert_int_equal(counts[0], boundary);
                assert_int_equal(counts[1], (4 * v.tetCount - boundary) / 2);
                assert_int_equal(counts[2], 0);
                palVolume_Free(&v);
            }
}

static void five_tets_are_one_regular_and_four_corners(void** state)
{
    (void)state;
    palVolume v = makeShape(pal_volumeBlock, pal_cutFive, 2, 2, 2);
    for (int t = 0; t < v.tetCount; t++)
    {
        // The regular one has a third of the cell, the corners a sixth.
        double share = palVolume_ElementVolume(&v, t) / 1.25e-4;
        ASSERT_NEAR(share, t % 5 == 0 ? 1.0 / 3.0 : 1.0 / 6.0, 1e-13);
        if (t % 5 == 0)
            ASSERT_NEAR(palTetQuality(v.vertices, v.tets[t]), 1.0, 1e-13);
    }
    palVolume_Free(&v);
}

static void hex_blocks_fill_the_box_with_cubes(void** state)
{
    (void)state;
    palVolume v = makeShape(pal_volumeBlock, pal_cutNone, 3, 3, 3);
    double least;
    assert_int_equal(v.hexCount, 27);
    ASSERT_NEAR(total(&v, &least), 1e-3, 1e-17);
    for (int h = 0; h < 27; h++)
        ASSERT_NEAR(palHexQuality(v.vertices, v.hexes[h]).smallest, 1.0, 1e-14);
    palVolume_Free(&v);
}

static void sides_are_node_sets(void** state)
{
    (void)state;
    palVolume v = makeShape(pal_volumeBeam, pal_cutFive, 4, 2, 3);
    const palNodeSet* set = mustFindSet(&v, "xmax", 3 * 4);
    for (int i = 0; i < set->count; i++)
        ASSERT_NEAR(v.vertices[set->vertices[i]].x, 0.1, 1e-17);
    mustFindSet(&v, "ymin", 5 * 4);
    mustFindSet(&v, "zmax", 5 * 3);
    assert_int_equal(v.nodeSetCount, 6);
    palVolume_Free(&v);
    v = makeShape(pal_volumeRod, pal_cutSix, 3, 3, 2);
    set = mustFindSet(&v, "side", 3 * 18);
    for (int i = 0; i < set->count; i++)
    {
        palVec3 p = v.vertices[set->vertices[i]];
        ASSERT_NEAR(hypot(p.x, p.y), 0.02, 1e-16);
    }
    mustFindSet(&v, "zmin", 37);
    palVolume_Free(&v);
}

static void a_rod_conforms_and_fills_its_polygon(void** state)
{
    (void)state;
    for (int rings = 1; rings <= 4; rings++)
    {
        palVolume v = makeShape(pal_volumeRod, pal_cutSix, rings, rings, 3);
        int counts[3], rim = 6 * rings;
        double least, area = 0.5 * rim * 0.02 * 0.02 * sin(2.0 * PAL_PI / rim);
        ASSERT_NEAR(total(&v, &least), 0.1 * area, 1e-16);
        assert_true(least > 0.0);
        countFaces(&v, counts);
        int boundary = 2 * 6 * rings * rings + 2 * 3 * rim;
        assert_int_equal(counts[0], boundary);
        assert_int_equal(counts[1], (4 * v.tetCount - boundary) / 2);
        assert_int_equal(counts[2], 0);
        palVolume_Free(&v);
    }
}

static void graded_cells_shrink_towards_the_touched_face(void** state)
{
    (void)state;
    palVolumeShapeDef def = palDefaultVolumeShapeDef(pal_volumeGraded);
    palVolume v;
    palError error;
    def.cut = pal_cutNone;
    def.cells[0] = def.cells[1] = def.cells[2] = 8;
    def.grading = 10.0;
    assert_int_equal(palMakeVolumeShape(&def, &v, &error), pal_ok);
    // Cells grow by a constant factor: along z with depth, along x from the middle.
    double ratioZ = pow(10.0, 1.0 / 8.0), ratioX = pow(10.0, 1.0 / 4.0);
    for (int k = 0; k < 7; k++)
    {
        double a = v.vertices[81 * (k + 1)].z - v.vertices[81 * k].z;
        double b = v.vertices[81 * (k + 2)].z - v.vertices[81 * (k + 1)].z;
        ASSERT_NEAR(a / b, ratioZ, 1e-12);
    }
    for (int i = 4; i < 7; i++)
    {
        double a = v.vertices[i + 1].x - v.vertices[i].x;
        double b = v.vertices[i + 2].x - v.vertices[i + 1].x;
        ASSERT_NEAR(b / a, ratioX, 1e-12);
        ASSERT_NEAR(v.vertices[i + 1].x, -v.vertices[7 - i].x, 1e-17);
    }
    palVolume_Free(&v);
}

static void resolution_gives_cells_of_equal_length(void** state)
{
    (void)state;
    palVolumeShapeDef def = palDefaultVolumeShapeDef(pal_volumeBeam);
    palVolumeShapeDef_SetResolution(&def, 30);
    assert_int_equal(def.cells[0], 30);
    assert_int_equal(def.cells[1], 6);
    assert_int_equal(def.cells[2], 6);
}

static void impossible_numbers_are_refused(void** state)
{
    (void)state;
    palVolume v;
    palError error;
    palVolumeShapeDef def = palDefaultVolumeShapeDef(pal_volumeBlock);
    def.cells[1] = 0;
    assert_int_equal(palMakeVolumeShape(&def, &v, &error), pal_errorInput);
    def = palDefaultVolumeShapeDef(pal_volumeBlock);
    def.cells[0] = def.cells[1] = def.cells[2] = 2000000000;
    assert_int_equal(palMakeVolumeShape(&def, &v, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "elements"));
    def = palDefaultVolumeShapeDef(pal_volumeGraded);
    def.grading = 0.5;
    assert_int_equal(palMakeVolumeShape(&def, &v, &error), pal_errorInput);
    def.grading = 2.0;
    def.size.y = NAN;
    assert_int_equal(palMakeVolumeShape(&def, &v, &error), pal_errorInput);
    assert_null(v.vertices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_tets_conform_and_fill_the_box),
        cmocka_unit_test(five_tets_are_one_regular_and_four_corners),
        cmocka_unit_test(hex_blocks_fill_the_box_with_cubes),
        cmocka_unit_test(sides_are_node_sets),
        cmocka_unit_test(a_rod_conforms_and_fills_its_polygon),
        cmocka_unit_test(graded_cells_shrink_towards_the_touched_face),
        cmocka_unit_test(resolution_gives_cells_of_equal_length),
        cmocka_unit_test(impossible_numbers_are_refused),
    };
    return RUN(tests);
}
