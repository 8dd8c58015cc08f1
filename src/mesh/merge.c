// SPDX-License-Identifier: Apache-2.0
#include "mesh/merge.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double leastCosine = 0.5; // of the angle between a triangle and the view on its fan
static const double leastSine = 0.002; // of the angles of new triangles
static const double leastGain =
    0.02; // share of the vertices that a pass removes, else it is the last

enum
{
    fanMax = 24,    // triangles around a vertex that is removed
    passesMax = 40, // over all vertices
    slowPasses = 6, // at first, in which the tolerance grows to its whole
};

typedef struct Merger
{
    const palVec3* x; // borrowed: vertices
    int vertexCount;
    int (*triangles)[3]; // owned; [0] -1: removed
    int triangleCount;
    float* bounds;          // owned, by triangle: its distance to the given surface, m, at most
    int* first;             // owned, by vertex: a corner at it, 3 triangle + k; -1: none
    int* next;              // owned, by corner: another at its vertex; -1: none
    unsigned char* isFixed; // owned, by vertex: it stays
    int* pass;              // owned, by vertex: the last in which its surroundings changed
} Merger;

// The triangles around a vertex, each with the two corners that follow it.
typedef struct Fan
{
    int count;
    int triangles[fanMax];
    int ring[fanMax][2];
    palVec3 normal; // unit: the view on it
    double bound;   // m, the largest of its triangles
} Fan;

static void freeMerger(Merger* m)
{
    free(m->triangles);
    free(m->bounds);
    free(m->first);
    free(m->next);
    free(m->isFixed);
    free(m->pass);
}

static palResult initMerger(Merger* m, const palSurface* surface, const palTopology* topology,
                            palError* error)
{
    size_t vertices = (size_t)surface->vertexCount, triangles = (size_t)surface->triangleCount;
    *m = (Merger){
        .x = surface->vertices,
        .vertexCount = surface->vertexCount,
        .triangles = malloc((triangles + 1) * sizeof *m->triangles),
        .triangleCount = surface->triangleCount,
        .bounds = calloc(triangles + 1, sizeof *m->bounds),
        .first = malloc((vertices + 1) * sizeof *m->first),
        .next = malloc((3 * triangles + 1) * sizeof *m->next),
        .isFixed = calloc(vertices + 1, sizeof *m->isFixed),
        .pass = calloc(vertices + 1, sizeof *m->pass),
    };
    if (!m->triangles || !m->bounds || !m->first || !m->next || !m->isFixed || !m->pass)
    {
        freeMerger(m);
        return palError_Memory(error, "merging triangles", triangles * sizeof *m->triangles);
    }
    memcpy(m->triangles, surface->triangles, triangles * sizeof *m->triangles);
    memset(m->first, -1, vertices * sizeof *m->first);
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
        {
            int* first = &m->first[m->triangles[t][k]];
            m->next[3 * t + k] = *first;
            *first = 3 * t + k;
        }
    // Rims, and what is no surface of two sides, stay.
    for (int e = 0; e < topology->edgeCount; e++)
        if (topology->edgeKinds[e] == pal_edgeBoundary ||
            topology->edgeKinds[e] == pal_edgeMisoriented ||
            topology->edgeKinds[e] == pal_edgeNonManifold)
            for (int k = 0; k < 2; k++)
                m->isFixed[topology->edges[e][k]] = 1;
    return pal_ok;
}

static palVec3 areaOf(const Merger* m, int a, int b, int c)
{
    return palCross(palSub(m->x[b], m->x[a]), palSub(m->x[c], m->x[a]));
}

// Gathers the triangles around v. Returns false where they are too many, or do not face one way.
static bool findFan(const Merger* m, int v, Fan* fan)
{
    palVec3 sum = pal_zeroVec3;
    fan->count = 0;
    fan->bound = 0.0;
    for (int corner = m->first[v]; corner >= 0; corner = m->next[corner])
    {
        int t = corner / 3, k = corner % 3;
        if (m->triangles[t][0] < 0)
            continue;
        if (fan->count == fanMax)
            return false;
        int* ring = fan->ring[fan->count];
        ring[0] = m->triangles[t][(k + 1) % 3];
        ring[1] = m->triangles[t][(k + 2) % 3];
        fan->triangles[fan->count++] = t;
        fan->bound = fmax(fan->bound, m->bounds[t]);
        sum = palAdd(sum, areaOf(m, v, ring[0], ring[1]));
    }
    double length = palLength(sum);
    if (fan->count < 3 || !(length > 0.0))
        return false;
    fan->normal = palScale(1.0 / length, sum);
    for (int i = 0; i < fan->count; i++)
    {
        palVec3 area = areaOf(m, v, fan->ring[i][0], fan->ring[i][1]);
        if (palDot(area, fan->normal) < leastCosine * palLength(area))
            return false;
    }
    return true;
}

