// SPDX-License-Identifier: Apache-2.0
// What a slower loop publishes for the high rate: the contacts that it found, and the motion of
// each of its bodies along the rows of the links.
//
// Rows are numbered as the loop sees them: those of the joints first, the same in every loop, then
// those of its own contacts. A body's motion in its modes (body/reduction.h) moves row r by
// Σ B q, with the sign of its end of the link.
//
// When a snapshot arrives, which describes the past, the modes are brought up to date through the
// forces given since. Those acted along the rows of the snapshots before it: a part therefore also
// has the B of their rows.
//
// All arrays are sized for the scene (palSlowSizes). Those of a snapshot lie in one
// block of memory, one behind the other, which the runtime allocates at set-up.
#ifndef PAL_WORLD_SLOW_PART_H
#define PAL_WORLD_SLOW_PART_H

#include "constraint/rows.h"
#include "world/replay.h"

enum
{
    pal_rowSetsMax = 3, // of this snapshot and of those before
};

/// The forces of one tick along the rows of one loop's snapshot.
typedef struct palLinkForces
{
    palTickForces head;
    double lambda[]; // N or N·m
} palLinkForces;

/// The rows of one snapshot that move one body.
typedef struct palRowSet
{
    uint64_t sequence; // of the snapshot; 0: none
    int count;
    int* row;  // [rowCapacity], as the loop numbers them
    double* B; // [count][width]
} palRowSet;

/// The sizes of one body's part.
typedef struct palPartSize
{
    int rows;
    int modes;
} palPartSize;

/// One body.
typedef struct palSlowPart
{
    palPartSize capacity;
    palModes modes;                 // with `a` for dt
    int width;                      // of a row of B: the modes, rounded up
    palRowSet sets[pal_rowSetsMax]; // of this snapshot, of the one before, ...
} palSlowPart;

/// The sizes of a loop's part.
typedef struct palSlowSizes
{
    int joints;
    int jointRows;
    int contacts;
    int rows;  // of joints and contacts
    int nodes; // of the loop's wires
    int bodies;
    const palPartSize* parts; // borrowed, [bodies]
} palSlowSizes;

/// What the high rate is given of a slower loop: palSnapshot.slow. Arrays lie behind it.
typedef struct palSlowSnapshot
{
    int contactCount;
    palLink* contacts;
    palVec3 (*axes)[3];  // [joints]: of rings and hinges whose axes this loop determines
    palQuat (*turns)[2]; // [joints]: of the ends of welds and hinges on this loop's bodies
    int rowCount;        // of joints and contacts
    double* start;       // [rowCount]: where this loop's bodies have the rows: Σ ± axis·p, m
    // Of all bodies: the free motion in one step, for `response: frozen`, and for both forms the
    // compliance W(dt), m/N. With the switches of the method at ΔT instead.
    double* free; // [rowCount], m
    double* W;    // [rowCount][rowCount], m/N
    int partCount;
    palSlowPart* parts;
    palVec3* x; // nodes of this loop's wires, one after the other, m; to be drawn
    palQuat* q;
} palSlowSnapshot;

/// One block of memory, to be released with free().
palResult palSlowSnapshot_Create(const palSlowSizes* sizes, palSlowSnapshot** snapshot,
                                 palError* error);

/// One part with arrays of its own.
palResult palSlowPart_Create(palPartSize size, palSlowPart** part, palError* error);

/// The set of a part with those rows, or NULL.
const palRowSet* palSlowPart_Set(const palSlowPart* part, uint64_t sequence);

/// Row r of a set's B.
static inline double* palSlowPart_B(const palSlowPart* part, const palRowSet* set, int r)
{
    return set->B + (size_t)r * (size_t)part->width;
}

/// The generalised forces on the modes of λ along the rows of a set, [modes.count].
void palSlowPart_Push(const palSlowPart* part, const palRowSet* set, const double* lambda,
                      double* p);

/// palPushModes of the parts of a snapshot, [parts], by palLinkForces.
bool palSlowPart_Pushes(const void* parts, int index, const palTickForces* forces, double* p);

/// Copies what is used of a part; the capacities are the same.
void palSlowPart_Copy(palSlowPart* to, const palSlowPart* from);

void palSlowPart_Archive(palSlowPart* part, palArchive* archive);
void palSlowSnapshot_Archive(palSlowSnapshot* snapshot, const palSlowSizes* sizes,
                             palArchive* archive);

/// Brings the motion up to date for a snapshot that was not seen before, and then advances it
/// freely by one tick. `time` is the snapshot's. Real-time.
void palSlowSnapshot_Begin(const palSlowSnapshot* snapshot, palReducedMotion* motion,
                           uint64_t sequence, double time, const palTrack* given);

/// Adds the effect of the forces λ along the loop's rows in this tick. Real-time.
void palSlowSnapshot_End(const palSlowSnapshot* snapshot, palReducedMotion* motion,
                         const double* lambda);

#endif
