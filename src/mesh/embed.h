// SPDX-License-Identifier: Apache-2.0
// Embedding of points in the elements that contain them: a fine surface that follows a coarse
// deformable volume.
#ifndef PAL_MESH_EMBED_H
#define PAL_MESH_EMBED_H

#include "mesh/volume.h"

typedef struct palEmbedding
{
    int count;
    int* elements;        // owned, [count]: the element of each point
    double (*weights)[8]; // owned, [count]: of its corners, sum 1; a tet uses four
    int outside;          // points outside all elements, embedded in the nearest one
    double farthest;      // m, the largest distance of such a point from its element
} palEmbedding;

/// Allocates for `count` points, uninitialised.
palResult palEmbedding_Init(palEmbedding* embedding, int count, palError* error);
void palEmbedding_Free(palEmbedding* embedding);

/// Embeds points in a volume: barycentric weights in a tet, trilinear in a hex. A point outside
/// uses the linear extrapolation of the nearest element, with weights that may be negative.
palResult palEmbedding_Tie(palEmbedding* embedding, const palVolume* volume, const palVec3* points,
                           int count, palError* error);

/// The position of point i for the volume's vertices at `vertices`.
palVec3 palEmbedding_Point(const palEmbedding* embedding, const palVolume* volume,
                           const palVec3* vertices, int i);

#endif
