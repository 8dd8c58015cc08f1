// SPDX-License-Identifier: Apache-2.0
// The Open Dynamics Engine as the baseline of contacts between two simple shapes, dCollide on two
// geometries, and of steps of many bodies, dWorldQuickStep. In double precision.
#ifndef PAL_BENCH_ODE_BASELINE_H
#define PAL_BENCH_ODE_BASELINE_H

#include "world/pile.h"

typedef struct palOdePair palOdePair;
typedef struct palOdeWorld palOdeWorld;

typedef struct palOdeOps
{
    const char* name;
    /// Returns NULL where it does not have one of the shapes.
    palOdePair* (*create)(const palRigidShape* a, const palRigidShape* b);
    void (*destroy)(palOdePair* pair);
    /// How many contacts there are; only where the two overlap.
    int (*collide)(palOdePair* pair, palPose poseA, palPose poseB);

    /// The bodies of a pile, of one part each; half-spaces are level. NULL if out of memory.
    palOdeWorld* (*createWorld)(const palRigidPileDef* def, int iterations);
    void (*destroyWorld)(palOdeWorld* world);
    /// Finds the contacts, moves the bodies, and returns how many contacts there were.
    int (*step)(palOdeWorld* world);
    /// Of the steps that follow.
    void (*setIterations)(palOdeWorld* world, int iterations);
    palVec3 (*position)(const palOdeWorld* world, int body);
} palOdeOps;

/// NULL if built without it.
const palOdeOps* palOdeBaseline(void);

#endif
