// SPDX-License-Identifier: Apache-2.0
// A surface whose vertices move through a step, with what contact of its features needs: the
// triangle that each belongs to, normals, and inside or outside. After Init nothing is allocated.
#ifndef PAL_COLLIDE_MOVING_SURFACE_H
#define PAL_COLLIDE_MOVING_SURFACE_H

#include "base/archive.h"
#include "body/place.h"
#include "collide/box_tree.h"
#include "collide/bvh.h"
#include "collide/continuous.h"
#include "mesh/topology.h"

typedef struct palMovingSurface
{
    palSurface surface;   // owned: the triangles, and the vertices at the end of the step
    palVec3* start;       // owned, [vertexCount], at the beginning
    palTopology topology; // owned; of the edges only, its normals are those at Init
    palBvh* bvh;          // owned, of the end of the step
    palBounds* boxes;     // owned, [triangleCount], swept
    palBoxTree tree;      // owned, over the boxes
    palBounds bounds;     // of all boxes
    uint8_t* owned; // owned, [triangleCount]: bit k: corner k, bit 3 + k: edge k belongs to it
    bool closed;    // it has an inside
} palMovingSurface;

/// Copies the surface.
palResult palMovingSurface_Init(palMovingSurface* moving, const palSurface* surface,
                                palError* error);
void palMovingSurface_Free(palMovingSurface* moving);

/// Where all vertices are before and after the step; finite.
void palMovingSurface_Move(palMovingSurface* moving, const palVec3* start, const palVec3* end);
void palMovingSurface_Archive(palMovingSurface* moving, palArchive* archive);

static inline palMovingPoint palMovingSurface_Vertex(const palMovingSurface* moving, int vertex)
{
    return (palMovingPoint){moving->start[vertex], moving->surface.vertices[vertex]};
}

/// The outward unit normal of a part of a triangle at the end of the step: the angle-weighted
/// pseudo-normal (mesh/topology.h).
palVec3 palMovingSurface_Normal(const palMovingSurface* moving, int triangle,
                                palTriangleFeature feature);

/// Whether y is in the Voronoi region of that part of the surface, at x: no neighbouring part is
/// nearer to y.
bool palMovingSurface_IsNearest(const palMovingSurface* moving, int triangle,
                                palTriangleFeature feature, palVec3 x, palVec3 y);

/// Whether no edge that leaves the feature falls below the plane through x perpendicular to n by
/// more than the sine `slack`: whether the feature is convex against n.
bool palMovingSurface_SticksOut(const palMovingSurface* moving, int triangle,
                                palTriangleFeature feature, palVec3 x, palVec3 n, double slack);

/// The nearest place within `reach`, and the signed distance: negative inside a closed surface.
bool palMovingSurface_Nearest(const palMovingSurface* moving, palVec3 x, double reach,
                              palClosest* closest, double* distance);

/// How often the surface at the end of the step goes around x: 0 outside of a closed surface, 1
/// inside, more where it is folded onto itself. Looks at every triangle.
double palMovingSurface_Winding(const palMovingSurface* moving, palVec3 x);

/// A closest point as a place.
palSurfacePlace palMovingSurface_Place(const palMovingSurface* moving, const palClosest* closest);
/// Where a place is at the end of the step.
palVec3 palMovingSurface_At(const palMovingSurface* moving, const palSurfacePlace* place);

#endif
