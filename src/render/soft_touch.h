// SPDX-License-Identifier: Apache-2.0
// The soft surface around the proxy in one tick: where it was, where it would be without contact,
// and how it gives way.
//
// The walk (walk.h) sees the surface where it would be at the end of the tick if the proxy did not
// push (`patch`), and the proxy as far from it as it was: what the surface point under the proxy
// moves by, the start moves by too. The compliance W of proxy and surface together then makes the
// push of the one and the giving way of the other a single motion,
//
//     y = x_free + W f,   W = w I + W_soft,   x⁺ = x_free + w f,   surface⁺ = surface_free - W_soft
//     f
//
// which puts the proxy on the surface exactly, because y is a point of the free surface.
//
// A proxy that pushed in the last tick is at a material point, and the walk starts there, also when
// a new snapshot has the surface a little elsewhere. One that did not is brought out if the surface
// has come over it.
#ifndef PAL_RENDER_SOFT_TOUCH_H
#define PAL_RENDER_SOFT_TOUCH_H

#include "render/soft_contact.h"

enum
{
    pal_softNearMax = 96, // faces looked at in a tick
};

typedef struct palSoftTouch
{
    // The faces near the proxy.
    palPatch patch; // owned: where they would be; rigid faces near by are added
    int faces[pal_softNearMax];
    int faceCount;
    double reach; // m: all that are nearer to the proxy are among them
    bool isShort; // it is less than asked for: more are near than a tick looks at
    palVec3 old[pal_softVerticesMax];    // m, at the end of the last tick
    palVec3 free[pal_softVerticesMax];   // m, at the end of this one without contact
    uint64_t stamp[pal_softVerticesMax]; // the tick in which the two were computed
    uint64_t tick;

    // The point under the proxy.
    bool isNear;        // there is one
    palVec3 drift;      // m: how far it has moved since the snapshot
    palSoftPoint point; // material; kept from tick to tick while the proxy pushes
    bool pushed;        // it did in the last tick
    palVec3 start;      // where the walk begins, m
    palModeShape shape;
    palMat3 W; // of the surface there, m/N
} palSoftTouch;

palResult palSoftTouch_Init(palSoftTouch* touch, palError* error);
void palSoftTouch_Free(palSoftTouch* touch);

/// Finds the faces around the way from x to goal, the point under x and the start. `hair` is the
/// height above the surface at which the walk rests, m. Real-time.
void palSoftTouch_Find(palSoftTouch* touch, const palSoftContact* contact,
                       const palSnapshot* snapshot, palVec3 x, palVec3 goal, double hair,
                       palLimitShape limits);

/// Moves the point to the one under y of the free surface. Returns whether it changed.
bool palSoftTouch_Slide(palSoftTouch* touch, const palSnapshot* snapshot, palVec3 y);

/// After palSoftContact_End: the signed distance from x to the surface as it is now, m; NAN where
/// none is near. Real-time.
double palSoftTouch_Gap(const palSoftTouch* touch, const palSoftContact* contact,
                        const palSnapshot* snapshot, palVec3 x);

#endif
