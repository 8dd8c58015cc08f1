// SPDX-License-Identifier: Apache-2.0
// Proximity to a triangle surface: an 8-wide bounding volume hierarchy.
//
// Boxes are stored in single precision, rounded outward, eight per node, so that the boxes of a
// node are tested together (bvh_avx2.c; bvh_scalar.c is its twin); triangles are tested in double
// precision. Answers are therefore exact: the same as testing every triangle, to the last bit.
// Queries allocate nothing, are re-entrant, and take bounded memory on the stack.
#ifndef PAL_COLLIDE_BVH_H
#define PAL_COLLIDE_BVH_H

#include "mesh/surface.h"

struct palPlacement;
typedef struct palBvh palBvh;

typedef struct palClosest
{
    int triangle;               // -1 where nothing was found
    palTriangleFeature feature; // of that triangle
    palVec3 point;              // on the surface, m
    double weights[3];          // barycentric: point = sum of weights times corners
    double distance;            // m, >= 0
} palClosest;

/// A place where a segment crosses the surface.
typedef struct palCrossing
{
    int triangle; // -1 where nothing is crossed
    double t;     // 0..1 along the segment
    palVec3 point;
} palCrossing;

/// Builds the tree over a copy of the surface's triangles and vertices. An empty surface, an index
/// out of range and a coordinate that is not finite or beyond 1e15 m are errors.
palResult palBvh_Create(const palSurface* surface, palBvh** bvh, palError* error);
void palBvh_Destroy(palBvh* bvh);

/// Takes new vertex positions, finite ones, for the same triangles, in time linear in their number.
void palBvh_Refit(palBvh* bvh, const palVec3* vertices);

/// Binds the tree to the placement of the same surface, which is borrowed: from now on
/// palBvh_Defer may take the place of palBvh_Refit.
palResult palBvh_Bind(palBvh* bvh, struct palPlacement* placement, palError* error);
/// Takes new positions as the placement has them, in a time that depends on the nodes of the soft
/// body and not on the number of triangles. What no query comes to is never computed; the answers
/// are the same, also in their order. Such a tree is for one thread.
void palBvh_Defer(palBvh* bvh);

/// A box that has all triangles in it.
palBounds palBvh_Bounds(const palBvh* bvh);

/// The closest surface point within maxDistance (may be INFINITY; the distance of the last answer's
/// triangle makes a good bound). Returns false, and triangle -1, where there is none. Where squared
/// distances, as palClosestOnTriangle computes them, are equal, the lowest triangle index is taken.
bool palBvh_Closest(const palBvh* bvh, palVec3 point, double maxDistance, palClosest* closest);

/// Collects the triangles whose squared distance to `centre` is at most radius², at most `capacity`
/// of them, in no particular but a repeatable order. Returns how many there are in all.
int palBvh_Within(const palBvh* bvh, palVec3 centre, double radius, int capacity, int* triangles);

/// The first crossing of the segment from a to b with any triangle, from either side. Watertight: a
/// segment through an edge or a vertex that triangles share crosses at least one of them, and an
/// end that lies on the surface, up to rounding, crosses it. Triangles seen edge-on are not
/// crossed.
bool palBvh_FirstCrossing(const palBvh* bvh, palVec3 a, palVec3 b, palCrossing* crossing);

/// The closest point of one triangle to a point; what palBvh_Closest evaluates at its leaves.
palClosest palClosestOnTriangle(palVec3 point, palVec3 a, palVec3 b, palVec3 c);

#endif
