// SPDX-License-Identifier: Apache-2.0
// Adjacency of a surface's triangles, edges and vertices, and their normals.
//
// The normal of an edge is the mean of its triangles' normals, that of a vertex their mean weighted
// by the angle of each triangle at it. With these pseudonormals the sign of (p - c) · n gives the
// side of a closed surface on which a point p with the closest surface point c lies, for c on any
// feature (J. A. Baerentzen and H. Aanaes, "Signed distance computation using the angle weighted
// pseudonormal", IEEE TVCG 11(3), 2005).
#ifndef PAL_MESH_TOPOLOGY_H
#define PAL_MESH_TOPOLOGY_H

#include "mesh/surface.h"

typedef enum palEdgeKind
{
    pal_edgeBoundary,    // one triangle
    pal_edgeFlat,        // two, in one plane
    pal_edgeConvex,      // two, bent away from the outside: a ridge
    pal_edgeConcave,     // two, bent towards the outside: a groove
    pal_edgeMisoriented, // two of inconsistent orientation: both traverse it in the same direction
    pal_edgeNonManifold, // three or more
} palEdgeKind;

typedef struct palTopology
{
    int vertexCount;
    int triangleCount;
    int edgeCount;
    int (*edges)[2];         // owned, [edgeCount], vertices, the lower index first
    int (*edgeTriangles)[2]; // owned, [edgeCount]: the two lowest; -1: no second triangle
    int (*triangleEdges)[3]; // owned, [triangleCount]; k is the edge from corner k to corner k + 1
    int* starStarts;        // owned, [vertexCount + 1]: where the triangles about each vertex begin
    int* star;              // owned, [3 triangleCount]: in `star`, in ascending order
    palEdgeKind* edgeKinds; // owned, [edgeCount]
    double* edgeAngles;     // owned, [edgeCount], rad, between the two normals: > 0 convex, < 0
                            // concave; 0 without two consistently oriented triangles
    palVec3* triangleNormals; // owned, [triangleCount], unit; zero for a triangle without area
    palVec3* edgeNormals;     // owned, [edgeCount], unit
    palVec3* vertexNormals;   // owned, [vertexCount], unit; zero for an unused vertex
} palTopology;

palResult palTopology_Init(palTopology* topology, const palSurface* surface, palError* error);
void palTopology_Free(palTopology* topology);

/// Recomputes normals, angles and kinds after vertices have moved. Does not allocate.
void palTopology_Refresh(palTopology* topology, const palSurface* surface);

/// The parts of that: the normal of a triangle; the normal, angle and kind of an edge, and the
/// normal of a vertex, from those of the triangles about them.
void palTopology_RefreshTriangle(palTopology* topology, const palSurface* surface, int triangle);
void palTopology_RefreshEdge(palTopology* topology, const palSurface* surface, int edge);
void palTopology_RefreshVertex(palTopology* topology, const palSurface* surface, int vertex);

/// The outward unit normal of a feature of a triangle.
palVec3 palTopology_Normal(const palTopology* topology, const palSurface* surface, int triangle,
                           palTriangleFeature feature);

/// A unit normal that is continuous across triangles: the corner normals interpolated with the
/// barycentric weights of a point. Triangles across a ridge sharper than `ridge` (rad) are
/// excluded. Zero if the normals cancel.
palVec3 palTopology_SmoothNormal(const palTopology* topology, const palSurface* surface,
                                 int triangle, const double weights[3], double ridge);

/// Numbers the edge-connected components, from 0 in the order of their first triangles, in
/// component[triangle]. Returns the number of components.
int palTopology_Components(const palTopology* topology, int* component);

#endif
