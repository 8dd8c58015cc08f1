// SPDX-License-Identifier: Apache-2.0
#include "body/shell_points.h"

#include "base/error.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

static const double pointsMost = 1e5;

// Parts into which a length is divided.
static double partsOf(double length, double spacing)
{
    return length > spacing ? ceil(length / spacing) : 1.0;
}

static double longestEdge(const palSurface* surface, int triangle)
{
    const int* corner = surface->triangles[triangle];
    double longest = 0.0;
    for (int k = 0; k < 3; k++)
        longest = fmax(longest, palDistance(surface->vertices[corner[k]],
                                            surface->vertices[corner[(k + 1) % 3]]));
    return longest;
}

static double edgeLength(const palSurface* surface, const palTopology* topology, int edge)
{
    const int* ends = topology->edges[edge];
    return palDistance(surface->vertices[ends[0]], surface->vertices[ends[1]]);
}

// Vertices, n - 1 points within an edge of n parts, (n - 1)(n - 2)/2 within a triangle.
static double countPoints(const palSurface* surface, const palTopology* topology, double spacing)
{
    double count = surface->vertexCount;
    for (int i = 0; i < topology->edgeCount; i++)
        count += partsOf(edgeLength(surface, topology, i), spacing) - 1.0;
    for (int i = 0; i < surface->triangleCount; i++)
    {
        double n = partsOf(longestEdge(surface, i), spacing);
        count += 0.5 * (n - 1.0) * (n - 2.0);
    }
    return count;
}

static void fillPoints(const palSurface* surface, const palTopology* topology, double spacing,
                       palVec3* point)
{
    const palVec3* v = surface->vertices;
    memcpy(point, v, (size_t)surface->vertexCount * sizeof *point);
    point += surface->vertexCount;
    for (int i = 0; i < topology->edgeCount; i++)
    {
        int n = (int)partsOf(edgeLength(surface, topology, i), spacing);
        for (int k = 1; k < n; k++)
            *point++ = palLerp(v[topology->edges[i][0]], v[topology->edges[i][1]], (double)k / n);
    }
    for (int i = 0; i < surface->triangleCount; i++)
    {
        const int* corner = surface->triangles[i];
        int n = (int)partsOf(longestEdge(surface, i), spacing);
        for (int a = 1; a < n - 1; a++)
            for (int b = 1; a + b < n; b++)
            {
                palVec3 sum = palScale((double)a / n, v[corner[0]]);
                sum = palMulAdd(sum, (double)b / n, v[corner[1]]);
                *point++ = palMulAdd(sum, (double)(n - a - b) / n, v[corner[2]]);
            }
    }
}

// The farthest of all points from those chosen comes next (Gonzalez, "Clustering to minimize the
// maximum intercluster distance", 1985): at most twice as far as need be from any place to a point.
// `squares` is scratch, [count]. Returns how far the others are from those chosen at most, m.
static double spread(palVec3* points, double* squares, int count, int most)
{
    for (int i = 0; i < count; i++)
        squares[i] = INFINITY;
    for (int chosen = 1; chosen < most; chosen++)
    {
        int farthest = chosen;
        for (int i = chosen; i < count; i++)
        {
            palVec3 apart = palSub(points[i], points[chosen - 1]);
            squares[i] = fmin(squares[i], palLengthSquared(apart));
            farthest = squares[i] > squares[farthest] ? i : farthest;
        }
        palVec3 point = points[farthest];
        points[farthest] = points[chosen];
        points[chosen] = point;
        squares[farthest] = squares[chosen];
    }
    double largest = 0.0;
    for (int i = most; i < count; i++)
        largest = fmax(largest, squares[i]);
    return sqrt(largest);
}

palResult palShellPoints_Make(const palSurface* surface, double spacing, int most, palVec3** points,
                              int* count, double* cover, palError* error)
{
    *points = NULL;
    *count = 0;
    *cover = 0.0;
    palTopology topology;
    palResult result = palTopology_Init(&topology, surface, error);
    if (result != pal_ok)
        return result;
    double wanted = countPoints(surface, &topology, spacing);
    if (!(wanted <= pointsMost))
    {
        palTopology_Free(&topology);
        palError_Set(error, pal_errorInput, "the tool's surface would have %.3g points", wanted);
        return palError_Remedy(error, "use a coarser surface or a larger spacing");
    }
    palVec3* made = malloc((size_t)wanted * sizeof *made + 1);
    double* squares = malloc((size_t)wanted * sizeof *squares + 1);
    if (made == NULL || squares == NULL)
        result = palError_Memory(error, "the points of a tool", (size_t)wanted * sizeof *made);
    else
        fillPoints(surface, &topology, spacing, made);
    palTopology_Free(&topology);
    for (int i = 0; i < surface->triangleCount; i++)
        *cover = fmax(*cover, fmin(spacing, longestEdge(surface, i)));
    if (result == pal_ok && wanted > most)
        *cover += spread(made, squares, (int)wanted, most);
    free(squares);
    if (result != pal_ok)
    {
        free(made);
        return result;
    }
    *points = made;
    *count = wanted > most ? most : (int)wanted;
    return pal_ok;
}
