// SPDX-License-Identifier: Apache-2.0
// Division of long triangles.
#ifndef PAL_MESH_SUBDIVIDE_H
#define PAL_MESH_SUBDIVIDE_H

#include "mesh/surface.h"

/// Halves the edges that are longer than `longest`, m, until none is or there are `most` triangles.
/// The shape is the same, vertices keep their numbers, and triangles that shared an edge share its
/// halves.
palResult palSubdivide(palSurface* surface, double longest, int most, palError* error);

#endif
