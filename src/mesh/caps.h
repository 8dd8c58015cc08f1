// SPDX-License-Identifier: Apache-2.0
// Caps: triangles of zero area with three distinct, collinear corners. Mesh generators create them
// where a long edge meets two short ones. Removing one would open the surface along that line.
#ifndef PAL_MESH_CAPS_H
#define PAL_MESH_CAPS_H

#include "mesh/surface.h"

/// Whether the corners are distinct and not collinear.
bool palTriangleHasArea(const palSurface* surface, const int* triangle);

/// Swaps the longest edge of every cap with the other diagonal of the quadrilateral that the cap
/// forms with its neighbour: the neighbour is split at the middle corner, and the surface stays
/// closed. `repaired` is the number of caps removed; a cap without such a neighbour remains. No
/// triangle may contain a vertex twice.
palResult palSurface_SwapCaps(palSurface* surface, int* repaired, palError* error);

#endif
