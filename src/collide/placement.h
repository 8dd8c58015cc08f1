// SPDX-License-Identifier: Apache-2.0
// Where the surface of a soft body is: its vertices and normals, computed where somebody looks.
//
// Follow takes the positions of the nodes, and nothing of the surface. A vertex is computed when it
// is first asked for after that, a normal likewise from the vertices about it, and both are kept
// until the next Follow: what a step costs depends on what is near, not on the number of
// triangles. The values are those that would be computed for the whole surface, to the last bit.
//
// Only the thread that follows may ask.
#ifndef PAL_COLLIDE_PLACEMENT_H
#define PAL_COLLIDE_PLACEMENT_H

#include "body/skin.h"
#include "mesh/topology.h"

typedef struct palPlacement
{
    palSkin skin;       // arrays borrowed
    palSurface surface; // arrays borrowed; the vertices are written
    palTopology
        topology; // likewise; the normals, angles and kinds are written. Empty: vertices alone
    int nodeCount;
    palVec3* nodes; // owned, [nodeCount]: at the last Follow, m
    uint64_t now;   // of the last Follow; what has another stamp is of an earlier one
    uint64_t* vertexStamps;
    uint64_t* triangleStamps;
    uint64_t* edgeStamps;
    uint64_t* normalStamps; // of the normals of vertices. All owned
    uint64_t placedCount;   // vertices computed, of all steps: diagnostics
} palPlacement;

/// Of a surface whose vertices and normals are right as they are. Topology may be NULL: only
/// vertices are asked for.
palResult palPlacement_Create(const palSkin* skin, int nodeCount, const palSurface* surface,
                              const palTopology* topology, palPlacement** placement,
                              palError* error);
void palPlacement_Destroy(palPlacement* placement);

/// Takes the positions of the nodes, [nodeCount].
void palPlacement_Follow(palPlacement* placement, const palVec3* nodes);
/// Takes all vertices as they are in the surface.
void palPlacement_TakeVertices(palPlacement* placement);

void palPlacement_Place(palPlacement* placement, int vertex);

static inline palVec3 palPlacement_Vertex(palPlacement* placement, int vertex)
{
    if (placement->vertexStamps[vertex] != placement->now)
        palPlacement_Place(placement, vertex);
    return placement->surface.vertices[vertex];
}

/// Puts all vertices where they are.
void palPlacement_PlaceAll(palPlacement* placement);

/// Renews what the topology says of a triangle, of an edge, of a vertex, and of a corner: the
/// triangles and edges about a vertex. Their vertices are placed.
void palPlacement_RenewTriangle(palPlacement* placement, int triangle);
void palPlacement_RenewEdge(palPlacement* placement, int edge);
void palPlacement_RenewVertex(palPlacement* placement, int vertex);
void palPlacement_RenewCorner(palPlacement* placement, int vertex);

#endif
