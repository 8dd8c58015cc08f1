// SPDX-License-Identifier: Apache-2.0
// Contacts of spheres, capsules, cylinders, boxes and half-spaces with meshes.
#include "rigid_meshes.h"

static const double mm = 1e-3;
static const double um = 1e-6;

static palRigidShape sphereOf(double radius)
{
    palRigidShape shape;
    assert_int_equal(palRigidShape_InitSphere(&shape, radius, NULL), pal_ok);
    return shape;
}

static palRigidShape capsuleOf(double radius, double height)
{
    palRigidShape shape;
    assert_int_equal(palRigidShape_InitCapsule(&shape, radius, height, NULL), pal_ok);
    return shape;
}

static palRigidShape cylinderOf(double radius, double height)
{
    palRigidShape shape;
    assert_int_equal(palRigidShape_InitCylinder(&shape, radius, height, NULL), pal_ok);
    return shape;
}

// How far a shape reaches from its origin in a direction of its own frame.
static double support(const palRigidShape* shape, palVec3 d)
{
    double across = hypot(d.x, d.y), reach = shape->halfHeight * fabs(d.z);
    switch (shape->kind)
    {
    case pal_rigidSphere:
    case pal_rigidCapsule:
        return reach + shape->radius;
    case pal_rigidCylinder:
        return reach + shape->radius * across;
    default:
        return shape->halfSize.x * fabs(d.x) + shape->halfSize.y * fabs(d.y) +
               shape->halfSize.z * fabs(d.z);
    }
}

// Slides over a floor of random triangles, standing, lying and leaning: no contact feels an edge.
static void a_flat_floor_of_triangles_is_flat(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    palRigidShape floor = floorOf(100 * mm, 8 * mm, 40, 7);
    palRigidShape shapes[] = {sphereOf(4 * mm), capsuleOf(3 * mm, 20 * mm),
                              cylinderOf(5 * mm, 12 * mm),
                              boxOf(palMakeVec3(12 * mm, 8 * mm, 6 * mm)),
                              boxMesh(palMakeVec3(12 * mm, 8 * mm, 6 * mm), 5)};
    const palVec3 ways[] = {{0, 0, 0}, {0.5 * PAL_PI, 0, 0}, {0, 0.5 * PAL_PI, 0}, {0.3, 0.2, 0}};
    const int least[5][4] = {{1, 1, 1, 1}, {1, 2, 2, 1}, {8, 2, 2, 1}, {4, 4, 4, 1}, {4, 4, 4, 1}};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++)
            for (int step = 0; step < 50; step++)
            {
                palQuat spin = palMakeQuatRotationVector(palMakeVec3(0, 0, 0.37 * step));
                palPose pose = {.q = palMulQuat(spin, palMakeQuatRotationVector(ways[k]))};
                palVec3 down = palInvRotate(pose.q, palMakeVec3(0, 0, -1));
                const palRigidShape* shape = &shapes[i];
                palRigidShape asBox = {.kind = pal_rigidBox, .halfSize = {6 * mm, 4 * mm, 3 * mm}};
                double height = support(i == 4 ? &asBox : shape, down);
                double gap = palRandom_Range(&random, -50 * um, 50 * um);
                pose.x = palMakeVec3(palRandom_Range(&random, -35 * mm, 35 * mm),
                                     (step - 25) * 1.3 * mm, height + gap);
                Found found = findContacts(shape, pose, &floor, pal_identityPose, 0.1 * mm);
                assert_true(found.count >= least[i][k]);
                assert_float_equal(smallestGap(&found), gap, 1e-9);
                for (int c = 0; c < found.count; c++)
                {
                    assert_float_equal(found.contacts[c].normal.x, 0.0, 1e-9);
                    assert_float_equal(found.contacts[c].normal.y, 0.0, 1e-9);
                    assert_true(found.contacts[c].normal.z > 0.0);
                    assert_float_equal(found.contacts[c].onB.z, 0.0, 1e-12);
                }
            }
    for (int i = 0; i < 5; i++)
        palRigidShape_Free(&shapes[i]);
    palRigidShape_Free(&floor);
}

