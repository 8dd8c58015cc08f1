// SPDX-License-Identifier: Apache-2.0
#include "mesh/topology.h"

#include "base/error.h"
#include "mesh/sets.h"

#include <stdlib.h>
#include <string.h>

// Two triangles at a smaller angle are treated as coplanar, rad. Single precision moves vertices by
// 1e-7 of the part's size, which rotates a triangle of a thousandth of that size by 1e-4.
static const double flatAngle = 1e-4;

// A side of a triangle, sorted by the edge's lower vertex.
typedef struct Side
{
    int high; // the edge's other vertex
    int triangle;
    int corner; // at the start of the side
} Side;

static int compareSides(const void* a, const void* b)
{
    const Side* s = a;
    const Side* t = b;
    if (s->high != t->high)
        return s->high < t->high ? -1 : 1;
    return s->triangle < t->triangle ? -1 : s->triangle > t->triangle;
}

static int lowerVertex(const int* triangle, int corner)
{
    int a = triangle[corner];
    int b = triangle[(corner + 1) % 3];
    return a < b ? a : b;
}

// Counting sort of all sides by their lower vertex: those of vertex v are
// sides[start[v]..start[v+1]-1], sorted, so that the sides of one edge are adjacent.
static void sortSides(const palSurface* surface, int* start, Side* sides)
{
    int n = surface->vertexCount;
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
            start[lowerVertex(surface->triangles[t], k) + 2]++;
    for (int v = 0; v < n; v++)
        start[v + 2] += start[v + 1];
    // While sides are inserted, start[v + 1] runs from the first position of v to that of v + 1.
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
        {
            const int* triangle = surface->triangles[t];
            int low = lowerVertex(triangle, k);
            int high = triangle[k] + triangle[(k + 1) % 3] - low;
            sides[start[low + 1]++] = (Side){.high = high, .triangle = t, .corner = k};
        }
    for (int v = 0; v < n; v++)
        qsort(&sides[start[v]], (size_t)(start[v + 1] - start[v]), sizeof *sides, compareSides);
}

// Numbers the edges in the order of their vertices.
static void numberEdges(palTopology* topology, const int* start, const Side* sides)
{
    int edge = -1;
    for (int v = 0; v < topology->vertexCount; v++)
        for (int i = start[v]; i < start[v + 1]; i++)
        {
            const Side* side = &sides[i];
            if (i == start[v] || side->high != sides[i - 1].high)
            {
                edge++;
                topology->edges[edge][0] = v;
                topology->edges[edge][1] = side->high;
                topology->edgeTriangles[edge][0] = side->triangle;
                topology->edgeTriangles[edge][1] = -1;
                topology->edgeKinds[edge] = pal_edgeBoundary;
            }
            else if (topology->edgeTriangles[edge][1] < 0)
            {
                topology->edgeTriangles[edge][1] = side->triangle;
                topology->edgeKinds[edge] = pal_edgeFlat;
            }
            else
                topology->edgeKinds[edge] = pal_edgeNonManifold;
            topology->triangleEdges[side->triangle][side->corner] = edge;
        }
    topology->edgeCount = edge + 1;
}

// Whether the triangle traverses the edge from its lower to its higher vertex.
static bool isAscending(const palTopology* topology, const palSurface* surface, int triangle,
                        int edge)
{
    for (int k = 0; k < 3; k++)
        if (topology->triangleEdges[triangle][k] == edge)
            return surface->triangles[triangle][k] == topology->edges[edge][0];
    return false;
}

static void markMisoriented(palTopology* topology, const palSurface* surface)
{
    for (int e = 0; e < topology->edgeCount; e++)
    {
        const int* t = topology->edgeTriangles[e];
        if (topology->edgeKinds[e] == pal_edgeFlat &&
            isAscending(topology, surface, t[0], e) == isAscending(topology, surface, t[1], e))
            topology->edgeKinds[e] = pal_edgeMisoriented;
    }
}

// Lists the triangles about each vertex.
static void findStars(palTopology* topology, const palSurface* surface)
{
    int* starts = topology->starStarts;
    int n = surface->vertexCount;
    memset(starts, 0, ((size_t)n + 2) * sizeof *starts);
    for (int i = 0; i < 3 * surface->triangleCount; i++)
        starts[surface->triangles[i / 3][i % 3] + 2]++;
    for (int v = 0; v < n; v++)
        starts[v + 2] += starts[v + 1];
    // starts[v + 1] runs from the first place of v to the first of v + 1.
    for (int i = 0; i < 3 * surface->triangleCount; i++)
        topology->star[starts[surface->triangles[i / 3][i % 3] + 1]++] = i / 3;
}

