// SPDX-License-Identifier: Apache-2.0
// Well-shaped triangles for a surface whose exact form is known as a field.
#ifndef PAL_MESH_REMESH_H
#define PAL_MESH_REMESH_H

#include "mesh/field.h"
#include "mesh/surface.h"

/// Rebuilds a closed oriented manifold that lies near the zero set of `field` so that its edges are
/// about `edge` long, its triangles near-equilateral and its vertices on the zero set. The topology
/// stays. The input must be at least as fine as `edge`: edges are merged and flipped, never split.
palResult palRemesh(palSurface* surface, palField field, double edge, palError* error);

#endif
