// SPDX-License-Identifier: Apache-2.0
// Half-edge structure of a closed triangle surface, with edge collapse and edge flip, which keep it
// a manifold.
//
// Half-edge e = 3 t + k is the side k of triangle t: from corner k to corner k + 1 (mod 3). Its
// twin is the same edge in the neighbouring triangle, in the opposite direction. To visit the edges
// around a vertex:
//
//     int e = h->out[v];
//     do
//         ... palHalfEdges_Target(h, e) ...
//     while ((e = palHalfEdges_NextAround(h, e)) != h->out[v]);
#ifndef PAL_MESH_HALFEDGE_H
#define PAL_MESH_HALFEDGE_H

#include "mesh/surface.h"

typedef struct palHalfEdges
{
    int vertexCount;     // including removed ones
    int triangleCount;   // including removed ones
    int (*triangles)[3]; // borrowed from the surface and edited; {-1, -1, -1} is removed
    int* twin;           // owned, [3 triangleCount]
    int* out;            // owned, [vertexCount]: an outgoing half-edge; -1: removed or unused
} palHalfEdges;

/// Finds the twins. Fails with pal_errorInput if an edge does not have exactly two triangles of
/// opposite direction.
palResult palHalfEdges_Init(palHalfEdges* h, palSurface* surface, palError* error);
void palHalfEdges_Free(palHalfEdges* h);

static inline int palHalfEdges_Next(int e)
{
    return e % 3 == 2 ? e - 2 : e + 1;
}

static inline int palHalfEdges_Previous(int e)
{
    return e % 3 == 0 ? e + 2 : e - 1;
}

static inline int palHalfEdges_Origin(const palHalfEdges* h, int e)
{
    return h->triangles[e / 3][e % 3];
}

static inline int palHalfEdges_Target(const palHalfEdges* h, int e)
{
    return palHalfEdges_Origin(h, palHalfEdges_Next(e));
}

/// The corner opposite to e in its triangle.
static inline int palHalfEdges_Apex(const palHalfEdges* h, int e)
{
    return palHalfEdges_Origin(h, palHalfEdges_Previous(e));
}

/// The next outgoing half-edge around the origin of e, counter-clockwise from outside.
static inline int palHalfEdges_NextAround(const palHalfEdges* h, int e)
{
    return h->twin[palHalfEdges_Previous(e)];
}

/// The number of edges at a vertex.
int palHalfEdges_Valence(const palHalfEdges* h, int vertex);

/// Whether collapsing e preserves the topology: the link condition of Dey, Edelsbrunner, Guha and
/// Nekhayev 1999 holds, and every remaining vertex keeps at least three edges.
bool palHalfEdges_CanCollapse(const palHalfEdges* h, int e);
/// Merges the target of e into its origin; two triangles and one vertex are removed.
void palHalfEdges_Collapse(palHalfEdges* h, int e);

/// Whether the edge can be replaced by the other diagonal of its two triangles.
bool palHalfEdges_CanFlip(const palHalfEdges* h, int e);
/// Flips the edge; e then runs from the former apex of its twin to its former target.
void palHalfEdges_Flip(palHalfEdges* h, int e);

#endif
