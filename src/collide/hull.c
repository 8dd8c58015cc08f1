// SPDX-License-Identifier: Apache-2.0
#include "collide/hull.h"

#include "base/error.h"
#include "mesh/convex_hull.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

// Of the extent: what is as near to a face's plane as this is on it. Single precision rounds
// coordinates by 6e-8 of them.
static const double planeTolerance = 3e-7;

enum
{
    none = -1,
};

typedef struct Ranked
{
    double area;
    int triangle;
} Ranked;

// One triangulated hull whose coplanar triangles are gathered into groups, the faces to be.
typedef struct Merger
{
    const palSurface* surface; // borrowed
    palTopology topology;      // owned
    int* group;                // owned, [triangles]
    Ranked* ranking;           // owned, [triangles]
    int* stack;                // owned, [triangles]
    int* borders;              // owned, [vertices]: how many edges between groups meet there
    int* after;                // owned, [vertices]: the next corner of the present group
    int* number;               // owned, [vertices]: in the hull
    int groupCount;
} Merger;

static void freeMerger(Merger* merger)
{
    palTopology_Free(&merger->topology);
    free(merger->group);
    free(merger->ranking);
    free(merger->stack);
    free(merger->borders);
    free(merger->after);
    free(merger->number);
}

static palResult initMerger(Merger* merger, const palSurface* surface, palError* error)
{
    size_t triangles = (size_t)surface->triangleCount, vertices = (size_t)surface->vertexCount;
    *merger = (Merger){
        .surface = surface,
        .group = malloc(triangles * sizeof(int)),
        .ranking = malloc(triangles * sizeof(Ranked)),
        .stack = malloc(triangles * sizeof(int)),
        .borders = malloc(vertices * sizeof(int)),
        .after = malloc(vertices * sizeof(int)),
        .number = malloc(vertices * sizeof(int)),
    };
    if (merger->group == NULL || merger->ranking == NULL || merger->stack == NULL ||
        merger->borders == NULL || merger->after == NULL || merger->number == NULL)
        return palError_Memory(error, "a hull", triangles * sizeof(int));
    return palTopology_Init(&merger->topology, surface, error);
}

static palVec3 corner(const Merger* merger, int triangle, int k)
{
    return merger->surface->vertices[merger->surface->triangles[triangle][k]];
}

// The largest first; equal ones by index.
static int compareRanked(const void* first, const void* second)
{
    const Ranked *a = first, *b = second;
    return a->area != b->area ? (a->area < b->area) - (a->area > b->area)
                              : a->triangle - b->triangle;
}

static void rankByArea(Merger* merger)
{
    int count = merger->surface->triangleCount;
    for (int t = 0; t < count; t++)
    {
        palVec3 a = corner(merger, t, 0);
        palVec3 cross = palCross(palSub(corner(merger, t, 1), a), palSub(corner(merger, t, 2), a));
        merger->ranking[t] = (Ranked){0.5 * palLength(cross), t};
    }
    qsort(merger->ranking, (size_t)count, sizeof *merger->ranking, compareRanked);
}

static int acrossEdge(const Merger* merger, int triangle, int k)
{
    const int* sides = merger->topology.edgeTriangles[merger->topology.triangleEdges[triangle][k]];
    return sides[0] == triangle ? sides[1] : sides[0];
}

static bool isInPlane(const Merger* merger, int triangle, palVec3 normal, double offset,
                      double tolerance)
{
    for (int k = 0; k < 3; k++)
        if (fabs(palDot(normal, corner(merger, triangle, k)) - offset) > tolerance)
            return false;
    return true;
}

// From the largest triangles on: each takes its neighbours in, and theirs, that are in its plane.
static void gather(Merger* merger, double tolerance)
{
    int count = merger->surface->triangleCount;
    merger->groupCount = 0;
    for (int t = 0; t < count; t++)
        merger->group[t] = none;
    for (int i = 0; i < count; i++)
    {
        int seed = merger->ranking[i].triangle, depth = 0;
        if (merger->group[seed] != none)
            continue;
        int group = merger->groupCount++;
        palVec3 normal = merger->topology.triangleNormals[seed];
        double offset = palDot(normal, corner(merger, seed, 0));
        merger->group[seed] = group;
        merger->stack[depth++] = seed;
        while (tolerance > 0.0 && depth > 0)
        {
            int t = merger->stack[--depth];
            for (int k = 0; k < 3; k++)
            {
                int other = acrossEdge(merger, t, k);
                if (merger->group[other] != none ||
                    !isInPlane(merger, other, normal, offset, tolerance))
                    continue;
                merger->group[other] = group;
                merger->stack[depth++] = other;
            }
        }
    }
}

