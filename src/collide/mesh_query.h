// SPDX-License-Identifier: Apache-2.0
// What all searches for contacts with a mesh share: the two bodies in one frame, and the tests of
// points, edges and directions against the features of a mesh.
//
// Contacts are found by directions, not by distances: a vertex touches a face along the normal of
// the face, two edges along their common perpendicular, if that direction lies in the normal cones
// of both features. So nothing changes in what is found where a gap goes through zero.
#ifndef PAL_COLLIDE_MESH_QUERY_H
#define PAL_COLLIDE_MESH_QUERY_H

#include "collide/bvh_pair.h"
#include "collide/contact_patches.h"
#include "collide/mesh_features.h"

enum
{
    // Pairs of leaves, of eight triangles each, that one query looks at.
    pal_meshLeafPairsMax = 1 << 14,
    pal_meshLeavesMax = 1 << 13, // the same of one mesh against a shape that is none
};

/// The sine of the angle by which a face that is about to lie down may lean, so that its far
/// corners are contacts already; the same for edges, which then take the normal of their nearer
/// face; and of what is computed from short distances, for rounding.
static const double pal_vertexSlack = 0.1;
static const double pal_edgeSlack = 0.02;
static const double pal_directionSlack = 1e-7;

/// A mesh, or a polyhedron with its triangles, in the frame of the query.
typedef struct palMeshSide
{
    const palRigidShape* shape; // borrowed
    palMat3 R;                  // its own frame to that of the query
    palVec3 x;                  // m
    bool isTurned;              // else R is the identity and x zero
} palMeshSide;

/// A triangle in the frame of the query.
typedef struct palMeshFace
{
    const palMeshSide* side; // borrowed
    int triangle;
    palVec3 corners[3]; // m
    palVec3 normal;     // unit
} palMeshFace;

/// An edge of a body in the frame of the query, and the faces that meet there.
typedef struct palMeshEdge
{
    palVec3 ends[2];    // m; counterclockwise about the first face
    palVec3 along;      // unit
    palVec3 normals[2]; // of the two faces, unit
    palVec3 inward[2];  // unit, from the edge into each face
} palMeshEdge;

typedef struct palMeshQuery
{
    palMeshSide a, b;          // only b where a has no triangles; the frame is that of b
    double distance;           // m
    double depth;              // overlaps that are deeper are not contacts, m
    double tolerance;          // what is off by less is on a face or at an end of an edge, m
    double slides;             // how far they may slide until the next search, m; 0: not asked
    int leavesLeft;            // pairs of leaves, or leaves, that may still be looked at
    palContactPatches patches; // in the frame of b
} palMeshQuery;

typedef enum palFeaturePair
{
    pal_pairVertexFace, // of a, of b
    pal_pairFaceVertex,
    pal_pairEdgeEdge,
    pal_pairVertexEdge,
    pal_pairEdgeVertex,
    pal_pairVertexVertex,
} palFeaturePair;

static inline uint64_t palMeshQuery_Key(palFeaturePair pair, int a, int b)
{
    return (uint64_t)pair << 60 | (uint64_t)(uint32_t)a << 30 | (uint64_t)(uint32_t)b;
}

static inline palFeaturePair palMeshQuery_Pair(uint64_t key)
{
    return (palFeaturePair)(key >> 60);
}

static inline int palMeshQuery_KeyOfA(uint64_t key)
{
    return (int)(key >> 30 & 0x3fffffffu);
}

static inline int palMeshQuery_KeyOfB(uint64_t key)
{
    return (int)(key & 0x3fffffffu);
}

static inline palVec3 palMeshSide_Point(const palMeshSide* side, palVec3 local)
{
    return side->isTurned ? palAdd(palMat3Apply(side->R, local), side->x) : local;
}

static inline palVec3 palMeshSide_Direction(const palMeshSide* side, palVec3 local)
{
    return side->isTurned ? palMat3Apply(side->R, local) : local;
}

static inline palVec3 palMeshSide_LocalDirection(const palMeshSide* side, palVec3 d)
{
    return side->isTurned ? palMat3Apply(palMat3Transpose(side->R), d) : d;
}

static inline palVec3 palMeshSide_LocalPoint(const palMeshSide* side, palVec3 x)
{
    return side->isTurned ? palMeshSide_LocalDirection(side, palSub(x, side->x)) : x;
}

palMeshFace palMeshSide_Face(const palMeshSide* side, int triangle);

/// The edge from corner k to k + 1 of a face that owns it.
palMeshEdge palMeshFace_Edge(const palMeshFace* face, int k);

/// Whether a vertex sticks out in a unit direction of the query's frame.
bool palMeshSide_SticksOut(const palMeshSide* side, int vertex, palVec3 direction, double slack);

/// The triangles of a leaf of b, each once. Returns how many, or -1 where as many leaves have been
/// looked at as may be.
int palMeshQuery_Triangles(palMeshQuery* query, int leaf, int triangles[pal_bvhWidth]);

/// Whether a point, `height` above the plane of a face, is over the face. Also where it is beyond
/// a groove of the face, because it is inside the body behind the other face of that groove.
bool palMeshQuery_IsOver(const palMeshQuery* query, const palMeshFace* face, palVec3 point);

/// Whether a unit direction square to an edge lies between its faces' normals, up to the sine
/// `slack`. Where it is beyond, it becomes the normal of the face that it is beyond.
bool palMeshEdge_Clamp(const palMeshEdge* edge, double slack, palVec3* direction);

static inline palVec3 palMeshEdge_Sum(const palMeshEdge* edge)
{
    return palAdd(edge->normals[0], edge->normals[1]);
}

/// The common perpendicular of two edges.
typedef struct palPerpendicular
{
    palVec3 onA, onB; // m
    palVec3 n;        // unit, either way
} palPerpendicular;

/// Returns false where the edges are parallel, where it does not meet both of them, or is longer
/// than `reach`.
bool palMeshQuery_Perpendicular(const palMeshQuery* query, const palVec3 a[2], const palVec3 b[2],
                                double reach, palPerpendicular* found);

/// How a point of one body lies in another, which is a mesh.
typedef enum palWayOut
{
    pal_notInside,
    pal_wayOut,       // inside, and the way out is about as long as was asked
    pal_shorterWayOut // there is a shorter one
} palWayOut;

/// Compares the shortest way out of a mesh at a point with one of length `depth`. `reach`: as far
/// as the surface is looked for, at least the depth. `normal` receives the direction of the
/// shortest.
palWayOut palMeshQuery_WayOut(const palMeshQuery* query, const palMeshSide* side, palVec3 point,
                              double reach, double depth, palVec3* normal);

/// Whether a point is inside a mesh by more than the tolerance, and at most `reach` deep.
bool palMeshQuery_IsInside(const palMeshQuery* query, const palMeshSide* side, palVec3 point,
                           double reach);

/// n: unit, from b to a.
void palMeshQuery_Add(palMeshQuery* query, palVec3 onA, palVec3 onB, palVec3 n, uint64_t key);

/// The three searches; each adds what it finds. They return how many leaves were not looked at.
int palMeshQuery_Polyhedra(palMeshQuery* query);
/// `pose`: of the shape in the frame of the mesh.
int palMeshQuery_Round(palMeshQuery* query, const palRigidShape* shape, palPose pose);
int palMeshQuery_Cylinder(palMeshQuery* query, const palRigidShape* shape, palPose pose);
int palMeshQuery_HalfSpace(palMeshQuery* query, palPose pose);

#endif
