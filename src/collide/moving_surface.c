// SPDX-License-Identifier: Apache-2.0
#include "collide/moving_surface.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// Beside 1, products of lengths that are zero but for rounding.
static const double rounding = 1e-12;

// The first triangle that meets a vertex or an edge owns it.
static void findOwners(palMovingSurface* moving)
{
    const palSurface* surface = &moving->surface;
    const palTopology* topology = &moving->topology;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        unsigned owned = 0;
        for (int k = 0; k < 3; k++)
        {
            int edge = topology->triangleEdges[t][k];
            owned |=
                (unsigned)(moving->topology
                               .star[moving->topology.starStarts[surface->triangles[t][k]]] == t)
                << k;
            owned |= (unsigned)(topology->edgeTriangles[edge][0] == t) << (3 + k);
        }
        moving->owned[t] = (uint8_t)owned;
    }
}

static bool isClosed(const palTopology* topology)
{
    for (int e = 0; e < topology->edgeCount; e++)
    {
        palEdgeKind kind = topology->edgeKinds[e];
        if (kind != pal_edgeFlat && kind != pal_edgeConvex && kind != pal_edgeConcave)
            return false;
    }
    return true;
}

static palResult allocate(palMovingSurface* moving, palError* error)
{
    size_t vertices = (size_t)moving->surface.vertexCount;
    size_t triangles = (size_t)moving->surface.triangleCount;
    moving->start = malloc((vertices + 1) * sizeof *moving->start);
    moving->boxes = malloc((triangles + 1) * sizeof *moving->boxes);
    moving->owned = malloc(triangles + 1);
    if (moving->start != NULL && moving->boxes != NULL && moving->owned != NULL)
        return pal_ok;
    return palError_Memory(error, "a moving surface", triangles * sizeof *moving->boxes);
}

// The boxes that the triangles sweep through.
static void fillBoxes(palMovingSurface* moving, const palVec3* start, const palVec3* end)
{
    for (int t = 0; t < moving->surface.triangleCount; t++)
    {
        const int* v = moving->surface.triangles[t];
        palBounds box = palMakeBounds(start[v[0]]);
        for (int k = 0; k < 3; k++)
            box = palBounds_With(palBounds_With(box, start[v[k]]), end[v[k]]);
        moving->boxes[t] = box;
    }
}

palResult palMovingSurface_Init(palMovingSurface* moving, const palSurface* surface,
                                palError* error)
{
    *moving = (palMovingSurface){0};
    // The tree first: it refuses what is no surface.
    palResult result = palBvh_Create(surface, &moving->bvh, error);
    if (result == pal_ok)
        result = palSurface_Copy(surface, &moving->surface, error);
    if (result == pal_ok)
        result = palTopology_Init(&moving->topology, &moving->surface, error);
    if (result == pal_ok)
        result = allocate(moving, error);
    if (result == pal_ok)
    {
        fillBoxes(moving, surface->vertices, surface->vertices);
        result = palBoxTree_Init(&moving->tree, surface->triangleCount, moving->boxes, error);
    }
    if (result != pal_ok)
    {
        palMovingSurface_Free(moving);
        return result;
    }
    findOwners(moving);
    moving->closed = isClosed(&moving->topology);
    palMovingSurface_Move(moving, surface->vertices, surface->vertices);
    return pal_ok;
}

void palMovingSurface_Free(palMovingSurface* moving)
{
    palSurface_Free(&moving->surface);
    palTopology_Free(&moving->topology);
    palBvh_Destroy(moving->bvh);
    palBoxTree_Free(&moving->tree);
    free(moving->start);
    free(moving->boxes);
    free(moving->owned);
    palPlacement_Destroy(moving->places[0]);
    palPlacement_Destroy(moving->places[1]);
    palSweptBoxes_Destroy(moving->swept);
    *moving = (palMovingSurface){0};
}

// Boxes and trees of the vertices as they are.
static void refit(palMovingSurface* moving)
{
    fillBoxes(moving, moving->start, moving->surface.vertices);
    palBoxTree_Refit(&moving->tree, moving->boxes);
    moving->bounds = moving->tree.nodes[1];
    palBvh_Refit(moving->bvh, moving->surface.vertices);
}

