// SPDX-License-Identifier: Apache-2.0
// The contact problem of one step of stacked boxes on a floor, for tests and benchmarks.
//
// Boxes stand in layers, each layer shifted by half a box, and touch with the corners of the faces
// that they share. Gravity and a random velocity of each box give their free motion. Contacts are
// implicit springs and dampers in proportion to the effective mass m of their normal,
//
//     k = m ω²,  c = 2 ζ m ω,  β = hk/(hk + c),  R = h/(hk + c),  δ = β g + h v + R λ
//
// for a penetration g <= 0, or rigid and without penetration (δ = h v) with a frequency of zero: to
// stay where it is satisfies every law, so that a solution exists.
#ifndef PAL_SOLVE_SAMPLE_BOXES_H
#define PAL_SOLVE_SAMPLE_BOXES_H

#include "solve/stored_sparse.h"

typedef struct palSampleBoxesDef
{
    uint64_t seed;
    int columns; // boxes of a layer, along x; odd layers have one fewer
    int depth;   // and along y
    int layers;
    int points;       // of each pair of faces: 4 corners, or 8 with the middles of the edges
    double massRatio; // of the layers, alternately: 1 and this
    double disorder;  // of places, normals and masses, relative; 0: a wall of bricks
    double speed;     // standard deviation of the boxes' velocities, m/s
    double mu;
    double frequency; // ω/2π, Hz; 0: rigid
    double damping;   // ζ
    double h;         // s
} palSampleBoxesDef;

/// A wall of 52 bricks with about 600 contacts.
palSampleBoxesDef palDefaultSampleBoxesDef(void);

palResult palSampleBoxes(const palSampleBoxesDef* def, palStoredSparse* stored, palError* error);

#endif
