// SPDX-License-Identifier: Apache-2.0
// What touches what on a surface, and which way every part of it faces.
//
// The normal of an edge is the mean of its triangles' normals, that of a vertex their mean weighted
// with the angle each triangle has there. With these the sign of (p - c) · n tells for every point
// p whose closest surface point is c on which side of a closed surface it lies, whatever feature c
// is on (J. A. Baerentzen and H. Aanaes, "Signed distance computation using the angle weighted
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
    pal_edgeMisoriented, // two, whose orientations disagree: both run along it the same way
    pal_edgeNonManifold, // three or more
} palEdgeKind;

typedef struct palTopology
{
    int vertexCount;
    int triangleCount;
    int edgeCount;
    int (*edges)[2];          // owned, [edgeCount], vertices, the lower index first
    int (*edgeTriangles)[2];  // owned, [edgeCount]; -1 where there is no second; the lowest two
    int (*triangleEdges)[3];  // owned, [triangleCount]; k is the edge from corner k to corner k + 1
    palEdgeKind* edgeKinds;   // owned, [edgeCount]
    double* edgeAngles;       // owned, [edgeCount], rad, between the two normals: > 0 convex, < 0
                              // concave; 0 where there are not two triangles that agree
    palVec3* triangleNormals; // owned, [triangleCount], unit; zero for a triangle without area
    palVec3* edgeNormals;     // owned, [edgeCount], unit
    palVec3* vertexNormals;   // owned, [vertexCount], unit; zero where no triangle is
} palTopology;

palResult palTopology_Init(palTopology* topology, const palSurface* surface, palError* error);
void palTopology_Free(palTopology* topology);

/// Recomputes normals, angles and kinds after vertices have moved. Allocates nothing.
void palTopology_Refresh(palTopology* topology, const palSurface* surface);

/// The outward unit normal of a part of a triangle.
palVec3 palTopology_Normal(const palTopology* topology, const palSurface* surface, int triangle,
                           palTriangleFeature feature);

/// A unit normal that turns steadily from triangle to triangle: at a point of one, given by its
/// barycentric weights, the mean of the corners' normals. Triangles across a ridge sharper than
/// `ridge` (rad) do not count. Zero where they cancel.
palVec3 palTopology_SmoothNormal(const palTopology* topology, const palSurface* surface,
                                 int triangle, const double weights[3], double ridge);

/// Numbers the parts that hang together over edges, from 0 in the order of their first triangles;
/// component[triangle] is written. Returns how many there are.
int palTopology_Components(const palTopology* topology, int* component);

#endif
