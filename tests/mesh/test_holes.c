// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "mesh/facts.h"
#include "mesh/holes.h"
#include "mesh/shapes.h"

#include <math.h>

// Removes the triangles whose centres a test of the place says, and leaves all vertices.
static void cut(palSurface* surface, bool (*isCut)(palVec3))
{
    int count = 0;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        const int* corners = surface->triangles[t];
        palVec3 centre = pal_zeroVec3;
        for (int k = 0; k < 3; k++)
            centre = palMulAdd(centre, 1.0 / 3.0, surface->vertices[corners[k]]);
        if (isCut(centre))
            continue;
        memmove(surface->triangles[count++], corners, sizeof surface->triangles[0]);
    }
    surface->triangleCount = count;
}

static palSurface makeBall(void)
{
    palShapeDef def = palDefaultShapeDef(pal_shapeSphere);
    palSurface surface;
    def.radius = 0.05;
    def.resolution = 40;
    assert_int_equal(palMakeShape(&def, &surface, NULL), pal_ok);
    return surface;
}

static bool isAbove(palVec3 x)
{
    return x.z > 0.03;
}

static bool isInSpots(palVec3 x)
{
    return fabs(x.x) > 0.045 || fabs(x.y) > 0.045 || fabs(x.z) > 0.045;
}

static void a_ball_that_is_cut_off_becomes_a_solid_with_a_flat_face(void** state)
{
    (void)state;
    palSurface ball = makeBall();
    palHolesReport report;
    palSurfaceFacts facts;
    cut(&ball, isAbove);
    int given = ball.triangleCount;
    assert_int_equal(palSurface_FillHoles(&ball, &report, NULL), pal_ok);
    assert_int_equal(palSurface_Check(&ball, &facts, NULL), pal_ok);
    assert_int_equal(report.holes, 1);
    assert_int_equal(report.triangles, ball.triangleCount - given);
    assert_true(facts.solid);
    assert_int_equal(facts.genus, 0);
    // A ball without its cap of height h, within what the facets and the ragged rim differ.
    double r = 0.05, h = 0.02, rim = sqrt(r * r - 0.03 * 0.03);
    double volume = PAL_PI * (4.0 / 3.0 * r * r * r - h * h * (3.0 * r - h) / 3.0);
    ASSERT_NEAR(facts.volume / volume, 1.0, 0.03);
    ASSERT_NEAR(report.area / (PAL_PI * rim * rim), 1.0, 0.1);
    ASSERT_NEAR(report.widest / (2.0 * sqrt(2.0) * rim), 1.0, 0.1);
    palSurface_Free(&ball);
}

static void every_hole_is_closed(void** state)
{
    (void)state;
    palSurface ball = makeBall();
    palHolesReport report;
    palSurfaceFacts facts;
    cut(&ball, isInSpots);
    assert_int_equal(palSurface_FillHoles(&ball, &report, NULL), pal_ok);
    assert_int_equal(palSurface_Check(&ball, &facts, NULL), pal_ok);
    assert_int_equal(report.holes, 6);
    assert_true(facts.solid);
    assert_int_equal(facts.genus, 0);
    assert_int_equal(palSurface_FillHoles(&ball, &report, NULL), pal_ok);
    assert_int_equal(report.holes, 0);
    palSurface_Free(&ball);
}

// Of an octahedron: faces by the octant that they are in.
static palSurface makeOctahedron(const char* octants)
{
    palSurface surface;
    int count = (int)strlen(octants);
    assert_int_equal(palSurface_Init(&surface, 6, count, NULL), pal_ok);
    for (int k = 0; k < 6; k++)
    {
        double x[3] = {0.0, 0.0, 0.0};
        x[k / 2] = k % 2 == 0 ? 1.0 : -1.0;
        surface.vertices[k] = palMakeVec3(x[0], x[1], x[2]);
    }
    for (int t = 0; t < count; t++)
    {
        int octant = octants[t] - '0';
        bool isMirrored = ((octant & 1) + (octant >> 1 & 1) + (octant >> 2 & 1)) % 2 == 1;
        int corners[3] = {octant & 1, 2 + (octant >> 1 & 1), 4 + (octant >> 2 & 1)};
        surface.triangles[t][0] = corners[0];
        surface.triangles[t][1] = corners[isMirrored ? 2 : 1];
        surface.triangles[t][2] = corners[isMirrored ? 1 : 2];
    }
    return surface;
}

// Two holes that touch in a vertex are two; and a ring of four has two ways to be closed, of which
// one would give an edge of the surface a third triangle.
static void holes_that_touch_and_rings_with_chords_become_solid(void** state)
{
    (void)state;
    static const char* const cases[] = {"1234567", "123456", "12456", "124567", "3567"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        palSurface surface = makeOctahedron(cases[i]);
        palHolesReport report;
        palSurfaceFacts facts;
        palError error = {0};
        if (palSurface_FillHoles(&surface, &report, &error) != pal_ok)
            fail_msg("%s: %s", cases[i], error.text);
        assert_int_equal(palSurface_Check(&surface, &facts, NULL), pal_ok);
        assert_true(facts.closed && facts.nonManifoldEdges == 0 && facts.misorientedEdges == 0);
        palSurface_Free(&surface);
    }
}

static void a_surface_whose_sides_do_not_agree_is_refused(void** state)
{
    (void)state;
    palSurface surface = makeOctahedron("1234567");
    int kept = surface.triangles[2][0];
    surface.triangles[2][0] = surface.triangles[2][1];
    surface.triangles[2][1] = kept;
    palHolesReport report;
    palError error = {0};
    assert_int_equal(palSurface_FillHoles(&surface, &report, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "edges have three or more triangles"));
    assert_true(error.remedy[0] != '\0');
    palSurface_Free(&surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_that_is_cut_off_becomes_a_solid_with_a_flat_face),
        cmocka_unit_test(every_hole_is_closed),
        cmocka_unit_test(holes_that_touch_and_rings_with_chords_become_solid),
        cmocka_unit_test(a_surface_whose_sides_do_not_agree_is_refused),
    };
    return RUN(tests);
}
