// SPDX-License-Identifier: Apache-2.0
// A pile of rigid bodies under construction, for tests.
#ifndef PAL_TESTS_PILE_RIG_H
#define PAL_TESTS_PILE_RIG_H

#include "check.h"
#include "world/pile.h"

enum
{
    rigBodiesMax = 1200,
    rigShapesMax = 16,
    rigJointsMax = 16,
};

typedef struct palPileRig
{
    palRigidPileDef def;
    palPileBodyDef bodies[rigBodiesMax];
    palPilePart parts[rigBodiesMax];
    palPileJointDef joints[rigJointsMax];
    palRigidShape shapes[rigShapesMax];
    int bodyCount, jointCount, shapeCount;
    palPile* pile;
} palPileRig;

static inline palPileRig* makeRig(void)
{
    palPileRig* rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    rig->def = palDefaultRigidPileDef();
    return rig;
}

static inline palRigidShape* nextShape(palPileRig* rig)
{
    assert_true(rig->shapeCount < rigShapesMax);
    return &rig->shapes[rig->shapeCount++];
}

static inline const palRigidShape* boxShape(palPileRig* rig, double x, double y, double z)
{
    palRigidShape* shape = nextShape(rig);
    assert_int_equal(palRigidShape_InitBox(shape, palMakeVec3(x, y, z), NULL), pal_ok);
    return shape;
}

static inline const palRigidShape* sphereShape(palPileRig* rig, double radius)
{
    palRigidShape* shape = nextShape(rig);
    assert_int_equal(palRigidShape_InitSphere(shape, radius, NULL), pal_ok);
    return shape;
}

static inline const palRigidShape* cylinderShape(palPileRig* rig, double radius, double height)
{
    palRigidShape* shape = nextShape(rig);
    assert_int_equal(palRigidShape_InitCylinder(shape, radius, height, NULL), pal_ok);
    return shape;
}

// A free body of that density; fixed where it is 0.
static inline palPileBodyDef* addShape(palPileRig* rig, const palRigidShape* shape, double density,
                                       palVec3 x)
{
    assert_true(rig->bodyCount < rigBodiesMax);
    int i = rig->bodyCount++;
    rig->parts[i] = (palPilePart){shape, pal_identityPose};
    rig->bodies[i] = palDefaultPileBodyDef();
    palPileBodyDef* body = &rig->bodies[i];
    body->id = i;
    body->motion = density > 0.0 ? pal_motionFree : pal_motionFixed;
    body->parts = &rig->parts[i];
    body->partCount = 1;
    body->mass = shape->unitMass;
    body->mass.mass *= density;
    body->mass.inertia = palMat3MulAdd((palMat3){0}, density, shape->unitMass.inertia);
    body->pose.x = x;
    return body;
}

// A fixed half-space below z = 0, turned by an angle about y: it then falls towards +x.
static inline palPileBodyDef* addFloor(palPileRig* rig, double angle)
{
    palRigidShape* shape = nextShape(rig);
    assert_int_equal(palRigidShape_InitHalfSpace(shape), pal_ok);
    palPileBodyDef* floor = addShape(rig, shape, 0.0, pal_zeroVec3);
    floor->pose.q = palMakeQuatRotationVector(palMakeVec3(0.0, angle, 0.0));
    return floor;
}

static inline palPile* startRig(palPileRig* rig)
{
    palError error = {0};
    rig->def.bodies = rig->bodies;
    rig->def.bodyCount = rig->bodyCount;
    rig->def.joints = rig->joints;
    rig->def.jointCount = rig->jointCount;
    if (palPile_Create(&rig->def, &rig->pile, &error) != pal_ok)
        fail_msg("%s", error.text);
    return rig->pile;
}

static inline void freeRig(palPileRig* rig)
{
    palPile_Destroy(rig->pile);
    for (int i = 0; i < rig->shapeCount; i++)
        palRigidShape_Free(&rig->shapes[i]);
    free(rig);
}

static inline void runFor(palPile* pile, double seconds)
{
    for (int n = (int)lround(seconds / pile->def.dt); n > 0; n--)
        palPile_Step(pile);
}

#endif
