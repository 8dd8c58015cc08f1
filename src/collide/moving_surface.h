// SPDX-License-Identifier: Apache-2.0
// A surface whose vertices move through a step, with what contact of its features needs: the
// triangle that each belongs to, normals, and inside or outside. After Init and Bind nothing is
// allocated.
//
// Where the nodes of a soft body move it, vertices, boxes and trees are computed where somebody
// looks, by the thread that moves it; vertices are read through palMovingSurface_Vertex and _End.
#ifndef PAL_COLLIDE_MOVING_SURFACE_H
#define PAL_COLLIDE_MOVING_SURFACE_H

#include "base/archive.h"
#include "body/place.h"
#include "collide/box_tree.h"
#include "collide/bvh.h"
#include "collide/continuous.h"
#include "collide/swept_boxes.h"
#include "mesh/topology.h"

typedef struct palMovingSurface
{
    palSurface surface;   // owned: the triangles, and the vertices at the end of the step
    palVec3* start;       // owned, [vertexCount], at the beginning
    palTopology topology; // owned; of the edges only, its normals are those at Init
    palBvh* bvh;          // owned, of the end of the step
    palBounds* boxes;     // owned, [triangleCount], swept
    palBoxTree tree;      // owned, over the boxes
    palBounds bounds;     // around all boxes
    uint8_t* owned; // owned, [triangleCount]: bit k: corner k, bit 3 + k: edge k belongs to it
    bool closed;    // it has an inside
    palPlacement* places[2]; // owned: before and after the step, where nodes move it; else NULL
    palSweptBoxes* swept;    // owned: likewise
} palMovingSurface;

/// Copies the surface.
palResult palMovingSurface_Init(palMovingSurface* moving, const palSurface* surface,
                                palError* error);
void palMovingSurface_Free(palMovingSurface* moving);

/// Where all vertices are before and after the step; finite.
void palMovingSurface_Move(palMovingSurface* moving, const palVec3* start, const palVec3* end);
void palMovingSurface_Archive(palMovingSurface* moving, palArchive* archive);

/// From now on nodes move it, through a skin, borrowed.
palResult palMovingSurface_Bind(palMovingSurface* moving, const palSkin* skin, int nodeCount,
                                palError* error);
/// Where the nodes are before and after the step, finite. Returns how far the vertex moves that
/// moves farthest, m.
double palMovingSurface_MoveNodes(palMovingSurface* moving, const palVec3* start,
                                  const palVec3* end);

/// A vertex at the end of the step.
static inline palVec3 palMovingSurface_End(const palMovingSurface* moving, int vertex)
{
    return moving->swept != NULL ? palPlacement_Vertex(moving->places[1], vertex)
                                 : moving->surface.vertices[vertex];
}

static inline palMovingPoint palMovingSurface_Vertex(const palMovingSurface* moving, int vertex)
{
    palVec3 start = moving->swept != NULL ? palPlacement_Vertex(moving->places[0], vertex)
                                          : moving->start[vertex];
    return (palMovingPoint){start, palMovingSurface_End(moving, vertex)};
}

/// Of surfaces that nodes move, the triangles with boxes within `distance` of a box of another
/// surface, and maybe others, as bits. NULL: all of a surface that vertices move.
const uint64_t* palMovingSurface_TrianglesNear(const palMovingSurface* moving,
                                               const palMovingSurface* other, double distance);
/// Likewise vertices within the bounds of another surface and within `distance` of it.
const uint64_t* palMovingSurface_VerticesNear(const palMovingSurface* moving,
                                              const palMovingSurface* other, double distance);
/// The first bit from `index` on that is set; `count` where there is none. Bits NULL: all are set.
int palNextBit(const uint64_t* bits, int index, int count);

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

/// How often a closed surface goes around x at the end of the step: 0 outside, 1 inside, more where
/// it is folded onto itself. Looks at the triangles along a line from x.
int palMovingSurface_Winding(const palMovingSurface* moving, palVec3 x);

/// A closest point as a place.
palSurfacePlace palMovingSurface_Place(const palMovingSurface* moving, const palClosest* closest);
/// Where a place is at the end of the step.
palVec3 palMovingSurface_At(const palMovingSurface* moving, const palSurfacePlace* place);

#endif
