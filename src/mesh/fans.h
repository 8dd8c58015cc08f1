// SPDX-License-Identifier: Apache-2.0
// Fans: vertices with very many triangles, as at the centre of a disc's cap.
#ifndef PAL_MESH_FANS_H
#define PAL_MESH_FANS_H

#include "mesh/surface.h"

typedef struct palFanFacts
{
    int opened; // vertices whose triangle count was reduced to the allowed number
    int left;   // remaining vertices with more triangles than allowed
    int most;   // largest triangle count among the remaining ones
} palFanFacts;

/// Flips edges of a closed oriented manifold until at most `allowed` triangles meet in a vertex.
/// Only edges between nearly coplanar triangles are flipped, so that the shape is preserved: the
/// tip of a cone is not changed. Vertices and the number of triangles are unchanged. For a surface
/// that is not a closed manifold only `facts` is filled.
palResult palOpenFans(palSurface* surface, int allowed, palFanFacts* facts, palError* error);

#endif
