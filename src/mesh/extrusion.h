// SPDX-License-Identifier: Apache-2.0
// A polygon, extruded, as a closed surface.
#ifndef PAL_MESH_EXTRUSION_H
#define PAL_MESH_EXTRUSION_H

#include "mesh/surface.h"

/// A simple polygon in x, y, counterclockwise or clockwise, extruded to z from -height/2 to
/// height/2: twice as many vertices as it has corners, those in the line of their neighbours left
/// out. *convex: the polygon is.
palResult palMakeExtrusion(const palVec3* polygon, int count, double height, palSurface* surface,
                           bool* convex, palError* error);

#endif
