// SPDX-License-Identifier: Apache-2.0
// Turning triangles so that neighbours agree and closed parts face outward.
#ifndef PAL_MESH_ORIENT_H
#define PAL_MESH_ORIENT_H

#include "mesh/surface.h"

typedef struct palOrientReport
{
    int turnedTriangles; // to agree with their neighbours
    int turnedParts;     // closed parts that faced inward and were turned as a whole
    int cavities;        // closed parts inside another that face the hollow they bound
    int innerParts;      // closed parts inside another that face outward: a solid within a solid
    int oneSidedParts;   // parts that cannot be oriented (a Moebius strip); left as given
} palOrientReport;

/// Orients in place. Within a part the majority decides. A closed part faces outward, so that its
/// volume is positive; one that lies inside another keeps its sense relative to that one.
palResult palSurface_Orient(palSurface* surface, palOrientReport* report, palError* error);

#endif
