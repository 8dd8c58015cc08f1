// SPDX-License-Identifier: Apache-2.0
#include "collide/sharp_feature.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double parallelSine = 1e-3; // of the angle between edges: below, they are parallel
static const double coneSlack = 0.05;    // sine by which a normal may leave the cones

enum
{
    stackSize = 64, // a tree of boxes has fewer than 32 levels
};

// ---------------------------------------------------------------------------------------------
// Features of a surface

// How an edge bends: > 0 convex, rad; 0: not an edge between two faces that agree. Where there is
// no second face it is as sharp as can be.
static double bendOf(const palTopology* topology, bool closed, int edge)
{
    if (topology->edgeKinds[edge] == pal_edgeBoundary)
        return closed ? 0.0 : PAL_PI;
    double angle = topology->edgeAngles[edge];
    return closed ? angle : fabs(angle);
}

// What is accumulated over the edges at each vertex.
typedef struct palCorner
{
    bool isSharp;   // one is sharp
    bool isConvex;  // one bends away from the outside
    bool isConcave; // one bends towards it
    bool isBorder;  // it is on the boundary of a sheet
    double longest; // m, of its edges
    double cone;    // cosine of the largest angle between its normal and that of a face
} palCorner;

static palCorner cornerAt(const palSurface* surface, const palTopology* topology, bool closed,
                          double angle, int vertex)
{
    palCorner corner = {.cone = 1.0};
    for (int i = topology->starStarts[vertex]; i < topology->starStarts[vertex + 1]; i++)
    {
        int t = topology->star[i];
        corner.cone = fmin(corner.cone,
                           palDot(topology->vertexNormals[vertex], topology->triangleNormals[t]));
        for (int k = 0; k < 3; k++)
        {
            int e = topology->triangleEdges[t][k];
            const int* ends = topology->edges[e];
            palEdgeKind kind = topology->edgeKinds[e];
            if (ends[0] != vertex && ends[1] != vertex)
                continue;
            corner.longest = fmax(corner.longest, palDistance(surface->vertices[ends[0]],
                                                              surface->vertices[ends[1]]));
            corner.isSharp = corner.isSharp || bendOf(topology, closed, e) >= angle;
            corner.isConvex = corner.isConvex || kind == pal_edgeConvex;
            corner.isConcave = corner.isConcave || kind == pal_edgeConcave;
            corner.isBorder = corner.isBorder || kind == pal_edgeBoundary;
        }
    }
    return corner;
}

// A plane touches a corner only where no edge of it bends towards that plane; a sheet has two sides
// of which one will do.
static bool sticksOut(const palCorner* corner, bool closed)
{
    return corner->isSharp && !(corner->isConcave && (closed || corner->isConvex));
}

// From an edge into a face, within the plane of that.
static palVec3 directionInto(const palSurface* surface, int triangle, palVec3 a, palVec3 along)
{
    const int* v = surface->triangles[triangle];
    palVec3 farthest = pal_zeroVec3;
    for (int k = 0; k < 3; k++)
    {
        palVec3 d = palSub(surface->vertices[v[k]], a);
        d = palMulAdd(d, -palDot(d, along), along);
        if (palLengthSquared(d) > palLengthSquared(farthest))
            farthest = d;
    }
    return palNormalize(farthest);
}

static palSharpFeature edgeFeature(const palSurface* surface, const palTopology* topology, int edge)
{
    palSharpFeature feature = {.id = edge};
    for (int k = 0; k < 2; k++)
        feature.ends[k] = surface->vertices[topology->edges[edge][k]];
    palVec3 along = palNormalize(palSub(feature.ends[1], feature.ends[0]));
    feature.size = palDistance(feature.ends[0], feature.ends[1]);
    const int* sides = topology->edgeTriangles[edge];
    feature.into[0] = directionInto(surface, sides[0], feature.ends[0], along);
    feature.into[1] =
        sides[1] < 0 ? feature.into[0] : directionInto(surface, sides[1], feature.ends[0], along);
    return feature;
}

static palSharpFeature vertexFeature(const palSurface* surface, const palTopology* topology,
                                     int vertex, const palCorner* corner)
{
    palVec3 x = surface->vertices[vertex];
    // Of a sheet, the side away from which its edges bend.
    palVec3 n = palScale(corner->isConcave ? -1.0 : 1.0, topology->vertexNormals[vertex]);
    return (palSharpFeature){
        .ends = {x, x},
        .into = {n, n},
        .size = corner->longest,
        .cone = corner->isBorder ? -1.0 : corner->cone,
        .isVertex = true,
        .id = vertex,
    };
}

