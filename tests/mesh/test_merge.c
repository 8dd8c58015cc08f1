// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "collide/collider.h"
#include "collide/deviation.h"
#include "math/vec3.h"
#include "mesh/merge.h"
#include "mesh/shapes.h"

static int eulerNumber(const palCollider* collider)
{
    return collider->surface.vertexCount - collider->topology.edgeCount +
           collider->surface.triangleCount;
}

// Merges a shape and checks what must hold of the result. Returns its number of triangles.
static int mergeShape(palShapeDef shape, double bumps, double tolerance, int* before)
{
    palSurface surface, merged, copy;
    palCollider given, result;
    int* origins;
    assert_int_equal(palMakeShape(&shape, &surface, NULL), pal_ok);
    for (int i = 0; i < surface.vertexCount; i++)
    {
        palVec3* x = &surface.vertices[i];
        double size = 1.0 + bumps * sin(300.0 * x->x) * sin(250.0 * x->y) * sin(200.0 * x->z);
        *x = palScale(size, *x);
    }
    assert_int_equal(palCollider_Init(&given, &surface, 0.0, NULL), pal_ok);
    assert_int_equal(
        palMergeTriangles(&given.surface, &given.topology, tolerance, &merged, &origins, NULL),
        pal_ok);
    for (int i = 0; i < merged.triangleCount; i++)
        assert_in_range(origins[i], 0, given.surface.triangleCount - 1);
    assert_int_equal(palSurface_Copy(&merged, &copy, NULL), pal_ok);
    assert_int_equal(palCollider_Init(&result, &copy, 0.0, NULL), pal_ok);
    double there, back;
    assert_int_equal(palMeasureDeviation(&given.surface, &merged, &there, NULL), pal_ok);
    assert_int_equal(palMeasureDeviation(&merged, &given.surface, &back, NULL), pal_ok);
    ASSERT_BELOW(fmax(there, back), tolerance * (1.0 + 1e-9) + 1e-15);
    assert_int_equal(result.closed, given.closed);
    assert_int_equal(eulerNumber(&result), eulerNumber(&given));
    int count = merged.triangleCount;
    *before = given.surface.triangleCount;
    print_message("%d of %d triangles\n", count, *before);
    palSurface_Free(&merged);
    palCollider_Free(&given);
    palCollider_Free(&result);
    free(origins);
    return count;
}

static void a_merged_surface_is_within_its_bound(void** state)
{
    (void)state;
    int before, after;
    palShapeDef ball = palDefaultShapeDef(pal_shapeSphere);
    ball.radius = 0.01;
    ball.resolution = 200;
    after = mergeShape(ball, 0.0, 5e-5, &before);
    assert_true(after < before / 2);
    after = mergeShape(ball, 0.02, 1e-4, &before);
    assert_true(after < before / 2);
    // A part with holes: none is closed.
    palShapeDef rocker = palDefaultShapeDef(pal_shapeRocker);
    after = mergeShape(rocker, 0.0, 5e-5, &before);
    assert_true(after < before / 2);
    // A sheet keeps its rim.
    palShapeDef sheet = palDefaultShapeDef(pal_shapeSine);
    after = mergeShape(sheet, 0.0, 2e-5, &before);
    assert_true(after < before);
}

// What is flat becomes few triangles at no distance at all, and the edges stay where they are.
static void flat_faces_are_merged_exactly(void** state)
{
    (void)state;
    int before, after;
    palShapeDef box = palDefaultShapeDef(pal_shapeBox);
    box.resolution = 40;
    after = mergeShape(box, 0.0, 1e-12, &before);
    assert_true(after < before / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_merged_surface_is_within_its_bound),
        cmocka_unit_test(flat_faces_are_merged_exactly),
    };
    return RUN(tests);
}
