// SPDX-License-Identifier: Apache-2.0
// The forces of the high rate on the bodies of a slower loop, one record per tick.
//
// Each record is used twice. The slower loop advances its bodies under the forces up to the time at
// which its next step begins. The high rate keeps them for a while: a snapshot describes the past,
// and its bodies are brought up to date under the forces since.
//
//     high rate      Put, in every tick; Since and Tick when a snapshot is new
//     slower loop    Collect, At for every tick of the step, Forget
//
// A record is a palTickForces followed by its forces, of the size that Init was given: along the
// rows of links (slow_part.h), or at places of surfaces (touch/soft_patch.h). Only the used part of
// a record is copied.
#ifndef PAL_WORLD_TRACK_H
#define PAL_WORLD_TRACK_H

#include "base/archive.h"
#include "base/ring.h"

enum
{
    pal_trackTicks = 512, // ticks kept by either side
};

/// The head of a record.
typedef struct palTickForces
{
    double time;       // s, the end of the tick
    uint64_t sequence; // of the loop's snapshot that was touched
    int count;         // forces that follow it
} palTickForces;

typedef struct palTrack
{
    size_t forceSize;  // bytes of one force
    size_t recordSize; // bytes of a record with the most forces

    // High rate.
    unsigned char* past; // owned, [pal_trackTicks] records, a ring by tick
    uint64_t ticks;      // recorded so far

    palRing ring; // from the high rate to the slower loop

    // Slower loop.
    unsigned char* given; // owned, [pal_trackTicks] records, a ring; and one more as workspace
    int givenFirst;       // the place of the oldest
    int givenCount;
    palTickForces* last; // owned: the newest of the records that Forget removed
} palTrack;

/// For at most `forces` forces per tick.
palResult palTrack_Init(palTrack* track, size_t forceSize, int forces, palError* error);
void palTrack_Free(palTrack* track);

/// While neither side uses it.
void palTrack_Archive(palTrack* track, palArchive* archive);

// High rate. Real-time.

/// Stores the forces of a tick, and sends them to the slower loop.
void palTrack_Put(palTrack* track, const palTickForces* forces);
/// The first kept tick that ended after `time`, s; the last is track->ticks - 1.
uint64_t palTrack_Since(const palTrack* track, double time);
/// The forces of a kept tick.
const palTickForces* palTrack_Tick(const palTrack* track, uint64_t tick);

// Slower loop.

/// Reads the records that have arrived, in bounded time; where there are too many the oldest are
/// dropped.
void palTrack_Collect(palTrack* track);
/// The forces of the tick that ends within `half` of t, s; NULL where there are none. `next` is 0
/// for the first t, and keeps the position in the records while t increases.
const palTickForces* palTrack_At(const palTrack* track, double t, double half, int* next);
/// The record with that index, from 0; NULL after the last that ended before t.
const palTickForces* palTrack_Before(const palTrack* track, double t, int index);
/// Removes the records of ticks that ended before t; the newest of them stays as `last`.
void palTrack_Forget(palTrack* track, double t);

#endif