static void countBorders(Merger* merger)
{
    for (int i = 0; i < merger->surface->vertexCount; i++)
        merger->borders[i] = 0;
    for (int e = 0; e < merger->topology.edgeCount; e++)
    {
        const int* sides = merger->topology.edgeTriangles[e];
        if (merger->group[sides[0]] == merger->group[sides[1]])
            continue;
        merger->borders[merger->topology.edges[e][0]]++;
        merger->borders[merger->topology.edges[e][1]]++;
    }
}

void palHull_Free(palHull* hull)
{
    free(hull->normals);
    free(hull->offsets);
    free(hull->faceStarts);
    free(hull->faceVertices);
    free(hull->faceEdges);
    free(hull->edges);
    free(hull->edgeFaces);
    free(hull->vertices);
    *hull = (palHull){0};
}

// Room for as many faces and corners as there are triangles.
static palResult allocate(palHull* hull, const Merger* merger, palError* error)
{
    size_t faces = (size_t)merger->groupCount, corners = 3 * (size_t)merger->surface->triangleCount;
    size_t vertices = (size_t)merger->surface->vertexCount;
    *hull = (palHull){
        .vertices = malloc(vertices * sizeof *hull->vertices),
        .normals = malloc(faces * sizeof *hull->normals),
        .offsets = malloc(faces * sizeof *hull->offsets),
        .faceStarts = malloc((faces + 1) * sizeof *hull->faceStarts),
        .faceVertices = malloc(corners * sizeof *hull->faceVertices),
        .faceEdges = malloc(corners * sizeof *hull->faceEdges),
        .edges = malloc(corners * sizeof *hull->edges),
        .edgeFaces = malloc(corners * sizeof *hull->edgeFaces),
    };
    if (hull->vertices == NULL || hull->normals == NULL || hull->offsets == NULL ||
        hull->faceStarts == NULL || hull->faceVertices == NULL || hull->faceEdges == NULL ||
        hull->edges == NULL || hull->edgeFaces == NULL)
        return palError_Memory(error, "a hull", corners * sizeof *hull->edges);
    return pal_ok;
}

// The outline of a group, its corners that three groups or more share. False where it is not one
// simple line of three corners or more.
static bool walkOutline(Merger* merger, int group, palHull* hull)
{
    int length = 0, start = none;
    const int(*triangles)[3] = (const int(*)[3])merger->surface->triangles;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < merger->surface->triangleCount; i++)
        {
            if (merger->group[i] != group)
                continue;
            for (int k = 0; k < 3; k++)
            {
                int from = triangles[i][k];
                if (pass == 0)
                    merger->after[from] = none;
                else if (merger->group[acrossEdge(merger, i, k)] != group)
                {
                    if (merger->after[from] != none)
                        return false;
                    merger->after[from] = triangles[i][(k + 1) % 3];
                    length++;
                    if (merger->borders[from] > 2 && (start == none || from < start))
                        start = from;
                }
            }
        }
    int first = hull->faceStarts[group], count = 0, walked = 0;
    if (start == none)
        return false;
    int at = start;
    do
    {
        if (merger->borders[at] > 2)
            hull->faceVertices[first + count++] = at;
        at = merger->after[at];
        walked++;
    } while (at != start && at != none && walked < length);
    hull->faceStarts[group + 1] = first + count;
    return at == start && walked == length && count >= 3;
}

// The plane of a polygon by Newell's sums, on the outermost of its corners.
static void setPlane(palHull* hull, int face)
{
    int first = hull->faceStarts[face], last = hull->faceStarts[face + 1];
    palVec3 origin = hull->vertices[hull->faceVertices[first]], sum = pal_zeroVec3;
    for (int i = first + 1; i + 1 < last; i++)
        sum = palAdd(sum, palCross(palSub(hull->vertices[hull->faceVertices[i]], origin),
                                   palSub(hull->vertices[hull->faceVertices[i + 1]], origin)));
    hull->normals[face] = palNormalize(sum);
    hull->offsets[face] = palDot(hull->normals[face], origin);
    for (int i = first + 1; i < last; i++)
        hull->offsets[face] =
            fmax(hull->offsets[face],
                 palDot(hull->normals[face], hull->vertices[hull->faceVertices[i]]));
}

// Numbers the edges and finds the faces on both of their sides. `firstEdge` and `nextEdge`: lists
// of the edges by their lower vertex. False where an edge has not two sides.
static bool joinFaces(palHull* hull, int* firstEdge, int* nextEdge)
{
    for (int i = 0; i < hull->vertexCount; i++)
        firstEdge[i] = none;
    for (int f = 0; f < hull->faceCount; f++)
        for (int i = hull->faceStarts[f]; i < hull->faceStarts[f + 1]; i++)
        {
            int next = i + 1 < hull->faceStarts[f + 1] ? i + 1 : hull->faceStarts[f];
            int from = hull->faceVertices[i], to = hull->faceVertices[next];
            int low = from < to ? from : to, high = from < to ? to : from;
            int e = firstEdge[low];
            while (e != none && hull->edges[e][1] != high)
                e = nextEdge[e];
            if (e == none)
            {
                e = hull->edgeCount++;
                nextEdge[e] = firstEdge[low], firstEdge[low] = e;
                hull->edges[e][0] = low, hull->edges[e][1] = high;
                hull->edgeFaces[e][0] = f, hull->edgeFaces[e][1] = none;
            }
            else if (hull->edgeFaces[e][1] == none)
                hull->edgeFaces[e][1] = f;
            else
                return false;
            hull->faceEdges[i] = e;
        }
    for (int e = 0; e < hull->edgeCount; e++)
        if (hull->edgeFaces[e][1] == none)
            return false;
    return hull->vertexCount - hull->edgeCount + hull->faceCount == 2;
}

