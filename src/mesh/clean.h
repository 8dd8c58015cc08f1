// SPDX-License-Identifier: Apache-2.0
// Removing what carries no surface: repeated vertices, triangles without area, repeated triangles,
// vertices that no triangle uses.
#ifndef PAL_MESH_CLEAN_H
#define PAL_MESH_CLEAN_H

#include "mesh/surface.h"

typedef struct palCleanReport
{
    int welded;       // vertices that became one with an earlier one
    int caps;         // triangles without area repaired by splitting a neighbour (caps.h)
    int degenerate;   // triangles dropped: two corners in one place, or all on a line
    int duplicate;    // triangles dropped: the corners of an earlier one
    int unreferenced; // vertices dropped: no triangle used them
} palCleanReport;

/// Cleans in place. Vertices within `tolerance` times the bounding box's diagonal of an earlier one
/// are welded to it; with 0 only equal ones. The order of what remains is kept.
palResult palSurface_Clean(palSurface* surface, double tolerance, palCleanReport* report,
                           palError* error);

#endif
