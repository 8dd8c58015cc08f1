// SPDX-License-Identifier: Apache-2.0
// The mixed problem of one step: rows of all links, with what wires and slower bodies add to them.
//
//     δ = δ_free + W λ,   W = Σ over the bodies h² J A⁻¹ Jᵀ           eqs. (5) and (9)
//
// Both rates build it the same way: Begin with the links, add the wires that are stepped at this
// rate after their free motion, add the slower bodies (slow_part.h), Solve, and Apply to the wires.
#ifndef PAL_RENDER_LINK_ROWS_H
#define PAL_RENDER_LINK_ROWS_H

#include "constraint/link.h"

enum
{
    pal_linkRowMax = 96,           // rows in one problem
    pal_linksMax = pal_linkRowMax, // links have a row at least
};

/// A wire that is stepped at this rate.
typedef struct palSteppedWire
{
    const palWire* wire; // borrowed
    int index;           // among the wires of the world
    palBeamState state;  // owned
    palBeamWork work;    // owned
    bool failed;         // A was not positive definite: it did not move in the last step
} palSteppedWire;

palResult palSteppedWire_Init(palSteppedWire* stepped, const palWire* wire, int index,
                              palError* error);
void palSteppedWire_Free(palSteppedWire* stepped);

/// Free motion over h; the node in the hand goes where the hand is within it, or is pulled there.
void palSteppedWire_Move(palSteppedWire* stepped, double h, const palBeamHand* hand);

typedef struct palLinkRows
{
    int linkCount;
    const palLink* links[pal_linksMax]; // borrowed until Apply
    int first[pal_linksMax];            // row of each
    palQuat turns[pal_linksMax][2];     // welds: how the ends are turned
    bool lost[pal_linksMax];            // an end is on a wire that failed: it holds nothing
    int count;                          // rows
    bool sliding[pal_linkRowMax];       // the row is of motion within the step, not of position
    double gap[pal_linkRowMax];         // δ_free, m or rad
    double lambda[pal_linkRowMax];      // N or N·m; the guess before Solve
    double W[pal_linkRowMax * pal_linkRowMax]; // [count][pal_linkRowMax]
    palContactBlock blocks[2 * pal_linksMax];
    int blockCount;

    // Rows on the wires of this rate: a link has one for each end on a wire.
    int wireRowCount;
    palBeamRow wireRows[2 * pal_linkRowMax];
    int wireOf[2 * pal_linkRowMax]; // index among the stepped wires
    int rowOf[2 * pal_linkRowMax];
    double signOf[2 * pal_linkRowMax];
    double local[2 * pal_linkRowMax][2 * pal_linkRowMax]; // compliance of one wire's rows, m/N

    palSolveWorkspace* workspace; // owned
    palSolveInfo info;            // of the last Solve
} palLinkRows;

palResult palLinkRows_Create(palLinkRows** rows, palError* error);
void palLinkRows_Destroy(palLinkRows* rows);

/// Empties the problem.
void palLinkRows_Begin(palLinkRows* rows);
/// Adds a link, with what its ends in the world contribute; `stop` as palLink_Blocks takes it.
/// Returns false where there is no room. λ of its rows is left as it was.
bool palLinkRows_Add(palLinkRows* rows, const palLink* link, int stop);
/// Adds the wires of this rate: δ_free from their free motion, and their compliance. The links of a
/// wire that failed are lost.
void palLinkRows_AddWires(palLinkRows* rows, palSteppedWire* wires, int wireCount);
/// After all bodies: the rotation rows of welds.
void palLinkRows_AddTurns(palLinkRows* rows);

/// H5, L6: finds λ, from the present one.
void palLinkRows_Solve(palLinkRows* rows);

/// H6, L7: the wires' motion under λ.
void palLinkRows_Apply(const palLinkRows* rows, palSteppedWire* wires, int wireCount);

#endif