// The signed distance to a box, and its direction.
static double boxDistance(palVec3 half, palVec3 x)
{
    palVec3 q = {fabs(x.x) - half.x, fabs(x.y) - half.y, fabs(x.z) - half.z};
    double inside = fmin(fmax(q.x, fmax(q.y, q.z)), 0.0);
    return palLength(palMaxVec3(q, pal_zeroVec3)) + inside;
}

// A ball around a box mesh: one contact with the distance of the box, at faces, edges and corners.
static void a_sphere_touches_a_box_mesh_as_the_box(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    const palVec3 half = {10 * mm, 8 * mm, 6 * mm};
    palRigidShape mesh = boxMesh(palScale(2.0, half), 5), ball = sphereOf(3 * mm);
    for (int i = 0; i < 400; i++)
    {
        palVec3 way = palNormalize(randomVec3(&random, 1.0)), x = way;
        double low = 0.0, high = 30 * mm, gap = palRandom_Range(&random, -80 * um, 80 * um);
        for (int k = 0; k < 60; k++)
        {
            double middle = 0.5 * (low + high);
            x = palScale(middle, way);
            *(boxDistance(half, x) > ball.radius + gap ? &high : &low) = middle;
        }
        palPose poseB = poseOf(randomVec3(&random, 0.1), randomVec3(&random, 3.0));
        palPose poseA = {palPose_Point(poseB, x), pal_identityQuat};
        Found found = findContacts(&ball, poseA, &mesh, poseB, 0.1 * mm);
        assert_int_equal(found.count, 1);
        assert_float_equal(found.contacts[0].gap, gap, 1e-12);
        palVec3 q = palMaxVec3(palMinVec3(x, half), palNeg(half));
        assert_float_equal(palDistance(palPose_Local(poseB, found.contacts[0].onB), q), 0, 1e-9);
    }
    palRigidShape_Free(&mesh);
    palRigidShape_Free(&ball);
}

// The nearest point of the core of a capsule or of a cylinder.
static palVec3 nearestInCore(const palRigidShape* shape, palVec3 x)
{
    double radius = shape->kind == pal_rigidCylinder ? shape->radius : 0.0;
    double rho = hypot(x.x, x.y), scale = rho > radius ? radius / rho : 1.0;
    double z = fmax(fmin(x.z, shape->halfHeight), -shape->halfHeight);
    return palMakeVec3(scale * x.x, scale * x.y, z);
}

// The distance from a convex shape to a box, by projecting a point to each in turn (Cheney and
// Goldstein 1959); zero where they meet.
static double projectedGap(const palRigidShape* shape, palPose pose, palVec3 half, int steps)
{
    palVec3 x = pal_zeroVec3;
    double distance = 0.0;
    for (int i = 0; i < steps; i++)
    {
        palVec3 y = palPose_Point(pose, nearestInCore(shape, palPose_Local(pose, x)));
        x = palMaxVec3(palMinVec3(y, half), palNeg(half));
        distance = palDistance(x, y);
    }
    return distance - (shape->kind == pal_rigidCylinder ? 0.0 : shape->radius);
}

// Capsules and cylinders near a box mesh in any position: the smallest gap is their distance, and
// every contact is on both surfaces.
static void capsules_and_cylinders_touch_a_box_mesh_where_they_are_nearest(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(4);
    const palVec3 half = {10 * mm, 8 * mm, 6 * mm};
    palRigidShape mesh = boxMesh(palScale(2.0, half), 4);
    palRigidShape shapes[2] = {capsuleOf(2 * mm, 16 * mm), cylinderOf(4 * mm, 9 * mm)};
    int tried = 0;
    for (int i = 0; i < 300; i++)
    {
        const palRigidShape* shape = &shapes[i % 2];
        palVec3 way = palNormalize(randomVec3(&random, 1.0));
        palPose pose = poseOf(pal_zeroVec3, randomVec3(&random, 3.0));
        double low = 0.0, high = 40 * mm;
        for (int k = 0; k < 17; k++)
        {
            double middle = 0.5 * (low + high);
            pose.x = palScale(middle, way);
            *(projectedGap(shape, pose, half, 1000) > 30 * um ? &high : &low) = middle;
        }
        double gap = projectedGap(shape, pose, half, 30000);
        if (!(gap > 5 * um && gap < 90 * um))
            continue;
        tried++;
        Found found = findContacts(shape, pose, &mesh, pal_identityPose, 0.1 * mm);
        assert_true(found.count >= 1);
        assert_float_equal(smallestGap(&found), gap, 0.05 * um);
        for (int k = 0; k < found.count; k++)
            assert_float_equal(boxDistance(half, found.contacts[k].onB), 0.0, 1e-9);
    }
    assert_true(tried > 200);
    for (int i = 0; i < 2; i++)
        palRigidShape_Free(&shapes[i]);
    palRigidShape_Free(&mesh);
}