static bool allocate(palTopology* topology, size_t vertices, size_t triangles)
{
    // A triangle adds at most three edges; one more element allows for empty surfaces.
    size_t edges = 3 * triangles + 1;
    topology->edges = malloc(edges * sizeof *topology->edges);
    topology->edgeTriangles = malloc(edges * sizeof *topology->edgeTriangles);
    topology->triangleEdges = malloc((triangles + 1) * sizeof *topology->triangleEdges);
    topology->starStarts = malloc((vertices + 2) * sizeof *topology->starStarts);
    topology->star = malloc((3 * triangles + 1) * sizeof *topology->star);
    topology->edgeKinds = malloc(edges * sizeof *topology->edgeKinds);
    topology->edgeAngles = malloc(edges * sizeof *topology->edgeAngles);
    topology->triangleNormals = malloc((triangles + 1) * sizeof *topology->triangleNormals);
    topology->edgeNormals = malloc(edges * sizeof *topology->edgeNormals);
    topology->vertexNormals = malloc((vertices + 1) * sizeof *topology->vertexNormals);
    return topology->edges != NULL && topology->edgeTriangles != NULL &&
           topology->triangleEdges != NULL && topology->starStarts != NULL &&
           topology->star != NULL && topology->edgeKinds != NULL && topology->edgeAngles != NULL &&
           topology->triangleNormals != NULL && topology->edgeNormals != NULL &&
           topology->vertexNormals != NULL;
}

palResult palTopology_Init(palTopology* topology, const palSurface* surface, palError* error)
{
    *topology = (palTopology){
        .vertexCount = surface->vertexCount,
        .triangleCount = surface->triangleCount,
    };
    size_t vertices = (size_t)surface->vertexCount;
    size_t triangles = (size_t)surface->triangleCount;
    int* start = malloc((vertices + 2) * sizeof *start);
    Side* sides = malloc((3 * triangles + 1) * sizeof *sides);
    bool allocated = allocate(topology, vertices, triangles) && start != NULL && sides != NULL;
    if (allocated)
    {
        sortSides(surface, start, sides);
        numberEdges(topology, start, sides);
        markMisoriented(topology, surface);
        findStars(topology, surface);
        palTopology_Refresh(topology, surface);
    }
    free(start);
    free(sides);
    if (allocated)
        return pal_ok;
    palTopology_Free(topology);
    return palError_Memory(error, "the edges of a surface", triangles * 300);
}

void palTopology_Free(palTopology* topology)
{
    free(topology->edges);
    free(topology->edgeTriangles);
    free(topology->triangleEdges);
    free(topology->starStarts);
    free(topology->star);
    free(topology->edgeKinds);
    free(topology->edgeAngles);
    free(topology->triangleNormals);
    free(topology->edgeNormals);
    free(topology->vertexNormals);
    *topology = (palTopology){0};
}

// The angle between two vectors, accurate also if they are nearly parallel.
static double angleBetween(palVec3 a, palVec3 b)
{
    return atan2(palLength(palCross(a, b)), palDot(a, b));
}

void palTopology_RefreshTriangle(palTopology* topology, const palSurface* surface, int triangle)
{
    const int* v = surface->triangles[triangle];
    palVec3 a = surface->vertices[v[0]];
    topology->triangleNormals[triangle] = palNormalize(
        palCross(palSub(surface->vertices[v[1]], a), palSub(surface->vertices[v[2]], a)));
}

// The angle of a triangle at a corner, rad.
static double cornerAngle(const palSurface* surface, int triangle, int corner)
{
    const int* v = surface->triangles[triangle];
    palVec3 p = surface->vertices[v[corner]];
    return angleBetween(palSub(surface->vertices[v[(corner + 1) % 3]], p),
                        palSub(surface->vertices[v[(corner + 2) % 3]], p));
}

static int cornerAt(const palSurface* surface, int triangle, int vertex)
{
    const int* v = surface->triangles[triangle];
    return v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
}

void palTopology_RefreshVertex(palTopology* topology, const palSurface* surface, int vertex)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = topology->starStarts[vertex]; i < topology->starStarts[vertex + 1]; i++)
    {
        int t = topology->star[i];
        double angle = cornerAngle(surface, t, cornerAt(surface, t, vertex));
        sum = palMulAdd(sum, angle, topology->triangleNormals[t]);
    }
    topology->vertexNormals[vertex] = palNormalize(sum);
}

// The signed dihedral angle at an edge: with d the direction in which triangle 0 traverses the
// edge, n0 × n1 points along d on a ridge and against d in a groove.
static void updateAngle(palTopology* topology, const palSurface* surface, int e)
{
    palEdgeKind kind = topology->edgeKinds[e];
    topology->edgeAngles[e] = 0.0;
    if (kind == pal_edgeBoundary || kind == pal_edgeMisoriented || kind == pal_edgeNonManifold)
        return;
    const int* t = topology->edgeTriangles[e];
    palVec3 n0 = topology->triangleNormals[t[0]];
    palVec3 n1 = topology->triangleNormals[t[1]];
    palVec3 d =
        palSub(surface->vertices[topology->edges[e][1]], surface->vertices[topology->edges[e][0]]);
    double sign = isAscending(topology, surface, t[0], e) ? 1.0 : -1.0;
    double angle = atan2(sign * palDot(palCross(n0, n1), palNormalize(d)), palDot(n0, n1));
    topology->edgeAngles[e] = angle;
    topology->edgeKinds[e] = angle > flatAngle    ? pal_edgeConvex
                             : angle < -flatAngle ? pal_edgeConcave
                                                  : pal_edgeFlat;
}

