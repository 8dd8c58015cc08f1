// SPDX-License-Identifier: Apache-2.0
// The stress in a soft body, for colouring: von Mises's equivalent stress of each element, and at
// each node the mean of the elements around it.
//
//     σ = s (λ tr(ε) I + 2 μ ε),  ε = S - I,  F = R S      as in tet_element.h, at the centre, with
//                                                          s of stiffening.h from the strain there
//     σv = √(3/2 s:s),        s = σ - tr(σ)/3 I            (von Mises 1913)
//     σi = ρ Σ (Ve / ne) σv,e / mi                         weighted by the filled volume
//
// ne are the nodes of the element and mi is the lumped mass, so that ρ / mi is one over the filled
// volume that belongs to node i. At the centre of a brick the incompatible modes have no slope:
// what is left is the strain of its corners.
//
// Elements are visited in rounds, a bounded number per call: the colours of a large body are
// updated less often, at the same cost per call.
#ifndef PAL_BODY_STRESS_H
#define PAL_BODY_STRESS_H

#include "body/soft.h"

typedef struct palStress
{
    const palSoftBody* body; // borrowed
    double* nodes;           // owned, [nodeCount], Pa: of the last whole turn
    double* sums;            // owned, [nodeCount], Pa m³: of the turn under way
    int next;                // the element to visit next
    bool isWhole;            // a turn has come to its end since the last restart
} palStress;

palResult palStress_Init(palStress* stress, const palSoftBody* body, palError* error);
void palStress_Free(palStress* stress);

/// Discards the sums of the round under way.
void palStress_Restart(palStress* stress);
/// Visits the next elements, at most `most` and at most to the end of the turn. Returns how many.
/// No allocation.
int palStress_Advance(palStress* stress, int most);

/// σv of one element of the body (tets first, then bricks) as it is now, Pa.
double palSoftBody_ElementStress(const palSoftBody* body, int element);

#endif
