// SPDX-License-Identifier: Apache-2.0
#include "mesh/caps.h"

#include "base/error.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

// A triangle whose height is less than this fraction of its longest side has no normal: the cross
// product is rounding error.
static const double relativeHeightMin = 1e-14;

enum
{
    // A swap can turn the neighbour into a cap if several caps lie along one line.
    maxPasses = 8,
};

bool palTriangleHasArea(const palSurface* surface, const int* triangle)
{
    if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0])
        return false;
    palVec3 a = surface->vertices[triangle[0]];
    palVec3 ab = palSub(surface->vertices[triangle[1]], a);
    palVec3 ac = palSub(surface->vertices[triangle[2]], a);
    palVec3 bc = palSub(ac, ab);
    double longest = fmax(palLength(ab), fmax(palLength(ac), palLength(bc)));
    // Twice the area is the longest side times the height.
    return palLength(palCross(ab, ac)) > relativeHeightMin * longest * longest;
}

static int longestSide(const palSurface* surface, const int* triangle)
{
    int longest = 0;
    double lengths[3];
    for (int k = 0; k < 3; k++)
    {
        lengths[k] =
            palDistance(surface->vertices[triangle[k]], surface->vertices[triangle[(k + 1) % 3]]);
        longest = lengths[k] > lengths[longest] ? k : longest;
    }
    return longest;
}

// Whether two vertices are joined by an edge; edges are sorted by their vertices.
static bool hasEdge(const palTopology* topology, int a, int b)
{
    int wanted[2] = {a < b ? a : b, a < b ? b : a};
    int low = 0, high = topology->edgeCount;
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        const int* edge = topology->edges[middle];
        if (edge[0] == wanted[0] && edge[1] == wanted[1])
            return true;
        bool isLess = edge[0] != wanted[0] ? edge[0] < wanted[0] : edge[1] < wanted[1];
        low = isLess ? middle + 1 : low;
        high = isLess ? high : middle;
    }
    return false;
}

// The cap is p q r with r between p and q; its neighbour across p q is first, second, s, where
// first and second are p and q in the neighbour's order. They become first r s and r second s.
static bool swapCap(palSurface* surface, const palTopology* topology, bool* touched, int cap)
{
    int side = longestSide(surface, surface->triangles[cap]);
    int edge = topology->triangleEdges[cap][side];
    const int* pair = topology->edgeTriangles[edge];
    int other = pair[0] == cap ? pair[1] : pair[0];
    palEdgeKind kind = topology->edgeKinds[edge];
    if (kind == pal_edgeBoundary || kind == pal_edgeNonManifold || touched[other])
        return false;
    int k = 0;
    while (topology->triangleEdges[other][k] != edge)
        k++;
    const int* neighbour = surface->triangles[other];
    int first = neighbour[k], second = neighbour[(k + 1) % 3], s = neighbour[(k + 2) % 3];
    int r = surface->triangles[cap][(side + 2) % 3];
    if (r == s || hasEdge(topology, r, s))
        return false;
    int halves[2][3] = {{first, r, s}, {r, second, s}};
    memcpy(surface->triangles[cap], halves[0], sizeof halves[0]);
    memcpy(surface->triangles[other], halves[1], sizeof halves[1]);
    touched[cap] = touched[other] = true;
    return true;
}

static int countCaps(const palSurface* surface)
{
    int caps = 0;
    for (int t = 0; t < surface->triangleCount; t++)
        caps += !palTriangleHasArea(surface, surface->triangles[t]);
    return caps;
}

// Swaps every cap once. Returns the number of swaps.
static int swapAll(palSurface* surface, const palTopology* topology, bool* touched)
{
    int swapped = 0;
    memset(touched, 0, (size_t)surface->triangleCount * sizeof *touched);
    for (int t = 0; t < surface->triangleCount; t++)
        if (!touched[t] && !palTriangleHasArea(surface, surface->triangles[t]))
            swapped += swapCap(surface, topology, touched, t);
    return swapped;
}

palResult palSurface_SwapCaps(palSurface* surface, int* repaired, palError* error)
{
    *repaired = 0;
    int before = countCaps(surface);
    if (before == 0)
        return pal_ok;
    size_t bytes = (size_t)surface->triangleCount * sizeof(bool);
    bool* touched = malloc(bytes);
    if (touched == NULL)
        return palError_Memory(error, "repairing a surface", bytes);
    palResult result = pal_ok;
    int swapped = 1;
    for (int pass = 0; pass < maxPasses && swapped > 0 && result == pal_ok; pass++)
    {
        palTopology topology;
        result = palTopology_Init(&topology, surface, error);
        if (result == pal_ok)
            swapped = swapAll(surface, &topology, touched);
        palTopology_Free(&topology);
    }
    free(touched);
    int remaining = countCaps(surface);
    *repaired = before > remaining ? before - remaining : 0;
    return result;
}
