// SPDX-License-Identifier: Apache-2.0
// The points of a tool's surface: vertices first, nowhere farther apart than asked for, on it.
#include "check.h"

#include "base/random.h"
#include "body/shell_points.h"
#include "collide/bvh.h"
#include "mesh/shapes.h"

#include <limits.h>

static palSurface make(palShapeKind kind)
{
    palSurface surface;
    palShapeDef shape = palDefaultShapeDef(kind);
    assert_int_equal(palMakeShape(&shape, &surface, NULL), pal_ok);
    return surface;
}

static void vertices_that_are_near_enough_are_all(void** state)
{
    (void)state;
    palSurface surface = make(pal_shapeSphere);
    palVec3* points;
    int count;
    double cover;
    assert_int_equal(palShellPoints_Make(&surface, 1.0, INT_MAX, &points, &count, &cover, NULL),
                     pal_ok);
    assert_int_equal(count, surface.vertexCount);
    assert_memory_equal(points, surface.vertices, (size_t)count * sizeof *points);
    free(points);
    palSurface_Free(&surface);
}

static void no_place_is_farther_from_a_point_than_the_spacing(void** state)
{
    (void)state;
    static const palShapeKind kinds[] = {pal_shapePeg, pal_shapeBox, pal_shapeProbe};
    for (int s = 0; s < 3; s++)
    {
        const double spacing = 1.5e-3;
        palSurface surface = make(kinds[s]);
        palRandom random = palMakeRandom(7);
        palVec3* points;
        int count;
        double cover;
        palBvh* bvh;
        assert_int_equal(
            palShellPoints_Make(&surface, spacing, INT_MAX, &points, &count, &cover, NULL), pal_ok);
        assert_int_equal(palBvh_Create(&surface, &bvh, NULL), pal_ok);
        assert_true(count > surface.vertexCount);
        ASSERT_BELOW(cover, spacing);
        // Every point is on the surface,
        for (int i = 0; i < count; i++)
        {
            palClosest closest;
            assert_true(palBvh_Closest(bvh, points[i], INFINITY, &closest));
            ASSERT_BELOW(closest.distance, 1e-12);
        }
        // and every place of the surface has one nearby.
        for (int i = 0; i < 500; i++)
        {
            const int* corner = surface.triangles[palRandom_Below(&random, surface.triangleCount)];
            double a = palRandom_Unit(&random), b = palRandom_Unit(&random) * (1.0 - a);
            palVec3 x = palScale(a, surface.vertices[corner[0]]);
            x = palMulAdd(x, b, surface.vertices[corner[1]]);
            x = palMulAdd(x, 1.0 - a - b, surface.vertices[corner[2]]);
            double least = INFINITY;
            for (int k = 0; k < count; k++)
                least = fmin(least, palDistance(x, points[k]));
            ASSERT_BELOW(least, cover);
        }
        palBvh_Destroy(bvh);
        free(points);
        palSurface_Free(&surface);
    }
}

// A square of 41 x 41 points, thinned to 100: an even grid of as many would leave no place farther
// than 0.7/9 of its side from a point, and the choice is at most twice as bad.
static void points_beyond_the_most_are_thinned_evenly(void** state)
{
    (void)state;
    palVec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    int triangles[][3] = {{0, 1, 2}, {0, 2, 3}};
    palSurface surface = {
        .vertices = vertices, .vertexCount = 4, .triangles = triangles, .triangleCount = 2};
    palVec3* points;
    int count;
    double cover;
    assert_int_equal(palShellPoints_Make(&surface, 0.025, 100, &points, &count, &cover, NULL),
                     pal_ok);
    assert_int_equal(count, 100);
    for (int i = 0; i <= 40; i++)
        for (int j = 0; j <= 40; j++)
        {
            double least = INFINITY;
            for (int k = 0; k < count; k++)
                least = fmin(least, palDistance(points[k], palMakeVec3(i / 40.0, j / 40.0, 0)));
            ASSERT_BELOW(least, 2.0 * 0.7072 / 9.0);
            ASSERT_BELOW(least, cover);
        }
    free(points);
}

static void too_many_points_are_refused_with_a_remedy(void** state)
{
    (void)state;
    palSurface surface = make(pal_shapeBox);
    palVec3* points;
    int count;
    double cover;
    palError error = {0};
    assert_int_equal(palShellPoints_Make(&surface, 1e-9, INT_MAX, &points, &count, &cover, &error),
                     pal_errorInput);
    assert_null(points);
    assert_non_null(strstr(error.remedy, "spacing"));
    palSurface_Free(&surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_that_are_near_enough_are_all),
        cmocka_unit_test(no_place_is_farther_from_a_point_than_the_spacing),
        cmocka_unit_test(points_beyond_the_most_are_thinned_evenly),
        cmocka_unit_test(too_many_points_are_refused_with_a_remedy),
    };
    return RUN(tests);
}
