// SPDX-License-Identifier: Apache-2.0
#include "mesh/convex_hull.h"

#include "base/error.h"
#include "mesh/grow.h"

#include <string.h>

// Of the extent of the points: what is nearer to a face than this is no vertex. Where rounding
// makes the faces around a point inconsistent, all is begun anew with ten times as much.
static const double firstTolerance = 1e-13;
static const double lastTolerance = 1e-7;
// Of the extent: the least thickness of a solid.
static const double thicknessMin = 1e-9;

enum
{
    none = -1,
};

typedef struct Triangle
{
    int corner[3];
    int neighbour[3]; // across the edge from corner k to corner k + 1
    palVec3 normal;
    double offset; // normal · x of its plane
    int outside;   // the first of the points above it that are assigned to it
    bool alive;
    bool visible;
} Triangle;

typedef struct Horizon
{
    int from, to; // vertices, as seen from the triangle that stays
    int triangle; // that stays
    int side;     // of it
} Horizon;

typedef struct Builder
{
    int count;
    palVec3* points; // owned, [count], about their middle
    int* next;       // owned, [count]: the next point assigned to the same triangle
    int* starting;   // owned, [count]: the new triangle whose outer edge starts at a vertex
    int triangleCount, triangleCapacity;
    Triangle* triangles; // owned
    int horizonCount, horizonCapacity;
    Horizon* horizon; // owned
    int visibleCount, visibleCapacity;
    int* visible; // owned: the triangles that the new point sees
    double tolerance;
} Builder;

static void freeBuilder(Builder* builder)
{
    free(builder->points);
    free(builder->next);
    free(builder->starting);
    free(builder->triangles);
    free(builder->horizon);
    free(builder->visible);
}

static double heightOver(const Triangle* triangle, palVec3 point)
{
    return palDot(triangle->normal, point) - triangle->offset;
}

// Returns the index of the new triangle, or none without memory.
static int addTriangle(Builder* builder, int a, int b, int c, palError* error)
{
    void* grown = palGrow(builder->triangles, builder->triangleCount, &builder->triangleCapacity,
                          sizeof *builder->triangles, "a convex hull", error);
    if (grown == NULL)
        return none;
    builder->triangles = grown;
    const palVec3* p = builder->points;
    palVec3 normal = palNormalize(palCross(palSub(p[b], p[a]), palSub(p[c], p[a])));
    palVec3 middle = palScale(1.0 / 3.0, palAdd(p[a], palAdd(p[b], p[c])));
    builder->triangles[builder->triangleCount] = (Triangle){
        .corner = {a, b, c},
        .neighbour = {none, none, none},
        .normal = normal,
        .offset = palDot(normal, middle),
        .outside = none,
        .alive = true,
    };
    return builder->triangleCount++;
}

// Assigns a point to the first triangle from `first` on that it is clearly above.
static void assign(Builder* builder, int point, int first)
{
    for (int t = first; t < builder->triangleCount; t++)
    {
        Triangle* triangle = &builder->triangles[t];
        if (!triangle->alive || heightOver(triangle, builder->points[point]) <= builder->tolerance)
            continue;
        builder->next[point] = triangle->outside;
        triangle->outside = point;
        return;
    }
}

// The point that `measure` is largest of. Equal ones, up to rounding: the one farther out, which
// is a corner rather than a point between corners.
static int largest(const Builder* builder, double (*measure)(palVec3, const palVec3*),
                   const palVec3* chosen, double* value)
{
    int best = 0;
    *value = measure(builder->points[0], chosen);
    for (int i = 1; i < builder->count; i++)
    {
        double other = measure(builder->points[i], chosen);
        bool same = fabs(other - *value) <= builder->tolerance;
        bool farther =
            palLengthSquared(builder->points[i]) > palLengthSquared(builder->points[best]);
        if (same ? farther : other > *value)
            best = i, *value = other;
    }
    return best;
}

static double fromMiddle(palVec3 p, const palVec3* chosen)
{
    (void)chosen;
    return palLength(p);
}

