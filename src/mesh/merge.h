// SPDX-License-Identifier: Apache-2.0
// A surface with fewer triangles, within a bound on the distance to the given one.
//
// Vertices are removed one by one: one is moved to a neighbour, so that the triangles around it
// become fewer and larger. Where both fans of triangles are seen from above, the distance between
// them is greatest at the vertex that goes or where an old edge crosses a new one, and is found
// there. Every triangle has a bound of its distance to the given surface: that of such a step,
// added to the largest bound of the triangles that it replaces. No vertex moves, no hole is made or
// closed, and sharp edges stay.
#ifndef PAL_MESH_MERGE_H
#define PAL_MESH_MERGE_H

#include "mesh/topology.h"

/// Makes a surface that is nowhere farther than `tolerance` from the given one, m, nor that from
/// it. (*origins)[i], owned by the caller, is the triangle of the given one that triangle i was.
palResult palMergeTriangles(const palSurface* surface, const palTopology* topology,
                            double tolerance, palSurface* merged, int** origins, palError* error);

#endif
