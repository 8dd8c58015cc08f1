// SPDX-License-Identifier: Apache-2.0
// What the two baselines share: one half-space at the surface point closest to where the proxy
// goes, made at the low rate. On a soft body it is fixed to a material point and moves with it.
#ifndef PAL_RENDER_HALF_SPACE_H
#define PAL_RENDER_HALF_SPACE_H

#include "render/soft_contact.h"

/// L3..L5 of a method whose snapshot is the closest contact only.
void palHalfSpace_Find(const palMethodDef* def, const palHapticState* hand, palSnapshot* snapshot,
                       palLowInfo* info);

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

/// After palSoftContact_Begin; w is the compliance of the proxy, m/N. `soft` is NULL where nothing
/// is soft. Real-time.
palHalfSpaceTouch palHalfSpace_Meet(const palSoftContact* soft, const palSnapshot* snapshot,
                                    double w);

/// Gives the body the force opposite to that on the proxy, now at x, and fills the distance to the
/// nearest soft surface. Real-time.
void palHalfSpace_End(palSoftContact* soft, const palSnapshot* snapshot,
                      const palHalfSpaceTouch* touch, double now, palVec3 lambda, palVec3 x,
                      palHighInfo* info);

/// Reports the contact that pushed the proxy, now at x and the body with id `hand`, with `force`.
/// The surface has moved by `moved` since the plane was found.
void palHalfSpace_Report(const palContactFrame* contact, palVec3 moved, palVec3 x, palVec3 force,
                         int hand, palHighInfo* info);

/// A snapshot with one half-space, and the soft bodies: palMethodOps.makeSnapshot.
palResult palHalfSpace_MakeSnapshot(const palMethod* method, int loop, palSnapshot* snapshot,
                                    palError* error);

#endif
