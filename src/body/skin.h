// SPDX-License-Identifier: Apache-2.0
// A surface bound to the nodes of a soft body: every vertex is a fixed mean of a few nodes.
#ifndef PAL_BODY_SKIN_H
#define PAL_BODY_SKIN_H

#include "body/place.h"
#include "body/soft.h"

enum
{
    pal_skinNodesMax = 8, // nodes a vertex: the corners of a brick
};

typedef struct palSkin
{
    int vertexCount;
    int nodesEach;   // entries a vertex; unused ones have weight 0
    int* nodes;      // owned, [vertexCount][nodesEach]
    double* weights; // owned, [vertexCount][nodesEach], sum 1
} palSkin;

palResult palSkin_Init(palSkin* skin, int vertexCount, int nodesEach, palError* error);
void palSkin_Free(palSkin* skin);

/// Where a vertex is with the nodes at the given positions.
palVec3 palSkin_Point(const palSkin* skin, const palVec3* nodePositions, int vertex);
/// Where all vertices are.
void palSkin_Points(const palSkin* skin, const palVec3* nodePositions, palVec3* vertices);
/// Adds a force at a place of the surface to a vector of the body's rows.
void palSkin_AddForce(const palSkin* skin, const palSoftBody* body, const palSurfacePlace* at,
                      palVec3 force, double* rows);

#endif
