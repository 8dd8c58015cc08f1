// SPDX-License-Identifier: Apache-2.0
// The state of method `compliance`; compliance.c says how it works.
#ifndef PAL_RENDER_COMPLIANCE_H
#define PAL_RENDER_COMPLIANCE_H

#include "render/slow_loop.h"

/// Where the bodies of a loop have the joints, as the high rate sees them.
typedef struct palSlowPlaces
{
    double row[pal_linkRowMax];      // Σ ± axis·p, m; of rotation rows the turning since the
                                     // snapshot, rad
    palQuat turns[pal_jointsMax][2]; // welds: how the ends are turned
} palSlowPlaces;

typedef struct palCompliance
{
    palMethod method;
    int loopCount;

    int slowNodes[pal_loopsMax]; // nodes of each loop's wires

    // Each of its own thread.
    palSlowLoop* loops[pal_loopsMax]; // owned

    // High rate.
    palSteppedWire wires[pal_wiresMax];
    int wireCount;
    int handWire;                  // the one that the hand holds, among `wires`
    palVec3 deviceStart;           // m, where the device was at first
    palQuat deviceTurn;            // how it was turned
    palBeamHand hand;              // where it has the wire that it holds
    palLink joints[pal_jointsMax]; // with the places and axes of now
    int jointRows;
    palVec3 slowX[pal_wireNodesMax]; // nodes of the wires of slower loops; as palWireStates has
    palQuat slowQ[pal_wireNodesMax]; // them
    palRows* rows;                   // owned
    palSlowMotion* motions[pal_loopsMax];        // owned
    int loopFirst[pal_loopsMax + 1];             // row of each loop's first contact
    uint64_t loopSequence[pal_loopsMax];         // of the snapshots that the rows are of
    double offset[pal_loopsMax][pal_linkRowMax]; // m, rad: of the joints' rows; see letIn
    palSlowPlaces seen[pal_loopsMax];            // where each loop had the joints' rows last
    int contactLink;                             // the first link of `rows` that is a contact
    palLink lastContacts[pal_linksMax];          // of the last tick, to tell which ones last
    double lastLambda[pal_linksMax][3];
    int lastCount;
} palCompliance;

// compliance_rows.c: the rows of a tick. `slow` has a snapshot for each loop.

/// H3: the rows of the joints and of the contacts that the slower loops have found; λ from the last
/// tick, contact by contact where a snapshot is new.
void palCompliance_Gather(palCompliance* compliance, const palSlowSnapshot* const* slow,
                          bool isNew);

/// The row of the problem that is row `own` of a loop, and how many rows a loop numbers.
int palCompliance_RowOf(const palCompliance* compliance, int loop, int own);
int palCompliance_RowsOf(const palCompliance* compliance, int loop);

/// H3, H4: what the bodies of one loop add to δ_free and W.
void palCompliance_AddLoop(palCompliance* compliance, int loop, const palSlowSnapshot* slow);

/// Where the present state of the modes has the joints.
void palCompliance_FindPlaces(const palCompliance* compliance, int loop,
                              const palSlowSnapshot* slow, palSlowPlaces* places);

/// A new snapshot has the bodies a little elsewhere than their modes had them before, by what is
/// not linear in their motion. Taken at once that would be made up for within one tick, which is a
/// blow: it is let in with a time constant of ΔT/3 instead. At rest there is nothing to let in.
void palCompliance_LetIn(palCompliance* compliance, int loop, const palSlowSnapshot* slow,
                         bool isNew);

/// The rotations of welded ends on the bodies of slower loops.
void palCompliance_PlaceTurns(palCompliance* compliance, const palSlowSnapshot* const* slow);

/// H6: moves the rings along their wires to where the step has taken them.
void palCompliance_SlideRings(palCompliance* compliance);

#endif