static double fromPoint(palVec3 p, const palVec3* chosen)
{
    return palDistance(p, chosen[0]);
}

static double fromLine(palVec3 p, const palVec3* chosen)
{
    palVec3 along = palNormalize(palSub(chosen[1], chosen[0]));
    return palLength(palCross(palSub(p, chosen[0]), along));
}

static double fromPlane(palVec3 p, const palVec3* chosen)
{
    palVec3 normal =
        palNormalize(palCross(palSub(chosen[1], chosen[0]), palSub(chosen[2], chosen[0])));
    return fabs(palDot(palSub(p, chosen[0]), normal));
}

// A tetrahedron of points that are far apart.
static palResult makeFirst(Builder* builder, double extent, palError* error)
{
    double (*const measures[4])(palVec3, const palVec3*) = {fromMiddle, fromPoint, fromLine,
                                                            fromPlane};
    int corner[4];
    palVec3 chosen[4];
    double value = 0.0;
    for (int k = 0; k < 4; k++)
    {
        corner[k] = largest(builder, measures[k], chosen, &value);
        chosen[k] = builder->points[corner[k]];
        if (value > thicknessMin * extent)
            continue;
        palError_Set(error, pal_errorInput, "the points span no volume: they lie in one %s",
                     k < 2    ? "place"
                     : k == 2 ? "line"
                              : "plane");
        return palError_Remedy(error, "give at least four points that are not in one plane");
    }
    palVec3 normal = palCross(palSub(chosen[1], chosen[0]), palSub(chosen[2], chosen[0]));
    if (palDot(normal, palSub(chosen[3], chosen[0])) > 0.0)
    {
        int swap = corner[1];
        corner[1] = corner[2], corner[2] = swap;
    }
    // The fourth corner is below the first triangle.
    const int faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    const int neighbours[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int f = 0; f < 4; f++)
    {
        int t = addTriangle(builder, corner[faces[f][0]], corner[faces[f][1]], corner[faces[f][2]],
                            error);
        if (t == none)
            return pal_errorMemory;
        memcpy(builder->triangles[t].neighbour, neighbours[f], sizeof neighbours[f]);
    }
    for (int i = 0; i < builder->count; i++)
        assign(builder, i, 0);
    return pal_ok;
}

// The point of a triangle's list that is highest above it; equal ones: the one farther out.
static int highest(const Builder* builder, const Triangle* triangle)
{
    int best = triangle->outside;
    double height = heightOver(triangle, builder->points[best]);
    for (int i = builder->next[best]; i != none; i = builder->next[i])
    {
        double other = heightOver(triangle, builder->points[i]);
        bool same = fabs(other - height) <= builder->tolerance;
        bool farther =
            palLengthSquared(builder->points[i]) > palLengthSquared(builder->points[best]);
        if (same ? farther : other > height)
            best = i, height = other;
    }
    return best;
}

static palResult addVisible(Builder* builder, int triangle, palError* error)
{
    int* grown = palGrow(builder->visible, builder->visibleCount, &builder->visibleCapacity,
                         sizeof *builder->visible, "a convex hull", error);
    if (grown == NULL)
        return pal_errorMemory;
    builder->visible = grown;
    builder->visible[builder->visibleCount++] = triangle;
    builder->triangles[triangle].visible = true;
    return pal_ok;
}

// Adds the edge between a triangle that is seen and one that stays.
static palResult addHorizon(Builder* builder, int seen, int stays, palError* error)
{
    Horizon* grown = palGrow(builder->horizon, builder->horizonCount, &builder->horizonCapacity,
                             sizeof *builder->horizon, "a convex hull", error);
    if (grown == NULL)
        return pal_errorMemory;
    builder->horizon = grown;
    const Triangle* triangle = &builder->triangles[stays];
    int side = 0;
    while (side < 2 && triangle->neighbour[side] != seen)
        side++;
    builder->horizon[builder->horizonCount++] =
        (Horizon){triangle->corner[side], triangle->corner[(side + 1) % 3], stays, side};
    return pal_ok;
}

