// SPDX-License-Identifier: Apache-2.0
// The forces that the high rate gives to the bodies of a slower loop, one record a tick.
//
// Each record is used twice. The loop takes its bodies through the forces up to the time at which
// its next step begins. The high rate keeps them for a while: a snapshot describes the past, and
// its bodies are brought up to date through the forces given since.
//
//     high rate      Put, in every tick; Since and Tick when a snapshot is new
//     slower loop    Collect, At for every tick of the step, Forget
//
// A record is a palTickForces followed by its forces, of the size that Init was given: along the
// rows of links (slow_part.h), or at places of surfaces (touch/soft_patch.h). Only what is used of
// it is copied.
#ifndef PAL_WORLD_TRACK_H
#define PAL_WORLD_TRACK_H

#include "base/ring.h"

enum
{
    pal_trackTicks = 512, // that are kept, by either side
};

/// How a record begins.
typedef struct palTickForces
{
    double time;       // s, the end of the tick
    uint64_t sequence; // of the loop's snapshot that was touched
    int count;         // forces behind it
} palTickForces;

typedef struct palTrack
{
    size_t forceSize;  // bytes of one force
    size_t recordSize; // bytes of a record with as many as there may be

    // High rate.
    unsigned char* past; // owned, [pal_trackTicks] records, a ring by tick
    uint64_t ticks;

    palRing ring; // from there to the slower loop

    // Slower loop.
    unsigned char* given; // owned, [pal_trackTicks + 1] records in their order; the last is
                          // workspace
    int givenCount;
    palTickForces* last; // owned: the newest of those that were forgotten
} palTrack;

/// With room for so many forces a tick.
palResult palTrack_Init(palTrack* track, size_t forceSize, int forces, palError* error);
void palTrack_Free(palTrack* track);

// High rate. Real-time.

/// Remembers the forces of a tick, and gives them to the slower loop.
void palTrack_Put(palTrack* track, const palTickForces* forces);
/// The first tick that ended after `time`, of those that are kept: they go up to track->ticks.
uint64_t palTrack_Since(const palTrack* track, double time);
/// The forces of a tick that is kept.
const palTickForces* palTrack_Tick(const palTrack* track, uint64_t tick);

// Slower loop.

/// Takes what has come; of more than fits the oldest are dropped.
void palTrack_Collect(palTrack* track);
/// The forces of the tick that ends at t, by less than `half`; NULL: none were given. `next` is 0
/// for the first t, and counts through the records while t grows.
const palTickForces* palTrack_At(const palTrack* track, double t, double half, int* next);
/// The same by their order, from 0: NULL after the last before t.
const palTickForces* palTrack_Before(const palTrack* track, double t, int index);
/// Forgets those of ticks that ended before t; the newest of them stays as `last`.
void palTrack_Forget(palTrack* track, double t);

#endif
