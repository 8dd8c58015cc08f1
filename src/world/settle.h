// SPDX-License-Identifier: Apache-2.0
// The state in which the soft bodies of a world are at rest under gravity: f(x) + Jᵀ λ = 0 with
// v = 0, λ the forces of contacts and joints.
//
// Steps of the world (world/step.h) from rest, with the velocity set to zero after each, are steps
// of Newton's method where h is long and of gradient descent where it is short. A step that
// brings the bodies no nearer to rest is taken back and tried with a shorter one (pseudo-transient
// continuation, Kelley and Keyes 1998).
#ifndef PAL_WORLD_SETTLE_H
#define PAL_WORLD_SETTLE_H

#include "world/step.h"

typedef struct palSettleInfo
{
    int steps;  // of the world
    int object; // that moved most in the last of them
    bool falls; // past everything else
} palSettleInfo;

/// Brings the soft objects of `def`, which are in their shapes without load, to rest and leaves
/// them linearised there; there must be no wires and no tool. Where one does not come to rest
/// within a bounded number of steps, or only with inverted elements, the result is pal_errorRun,
/// and all are in their shapes without load.
palResult palSettle(const palWorldStepDef* def, palSettleInfo* info, palError* error);

#endif
