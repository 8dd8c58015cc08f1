// SPDX-License-Identifier: Apache-2.0
// Fans: vertices in which very many triangles meet, as in the middle of a disc's cap.
#ifndef PAL_MESH_FANS_H
#define PAL_MESH_FANS_H

#include "mesh/surface.h"

typedef struct palFanFacts
{
    int opened; // vertices that had more triangles than allowed and have no longer
    int left;   // vertices that still have more
    int most;   // triangles at the worst vertex that is left
} palFanFacts;

/// Exchanges edges of a closed oriented manifold until at most `allowed` triangles meet in a
/// vertex. Only edges between triangles that lie in one plane, nearly, are exchanged, so that the
/// surface stays what it is: the tip of a cone is left. Vertices and the number of triangles stay.
/// Of a surface that is no closed manifold only the facts are found.
palResult palOpenFans(palSurface* surface, int allowed, palFanFacts* facts, palError* error);

#endif
