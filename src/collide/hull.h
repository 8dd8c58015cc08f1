// SPDX-License-Identifier: Apache-2.0
// A convex polyhedron with plane faces of any number of corners.
#ifndef PAL_COLLIDE_HULL_H
#define PAL_COLLIDE_HULL_H

#include "mesh/surface.h"

enum
{
    pal_hullCornersMax = 64, // of a face
};

/// All arrays are owned. Vertices belong to three faces at least, edges to two.
typedef struct palHull
{
    int vertexCount;
    palVec3* vertices; // [vertexCount], m
    int faceCount;
    palVec3* normals;  // [faceCount], unit, outward
    double* offsets;   // [faceCount], m: normal · x of the face's plane
    int* faceStarts;   // [faceCount + 1], into faceVertices
    int* faceVertices; // counterclockwise as seen from outside
    int* faceEdges;    // like faceVertices: the edge from that corner to the next
    int edgeCount;
    int (*edges)[2];     // [edgeCount]: vertices, the lower first
    int (*edgeFaces)[2]; // [edgeCount]: the faces on both sides
} palHull;

/// The convex hull of points. Faces that are in one plane up to a few 1e-7 of the extent, as
/// coordinates in single precision give them, become one. A face with more than pal_hullCornersMax
/// corners is an error, besides those of palMakeConvexHull.
palResult palHull_Init(palHull* hull, const palVec3* points, int count, palError* error);
void palHull_Free(palHull* hull);

/// Its faces as triangles.
palResult palHull_Surface(const palHull* hull, palSurface* surface, palError* error);

/// The distance of a point from the planes of the faces: the largest, negative inside.
double palHull_Height(const palHull* hull, palVec3 point);

#endif
