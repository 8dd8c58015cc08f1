// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "check.h"
#include "collide/rigid_contact.h"
#include "mesh/shapes.h"

static void assertMass(palMass actual, palMass expected, double tolerance)
{
    double trace = expected.inertia.m[0][0] + expected.inertia.m[1][1] + expected.inertia.m[2][2];
    ASSERT_NEAR(actual.mass / expected.mass, 1.0, tolerance);
    ASSERT_NEAR(palDistance(actual.centre, expected.centre), 0.0, tolerance);
    for (int i = 0; i < 9; i++)
        ASSERT_NEAR(actual.inertia.m[i / 3][i % 3] / trace,
                    expected.inertia.m[i / 3][i % 3] / trace, tolerance);
}

// The mass of the surface that is drawn, which is inscribed in the shape.
static palMass drawnMass(const palRigidShape* shape, int around)
{
    palSurface surface;
    palTopology topology;
    palError error;
    palMass mass;
    assert_int_equal(palRigidShape_Surface(shape, around, &surface, &error), pal_ok);
    assert_int_equal(palTopology_Init(&topology, &surface, &error), pal_ok);
    for (int i = 0; i < topology.edgeCount; i++)
        assert_true(topology.edgeKinds[i] == pal_edgeConvex ||
                    topology.edgeKinds[i] == pal_edgeFlat);
    assert_int_equal(palMass_FromSurface(&surface, 1.0, &mass, &error), pal_ok);
    palTopology_Free(&topology);
    palSurface_Free(&surface);
    return mass;
}

// Fine meshes approach the closed form with the square of the angle between two vertices.
static void closed_forms_are_the_limit_of_fine_meshes(void** state)
{
    (void)state;
    palRigidShape shapes[4];
    palError error;
    assert_int_equal(palRigidShape_InitSphere(&shapes[0], 0.03, &error), pal_ok);
    assert_int_equal(palRigidShape_InitCapsule(&shapes[1], 0.02, 0.11, &error), pal_ok);
    assert_int_equal(palRigidShape_InitCylinder(&shapes[2], 0.04, 0.05, &error), pal_ok);
    assert_int_equal(palRigidShape_InitCapsule(&shapes[3], 0.02, 0.04, &error), pal_ok);
    for (int i = 0; i < 4; i++)
    {
        palMass coarse = drawnMass(&shapes[i], 100), fine = drawnMass(&shapes[i], 200);
        palMass limit = fine;
        limit.mass += (fine.mass - coarse.mass) / 3.0;
        for (int k = 0; k < 9; k++)
            limit.inertia.m[k / 3][k % 3] +=
                (fine.inertia.m[k / 3][k % 3] - coarse.inertia.m[k / 3][k % 3]) / 3.0;
        assertMass(shapes[i].unitMass, limit, 2e-6);
        assert_int_equal(palMass_Check(&shapes[i].unitMass, &error), pal_ok);
        palRigidShape_Free(&shapes[i]);
    }
}

static void a_box_has_the_mass_of_its_hull(void** state)
{
    (void)state;
    palRigidShape box, hull;
    palError error;
    assert_int_equal(palRigidShape_InitBox(&box, palMakeVec3(0.03, 0.07, 0.11), &error), pal_ok);
    assertMass(drawnMass(&box, 8), box.unitMass, 1e-13);
    assert_int_equal(box.hull.faceCount, 6);
    assert_int_equal(box.hull.edgeCount, 12);
    assert_int_equal(box.hull.vertexCount, 8);
    assert_int_equal(palRigidShape_InitHull(&hull, box.hull.vertices, box.hull.vertexCount, &error),
                     pal_ok);
    assertMass(hull.unitMass, box.unitMass, 1e-13);
    palRigidShape_Free(&hull);
    palRigidShape_Free(&box);
}