// Whether a fan whose vertex moves to u is a surface that faces the same way, of triangles that are
// no needles.
static bool isSound(const Merger* m, const Fan* fan, int u)
{
    for (int i = 0; i < fan->count; i++)
    {
        int a = fan->ring[i][0], b = fan->ring[i][1];
        if (a == u || b == u)
            continue;
        palVec3 area = areaOf(m, u, a, b);
        double size = palLength(area);
        double longest = fmax(palDistance(m->x[a], m->x[b]),
                              fmax(palDistance(m->x[u], m->x[a]), palDistance(m->x[u], m->x[b])));
        if (palDot(area, fan->normal) < leastCosine * size || size < leastSine * longest * longest)
            return false;
    }
    return true;
}

// Whether v and u have just the two neighbours of their common triangles in common: else the
// surface would be pinched.
static bool isLink(const Merger* m, const Fan* fan, int v, int u)
{
    int common = 0;
    for (int corner = m->first[u]; corner >= 0; corner = m->next[corner])
    {
        int t = corner / 3, k = corner % 3;
        if (m->triangles[t][0] < 0)
            continue;
        int ahead = m->triangles[t][(k + 1) % 3];
        for (int i = 0; i < fan->count && ahead != v; i++)
            common += fan->ring[i][0] == ahead;
    }
    return common == 2;
}

// The height between two segments where they cross, seen along n; 0 where they do not.
static double heightAtCrossing(palVec3 a, palVec3 b, palVec3 c, palVec3 d, palVec3 n)
{
    palVec3 r = palSub(b, a), s = palSub(d, c), w = palSub(c, a);
    double det = palDot(n, palCross(r, s));
    if (det == 0.0)
        return 0.0;
    double t = palDot(n, palCross(w, s)) / det, q = palDot(n, palCross(w, r)) / det;
    if (t < 0.0 || t > 1.0 || q < 0.0 || q > 1.0)
        return 0.0;
    return fabs(palDot(n, palSub(palMulAdd(a, t, r), palMulAdd(c, q, s))));
}

// The greatest distance between the fan of v and that of u over the same ring: below v itself, and
// where an edge of the one crosses an edge of the other.
static double errorOf(const Merger* m, const Fan* fan, int v, int u)
{
    double most = 0.0;
    palVec3 n = fan->normal;
    for (int i = 0; i < fan->count; i++)
    {
        int a = fan->ring[i][0], b = fan->ring[i][1];
        if (a == u || b == u)
            continue;
        // v over this triangle?
        palVec3 area = areaOf(m, u, a, b);
        palVec3 p = m->x[v];
        double edges[3] = {
            palDot(n, palCross(palSub(m->x[a], m->x[u]), palSub(p, m->x[u]))),
            palDot(n, palCross(palSub(m->x[b], m->x[a]), palSub(p, m->x[a]))),
            palDot(n, palCross(palSub(m->x[u], m->x[b]), palSub(p, m->x[b]))),
        };
        if (edges[0] >= 0.0 && edges[1] >= 0.0 && edges[2] >= 0.0)
            most = fmax(most, fabs(palDot(area, palSub(p, m->x[u])) / palDot(area, n)));
        // New edges are those from u to the ring, but for its own two.
        for (int k = 0; k < fan->count; k++)
            if (fan->ring[k][0] != a)
                most = fmax(most, heightAtCrossing(m->x[u], m->x[a], p, m->x[fan->ring[k][0]], n));
    }
    return most;
}

