// SPDX-License-Identifier: Apache-2.0
#include "collide/collider.h"

#include <stdlib.h>
#include <string.h>

// Directions of vectors shorter than this share of the coordinates are rounding noise.
static const double noise = 1e-10;

static bool isClosed(const palTopology* topology)
{
    for (int i = 0; i < topology->edgeCount; i++)
    {
        palEdgeKind kind = topology->edgeKinds[i];
        if (kind != pal_edgeFlat && kind != pal_edgeConvex && kind != pal_edgeConcave)
            return false;
    }
    return true;
}

palResult palCollider_Init(palCollider* collider, palSurface* surface, double friction,
                           palError* error)
{
    *collider = (palCollider){.surface = *surface, .friction = friction};
    *surface = (palSurface){0};
    palResult result = palTopology_Init(&collider->topology, &collider->surface, error);
    collider->closed = result == pal_ok && isClosed(&collider->topology);
    if (result == pal_ok)
        result = palBvh_Create(&collider->surface, &collider->bvh, error);
    if (result != pal_ok)
        palCollider_Free(collider);
    return result;
}

void palCollider_Free(palCollider* collider)
{
    palBvh_Destroy(collider->bvh);
    palTopology_Free(&collider->topology);
    palSurface_Free(&collider->surface);
    palSkin_Free(&collider->skin);
    palPlacement_Destroy(collider->placement);
    free(collider->places);
    palSoftBody_Destroy(collider->soft);
    *collider = (palCollider){0};
}

palResult palCollider_Bind(palCollider* collider, palSoftBody* soft, palSkin* skin, palError* error)
{
    collider->soft = soft;
    collider->skin = *skin;
    *skin = (palSkin){0};
    palResult result = palPlacement_Create(&collider->skin, soft->nodeCount, &collider->surface,
                                           &collider->topology, &collider->placement, error);
    return result == pal_ok ? palBvh_Bind(collider->bvh, collider->placement, error) : result;
}

void palCollider_Follow(palCollider* collider)
{
    palPlacement_Follow(collider->placement, collider->soft->x);
    palBvh_Defer(collider->bvh);
}

void palCollider_Move(palCollider* collider, const palVec3* vertices)
{
    if (vertices != collider->surface.vertices)
        memcpy(collider->surface.vertices, vertices,
               (size_t)collider->surface.vertexCount * sizeof *vertices);
    if (collider->placement != NULL)
        palPlacement_TakeVertices(collider->placement);
    else
        palTopology_Refresh(&collider->topology, &collider->surface);
    palBvh_Refit(collider->bvh, collider->surface.vertices);
}

void palCollider_Archive(palCollider* collider, palArchive* archive)
{
    palSurface* surface = &collider->surface;
    PAL_ARCHIVE(archive, collider->friction);
    if (collider->soft != NULL)
        palSoftBody_Archive(collider->soft, archive);
    if (!palCollider_Yields(collider))
        return;
    if (!archive->isRestoring)
        palCollider_Vertices(collider);
    PAL_ARCHIVE_ARRAY(archive, surface->vertices, surface->vertexCount);
    if (archive->isRestoring)
        palCollider_Move(collider, surface->vertices);
}

const palVec3* palCollider_Vertices(const palCollider* collider)
{
    if (collider->placement != NULL)
        palPlacement_PlaceAll(collider->placement);
    return collider->surface.vertices;
}

palBounds palCollider_Bounds(const palCollider* collider)
{
    palCollider_Vertices(collider);
    return palSurface_Bounds(&collider->surface);
}

palVec3 palCollider_Point(const palCollider* collider, const palSurfacePlace* place)
{
    palVec3 x = pal_zeroVec3;
    for (int k = 0; k < place->count; k++)
        x = palMulAdd(x, place->weights[k], palCollider_Vertex(collider, place->vertices[k]));
    return x;
}

void palCollider_RenewEdge(const palCollider* collider, int edge)
{
    if (collider->placement != NULL)
        palPlacement_RenewEdge(collider->placement, edge);
}

void palCollider_RenewVertex(const palCollider* collider, int vertex)
{
    if (collider->placement == NULL)
        return;
    palPlacement_RenewVertex(collider->placement, vertex);
    palPlacement_RenewCorner(collider->placement, vertex);
}

