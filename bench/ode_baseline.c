// SPDX-License-Identifier: Apache-2.0
#include "ode_baseline.h"

#ifdef PAL_HAVE_ODE

#include <ode/ode.h>

#include <stdlib.h>

enum
{
    contactsMax = 8,
};

struct palOdePair
{
    dGeomID geoms[2];
};

static dGeomID makeGeom(const palRigidShape* shape)
{
    switch (shape->kind)
    {
    case pal_rigidSphere:
        return dCreateSphere(NULL, shape->radius);
    case pal_rigidCapsule:
        return dCreateCapsule(NULL, shape->radius, 2.0 * shape->halfHeight);
    case pal_rigidBox:
        return dCreateBox(NULL, 2.0 * shape->halfSize.x, 2.0 * shape->halfSize.y,
                          2.0 * shape->halfSize.z);
    case pal_rigidCylinder:
        return dCreateCylinder(NULL, shape->radius, 2.0 * shape->halfHeight);
    default:
        return NULL;
    }
}

static void destroyPair(palOdePair* pair)
{
    for (int i = 0; i < 2; i++)
        if (pair->geoms[i] != NULL)
            dGeomDestroy(pair->geoms[i]);
    free(pair);
    dCloseODE();
}

static palOdePair* createPair(const palRigidShape* a, const palRigidShape* b)
{
    palOdePair* pair = malloc(sizeof *pair);
    if (pair == NULL)
        return NULL;
    dInitODE2(0);
    *pair = (palOdePair){{makeGeom(a), makeGeom(b)}};
    if (pair->geoms[0] != NULL && pair->geoms[1] != NULL)
        return pair;
    destroyPair(pair);
    return NULL;
}

static void place(dGeomID geom, palPose pose)
{
    dQuaternion q = {pose.q.w, pose.q.x, pose.q.y, pose.q.z};
    dGeomSetPosition(geom, pose.x.x, pose.x.y, pose.x.z);
    dGeomSetQuaternion(geom, q);
}

static int collidePair(palOdePair* pair, palPose poseA, palPose poseB)
{
    dContactGeom contacts[contactsMax];
    place(pair->geoms[0], poseA);
    place(pair->geoms[1], poseB);
    return dCollide(pair->geoms[0], pair->geoms[1], contactsMax, contacts, sizeof contacts[0]);
}

struct palOdeWorld
{
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    int count; // of contacts in the last step
    double dt; // s
    int bodyCount;
    dBodyID bodies[]; // NULL: fixed
};

static dBodyID makeBody(palOdeWorld* world, const palPileBodyDef* def)
{
    const palMat3* I = &def->mass.inertia;
    dBodyID body = dBodyCreate(world->world);
    dMass mass;
    dMassSetParameters(&mass, def->mass.mass, 0.0, 0.0, 0.0, I->m[0][0], I->m[1][1], I->m[2][2],
                       I->m[0][1], I->m[0][2], I->m[1][2]);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, def->pose.x.x, def->pose.x.y, def->pose.x.z);
    return body;
}

static void addBody(palOdeWorld* world, const palPileBodyDef* def, int index)
{
    const palRigidShape* shape = def->parts[0].shape;
    if (shape->kind == pal_rigidHalfSpace)
    {
        dCreatePlane(world->space, 0.0, 0.0, 1.0, def->pose.x.z);
        return;
    }
    dGeomID geom = makeGeom(shape);
    dSpaceAdd(world->space, geom);
    place(geom, def->pose);
    if (def->motion != pal_motionFree)
        return;
    world->bodies[index] = makeBody(world, def);
    dGeomSetBody(geom, world->bodies[index]);
}

static palOdeWorld* createWorld(const palRigidPileDef* def, int iterations)
{
    palOdeWorld* world = calloc(1, sizeof *world + (size_t)def->bodyCount * sizeof(dBodyID));
    if (world == NULL)
        return NULL;
    dInitODE2(0);
    world->world = dWorldCreate();
    world->space = dHashSpaceCreate(NULL);
    world->contacts = dJointGroupCreate(0);
    world->dt = def->dt;
    world->bodyCount = def->bodyCount;
    dWorldSetGravity(world->world, def->gravity.x, def->gravity.y, def->gravity.z);
    dWorldSetQuickStepNumIterations(world->world, iterations);
    for (int i = 0; i < def->bodyCount; i++)
        addBody(world, &def->bodies[i], i);
    return world;
}

static void destroyWorld(palOdeWorld* world)
{
    dJointGroupDestroy(world->contacts);
    dSpaceDestroy(world->space);
    dWorldDestroy(world->world);
    dCloseODE();
    free(world);
}

static void addContacts(void* data, dGeomID a, dGeomID b)
{
    palOdeWorld* world = data;
    dBodyID bodyA = dGeomGetBody(a), bodyB = dGeomGetBody(b);
    dContact contacts[contactsMax];
    if (bodyA == NULL && bodyB == NULL)
        return;
    int count = dCollide(a, b, contactsMax, &contacts[0].geom, sizeof contacts[0]);
    for (int i = 0; i < count; i++)
    {
        contacts[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = 0.5};
        dJointAttach(dJointCreateContact(world->world, world->contacts, &contacts[i]), bodyA,
                     bodyB);
    }
    world->count += count;
}

static int stepWorld(palOdeWorld* world)
{
    world->count = 0;
    dSpaceCollide(world->space, world, addContacts);
    dWorldQuickStep(world->world, world->dt);
    dJointGroupEmpty(world->contacts);
    return world->count;
}

static void setIterations(palOdeWorld* world, int iterations)
{
    dWorldSetQuickStepNumIterations(world->world, iterations);
}

static palVec3 positionOf(const palOdeWorld* world, int body)
{
    const dReal* x = dBodyGetPosition(world->bodies[body]);
    return palMakeVec3(x[0], x[1], x[2]);
}

const palOdeOps* palOdeBaseline(void)
{
    static const palOdeOps ops = {
        .name = "ODE",
        .create = createPair,
        .destroy = destroyPair,
        .collide = collidePair,
        .createWorld = createWorld,
        .destroyWorld = destroyWorld,
        .step = stepWorld,
        .setIterations = setIterations,
        .position = positionOf,
    };
    return &ops;
}

#else

const palOdeOps* palOdeBaseline(void)
{
    return NULL;
}

#endif
