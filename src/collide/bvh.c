// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "collide/bvh_tree.h"

#include <stdlib.h>

// Squares of distances must fit a float: sqrt(FLT_MAX) is 1.8e19.
static const double coordinateMax = 1e15; // m

static palResult checkSurface(const palSurface* surface, palError* error)
{
    if (surface->triangleCount <= 0)
    {
        palError_Set(error, pal_errorInput, "the surface has no triangles");
        palError_Remedy(error, "give a mesh with at least one triangle");
        return pal_errorInput;
    }
    for (int i = 0; i < surface->triangleCount; i++)
    {
        for (int k = 0; k < 3; k++)
        {
            int vertex = surface->triangles[i][k];
            if (vertex < 0 || vertex >= surface->vertexCount)
            {
                palError_Set(error, pal_errorInput, "triangle %d refers to vertex %d of %d", i,
                             vertex, surface->vertexCount);
                palError_Remedy(error, "vertex indices are 0 to %d", surface->vertexCount - 1);
                return pal_errorInput;
            }
            palVec3 x = surface->vertices[vertex];
            if (!(fmax(fmax(fabs(x.x), fabs(x.y)), fabs(x.z)) <= coordinateMax) || !palIsFinite(x))
            {
                palError_Set(error, pal_errorInput, "vertex %d of triangle %d is at (%g, %g, %g)",
                             vertex, i, x.x, x.y, x.z);
                palError_Remedy(error, "coordinates must be finite and at most %g m",
                                coordinateMax);
                return pal_errorInput;
            }
        }
    }
    return pal_ok;
}

palResult palBvh_Create(const palSurface* surface, palBvh** bvh, palError* error)
{
    *bvh = NULL;
    palResult result = checkSurface(surface, error);
    if (result != pal_ok)
        return result;
    palBvh* tree = calloc(1, sizeof *tree);
    if (tree == NULL)
        return palError_Memory(error, "a bounding volume hierarchy", sizeof *tree);
    result = palBvh_Arrange(tree, surface, error);
    if (result != pal_ok)
    {
        palBvh_Destroy(tree);
        return result;
    }
    palBvh_UseScalar(tree, false);
    palBvh_Refit(tree, surface->vertices);
    *bvh = tree;
    return pal_ok;
}

void palBvh_Destroy(palBvh* bvh)
{
    if (bvh == NULL)
        return;
    free(bvh->nodes);
    free(bvh->leaves);
    free(bvh->vertices);
    free(bvh->points);
    free(bvh->source);
    free(bvh->order);
    palBvhDeferred_Destroy(bvh->deferred);
    free(bvh);
}

void palBvh_UseScalar(palBvh* bvh, bool scalar)
{
    const palBvhKernels* best = palBvhAvx2Kernels();
    bvh->kernels = scalar || best == NULL ? &pal_bvhScalarKernels : best;
}

void palBvh_Refit(palBvh* bvh, const palVec3* vertices)
{
    bvh->origin = vertices[bvh->source[0]];
    bvh->kernels->place(bvh, vertices);
    bvh->kernels->fit(bvh, 0, bvh->nodeCount);
    palBvh_FindExtent(bvh);
    if (bvh->deferred != NULL)
        palBvhDeferred_SetFitted(bvh->deferred, bvh);
}

void palBvh_FindExtent(palBvh* bvh)
{
    const palBvhNode* root = &bvh->nodes[0];
    bvh->extent = 0.0f;
    for (int i = 0; i < pal_bvhWidth; i++)
        for (int k = 0; k < 3; k++)
            bvh->extent = fmaxf(bvh->extent, fmaxf(-root->low[k][i], root->high[k][i]));
}

palBounds palBvh_Bounds(const palBvh* bvh)
{
    const palBvhNode* root = &bvh->nodes[0];
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < pal_bvhWidth; i++)
        for (int k = 0; k < 3; k++)
        {
            low[k] = fminf(low[k], root->low[k][i]);
            high[k] = fmaxf(high[k], root->high[k][i]);
        }
    return (palBounds){palAdd(bvh->origin, palMakeVec3(low[0], low[1], low[2])),
                       palAdd(bvh->origin, palMakeVec3(high[0], high[1], high[2]))};
}

bool palBvh_Closest(const palBvh* bvh, palVec3 point, double maxDistance, palClosest* closest)
{
    return bvh->kernels->closest(bvh, point, maxDistance, closest);
}

int palBvh_Within(const palBvh* bvh, palVec3 centre, double radius, int capacity, int* triangles)
{
    return bvh->kernels->within(bvh, centre, radius, capacity, triangles);
}

bool palBvh_FirstCrossing(const palBvh* bvh, palVec3 a, palVec3 b, palCrossing* crossing)
{
    palSegment segment;
    *crossing = (palCrossing){.triangle = -1};
    return palMakeSegment(a, b, &segment) && bvh->kernels->firstCrossing(bvh, &segment, crossing);
}
