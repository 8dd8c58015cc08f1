// SPDX-License-Identifier: Apache-2.0
#include "body/tip.h"

#include "base/error.h"

#include <stdint.h>
#include <stdlib.h>

static const double dotsShare = 1.0 / 9.0;     // of the radius of a ball: from dot to dot
static const double smallestShare = 1.0 / 3.0; // likewise: the smallest circle
static const double dotsMost = 5e4;            // of a body: more are farther apart
static const double samplesMost = 4e6;

// Hertz's circle, at most as large as the ball.
static double hertzRadius(double R, double force, const palSoftBody* body)
{
    double E = body->young / (1.0 - body->poisson * body->poisson);
    return fmin(R, cbrt(0.75 * force * R / E));
}

double palTip_Radius(double R, double force, const palSoftBody* body)
{
    return fmax(smallestShare * R, hertzRadius(R, force, body));
}

double palTip_Below(double R, double force, const palSoftBody* body)
{
    double a = hertzRadius(R, force, body);
    return R > 0.0 ? 0.2 * a * a / R : 0.0;
}

// ---------------------------------------------------------------------------------------------
// Making

// A piece of a triangle, and the cell of space that it is in.
typedef struct palSample
{
    palTipDot dot;
    int64_t cell[3];
    int side; // which way it looks, mostly: 0 to 5
} palSample;

static int compareInt64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compareSamples(const void* first, const void* second)
{
    const palSample *a = first, *b = second;
    int order = a->side - b->side;
    for (int c = 0; c < 3 && order == 0; c++)
        order = compareInt64(a->cell[c], b->cell[c]);
    return order != 0 ? order : compareInt64(a->dot.at.vertices[0], b->dot.at.vertices[0]);
}

static double component(palVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static int sideOf(palVec3 normal)
{
    int axis = 0;
    for (int c = 1; c < 3; c++)
        axis = fabs(component(normal, c)) > fabs(component(normal, axis)) ? c : axis;
    return 2 * axis + (component(normal, axis) < 0.0);
}

// Parts of each side of a triangle, so that none is longer than the spacing.
static double partsOf(const palVec3 corners[3], double spacing)
{
    double longest = 0.0;
    for (int k = 0; k < 3; k++)
        longest = fmax(longest, palDistance(corners[k], corners[(k + 1) % 3]));
    return fmax(1.0, ceil(longest / spacing));
}

static void readCorners(const palSurface* surface, const palTipCentre* rest, int triangle,
                        palVec3 corners[3])
{
    for (int k = 0; k < 3; k++)
        corners[k] = rest[surface->triangles[triangle][k]].x;
}

// The n² pieces of a triangle: n (n + 1)/2 that stand as it does, the others on their heads.
// Returns how many.
static int sampleTriangle(const int vertices[3], const palVec3 corners[3], int n, double spacing,
                          palSample* samples)
{
    palVec3 twice = palCross(palSub(corners[1], corners[0]), palSub(corners[2], corners[0]));
    int count = 0;
    if (!(palLengthSquared(twice) > 0.0))
        return 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; i + j < n; j++)
            for (int head = 0; head < (i + j < n - 1 ? 2 : 1); head++)
            {
                double u = (i + (1.0 + head) / 3.0) / n, v = (j + (1.0 + head) / 3.0) / n;
                double weights[3] = {1.0 - u - v, u, v};
                palSample* sample = &samples[count++];
                palVec3 x = palScale(weights[0], corners[0]);
                x = palMulAdd(palMulAdd(x, u, corners[1]), v, corners[2]);
                *sample = (palSample){.side = sideOf(twice)};
                sample->dot.rest = (palTipCentre){x, palNormalize(twice)};
                sample->dot.area = 0.5 * palLength(twice) / ((double)n * n);
                sample->dot.at = palMakeTrianglePlace(vertices, weights);
                for (int c = 0; c < 3; c++)
                    sample->cell[c] = (int64_t)floor(component(x, c) / spacing);
            }
    return count;
}

// One dot for samples of one cell: that nearest to their middle, with the area of all.
static palTipDot mergeSamples(const palSample* samples, int count)
{
    palVec3 sum = pal_zeroVec3;
    double area = 0.0;
    for (int i = 0; i < count; i++)
    {
        sum = palMulAdd(sum, samples[i].dot.area, samples[i].dot.rest.x);
        area += samples[i].dot.area;
    }
    int nearest = 0;
    palVec3 middle = palScale(1.0 / area, sum);
    for (int i = 1; i < count; i++)
        if (palDistance(middle, samples[i].dot.rest.x) <
            palDistance(middle, samples[nearest].dot.rest.x))
            nearest = i;
    palTipDot dot = samples[nearest].dot;
    dot.area = area;
    return dot;
}

