// SPDX-License-Identifier: Apache-2.0
// Where two wires, or two parts of one, may touch within the life of a snapshot.
//
// A contact is put
//
//     at every local minimum of the distance between the two curves: one for each crossing, and
//     where an end of one wire meets the other;
//     where the wires run side by side, at the nodes of the one with the shorter elements.
//
// The distance is kept at the sum of the radii. "Near enough" is the threshold and, on top of it,
// what the wires approach each other within `horizon` at their present speed.
//
// A contact keeps its side: its normal never turns around from step to step, so that wires which
// have crossed each other nevertheless are brought back. Wires that crossed within one step, and
// had no contact before it, are found by continuous collision of their elements between the state
// before and the present one.
//
// Parts of one wire touch where they are at least four elements and eight radii apart along it.
#ifndef PAL_CONSTRAINT_WIRE_PAIR_H
#define PAL_CONSTRAINT_WIRE_PAIR_H

#include "body/wire.h"
#include "constraint/link.h"

/// A wire and where it is.
typedef struct palWireAt
{
    const palWire* wire;       // borrowed
    int body;                  // its id
    const palBeamState* state; // borrowed
    const palVec3* before;     // borrowed: its nodes one step before; NULL: not known
} palWireAt;

/// Two wires, or the same one twice.
typedef struct palWirePairSearch
{
    palWireAt wires[2];
    double threshold;      // m, between their surfaces
    double horizon;        // s, that the contacts must cover
    const palLink* joints; // borrowed, [jointCount]: wires do not touch where they are joined
    int jointCount;
    const palLink* last; // borrowed, [lastCount]: the contacts of the step before
    int lastCount;
} palWirePairSearch;

/// Contacts of the two wires: the nearest, where there is no room for all. Returns how many are
/// written, at most `capacity`, and adds the others to `dropped`.
int palFindWirePairContacts(const palWirePairSearch* search, int capacity, palLink* links,
                            int* dropped);

#endif