void palTopology_RefreshEdge(palTopology* topology, const palSurface* surface, int edge)
{
    palVec3 sum = pal_zeroVec3;
    int vertex = topology->edges[edge][0];
    for (int k = 0; k < 2 && topology->edgeTriangles[edge][k] >= 0; k++)
        sum = palAdd(sum, topology->triangleNormals[topology->edgeTriangles[edge][k]]);
    if (topology->edgeKinds[edge] == pal_edgeNonManifold)
        for (int i = topology->starStarts[vertex]; i < topology->starStarts[vertex + 1]; i++)
        {
            int t = topology->star[i];
            const int* edges = topology->triangleEdges[t];
            bool isThere = edges[0] == edge || edges[1] == edge || edges[2] == edge;
            if (isThere && t > topology->edgeTriangles[edge][1])
                sum = palAdd(sum, topology->triangleNormals[t]);
        }
    topology->edgeNormals[edge] = palNormalize(sum);
    updateAngle(topology, surface, edge);
}

void palTopology_Refresh(palTopology* topology, const palSurface* surface)
{
    for (int t = 0; t < topology->triangleCount; t++)
        palTopology_RefreshTriangle(topology, surface, t);
    for (int e = 0; e < topology->edgeCount; e++)
        palTopology_RefreshEdge(topology, surface, e);
    for (int v = 0; v < topology->vertexCount; v++)
        palTopology_RefreshVertex(topology, surface, v);
}

palVec3 palTopology_Normal(const palTopology* topology, const palSurface* surface, int triangle,
                           palTriangleFeature feature)
{
    if (feature == pal_featureFace)
        return topology->triangleNormals[triangle];
    if (feature < pal_featureVertex0)
        return topology->edgeNormals[topology->triangleEdges[triangle][feature - pal_featureEdge0]];
    return topology->vertexNormals[surface->triangles[triangle][feature - pal_featureVertex0]];
}

// A triangle's normal, weighted by its angle at a corner.
static palVec3 weightedNormal(const palTopology* topology, const palSurface* surface, int t,
                              int corner)
{
    return palScale(cornerAngle(surface, t, corner), topology->triangleNormals[t]);
}

// The neighbour of triangle t across an edge, or -1 if there is none or the edge is a sharp ridge.
static int smoothNeighbour(const palTopology* topology, int t, int edge, double ridge)
{
    palEdgeKind kind = topology->edgeKinds[edge];
    bool isSmooth = kind == pal_edgeFlat || kind == pal_edgeConvex || kind == pal_edgeConcave;
    if (!isSmooth || topology->edgeAngles[edge] > ridge)
        return -1;
    const int* sides = topology->edgeTriangles[edge];
    return sides[0] == t ? sides[1] : sides[0];
}

// The mean normal of the triangles around a corner, visited in both directions from the first.
static palVec3 smoothCorner(const palTopology* topology, const palSurface* surface, int first,
                            int corner, double ridge)
{
    int vertex = surface->triangles[first][corner];
    palVec3 sum = weightedNormal(topology, surface, first, corner);
    for (int direction = 0; direction < 2; direction++)
    {
        int t = first, k = corner;
        for (int i = 0; i < topology->triangleCount; i++)
        {
            t = smoothNeighbour(
                topology, t, topology->triangleEdges[t][direction == 0 ? k : (k + 2) % 3], ridge);
            if (t == first)
                return palNormalize(sum);
            if (t < 0)
                break;
            k = cornerAt(surface, t, vertex);
            sum = palAdd(sum, weightedNormal(topology, surface, t, k));
        }
    }
    return palNormalize(sum);
}

palVec3 palTopology_SmoothNormal(const palTopology* topology, const palSurface* surface,
                                 int triangle, const double weights[3], double ridge)
{
    palVec3 sum = pal_zeroVec3;
    for (int k = 0; k < 3; k++)
        if (weights[k] > 0.0)
            sum = palMulAdd(sum, weights[k], smoothCorner(topology, surface, triangle, k, ridge));
    return palNormalize(sum);
}

int palTopology_Components(const palTopology* topology, int* component)
{
    // Every triangle is joined with the first triangle of each of its edges.
    palSets_Clear(component, topology->triangleCount);
    for (int t = 0; t < topology->triangleCount; t++)
        for (int k = 0; k < 3; k++)
        {
            int edge = topology->triangleEdges[t][k];
            palSets_Join(component, t, topology->edgeTriangles[edge][0]);
        }
    return palSets_Number(component, topology->triangleCount);
}
