// SPDX-License-Identifier: Apache-2.0
#include "body/response.h"

#include "base/clock.h"
#include "base/error.h"
#include "body/reduction.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

// h*, s: the time scale at which the space is built. Between the periods that a hand feels (20 Hz)
// and rest; the accuracy varies little from 10 to 33 ms.
static const double buildStep = 0.02;

// How fast another thread factors in virtual time, 1/s: half of what single precision reaches
// alone (68e9 for 20,480 tets, 80e9 for 53,240), since it shares the machine.
static const double virtualFlops = 34e9;

// Of conjugate gradients, on the unbalanced force. What is left over is unbalanced in the next step
// too, and gone then.
static const double freeTolerance = 0.02;

enum
{
    freeIterations = 3, // at most
    answersAStep = 2,   // nodes whose x1 is made in a step of a large body
    safePeriod = 30,    // steps with the safe tangent after the exact one was not definite

    // Dense columns. The answers x1 follow.
    velocityColumn = 0,
    freeNextColumn,
    meansColumn,
    freeColumn = meansColumn + 3,
    answersColumn,
};

_Static_assert((int)pal_responseColumnsMax <= (int)pal_modesMax, "a mode for every column");

static size_t rowsOf(const palResponse* response)
{
    return 3 * (size_t)response->body->freeCount;
}

static bool isLarge(const palResponse* response)
{
    return response->worker != NULL;
}

// ---------------------------------------------------------------------------------------------
// Making

