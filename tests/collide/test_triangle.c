// SPDX-License-Identifier: Apache-2.0
#include "collide/triangle.h"

#include "soup.h"

typedef long double wide;

// The distance by enumeration in extended precision: the least over the corners, over the feet on
// the edges and over the foot on the plane where it is inside. Written with projections, unlike the
// code under test.
static wide wideDot(const wide* a, const wide* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static wide segmentDistanceSquared(const wide* a, const wide* b)
{
    wide e[3], q[3];
    for (int k = 0; k < 3; k++)
        e[k] = b[k] - a[k];
    wide length = wideDot(e, e);
    wide t = length > 0 ? -wideDot(a, e) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int k = 0; k < 3; k++)
        q[k] = a[k] + t * e[k];
    return wideDot(q, q);
}

static double referenceDistance(palVec3 p, palVec3 a, palVec3 b, palVec3 c)
{
    wide A[3] = {(wide)a.x - p.x, (wide)a.y - p.y, (wide)a.z - p.z};
    wide B[3] = {(wide)b.x - p.x, (wide)b.y - p.y, (wide)b.z - p.z};
    wide C[3] = {(wide)c.x - p.x, (wide)c.y - p.y, (wide)c.z - p.z};
    wide best = fminl(segmentDistanceSquared(A, B),
                      fminl(segmentDistanceSquared(B, C), segmentDistanceSquared(C, A)));

    // Least squares over A + s e + t f by the normal equations.
    wide e[3], f[3], q[3];
    for (int k = 0; k < 3; k++)
        e[k] = B[k] - A[k], f[k] = C[k] - A[k];
    wide ee = wideDot(e, e), ef = wideDot(e, f), ff = wideDot(f, f);
    wide determinant = ee * ff - ef * ef;
    wide s = (ef * wideDot(A, f) - ff * wideDot(A, e)) / determinant;
    wide t = (ef * wideDot(A, e) - ee * wideDot(A, f)) / determinant;
    if (determinant > 1e-17L * ee * ff && s >= 0 && t >= 0 && s + t <= 1)
    {
        for (int k = 0; k < 3; k++)
            q[k] = A[k] + s * e[k] + t * f[k];
        best = fminl(best, wideDot(q, q));
    }
    return (double)sqrtl(best);
}

// What must hold for any triangle and any point.
static void checkClosest(palVec3 p, palVec3 a, palVec3 b, palVec3 c, double tolerance)
{
    palClosest closest = palClosestOnTriangle(p, a, b, c);
    ASSERT_NEAR(closest.distance, referenceDistance(p, a, b, c), tolerance);
    ASSERT_NEAR(palDistance(p, closest.point), closest.distance, tolerance);
    ASSERT_NEAR(closest.weights[0] + closest.weights[1] + closest.weights[2], 1.0, 1e-15);
    for (int k = 0; k < 3; k++)
        assert_true(closest.weights[k] >= 0.0);
    palVec3 sum = palScale(closest.weights[0], a);
    sum = palMulAdd(palMulAdd(sum, closest.weights[1], b), closest.weights[2], c);
    ASSERT_NEAR(palDistance(sum, closest.point), 0.0, tolerance);
    assert_true(sqrt(palTriangleDistanceSquared(p, a, b, c)) == closest.distance);
}

static void closest_point_equals_the_reference_on_random_triangles(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    const double scales[] = {1e-6, 1.0, 1e6};
    for (int i = 0; i < 60000; i++)
    {
        double size = scales[i % 3];
        palVec3 a = randomVec3(&random, size);
        palVec3 b = randomVec3(&random, size);
        palVec3 c = randomVec3(&random, size);
        palVec3 p = randomVec3(&random, i % 2 == 0 ? size : 10.0 * size);
        checkClosest(p, a, b, c, 2e-14 * size);
    }
}

static void a_far_offset_costs_only_the_digits_of_the_coordinates(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    palVec3 offset = {1e4, -1e4, 1e4};
    for (int i = 0; i < 10000; i++)
    {
        palVec3 a = palAdd(offset, randomVec3(&random, 0.01));
        palVec3 b = palAdd(offset, randomVec3(&random, 0.01));
        palVec3 c = palAdd(offset, randomVec3(&random, 0.01));
        palVec3 p = palAdd(offset, randomVec3(&random, 0.02));
        palClosest closest = palClosestOnTriangle(p, a, b, c);
        ASSERT_NEAR(closest.distance, referenceDistance(p, a, b, c), 1e-15);
    }
}

static void needles_and_triangles_without_area_have_a_closest_point(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    for (int i = 0; i < 60000; i++)
    {
        palVec3 a = randomVec3(&random, 1.0);
        palVec3 b = randomVec3(&random, 1.0);
        palVec3 c = palLerp(a, b, palRandom_Range(&random, -0.5, 1.5));
        if (i % 6 == 0)
            c = palAdd(c, randomVec3(&random, pow(10.0, palRandom_Range(&random, -18, -6))));
        if (i % 6 == 1)
            c = a;
        if (i % 6 == 2)
            b = c = a;
        if (i % 6 == 3)
            b = a;
        if (i % 6 == 4)
            c = palAdd(a, randomVec3(&random, 1e-200));
        palVec3 p = i % 5 == 0 ? palLerp(a, b, palRandom_Unit(&random)) : randomVec3(&random, 2.0);
        checkClosest(p, a, b, c, 1e-14);
    }
}

