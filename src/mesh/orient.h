// SPDX-License-Identifier: Apache-2.0
// Consistent orientation: neighbouring triangles agree and closed parts face outward.
#ifndef PAL_MESH_ORIENT_H
#define PAL_MESH_ORIENT_H

#include "mesh/surface.h"

typedef struct palOrientReport
{
    int turnedTriangles; // triangles flipped to agree with their neighbours
    int turnedParts;     // closed parts that faced inward and were flipped
    int cavities;        // closed parts inside another, facing inward
    int innerParts;      // closed parts inside another, facing outward: a solid inside a solid
    int oneSidedParts;   // parts that are not orientable (a Moebius strip); unchanged
} palOrientReport;

/// Orients in place. Within a part the majority of the triangles decides. A closed part faces
/// outward, so that its volume is positive; a part inside another keeps its orientation relative to
/// that one.
palResult palSurface_Orient(palSurface* surface, palOrientReport* report, palError* error);

#endif