// Makes the hull of the groups. `whole` is false where they do not form a polyhedron.
static palResult takeHull(Merger* merger, palHull* hull, bool* whole, palError* error)
{
    palResult result = allocate(hull, merger, error);
    if (result != pal_ok)
        return result;
    countBorders(merger);
    hull->faceCount = merger->groupCount;
    hull->faceStarts[0] = 0;
    *whole = true;
    for (int f = 0; *whole && f < merger->groupCount; f++)
        *whole = walkOutline(merger, f, hull);
    if (!*whole)
        return pal_ok;
    for (int i = 0; i < merger->surface->vertexCount; i++)
    {
        if (merger->borders[i] <= 2)
            continue;
        merger->number[i] = hull->vertexCount;
        hull->vertices[hull->vertexCount++] = merger->surface->vertices[i];
    }
    for (int i = 0; i < hull->faceStarts[hull->faceCount]; i++)
        hull->faceVertices[i] = merger->number[hull->faceVertices[i]];
    for (int f = 0; f < hull->faceCount; f++)
        setPlane(hull, f);
    int* nextEdge = malloc((size_t)hull->faceStarts[hull->faceCount] * sizeof *nextEdge);
    if (nextEdge == NULL)
        return palError_Memory(error, "a hull", sizeof *nextEdge);
    *whole = joinFaces(hull, merger->after, nextEdge);
    free(nextEdge);
    return pal_ok;
}

static palResult checkCorners(const palHull* hull, palError* error)
{
    for (int f = 0; f < hull->faceCount; f++)
    {
        int corners = hull->faceStarts[f + 1] - hull->faceStarts[f];
        if (corners <= pal_hullCornersMax)
            continue;
        palError_Set(error, pal_errorInput, "a face of the convex hull has %d corners", corners);
        return palError_Remedy(error, "use at most %d corners a face, a cylinder, or a mesh",
                               pal_hullCornersMax);
    }
    return pal_ok;
}

palResult palHull_Init(palHull* hull, const palVec3* points, int count, palError* error)
{
    *hull = (palHull){0};
    palSurface surface;
    Merger merger = {0};
    palResult result = palMakeConvexHull(points, count, &surface, error);
    if (result == pal_ok)
        result = initMerger(&merger, &surface, error);
    if (result == pal_ok)
    {
        palBounds box = palSurface_Bounds(&surface);
        palVec3 size = palSub(box.high, box.low);
        rankByArea(&merger);
        gather(&merger, planeTolerance * fmax(size.x, fmax(size.y, size.z)));
        bool whole = false;
        result = takeHull(&merger, hull, &whole, error);
        if (result == pal_ok && !whole) // every triangle a face of its own
        {
            palHull_Free(hull);
            gather(&merger, 0.0);
            result = takeHull(&merger, hull, &whole, error);
        }
    }
    if (result == pal_ok)
        result = checkCorners(hull, error);
    freeMerger(&merger);
    palSurface_Free(&surface);
    if (result != pal_ok)
        palHull_Free(hull);
    return result;
}

palResult palHull_Surface(const palHull* hull, palSurface* surface, palError* error)
{
    int triangles = hull->faceStarts[hull->faceCount] - 2 * hull->faceCount, t = 0;
    palResult result = palSurface_Init(surface, hull->vertexCount, triangles, error);
    if (result != pal_ok)
        return result;
    memcpy(surface->vertices, hull->vertices, (size_t)hull->vertexCount * sizeof *hull->vertices);
    for (int f = 0; f < hull->faceCount; f++)
    {
        const int* corners = &hull->faceVertices[hull->faceStarts[f]];
        for (int i = 1; i + 1 < hull->faceStarts[f + 1] - hull->faceStarts[f]; i++, t++)
        {
            surface->triangles[t][0] = corners[0];
            surface->triangles[t][1] = corners[i];
            surface->triangles[t][2] = corners[i + 1];
        }
    }
    return pal_ok;
}

double palHull_Height(const palHull* hull, palVec3 point)
{
    double height = -INFINITY;
    for (int f = 0; f < hull->faceCount; f++)
        height = fmax(height, palDot(hull->normals[f], point) - hull->offsets[f]);
    return height;
}