// Collects the triangles that the point sees, from one that it does see, and the edges to those
// that it does not.
static palResult findHorizon(Builder* builder, int first, palVec3 point, palError* error)
{
    builder->horizonCount = 0;
    builder->visibleCount = 0;
    palResult result = addVisible(builder, first, error);
    for (int i = 0; result == pal_ok && i < builder->visibleCount; i++)
    {
        int t = builder->visible[i];
        for (int k = 0; result == pal_ok && k < 3; k++)
        {
            int other = builder->triangles[t].neighbour[k];
            const Triangle* across = &builder->triangles[other];
            if (across->visible)
                continue;
            result = heightOver(across, point) > builder->tolerance
                         ? addVisible(builder, other, error)
                         : addHorizon(builder, t, other, error);
        }
    }
    return result;
}

// A fan from the new vertex to the horizon. False where the horizon is not one closed line.
static palResult makeFan(Builder* builder, int vertex, bool* closed, palError* error)
{
    int first = builder->triangleCount;
    *closed = true;
    for (int i = 0; i < builder->horizonCount; i++)
        builder->starting[builder->horizon[i].from] = builder->starting[builder->horizon[i].to] =
            none;
    for (int i = 0; i < builder->horizonCount; i++)
    {
        Horizon edge = builder->horizon[i];
        int t = addTriangle(builder, edge.to, edge.from, vertex, error);
        if (t == none)
            return pal_errorMemory;
        *closed = *closed && builder->starting[edge.to] == none;
        builder->starting[edge.to] = t;
        builder->triangles[t].neighbour[0] = edge.triangle;
        builder->triangles[edge.triangle].neighbour[edge.side] = t;
    }
    for (int t = first; *closed && t < builder->triangleCount; t++)
    {
        int after = builder->starting[builder->triangles[t].corner[1]];
        *closed = after >= first &&
                  builder->triangles[after].corner[0] == builder->triangles[t].corner[1];
        if (!*closed)
            break;
        builder->triangles[t].neighbour[1] = after;
        builder->triangles[after].neighbour[2] = t;
    }
    return pal_ok;
}

// Adds the highest point above a triangle.
static palResult addPoint(Builder* builder, int triangle, bool* consistent, palError* error)
{
    int vertex = highest(builder, &builder->triangles[triangle]);
    palResult result = findHorizon(builder, triangle, builder->points[vertex], error);
    int first = builder->triangleCount;
    if (result == pal_ok)
        result = makeFan(builder, vertex, consistent, error);
    if (result != pal_ok || !*consistent)
        return result;
    for (int v = 0; v < builder->visibleCount; v++)
    {
        Triangle* old = &builder->triangles[builder->visible[v]];
        old->alive = false;
        for (int i = old->outside, after; i != none; i = after)
        {
            after = builder->next[i];
            if (i != vertex)
                assign(builder, i, first);
        }
        old->outside = none;
    }
    return pal_ok;
}

// Whether the triangles are a sphere, convex up to a few tolerances at every edge, and every
// triangle has three neighbours that know it.
static bool isHull(const Builder* builder)
{
    int triangles = 0, vertices = 0;
    for (int i = 0; i < builder->count; i++)
        builder->starting[i] = none;
    for (int t = 0; t < builder->triangleCount; t++)
    {
        const Triangle* triangle = &builder->triangles[t];
        if (!triangle->alive)
            continue;
        triangles++;
        for (int k = 0; k < 3; k++)
        {
            vertices += builder->starting[triangle->corner[k]] == none;
            builder->starting[triangle->corner[k]] = t;
            const Triangle* other = &builder->triangles[triangle->neighbour[k]];
            if (!other->alive ||
                (other->neighbour[0] != t && other->neighbour[1] != t && other->neighbour[2] != t))
                return false;
            for (int j = 0; j < 3; j++)
                if (heightOver(triangle, builder->points[other->corner[j]]) >
                    10.0 * builder->tolerance)
                    return false;
        }
    }
    return triangles == 2 * vertices - 4;
}