static void mergeCells(palTipDots* dots, palSample* samples, int count)
{
    qsort(samples, (size_t)count, sizeof *samples, compareSamples);
    dots->count = 0;
    for (int begin = 0, end; begin < count; begin = end)
    {
        const palSample* first = &samples[begin];
        for (end = begin + 1; end < count && samples[end].side == first->side &&
                              samples[end].cell[0] == first->cell[0] &&
                              samples[end].cell[1] == first->cell[1] &&
                              samples[end].cell[2] == first->cell[2];)
            end++;
        dots->dots[dots->count++] = mergeSamples(first, end - begin);
    }
}

static int compareDots(const void* first, const void* second)
{
    double a = ((const palTipDot*)first)->along, b = ((const palTipDot*)second)->along;
    return (a > b) - (a < b);
}

// Sorts the dots along the axis in which the body is longest.
static void sortDots(palTipDots* dots)
{
    palVec3 low = dots->dots[0].rest.x, high = low;
    for (int i = 1; i < dots->count; i++)
    {
        low = palMinVec3(low, dots->dots[i].rest.x);
        high = palMaxVec3(high, dots->dots[i].rest.x);
    }
    palVec3 size = palSub(high, low);
    dots->axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (int i = 0; i < dots->count; i++)
        dots->dots[i].along = component(dots->dots[i].rest.x, dots->axis);
    qsort(dots->dots, (size_t)dots->count, sizeof *dots->dots, compareDots);
}

// Which dot is nearest to each node, of those that it moves.
static void findNodes(palTipDots* dots)
{
    const palSkin* skin = dots->skin;
    for (int i = 0; i < dots->body->nodeCount; i++)
        dots->nodes[i] = -1;
    for (int d = 0; d < dots->count; d++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < skin->nodesEach; j++)
            {
                int entry = dots->dots[d].at.vertices[k] * skin->nodesEach + j;
                int node = skin->nodes[entry];
                palVec3 x = dots->body->rest[node];
                int nearest = dots->nodes[node];
                if (skin->weights[entry] > 0.0 &&
                    (nearest < 0 || palDistance(x, dots->dots[d].rest.x) <
                                        palDistance(x, dots->dots[nearest].rest.x)))
                    dots->nodes[node] = d;
            }
}

// Where the vertices are at rest; normals are means of those of the triangles, by their area.
static void placeVertices(palTipDots* dots, const palSurface* surface)
{
    const palSkin* skin = dots->skin;
    palTipCentre* vertices = dots->vertices;
    for (int v = 0; v < surface->vertexCount; v++)
        for (int j = 0; j < skin->nodesEach; j++)
            vertices[v].x = palMulAdd(vertices[v].x, skin->weights[v * skin->nodesEach + j],
                                      dots->body->rest[skin->nodes[v * skin->nodesEach + j]]);
    for (int t = 0; t < surface->triangleCount; t++)
    {
        palVec3 c[3];
        readCorners(surface, vertices, t, c);
        palVec3 twice = palCross(palSub(c[1], c[0]), palSub(c[2], c[0]));
        for (int k = 0; k < 3; k++)
        {
            palTipCentre* vertex = &vertices[surface->triangles[t][k]];
            vertex->normal = palAdd(vertex->normal, twice);
        }
    }
    for (int v = 0; v < surface->vertexCount; v++)
        vertices[v].normal = palNormalize(vertices[v].normal);
}

static double areaOf(const palSurface* surface, const palTipCentre* rest)
{
    double area = 0.0;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        palVec3 c[3];
        readCorners(surface, rest, t, c);
        area += 0.5 * palLength(palCross(palSub(c[1], c[0]), palSub(c[2], c[0])));
    }
    return area;
}

static double countSamples(const palSurface* surface, const palTipCentre* rest, double spacing)
{
    double count = 0.0;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        palVec3 c[3];
        readCorners(surface, rest, t, c);
        count += partsOf(c, spacing) * partsOf(c, spacing);
    }
    return count;
}

