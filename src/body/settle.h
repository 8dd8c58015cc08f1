// SPDX-License-Identifier: Apache-2.0
// The shape in which a soft body is at rest under gravity: f(x) = 0 with v = 0.
//
// Steps of backward Euler from rest, each forgetting the velocity that it gained,
//
//     ((1 + h α) M + c K) dx = c f(x),   c = h β + h²
//
// are steps of Newton's method where h is long and follow the forces where it is short. h is long
// at first; a step that brings the body no nearer to rest is taken back and tried with a shorter
// one (pseudo-transient continuation, Kelley and Keyes 1998).
#ifndef PAL_BODY_SETTLE_H
#define PAL_BODY_SETTLE_H

#include "body/soft.h"

typedef struct palSettleInfo
{
    int steps;  // factorisations
    double sag; // m, the longest way of a node from its place in the unloaded shape
} palSettleInfo;

/// Brings the body to rest and leaves it linearised there. Where it finds no rest within a bounded
/// number of steps, or one with inverted elements, that is pal_errorRun and the body is as it was
/// made.
palResult palSoftBody_Settle(palSoftBody* body, palSettleInfo* info, palError* error);

#endif
