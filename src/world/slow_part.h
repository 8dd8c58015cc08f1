// SPDX-License-Identifier: Apache-2.0 The description of a slower loop for the high rate: its
// contacts, and the reduced motion of each of its bodies along the rows of the links.
//
// Rows are numbered as the loop sees them: those of the joints first, the same in every loop, then
// those of its own contacts. A body's motion in its modes (body/row_space.h) moves row r by
// Σ B q, with the sign of its end of the link.
//
// A snapshot describes the past: when it arrives the modes are brought up to date under the forces
// since. Those acted along the rows of earlier snapshots, so that a part also has B of their rows.
//
// All arrays have the sizes that the scene needs (palSlowSizes). Those of a snapshot are in one
// block of memory, one after the other, which is allocated at set-up.
#ifndef PAL_WORLD_SLOW_PART_H
#define PAL_WORLD_SLOW_PART_H

#include "body/row_space.h"
#include "constraint/rows.h"
#include "world/track.h"

enum
{
    pal_rowSetsMax = 3, // this snapshot and those before
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

/// Capacities of one body.
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

/// Capacities of a loop.
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

/// A slower loop in a snapshot: palSnapshot.slow. Written by palSlowLoop_Describe. The arrays
/// follow it in the same block.
typedef struct palSlowSnapshot
{
    int contactCount;
    palLink* contacts;
    palVec3 (*axes)[3];  // [joints]: of rings and hinges whose axes follow this loop's bodies
    palQuat (*turns)[2]; // [joints]: orientations of ends of welds and hinges on its bodies
    int rowCount;        // of joints and contacts
    double* start;       // [rowCount]: positions of its bodies along the rows: Σ ± axis·p, m
    // Of all bodies: the free motion of one step, for `response: frozen`, and the compliance W(dt);
    // at ΔT instead where the settings of the method say so.
    double* free; // [rowCount], m
    double* W;    // [rowCount][rowCount], m/N
    int partCount;
    palSlowPart* parts;
    palVec3* x; // nodes of this loop's wires, one wire after the other, m; for drawing
    palQuat* q;
} palSlowSnapshot;

/// One block of memory, to be released with free().
palResult palSlowSnapshot_Create(const palSlowSizes* sizes, palSlowSnapshot** snapshot,
                                 palError* error);

/// A part that owns its arrays.
palResult palSlowPart_Create(palPartSize size, palSlowPart** part, palError* error);

/// The motion of the bodies of one loop at the high rate.
typedef struct palSlowMotion
{
    uint64_t sequence;    // of the snapshot that the state belongs to
    palModesState* state; // owned, [bodies]
    palModesState* free;  // owned, [bodies]: at the end of this tick without new forces
} palSlowMotion;

palResult palSlowMotion_Init(palSlowMotion* motion, int bodies, palError* error);
void palSlowMotion_Free(palSlowMotion* motion);

/// The rows of a snapshot that move a part, or NULL.
const palRowSet* palSlowPart_Set(const palSlowPart* part, uint64_t sequence);

/// Row r of a set's B.
static inline double* palSlowPart_B(const palSlowPart* part, const palRowSet* set, int r)
{
    return set->B + (size_t)r * (size_t)part->width;
}

/// The generalised forces on the modes of λ along the rows of a set, [modes.count].
void palSlowPart_Push(const palSlowPart* part, const palRowSet* set, const double* lambda,
                      double* p);

/// Advances a state of the part's modes by dt under the forces of one tick, palLinkForces; NULL:
/// none.
void palSlowPart_Advance(const palSlowPart* part, const palTickForces* forces,
                         palModesState* state);

/// Copies the used part of the arrays; the capacities must be equal.
void palSlowPart_Copy(palSlowPart* to, const palSlowPart* from);

/// For a new snapshot brings the motion up to date under the recorded forces; then advances it by
/// one tick without contact. `time` is that of the snapshot, s. Real-time.
void palSlowMotion_Begin(palSlowMotion* motion, const palSlowSnapshot* snapshot, uint64_t sequence,
                         double time, const palTrack* given);

/// Adds the effect of the forces λ along the loop's rows in this tick. Real-time.
void palSlowMotion_End(palSlowMotion* motion, const palSlowSnapshot* snapshot,
                       const double* lambda);

#endif