// Samples of all triangles, closer than the dots will be; then those of a cell become one dot.
static palResult makeDots(palTipDots* dots, const palSurface* surface, double spacing,
                          palError* error)
{
    double finer = 0.5 * spacing;
    double wanted = countSamples(surface, dots->vertices, finer);
    if (!(wanted <= samplesMost))
    {
        palError_Set(error, pal_errorInput, "the tip would need %.3g places of a soft surface",
                     wanted);
        return palError_Remedy(error, "use a larger tip_radius, or a coarser surface");
    }
    size_t room = (size_t)wanted + 1;
    palSample* samples = malloc(room * sizeof *samples);
    dots->dots = malloc(room * sizeof *dots->dots);
    int count = 0;
    for (int t = 0; t < surface->triangleCount && samples != NULL; t++)
    {
        palVec3 c[3];
        readCorners(surface, dots->vertices, t, c);
        count += sampleTriangle(surface->triangles[t], c, (int)partsOf(c, finer), spacing,
                                samples + count);
    }
    if (samples != NULL && dots->dots != NULL)
        mergeCells(dots, samples, count);
    free(samples);
    if (samples == NULL || dots->dots == NULL)
        return palError_Memory(error, "the places that a tip presses", room * sizeof *samples);
    palTipDot* fitting = realloc(dots->dots, ((size_t)dots->count + 1) * sizeof *fitting);
    dots->dots = fitting != NULL ? fitting : dots->dots;
    return pal_ok;
}

palResult palTipDots_Init(palTipDots* dots, const palSurface* surface, const palSkin* skin,
                          const palSoftBody* body, double radius, palError* error)
{
    *dots = (palTipDots){.skin = skin, .body = body};
    dots->vertices = calloc((size_t)surface->vertexCount, sizeof *dots->vertices);
    dots->nodes = malloc((size_t)body->nodeCount * sizeof *dots->nodes);
    palResult result = pal_ok;
    if (dots->vertices == NULL || dots->nodes == NULL)
        result = palError_Memory(error, "the places that a tip presses",
                                 (size_t)surface->vertexCount * sizeof *dots->vertices);
    if (result == pal_ok)
    {
        placeVertices(dots, surface);
        double least = sqrt(areaOf(surface, dots->vertices) / dotsMost);
        result = makeDots(dots, surface, fmax(dotsShare * radius, least), error);
    }
    if (result != pal_ok)
    {
        palTipDots_Free(dots);
        return result;
    }
    if (dots->count > 0)
        sortDots(dots);
    findNodes(dots);
    return pal_ok;
}

void palTipDots_Free(palTipDots* dots)
{
    free(dots->dots);
    free(dots->vertices);
    free(dots->nodes);
    *dots = (palTipDots){0};
}

// ---------------------------------------------------------------------------------------------
// Circles

// The first dot that is not before a place along the axis.
static int firstFrom(const palTipDots* dots, double along)
{
    int low = 0, high = dots->count;
    while (low < high)
    {
        int middle = (low + high) / 2;
        if (dots->dots[middle].along < along)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void palTipDots_Circle(const palTipDots* dots, const palTipCentre* centre, double a,
                       palTipCircle* circle)
{
    double along = component(centre->x, dots->axis);
    double sum = 0.0;
    circle->count = 0;
    for (int i = firstFrom(dots, along - a);
         i < dots->count && dots->dots[i].along <= along + a && circle->count < pal_tipDotsMax; i++)
    {
        const palTipDot* dot = &dots->dots[i];
        double square = palLengthSquared(palSub(dot->rest.x, centre->x)) / (a * a);
        if (square >= 1.0 || palDot(dot->rest.normal, centre->normal) <= 0.0)
            continue;
        double share = dot->area * sqrt(1.0 - square);
        circle->dots[circle->count] = i;
        circle->shares[circle->count++] = share;
        sum += share;
    }
    for (int i = 0; i < circle->count; i++)
        circle->shares[i] /= sum;
}

bool palTipDots_Place(const palTipDots* dots, const palTipCircle* circle, const palVec3* vertices,
                      const palTipCentre* centre, palVec3* now)
{
    palVec3 x = pal_zeroVec3, X = pal_zeroVec3;
    palMat3 spread = {0}, turn, stretch;
    if (circle->count == 0)
        return false;
    for (int i = 0; i < circle->count; i++)
    {
        const palTipDot* dot = &dots->dots[circle->dots[i]];
        X = palMulAdd(X, circle->shares[i], dot->rest.x);
        x = palMulAdd(x, circle->shares[i], palSurfacePlace_Point(&dot->at, vertices));
    }
    for (int i = 0; i < circle->count; i++)
    {
        const palTipDot* dot = &dots->dots[circle->dots[i]];
        palVec3 moved = palSub(palSurfacePlace_Point(&dot->at, vertices), x);
        spread = palMat3MulAdd(spread, circle->shares[i], palOuter(moved, palSub(dot->rest.x, X)));
    }
    palMat3Polar(spread, &turn, &stretch);
    *now = palAdd(x, palMat3Apply(turn, palSub(centre->x, X)));
    return true;
}

void palTipDots_AddForce(const palTipDots* dots, const palTipCircle* circle, palVec3 force,
                         double* rows)
{
    for (int i = 0; i < circle->count; i++)
        palSkin_AddForce(dots->skin, dots->body, &dots->dots[circle->dots[i]].at,
                         palScale(circle->shares[i], force), rows);
}