static palVec3 randomPoint(palRandom* random, int kind)
{
    palVec3 p = {palRandom_Range(random, -1, 1), palRandom_Range(random, -1, 1),
                 palRandom_Range(random, -1, 1)};
    if (kind == 1) // on a sphere
        return palNormalize(p);
    if (kind == 2) // on a grid: many in one plane, one line, one place
        return palMakeVec3(round(2.0 * p.x), round(2.0 * p.y), round(2.0 * p.z));
    if (kind == 3) // a thin plate
        p.z *= 1e-5;
    return p;
}

// Faces are flat, their corners turn to the left, and edges know their faces.
static void assertPolyhedron(const palHull* hull)
{
    assert_int_equal(hull->vertexCount - hull->edgeCount + hull->faceCount, 2);
    for (int f = 0; f < hull->faceCount; f++)
    {
        int first = hull->faceStarts[f], count = hull->faceStarts[f + 1] - first;
        assert_true(count >= 3);
        ASSERT_NEAR(palLength(hull->normals[f]), 1.0, 1e-14);
        for (int i = 0; i < count; i++)
        {
            int at = hull->faceVertices[first + i],
                to = hull->faceVertices[first + (i + 1) % count];
            const int* edge = hull->edges[hull->faceEdges[first + i]];
            const int* faces = hull->edgeFaces[hull->faceEdges[first + i]];
            assert_true((edge[0] == at && edge[1] == to) || (edge[0] == to && edge[1] == at));
            assert_true(faces[0] == f || faces[1] == f);
            ASSERT_NEAR(palDot(hull->normals[f], hull->vertices[at]), hull->offsets[f], 1e-6);
        }
    }
}

static void hulls_hold_their_points_and_reach_as_far_in_every_direction(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    palVec3 points[300];
    palError error;
    for (int trial = 0; trial < 400; trial++)
    {
        int kind = trial % 4, count = 30 + palRandom_Below(&random, 271);
        palHull hull;
        for (int i = 0; i < count; i++)
            points[i] = randomPoint(&random, kind);
        if (palHull_Init(&hull, points, count, &error) != pal_ok)
            fail_msg("trial %d: %s", trial, error.text);
        assertPolyhedron(&hull);
        for (int i = 0; i < count; i++)
            ASSERT_BELOW(palHull_Height(&hull, points[i]), 1e-6);
        for (int k = 0; k < 50; k++)
        {
            palVec3 direction = randomPoint(&random, 1);
            double ofPoints = -INFINITY, ofHull = -INFINITY;
            for (int i = 0; i < count; i++)
                ofPoints = fmax(ofPoints, palDot(points[i], direction));
            for (int i = 0; i < hull.vertexCount; i++)
                ofHull = fmax(ofHull, palDot(hull.vertices[i], direction));
            ASSERT_NEAR(ofHull, ofPoints, kind == 3 ? 1e-6 : 1e-12);
        }
        palHull_Free(&hull);
    }
}

// Of few points in general position the faces are those triples that have all others on one side.
static void faces_of_few_points_are_those_of_testing_every_triple(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    palVec3 p[14];
    palError error;
    for (int trial = 0; trial < 100; trial++)
    {
        int count = 4 + palRandom_Below(&random, 11), faces = 0;
        for (int i = 0; i < count; i++)
            p[i] = randomPoint(&random, trial % 2);
        for (int i = 0; i < count; i++)
            for (int j = i + 1; j < count; j++)
                for (int k = j + 1; k < count; k++)
                {
                    palVec3 n = palCross(palSub(p[j], p[i]), palSub(p[k], p[i]));
                    int above = 0;
                    for (int m = 0; m < count; m++)
                        above += m != i && m != j && m != k && palDot(n, palSub(p[m], p[i])) > 0.0;
                    faces += above == 0 || above == count - 3;
                }
        palHull hull;
        assert_int_equal(palHull_Init(&hull, p, count, &error), pal_ok);
        assert_int_equal(hull.faceCount, count == 4 ? 4 : faces);
        palHull_Free(&hull);
    }
}

