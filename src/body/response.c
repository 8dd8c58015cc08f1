// SPDX-License-Identifier: Apache-2.0
#include "body/response.h"

#include "base/error.h"
#include "body/response_space.h"
#include "linalg/block_many.h"

#include <cblas.h>
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
    if (!response->V || !response->KV || !response->W || !response->b || !response->mass ||
        !response->rootMass)
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

static palResult allocateFrames(palResponse* response, palError* error)
{
    size_t nodes = (size_t)response->body->freeCount;
    size_t kept = 3 * (size_t)response->def.nodes * palResponse_Rows(response);
    response->frames = calloc(nodes, sizeof(palMat3));
    response->newestFrames = calloc(nodes, sizeof(palMat3));
    response->nextFrames = calloc(nodes, sizeof(palMat3));
    response->turns = calloc(nodes, sizeof(palMat3));
    response->kept = calloc(kept, sizeof(double));
    if (!response->frames || !response->newestFrames || !response->nextFrames || !response->turns ||
        !response->kept)
        return palError_Memory(error, "the response of a soft body", kept * sizeof(double));
    return palCgWorkspace_Init(&response->cg, response->body->freeCount, error);
}

// The worker with its first factor, of the safe tangent. In single precision, which is all that a
// preconditioner needs, or where that does not suffice for this matrix in double.
static palResult createWorker(palResponse* response, palError* error)
{
    palResult result = allocateFrames(response, error);
    palCholeskyDef def = palDefaultCholeskyDef();
    def.singlePrecision = true;
    palSoftBody_Linearise(response->body, pal_tangentSafe);
    palSoftBody_System(response->body, pal_responseStep, &response->A);
    for (int i = 0; i < 2 && result == pal_ok; i++)
    {
        palFactorWorker_Destroy(response->worker);
        result = palFactorWorker_Create(&def, &response->A, &response->worker, error);
        if (result != pal_ok)
            break;
        palSoftBody_Frames(response->body, response->newestFrames);
        palFactorWorker_Make(response->worker, &response->A, 0.0);
        if (palFactorWorker_Take(response->worker) == pal_factorMade)
            break;
        def.singlePrecision = false;
    }
    return result;
}

palResult palResponse_Create(const palResponseDef* def, palSoftBody* body, bool isTied,
                             palResponse** response, palError* error)
{
    *response = NULL;
    palResponse* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the response of a soft body", sizeof *created);
    created->def = *def;
    created->body = body;
    // A touched node that is tied has no unit columns: theirs are dense.
    int units = 3 * def->nodes, others = pal_responseDenseMax - pal_responseUnitsMax;
    created->denseCapacity = units + others + (isTied ? units : 0);
    // BLAS threads that wait for each other on a busy machine stretch a step of 15 ms to 90.
    openblas_set_num_threads(1);
    palCholeskyDef plain = palDefaultCholeskyDef();
    palResult result = allocate(created, error);
    if (result == pal_ok)
        result = palSoftBody_InitSystem(body, &created->A, error);
    if (result == pal_ok && body->tetCount + body->hexCount > def->elementsAtOnce)
        result = createWorker(created, error);
    else if (result == pal_ok)
        result = palCholesky_Create(&plain, &created->A, &created->factor, error);
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
    palFactorWorker_Destroy(response->worker);
    palCgWorkspace_Free(&response->cg);
    palCholesky_Destroy(response->factor);
    palBlockMatrix_Free(&response->A);
    void* const owned[] = {
        response->frames,     response->newestFrames,
        response->nextFrames, response->turns,
        response->kept,       response->V,
        response->KV,         response->W,
        response->b,          response->mass,
        response->rootMass,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(response);
}
