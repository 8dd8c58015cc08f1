// SPDX-License-Identifier: Apache-2.0
// What a slower loop gives the high rate: the contacts that it found, and of each of its bodies how
// it moves along the rows of the links.
//
// Rows are numbered as the loop sees them: those of the joints first, the same in every loop, then
// those of its own contacts. A body's motion in its modes (body/row_space.h) moves row r by
// Σ B q, with the sign of its end of the link.
//
// When a snapshot arrives, which describes the past, the modes are brought up to date through the
// forces given since. Those acted along the rows of the snapshots before it: a part therefore also
// has the B of their rows.
#ifndef PAL_RENDER_SLOW_PART_H
#define PAL_RENDER_SLOW_PART_H

#include "body/row_space.h"
#include "constraint/rows.h"

enum
{
    pal_linkRowMax = 96,           // rows in one problem
    pal_linksMax = pal_linkRowMax, // links have a row at least
    pal_slowBodiesMax = 4,         // of one loop
    pal_slowContactsMax = 32,      // of one loop
    pal_rowSetsMax = 3,            // of this snapshot and of those before
    pal_linkHistory = 512,         // ticks of forces that are remembered
};

/// The forces of one tick along the rows of one loop.
typedef struct palLinkForces
{
    double time;       // s, the end of the tick
    uint64_t sequence; // of the loop's snapshot whose rows these are
    int count;
    double lambda[pal_linkRowMax]; // N or N·m
} palLinkForces;

/// The rows of one snapshot that move one body.
typedef struct palRowSet
{
    uint64_t sequence; // of the snapshot; 0: none
    int count;
    int row[pal_rowSpaceRowsMax]; // as the loop numbers them
    double B[pal_rowSpaceRowsMax][pal_modesMax];
} palRowSet;

/// One body.
typedef struct palSlowPart
{
    palModes modes;                 // with `a` for dt
    palRowSet sets[pal_rowSetsMax]; // of this snapshot, of the one before, ...
    // Of the rows of sets[0], for `response: frozen`: the free motion in one step, m, and for both
    // forms the compliance W(dt), m/N. With the switches of the method at ΔT instead.
    double free[pal_rowSpaceRowsMax];
    double W[pal_rowSpaceRowsMax][pal_rowSpaceRowsMax];
} palSlowPart;

/// What a loop's snapshot has of its own (palSnapshot.own).
typedef struct palSlowSnapshot
{
    int contactCount;
    palLink contacts[pal_slowContactsMax];
    palVec3 axes[pal_jointsMax][3];  // of the rings whose end 1 is this loop's
    palQuat turns[pal_jointsMax][2]; // of the welds' ends on this loop's bodies
    double start[pal_linkRowMax];    // where this loop's bodies have the rows: Σ ± axis·p, m
    int partCount;
    palSlowPart parts[pal_slowBodiesMax];
    palVec3 x[pal_wireNodesMax]; // nodes of this loop's wires, one after the other, m; to be drawn
    palQuat q[pal_wireNodesMax];
} palSlowSnapshot;

/// The motion of the bodies of one loop, the high rate's own.
typedef struct palSlowMotion
{
    uint64_t sequence; // of the snapshot that the state belongs to
    palModesState state[pal_slowBodiesMax];
    palModesState free[pal_slowBodiesMax];  // at the end of this tick without new forces
    palLinkForces history[pal_linkHistory]; // a ring, by tick
    uint64_t ticks;
} palSlowMotion;

/// The set of a part with those rows, or NULL.
const palRowSet* palSlowPart_Set(const palSlowPart* part, uint64_t sequence);

/// The generalised forces on the modes of λ along the rows of a set, [modes.count].
void palSlowPart_Push(const palSlowPart* part, const palRowSet* set, const double* lambda,
                      double* p);

/// Advances a state of the part's modes by dt under the forces of one tick; NULL: none.
void palSlowPart_Advance(const palSlowPart* part, const palLinkForces* forces,
                         palModesState* state);

/// Brings the motion to `now` for a snapshot that was not seen before, and then advances it freely
/// by one tick. `time` is the snapshot's. Real-time.
void palSlowMotion_Begin(palSlowMotion* motion, const palSlowSnapshot* snapshot, uint64_t sequence,
                         double time);

/// Takes the forces of this tick: adds their effect and remembers them. Real-time.
void palSlowMotion_End(palSlowMotion* motion, const palSlowSnapshot* snapshot,
                       const palLinkForces* forces);

#endif
