// SPDX-License-Identifier: Apache-2.0
// The path of a proxy that only the end of the described region holds back.
//
// Where the hand leaves what a snapshot describes, the proxy must wait: it could pass through a
// surface. The hand must not feel that, since nothing touches it. So a second proxy moves on,
// stopped only by the contacts at the position where the first one waits, as if the region had no
// end, and the hand gets the coupling force of the second one. Its path is the trail. The low rate
// determines how much of the trail is free of obstacles (palTrail_Clear): the first proxy may skip
// that part at once. From there on it follows the trail, position by position, within what the
// snapshot describes, and stops at the first obstacle.
#ifndef PAL_WORLD_TRAIL_H
#define PAL_WORLD_TRAIL_H

#include "base/archive.h"
#include "collide/collider.h"
#include "math/quat.h"

enum
{
    pal_trailMax = 96, // places
};

typedef struct palTrail
{
    int count;                    // 0: the proxy is not held back
    palVec3 places[pal_trailMax]; // m, from the oldest; of a tool: its centre of mass
    palQuat turns[pal_trailMax];  // of a tool: its orientation there
    double times[pal_trailMax];   // s, when it was there
} palTrail;

void palTrail_Archive(palTrail* trail, palArchive* archive);
void palTrail_Copy(const palTrail* trail, palTrail* copy);

/// The position of the second proxy, for the first one at x.
static inline palVec3 palTrail_End(const palTrail* trail, palVec3 x)
{
    return trail->count > 0 ? trail->places[trail->count - 1] : x;
}

/// Adds a position. When full, every second one is dropped. Real-time.
void palTrail_Add(palTrail* trail, palVec3 place, palQuat turn, double time);
/// Removes the first `count` positions. Real-time.
void palTrail_Drop(palTrail* trail, int count);
/// How many of its positions a point at x reaches, in straight lines from one to the next, before
/// it meets a surface; 0 where x is inside one. Low rate.
int palTrail_Clear(const palTrail* trail, palVec3 x, const palCollider* colliders, int count);

#endif
