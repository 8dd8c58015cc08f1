// SPDX-License-Identifier: Apache-2.0
// The nearest point of several things and the side it is seen from, against closed forms and
// against every triangle in turn.
#include "check.h"

#include "base/random.h"
#include "collide/collider.h"
#include "math/quat.h"
#include "mesh/shapes.h"

static palVec3 randomPoint(palRandom* random, double size)
{
    return palMakeVec3(palRandom_Range(random, -size, size), palRandom_Range(random, -size, size),
                       palRandom_Range(random, -size, size));
}

static palQuat randomRotation(palRandom* random)
{
    return palMakeQuatRotationVector(randomPoint(random, 1.5));
}

static void makeCollider(palCollider* collider, const palShapeDef* shape, palQuat rotation,
                         palVec3 position)
{
    palSurface surface;
    palError error;
    assert_int_equal(palMakeShape(shape, &surface, &error), pal_ok);
    palSurface_Transform(&surface, 1.0, rotation, position);
    assert_int_equal(palCollider_Init(collider, &surface, 0.2, &error), pal_ok);
    assert_null(surface.vertices); // taken over
}

// Signed distance of a box of half extents h, centred at the origin.
static double boxDistance(palVec3 p, palVec3 h)
{
    palVec3 q = {fabs(p.x) - h.x, fabs(p.y) - h.y, fabs(p.z) - h.z};
    double outside = palLength(palMaxVec3(q, pal_zeroVec3));
    return outside + fmin(0.0, fmax(q.x, fmax(q.y, q.z)));
}

static void gaps_to_a_box_are_its_signed_distances(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    palShapeDef box = palDefaultShapeDef(pal_shapeBox);
    box.size = palMakeVec3(0.1, 0.06, 0.04);
    palVec3 half = palScale(0.5, box.size);
    for (int turn = 0; turn < 5; turn++)
    {
        palCollider collider;
        palQuat rotation = randomRotation(&random);
        palVec3 position = randomPoint(&random, 0.5);
        makeCollider(&collider, &box, rotation, position);
        assert_true(collider.closed);
        for (int i = 0; i < 2000; i++)
        {
            palVec3 local = randomPoint(&random, 0.08);
            palVec3 x = palAdd(position, palRotate(rotation, local));
            double expected = boxDistance(local, half);
            palNearest nearest;
            assert_true(palColliders_Nearest(&collider, 1, x, INFINITY, &nearest));
            ASSERT_NEAR(nearest.gap, expected, 1e-14);
            ASSERT_NEAR(palLength(nearest.normal), 1.0, 1e-12);
            // The normal leads from the closest point to x, or back to the surface from inside.
            palVec3 there = palMulAdd(nearest.closest.point, nearest.gap, nearest.normal);
            ASSERT_BELOW(palDistance(there, x), 1e-12);
            palVec3 ahead = palMulAdd(x, 1e-6, nearest.normal);
            double farther = boxDistance(palInvRotate(rotation, palSub(ahead, position)), half);
            ASSERT_NEAR(farther - expected, 1e-6, 1e-8);
        }
        palCollider_Free(&collider);
    }
}

static void points_on_the_surface_have_a_normal_too(void** state)
{
    (void)state;
    palShapeDef box = palDefaultShapeDef(pal_shapeBox);
    palCollider collider;
    makeCollider(&collider, &box, pal_identityQuat, pal_zeroVec3);
    // Corners, edges and faces, exactly and off by rounding.
    for (int i = 0; i < 27; i++)
        for (int j = 0; j < 3; j++)
        {
            palVec3 x = {0.05 * (i % 3 - 1), 0.05 * (i / 3 % 3 - 1), 0.05 * (i / 9 - 1)};
            if (palLength(x) == 0.0)
                continue;
            palVec3 moved = palScale(1.0 + (j - 1) * 3e-16, x);
            palNearest nearest;
            assert_true(palColliders_Nearest(&collider, 1, moved, 0.01, &nearest));
            ASSERT_NEAR(nearest.gap, 0.0, 1e-15);
            ASSERT_NEAR(palLength(nearest.normal), 1.0, 1e-12);
            ASSERT_BELOW(0.5, palDot(nearest.normal, palNormalize(x)));
        }
    palCollider_Free(&collider);
}

