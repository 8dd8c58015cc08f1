// SPDX-License-Identifier: Apache-2.0
// The rigid faces around a point as half-spaces: whether the point comes to a face, without a
// search. In a close fit every point is near a face in every tick, and moves along it.
//
// A way crosses no face if it stays closer to the place than any face that is not listed, and ends
// on the outer side of the planes of those that are.
#ifndef PAL_TOUCH_FACING_H
#define PAL_TOUCH_FACING_H

#include "collide/collider.h"

enum
{
    pal_facingMax = 12, // planes around a point
};

typedef struct palFacing
{
    double reach; // m: all faces closer than this are listed
    int count;
    // Of each plane in single precision, the nearest faces first.
    float normals[pal_facingMax][3]; // unit
    float gaps[pal_facingMax];       // m: of the place, rounded down
} palFacing;

/// The faces within `reach` of a place, m, or of the nearest ones that there is room for. A sheet,
/// and a face that the place is behind, end `reach`.
void palFacing_Find(palFacing* facing, const palCollider* colliders, int count, palVec3 place,
                    double reach);

/// Whether a way from `start` to `end`, both relative to the place, m, comes to no face: it stays
/// `offset` above their planes at its end. Real-time.
bool palFacing_IsClear(const palFacing* facing, palVec3 start, palVec3 end, double offset);

#endif