// A cylinder half over the edge of a block stands on the part of its cap that is over it.
static void a_cylinder_over_an_edge_stands_on_its_rim_and_the_edge(void** state)
{
    (void)state;
    palRigidShape block = boxMesh(palMakeVec3(40 * mm, 40 * mm, 10 * mm), 4);
    palRigidShape cylinder = cylinderOf(5 * mm, 10 * mm);
    for (int i = 0; i < 2; i++)
    {
        double gap = i == 0 ? 10 * um : -10 * um;
        palVec3 x = {22 * mm, 1 * mm, 10 * mm + gap};
        Found found = findContacts(&cylinder, poseOf(x, palMakeVec3(0, 0, 0.1)), &block,
                                   pal_identityPose, 0.1 * mm);
        assert_true(found.count >= 4);
        int onEdge = 0;
        for (int k = 0; k < found.count; k++)
        {
            const palRigidContact* c = &found.contacts[k];
            assert_float_equal(c->normal.z, 1.0, 1e-9);
            assert_float_equal(c->gap, gap, 1e-9);
            palVec3 from = palSub(c->onA, x);
            assert_float_equal(hypot(from.x, from.y), 5 * mm, 1e-9);
            onEdge += fabs(c->onB.x - 20 * mm) < 1e-9;
        }
        assert_int_equal(onEdge, 2);
    }
    palRigidShape_Free(&block);
    palRigidShape_Free(&cylinder);
}

// A mesh on a half-space rests on the outermost of its lowest vertices, both ways around.
static void a_mesh_stands_on_a_half_space(void** state)
{
    (void)state;
    palRigidShape half, mesh = boxMesh(palMakeVec3(20 * mm, 14 * mm, 10 * mm), 9);
    assert_int_equal(palRigidShape_InitHalfSpace(&half), pal_ok);
    for (int i = 0; i < 20; i++)
    {
        palPose plane = poseOf(palMakeVec3(0.1, 0.2, 0.3), palMakeVec3(0.3 * i, 0.2, -0.1 * i));
        double gap = (i - 10) * 20 * um;
        palPose pose = palMulPose(
            plane, poseOf(palMakeVec3(5 * mm, 0, 5 * mm + gap), palMakeVec3(0, 0, 0.4 * i)));
        Found found = findContacts(&mesh, pose, &half, plane, 0.3 * mm);
        Found turned = findContacts(&half, plane, &mesh, pose, 0.3 * mm);
        assert_int_equal(found.count, 4);
        assert_int_equal(turned.count, 4);
        palVec3 up = palRotate(plane.q, palMakeVec3(0, 0, 1));
        for (int k = 0; k < 4; k++)
        {
            assert_float_equal(found.contacts[k].gap, gap, 1e-12);
            assert_float_equal(palDistance(found.contacts[k].normal, up), 0.0, 1e-12);
            assert_float_equal(palDistance(turned.contacts[k].normal, palNeg(up)), 0.0, 1e-12);
        }
    }
    palRigidShape_Free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_floor_of_triangles_is_flat),
        cmocka_unit_test(a_sphere_touches_a_box_mesh_as_the_box),
        cmocka_unit_test(capsules_and_cylinders_touch_a_box_mesh_where_they_are_nearest),
        cmocka_unit_test(a_cylinder_over_an_edge_stands_on_its_rim_and_the_edge),
        cmocka_unit_test(a_mesh_stands_on_a_half_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
