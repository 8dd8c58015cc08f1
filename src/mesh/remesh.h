// SPDX-License-Identifier: Apache-2.0
// Remeshing of a surface whose exact shape is given by a field.
#ifndef PAL_MESH_REMESH_H
#define PAL_MESH_REMESH_H

#include "mesh/field.h"
#include "mesh/surface.h"

/// Remeshes a closed oriented manifold close to the zero set of `field` so that its edges are about
/// `edge` long, its triangles near-equilateral and its vertices on the zero set. The topology is
/// preserved. The input must be at least as fine as `edge`: edges are merged and flipped, never
/// split.
palResult palRemesh(palSurface* surface, palField field, double edge, palError* error);

#endif
