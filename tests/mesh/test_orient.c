// SPDX-License-Identifier: Apache-2.0
#include "bodies.h"

#include "base/random.h"

static palOrientReport orient(palSurface* surface)
{
    palOrientReport report;
    palError error;
    assert_int_equal(palSurface_Orient(surface, &report, &error), pal_ok);
    return report;
}

static void triangles_turned_at_random_are_turned_back(void** state)
{
    (void)state;
    palSurface torus = makeTorus(30);
    palSurface copy;
    palError error;
    assert_int_equal(palSurface_Copy(&torus, &copy, &error), pal_ok);
    palRandom random = palMakeRandom(5);
    int turned = 0;
    for (int t = 0; t < torus.triangleCount; t++)
        if (palRandom_Unit(&random) < 0.3)
        {
            turnTriangle(&torus, t);
            turned++;
        }
    assert_false(factsOf(&torus).solid);
    palOrientReport report = orient(&torus);
    assert_int_equal(report.turnedTriangles, turned);
    assert_int_equal(report.turnedParts, 0);
    assert_memory_equal(torus.triangles, copy.triangles,
                        (size_t)copy.triangleCount * sizeof *copy.triangles);
    palSurface_Free(&copy);
    palSurface_Free(&torus);
}

static void a_part_that_faces_inward_is_turned(void** state)
{
    (void)state;
    palSurface cube = makeCube();
    turnAll(&cube);
    ASSERT_NEAR(factsOf(&cube).volume, -1.0, 1e-15);
    palOrientReport report = orient(&cube);
    assert_int_equal(report.turnedParts, 1);
    assert_int_equal(report.turnedTriangles, 0);
    ASSERT_NEAR(factsOf(&cube).volume, 1.0, 1e-15);
    palSurface_Free(&cube);
}

// A unit cube with a cube of side 1/2 inside: 1 - 1/8 as a cavity, 1 + 1/8 as a solid.
static void a_part_inside_another_keeps_its_sense(void** state)
{
    (void)state;
    palVec3 inside = palMakeVec3(0.25, 0.25, 0.25);
    for (int inward = 0; inward < 2; inward++)
        for (int allTurned = 0; allTurned < 2; allTurned++)
        {
            palSurface outer = makeCube(), inner = makeCube();
            if (inward)
                turnAll(&inner);
            palSurface both = joinSurfaces(&outer, &inner, 0.5, inside);
            if (allTurned)
                turnAll(&both);
            palOrientReport report = orient(&both);
            assert_int_equal(report.cavities, inward);
            assert_int_equal(report.innerParts, !inward);
            assert_int_equal(report.turnedParts, allTurned ? 2 : 0);
            ASSERT_NEAR(factsOf(&both).volume, inward ? 0.875 : 1.125, 1e-15);
            palSurface_Free(&both);
            palSurface_Free(&inner);
            palSurface_Free(&outer);
        }
}

// A cube in the hole of a torus lies in its bounding box but not in its volume.
static void a_part_in_a_hole_is_not_inside(void** state)
{
    (void)state;
    palSurface torus = makeTorus(20), cube = makeCube();
    turnAll(&cube);
    palSurface both = joinSurfaces(&torus, &cube, 0.5, palMakeVec3(-0.25, -0.25, -0.25));
    palOrientReport report = orient(&both);
    assert_int_equal(report.cavities + report.innerParts, 0);
    assert_int_equal(report.turnedParts, 1);
    palSurface_Free(&both);
    palSurface_Free(&cube);
    palSurface_Free(&torus);
}

static void a_moebius_strip_is_left_as_given(void** state)
{
    (void)state;
    enum
    {
        n = 12
    };
    double vertices[2 * n][3];
    int triangles[2 * n][3];
    for (int i = 0; i < n; i++)
    {
        double u = 2.0 * PAL_PI * i / n;
        for (int k = 0; k < 2; k++)
        {
            double w = k == 0 ? -0.3 : 0.3;
            double r = 1.0 + w * cos(0.5 * u);
            vertices[2 * i + k][0] = r * cos(u);
            vertices[2 * i + k][1] = r * sin(u);
            vertices[2 * i + k][2] = w * sin(0.5 * u);
        }
        // The last piece joins the first with its sides exchanged.
        int a = 2 * i, b = 2 * i + 1;
        int c = i + 1 < n ? a + 2 : 1, d = i + 1 < n ? b + 2 : 0;
        int first[3] = {a, c, b}, second[3] = {b, c, d};
        memcpy(triangles[2 * i], first, sizeof first);
        memcpy(triangles[2 * i + 1], second, sizeof second);
    }
    palSurface strip = makeSurface(2 * n, vertices, 2 * n, triangles);
    palOrientReport report = orient(&strip);
    assert_int_equal(report.oneSidedParts, 1);
    assert_int_equal(report.turnedTriangles, 0);
    assert_memory_equal(strip.triangles, triangles, sizeof triangles);
    palSurfaceFacts facts = factsOf(&strip);
    assert_int_equal(facts.misorientedEdges, 1);
    assert_int_equal(facts.boundaryLoops, 1);
    palSurface_Free(&strip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_turned_at_random_are_turned_back),
        cmocka_unit_test(a_part_that_faces_inward_is_turned),
        cmocka_unit_test(a_part_inside_another_keeps_its_sense),
        cmocka_unit_test(a_part_in_a_hole_is_not_inside),
        cmocka_unit_test(a_moebius_strip_is_left_as_given),
    };
    return RUN(tests);
}