palResult palMovingSurface_Bind(palMovingSurface* moving, const palSkin* skin, int nodeCount,
                                palError* error)
{
    palSurface before = moving->surface;
    before.vertices = moving->start;
    palResult result =
        palPlacement_Create(skin, nodeCount, &before, NULL, &moving->places[0], error);
    if (result == pal_ok)
        result =
            palPlacement_Create(skin, nodeCount, &moving->surface, NULL, &moving->places[1], error);
    if (result == pal_ok)
        result = palSweptBoxes_Create(&moving->tree, moving->boxes, moving->places[0],
                                      moving->places[1], &moving->swept, error);
    if (result == pal_ok)
        result = palBvh_Bind(moving->bvh, moving->places[1], error);
    moving->tree.swept = moving->swept;
    return result;
}

double palMovingSurface_MoveNodes(palMovingSurface* moving, const palVec3* start,
                                  const palVec3* end)
{
    palPlacement_Follow(moving->places[0], start);
    palPlacement_Follow(moving->places[1], end);
    palSweptBoxes_Defer(moving->swept, &moving->tree);
    moving->bounds = moving->tree.nodes[1];
    palBvh_Defer(moving->bvh);
    return palSweptBoxes_Travel(moving->swept, &moving->tree);
}

void palMovingSurface_Move(palMovingSurface* moving, const palVec3* start, const palVec3* end)
{
    palSurface* surface = &moving->surface;
    size_t size = (size_t)surface->vertexCount * sizeof *start;
    memcpy(moving->start, start, size);
    memcpy(surface->vertices, end, size);
    refit(moving);
}

void palMovingSurface_Archive(palMovingSurface* moving, palArchive* archive)
{
    for (int k = 0; k < 2 && moving->swept != NULL && !archive->isRestoring; k++)
        palPlacement_PlaceAll(moving->places[k]);
    PAL_ARCHIVE_ARRAY(archive, moving->start, moving->surface.vertexCount);
    PAL_ARCHIVE_ARRAY(archive, moving->surface.vertices, moving->surface.vertexCount);
    for (int k = 0; k < 2 && moving->swept != NULL && archive->isRestoring; k++)
        palPlacement_TakeVertices(moving->places[k]);
    if (archive->isRestoring && moving->swept != NULL)
        palSweptBoxes_SetFitted(moving->swept);
    if (archive->isRestoring)
        refit(moving);
}

int palNextBit(const uint64_t* bits, int index, int count)
{
    if (bits == NULL || index >= count)
        return index < count ? index : count;
    uint64_t word = bits[index / 64] >> index % 64 << index % 64;
    int at = index / 64;
    while (word == 0 && 64 * (at + 1) < count)
        word = bits[++at];
    int bit = 0;
    while (word != 0 && !(word >> bit & 1))
        bit++;
    int found = word != 0 ? 64 * at + bit : count;
    return found < count ? found : count;
}

static void mark(uint64_t* bits, int index)
{
    bits[index / 64] |= (uint64_t)1 << index % 64;
}

// Marks what belongs to clusters that may be within `distance` of the other surface: triangles, or
// vertices that may be within its bounds as well.
static const uint64_t* markNear(const palMovingSurface* moving, const palMovingSurface* other,
                                double distance, bool ofVertices)
{
    const double more = 1.0 + 1e-9; // than rounding
    palSweptBoxes* swept = moving->swept;
    if (swept == NULL)
        return NULL;
    int bits = ofVertices ? moving->surface.vertexCount : moving->surface.triangleCount;
    memset(swept->marks, 0, ((size_t)bits / 64 + 1) * sizeof *swept->marks);
    for (int i = 0; i < swept->clusterCount; i++)
    {
        const palSweptCluster* cluster = &swept->clusters[i];
        palBounds box = moving->tree.nodes[cluster->node];
        palBounds wide = distance < INFINITY ? palBounds_Grown(box, more * distance) : box;
        if ((ofVertices && !palBounds_Meet(box, other->bounds)) ||
            (distance < INFINITY && !palBoxTree_MayMeet(&other->tree, wide)))
            continue;
        if (!ofVertices && swept->pending[cluster->node] >= 0)
            palSweptBoxes_Fit(swept, &moving->tree, i);
        for (int k = cluster->triangleBegin; k < cluster->triangleEnd; k++)
        {
            int triangle = moving->tree.order[k];
            const int* corners = moving->surface.triangles[triangle];
            for (int c = 0; c < 3 && ofVertices; c++)
                mark(swept->marks, corners[c]);
            if (!ofVertices)
                mark(swept->marks, triangle);
        }
    }
    return swept->marks;
}

