// SPDX-License-Identifier: Apache-2.0
#include "mesh/holes.h"

#include "mesh/grow.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// One hole after the other. A side s = 3 t + k of the surface is the edge from corner k to corner
// k + 1 of triangle t.
typedef struct Filling
{
    palSurface* surface; // borrowed; triangles are appended
    palTopology topology;
    int given;        // triangles at the start
    int capacity;     // of surface->triangles
    bool* isDone;     // [3 given]: sides of rings that were walked
    uint64_t* edges;  // [edgeCount], sorted: both ends are on the boundary
    int edgeCount;    // that exist
    int edgeCapacity; // of edges

    // The ring under way.
    int* walked; // [walkedCount], vertices, in the direction of the triangles beside it
    int walkedCount, walkedCapacity;
    int* ring; // [ringCount], borrowed from `walked`, in the direction of triangles to be added
    int ringCount;
    double* cost; // [ringCount][ringCount]: least area of the polygon from i to k, m²
    int* middle;  // likewise: the third corner of the triangle at its side from i to k
} Filling;

static uint64_t edgeKey(int a, int b)
{
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static int compareKeys(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static bool hasEdge(const Filling* filling, int a, int b)
{
    uint64_t key = edgeKey(a, b);
    return bsearch(&key, filling->edges, (size_t)filling->edgeCount, sizeof key, compareKeys) !=
           NULL;
}

static palResult addEdge(Filling* filling, int a, int b, palError* error)
{
    uint64_t* edges = palGrow(filling->edges, filling->edgeCount, &filling->edgeCapacity,
                              sizeof *edges, "edges of holes", error);
    if (edges == NULL)
        return pal_errorMemory;
    filling->edges = edges;
    edges[filling->edgeCount++] = edgeKey(a, b);
    return pal_ok;
}

static void sortEdges(Filling* filling)
{
    if (filling->edgeCount > 0)
        qsort(filling->edges, (size_t)filling->edgeCount, sizeof *filling->edges, compareKeys);
}

static int nextSide(int side)
{
    return side % 3 == 2 ? side - 2 : side + 1;
}

static bool isBoundary(const Filling* filling, int side)
{
    int e = filling->topology.triangleEdges[side / 3][side % 3];
    return filling->topology.edgeKinds[e] == pal_edgeBoundary;
}

// The boundary side that begins where this one ends, found around that vertex.
static int nextOfRing(const Filling* filling, int side)
{
    const palTopology* topology = &filling->topology;
    side = nextSide(side);
    while (!isBoundary(filling, side))
    {
        int e = topology->triangleEdges[side / 3][side % 3];
        const int* both = topology->edgeTriangles[e];
        int other = both[0] == side / 3 ? both[1] : both[0];
        int k = 0;
        while (topology->triangleEdges[other][k] != e)
            k++;
        side = nextSide(3 * other + k);
    }
    return side;
}

static double triangleArea(const Filling* filling, int i, int j, int k)
{
    const int* ring = filling->ring;
    const palVec3* x = filling->surface->vertices;
    palVec3 a = palSub(x[ring[j]], x[ring[i]]), b = palSub(x[ring[k]], x[ring[i]]);
    return 0.5 * palLength(palCross(a, b));
}

// The least area of each polygon ring[i .. k], from those of shorter ones. A diagonal that is an
// edge already would get a third triangle.
static void findLeastAreas(Filling* filling)
{
    int n = filling->ringCount;
    for (int i = 0; i + 1 < n; i++)
        filling->cost[(size_t)i * (size_t)n + (size_t)i + 1] = 0.0;
    for (int length = 2; length < n; length++)
        for (int i = 0; i + length < n; i++)
        {
            int k = i + length, best = -1;
            double least = INFINITY;
            bool isTaken = length < n - 1 && hasEdge(filling, filling->ring[i], filling->ring[k]);
            for (int j = i + 1; j < k && !isTaken; j++)
            {
                double cost = filling->cost[(size_t)i * (size_t)n + (size_t)j] +
                              filling->cost[(size_t)j * (size_t)n + (size_t)k];
                if (cost < least)
                    cost += triangleArea(filling, i, j, k);
                if (cost < least)
                {
                    least = cost;
                    best = j;
                }
            }
            filling->cost[(size_t)i * (size_t)n + (size_t)k] = least;
            filling->middle[(size_t)i * (size_t)n + (size_t)k] = best;
        }
}

static palResult addTriangle(Filling* filling, int a, int b, int c, palError* error)
{
    palSurface* surface = filling->surface;
    void* triangles = palGrow(surface->triangles, surface->triangleCount, &filling->capacity,
                              sizeof *surface->triangles, "triangles of holes", error);
    if (triangles == NULL)
        return pal_errorMemory;
    surface->triangles = triangles;
    int* corners = surface->triangles[surface->triangleCount++];
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    palResult result = addEdge(filling, a, b, error);
    if (result == pal_ok)
        result = addEdge(filling, b, c, error);
    return result == pal_ok ? addEdge(filling, a, c, error) : result;
}

// Adds the triangles of the least area, from the whole polygon to its parts.
static palResult addTriangles(Filling* filling, int (*stack)[2], palError* error)
{
    int n = filling->ringCount, depth = 0;
    const int* ring = filling->ring;
    palResult result = pal_ok;
    stack[depth][0] = 0;
    stack[depth++][1] = n - 1;
    while (depth > 0 && result == pal_ok)
    {
        int i = stack[--depth][0], k = stack[depth][1];
        if (k - i < 2)
            continue;
        int j = filling->middle[(size_t)i * (size_t)n + (size_t)k];
        result = addTriangle(filling, ring[i], ring[j], ring[k], error);
        stack[depth][0] = i;
        stack[depth++][1] = j;
        stack[depth][0] = j;
        stack[depth++][1] = k;
    }
    return result;
}

static double ringWidth(const Filling* filling)
{
    palVec3 low = filling->surface->vertices[filling->ring[0]], high = low;
    for (int i = 1; i < filling->ringCount; i++)
    {
        palVec3 x = filling->surface->vertices[filling->ring[i]];
        low = palMinVec3(low, x);
        high = palMaxVec3(high, x);
    }
    return palLength(palSub(high, low));
}

static palResult fillRing(Filling* filling, palHolesReport* report, palError* error)
{
    size_t n = (size_t)filling->ringCount;
    if (n > pal_holeEdgesMax)
    {
        palError_Set(error, pal_errorInput, "a hole has %zu edges; at most %d can be closed", n,
                     pal_holeEdgesMax);
        return palError_Remedy(error, "close it where the mesh was made");
    }
    filling->cost = calloc(n * n, sizeof *filling->cost);
    filling->middle = calloc(n * n, sizeof *filling->middle);
    int(*stack)[2] = calloc(n + 2, sizeof *stack);
    palResult result = pal_ok;
    if (filling->cost == NULL || filling->middle == NULL || stack == NULL)
        result = palError_Memory(error, "a hole", n * n * sizeof *filling->cost);
    if (result == pal_ok)
        findLeastAreas(filling);
    if (result == pal_ok && isinf(filling->cost[n - 1]))
    {
        palVec3 x = filling->surface->vertices[filling->ring[0]];
        palError_Set(
            error, pal_errorInput,
            "the hole of %zu edges at (%g, %g, %g) m cannot be closed by triangles between "
            "its vertices",
            n, x.x, x.y, x.z);
        result = palError_Remedy(error, "close it where the mesh was made");
    }
    if (result == pal_ok)
    {
        report->holes++;
        report->area += filling->cost[n - 1];
        report->widest = fmax(report->widest, ringWidth(filling));
        result = addTriangles(filling, stack, error);
        sortEdges(filling);
    }
    free(stack);
    free(filling->cost);
    free(filling->middle);
    return result;
}

// Fills the ring of the vertices walked from `first` on, and forgets them.
static palResult fillWalked(Filling* filling, int first, palHolesReport* report, palError* error)
{
    filling->ring = filling->walked + first;
    filling->ringCount = filling->walkedCount - first;
    filling->walkedCount = first;
    for (int i = 0, j = filling->ringCount - 1; i < j; i++, j--)
    {
        int kept = filling->ring[i];
        filling->ring[i] = filling->ring[j];
        filling->ring[j] = kept;
    }
    return fillRing(filling, report, error);
}

// Walks along the boundary from a side until it comes back. Where a vertex comes again, holes touch
// there: what was walked in between is a ring of its own.
static palResult fillFrom(Filling* filling, int first, palHolesReport* report, palError* error)
{
    palResult result = pal_ok;
    int side = first;
    do
    {
        int vertex = filling->surface->triangles[side / 3][side % 3];
        int before = 0;
        while (before < filling->walkedCount && filling->walked[before] != vertex)
            before++;
        if (before < filling->walkedCount)
            result = fillWalked(filling, before, report, error);
        int* walked = palGrow(filling->walked, filling->walkedCount, &filling->walkedCapacity,
                              sizeof *walked, "a hole", error);
        if (walked == NULL)
            return pal_errorMemory;
        filling->walked = walked;
        walked[filling->walkedCount++] = vertex;
        filling->isDone[side] = true;
        side = nextOfRing(filling, side);
    } while (side != first && result == pal_ok);
    return result == pal_ok ? fillWalked(filling, 0, report, error) : result;
}

static palResult begin(Filling* filling, palError* error)
{
    const palTopology* topology = &filling->topology;
    int faults = 0;
    for (int e = 0; e < topology->edgeCount; e++)
        faults += topology->edgeKinds[e] == pal_edgeNonManifold ||
                  topology->edgeKinds[e] == pal_edgeMisoriented;
    if (faults > 0)
    {
        palError_Set(
            error, pal_errorInput,
            "%d edges have three or more triangles, or two that do not agree which side is "
            "outside",
            faults);
        return palError_Remedy(error, "remove these triangles where the mesh was made");
    }
    filling->isDone = calloc(3 * (size_t)filling->given + 1, sizeof *filling->isDone);
    bool* onBoundary = calloc((size_t)filling->surface->vertexCount + 1, sizeof *onBoundary);
    palResult result = filling->isDone != NULL && onBoundary != NULL
                           ? pal_ok
                           : palError_Memory(error, "holes", 3 * (size_t)filling->given);
    for (int e = 0; e < topology->edgeCount && result == pal_ok; e++)
        if (topology->edgeKinds[e] == pal_edgeBoundary)
            onBoundary[topology->edges[e][0]] = onBoundary[topology->edges[e][1]] = true;
    for (int e = 0; e < topology->edgeCount && result == pal_ok; e++)
        if (onBoundary[topology->edges[e][0]] && onBoundary[topology->edges[e][1]])
            result = addEdge(filling, topology->edges[e][0], topology->edges[e][1], error);
    free(onBoundary);
    if (result == pal_ok)
        sortEdges(filling);
    return result;
}

palResult palSurface_FillHoles(palSurface* surface, palHolesReport* report, palError* error)
{
    *report = (palHolesReport){0};
    Filling filling = {
        .surface = surface, .given = surface->triangleCount, .capacity = surface->triangleCount};
    palResult result = palTopology_Init(&filling.topology, surface, error);
    if (result != pal_ok)
        return result;
    result = begin(&filling, error);
    for (int side = 0; side < 3 * filling.given && result == pal_ok; side++)
    {
        if (filling.isDone[side] || !isBoundary(&filling, side))
            continue;
        result = fillFrom(&filling, side, report, error);
    }
    report->triangles = surface->triangleCount - filling.given;
    palTopology_Free(&filling.topology);
    free(filling.isDone);
    free(filling.edges);
    free(filling.walked);
    return result;
}
