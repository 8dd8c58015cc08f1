// SPDX-License-Identifier: Apache-2.0
#include "body/skin.h"

#include "base/error.h"

#include <stdlib.h>

palResult palSkin_Init(palSkin* skin, int vertexCount, int nodesEach, palError* error)
{
    *skin = (palSkin){.vertexCount = vertexCount, .nodesEach = nodesEach};
    size_t count = (size_t)vertexCount * (size_t)nodesEach;
    skin->nodes = calloc(count > 0 ? count : 1, sizeof *skin->nodes);
    skin->weights = calloc(count > 0 ? count : 1, sizeof *skin->weights);
    if (skin->nodes == NULL || skin->weights == NULL)
    {
        palSkin_Free(skin);
        return palError_Memory(error, "the skin of a soft body", count * sizeof *skin->weights);
    }
    return pal_ok;
}

void palSkin_Free(palSkin* skin)
{
    free(skin->nodes);
    free(skin->weights);
    *skin = (palSkin){0};
}

palVec3 palSkin_Point(const palSkin* skin, const palVec3* nodePositions, int vertex)
{
    const int* nodes = skin->nodes + vertex * skin->nodesEach;
    const double* weights = skin->weights + vertex * skin->nodesEach;
    palVec3 x = pal_zeroVec3;
    for (int k = 0; k < skin->nodesEach; k++)
        x = palMulAdd(x, weights[k], nodePositions[nodes[k]]);
    return x;
}

void palSkin_Points(const palSkin* skin, const palVec3* nodePositions, palVec3* vertices)
{
    for (int v = 0; v < skin->vertexCount; v++)
        vertices[v] = palSkin_Point(skin, nodePositions, v);
}

void palSkin_AddForce(const palSkin* skin, const palSoftBody* body, const palSurfacePlace* at,
                      palVec3 force, double* rows)
{
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < skin->nodesEach; j++)
        {
            int entry = at->vertices[k] * skin->nodesEach + j;
            int row = body->freeIndex[skin->nodes[entry]];
            double weight = at->weights[k] * skin->weights[entry];
            if (row < 0)
                continue;
            rows[3 * row] += weight * force.x;
            rows[3 * row + 1] += weight * force.y;
            rows[3 * row + 2] += weight * force.z;
        }
}
