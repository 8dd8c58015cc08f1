// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/random.h"
#include "constraint/limited.h"

static palVec3 randomPoint(palRandom* random)
{
    return palMakeVec3(palRandom_Range(random, -1.0, 1.0), palRandom_Range(random, -1.0, 1.0),
                       palRandom_Range(random, -1.0, 1.0));
}

static void a_triangle_covers_the_prism_over_itself(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    int inside = 0;
    for (int trial = 0; trial < 5000; trial++)
    {
        palVec3 a = randomPoint(&random), b = randomPoint(&random), c = randomPoint(&random);
        palLimited limited;
        assert_true(palLimited_FromTriangle(&limited, pal_limitTriangle, a, b, c));
        // A point from barycentric weights, some of them negative, and a height.
        double u = palRandom_Range(&random, -0.5, 1.0);
        double v = palRandom_Range(&random, -0.5, 1.0);
        double height = palRandom_Range(&random, -1.0, 1.0);
        palVec3 foot = palAdd(palScale(1.0 - u - v, a), palAdd(palScale(u, b), palScale(v, c)));
        palVec3 x = palMulAdd(foot, height, limited.n);
        bool expected = u >= 0.0 && v >= 0.0 && u + v <= 1.0;
        assert_int_equal(palLimited_Covers(&limited, x, 0.0), expected);
        ASSERT_NEAR(palLimited_Gap(&limited, x), height, 1e-12);
        inside += expected;
        // The smallest extent is the height on the longest edge.
        double longest = fmax(palDistance(a, b), fmax(palDistance(b, c), palDistance(c, a)));
        double area = 0.5 * palLength(palCross(palSub(b, a), palSub(c, a)));
        ASSERT_NEAR(limited.size, 2.0 * area / longest, 1e-12);
    }
    assert_true(inside > 500);
}

static void the_rectangle_holds_the_triangle_and_ends_within_its_reach(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    for (int trial = 0; trial < 2000; trial++)
    {
        palVec3 a = randomPoint(&random), b = randomPoint(&random), c = randomPoint(&random);
        palLimited limited;
        assert_true(palLimited_FromTriangle(&limited, pal_limitRectangle, a, b, c));
        double u = palRandom_Unit(&random), v = palRandom_Unit(&random) * (1.0 - u);
        palVec3 x = palAdd(palScale(1.0 - u - v, a), palAdd(palScale(u, b), palScale(v, c)));
        assert_true(palLimited_Covers(&limited, x, 1e-12));
        palVec3 far = randomPoint(&random);
        far = palMulAdd(far, -palLimited_Gap(&limited, far), limited.n); // into the plane
        if (palLimited_Covers(&limited, far, 0.0))
            ASSERT_BELOW(palDistance(far, limited.c), limited.reach + 1e-12);
    }
}

static void a_needle_has_no_constraint(void** state)
{
    (void)state;
    palLimited limited;
    palVec3 a = {0.0, 0.0, 0.0}, b = {1.0, 0.0, 0.0}, c = {2.0, 0.0, 0.0};
    assert_false(palLimited_FromTriangle(&limited, pal_limitTriangle, a, b, c));
    assert_false(palLimited_FromTriangle(&limited, pal_limitTriangle, a, a, c));
}

static void a_concave_edge_covers_the_wedge_between_the_prisms(void** state)
{
    (void)state;
    // A right-angled groove along z: the floor y = 0, x > 0 and the wall x = 0, y > 0. Below the
    // edge, where x < 0 and y < 0, neither prism reaches.
    palVec3 floorNormal = {0.0, 1.0, 0.0}, wallNormal = {1.0, 0.0, 0.0};
    palVec3 intoFloor = {1.0, 0.0, 0.0}, intoWall = {0.0, 1.0, 0.0};
    palLimited edge;
    palLimited_FromEdge(&edge, palMakeVec3(0.0, 0.0, -1.0), palMakeVec3(0.0, 0.0, 1.0), floorNormal,
                        intoFloor, wallNormal, intoWall);
    palRandom random = palMakeRandom(3);
    for (int trial = 0; trial < 2000; trial++)
    {
        palVec3 x = palScale(1.5, randomPoint(&random));
        bool expected = x.x <= 0.0 && x.y <= 0.0 && fabs(x.z) <= 1.0;
        assert_int_equal(palLimited_Covers(&edge, x, 0.0), expected);
        ASSERT_NEAR(palLimited_Gap(&edge, x), (x.x + x.y) / sqrt(2.0), 1e-12);
    }
}

static void ridges_are_convex_and_grooves_are_not(void** state)
{
    (void)state;
    // Two triangles on the edge x = 0; `rise` bends the second up (a groove) or down (a ridge).
    static const double rises[] = {-1.0, -1e-3, 0.0, 1e-3, 1.0};
    for (int i = 0; i < 5; i++)
    {
        palVec3 a = {0.0, 0.0, -1.0}, b = {0.0, 0.0, 1.0};
        palVec3 left = {-1.0, 0.0, 0.0}, right = {1.0, rises[i], 0.0};
        palLimited first, second;
        assert_true(palLimited_FromTriangle(&first, pal_limitTriangle, a, left, b));
        assert_true(palLimited_FromTriangle(&second, pal_limitTriangle, a, b, right));
        assert_true(first.n.y * second.n.y > 0.0);
        bool isRidge = rises[i] * first.n.y <= 0.0;
        assert_int_equal(palLimited_AreConvex(&first, &second, 1e-9), isRidge);
        assert_int_equal(palLimited_AreConvex(&second, &first, 1e-9), isRidge);
    }
}

static void a_saddle_is_not_convex_though_its_centres_are_behind(void** state)
{
    (void)state;
    // The second triangle has one corner in front of the first one's plane, its centre behind it.
    palLimited first, second;
    assert_true(palLimited_FromTriangle(&first, pal_limitTriangle, palMakeVec3(0, 0, 0),
                                        palMakeVec3(0, 0, 1), palMakeVec3(-1, 0, 0)));
    double up = first.n.y;
    assert_true(palLimited_FromTriangle(&second, pal_limitTriangle, palMakeVec3(0, 0, 0),
                                        palMakeVec3(1, 0.2 * up, 0), palMakeVec3(1, -up, 1)));
    ASSERT_BELOW(palLimited_Gap(&first, second.c), 0.0);
    assert_false(palLimited_AreConvex(&first, &second, 1e-9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_covers_the_prism_over_itself),
        cmocka_unit_test(the_rectangle_holds_the_triangle_and_ends_within_its_reach),
        cmocka_unit_test(a_needle_has_no_constraint),
        cmocka_unit_test(a_concave_edge_covers_the_wedge_between_the_prisms),
        cmocka_unit_test(ridges_are_convex_and_grooves_are_not),
        cmocka_unit_test(a_saddle_is_not_convex_though_its_centres_are_behind),
    };
    return RUN(tests);
}
