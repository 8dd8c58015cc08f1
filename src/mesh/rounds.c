// SPDX-License-Identifier: Apache-2.0
#include "mesh/rounds.h"

#include "base/error.h"

#include <stdlib.h>

static const double mostBend = 0.8;       // rad, between facets: seven sides are no circle
static const double leastBend = 1e-5;     // rad: less is flat
static const double alongAxis = 2e-3;     // cosine of the angle between normals and axis
static const double roundness = 2e-3;     // of the radius: how far corners are from the circle
static const double mostOpening = PAL_PI; // rad, without a corner

typedef struct Search
{
    const palSurface* surface;
    const palTopology* topology;
    int* mark;     // owned, [triangles]: the run that has each; 0: none
    int* run;      // owned, [triangles]: those of the run under way
    double* angle; // owned, [3 triangles]: of their corners about the axis, rad
    int length;    // of the run
    palVec3 axis;
    double sign; // of its bends: 1 of a shaft
} Search;

// Adds the triangles beside those of the run that go on about the axis.
static void growRun(Search* search, int number)
{
    const palTopology* topology = search->topology;
    for (int i = 0; i < search->length; i++)
        for (int k = 0; k < 3; k++)
        {
            int edge = topology->triangleEdges[search->run[i]][k];
            const int* sides = topology->edgeTriangles[edge];
            int next = sides[0] == search->run[i] ? sides[1] : sides[0];
            double bend = search->sign * topology->edgeAngles[edge];
            if (next < 0 || search->mark[next] == number || bend < -leastBend || bend > mostBend ||
                fabs(palDot(topology->triangleNormals[next], search->axis)) > alongAxis)
                continue;
            search->mark[next] = number;
            search->run[search->length++] = next;
        }
}

static palVec3 cornerOf(const Search* search, int index)
{
    return search->surface->vertices[search->surface->triangles[search->run[index / 3]][index % 3]];
}

// The circle through the corners of a run as seen along the axis, by least squares: of the squares
// of their distances from the centre (I. Kasa, "A circle fitting procedure and its error analysis",
// IEEE Trans. Instrumentation and Measurement, 1976).
static bool fitCircle(const Search* search, palRound* round)
{
    palVec3 u, v, origin = cornerOf(search, 0);
    palTangents(search->axis, &u, &v);
    double uu = 0.0, uv = 0.0, vv = 0.0, un = 0.0, vn = 0.0, meanU = 0.0, meanV = 0.0;
    const int corners = 3 * search->length;
    for (int i = 0; i < corners; i++)
    {
        palVec3 d = palSub(cornerOf(search, i), origin);
        meanU += palDot(d, u) / corners;
        meanV += palDot(d, v) / corners;
    }
    for (int i = 0; i < corners; i++)
    {
        palVec3 d = palSub(cornerOf(search, i), origin);
        double a = palDot(d, u) - meanU, b = palDot(d, v) - meanV, square = a * a + b * b;
        uu += a * a;
        uv += a * b;
        vv += b * b;
        un += a * square;
        vn += b * square;
    }
    double determinant = uu * vv - uv * uv;
    if (!(determinant > 1e-12 * uu * vv))
        return false;
    double a = 0.5 * (un * vv - vn * uv) / determinant;
    double b = 0.5 * (vn * uu - un * uv) / determinant;
    round->centre = palMulAdd(palMulAdd(origin, meanU + a, u), meanV + b, v);
    round->radius = sqrt(a * a + b * b + (uu + vv) / corners);
    return true;
}

static int compareAngles(const void* a, const void* b)
{
    double first = *(const double*)a, second = *(const double*)b;
    return (first > second) - (first < second);
}

// Whether the corners are on the circle, and all about the axis.
static bool isRound(const Search* search, const palRound* round)
{
    palVec3 u, v;
    palTangents(search->axis, &u, &v);
    const int corners = 3 * search->length;
    for (int i = 0; i < corners; i++)
    {
        palVec3 d = palSub(cornerOf(search, i), round->centre);
        double a = palDot(d, u), b = palDot(d, v);
        if (fabs(hypot(a, b) - round->radius) > roundness * round->radius)
            return false;
        search->angle[i] = atan2(b, a);
    }
    qsort(search->angle, (size_t)corners, sizeof *search->angle, compareAngles);
    double opening = search->angle[0] + 2.0 * PAL_PI - search->angle[corners - 1];
    for (int i = 1; i < corners; i++)
        opening = fmax(opening, search->angle[i] - search->angle[i - 1]);
    return opening < mostOpening;
}

// Its extent along the axis, and the height of its facets.
static void measure(const Search* search, palRound* round)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 3 * search->length; i++)
    {
        palVec3 d = palSub(cornerOf(search, i), round->centre);
        double along = palDot(d, search->axis);
        low = fmin(low, along);
        high = fmax(high, along);
        palVec3 n = search->topology->triangleNormals[search->run[i / 3]];
        round->facetHeight = fmax(round->facetHeight, round->radius - fabs(palDot(n, d)));
    }
    round->axis = search->axis;
    round->centre = palMulAdd(round->centre, 0.5 * (low + high), search->axis);
    round->halfLength = 0.5 * (high - low);
    round->isHole = search->sign < 0.0;
}

// The run of facets that bends at an edge.
static bool findRun(Search* search, int edge, int number, palRound* round)
{
    const palTopology* topology = search->topology;
    const int* ends = topology->edges[edge];
    int first = topology->edgeTriangles[edge][0];
    search->axis = palNormalize(
        palSub(search->surface->vertices[ends[1]], search->surface->vertices[ends[0]]));
    search->sign = topology->edgeAngles[edge] > 0.0 ? 1.0 : -1.0;
    search->run[0] = first;
    search->length = 1;
    search->mark[first] = number;
    growRun(search, number);
    *round = (palRound){0};
    if (!fitCircle(search, round) || !isRound(search, round))
        return false;
    measure(search, round);
    return true;
}

palResult palRounds_Find(const palSurface* surface, const palTopology* topology, int capacity,
                         palRound* rounds, int* count, palError* error)
{
    size_t triangles = (size_t)surface->triangleCount + 1;
    Search search = {.surface = surface, .topology = topology};
    search.mark = calloc(triangles, sizeof *search.mark);
    search.run = calloc(triangles, sizeof *search.run);
    search.angle = calloc(3 * triangles, sizeof *search.angle);
    palResult result = pal_ok;
    *count = 0;
    if (search.mark == NULL || search.run == NULL || search.angle == NULL)
        result = palError_Memory(error, "the round parts of a surface", triangles);
    for (int e = 0; e < topology->edgeCount && *count < capacity && result == pal_ok; e++)
    {
        double bend = fabs(topology->edgeAngles[e]);
        const int* sides = topology->edgeTriangles[e];
        if (bend > leastBend && bend < mostBend && sides[1] >= 0 && search.mark[sides[0]] == 0 &&
            search.mark[sides[1]] == 0)
            *count += findRun(&search, e, e + 1, &rounds[*count]);
    }
    free(search.mark);
    free(search.run);
    free(search.angle);
    return result;
}
