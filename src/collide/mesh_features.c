// SPDX-License-Identifier: Apache-2.0
#include "collide/mesh_features.h"

#include "base/error.h"
#include "collide/bvh_tree.h"

#include <stdlib.h>

// Edges that meet at less than this angle are one straight line, rad.
static const double straightAngle = 1e-4;

void palMeshFeatures_Free(palMeshFeatures* features)
{
    free(features->owned);
    free(features->patches);
    free(features->starStarts);
    free(features->star);
    free(features->below);
    *features = (palMeshFeatures){0};
}

static void findStars(palMeshFeatures* features, const palTopology* topology)
{
    int* starts = features->starStarts;
    for (int e = 0; e < 2 * topology->edgeCount; e++)
        starts[topology->edges[e / 2][e % 2] + 1]++;
    for (int v = 0; v < topology->vertexCount; v++)
        starts[v + 1] += starts[v];
    // Each start moves up to the end of its run, and back.
    for (int e = 0; e < 2 * topology->edgeCount; e++)
        features->star[starts[topology->edges[e / 2][e % 2]]++] = topology->edges[e / 2][1 - e % 2];
    for (int v = topology->vertexCount; v > 0; v--)
        starts[v] = starts[v - 1];
    starts[0] = 0;
}

static int rootOf(int* patches, int triangle)
{
    while (patches[triangle] != triangle)
    {
        patches[triangle] = patches[patches[triangle]];
        triangle = patches[triangle];
    }
    return triangle;
}

static void findPatches(palMeshFeatures* features, const palTopology* topology)
{
    int* patches = features->patches;
    for (int t = 0; t < topology->triangleCount; t++)
        patches[t] = t;
    for (int e = 0; e < topology->edgeCount; e++)
    {
        if (topology->edgeKinds[e] != pal_edgeFlat)
            continue;
        int a = rootOf(patches, topology->edgeTriangles[e][0]);
        int b = rootOf(patches, topology->edgeTriangles[e][1]);
        patches[a > b ? a : b] = a > b ? b : a;
    }
    for (int t = 0; t < topology->triangleCount; t++)
        patches[t] = rootOf(patches, t);
}

// What meets at a vertex.
typedef struct Corner
{
    int bent;      // edges that are not flat
    int ridges;    // of these convex
    palVec3 along; // the sum of the unit vectors along the ridges
    int owner;     // the triangle with the smallest box; -1: none yet
    double size;   // of that box, m
} Corner;

static void countEdges(Corner* corners, const palSurface* surface, const palTopology* topology)
{
    for (int v = 0; v < surface->vertexCount; v++)
        corners[v].owner = -1;
    for (int e = 0; e < topology->edgeCount; e++)
    {
        const int* ends = topology->edges[e];
        palVec3 along =
            palNormalize(palSub(surface->vertices[ends[1]], surface->vertices[ends[0]]));
        for (int i = 0; i < 2; i++)
        {
            Corner* corner = &corners[ends[i]];
            corner->bent += topology->edgeKinds[e] != pal_edgeFlat;
            if (topology->edgeKinds[e] != pal_edgeConvex)
                continue;
            corner->ridges++;
            corner->along = palMulAdd(corner->along, i == 0 ? 1.0 : -1.0, along);
        }
    }
}

// Small triangles own their corners: they are near few others.
static void chooseOwners(Corner* corners, const palSurface* surface)
{
    for (int t = 0; t < surface->triangleCount; t++)
    {
        const int* v = surface->triangles[t];
        const palVec3* x = surface->vertices;
        double size = palDistance(x[v[0]], x[v[1]]) + palDistance(x[v[1]], x[v[2]]) +
                      palDistance(x[v[2]], x[v[0]]);
        for (int k = 0; k < 3; k++)
        {
            Corner* corner = &corners[v[k]];
            if (corner->owner >= 0 && corner->size <= size)
                continue;
            corner->owner = t;
            corner->size = size;
        }
    }
}

static void findOwned(palMeshFeatures* features, const Corner* corners, const palSurface* surface,
                      const palTopology* topology)
{
    for (int t = 0; t < surface->triangleCount; t++)
    {
        unsigned owned = 0;
        for (int k = 0; k < 3; k++)
        {
            const Corner* corner = &corners[surface->triangles[t][k]];
            bool straight = corner->bent == 2 && corner->ridges == 2 &&
                            palLength(corner->along) < straightAngle;
            if (corner->owner == t && corner->ridges > 0 && !straight)
                owned |= 1u << k;
            int edge = topology->triangleEdges[t][k];
            if (topology->edgeKinds[edge] == pal_edgeConvex &&
                topology->edgeTriangles[edge][0] == t)
                owned |= 8u << k;
        }
        features->owned[t] = (uint8_t)owned;
    }
}

// Children stand behind their parents.
static void findBelow(palMeshFeatures* features, const palBvh* bvh)
{
    for (int n = bvh->nodeCount - 1; n >= 0; n--)
        for (int i = 0; i < pal_bvhWidth; i++)
        {
            int32_t child = bvh->nodes[n].child[i];
            unsigned below = 0;
            for (int k = 0; k < pal_bvhWidth && child != pal_bvhNoChild; k++)
            {
                if (child >= 0)
                {
                    below |= features->below[pal_bvhWidth * child + k];
                    continue;
                }
                unsigned owned = features->owned[bvh->leaves[~child].triangle[k]];
                below |= (owned & 7u) != 0 ? pal_ownsVertex : 0u;
                below |= owned >> 3 != 0 ? pal_ownsEdge : 0u;
            }
            features->below[pal_bvhWidth * n + i] = (uint8_t)below;
        }
}

palResult palMeshFeatures_Init(palMeshFeatures* features, const palSurface* surface,
                               const palTopology* topology, const palBvh* bvh, palError* error)
{
    size_t triangles = (size_t)surface->triangleCount, vertices = (size_t)surface->vertexCount;
    size_t lanes = (size_t)bvh->nodeCount * pal_bvhWidth;
    *features = (palMeshFeatures){
        .owned = calloc(triangles + 1, sizeof *features->owned),
        .patches = calloc(triangles + 1, sizeof *features->patches),
        .starStarts = calloc(vertices + 2, sizeof *features->starStarts),
        .star = calloc(2 * (size_t)topology->edgeCount + 1, sizeof *features->star),
        .below = calloc(lanes + 1, sizeof *features->below),
    };
    Corner* corners = calloc(vertices + 1, sizeof *corners);
    if (features->owned == NULL || features->patches == NULL || features->starStarts == NULL ||
        features->star == NULL || features->below == NULL || corners == NULL)
    {
        palMeshFeatures_Free(features);
        free(corners);
        return palError_Memory(error, "the features of a mesh", vertices * sizeof *corners);
    }
    findStars(features, topology);
    findPatches(features, topology);
    countEdges(corners, surface, topology);
    chooseOwners(corners, surface);
    findOwned(features, corners, surface, topology);
    findBelow(features, bvh);
    free(corners);
    return pal_ok;
}

bool palMeshFeatures_SticksOut(const palMeshFeatures* features, const palSurface* surface,
                               int vertex, palVec3 direction, double slack)
{
    palVec3 x = surface->vertices[vertex];
    for (int i = features->starStarts[vertex]; i < features->starStarts[vertex + 1]; i++)
    {
        palVec3 way = palSub(surface->vertices[features->star[i]], x);
        double rise = palDot(direction, way);
        if (rise > 0.0 && rise * rise > slack * slack * palLengthSquared(way))
            return false;
    }
    return true;
}