static palResult build(Builder* builder, double extent, bool* consistent, palError* error)
{
    builder->triangleCount = 0;
    *consistent = true;
    palResult result = makeFirst(builder, extent, error);
    for (int t = 0; result == pal_ok && *consistent && t < builder->triangleCount; t++)
        if (builder->triangles[t].alive && builder->triangles[t].outside != none)
            result = addPoint(builder, t, consistent, error);
    *consistent = *consistent && result == pal_ok && isHull(builder);
    return result;
}

static palResult takeSurface(const Builder* builder, const palVec3* points, palSurface* surface,
                             palError* error)
{
    int triangles = 0, vertices = 0;
    int* number = builder->starting;
    for (int i = 0; i < builder->count; i++)
        number[i] = none;
    for (int t = 0; t < builder->triangleCount; t++)
    {
        const Triangle* triangle = &builder->triangles[t];
        triangles += triangle->alive;
        for (int k = 0; triangle->alive && k < 3; k++)
            number[triangle->corner[k]] = 0;
    }
    for (int i = 0; i < builder->count; i++)
        if (number[i] == 0)
            number[i] = vertices++;
    palResult result = palSurface_Init(surface, vertices, triangles, error);
    if (result != pal_ok)
        return result;
    for (int i = 0; i < builder->count; i++)
        if (number[i] != none)
            surface->vertices[number[i]] = points[i];
    triangles = 0;
    for (int t = 0; t < builder->triangleCount; t++)
    {
        if (!builder->triangles[t].alive)
            continue;
        for (int k = 0; k < 3; k++)
            surface->triangles[triangles][k] = number[builder->triangles[t].corner[k]];
        triangles++;
    }
    return pal_ok;
}

// The points about the middle of their box. `extent`: its largest side.
static palResult takePoints(Builder* builder, const palVec3* points, double* extent,
                            palError* error)
{
    palBounds box = {points[0], points[0]};
    for (int i = 0; i < builder->count; i++)
    {
        if (!palIsFinite(points[i]))
            return palError_Set(error, pal_errorInput, "point %d of the hull is not finite", i);
        box.low = palMinVec3(box.low, points[i]);
        box.high = palMaxVec3(box.high, points[i]);
    }
    palVec3 size = palSub(box.high, box.low), middle = palLerp(box.low, box.high, 0.5);
    *extent = fmax(size.x, fmax(size.y, size.z));
    for (int i = 0; i < builder->count; i++)
        builder->points[i] = palSub(points[i], middle);
    return pal_ok;
}

palResult palMakeConvexHull(const palVec3* points, int count, palSurface* surface, palError* error)
{
    *surface = (palSurface){0};
    if (count < 4)
    {
        palError_Set(error, pal_errorInput, "a convex hull of %d points", count);
        return palError_Remedy(error, "give at least four points that are not in one plane");
    }
    size_t n = (size_t)count;
    Builder builder = {
        .count = count,
        .points = malloc(n * sizeof *builder.points),
        .next = malloc(n * sizeof *builder.next),
        .starting = malloc(n * sizeof *builder.starting),
    };
    palResult result = pal_ok;
    if (builder.points == NULL || builder.next == NULL || builder.starting == NULL)
        result = palError_Memory(error, "a convex hull", n * sizeof *builder.points);
    double extent = 0.0;
    if (result == pal_ok)
        result = takePoints(&builder, points, &extent, error);
    bool consistent = false;
    for (double share = firstTolerance; result == pal_ok && !consistent && share <= lastTolerance;
         share *= 10.0)
    {
        builder.tolerance = share * extent;
        result = build(&builder, extent, &consistent, error);
    }
    if (result == pal_ok && !consistent)
        result = palError_Set(error, pal_errorInput, "the points span a solid that is too thin");
    if (result == pal_ok)
        result = takeSurface(&builder, points, surface, error);
    freeBuilder(&builder);
    return result;
}
