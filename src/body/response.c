// SPDX-License-Identifier: Apache-2.0
#include "body/response.h"

#include "base/error.h"
#include "body/reduction.h"
#include "body/response_space.h"
#include "linalg/block_many.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)pal_responseColumnsMax <= (int)pal_shapeModesMax, "a mode for every column");
_Static_assert(2 * (int)pal_blockFour <= (int)pal_responseDenseMax, "b is work enough");

// ---------------------------------------------------------------------------------------------
// Making

static palResult allocate(palResponse* response, palError* error)
{
    size_t vectors = pal_responseDenseMax * palResponse_Rows(response);
    size_t nodes = (size_t)response->body->freeCount;
    response->V = calloc(vectors, sizeof(double));
    response->KV = calloc(vectors, sizeof(double));
    response->W = calloc(vectors, sizeof(double));
    response->b = calloc(vectors, sizeof(double));
    response->mass = calloc(nodes, sizeof(double));
    response->rootMass = calloc(nodes, sizeof(double));
    response->turn = calloc((size_t)pal_responseColumnsMax * pal_modesMax, sizeof(double));
    response->work = calloc(palReduction_WorkSize(), sizeof(double));
    if (!response->V || !response->KV || !response->W || !response->b || !response->mass ||
        !response->rootMass || !response->turn || !response->work)
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
    size_t kept = pal_responseUnitsMax * palResponse_Rows(response);
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

palResult palResponse_Create(const palResponseDef* def, palSoftBody* body, palResponse** response,
                             palError* error)
{
    *response = NULL;
    palResponse* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the response of a soft body", sizeof *created);
    created->def = *def;
    created->body = body;
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
        response->rootMass,   response->turn,
        response->work,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(response);
}

// ---------------------------------------------------------------------------------------------
// The modes

// y[mode] = Σ turn[column][mode] (V[column] · x)
static void projectOnModes(const palResponse* response, const double* x, double* y)
{
    int m = response->modes.count;
    int n = (int)palResponse_Rows(response);
    double along[pal_responseColumnsMax];
    for (int j = 0; j < response->unitCount; j++)
        along[j] = response->unitScale[j] * x[response->unitRow[j]];
    cblas_dgemv(CblasRowMajor, CblasNoTrans, response->denseCount, n, 1.0, response->V, n, x, 1,
                0.0, along + response->unitCount, 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, response->unitCount + response->denseCount, m, 1.0,
                response->turn, m, along, 1, 0.0, y, 1);
}

// K times the columns, and the modes. Returns how many there are.
static int findModes(palResponse* response)
{
    palBlockMatrix_MultiplyMany(&response->body->K, NULL, response->denseCount, response->V,
                                response->KV, palResponse_Rows(response), response->b);
    palReduction reduction = {
        .K = &response->body->K,
        .unitCount = response->unitCount,
        .unitRow = response->unitRow,
        .unitScale = response->unitScale,
        .denseCount = response->denseCount,
        .V = response->V,
        .KV = response->KV,
        .W = response->W,
        .work = response->work,
    };
    return palReduction_Diagonalise(&reduction, response->turn, response->modes.k);
}

// Whether A(h*) is positive definite as far as the modes can tell; k[0] is the least.
static bool isDefinite(const palResponse* response)
{
    const palSoftBody* body = response->body;
    double h = pal_responseStep;
    return 1.0 + h * body->alpha + (h * body->beta + h * h) * response->modes.k[0] > 0.0;
}

bool palResponse_Build(palResponse* response, const int* nodes, int nodeCount,
                       const double* contact, double h)
{
    palSoftBody* body = response->body;
    palModes* modes = &response->modes;
    modes->count = 0;
    response->factored = palResponse_Prepare(response) &&
                         palResponse_CollectColumns(response, nodes, nodeCount, contact);
    if (!response->factored)
        return false;
    int m = findModes(response);
    if (m > 0 && palResponse_IsLarge(response) && !isDefinite(response))
    {
        palResponse_TakeSafeTangent(response);
        m = findModes(response);
    }
    if (m == 0)
        return false;
    modes->count = m;
    for (int i = 0; i < m; i++)
        modes->k[i] = fmax(0.0, modes->k[i]); // rounding of rigid motions
    palModes_SetStep(modes, h, body->alpha, body->beta);

    // g and the velocity at the start; v is one of the columns, so that nothing of it is lost.
    double* b = palResponse_Right(response, 0);
    projectOnModes(response, body->force, modes->g);
    palSoftBody_Velocities(body, b);
    palResponse_MassTimes(response, b, b);
    projectOnModes(response, b, modes->v0);
    return true;
}

void palResponse_NodeShape(const palResponse* response, int node, palModeShape* shape)
{
    int row = response->body->freeIndex[node];
    int m = response->modes.count;
    int units = response->unitCount;
    for (int c = 0; c < 3; c++)
    {
        double* b = shape->b[c];
        memset(b, 0, (size_t)m * sizeof *b);
        for (int j = 0; row >= 0 && j < units; j++)
            for (int i = 0; i < m && response->unitRow[j] == 3 * row + c; i++)
                b[i] += response->unitScale[j] * response->turn[j * m + i];
        for (int j = 0; row >= 0 && j < response->denseCount; j++)
        {
            double value = palResponse_Column(response, j)[3 * row + c];
            for (int i = 0; i < m; i++)
                b[i] += value * response->turn[(units + j) * m + i];
        }
    }
}

// Σ columns · (turn · coefficients)
static void expand(const palResponse* response, const double* coefficients, double* x)
{
    int m = response->modes.count;
    int n = (int)palResponse_Rows(response);
    double along[pal_responseColumnsMax];
    cblas_dgemv(CblasRowMajor, CblasNoTrans, response->unitCount + response->denseCount, m, 1.0,
                response->turn, m, coefficients, 1, 0.0, along, 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, response->denseCount, n, 1.0, response->V, n,
                along + response->unitCount, 1, 0.0, x, 1);
    for (int j = 0; j < response->unitCount; j++)
        x[response->unitRow[j]] += response->unitScale[j] * along[j];
}

void palResponse_MoveBody(palResponse* response, const palModesState* state)
{
    double* dx = palResponse_Right(response, 0);
    double* velocity = palResponse_Right(response, 1);
    if (response->modes.count == 0)
        return;
    expand(response, state->q, dx);
    expand(response, state->v, velocity);
    palSoftBody_Move(response->body, dx, velocity);
}