static void a_fine_convex_surface_becomes_few_faces(void** state)
{
    (void)state;
    palShapeDef def = {.kind = pal_shapeBox, .size = {0.1, 0.2, 0.3}, .resolution = 12};
    palSurface surface;
    palRigidShape shape;
    palError error;
    assert_int_equal(palMakeShape(&def, &surface, &error), pal_ok);
    palQuat turned = palMakeQuatRotationVector(palMakeVec3(0.3, -0.8, 0.5));
    palSurface_Transform(&surface, 1.0, turned, palMakeVec3(0.4, -0.2, 0.1));
    for (int i = 0; i < surface.vertexCount; i++) // as a file in single precision has it
        surface.vertices[i] =
            palMakeVec3((float)surface.vertices[i].x, (float)surface.vertices[i].y,
                        (float)surface.vertices[i].z);
    if (palRigidShape_InitConvexSurface(&shape, &surface, &error) != pal_ok)
        fail_msg("%s", error.text);
    ASSERT_NEAR(shape.unitMass.mass, 0.006, 1e-8);
    assert_int_equal(shape.hull.faceCount, 6);
    palRigidShape_Free(&shape);
    palSurface_Free(&surface);

    assert_int_equal(palMakeShape(&def, &surface, &error), pal_ok);
    palSurface_Transform(&surface, 1.0, turned, pal_zeroVec3);
    assert_int_equal(palRigidShape_InitConvexSurface(&shape, &surface, &error), pal_ok);
    assert_int_equal(shape.hull.faceCount, 6);
    assert_int_equal(shape.hull.vertexCount, 8);
    palRigidShape_Free(&shape);
    surface.vertices[surface.vertexCount / 2] = pal_zeroVec3;
    assert_int_equal(palRigidShape_InitConvexSurface(&shape, &surface, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "not convex"));
    palSurface_Free(&surface);
}

static void extrusions_are_hulls_where_convex_and_else_meshes(void** state)
{
    (void)state;
    const palVec3 hexagon[] = {
        {2, 0, 0},   {1, 2, 0},  {-1, 2, 0}, {-2, 0, 0},
        {-1, -2, 0}, {0, -2, 0}, {1, -2, 0}}; // with a corner in a straight side
    palRigidShape shape;
    palError error;
    assert_int_equal(palRigidShape_InitExtrusion(&shape, hexagon, 7, 0.5, &error), pal_ok);
    assert_int_equal(shape.kind, pal_rigidHull);
    assert_int_equal(shape.hull.faceCount, 8);
    ASSERT_NEAR(shape.unitMass.mass, 6.0, 1e-13);
    palRigidShape_Free(&shape);

    // An L, clockwise, with a repeated corner: three unit squares.
    const palVec3 letter[] = {{0, 0, 0}, {0, 2, 0}, {1, 2, 0}, {1, 1, 0},
                              {1, 1, 0}, {2, 1, 0}, {2, 0, 0}};
    assert_int_equal(palRigidShape_InitExtrusion(&shape, letter, 7, 0.5, &error), pal_ok);
    assert_int_equal(shape.kind, pal_rigidMesh);
    ASSERT_NEAR(shape.unitMass.mass, 1.5, 1e-13);
    ASSERT_NEAR(shape.unitMass.centre.x, 5.0 / 6.0, 1e-13);
    palRigidShape_Free(&shape);
}

// Stars of many corners: every one is closed and has the area of the formula.
static void extruded_stars_have_their_volume(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(9);
    palVec3 star[60];
    palError error;
    for (int trial = 0; trial < 50; trial++)
    {
        int count = 5 + palRandom_Below(&random, 56);
        double twice = 0.0;
        for (int i = 0; i < count; i++)
        {
            double angle = 2.0 * PAL_PI * i / count, r = palRandom_Range(&random, 0.2, 1.0);
            star[i] = palMakeVec3(r * cos(angle), r * sin(angle), 0.0);
        }
        for (int i = 0; i < count; i++)
            twice += palCross(star[i], star[(i + 1) % count]).z;
        palRigidShape shape;
        if (palRigidShape_InitExtrusion(&shape, star, count, 0.3, &error) != pal_ok)
            fail_msg("%s", error.text);
        ASSERT_NEAR(shape.unitMass.mass, 0.15 * twice, 1e-12);
        palRigidShape_Free(&shape);
    }
}

