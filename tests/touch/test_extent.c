// SPDX-License-Identifier: Apache-2.0
// How far a plane goes along with a surface: to the edges of a box, and on a ball until the surface
// is farther from the tangent plane than the tolerance.
#include "check.h"

#include "base/random.h"
#include "mesh/shapes.h"
#include "touch/extent.h"

static const double tolerance = 2e-4; // m
static const double most = 0.02;      // m

static void makeCollider(palCollider* collider, palShapeKind kind)
{
    palShapeDef shape = palDefaultShapeDef(kind);
    shape.radius = 0.04;
    shape.size = palMakeVec3(0.06, 0.06, 0.06);
    shape.resolution = kind == pal_shapeSphere ? 100 : 4;
    palSurface surface;
    assert_int_equal(palMakeShape(&shape, &surface, NULL), pal_ok);
    assert_int_equal(palCollider_Init(collider, &surface, 0.0, NULL), pal_ok);
}

// Whether a place that goes down through the plane at an offset from the place meets it.
static bool isMetAt(const palExtent* extent, palVec3 n, palVec3 offset)
{
    palVec3 at = palAdd(extent->place, offset);
    return palExtent_Crosses(extent, extent->place, n, palMulAdd(at, 1e-3, n),
                             palMulAdd(at, -1e-3, n));
}

static void a_plane_of_a_box_ends_near_its_edges(void** state)
{
    (void)state;
    palCollider box;
    makeCollider(&box, pal_shapeBox);
    palRandom random = palMakeRandom(5);
    palVec3 n = {0.0, 0.0, 1.0};
    int met = 0;
    for (int i = 0; i < 1000; i++)
    {
        palExtent extent = {.place = {palRandom_Range(&random, -0.03, 0.03),
                                      palRandom_Range(&random, -0.03, 0.03), 0.03}};
        palExtent_Follow(&extent, n, box.bvh, most, tolerance);
        palVec3 offset = {palRandom_Range(&random, -most, most),
                          palRandom_Range(&random, -most, most), 0.0};
        palVec3 at = palAdd(extent.place, offset);
        bool isMet = isMetAt(&extent, n, offset);
        met += isMet;
        // Nowhere where the surface is not, and always where it is not far.
        if (isMet)
            ASSERT_BELOW(fmax(fabs(at.x), fabs(at.y)), 0.03 + tolerance);
        double edge = 0.03 - fmax(fabs(extent.place.x), fabs(extent.place.y));
        if (palLength(offset) < 0.4 * fmin(edge, most))
            assert_true(isMet);
    }
    assert_true(met > 100);
    palCollider_Free(&box);
}

static void a_plane_of_a_ball_ends_where_the_surface_leaves_it(void** state)
{
    (void)state;
    palCollider ball;
    makeCollider(&ball, pal_shapeSphere);
    double reach = sqrt(2.0 * 0.04 * tolerance); // m: R² + reach² = (R + tolerance)²
    palVec3 n = palNormalize(palMakeVec3(0.3, -0.5, 0.8));
    palVec3 along = palNormalize(palCross(n, palMakeVec3(1.0, 0.0, 0.0)));
    palExtent extent = {.place = palScale(0.04, n)};
    palExtent_Follow(&extent, n, ball.bvh, most, tolerance);
    for (int k = 0; k < pal_extentSectors; k++)
    {
        ASSERT_BELOW(extent.reach[k], 1.02 * reach);
        ASSERT_BELOW(0.5 * reach, extent.reach[k]);
    }
    assert_true(isMetAt(&extent, n, palScale(0.4 * reach, along)));
    assert_false(isMetAt(&extent, n, palScale(1.02 * reach, along)));
    // Not from behind.
    palVec3 before = palMulAdd(extent.place, -1e-3, n), after = palMulAdd(extent.place, 1e-3, n);
    assert_false(palExtent_Crosses(&extent, extent.place, n, before, after));
    palCollider_Free(&ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_of_a_box_ends_near_its_edges),
        cmocka_unit_test(a_plane_of_a_ball_ends_where_the_surface_leaves_it),
    };
    return RUN(tests);
}
