// SPDX-License-Identifier: Apache-2.0
// The way of a proxy that is held back by the description alone.
//
// Where the hand leaves what a snapshot describes, the proxy must wait: it could pass something.
// The hand must not feel that, since nothing touches it. So the coupling goes on with a proxy that
// nothing but the contacts at the place of waiting stop, as if the region had no end, and the hand
// gets the force of that one. The trail is where it went. The low rate looks how far nothing is in
// its way (palTrail_Clear): so far the proxy may go at once. From there on it follows the trail
// place by place in what the snapshot describes, and ends at the first thing in its way.
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

/// Where the proxy would be that is at x.
static inline palVec3 palTrail_End(const palTrail* trail, palVec3 x)
{
    return trail->count > 0 ? trail->places[trail->count - 1] : x;
}

/// Adds a place. Of more than there is room for every second is left out. Real-time.
void palTrail_Add(palTrail* trail, palVec3 place, palQuat turn, double time);
/// Forgets the first `count` places. Real-time.
void palTrail_Drop(palTrail* trail, int count);
/// How many of its places a point at x reaches, in a straight line from one to the next, before it
/// meets a surface: none from inside one. Low rate.
int palTrail_Clear(const palTrail* trail, palVec3 x, const palCollider* colliders, int count);

#endif