static palResult allocate(palResponse* response, palError* error)
{
    size_t vectors = pal_responseDenseMax * rowsOf(response);
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
    size_t kept = pal_responseUnitsMax * rowsOf(response);
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

// The worker with its first factor. In single precision, which is all that a preconditioner needs,
// or where that does not suffice for this matrix in double.
static palResult createWorker(palResponse* response, palError* error)
{
    palResult result = allocateFrames(response, error);
    palCholeskyDef def = palDefaultCholeskyDef();
    def.singlePrecision = true;
    palSoftBody_System(response->body, buildStep, &response->A);
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
// The system and its factor

// In virtual time: the steps that a factorisation takes.
static uint64_t stepsOfFactor(const palResponse* response)
{
    double seconds = response->worker->newest->symbolic.flops / virtualFlops;
    if (response->def.lateSteps > 0)
        return (uint64_t)response->def.lateSteps;
    return (uint64_t)ceil(seconds / response->def.lowDt);
}

// Hands the present system to the other thread.
static void askForFactor(palResponse* response, bool inRealTime)
{
    memcpy(response->nextFrames, response->frames,
           (size_t)response->body->freeCount * sizeof(palMat3));
    if (inRealTime)
    {
        palFactorWorker_Ask(response->worker, &response->A, response->now);
        return;
    }
    int64_t begin = palClock_Now();
    palFactorWorker_Make(response->worker, &response->A, response->now);
    response->arrival = response->step + stepsOfFactor(response);
    response->info.elsewhere = 1e-9 * (double)(palClock_Now() - begin);
}

// A finished factor becomes the newest, with the frames that it was made in.
static palFactorState takeFactor(palResponse* response, bool inRealTime)
{
    bool isDue = inRealTime || response->step >= response->arrival;
    palFactorState state = isDue ? palFactorWorker_Take(response->worker) : pal_factorUnderWay;
    if (state == pal_factorMade)
    {
        palMat3* older = response->newestFrames;
        response->newestFrames = response->nextFrames;
        response->nextFrames = older;
    }
    if (state == pal_factorFailed)
        response->safeSteps = safePeriod;
    return state;
}

static void findTurns(palResponse* response)
{
    palSoftBody_Frames(response->body, response->frames);
    for (int i = 0; i < response->body->freeCount; i++)
        response->turns[i] =
            palMat3Mul(response->frames[i], palMat3Transpose(response->newestFrames[i]));
}

// Linearises; takes a factor that is done, and asks for the next.
static bool prepareLarge(palResponse* response)
{
    palFactorWorker* worker = response->worker;
    bool inRealTime = response->def.inRealTime != NULL && *response->def.inRealTime;
    palFactorState state = takeFactor(response, inRealTime);
    findTurns(response);
    palSoftBody_Linearise(response->body, pal_tangentExact);
    bool isSafe = response->safeSteps > 0 || response->body->invertedCount > 0;
    response->safeSteps -= response->safeSteps > 0;
    if (isSafe)
        palSoftBody_Linearise(response->body, pal_tangentSafe);
    palSoftBody_System(response->body, buildStep, &response->A);
    if (state != pal_factorUnderWay)
        askForFactor(response, inRealTime);
    response->info.factorAge = response->now - worker->time;
    response->info.factorTime = worker->seconds;
    return worker->newest->isFactored;
}

static bool prepare(palResponse* response)
{
    response->info = (palResponseInfo){0};
    response->step++;
    if (isLarge(response))
        return prepareLarge(response);
    return palSoftBody_Factor(response->body, buildStep, &response->A, response->factor);
}

// x = A⁻¹ b for `count` vectors side by side in b; x replaces b.
static void solve(palResponse* response, int count)
{
    palCholesky_SolveMany(response->factor, count, response->b, response->b, rowsOf(response));
}

// The same with the newest factor of the past, turned.
static void solveTurned(palResponse* response, int count)
{
    size_t n = rowsOf(response);
    int nodes = response->body->freeCount;
    for (int k = 0; k < count; k++)
        palBlocks_ApplyTransposed(response->turns, nodes, response->b + (size_t)k * n,
                                  response->b + (size_t)k * n);
    palCholesky_SolveMany(response->worker->newest, count, response->b, response->b, n);
    for (int k = 0; k < count; k++)
        palBlocks_Apply(response->turns, nodes, response->b + (size_t)k * n,
                        response->b + (size_t)k * n);
}

// ---------------------------------------------------------------------------------------------
// The columns

static double* column(const palResponse* response, int index)
{
    return response->V + (size_t)index * rowsOf(response);
}

static double* right(const palResponse* response, int index)
{
    return response->b + (size_t)index * rowsOf(response);
}

// y = M x
static void massTimes(const palResponse* response, const double* x, double* y)
{
    for (int i = 0; i < response->body->freeCount; i++)
        for (int c = 0; c < 3; c++)
            y[3 * i + c] = response->mass[i] * x[3 * i + c];
}

// Stores x as a column, scaled to length 1 in M; zero stays zero.
static void store(palResponse* response, int index, const double* x)
{
    size_t n = rowsOf(response);
    double* v = column(response, index);
    double* w = response->W + (size_t)index * n;
    for (int i = 0; i < response->body->freeCount; i++)
        for (int c = 0; c < 3; c++)
            w[3 * i + c] = response->rootMass[i] * x[3 * i + c];
    double length = cblas_dnrm2((int)n, w, 1);
    double scale = length > 0.0 ? 1.0 / length : 0.0;
    for (size_t i = 0; i < n; i++)
    {
        v[i] = scale * x[i];
        w[i] *= scale;
    }
}

// The columns M⁻¹Jᵀ: one number each.
static void collectUnits(palResponse* response, const int* nodes, int nodeCount)
{
    const palSoftBody* body = response->body;
    response->unitCount = 0;
    for (int k = 0; k < nodeCount && k < pal_responseNodesMax; k++)
        for (int c = 0; c < 3 && body->freeIndex[nodes[k]] >= 0; c++)
        {
            int unit = response->unitCount++;
            response->unitRow[unit] = 3 * body->freeIndex[nodes[k]] + c;
            response->unitScale[unit] = 1.0 / sqrt(body->mass[nodes[k]]);
        }
}

static int findNode(const int* nodes, int count, int node)
{
    for (int i = 0; i < count; i++)
        if (nodes[i] == node)
            return i;
    return -1;
}

// Which answers to make now, at most `most`: first those of touched nodes that have none, in the
// place of nodes that are no longer touched, then the oldest.
static int chooseAnswers(palResponse* response, const int* touched, int touchedCount, int most,
                         int* chosen)
{
    palAnswer* answers = response->answers;
    uint64_t newest = isLarge(response) ? response->worker->made : response->step;
    int count = 0;
    for (int k = 0; k < touchedCount && count < most; k++)
    {
        int place = 0;
        while (place < response->answerCount && answers[place].node != touched[k])
            place++;
        if (place < response->answerCount)
            continue;
        if (response->answerCount < touchedCount)
            response->answerCount++;
        else
            for (place = 0; place + 1 < response->answerCount &&
                            findNode(touched, touchedCount, answers[place].node) >= 0;)
                place++;
        answers[place] = (palAnswer){touched[k], newest};
        chosen[count++] = place;
    }
    while (count < most)
    {
        int oldest = -1;
        for (int i = 0; i < response->answerCount; i++)
            if (answers[i].factor < newest &&
                (oldest < 0 || answers[i].factor < answers[oldest].factor))
                oldest = i;
        if (oldest < 0)
            break;
        answers[oldest].factor = newest;
        chosen[count++] = oldest;
    }
    return count;
}

// Unit forces at the nodes of the chosen answers, from right-hand side `first` on.
static void setUnitForces(palResponse* response, int first, const int* chosen, int count)
{
    for (int k = 0; k < 3 * count; k++)
    {
        int node = response->answers[chosen[k / 3]].node;
        double* b = right(response, first + k);
        memset(b, 0, rowsOf(response) * sizeof *b);
        b[3 * response->body->freeIndex[node] + k % 3] = 1.0;
    }
}

static void storeAnswers(palResponse* response, int first, const int* chosen, int count)
{
    for (int k = 0; k < 3 * count; k++)
        store(response, answersColumn + 3 * chosen[k / 3] + k % 3, right(response, first + k));
}

static double* keptAt(const palResponse* response, int index)
{
    return response->kept + (size_t)index * rowsOf(response);
}

// Answers that were just made go into the nodes' own frames; all come from there as columns.
static void keepAnswers(palResponse* response, int first, const int* chosen, int count)
{
    int nodes = response->body->freeCount;
    for (int k = 0; k < 3 * count; k++)
        palBlocks_ApplyTransposed(response->frames, nodes, right(response, first + k),
                                  keptAt(response, 3 * chosen[k / 3] + k % 3));
    for (int k = 0; k < 3 * response->answerCount; k++)
    {
        palBlocks_Apply(response->frames, nodes, keptAt(response, k), right(response, first));
        store(response, answersColumn + k, right(response, first));
    }
}

// M Σ x1 for each direction, from right-hand side `first` on.
static void setMeans(palResponse* response, int first)
{
    int n = (int)rowsOf(response);
    for (int c = 0; c < 3; c++)
    {
        double* b = right(response, first + c);
        memset(b, 0, (size_t)n * sizeof *b);
        for (int i = 0; i < response->answerCount; i++)
            cblas_daxpy(n, 1.0, column(response, answersColumn + 3 * i + c), 1, b, 1);
        massTimes(response, b, b);
    }
}

// What A⁻¹ is applied to for the body's own motion: the forces that nothing balances.
static void setUnbalanced(const palResponse* response, const double* contact, double* b)
{
    size_t n = rowsOf(response);
    memcpy(b, response->body->force, n * sizeof *b);
    for (size_t i = 0; i < n && contact != NULL; i++)
        b[i] += contact[i];
}

// Everything with the factor of this step: the answers and the free motion, then their successors.
static void solveAtOnce(palResponse* response, const int* chosen, int count, const double* contact)
{
    setUnbalanced(response, contact, right(response, 0));
    setUnitForces(response, 1, chosen, count);
    solve(response, 1 + 3 * count);
    store(response, freeColumn, right(response, 0));
    storeAnswers(response, 1, chosen, count);
    massTimes(response, column(response, freeColumn), right(response, 0));
    setMeans(response, 1);
    solve(response, response->answerCount > 0 ? 4 : 1);
}

// With the factor of an earlier step: the free motion by conjugate gradients, then the rest side by
// side; the sums of x1 are those of the last step.
static void solveLarge(palResponse* response, const int* chosen, int count, const double* contact)
{
    palCgSettings settings = {
        .tolerance = freeTolerance,
        .maxIterations = freeIterations,
        .factor = response->worker->newest,
        .turns = response->turns,
    };
    double* unbalanced = right(response, 0);
    double* x = right(response, 1);
    setUnbalanced(response, contact, unbalanced);
    memset(x, 0, rowsOf(response) * sizeof *x);
    palCgInfo info = palConjugateGradients(&settings, &response->cg, &response->A, unbalanced, x);
    response->info.iterations = info.iterations;
    response->info.residual = info.residual;
    if (info.status == pal_cgIndefinite)
        response->safeSteps = safePeriod;
    store(response, freeColumn, x);
    massTimes(response, column(response, freeColumn), right(response, 0));
    setMeans(response, 1);
    setUnitForces(response, 4, chosen, count);
    solveTurned(response, 4 + 3 * count);
    keepAnswers(response, 4, chosen, count);
}

static void collectColumns(palResponse* response, const int* nodes, int nodeCount,
                           const double* contact)
{
    int touched[pal_responseNodesMax], chosen[pal_responseNodesMax];
    int touchedCount = 0;
    for (int k = 0; k < nodeCount && touchedCount < pal_responseNodesMax; k++)
        if (response->body->freeIndex[nodes[k]] >= 0)
            touched[touchedCount++] = nodes[k];
    if (!isLarge(response) || response->answerCount > touchedCount)
        response->answerCount = 0;
    int count = chooseAnswers(response, touched, touchedCount,
                              isLarge(response) ? answersAStep : touchedCount, chosen);
    (isLarge(response) ? solveLarge : solveAtOnce)(response, chosen, count, contact);
    store(response, freeNextColumn, right(response, 0));
    for (int c = 0; c < 3; c++)
    {
        if (response->answerCount == 0)
            memset(right(response, 1 + c), 0, rowsOf(response) * sizeof(double));
        store(response, meansColumn + c, right(response, 1 + c));
    }
    palSoftBody_Velocities(response->body, right(response, 0));
    store(response, velocityColumn, right(response, 0));
    response->denseCount = answersColumn + 3 * response->answerCount;
    for (int j = 0; j < response->denseCount; j++)
        palBlockMatrix_Multiply(&response->body->K, column(response, j),
                                response->KV + (size_t)j * rowsOf(response));
}

// ---------------------------------------------------------------------------------------------
// The modes

// y[mode] = Σ turn[column][mode] (V[column] · x)
static void projectOnModes(const palResponse* response, const double* x, double* y)
{
    int m = response->modes.count;
    int n = (int)rowsOf(response);
    double along[pal_responseColumnsMax];
    for (int j = 0; j < response->unitCount; j++)
        along[j] = response->unitScale[j] * x[response->unitRow[j]];
    cblas_dgemv(CblasRowMajor, CblasNoTrans, response->denseCount, n, 1.0, response->V, n, x, 1,
                0.0, along + response->unitCount, 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, response->unitCount + response->denseCount, m, 1.0,
                response->turn, m, along, 1, 0.0, y, 1);
}

bool palResponse_Build(palResponse* response, const int* nodes, int nodeCount,
                       const double* contact, double h)
{
    palSoftBody* body = response->body;
    palModes* modes = &response->modes;
    modes->count = 0;
    response->factored = prepare(response);
    if (!response->factored)
        return false;
    collectUnits(response, nodes, nodeCount);
    collectColumns(response, nodes, nodeCount, contact);
    palReduction reduction = {
        .K = &body->K,
        .unitCount = response->unitCount,
        .unitRow = response->unitRow,
        .unitScale = response->unitScale,
        .denseCount = response->denseCount,
        .V = response->V,
        .KV = response->KV,
        .W = response->W,
        .work = response->work,
    };
    int m = palReduction_Diagonalise(&reduction, response->turn, modes->k);
    if (m == 0)
        return false;
    modes->count = m;
    palModes_SetStep(modes, h, body->alpha, body->beta);

    // g and the velocity at the start; v is one of the columns, so that nothing of it is lost.
    double* b = right(response, 0);
    projectOnModes(response, body->force, modes->g);
    palSoftBody_Velocities(body, b);
    massTimes(response, b, b);
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
            double value = column(response, j)[3 * row + c];
            for (int i = 0; i < m; i++)
                b[i] += value * response->turn[(units + j) * m + i];
        }
    }
}

// Σ columns · (turn · coefficients)
static void expand(const palResponse* response, const double* coefficients, double* x)
{
    int m = response->modes.count;
    int n = (int)rowsOf(response);
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
    double* dx = right(response, 0);
    double* velocity = right(response, 1);
    if (response->modes.count == 0)
        return;
    expand(response, state->q, dx);
    expand(response, state->v, velocity);
    palSoftBody_Move(response->body, dx, velocity);
}