static void extreme_sizes_give_no_nan(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(4);
    for (int i = 0; i < 20000; i++)
    {
        double size = pow(10.0, palRandom_Range(&random, -300, 100));
        palVec3 a = randomVec3(&random, size);
        palVec3 b = randomVec3(&random, size * (i % 2));
        palVec3 c = randomVec3(&random, size);
        palClosest closest = palClosestOnTriangle(randomVec3(&random, size), a, b, c);
        assert_false(isnan(closest.distance));
        assert_true(palIsFinite(closest.point));
        for (int k = 0; k < 3; k++)
            assert_true(closest.weights[k] >= 0.0 && closest.weights[k] <= 1.0);
    }
}

static void the_feature_is_the_part_that_is_closest(void** state)
{
    (void)state;
    palVec3 a = {0, 0, 0}, b = {4, 0, 0}, c = {0, 4, 0};
    const struct
    {
        palVec3 point;
        int feature;
        double distance;
    } cases[] = {
        {{1, 1, 3}, pal_featureFace, 3},    {{1, 1, -2}, pal_featureFace, 2},
        {{2, -3, 0}, pal_featureEdge0, 3},  {{4, 4, 0}, pal_featureEdge1, sqrt(8.0)},
        {{-5, 2, 0}, pal_featureEdge2, 5},  {{-3, -4, 0}, pal_featureVertex0, 5},
        {{7, 0, 4}, pal_featureVertex1, 5}, {{0, 9, 0}, pal_featureVertex2, 5},
        {{0, 0, 2}, pal_featureVertex0, 2}, {{4, 0, 0}, pal_featureVertex1, 0},
        {{2, 2, 0}, pal_featureEdge1, 0},   {{1, 0, 1}, pal_featureEdge0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    {
        palClosest closest = palClosestOnTriangle(cases[i].point, a, b, c);
        assert_int_equal(closest.feature, cases[i].feature);
        ASSERT_NEAR(closest.distance, cases[i].distance, 1e-15);
    }
}

static void both_triangles_of_an_edge_measure_it_alike(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    for (int i = 0; i < 100000; i++)
    {
        palVec3 A = randomVec3(&random, 1.0);
        palVec3 B = randomVec3(&random, 1.0);
        palEdgePoint forth = palClosestOnEdge(A, B);
        palEdgePoint back = palClosestOnEdge(B, A);
        assert_true(forth.distanceSquared == back.distanceSquared);
    }
}

static void a_segment_crosses_a_triangle_where_it_meets_its_plane(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(6);
    int crossed = 0;
    for (int i = 0; i < 50000; i++)
    {
        // A point with chosen weights, and a segment through it: inside or outside is known.
        palVec3 x[3];
        for (int k = 0; k < 3; k++)
            x[k] = randomVec3(&random, 1.0);
        double u = palRandom_Range(&random, -1.0, 1.0);
        double v = palRandom_Range(&random, -1.0, 1.0);
        double w = 1.0 - u - v;
        double nearest = fmin(fabs(u), fmin(fabs(v), fabs(w)));
        palVec3 target = palMulAdd(palMulAdd(palScale(u, x[0]), v, x[1]), w, x[2]);
        palVec3 direction = randomVec3(&random, 1.0);
        palVec3 normal = palNormalize(palCross(palSub(x[1], x[0]), palSub(x[2], x[0])));
        if (nearest < 1e-9 || fabs(palDot(normal, palNormalize(direction))) < 1e-3)
            continue;
        double t = palRandom_Range(&random, -0.5, 1.5);
        palVec3 start = palMulAdd(target, -t, direction);
        palSegment segment;
        assert_true(palMakeSegment(start, palAdd(start, direction), &segment));
        double result = palSegmentCrossing(&segment, x[0], x[1], x[2]);
        bool inside = u > 0.0 && v > 0.0 && w > 0.0 && t > 0.0 && t < 1.0;
        assert_int_equal(result <= 1.0, inside);
        if (inside)
            ASSERT_NEAR(result, t, 1e-9);
        crossed += inside;
    }
    assert_true(crossed > 1000);
}

static void a_segment_without_length_is_refused(void** state)
{
    (void)state;
    palSegment segment;
    palVec3 a = {1, 2, 3};
    assert_false(palMakeSegment(a, a, &segment));
    assert_false(palMakeSegment(a, palMakeVec3(NAN, 0, 0), &segment));
    assert_false(palMakeSegment(a, palMakeVec3(INFINITY, 0, 0), &segment));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_point_equals_the_reference_on_random_triangles),
        cmocka_unit_test(a_far_offset_costs_only_the_digits_of_the_coordinates),
        cmocka_unit_test(needles_and_triangles_without_area_have_a_closest_point),
        cmocka_unit_test(extreme_sizes_give_no_nan),
        cmocka_unit_test(the_feature_is_the_part_that_is_closest),
        cmocka_unit_test(both_triangles_of_an_edge_measure_it_alike),
        cmocka_unit_test(a_segment_crosses_a_triangle_where_it_meets_its_plane),
        cmocka_unit_test(a_segment_without_length_is_refused),
    };
    return RUN(tests);
}
