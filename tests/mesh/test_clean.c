// SPDX-License-Identifier: Apache-2.0
#include "bodies.h"

#include "base/random.h"

// Every triangle with corners of its own, as an STL file has them.
static palSurface makeSoup(const palSurface* surface)
{
    palSurface soup;
    palError error;
    assert_int_equal(
        palSurface_Init(&soup, 3 * surface->triangleCount, surface->triangleCount, &error), pal_ok);
    for (int i = 0; i < soup.vertexCount; i++)
    {
        soup.vertices[i] = surface->vertices[surface->triangles[i / 3][i % 3]];
        soup.triangles[i / 3][i % 3] = i;
    }
    return soup;
}

static palCleanReport clean(palSurface* surface, double tolerance)
{
    palCleanReport report;
    palError error;
    assert_int_equal(palSurface_Clean(surface, tolerance, &report, &error), pal_ok);
    return report;
}

static void a_soup_of_triangles_is_welded_to_the_surface_it_came_from(void** state)
{
    (void)state;
    palSurface torus = makeTorus(40);
    for (int exact = 0; exact < 2; exact++)
    {
        palSurface soup = makeSoup(&torus);
        palCleanReport report = clean(&soup, exact ? 0.0 : 1e-9);
        assert_int_equal(soup.vertexCount, torus.vertexCount);
        assert_int_equal(soup.triangleCount, torus.triangleCount);
        assert_int_equal(report.welded, 3 * torus.triangleCount - torus.vertexCount);
        assert_int_equal(report.degenerate + report.duplicate + report.unreferenced, 0);
        for (int t = 0; t < torus.triangleCount; t++)
            for (int k = 0; k < 3; k++)
            {
                palVec3 a = soup.vertices[soup.triangles[t][k]];
                palVec3 b = torus.vertices[torus.triangles[t][k]];
                assert_memory_equal(&a, &b, sizeof a);
            }
        palSurface_Free(&soup);
    }
    palSurface_Free(&torus);
}

// Corners shaken by less than half the tolerance come together, whatever cells of the grid they
// fall into.
static void nearly_equal_vertices_are_welded_across_cells(void** state)
{
    (void)state;
    palSurface torus = makeTorus(24);
    palSurface soup = makeSoup(&torus);
    palBounds bounds = palSurface_Bounds(&torus);
    double tolerance = 1e-6;
    double shake = 0.25 * tolerance * palDistance(bounds.low, bounds.high);
    palRandom random = palMakeRandom(3);
    for (int i = 0; i < soup.vertexCount; i++)
    {
        palVec3 way = {palRandom_Normal(&random), palRandom_Normal(&random),
                       palRandom_Normal(&random)};
        soup.vertices[i] = palMulAdd(soup.vertices[i], shake, palNormalize(way));
    }
    palSurface apart;
    palError error;
    assert_int_equal(palSurface_Copy(&soup, &apart, &error), pal_ok);
    clean(&soup, tolerance);
    assert_int_equal(soup.vertexCount, torus.vertexCount);
    palSurfaceFacts facts = factsOf(&soup);
    assert_true(facts.solid);
    assert_int_equal(facts.genus, 1);
    clean(&apart, 0.0);
    assert_int_equal(apart.vertexCount, 3 * torus.triangleCount);
    palSurface_Free(&apart);
    palSurface_Free(&soup);
    palSurface_Free(&torus);
}

static void details_of_single_precision_survive(void** state)
{
    (void)state;
    // A triangle as small as floats near 1 can tell apart, on a part of size 1.
    float step = 1.0f + 0x1p-22f;
    const double vertices[6][3] = {{0, 0, 0}, {1, 0, 0},    {0, 1, 0},
                                   {1, 1, 1}, {step, 1, 1}, {1, step, 1}};
    static const int triangles[2][3] = {{0, 1, 2}, {3, 4, 5}};
    palSurface surface = makeSurface(6, vertices, 2, triangles);
    palCleanReport report = clean(&surface, palDefaultLoadDef().weldTolerance);
    assert_int_equal(surface.triangleCount, 2);
    assert_int_equal(report.welded, 0);
    palSurface_Free(&surface);
}

static void what_carries_no_surface_is_dropped(void** state)
{
    (void)state;
    static const double vertices[7][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},   {2, 0, 0},
                                          {9, 9, 9}, {0, 1, 0}, {-0.0, 0, 0}};
    static const int triangles[6][3] = {
        {0, 1, 2}, // stays
        {0, 1, 1}, // a corner twice
        {0, 1, 3}, // on a line
        {2, 0, 1}, // the first again, from another corner
        {5, 1, 6}, // the first again, turned and with other vertices in the same places
        {1, 3, 2}, // stays
    };
    palSurface surface = makeSurface(7, vertices, 6, triangles);
    palCleanReport report = clean(&surface, 0.0);
    assert_int_equal(report.welded, 2);
    assert_int_equal(report.degenerate, 2);
    assert_int_equal(report.duplicate, 2);
    assert_int_equal(report.unreferenced, 1);
    assert_int_equal(surface.vertexCount, 4);
    assert_int_equal(surface.triangleCount, 2);
    static const int kept[2][3] = {{0, 1, 2}, {1, 3, 2}};
    assert_memory_equal(surface.triangles, kept, sizeof kept);
    palSurface_Free(&surface);
}

