// SPDX-License-Identifier: Apache-2.0
// Points tied to the elements they lie in: a fine surface that follows a coarse deformable volume.
#ifndef PAL_MESH_EMBED_H
#define PAL_MESH_EMBED_H

#include "mesh/volume.h"

typedef struct palEmbedding
{
    int count;
    int* elements;        // owned, [count]: the element that carries each point
    double (*weights)[8]; // owned, [count]: of its corners, sum 1; a tet has four
    int outside;          // points in no element, which follow the nearest one
    double farthest;      // m, from such a point to its element
} palEmbedding;

/// Allocates for `count` points, uninitialised.
palResult palEmbedding_Init(palEmbedding* embedding, int count, palError* error);
void palEmbedding_Free(palEmbedding* embedding);

/// Ties points to a volume: barycentric weights in a tet, trilinear in a hex. A point outside
/// follows the nearest element's linear extension, with weights that may be negative.
palResult palEmbedding_Tie(palEmbedding* embedding, const palVolume* volume, const palVec3* points,
                           int count, palError* error);

/// Where point i is when the volume's vertices are at `vertices`.
palVec3 palEmbedding_Point(const palEmbedding* embedding, const palVolume* volume,
                           const palVec3* vertices, int i);

#endif
