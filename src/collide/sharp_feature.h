// SPDX-License-Identifier: Apache-2.0
// Convex edges and convex vertices of a surface: the features with which it touches where the
// other surface has neither a vertex nor a point of its own.
//
// An edge carries, besides its ends, the directions m1, m2 that lead from it into its two faces. A
// unit vector n perpendicular to the edge lies in its normal cone, that is, can be the normal of a
// contact there, where both faces fall away from it:
//
//     n · m1 <= 0   and   n · m2 <= 0
//
// The boundary edge of an open sheet has one face, and a half circle of normals. Concave edges
// touch nothing but with their ends; they are left out. The normal cone of a vertex is spanned by
// the normals of its faces; it is kept as the round cone about the vertex's normal that holds it.
//
// Two edges with directions ea, eb have the common normal n = ± ea × eb / |ea × eb|, and the
// distance n · (a - b) between their lines. The sign is that for which n lies in the cone of b and
// -n in that of a. Edges in motion cross where the product
//
//     f(t) = (a - b(t)) · (ea × eb(t))
//
// changes its sign while the closest points are within both. Seen from a the other edge moves
// along straight lines, so that f is quadratic. Edges that are parallel have no normal: ends and
// faces meet there.
#ifndef PAL_COLLIDE_SHARP_FEATURE_H
#define PAL_COLLIDE_SHARP_FEATURE_H

#include "collide/box_tree.h"
#include "collide/collider.h"

typedef struct palSharpFeature
{
    palVec3 ends[2]; // m; those of a vertex are the same
    palVec3 into[2]; // unit: m1, m2; of a vertex: its normal, twice
    double size;     // m: of an edge its length, of a vertex that of the longest edge there
    double cone;     // of a vertex: cosine of the angle of its cone; -1: any normal
    bool isVertex;
    int id; // in the topology's edges, or in the surface's vertices
} palSharpFeature;

typedef struct palSharpFeatures
{
    int count;
    palSharpFeature* features; // owned
    palBounds* boxes;          // owned, [count]
    palBoxTree tree;           // owned, over the boxes
    double longest;            // m: the longest edge
    bool* isWanted;            // owned: of a surface that moves, [vertices]: workspace,
    int* vertices;             // owned: likewise
} palSharpFeatures;

/// Edges bent by `angle` or more, rad, and with `withVertices` the vertices that have such an edge
/// and stick out. An open sheet has both sides, and its boundary.
palResult palSharpFeatures_Init(palSharpFeatures* sharp, const palSurface* surface,
                                const palTopology* topology, bool closed, double angle,
                                bool withVertices, palError* error);
/// The same for a surface that moves: there is room for every edge and vertex, and no tree. None is
/// listed yet.
palResult palSharpFeatures_InitMoving(palSharpFeatures* sharp, const palCollider* collider,
                                      palError* error);
void palSharpFeatures_Free(palSharpFeatures* sharp);

/// Lists the features of a surface that moves as it is now, edges and vertices, that have only
/// wanted vertices, [count].
void palSharpFeatures_Refresh(palSharpFeatures* sharp, const palCollider* collider, double angle,
                              const int* wanted, int count);

/// Calls visit(index, data) for every feature whose box comes within `distance` of the segment from
/// a to b. Not of a surface that moves. Real-time.
void palSharpFeatures_Visit(const palSharpFeatures* sharp, palVec3 a, palVec3 b, double distance,
                            void (*visit)(int index, void* data), void* data);

/// Whether n can be the normal of a contact at a vertex.
bool palSharpFeature_Admits(const palSharpFeature* vertex, palVec3 n);

/// Two edges, a and b.
typedef struct palEdgeGap
{
    palVec3 n;       // unit, from b to a
    double sign;     // of n in ea × eb
    double distance; // m, of their lines along n: negative where they overlap
    double s, t;     // closest points: a[0] + s ea and b[0] + t eb; 0..1 within the edges
    double excess;   // sine by which n is outside of the normal cones; <= 0 inside
} palEdgeGap;

/// False where the edges are parallel. Real-time.
bool palEdgeGap_Make(const palSharpFeature* a, const palSharpFeature* b, palEdgeGap* gap);
/// The distance of the lines with the sign that the normal had. Edges that have become parallel: 0.
double palEdgeGap_At(const palSharpFeature* a, const palSharpFeature* b, double sign);
/// Whether the closest points are within both edges, widened by `margin`, m.
bool palEdgeGap_IsWithin(const palEdgeGap* gap, const palSharpFeature* a, const palSharpFeature* b,
                         double margin);

/// What counts as a crossing of edges, m.
typedef struct palCrossingLimits
{
    double margin; // closest points past an end of an edge by less are within it
    double slack;  // overlap by less at the start is none
    double entry;  // and where the closest points come within both edges on the way: an end that
                   // goes around the other edge is taken straight through it
} palCrossingLimits;

/// Whether edge b, on its way from `start` to `end`, crosses a from the outside, or comes to
/// overlap it by the end. `gap` is of the crossing, or of the end. Real-time.
bool palEdges_Cross(const palSharpFeature* a, const palSharpFeature* start,
                    const palSharpFeature* end, const palCrossingLimits* limits, palEdgeGap* gap);

#endif
