// SPDX-License-Identifier: Apache-2.0
// A tool's surface as points: its vertices, and further ones where those are far apart.
#ifndef PAL_BODY_SHELL_POINTS_H
#define PAL_BODY_SHELL_POINTS_H

#include "mesh/surface.h"

/// Points on the surface: every vertex first, in their order; then, evenly, points on edges longer
/// than `spacing` and within triangles that have such an edge, so that no place of the surface is
/// farther than `spacing` from a point. Where they would be more than `most`, that many of them, as
/// far apart as they can be. The array is the caller's to free. A surface with more than a hundred
/// thousand points to choose from is an error.
/// `cover`: no place of the surface is farther from a point, m, at most.
palResult palShellPoints_Make(const palSurface* surface, double spacing, int most, palVec3** points,
                              int* count, double* cover, palError* error);

#endif
