// SPDX-License-Identifier: Apache-2.0
// Facts about a triangle surface, found from its list of triangles alone.
#ifndef PAL_TESTS_TOPOLOGY_H
#define PAL_TESTS_TOPOLOGY_H

#include "check.h"
#include "mesh/surface.h"

typedef struct topology
{
    bool manifold;      // each directed edge once, the triangles about each vertex one fan or ring
    int borderEdges;    // with a triangle on one side only
    int components;     // that hang together by shared vertices
    int characteristic; // V - E + F
    int unused;         // vertices without a triangle
} topology;

typedef struct directedEdge
{
    int from, to, apex; // the triangle (from, to, apex)
} directedEdge;

static inline int compareEdges(const void* p, const void* q)
{
    const directedEdge* a = p;
    const directedEdge* b = q;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static inline const directedEdge* findEdge(const directedEdge* edges, int count, int from, int to)
{
    directedEdge key = {from, to, 0};
    return bsearch(&key, edges, (size_t)count, sizeof key, compareEdges);
}

static inline int rootOf(int* parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

// Whether the `count` triangles at edges[0].from, whose edges leave it one by one, follow one
// another without a break: a ring, or a fan that begins where no edge comes in.
static inline bool isRingOrFan(const directedEdge* all, int total, const directedEdge* edges,
                               int count)
{
    const directedEdge* first = edges;
    for (int i = 0; i < count; i++)
        if (findEdge(all, total, edges[i].to, edges[i].from) == NULL)
            first = &edges[i];
    const directedEdge* e = first;
    int steps = 0;
    do
    {
        steps++;
        e = findEdge(edges, count, e->from, e->apex);
    } while (e != NULL && e != first && steps <= count);
    return steps == count;
}

static inline topology findTopology(const palSurface* s)
{
    topology found = {.manifold = true};
    int total = 3 * s->triangleCount;
    directedEdge* edges = malloc((size_t)total * sizeof *edges);
    int* parent = malloc((size_t)s->vertexCount * sizeof *parent);
    assert_true(edges != NULL && parent != NULL);
    for (int v = 0; v < s->vertexCount; v++)
        parent[v] = v;
    for (int t = 0; t < s->triangleCount; t++)
        for (int k = 0; k < 3; k++)
        {
            const int* v = s->triangles[t];
            assert_in_range(v[k], 0, s->vertexCount - 1);
            edges[3 * t + k] = (directedEdge){v[k], v[(k + 1) % 3], v[(k + 2) % 3]};
            parent[rootOf(parent, v[k])] = rootOf(parent, v[(k + 1) % 3]);
        }
    qsort(edges, (size_t)total, sizeof *edges, compareEdges);
    for (int e = 0, next; e < total; e = next)
    {
        for (next = e + 1; next < total && edges[next].from == edges[e].from; next++)
            if (edges[next].to == edges[next - 1].to)
                found.manifold = false;
        if (found.manifold && !isRingOrFan(edges, total, &edges[e], next - e))
            found.manifold = false;
        found.unused--;
    }
    found.unused += s->vertexCount;
    for (int e = 0; e < total; e++)
        if (findEdge(edges, total, edges[e].to, edges[e].from) == NULL)
            found.borderEdges++;
    for (int v = 0; v < s->vertexCount; v++)
        found.components += parent[v] == v;
    found.characteristic = s->vertexCount - (total + found.borderEdges) / 2 + s->triangleCount;
    free(edges);
    free(parent);
    return found;
}

/// Closed, a manifold, all vertices used, oriented alike.
static inline bool isClosed(topology found)
{
    return found.manifold && found.borderEdges == 0 && found.unused == 0;
}

static inline palVec3 cornerOf(const palSurface* s, int t, int k)
{
    return s->vertices[s->triangles[t][k % 3]];
}

/// Twice the area of a triangle along its outward normal.
static inline palVec3 areaVector(const palSurface* s, int t)
{
    palVec3 a = cornerOf(s, t, 0);
    return palCross(palSub(cornerOf(s, t, 1), a), palSub(cornerOf(s, t, 2), a));
}

static inline double areaOf(const palSurface* s)
{
    double area = 0.0;
    for (int t = 0; t < s->triangleCount; t++)
        area += 0.5 * palLength(areaVector(s, t));
    return area;
}

/// By the divergence theorem; positive where the normals point outward.
static inline double volumeOf(const palSurface* s)
{
    double volume = 0.0;
    for (int t = 0; t < s->triangleCount; t++)
        volume += palDot(cornerOf(s, t, 0), areaVector(s, t)) / 6.0;
    return volume;
}

/// The smallest angle of a triangle, degrees.
static inline double smallestAngle(const palSurface* s, int t)
{
    double least = 180.0;
    for (int k = 0; k < 3; k++)
    {
        palVec3 a = palSub(cornerOf(s, t, k + 1), cornerOf(s, t, k));
        palVec3 b = palSub(cornerOf(s, t, k + 2), cornerOf(s, t, k));
        least = fmin(least, atan2(palLength(palCross(a, b)), palDot(a, b)) * 180.0 / PAL_PI);
    }
    return least;
}

static inline double worstAngle(const palSurface* s)
{
    double worst = 180.0;
    for (int t = 0; t < s->triangleCount; t++)
        worst = fmin(worst, smallestAngle(s, t));
    return worst;
}

#endif
