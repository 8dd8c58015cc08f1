// SPDX-License-Identifier: Apache-2.0
// Caps: triangles without area whose three corners are apart, on a line. Programs leave them where
// a long edge meets two short ones. To drop one would open the surface along that line.
#ifndef PAL_MESH_CAPS_H
#define PAL_MESH_CAPS_H

#include "mesh/surface.h"

/// Whether the corners are apart and span a plane.
bool palTriangleHasArea(const palSurface* surface, const int* triangle);

/// Swaps the longest edge of every cap with the other diagonal of the quadrilateral that the cap
/// forms with its neighbour there: the neighbour is split at the middle corner, and the surface
/// stays closed. `repaired` counts the caps that are gone; one without such a neighbour stays. No
/// triangle may have a corner twice.
palResult palSurface_SwapCaps(palSurface* surface, int* repaired, palError* error);

#endif
