// SPDX-License-Identifier: Apache-2.0
// The Open Dynamics Engine as the baseline of contacts between two simple shapes: dCollide on two
// geometries, in double precision.
#ifndef PAL_BENCH_ODE_BASELINE_H
#define PAL_BENCH_ODE_BASELINE_H

#include "collide/rigid_shape.h"

typedef struct palOdePair palOdePair;

typedef struct palOdeOps
{
    const char* name;
    /// Returns NULL where it does not have one of the shapes.
    palOdePair* (*create)(const palRigidShape* a, const palRigidShape* b);
    void (*destroy)(palOdePair* pair);
    /// How many contacts there are; only where the two overlap.
    int (*collide)(palOdePair* pair, palPose poseA, palPose poseB);
} palOdeOps;

/// NULL if built without it.
const palOdeOps* palOdeBaseline(void);

#endif
