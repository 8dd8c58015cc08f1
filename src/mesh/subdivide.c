// SPDX-License-Identifier: Apache-2.0
// In each round every edge that is too long gets a vertex in its middle. A triangle is then one of
//
//       r            r               r               r
//      / \          /|\             / \             / \      .
//     /   \        / | \          m2---m1         m2---m1
//    /     \      /  |  \         / \   \         / \ / \    .
//   p-------q    p---m---q       p-------q       p---m---q
//
// which depends on its own edges alone, so that all remain joined.
#include "mesh/subdivide.h"

#include "base/error.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

enum
{
    roundsMax = 24,
};

// A long edge of a triangle.
typedef struct LongEdge
{
    int low, high; // vertices
    int at;        // 3 * triangle + k: from its corner k to k + 1
} LongEdge;

static int compareEdges(const void* a, const void* b)
{
    const LongEdge *e = a, *f = b;
    if (e->low != f->low)
        return e->low < f->low ? -1 : 1;
    if (e->high != f->high)
        return e->high < f->high ? -1 : 1;
    return (e->at > f->at) - (e->at < f->at);
}

static int findLong(const palSurface* surface, double longest, LongEdge* edges)
{
    int count = 0;
    for (int at = 0; at < 3 * surface->triangleCount; at++)
    {
        const int* corner = surface->triangles[at / 3];
        int a = corner[at % 3], b = corner[(at + 1) % 3];
        if (palDistance(surface->vertices[a], surface->vertices[b]) > longest)
            edges[count++] = (LongEdge){a < b ? a : b, a < b ? b : a, at};
    }
    qsort(edges, (size_t)count, sizeof *edges, compareEdges);
    return count;
}

// Adds the middles of the edges. middles[at] is that of an edge, -1 where it is not divided.
static void addMiddles(palSurface* finer, const LongEdge* edges, int count, int* middles)
{
    for (int i = 0; i < count; i++)
    {
        const LongEdge* e = &edges[i];
        bool isNew = i == 0 || edges[i - 1].low != e->low || edges[i - 1].high != e->high;
        if (isNew)
            finer->vertices[finer->vertexCount++] =
                palLerp(finer->vertices[e->low], finer->vertices[e->high], 0.5);
        middles[e->at] = finer->vertexCount - 1;
    }
}

static void add(palSurface* finer, int a, int b, int c)
{
    int* corner = finer->triangles[finer->triangleCount++];
    corner[0] = a, corner[1] = b, corner[2] = c;
}

// Turned so that its divided edges come as in the drawings.
static void divide(palSurface* finer, const int corner[3], const int middle[3])
{
    int count = (middle[0] >= 0) + (middle[1] >= 0) + (middle[2] >= 0);
    int k = 0;
    while (count == 1 && middle[k] < 0)
        k++;
    while (count == 2 && middle[k] >= 0)
        k++;
    int p = corner[k], q = corner[(k + 1) % 3], r = corner[(k + 2) % 3];
    int m = middle[k], m1 = middle[(k + 1) % 3], m2 = middle[(k + 2) % 3];
    const palVec3* x = finer->vertices;
    if (count == 0)
        add(finer, p, q, r);
    else if (count == 1)
    {
        add(finer, p, m, r);
        add(finer, m, q, r);
    }
    else if (count == 2)
    {
        bool isFromP = palDistance(x[p], x[m1]) < palDistance(x[q], x[m2]);
        add(finer, m1, r, m2);
        add(finer, p, q, isFromP ? m1 : m2);
        add(finer, isFromP ? p : q, m1, m2);
    }
    else
    {
        add(finer, p, m, m2);
        add(finer, m, q, m1);
        add(finer, m2, m1, r);
        add(finer, m, m1, m2);
    }
}

// One round. Returns in *count how many edges of triangles were divided.
static palResult halve(palSurface* surface, double longest, LongEdge* edges, int* middles,
                       int* count, palError* error)
{
    *count = findLong(surface, longest, edges);
    palSurface finer;
    palResult result = *count == 0 ? pal_ok
                                   : palSurface_Init(&finer, surface->vertexCount + *count,
                                                     surface->triangleCount + *count, error);
    if (result != pal_ok || *count == 0)
        return result;
    finer.vertexCount = surface->vertexCount;
    finer.triangleCount = 0;
    memcpy(finer.vertices, surface->vertices,
           (size_t)surface->vertexCount * sizeof *finer.vertices);
    for (int at = 0; at < 3 * surface->triangleCount; at++)
        middles[at] = -1;
    addMiddles(&finer, edges, *count, middles);
    for (int t = 0; t < surface->triangleCount; t++)
        divide(&finer, surface->triangles[t], &middles[3 * t]);
    palSurface_Free(surface);
    *surface = finer;
    return pal_ok;
}

palResult palSubdivide(palSurface* surface, double longest, int most, palError* error)
{
    palResult result = pal_ok;
    for (int round = 0, count = 1; round < roundsMax && count > 0 && result == pal_ok; round++)
    {
        if (surface->triangleCount > most / 4)
            break;
        size_t sides = 3 * (size_t)surface->triangleCount + 1;
        LongEdge* edges = malloc(sides * sizeof *edges);
        int* middles = malloc(sides * sizeof *middles);
        if (edges == NULL || middles == NULL)
            result = palError_Memory(error, "dividing triangles",
                                     sides * (sizeof *edges + sizeof *middles));
        else
            result = halve(surface, longest, edges, middles, &count, error);
        free(edges);
        free(middles);
    }
    return result;
}
