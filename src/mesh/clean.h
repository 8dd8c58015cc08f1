// SPDX-License-Identifier: Apache-2.0
// Mesh cleaning: removes duplicate vertices, degenerate triangles, duplicate triangles and unused
// vertices.
#ifndef PAL_MESH_CLEAN_H
#define PAL_MESH_CLEAN_H

#include "mesh/surface.h"

typedef struct palCleanReport
{
    int welded;       // vertices merged with an earlier one
    int caps;         // triangles of zero area repaired by splitting a neighbour (caps.h)
    int degenerate;   // triangles removed: coincident or collinear corners
    int duplicate;    // triangles removed: same corners as an earlier one that stays
    int opposite;     // triangles removed: pairs of opposite orientation, which enclose nothing
    int unreferenced; // vertices removed: used by no triangle
} palCleanReport;

/// Cleans in place. A vertex closer to an earlier one than `tolerance` times the bounding box's
/// diagonal is welded to it; with 0 only equal vertices. The order of the rest is preserved.
palResult palSurface_Clean(palSurface* surface, double tolerance, palCleanReport* report,
                           palError* error);

#endif