static void wrong_dimensions_are_told(void** state)
{
    (void)state;
    palRigidShape shape;
    palError error;
    const palVec3 flat[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}};
    const palVec3 bowtie[] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 0.8, 0}};
    assert_int_equal(palRigidShape_InitSphere(&shape, 0.0, &error), pal_errorInput);
    assert_int_equal(palRigidShape_InitSphere(&shape, NAN, &error), pal_errorInput);
    assert_int_equal(palRigidShape_InitCapsule(&shape, 0.1, 0.19, &error), pal_errorInput);
    assert_int_equal(palRigidShape_InitCylinder(&shape, 0.1, -1.0, &error), pal_errorInput);
    assert_int_equal(palRigidShape_InitBox(&shape, palMakeVec3(1, INFINITY, 1), &error),
                     pal_errorInput);
    assert_int_equal(palRigidShape_InitHull(&shape, flat, 5, &error), pal_errorInput);
    assert_int_equal(palRigidShape_InitHull(&shape, flat, 3, &error), pal_errorInput);
    assert_int_equal(palRigidShape_InitExtrusion(&shape, bowtie, 4, 1.0, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "crosses"));
    palShapeDef sheet = palDefaultShapeDef(pal_shapePlane), box = palDefaultShapeDef(pal_shapeBox);
    palSurface surface;
    assert_int_equal(palMakeShape(&sheet, &surface, &error), pal_ok);
    assert_int_equal(palRigidShape_InitMesh(&shape, &surface, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "not closed"));
    palSurface_Free(&surface);
    assert_int_equal(palMakeShape(&box, &surface, &error), pal_ok);
    for (int t = 0; t < surface.triangleCount; t++)
    {
        int swap = surface.triangles[t][0];
        surface.triangles[t][0] = surface.triangles[t][1], surface.triangles[t][1] = swap;
    }
    assert_int_equal(palRigidShape_InitMesh(&shape, &surface, &error), pal_errorInput);
    palSurface_Free(&surface);
    palRigidShape_InitHalfSpace(&shape);
    assert_int_equal(palRigidShape_Surface(&shape, 8, &surface, &error), pal_errorInput);
}

// The box holds the drawn surface at every pose, and touches that of a fine one.
static void bounds_hold_the_shape_at_every_pose(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(11);
    palRigidShape shapes[5];
    palError error;
    palVec3 points[20];
    for (int i = 0; i < 20; i++)
        points[i] = palScale(0.04, randomPoint(&random, 0));
    assert_int_equal(palRigidShape_InitSphere(&shapes[0], 0.03, &error), pal_ok);
    assert_int_equal(palRigidShape_InitCapsule(&shapes[1], 0.02, 0.11, &error), pal_ok);
    assert_int_equal(palRigidShape_InitCylinder(&shapes[2], 0.04, 0.05, &error), pal_ok);
    assert_int_equal(palRigidShape_InitBox(&shapes[3], palMakeVec3(0.1, 0.2, 0.3), &error), pal_ok);
    assert_int_equal(palRigidShape_InitHull(&shapes[4], points, 20, &error), pal_ok);
    for (int i = 0; i < 5; i++)
    {
        palSurface surface;
        assert_int_equal(palRigidShape_Surface(&shapes[i], 256, &surface, &error), pal_ok);
        for (int k = 0; k < 20; k++)
        {
            palVec3 turn = palScale(2.0, randomPoint(&random, 0));
            palPose pose = {randomPoint(&random, 0), palMakeQuatRotationVector(turn)};
            palBounds box = palRigidShape_Bounds(&shapes[i], pose);
            palVec3 low = palScale(INFINITY, palMakeVec3(1, 1, 1)), high = palNeg(low);
            for (int v = 0; v < surface.vertexCount; v++)
            {
                palVec3 p = palPose_Point(pose, surface.vertices[v]);
                low = palMinVec3(low, p), high = palMaxVec3(high, p);
                ASSERT_BELOW(palLength(surface.vertices[v]), shapes[i].extent * (1.0 + 1e-12));
            }
            palVec3 below = palSub(low, box.low), above = palSub(box.high, high);
            palVec3 least = palMinVec3(below, above), most = palMaxVec3(below, above);
            ASSERT_BELOW(-fmin(least.x, fmin(least.y, least.z)), 1e-14);
            if (i < 4)
                ASSERT_BELOW(fmax(most.x, fmax(most.y, most.z)), 2e-5);
        }
        palSurface_Free(&surface);
        palRigidShape_Free(&shapes[i]);
    }
}