const uint64_t* palMovingSurface_TrianglesNear(const palMovingSurface* moving,
                                               const palMovingSurface* other, double distance)
{
    return markNear(moving, other, distance, false);
}

const uint64_t* palMovingSurface_VerticesNear(const palMovingSurface* moving,
                                              const palMovingSurface* other, double distance)
{
    return markNear(moving, other, distance, true);
}

static palVec3 faceNormal(const palMovingSurface* moving, int t)
{
    const int* v = moving->surface.triangles[t];
    palVec3 a = palMovingSurface_End(moving, v[0]);
    palVec3 b = palMovingSurface_End(moving, v[1]), c = palMovingSurface_End(moving, v[2]);
    return palNormalize(palCross(palSub(b, a), palSub(c, a)));
}

static palVec3 vertexNormal(const palMovingSurface* moving, int vertex)
{
    const palSurface* surface = &moving->surface;
    palVec3 sum = pal_zeroVec3;
    for (int i = moving->topology.starStarts[vertex]; i < moving->topology.starStarts[vertex + 1];
         i++)
    {
        const int* v = surface->triangles[moving->topology.star[i]];
        int k = v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
        palVec3 x = palMovingSurface_End(moving, vertex);
        palVec3 a = palSub(palMovingSurface_End(moving, v[(k + 1) % 3]), x);
        palVec3 b = palSub(palMovingSurface_End(moving, v[(k + 2) % 3]), x);
        palVec3 n = palCross(a, b);
        sum = palMulAdd(sum, atan2(palLength(n), palDot(a, b)), palNormalize(n));
    }
    return palNormalize(sum);
}

palVec3 palMovingSurface_Normal(const palMovingSurface* moving, int triangle,
                                palTriangleFeature feature)
{
    const palSurface* surface = &moving->surface;
    if (feature == pal_featureFace)
        return faceNormal(moving, triangle);
    if (feature >= pal_featureVertex0)
        return vertexNormal(moving, surface->triangles[triangle][feature - pal_featureVertex0]);
    int edge = moving->topology.triangleEdges[triangle][feature - pal_featureEdge0];
    const int* sides = moving->topology.edgeTriangles[edge];
    palVec3 n = faceNormal(moving, sides[0]);
    return sides[1] < 0 ? n : palNormalize(palAdd(n, faceNormal(moving, sides[1])));
}

// The triangles about a feature: the two of an edge, all about a vertex. Returns how many.
static int starOf(const palMovingSurface* moving, int triangle, palTriangleFeature feature,
                  const int** triangles)
{
    if (feature >= pal_featureVertex0)
    {
        int v = moving->surface.triangles[triangle][feature - pal_featureVertex0];
        *triangles = &moving->topology.star[moving->topology.starStarts[v]];
        return moving->topology.starStarts[v + 1] - moving->topology.starStarts[v];
    }
    int edge = moving->topology.triangleEdges[triangle][feature - pal_featureEdge0];
    *triangles = moving->topology.edgeTriangles[edge];
    return (*triangles)[1] < 0 ? 1 : 2;
}

// The largest value of n · (w - x) / |w - x| over the vertices w of the triangles about a feature.
// The ends of an edge count as well: for a direction perpendicular to it they add nothing.
static double steepest(const palMovingSurface* moving, int triangle, palTriangleFeature feature,
                       palVec3 x, palVec3 n)
{
    double most = 0.0;
    if (feature == pal_featureFace)
        return most;
    const int* triangles;
    int count = starOf(moving, triangle, feature, &triangles);
    for (int i = 0; i < 3 * count; i++)
    {
        int vertex = moving->surface.triangles[triangles[i / 3]][i % 3];
        palVec3 way = palSub(palMovingSurface_End(moving, vertex), x);
        double length = palLength(way);
        if (length > 0.0)
            most = fmax(most, palDot(n, way) / length);
    }
    return most;
}

bool palMovingSurface_IsNearest(const palMovingSurface* moving, int triangle,
                                palTriangleFeature feature, palVec3 x, palVec3 y)
{
    palVec3 way = palSub(y, x);
    double slack = rounding * (1.0 + palLength(x)) / fmax(palLength(way), rounding);
    return steepest(moving, triangle, feature, x, palNormalize(way)) <= slack;
}

