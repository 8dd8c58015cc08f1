// SPDX-License-Identifier: Apache-2.0
#include "mesh/halfedge.h"

#include "base/error.h"

#include <stdlib.h>

// A linked list of half-edges per vertex: `first` by the lower end vertex, `following` by
// half-edge.
typedef struct edgeLists
{
    int* first;
    int* following;
} edgeLists;

static int smallerEnd(const palHalfEdges* h, int e)
{
    int a = palHalfEdges_Origin(h, e);
    int b = palHalfEdges_Target(h, e);
    return a < b ? a : b;
}

static palResult refuseEdge(const palHalfEdges* h, int e, palError* error)
{
    palError_Set(
        error, pal_errorInput,
        "the edge between vertices %d and %d does not have two triangles of opposite direction",
        palHalfEdges_Origin(h, e), palHalfEdges_Target(h, e));
    palError_Remedy(error, "close the surface and orient its triangles consistently");
    return pal_errorInput;
}

// Pairs each half-edge with the one of opposite direction between the same vertices.
static palResult pairTwins(palHalfEdges* h, edgeLists lists, palError* error)
{
    int count = 3 * h->triangleCount;
    for (int v = 0; v < h->vertexCount; v++)
        lists.first[v] = -1;
    for (int e = 0; e < count; e++)
    {
        int v = smallerEnd(h, e);
        h->out[palHalfEdges_Origin(h, e)] = e;
        h->twin[e] = -1;
        for (int other = lists.first[v]; other >= 0; other = lists.following[other])
        {
            bool same = palHalfEdges_Origin(h, other) == palHalfEdges_Origin(h, e) &&
                        palHalfEdges_Target(h, other) == palHalfEdges_Target(h, e);
            bool opposite = palHalfEdges_Origin(h, other) == palHalfEdges_Target(h, e) &&
                            palHalfEdges_Target(h, other) == palHalfEdges_Origin(h, e);
            if (same || (opposite && h->twin[other] >= 0))
                return refuseEdge(h, e, error);
            if (opposite)
                h->twin[e] = other, h->twin[other] = e;
        }
        lists.following[e] = lists.first[v];
        lists.first[v] = e;
    }
    for (int e = 0; e < count; e++)
        if (h->twin[e] < 0)
            return refuseEdge(h, e, error);
    return pal_ok;
}

palResult palHalfEdges_Init(palHalfEdges* h, palSurface* surface, palError* error)
{
    size_t vertices = (size_t)surface->vertexCount + 1;
    size_t edges = 3 * (size_t)surface->triangleCount + 1;
    *h = (palHalfEdges){
        .vertexCount = surface->vertexCount,
        .triangleCount = surface->triangleCount,
        .triangles = surface->triangles,
        .twin = malloc(edges * sizeof(int)),
        .out = malloc(vertices * sizeof(int)),
    };
    edgeLists lists = {malloc(vertices * sizeof(int)), malloc(edges * sizeof(int))};
    palResult result = pal_errorMemory;
    if (h->twin == NULL || h->out == NULL || lists.first == NULL || lists.following == NULL)
        palError_Memory(error, "the neighbours of a surface", 2 * (vertices + edges) * sizeof(int));
    else
    {
        for (int v = 0; v < h->vertexCount; v++)
            h->out[v] = -1;
        result = pairTwins(h, lists, error);
    }
    free(lists.first);
    free(lists.following);
    if (result != pal_ok)
        palHalfEdges_Free(h);
    return result;
}

void palHalfEdges_Free(palHalfEdges* h)
{
    free(h->twin);
    free(h->out);
    *h = (palHalfEdges){0};
}

int palHalfEdges_Valence(const palHalfEdges* h, int vertex)
{
    int valence = 0;
    int e = h->out[vertex];
    do
        valence++;
    while ((e = palHalfEdges_NextAround(h, e)) != h->out[vertex]);
    return valence;
}

static bool areNeighbours(const palHalfEdges* h, int a, int b)
{
    int e = h->out[a];
    do
        if (palHalfEdges_Target(h, e) == b)
            return true;
    while ((e = palHalfEdges_NextAround(h, e)) != h->out[a]);
    return false;
}

