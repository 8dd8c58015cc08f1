// SPDX-License-Identifier: Apache-2.0
// Closed surfaces of revolution about z with few triangles, for tools.
#ifndef PAL_MESH_REVOLVED_H
#define PAL_MESH_REVOLVED_H

#include "mesh/surface.h"

/// A circle of vertices.
typedef struct palRing
{
    double radius; // m, > 0
    double z;      // m
} palRing;

/// The rings in the order of the profile, from the lower to the upper end, with `around` vertices
/// each, and a fan to a point on the axis at both ends: 2 around ringCount triangles.
palResult palMakeRevolved(double bottom, double top, int ringCount, const palRing* rings,
                          int around, palSurface* surface, palError* error);

/// The same of a closed profile that does not meet the axis, counterclockwise in (radius, z).
palResult palMakeRevolvedRing(int ringCount, const palRing* rings, int around, palSurface* surface,
                              palError* error);

#endif
