// SPDX-License-Identifier: Apache-2.0
#include "body/response.h"

#include "base/error.h"
#include "body/response_space.h"
#include "linalg/block_many.h"

#include <stdlib.h>

_Static_assert(2 * (int)pal_blockFour <= 3 * (int)pal_responseNodes, "b is work enough");

// ---------------------------------------------------------------------------------------------
// Making

static palResult allocate(palResponse* response, palError* error)
{
    size_t vectors = (size_t)response->denseCapacity * palResponse_Rows(response);
    size_t nodes = (size_t)response->body->freeCount;
    response->V = calloc(vectors, sizeof(double));
    response->KV = calloc(vectors, sizeof(double));
    response->W = calloc(vectors, sizeof(double));
    response->b = calloc(vectors, sizeof(double));
    response->mass = calloc(nodes, sizeof(double));
    response->rootMass = calloc(nodes, sizeof(double));
    bool isLarge = palSoftFactor_IsLarge(response->factor);
    if (isLarge)
        response->kept =
            calloc(3 * (size_t)response->nodes * palResponse_Rows(response), sizeof(double));
    if ((isLarge && !response->kept) || !response->V || !response->KV || !response->W ||
        !response->b || !response->mass || !response->rootMass)
        return palError_Memory(error, "the response of a soft body", 4 * vectors * sizeof(double));
    for (int i = 0; i < response->body->nodeCount; i++)
    {
        int row = response->body->freeIndex[i];
        if (row < 0)
            continue;
        response->mass[row] = response->body->mass[i];
        response->rootMass[row] = sqrt(response->body->mass[i]);
    }
    return pal_ok;
}

palResult palResponse_Create(const palSoftFactorDef* def, palSoftBody* body, int nodes, bool isTied,
                             palResponse** response, palError* error)
{
    *response = NULL;
    palResponse* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the response of a soft body", sizeof *created);
    created->body = body;
    // A touched node that is tied has no unit columns: theirs are dense.
    int units = 3 * nodes, others = pal_responseDenseMax - pal_responseUnitsMax;
    created->denseCapacity = units + others + (isTied ? units : 0);
    created->nodes = nodes;
    palSoftFactorDef factor = *def;
    factor.h = pal_responseStep;
    palResult result = palSoftFactor_Create(&factor, body, &created->factor, error);
    if (result == pal_ok)
        result = allocate(created, error);
    if (result != pal_ok)
    {
        palResponse_Destroy(created);
        return result;
    }
    *response = created;
    return pal_ok;
}

void palResponse_Destroy(palResponse* response)
{
    if (response == NULL)
        return;
    palSoftFactor_Destroy(response->factor);
    void* const owned[] = {
        response->kept, response->V,    response->KV,       response->W,
        response->b,    response->mass, response->rootMass,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(response);
}