palVec3 palCollider_Normal(const palCollider* collider, int triangle, palTriangleFeature feature)
{
    palPlacement* placement = collider->placement;
    const palTopology* topology = &collider->topology;
    if (placement != NULL && feature == pal_featureFace)
        palPlacement_RenewTriangle(placement, triangle);
    else if (placement != NULL && feature < pal_featureVertex0)
        palPlacement_RenewEdge(placement,
                               topology->triangleEdges[triangle][feature - pal_featureEdge0]);
    else if (placement != NULL)
        palPlacement_RenewVertex(
            placement, collider->surface.triangles[triangle][feature - pal_featureVertex0]);
    return palTopology_Normal(topology, &collider->surface, triangle, feature);
}

// The corner or edge that the closest point is on but for rounding, which else decides whose normal
// is taken of the faces there: one that leans against the motion can hold by friction what slides
// on all others.
static palTriangleFeature featureAt(const palCollider* collider, const palClosest* closest,
                                    double tolerance)
{
    const int* corners = collider->surface.triangles[closest->triangle];
    palVec3 v[3];
    for (int k = 0; k < 3; k++)
    {
        v[k] = palCollider_Vertex(collider, corners[k]);
        if (palDistance(v[k], closest->point) <= tolerance)
            return (palTriangleFeature)(pal_featureVertex0 + k);
    }
    double area = palLength(palCross(palSub(v[1], v[0]), palSub(v[2], v[0]))); // twice
    for (int k = 0; k < 3; k++)
        if (closest->weights[(k + 2) % 3] * area <= tolerance * palDistance(v[k], v[(k + 1) % 3]))
            return (palTriangleFeature)(pal_featureEdge0 + k);
    return closest->feature;
}

// The outward normal at the closest point, and the signed gap.
static void orient(const palCollider* collider, palVec3 x, palNearest* nearest)
{
    const palClosest* closest = &nearest->closest;
    double scale = palLength(x) + palLength(closest->point);
    nearest->closest.feature = featureAt(collider, closest, noise * scale);
    palVec3 pseudo = palCollider_Normal(collider, closest->triangle, closest->feature);
    palVec3 offset = palSub(x, closest->point);
    double side = palDot(offset, pseudo) < 0.0 ? -1.0 : 1.0;
    bool isClear = closest->distance > noise * scale;
    nearest->gap = side * closest->distance;
    nearest->normal = closest->feature != pal_featureFace && isClear
                          ? palScale(side / closest->distance, offset)
                          : pseudo;
}

bool palColliders_Nearest(const palCollider* colliders, int count, palVec3 x, double radius,
                          palNearest* nearest)
{
    double bound = radius;
    nearest->object = -1;
    for (int i = 0; i < count; i++)
    {
        palClosest closest;
        if (colliders[i].inTick || !palBvh_Closest(colliders[i].bvh, x, bound, &closest))
            continue;
        if (nearest->object >= 0 && closest.distance >= nearest->closest.distance)
            continue;
        nearest->object = i;
        nearest->closest = closest;
        bound = closest.distance;
    }
    if (nearest->object < 0)
        return false;
    orient(&colliders[nearest->object], x, nearest);
    return true;
}

// Of surfaces that yield: what bends less is smooth.
static const double ridge = 0.25 * PAL_PI;

static palVec3 smoothNormal(const palCollider* collider, int triangle, const double weights[3])
{
    for (int k = 0; k < 3 && collider->placement != NULL; k++)
        if (weights[k] > 0.0)
            palPlacement_RenewCorner(collider->placement, collider->surface.triangles[triangle][k]);
    return palTopology_SmoothNormal(&collider->topology, &collider->surface, triangle, weights,
                                    ridge);
}

// On a soft body the normal turns steadily from facet to facet. In a dimple the plane of one facet
// sends a proxy without friction onto the next, whose plane sends it back: with the facets' own
// normals every update would shake a hand that holds still. Edges that the body has at rest stay.
palVec3 palCollider_ContactNormal(const palCollider* collider, const palNearest* nearest)
{
    if (!palCollider_Yields(collider))
        return nearest->normal;
    const palClosest* closest = &nearest->closest;
    palVec3 smooth = smoothNormal(collider, closest->triangle, closest->weights);
    return palLengthSquared(smooth) > 0.0 ? smooth : nearest->normal;
}

palVec3 palCollider_CornerNormal(const palCollider* collider, int triangle, int corner)
{
    double weights[3] = {0.0, 0.0, 0.0};
    weights[corner] = 1.0;
    return smoothNormal(collider, triangle, weights);
}