// Adds triangles and three vertices of which nothing else makes use.
static palSurface addTriangles(palSurface* to, const int (*triangles)[3], int extra)
{
    palSurface surface;
    palError error;
    int count = to->triangleCount;
    assert_int_equal(palSurface_Init(&surface, to->vertexCount + 3, count + extra, &error), pal_ok);
    memcpy(surface.vertices, to->vertices, (size_t)to->vertexCount * sizeof *to->vertices);
    for (int k = 0; k < 3; k++)
        surface.vertices[to->vertexCount + k] = palMakeVec3(5, 2 + (k == 1), 3 + (k == 2));
    memcpy(surface.triangles, to->triangles, (size_t)count * sizeof *to->triangles);
    memcpy(surface.triangles[count], triangles, (size_t)extra * sizeof *triangles);
    palSurface_Free(to);
    return surface;
}

// A pair beside the cube, or a fin on one of its edges, goes; the cube stays closed.
static void opposite_triangles_of_a_closed_part_go_both(void** state)
{
    (void)state;
    static const int pairs[2][2][3] = {{{8, 9, 10}, {9, 8, 10}}, {{0, 1, 8}, {0, 8, 1}}};
    for (int i = 0; i < 2; i++)
    {
        palSurface cube = makeCube();
        cube = addTriangles(&cube, pairs[i], 2);
        palCleanReport report = clean(&cube, 0.0);
        assert_int_equal(report.opposite, 2);
        assert_int_equal(report.duplicate, 0);
        assert_int_equal(cube.triangleCount, 12);
        assert_int_equal(cube.vertexCount, 8);
        assert_true(factsOf(&cube).solid);
        palSurface_Free(&cube);
    }
}

// A side of the cube that is there twice, facing both ways, closes it; so does one thrice.
static void an_opposite_triangle_does_not_open_a_hole(void** state)
{
    (void)state;
    for (int twice = 0; twice < 2; twice++)
    {
        palSurface cube = makeCube();
        const int* t = cube.triangles[4];
        const int again[2][3] = {{t[1], t[0], t[2]}, {t[2], t[0], t[1]}};
        cube = addTriangles(&cube, again, 1 + twice);
        palCleanReport report = clean(&cube, 0.0);
        assert_int_equal(report.opposite, 0);
        assert_int_equal(report.duplicate, 1 + twice);
        assert_int_equal(cube.triangleCount, 12);
        assert_true(factsOf(&cube).closed);
        palSurface_Free(&cube);
    }
}

static void a_sheet_with_two_sides_keeps_one(void** state)
{
    (void)state;
    static const double vertices[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static const int triangles[4][3] = {{0, 1, 2}, {0, 2, 3}, {2, 1, 0}, {3, 2, 0}};
    palSurface sheet = makeSurface(4, vertices, 4, triangles);
    palCleanReport report = clean(&sheet, 0.0);
    assert_int_equal(report.opposite, 0);
    assert_int_equal(report.duplicate, 2);
    assert_memory_equal(sheet.triangles, triangles, 2 * sizeof triangles[0]);
    palSurface_Free(&sheet);
}

// One side of the cube has n vertices on the edge from 0 to 1, the other none; caps lie between.
static palSurface makeCappedCube(int n)
{
    palSurface cube = makeCube(), capped;
    palError error;
    assert_int_equal(palSurface_Init(&capped, 8 + n, 12 + 2 * n, &error), pal_ok);
    memcpy(capped.vertices, cube.vertices, 8 * sizeof *cube.vertices);
    memcpy(capped.triangles, cube.triangles, 12 * sizeof *cube.triangles);
    for (int i = 0; i < n; i++)
        capped.vertices[8 + i] = palMakeVec3((i + 1.0) / (n + 1), 0, 0);
    // The triangle 0 3 1 becomes a fan around 3 ...
    int last = 0;
    for (int i = 0; i <= n; i++)
    {
        int next = i < n ? 8 + i : 1;
        int piece[3] = {last, 3, next};
        memcpy(capped.triangles[i == 0 ? 1 : 11 + i], piece, sizeof piece);
        last = next;
    }
    // ... and caps with corner 1 fill the line up to the edge that the side y = 0 has.
    last = 0;
    for (int i = 0; i < n; i++)
    {
        int cap[3] = {1, last, 8 + i};
        memcpy(capped.triangles[12 + n + i], cap, sizeof cap);
        last = 8 + i;
    }
    palSurface_Free(&cube);
    return capped;
}

static void caps_are_repaired_without_opening_the_surface(void** state)
{
    (void)state;
    for (int n = 1; n <= 5; n++)
    {
        palSurface capped = makeCappedCube(n);
        assert_true(factsOf(&capped).closed);
        palCleanReport report = clean(&capped, 1e-9);
        assert_int_equal(report.caps, n);
        assert_int_equal(report.degenerate, 0);
        assert_int_equal(capped.triangleCount, 12 + 2 * n);
        palSurfaceFacts facts = factsOf(&capped);
        assert_true(facts.solid);
        assert_int_equal(facts.genus, 0);
        ASSERT_NEAR(facts.volume, 1.0, 1e-14);
        ASSERT_NEAR(facts.area, 6.0, 1e-14);
        palSurface_Free(&capped);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_soup_of_triangles_is_welded_to_the_surface_it_came_from),
        cmocka_unit_test(nearly_equal_vertices_are_welded_across_cells),
        cmocka_unit_test(details_of_single_precision_survive),
        cmocka_unit_test(opposite_triangles_of_a_closed_part_go_both),
        cmocka_unit_test(an_opposite_triangle_does_not_open_a_hole),
        cmocka_unit_test(a_sheet_with_two_sides_keeps_one),
        cmocka_unit_test(what_carries_no_surface_is_dropped),
        cmocka_unit_test(caps_are_repaired_without_opening_the_surface),
    };
    return RUN(tests);
}