static void the_nearest_of_several_is_that_of_all_triangles(void** state)
{
    (void)state;
    enum
    {
        count = 5,
    };
    palRandom random = palMakeRandom(4);
    palCollider colliders[count];
    for (int i = 0; i < count; i++)
    {
        palShapeDef shape = palDefaultShapeDef(i % 2 == 0 ? pal_shapeSphere : pal_shapeCylinder);
        shape.resolution = 24;
        makeCollider(&colliders[i], &shape, randomRotation(&random), randomPoint(&random, 0.15));
    }
    for (int k = 0; k < 500; k++)
    {
        palVec3 x = randomPoint(&random, 0.3);
        double best = INFINITY;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < colliders[i].surface.triangleCount; j++)
            {
                const int* t = colliders[i].surface.triangles[j];
                const palVec3* v = colliders[i].surface.vertices;
                best = fmin(best, palClosestOnTriangle(x, v[t[0]], v[t[1]], v[t[2]]).distance);
            }
        palNearest nearest;
        double radius = palRandom_Range(&random, 0.0, 0.1);
        bool found = palColliders_Nearest(colliders, count, x, radius, &nearest);
        assert_int_equal(found, best <= radius);
        if (!found)
            continue;
        assert_true(nearest.closest.distance == best);
        assert_in_range(nearest.object, 0, count - 1);
        palVec3 offset = palSub(x, nearest.closest.point);
        ASSERT_NEAR(fabs(nearest.gap), palLength(offset), 1e-15);
    }
    for (int i = 0; i < count; i++)
        palCollider_Free(&colliders[i]);
}

// At a vertex and on an edge, but for rounding, the normal is that of the feature, not of one of
// its faces, whichever the query finds first.
static void rounding_does_not_choose_the_face_at_a_vertex(void** state)
{
    (void)state;
    palShapeDef sphere = palDefaultShapeDef(pal_shapeSphere);
    sphere.resolution = 8;
    palRandom random = palMakeRandom(5);
    palCollider collider;
    makeCollider(&collider, &sphere, randomRotation(&random), randomPoint(&random, 0.5));
    const palSurface* surface = &collider.surface;
    for (int i = 0; i < surface->triangleCount * 3; i++)
    {
        int edge = collider.topology.triangleEdges[i / 3][i % 3];
        palVec3 a = surface->vertices[surface->triangles[i / 3][i % 3]];
        palVec3 b = surface->vertices[surface->triangles[i / 3][(i % 3 + 1) % 3]];
        for (int where = 0; where < 2; where++)
        {
            palVec3 x = palLerp(a, b, where * palRandom_Range(&random, 0.1, 0.9));
            x = palMulAdd(x, 1e-15, randomPoint(&random, 1.0));
            palVec3 normal = where == 0
                                 ? collider.topology.vertexNormals[surface->triangles[i / 3][i % 3]]
                                 : collider.topology.edgeNormals[edge];
            palNearest nearest;
            assert_true(palColliders_Nearest(&collider, 1, x, 1.0, &nearest));
            ASSERT_BELOW(palDistance(nearest.normal, normal), 1e-9);
        }
    }
    palCollider_Free(&collider);
}

static void only_what_has_an_inside_is_closed(void** state)
{
    (void)state;
    for (int kind = 0; kind <= pal_shapeSphere; kind++)
    {
        palShapeDef shape = palDefaultShapeDef((palShapeKind)kind);
        palCollider collider;
        makeCollider(&collider, &shape, pal_identityQuat, pal_zeroVec3);
        assert_int_equal(collider.closed, kind != pal_shapePlane && kind != pal_shapeSine);
        palCollider_Free(&collider);
    }
    palNearest nearest;
    assert_false(palColliders_Nearest(NULL, 0, pal_zeroVec3, INFINITY, &nearest));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_to_a_box_are_its_signed_distances),
        cmocka_unit_test(points_on_the_surface_have_a_normal_too),
        cmocka_unit_test(the_nearest_of_several_is_that_of_all_triangles),
        cmocka_unit_test(rounding_does_not_choose_the_face_at_a_vertex),
        cmocka_unit_test(only_what_has_an_inside_is_closed),
    };
    return RUN(tests);
}
