// SPDX-License-Identifier: Apache-2.0
#include "mesh/surface.h"

#include "base/error.h"
#include "math/quat.h"

#include <stdlib.h>
#include <string.h>

palResult palSurface_Init(palSurface* surface, int vertexCount, int triangleCount, palError* error)
{
    *surface = (palSurface){0};
    // At least one element, so that size zero can be distinguished from a failed allocation.
    size_t vertexBytes = (size_t)(vertexCount > 0 ? vertexCount : 1) * sizeof *surface->vertices;
    size_t triangleBytes =
        (size_t)(triangleCount > 0 ? triangleCount : 1) * sizeof *surface->triangles;
    surface->vertices = malloc(vertexBytes);
    surface->triangles = malloc(triangleBytes);
    if (surface->vertices == NULL || surface->triangles == NULL)
    {
        palSurface_Free(surface);
        return palError_Memory(error, "a surface", vertexBytes + triangleBytes);
    }
    surface->vertexCount = vertexCount;
    surface->triangleCount = triangleCount;
    return pal_ok;
}

void palSurface_Free(palSurface* surface)
{
    free(surface->vertices);
    free(surface->triangles);
    *surface = (palSurface){0};
}

palResult palSurface_Copy(const palSurface* surface, palSurface* copy, palError* error)
{
    palResult result = palSurface_Init(copy, surface->vertexCount, surface->triangleCount, error);
    if (result != pal_ok)
        return result;
    if (surface->vertexCount > 0)
        memcpy(copy->vertices, surface->vertices,
               (size_t)surface->vertexCount * sizeof *surface->vertices);
    if (surface->triangleCount > 0)
        memcpy(copy->triangles, surface->triangles,
               (size_t)surface->triangleCount * sizeof *surface->triangles);
    return pal_ok;
}

palBounds palSurface_Bounds(const palSurface* surface)
{
    if (surface->vertexCount == 0)
        return (palBounds){0};
    palBounds bounds = {.low = surface->vertices[0], .high = surface->vertices[0]};
    for (int i = 1; i < surface->vertexCount; i++)
    {
        bounds.low = palMinVec3(bounds.low, surface->vertices[i]);
        bounds.high = palMaxVec3(bounds.high, surface->vertices[i]);
    }
    return bounds;
}

void palSurface_Transform(palSurface* surface, double scale, palQuat rotation, palVec3 position)
{
    for (int i = 0; i < surface->vertexCount; i++)
    {
        palVec3 scaled = palScale(scale, surface->vertices[i]);
        surface->vertices[i] = palAdd(position, palRotate(rotation, scaled));
    }
}
