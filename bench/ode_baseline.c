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

const palOdeOps* palOdeBaseline(void)
{
    static const palOdeOps ops = {"ODE", createPair, destroyPair, collidePair};
    return &ops;
}

#else

const palOdeOps* palOdeBaseline(void)
{
    return NULL;
}

#endif