bool palHalfEdges_CanCollapse(const palHalfEdges* h, int e)
{
    int a = palHalfEdges_Origin(h, e);
    int b = palHalfEdges_Target(h, e);
    int c = palHalfEdges_Apex(h, e);
    int d = palHalfEdges_Apex(h, h->twin[e]);
    // The merged vertex keeps the edges of both except the common edge and two duplicates; c and d
    // lose one edge each.
    if (c == d || palHalfEdges_Valence(h, c) <= 3 || palHalfEdges_Valence(h, d) <= 3)
        return false;
    if (palHalfEdges_Valence(h, a) + palHalfEdges_Valence(h, b) - 4 < 3)
        return false;
    // c and d must be the only common neighbours of a and b.
    int walk = h->out[a];
    do
    {
        int v = palHalfEdges_Target(h, walk);
        if (v != b && v != c && v != d && areNeighbours(h, v, b))
            return false;
    } while ((walk = palHalfEdges_NextAround(h, walk)) != h->out[a]);
    return true;
}

static void removeTriangle(palHalfEdges* h, int t)
{
    for (int k = 0; k < 3; k++)
        h->triangles[t][k] = -1;
}

static void joinTwins(palHalfEdges* h, int e, int f)
{
    h->twin[e] = f;
    h->twin[f] = e;
}

void palHalfEdges_Collapse(palHalfEdges* h, int e)
{
    // e runs from a to b in triangle (a, b, c), its twin from b to a in (b, a, d).
    int twin = h->twin[e];
    int a = palHalfEdges_Origin(h, e);
    int b = palHalfEdges_Target(h, e);
    int c = palHalfEdges_Apex(h, e);
    int d = palHalfEdges_Apex(h, twin);
    int walk = h->out[b];
    do
        h->triangles[walk / 3][walk % 3] = a;
    while ((walk = palHalfEdges_NextAround(h, walk)) != h->out[b]);

    // The outer half-edges next to the two removed triangles become twins.
    int ac = h->twin[palHalfEdges_Previous(e)];
    int cb = h->twin[palHalfEdges_Next(e)];
    int da = h->twin[palHalfEdges_Next(twin)];
    int bd = h->twin[palHalfEdges_Previous(twin)];
    joinTwins(h, ac, cb);
    joinTwins(h, da, bd);
    h->out[a] = ac;
    h->out[b] = -1;
    h->out[c] = cb;
    h->out[d] = da;
    removeTriangle(h, e / 3);
    removeTriangle(h, twin / 3);
}

bool palHalfEdges_CanFlip(const palHalfEdges* h, int e)
{
    int c = palHalfEdges_Apex(h, e);
    int d = palHalfEdges_Apex(h, h->twin[e]);
    return c != d && palHalfEdges_Valence(h, palHalfEdges_Origin(h, e)) > 3 &&
           palHalfEdges_Valence(h, palHalfEdges_Target(h, e)) > 3 && !areNeighbours(h, c, d);
}

void palHalfEdges_Flip(palHalfEdges* h, int e)
{
    // (a, b, c) and (b, a, d) become (d, b, c) and (c, a, d), with the same triangle indices.
    int twin = h->twin[e];
    int bc = palHalfEdges_Next(e), ca = palHalfEdges_Previous(e);
    int ad = palHalfEdges_Next(twin), db = palHalfEdges_Previous(twin);
    int a = palHalfEdges_Origin(h, e);
    int b = palHalfEdges_Origin(h, twin);
    int c = palHalfEdges_Origin(h, ca);
    int d = palHalfEdges_Origin(h, db);
    h->triangles[e / 3][e % 3] = d;
    h->triangles[twin / 3][twin % 3] = c;
    int outsideB = h->twin[db];
    int outsideA = h->twin[ca];
    joinTwins(h, e, outsideB);
    joinTwins(h, twin, outsideA);
    joinTwins(h, ca, db);
    h->out[a] = ad;
    h->out[b] = bc;
    h->out[c] = ca;
    h->out[d] = db;
}
