// SPDX-License-Identifier: Apache-2.0
// Contacts of two wires, or of two parts of one, that are needed until the next snapshot.
//
// There is a contact
//
//     at every local minimum of the distance between the two curves: one for each crossing, and
//     where an end of one wire meets the other;
//     where the wires run side by side, at the nodes of the one with the shorter elements.
//
// A contact keeps the distance at the sum of the radii. The search distance between the surfaces is
// `threshold`, plus what the wires approach each other within `horizon` at their present velocity.
//
// A contact keeps its side: its normal never reverses from step to step, so that wires which passed
// through each other nevertheless are brought back. Wires that passed through each other within one
// step, and had no contact before it, are found by continuous collision of the chords of their
// elements between the state before and the present one.
//
// Parts of one wire touch where they are at least four elements and eight radii apart along it.
#ifndef PAL_CONSTRAINT_WIRE_PAIR_H
#define PAL_CONSTRAINT_WIRE_PAIR_H

#include "constraint/link.h"
#include "constraint/wire_distance.h"

/// Two wires, or the same one twice.
typedef struct palWirePairSearch
{
    palWireAt wires[2];
    double threshold;      // m, between their surfaces
    double horizon;        // s, that the contacts must cover
    const palLink* joints; // borrowed, [jointCount]: no contacts near joints of the two wires
    int jointCount;
    const palLink* last; // borrowed, [lastCount]: the contacts of the step before
    int lastCount;
} palWirePairSearch;

/// Writes the contacts of the two wires to `links`; of more than `capacity` only the closest.
/// Returns how many were written, and adds the number of the others to `dropped`.
int palFindWirePairContacts(const palWirePairSearch* search, int capacity, palLink* links,
                            int* dropped);

#endif