static void addFeature(palSharpFeatures* sharp, const palSharpFeature* feature)
{
    sharp->longest = fmax(sharp->longest, palDistance(feature->ends[0], feature->ends[1]));
    sharp->boxes[sharp->count] = palBounds_With(palMakeBounds(feature->ends[0]), feature->ends[1]);
    sharp->features[sharp->count++] = *feature;
}

static void addVertex(palSharpFeatures* sharp, const palSurface* surface,
                      const palTopology* topology, bool closed, double angle, int vertex)
{
    palCorner corner = cornerAt(surface, topology, closed, angle, vertex);
    if (!sticksOut(&corner, closed))
        return;
    palSharpFeature feature = vertexFeature(surface, topology, vertex, &corner);
    addFeature(sharp, &feature);
}

static void addEdge(palSharpFeatures* sharp, const palSurface* surface, const palTopology* topology,
                    bool closed, double angle, int edge)
{
    if (bendOf(topology, closed, edge) < angle)
        return;
    palSharpFeature feature = edgeFeature(surface, topology, edge);
    addFeature(sharp, &feature);
}

static int countFeatures(const palSurface* surface, const palTopology* topology, bool closed,
                         double angle, bool withVertices)
{
    int count = 0;
    for (int e = 0; e < topology->edgeCount; e++)
        count += bendOf(topology, closed, e) >= angle;
    for (int v = 0; v < surface->vertexCount && withVertices; v++)
    {
        palCorner corner = cornerAt(surface, topology, closed, angle, v);
        count += sticksOut(&corner, closed);
    }
    return count;
}

palResult palSharpFeatures_Init(palSharpFeatures* sharp, const palSurface* surface,
                                const palTopology* topology, bool closed, double angle,
                                bool withVertices, palError* error)
{
    *sharp = (palSharpFeatures){0};
    size_t count = (size_t)countFeatures(surface, topology, closed, angle, withVertices);
    sharp->features = malloc((count + 1) * sizeof *sharp->features);
    sharp->boxes = malloc((count + 1) * sizeof *sharp->boxes);
    palResult result = pal_ok;
    if (sharp->features == NULL || sharp->boxes == NULL)
        result = palError_Memory(error, "sharp features", (count + 1) * sizeof *sharp->features);
    for (int e = 0; e < topology->edgeCount && result == pal_ok; e++)
        addEdge(sharp, surface, topology, closed, angle, e);
    for (int v = 0; v < surface->vertexCount && withVertices && result == pal_ok; v++)
        addVertex(sharp, surface, topology, closed, angle, v);
    if (result == pal_ok)
        result = palBoxTree_Init(&sharp->tree, sharp->count, sharp->boxes, error);
    if (result != pal_ok)
        palSharpFeatures_Free(sharp);
    return result;
}

palResult palSharpFeatures_InitMoving(palSharpFeatures* sharp, const palCollider* collider,
                                      palError* error)
{
    *sharp = (palSharpFeatures){0};
    size_t vertices = (size_t)collider->surface.vertexCount;
    size_t count = (size_t)collider->topology.edgeCount + vertices + 1;
    sharp->features = malloc(count * sizeof *sharp->features);
    sharp->boxes = malloc(count * sizeof *sharp->boxes);
    sharp->isWanted = calloc(vertices + 1, sizeof *sharp->isWanted);
    sharp->vertices = calloc(vertices + 1, sizeof *sharp->vertices);
    if (sharp->features != NULL && sharp->boxes != NULL && sharp->isWanted != NULL &&
        sharp->vertices != NULL)
        return pal_ok;
    palSharpFeatures_Free(sharp);
    return palError_Memory(error, "sharp features", count * sizeof *sharp->features);
}

static int compareVertices(const void* a, const void* b)
{
    int v = *(const int*)a, w = *(const int*)b;
    return v < w ? -1 : v > w;
}

// Adds the edges between a vertex and wanted ones with higher numbers: their numbers are one run.
static void addEdgesUp(palSharpFeatures* sharp, const palCollider* collider, double angle,
                       int vertex)
{
    const palTopology* topology = &collider->topology;
    int first = topology->edgeCount, last = -1;
    for (int i = topology->starStarts[vertex]; i < topology->starStarts[vertex + 1]; i++)
        for (int k = 0; k < 3; k++)
        {
            int e = topology->triangleEdges[topology->star[i]][k];
            if (topology->edges[e][0] != vertex)
                continue;
            first = e < first ? e : first;
            last = e > last ? e : last;
        }
    for (int e = first; e <= last; e++)
        if (sharp->isWanted[topology->edges[e][1]])
            addEdge(sharp, &collider->surface, topology, collider->closed, angle, e);
}