bool palMovingSurface_SticksOut(const palMovingSurface* moving, int triangle,
                                palTriangleFeature feature, palVec3 x, palVec3 n, double slack)
{
    return steepest(moving, triangle, feature, x, palNeg(n)) <= slack;
}

bool palMovingSurface_Nearest(const palMovingSurface* moving, palVec3 x, double reach,
                              palClosest* closest, double* distance)
{
    if (!palBvh_Closest(moving->bvh, x, reach, closest))
        return false;
    *distance = closest->distance;
    palVec3 n = palMovingSurface_Normal(moving, closest->triangle, closest->feature);
    if (moving->closed && palDot(palSub(x, closest->point), n) < 0.0)
        *distance = -*distance;
    return true;
}

// A ray from x along an axis, and how often it leaves the surface less how often it enters.
typedef struct Ray
{
    const palMovingSurface* moving;
    palVec3 x;
    int axis;
    bool isUp; // towards larger coordinates
    int leaves;
} Ray;

static double coordinate(palVec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

// How often the closed polygon of a triangle's edges, seen along the ray, goes around it: what the
// edge from p to q adds. The two triangles of an edge have opposite values, to the last bit, so
// that no ray passes between them or through both.
static int aroundBy(const Ray* ray, palVec3 p, palVec3 q)
{
    int u = (ray->axis + 1) % 3, v = (ray->axis + 2) % 3;
    double pu = coordinate(p, u), pv = coordinate(p, v);
    double qu = coordinate(q, u), qv = coordinate(q, v);
    double left = pu * qv - pv * qu;
    return pv <= 0.0 && qv > 0.0 ? left >= 0.0 : pv > 0.0 && qv <= 0.0 ? -(left <= 0.0) : 0;
}

static void crossTriangle(int t, void* data)
{
    Ray* ray = data;
    const int* corners = ray->moving->surface.triangles[t];
    palVec3 a = palSub(palMovingSurface_End(ray->moving, corners[0]), ray->x);
    palVec3 b = palSub(palMovingSurface_End(ray->moving, corners[1]), ray->x);
    palVec3 c = palSub(palMovingSurface_End(ray->moving, corners[2]), ray->x);
    int around = aroundBy(ray, a, b) + aroundBy(ray, b, c) + aroundBy(ray, c, a);
    if (around != 0 && (palDot(a, palCross(b, c)) * around > 0.0) == ray->isUp)
        ray->leaves += ray->isUp ? around : -around;
}

int palMovingSurface_Winding(const palMovingSurface* moving, palVec3 x)
{
    // The shortest way out.
    Ray ray = {moving, x, 0, false, 0};
    palBounds box = palMakeBounds(x);
    double least = INFINITY;
    for (int k = 0; k < 6; k++)
    {
        double end = coordinate(k % 2 == 0 ? moving->bounds.low : moving->bounds.high, k / 2);
        double way = (k % 2 == 0 ? -1.0 : 1.0) * (end - coordinate(x, k / 2));
        if (way >= least)
            continue;
        least = way;
        ray.axis = k / 2;
        ray.isUp = k % 2 == 1;
    }
    if (least < 0.0)
        return 0;
    (&(ray.isUp ? &box.high : &box.low)->x)[ray.axis] =
        coordinate(ray.isUp ? moving->bounds.high : moving->bounds.low, ray.axis);
    palBoxTree_Visit(&moving->tree, moving->boxes, box, crossTriangle, &ray);
    return ray.leaves;
}

palSurfacePlace palMovingSurface_Place(const palMovingSurface* moving, const palClosest* closest)
{
    palSurfacePlace place = {.count = 0};
    const int* triangle = moving->surface.triangles[closest->triangle];
    for (int k = 0; k < 3; k++)
    {
        if (closest->feature != pal_featureFace && closest->weights[k] == 0.0)
            continue;
        place.vertices[place.count] = triangle[k];
        place.weights[place.count++] = closest->weights[k];
    }
    for (int k = place.count; k < 3; k++)
        place.vertices[k] = place.vertices[0];
    return place;
}

palVec3 palMovingSurface_At(const palMovingSurface* moving, const palSurfacePlace* place)
{
    palVec3 x = pal_zeroVec3;
    for (int k = 0; k < place->count; k++)
        x = palMulAdd(x, place->weights[k], palMovingSurface_End(moving, place->vertices[k]));
    return x;
}