// The contact search with a small ball is the reference.
static void the_nearest_point_of_a_shape_is_that_of_a_contact(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(11);
    palSurface surface;
    const palShapeDef block = {.kind = pal_shapeBox, .size = {0.3, 0.2, 0.1}, .resolution = 3};
    assert_int_equal(palMakeShape(&block, &surface, NULL), pal_ok);
    palRigidShape ball, shapes[6];
    assert_int_equal(palRigidShape_InitSphere(&ball, 1e-3, NULL), pal_ok);
    assert_int_equal(palRigidShape_InitSphere(&shapes[0], 0.1, NULL), pal_ok);
    assert_int_equal(palRigidShape_InitCapsule(&shapes[1], 0.1, 0.3, NULL), pal_ok);
    assert_int_equal(palRigidShape_InitBox(&shapes[2], palMakeVec3(0.3, 0.2, 0.1), NULL), pal_ok);
    assert_int_equal(palRigidShape_InitCylinder(&shapes[3], 0.1, 0.2, NULL), pal_ok);
    assert_int_equal(palRigidShape_InitHalfSpace(&shapes[4]), pal_ok);
    assert_int_equal(palRigidShape_InitMesh(&shapes[5], &surface, NULL), pal_ok);
    for (int i = 0; i < 600; i++)
    {
        const palRigidShape* shape = &shapes[i % 6];
        palPose pose = {palMakeVec3(0.1, -0.2, 0.3), palMakeQuatRotationVector(palMakeVec3(
                                                         palRandom_Range(&random, -2.0, 2.0),
                                                         palRandom_Range(&random, -2.0, 2.0),
                                                         palRandom_Range(&random, -2.0, 2.0)))};
        palVec3 point = palAdd(pose.x, palMakeVec3(palRandom_Range(&random, -0.4, 0.4),
                                                   palRandom_Range(&random, -0.4, 0.4),
                                                   palRandom_Range(&random, -0.4, 0.4)));
        palVec3 beyond = palRigidShape_Beyond(shape, pose, point);
        palRigidContact contacts[48];
        palRigidPairCache cache = {0};
        palPose at = {point, pal_identityQuat};
        int count =
            palRigidShapes_Contacts(&ball, at, shape, pose, 1.0, &cache, 48, contacts, NULL);
        double gap = INFINITY;
        for (int k = 0; k < count; k++)
            gap = fmin(gap, contacts[k].gap);
        if (palLength(beyond) > 0.0)
            ASSERT_NEAR(palLength(beyond), gap + ball.radius, 1e-9);
        else
            assert_true(count == 0 || gap < -0.999 * ball.radius);
    }
    for (int i = 0; i < 6; i++)
        palRigidShape_Free(&shapes[i]);
    palRigidShape_Free(&ball);
    palSurface_Free(&surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_are_the_limit_of_fine_meshes),
        cmocka_unit_test(a_box_has_the_mass_of_its_hull),
        cmocka_unit_test(hulls_hold_their_points_and_reach_as_far_in_every_direction),
        cmocka_unit_test(faces_of_few_points_are_those_of_testing_every_triple),
        cmocka_unit_test(a_fine_convex_surface_becomes_few_faces),
        cmocka_unit_test(extrusions_are_hulls_where_convex_and_else_meshes),
        cmocka_unit_test(extruded_stars_have_their_volume),
        cmocka_unit_test(wrong_dimensions_are_told),
        cmocka_unit_test(bounds_hold_the_shape_at_every_pose),
        cmocka_unit_test(the_nearest_point_of_a_shape_is_that_of_a_contact),
    };
    return RUN(tests);
}