void palSharpFeatures_Refresh(palSharpFeatures* sharp, const palCollider* collider, double angle,
                              const int* wanted, int count)
{
    int* vertices = sharp->vertices;
    sharp->count = 0;
    memcpy(vertices, wanted, (size_t)count * sizeof *vertices);
    qsort(vertices, (size_t)count, sizeof *vertices, compareVertices);
    for (int i = 0; i < count; i++)
    {
        palCollider_RenewVertex(collider, vertices[i]);
        sharp->isWanted[vertices[i]] = true;
    }
    for (int i = 0; i < count; i++)
        addEdgesUp(sharp, collider, angle, vertices[i]);
    for (int i = 0; i < count; i++)
    {
        addVertex(sharp, &collider->surface, &collider->topology, collider->closed, angle,
                  vertices[i]);
        sharp->isWanted[vertices[i]] = false;
    }
}

void palSharpFeatures_Free(palSharpFeatures* sharp)
{
    palBoxTree_Free(&sharp->tree);
    free(sharp->isWanted);
    free(sharp->vertices);
    free(sharp->features);
    free(sharp->boxes);
    *sharp = (palSharpFeatures){0};
}

// Whether a segment, given by its middle and half of it, comes within `distance` of a box: the
// separating axes of a box and a segment (Ericson, "Real-Time Collision Detection", 2005, section
// 5.3.3).
static bool meetsSegment(const palBounds* box, palVec3 middle, palVec3 half, double distance)
{
    palVec3 c = palScale(0.5, palAdd(box->low, box->high));
    palVec3 e = palScale(0.5, palSub(box->high, box->low));
    e = palAdd(e, palMakeVec3(distance, distance, distance));
    palVec3 m = palSub(middle, c);
    palVec3 d = {fabs(half.x), fabs(half.y), fabs(half.z)};
    if (fabs(m.x) > e.x + d.x || fabs(m.y) > e.y + d.y || fabs(m.z) > e.z + d.z)
        return false;
    palVec3 cross = palCross(m, half);
    return fabs(cross.x) <= e.y * d.z + e.z * d.y && fabs(cross.y) <= e.x * d.z + e.z * d.x &&
           fabs(cross.z) <= e.x * d.y + e.y * d.x;
}

void palSharpFeatures_Visit(const palSharpFeatures* sharp, palVec3 a, palVec3 b, double distance,
                            void (*visit)(int index, void* data), void* data)
{
    const palBoxTree* tree = &sharp->tree;
    palVec3 middle = palScale(0.5, palAdd(a, b));
    palVec3 half = palScale(0.5, palSub(b, a));
    int stack[stackSize] = {1};
    int count = sharp->count > 0 ? 1 : 0;
    while (count > 0)
    {
        int node = stack[--count];
        if (!meetsSegment(&tree->nodes[node], middle, half, distance))
            continue;
        if (node < tree->leafCount)
        {
            stack[count++] = 2 * node + 1;
            stack[count++] = 2 * node;
            continue;
        }
        int leaf = node - tree->leafCount;
        for (int i = tree->starts[leaf]; i < tree->starts[leaf + 1]; i++)
            if (meetsSegment(&sharp->boxes[tree->order[i]], middle, half, distance))
                visit(tree->order[i], data);
    }
}

// ---------------------------------------------------------------------------------------------
// Two edges

bool palSharpFeature_Admits(const palSharpFeature* vertex, palVec3 n)
{
    return palDot(n, vertex->into[0]) >= vertex->cone - coneSlack;
}

bool palEdgeGap_Make(const palSharpFeature* a, const palSharpFeature* b, palEdgeGap* gap)
{
    palVec3 ea = palSub(a->ends[1], a->ends[0]);
    palVec3 eb = palSub(b->ends[1], b->ends[0]);
    palVec3 N = palCross(ea, eb);
    double square = palLengthSquared(N);
    double product = palLengthSquared(ea) * palLengthSquared(eb);
    if (!(square > parallelSine * parallelSine * product))
        return false;
    palVec3 n = palScale(1.0 / sqrt(square), N);
    // How far n, and how far -n, is outside of the cones.
    double plus = -INFINITY, minus = -INFINITY;
    for (int k = 0; k < 2; k++)
    {
        double onB = palDot(n, b->into[k]), onA = palDot(n, a->into[k]);
        plus = fmax(plus, fmax(onB, -onA));
        minus = fmax(minus, fmax(-onB, onA));
    }
    palVec3 r = palSub(b->ends[0], a->ends[0]);
    gap->sign = plus <= minus ? 1.0 : -1.0;
    gap->excess = fmin(plus, minus);
    gap->n = palScale(gap->sign, n);
    gap->distance = -palDot(gap->n, r);
    gap->s = palDot(palCross(r, eb), N) / square;
    gap->t = palDot(palCross(r, ea), N) / square;
    return true;
}

