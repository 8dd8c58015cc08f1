// SPDX-License-Identifier: Apache-2.0
// A triangle surface: the geometry used for all contact.
#ifndef PAL_MESH_SURFACE_H
#define PAL_MESH_SURFACE_H

#include "base/messages.h"
#include "math/vec3.h"

typedef struct palSurface
{
    int vertexCount;
    int triangleCount;
    palVec3* vertices;   // owned, [vertexCount], m
    int (*triangles)[3]; // owned, [triangleCount], vertex indices, counter-clockwise from outside
} palSurface;

typedef struct palBounds
{
    palVec3 low;  // m
    palVec3 high; // m
} palBounds;

/// A feature of a triangle.
typedef enum palTriangleFeature
{
    pal_featureFace,
    pal_featureEdge0, // from corner 0 to corner 1
    pal_featureEdge1, // from corner 1 to corner 2
    pal_featureEdge2, // from corner 2 to corner 0
    pal_featureVertex0,
    pal_featureVertex1,
    pal_featureVertex2,
} palTriangleFeature;

/// Allocates uninitialised arrays of the given sizes (zero is allowed).
palResult palSurface_Init(palSurface* surface, int vertexCount, int triangleCount, palError* error);
void palSurface_Free(palSurface* surface);
palResult palSurface_Copy(const palSurface* surface, palSurface* copy, palError* error);

/// The bounding box of the vertices; without vertices a point at the origin.
palBounds palSurface_Bounds(const palSurface* surface);

/// x -> position + rotation (scale x), in place.
void palSurface_Transform(palSurface* surface, double scale, palQuat rotation, palVec3 position);

#endif
