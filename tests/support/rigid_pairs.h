// SPDX-License-Identifier: Apache-2.0
// Rigid shapes at random places for tests of contacts, and the gap along a direction by support
// functions of their own, the independent measure of what is found.
#ifndef PAL_TESTS_RIGID_PAIRS_H
#define PAL_TESTS_RIGID_PAIRS_H

#include "base/random.h"
#include "check.h"
#include "collide/rigid_contact.h"

enum
{
    testShapeCount = 9,
};

static inline palVec3 randomVec3(palRandom* random, double size)
{
    return (palVec3){palRandom_Range(random, -size, size), palRandom_Range(random, -size, size),
                     palRandom_Range(random, -size, size)};
}

static inline palVec3 randomUnit(palRandom* random)
{
    return palNormalize(
        (palVec3){palRandom_Normal(random), palRandom_Normal(random), palRandom_Normal(random)});
}

static inline palQuat randomQuat(palRandom* random)
{
    return palNormalizeQuat((palQuat){palRandom_Normal(random), palRandom_Normal(random),
                                      palRandom_Normal(random), palRandom_Normal(random)});
}

// Convex shapes of all kinds, 2 to 20 cm.
static inline void makeTestShapes(palRigidShape shapes[testShapeCount])
{
    palRandom random = palMakeRandom(17);
    palError error;
    palVec3 points[40];
    const palVec3 wedge[] = {{-0.04, -0.03, 0}, {0.05, -0.03, 0}, {0.0, 0.04, 0}};
    assert_int_equal(palRigidShape_InitSphere(&shapes[0], 0.03, &error), pal_ok);
    assert_int_equal(palRigidShape_InitCapsule(&shapes[1], 0.02, 0.1, &error), pal_ok);
    assert_int_equal(palRigidShape_InitBox(&shapes[2], (palVec3){0.06, 0.08, 0.05}, &error),
                     pal_ok);
    assert_int_equal(palRigidShape_InitCylinder(&shapes[3], 0.03, 0.07, &error), pal_ok);
    for (int i = 0; i < 40; i++)
        points[i] = palAdd(palScale(0.05, randomUnit(&random)), (palVec3){0.01, 0.0, -0.02});
    assert_int_equal(palRigidShape_InitHull(&shapes[4], points, 20, &error), pal_ok);
    assert_int_equal(palRigidShape_InitExtrusion(&shapes[5], wedge, 3, 0.06, &error), pal_ok);
    assert_int_equal(palRigidShape_InitBox(&shapes[6], (palVec3){0.2, 0.15, 0.02}, &error), pal_ok);
    assert_int_equal(palRigidShape_InitCylinder(&shapes[7], 0.06, 0.015, &error), pal_ok);
    assert_int_equal(palRigidShape_InitHull(&shapes[8], points, 40, &error), pal_ok);
}

static inline void freeTestShapes(palRigidShape shapes[testShapeCount])
{
    for (int i = 0; i < testShapeCount; i++)
        palRigidShape_Free(&shapes[i]);
}

// The largest d · x over the shape.
static inline double reachOf(const palRigidShape* shape, palPose pose, palVec3 d)
{
    palVec3 e = palInvRotate(pose.q, d);
    double reach = 0.0;
    switch (shape->kind)
    {
    case pal_rigidSphere:
        reach = shape->radius;
        break;
    case pal_rigidCapsule:
        reach = shape->radius + shape->halfHeight * fabs(e.z);
        break;
    case pal_rigidCylinder:
        reach = shape->radius * hypot(e.x, e.y) + shape->halfHeight * fabs(e.z);
        break;
    default:
        reach = -INFINITY;
        for (int i = 0; i < shape->hull.vertexCount; i++)
            reach = fmax(reach, palDot(e, shape->hull.vertices[i]));
    }
    return palDot(d, pose.x) + reach;
}

// The gap along a unit normal from b to a.
static inline double gapAlong(const palRigidShape* a, palPose poseA, const palRigidShape* b,
                              palPose poseB, palVec3 normal)
{
    return -reachOf(a, poseA, palNeg(normal)) - reachOf(b, poseB, normal);
}

// The largest gap along any direction: the distance where they are apart, the depth where they
// overlap. Many directions, the best refined by random steps that shrink.
static inline double searchGap(const palRigidShape* a, palPose poseA, const palRigidShape* b,
                               palPose poseB, palRandom* random, int directions, int steps)
{
    enum
    {
        starts = 4,
    };
    palVec3 best[starts] = {0};
    double gaps[starts];
    for (int i = 0; i < starts; i++)
        gaps[i] = -INFINITY;
    for (int i = 0; i < directions; i++)
    {
        palVec3 n = randomUnit(random);
        double gap = gapAlong(a, poseA, b, poseB, n);
        int worst = 0;
        for (int k = 1; k < starts; k++)
            worst = gaps[k] < gaps[worst] ? k : worst;
        if (gap > gaps[worst])
            gaps[worst] = gap, best[worst] = n;
    }
    double most = -INFINITY;
    for (int k = 0; k < starts; k++)
    {
        double size = 0.1;
        for (int i = 0; i < steps; i++)
        {
            palVec3 n = palNormalize(palMulAdd(best[k], size, randomUnit(random)));
            double gap = gapAlong(a, poseA, b, poseB, n);
            if (gap > gaps[k])
                gaps[k] = gap, best[k] = n, size *= 1.5;
            else
                size = fmax(0.9 * size, 1e-9);
        }
        most = fmax(most, gaps[k]);
    }
    return most;
}

#endif