double palEdgeGap_At(const palSharpFeature* a, const palSharpFeature* b, double sign)
{
    palVec3 N = palCross(palSub(a->ends[1], a->ends[0]), palSub(b->ends[1], b->ends[0]));
    return sign * palDot(palNormalize(N), palSub(a->ends[0], b->ends[0]));
}

bool palEdgeGap_IsWithin(const palEdgeGap* gap, const palSharpFeature* a, const palSharpFeature* b,
                         double margin)
{
    double ma = margin / palDistance(a->ends[0], a->ends[1]);
    double mb = margin / palDistance(b->ends[0], b->ends[1]);
    return gap->s >= -ma && gap->s <= 1.0 + ma && gap->t >= -mb && gap->t <= 1.0 + mb;
}

static palSharpFeature between(const palSharpFeature* start, const palSharpFeature* end, double t)
{
    palSharpFeature feature = *start;
    for (int k = 0; k < 2; k++)
    {
        feature.ends[k] = palLerp(start->ends[k], end->ends[k], t);
        feature.into[k] = palLerp(start->into[k], end->into[k], t);
    }
    return feature;
}

// f of the header.
static double volume(const palSharpFeature* a, const palSharpFeature* b)
{
    palVec3 N = palCross(palSub(a->ends[1], a->ends[0]), palSub(b->ends[1], b->ends[0]));
    return palDot(palSub(a->ends[0], b->ends[0]), N);
}

// The root between 0 and 1 of the quadratic with the values f0, fm, f1 at 0, 1/2, 1, of which the
// first and the last have different signs.
static double rootOf(double f0, double fm, double f1)
{
    double c = f0, b = 4.0 * fm - 3.0 * f0 - f1, a = 2.0 * (f0 + f1) - 4.0 * fm;
    double discriminant = b * b - 4.0 * a * c;
    double q = -0.5 * (b + copysign(sqrt(fmax(discriminant, 0.0)), b));
    double first = q != 0.0 ? c / q : 0.0;
    double second = a != 0.0 ? q / a : first;
    double root = first >= 0.0 && first <= 1.0 ? first : second;
    return fmin(fmax(root, 0.0), 1.0);
}

// Whether the edges pass each other from the outside, with the closest points within both.
static bool passThrough(const palSharpFeature* a, const palSharpFeature* start,
                        const palSharpFeature* end, double margin, palEdgeGap* gap)
{
    double f0 = volume(a, start), f1 = volume(a, end);
    if ((f0 > 0.0) == (f1 > 0.0))
        return false;
    palSharpFeature middle = between(start, end, 0.5);
    palSharpFeature crossing = between(start, end, rootOf(f0, volume(a, &middle), f1));
    return palEdgeGap_Make(a, &crossing, gap) && gap->excess <= coneSlack &&
           gap->sign * f1 <= 0.0 && gap->sign * f0 >= 0.0 &&
           palEdgeGap_IsWithin(gap, a, &crossing, margin);
}

// Edges that overlap at the end: how they overlapped when their closest points came within both.
static double overlapAtEntry(const palSharpFeature* a, const palSharpFeature* start,
                             const palSharpFeature* end, double margin)
{
    const int bisections = 8;
    double outside = 0.0, inside = 1.0, overlap = INFINITY;
    for (int i = 0; i < bisections; i++)
    {
        double t = 0.5 * (outside + inside);
        palSharpFeature b = between(start, end, t);
        palEdgeGap gap;
        bool isWithin = palEdgeGap_Make(a, &b, &gap) && palEdgeGap_IsWithin(&gap, a, &b, margin);
        *(isWithin ? &inside : &outside) = t;
        overlap = isWithin ? -gap.distance : overlap;
    }
    return overlap;
}

bool palEdges_Cross(const palSharpFeature* a, const palSharpFeature* start,
                    const palSharpFeature* end, const palCrossingLimits* limits, palEdgeGap* gap)
{
    if (passThrough(a, start, end, limits->margin, gap))
        return true;
    if (!palEdgeGap_Make(a, end, gap) || !(gap->distance < 0.0) || gap->excess > coneSlack ||
        !palEdgeGap_IsWithin(gap, a, end, limits->margin))
        return false;
    palEdgeGap first;
    if (palEdgeGap_Make(a, start, &first) && palEdgeGap_IsWithin(&first, a, start, limits->margin))
        return first.sign == gap->sign && first.distance >= -limits->slack &&
               gap->distance < first.distance;
    return overlapAtEntry(a, start, end, limits->margin) <= limits->entry;
}
