// SPDX-License-Identifier: Apache-2.0
// The convex hull of points, as a closed surface.
#ifndef PAL_MESH_CONVEX_HULL_H
#define PAL_MESH_CONVEX_HULL_H

#include "mesh/surface.h"

/// Quickhull (Barber, Dobkin and Huhdanpaa 1996). The vertices are those of the points that the
/// triangles need, in their order; points within rounding of the hull are left out, so that
/// duplicates and points inside a flat face do no harm. Fewer than four points, points that are not
/// finite and points that lie in one plane are errors.
palResult palMakeConvexHull(const palVec3* points, int count, palSurface* surface, palError* error);

#endif
