// SPDX-License-Identifier: Apache-2.0
// Builds a surface while a file is read: vertices one by one, faces as polygons.
#ifndef PAL_MESH_BUILDER_H
#define PAL_MESH_BUILDER_H

#include "mesh/surface.h"

typedef struct palSurfaceBuilder
{
    palSurface surface;   // owned; ownership passes to the caller of the reader
    int vertexCapacity;   // of surface.vertices
    int triangleCapacity; // of surface.triangles
    int points;           // faces with one corner, ignored
    int lines;            // faces with two corners, ignored
} palSurfaceBuilder;

void palSurfaceBuilder_Free(palSurfaceBuilder* builder);

palResult palSurfaceBuilder_AddVertex(palSurfaceBuilder* builder, palVec3 vertex, palError* error);
palResult palSurfaceBuilder_AddTriangle(palSurfaceBuilder* builder, int a, int b, int c,
                                        palError* error);

/// Adds a polygon as count - 2 triangles of the same orientation. Every corner must be a vertex
/// added before, otherwise pal_errorInput. Polygons of one or two corners are counted, not added.
palResult palSurfaceBuilder_AddPolygon(palSurfaceBuilder* builder, const int* corners, int count,
                                       palError* error);

#endif
