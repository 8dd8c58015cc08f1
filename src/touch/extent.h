// SPDX-License-Identifier: Apache-2.0
// How far a half-space goes along with the surface that it stands for.
//
// A half-space through the surface point closest to a hand has no end, and a hand that flies past
// something would be pushed by it where nothing is. So the low rate looks, in eight directions from
// that point, how far the plane stays within a tolerance of the surface. A hand that touches
// nothing meets a half-space where it crosses the plane within that extent only. A hand that is
// farther from the surface than the tolerance therefore never does.
//
// A hand that something has touched since the half-spaces were made meets them as they are, without
// an end: that is the method.
#ifndef PAL_TOUCH_EXTENT_H
#define PAL_TOUCH_EXTENT_H

#include "collide/collider.h"
#include "math/quat.h"

/// The tolerance as a share of the radius of the proximity query.
#define PAL_EXTENT_SHARE 0.01

enum
{
    pal_extentSectors = 8,
};

typedef struct palExtent
{
    palVec3 place;                   // m, on the surface
    double gap;                      // m, of the hand there; negative: it was behind the plane
    double reach[pal_extentSectors]; // m, from the place along each direction
} palExtent;

/// Whether a half-space stops a place of the hand that is behind it.
typedef enum palMeeting
{
    pal_meetingUnknown, // the half-space is new, or the place was before it
    pal_meetingStops,
    pal_meetingMissed, // the plane was crossed where the surface is not
} palMeeting;

/// The extent of the plane with normal n through extent->place, along the surface of a tree, up to
/// `most`, m.
void palExtent_Follow(palExtent* extent, palVec3 n, const palBvh* bvh, double most,
                      double tolerance);
/// Extends that to where the surface of a tool, in its frame, which is turned by q and touches with
/// its place `onTool`, would touch extent->place with another: of two edges.
void palExtent_FollowTool(palExtent* extent, palVec3 n, const palBvh* bvh, palQuat q,
                          palVec3 onTool, double most, double tolerance);

/// Whether a way from a to b crosses the plane, from its front, within the extent. `place` is where
/// that of the extent has moved to. Real-time.
bool palExtent_Crosses(const palExtent* extent, palVec3 place, palVec3 n, palVec3 a, palVec3 b);

#endif
