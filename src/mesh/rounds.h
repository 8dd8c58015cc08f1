// SPDX-License-Identifier: Apache-2.0
// Round holes and shafts of a surface: facets that go about an axis, and how far these flat facets
// are from the circle through their corners.
#ifndef PAL_MESH_ROUNDS_H
#define PAL_MESH_ROUNDS_H

#include "mesh/topology.h"

typedef struct palRound
{
    bool isHole;
    palVec3 axis;       // unit
    palVec3 centre;     // m: in the middle of it
    double halfLength;  // m: along the axis
    double radius;      // m: of the circle through the corners
    double facetHeight; // m: from the circle to the middle of the facets, at most
} palRound;

/// Finds the round parts of a surface that go more than half way about their axis, at most
/// `capacity`. Writes their number.
palResult palRounds_Find(const palSurface* surface, const palTopology* topology, int capacity,
                         palRound* rounds, int* count, palError* error);

#endif