// Moves v to u.
static void collapse(Merger* m, const Fan* fan, int v, int u, double bound)
{
    for (int i = 0; i < fan->count; i++)
    {
        int t = fan->triangles[i];
        if (fan->ring[i][0] == u || fan->ring[i][1] == u)
        {
            m->triangles[t][0] = -1;
            continue;
        }
        int k = m->triangles[t][0] == v ? 0 : m->triangles[t][1] == v ? 1 : 2;
        m->triangles[t][k] = u;
        m->bounds[t] = (float)bound;
        m->next[3 * t + k] = m->first[u];
        m->first[u] = 3 * t + k;
    }
    m->first[v] = -1;
}

// Removes the corners of removed triangles from the list of a vertex.
static void cleanCorners(Merger* m, int v)
{
    for (int* link = &m->first[v]; *link >= 0;)
    {
        if (m->triangles[*link / 3][0] < 0)
            *link = m->next[*link];
        else
            link = &m->next[*link];
    }
}

// Removes a vertex if that stays within the tolerance. Returns whether it did.
static bool tryVertex(Merger* m, int v, int pass, double tolerance)
{
    Fan fan;
    if (!findFan(m, v, &fan) || fan.bound > tolerance)
        return false;
    int best = -1;
    double least = tolerance - fan.bound;
    for (int i = 0; i < fan.count; i++)
    {
        int u = fan.ring[i][0];
        if (!isSound(m, &fan, u) || !isLink(m, &fan, v, u))
            continue;
        double error = errorOf(m, &fan, v, u);
        if (error > least || (error == least && best >= 0))
            continue;
        least = error;
        best = u;
    }
    if (best < 0)
        return false;
    double bound = fan.bound + least;
    collapse(m, &fan, v, best, bound);
    for (int i = 0; i < fan.count; i++)
    {
        m->pass[fan.ring[i][0]] = pass;
        cleanCorners(m, fan.ring[i][0]);
    }
    return true;
}

// Neighbours of what was removed wait for the next pass, so that triangles grow evenly.
static void mergeAll(Merger* m, double tolerance)
{
    int left = m->vertexCount;
    for (int pass = 1; pass <= passesMax; pass++)
    {
        double share = pass < slowPasses ? (double)pass / slowPasses : 1.0;
        int removed = 0;
        for (int v = 0; v < m->vertexCount; v++)
            if (m->first[v] >= 0 && !m->isFixed[v] && m->pass[v] != pass)
                removed += tryVertex(m, v, pass, share * tolerance);
        left -= removed;
        if (share == 1.0 && removed < leastGain * left)
            break;
    }
}

// What is left, with its vertices numbered anew.
static palResult takeSurface(const Merger* m, palSurface* merged, int** origins, palError* error)
{
    int vertices = 0, triangles = 0;
    int* number = malloc(((size_t)m->vertexCount + 1) * sizeof *number);
    *origins = malloc(((size_t)m->triangleCount + 1) * sizeof **origins);
    palResult result = number != NULL && *origins != NULL
                           ? pal_ok
                           : palError_Memory(error, "merged triangles", sizeof *number);
    for (int v = 0; v < m->vertexCount && result == pal_ok; v++)
        number[v] = m->first[v] >= 0 ? vertices++ : -1;
    for (int t = 0; t < m->triangleCount; t++)
        triangles += m->triangles[t][0] >= 0;
    if (result == pal_ok)
        result = palSurface_Init(merged, vertices, triangles, error);
    for (int v = 0; v < m->vertexCount && result == pal_ok; v++)
        if (number[v] >= 0)
            merged->vertices[number[v]] = m->x[v];
    triangles = 0;
    for (int t = 0; t < m->triangleCount && result == pal_ok; t++)
    {
        if (m->triangles[t][0] < 0)
            continue;
        for (int k = 0; k < 3; k++)
            merged->triangles[triangles][k] = number[m->triangles[t][k]];
        (*origins)[triangles++] = t;
    }
    if (result != pal_ok)
    {
        free(*origins);
        *origins = NULL;
    }
    free(number);
    return result;
}

palResult palMergeTriangles(const palSurface* surface, const palTopology* topology,
                            double tolerance, palSurface* merged, int** origins, palError* error)
{
    Merger m;
    *origins = NULL;
    palResult result = initMerger(&m, surface, topology, error);
    if (result != pal_ok)
        return result;
    mergeAll(&m, tolerance);
    result = takeSurface(&m, merged, origins, error);
    freeMerger(&m);
    return result;
}
