// SPDX-License-Identifier: Apache-2.0
// What the two baselines share: one half-space at the surface point closest to where the proxy
// goes, made at the low rate. On a soft body it is fixed to a material point and moves with it.
#ifndef PAL_RENDER_HALF_SPACE_H
#define PAL_RENDER_HALF_SPACE_H

#include "render/soft_contact.h"

/// The normal of a half-space at the surface point closest to the proxy.
palVec3 palHalfSpace_Normal(const palCollider* collider, const palNearest* nearest);

/// The half-space as it is at the end of this tick without a contact force.
typedef struct palHalfSpaceTouch
{
    const palContactFrame* contact; // borrowed
    int part;                       // of the soft patch; -1: rigid
    palSoftPoint point;
    palModeShape shape;
    palVec3 moved; // since the snapshot, m
    palVec3 step;  // within this tick, m
    palMat3 W;     // of proxy and surface together, m/N
} palHalfSpaceTouch;

/// Such a method.
typedef struct palHalfSpaceMethod
{
    palMethod method;
    palSoftContact* soft; // owned; NULL where nothing is soft

    // The tick under way.
    palPointFree free;
    palHalfSpaceTouch touch;
    palVec3 lambda; // on the proxy, N: what solve() finds; zero before
} palHalfSpaceMethod;

// Its operations and stages, all but `solve`.
palResult palHalfSpace_Init(palMethod* method, palError* error);
void palHalfSpace_Free(palMethod* method);
palResult palHalfSpace_MakeSnapshot(const palMethod* method, int loop, palSnapshot* snapshot,
                                    palError* error);
palLowStage palHalfSpace_Advance, palHalfSpace_Find, palHalfSpace_Describe;
palTickStage palHalfSpace_MoveFreely, palHalfSpace_FindGaps, palHalfSpace_Correct;

#endif
