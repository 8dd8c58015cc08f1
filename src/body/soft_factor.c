// SPDX-License-Identifier: Apache-2.0
#include "body/soft_factor.h"

#include "base/clock.h"
#include "base/error.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

// How fast another thread factors in virtual time, 1/s: half of what single precision reaches
// alone (68e9 for 20,480 tets, 80e9 for 53,240), since it shares the machine.
static const double virtualFlops = 34e9;

static const double exactTolerance = 0.02; // of conjugate gradients

enum
{
    exactIterations = 3, // at most
    safePeriod = 30,     // steps with the safe tangent after the exact one was not definite
    nodesAtOnce = 1000,  // bodies of more seldom have a factor in every step
};

// ---------------------------------------------------------------------------------------------
// Making

static palResult allocateFrames(palSoftFactor* factor, palError* error)
{
    size_t nodes = (size_t)factor->body->freeCount;
    factor->frames = calloc(nodes, sizeof(palMat3));
    factor->newestFrames = calloc(nodes, sizeof(palMat3));
    factor->nextFrames = calloc(nodes, sizeof(palMat3));
    factor->turns = calloc(nodes, sizeof(palMat3));
    if (!factor->frames || !factor->newestFrames || !factor->nextFrames || !factor->turns)
        return palError_Memory(error, "the factor of a soft body", 4 * nodes * sizeof(palMat3));
    return palCgWorkspace_Init(&factor->cg, factor->body->freeCount, error);
}

static palResult analyse(const palSoftFactor* factor, bool singlePrecision, palCholesky** cholesky,
                         palError* error)
{
    palCholeskyDef def = palDefaultCholeskyDef();
    def.singlePrecision = singlePrecision;
    palCholesky_Destroy(*cholesky);
    return palCholesky_Create(&def, &factor->A, cholesky, error);
}

// The worker with its first factor, of the safe tangent. In single precision, which is all that a
// preconditioner needs and what the given one is in, or where that does not suffice for this matrix
// in double. The given one is taken over.
static palResult createWorker(palSoftFactor* factor, palCholesky* cholesky, palError* error)
{
    palResult result = allocateFrames(factor, error);
    palSoftBody_Linearise(factor->body, pal_tangentSafe);
    palSoftBody_System(factor->body, factor->def.h, &factor->A);
    factor->newestH = factor->def.h;
    for (int i = 0; i < 2 && result == pal_ok; i++)
    {
        palFactorWorker_Destroy(factor->worker);
        factor->worker = NULL;
        if (i > 0)
            result = analyse(factor, false, &cholesky, error);
        if (result == pal_ok)
            result = palFactorWorker_Create(cholesky, &factor->A, &factor->worker, error);
        cholesky = NULL;
        if (result != pal_ok)
            break;
        palSoftBody_Frames(factor->body, factor->newestFrames);
        palFactorWorker_Make(factor->worker, &factor->A, 0.0);
        if (palFactorWorker_Take(factor->worker) == pal_factorMade)
            break;
    }
    palCholesky_Destroy(cholesky);
    return result;
}

// Decides who makes the factors. The pattern is analysed in the precision that a body of this size
// most likely needs.
static palResult createFactor(palSoftFactor* factor, palError* error)
{
    const palSoftBody* body = factor->body;
    int atOnce = factor->def.elementsAtOnce;
    bool isLarge = atOnce > 0 && body->tetCount + body->hexCount > atOnce;
    bool isSingle = isLarge || (atOnce <= 0 && body->freeCount > nodesAtOnce);
    palCholesky* cholesky = NULL;
    palResult result = analyse(factor, isSingle || factor->def.singlePrecision, &cholesky, error);
    if (result == pal_ok && atOnce <= 0)
        isLarge = cholesky->symbolic.flops > PAL_FLOPS_AT_ONCE;
    if (result == pal_ok && isLarge != isSingle && !factor->def.singlePrecision)
        result = analyse(factor, isLarge, &cholesky, error);
    if (result == pal_ok && isLarge)
        return createWorker(factor, cholesky, error);
    factor->factor = cholesky;
    return result;
}

palResult palSoftFactor_Create(const palSoftFactorDef* def, palSoftBody* body,
                               palSoftFactor** factor, palError* error)
{
    *factor = NULL;
    palSoftFactor* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the factor of a soft body", sizeof *created);
    created->def = *def;
    created->body = body;
    // BLAS threads that wait for each other on a busy machine stretch a step of 15 ms to 90.
    openblas_set_num_threads(1);
    palResult result = palSoftBody_InitSystem(body, &created->A, error);
    if (result == pal_ok)
        result = createFactor(created, error);
    if (result != pal_ok)
    {
        palSoftFactor_Destroy(created);
        return result;
    }
    *factor = created;
    return pal_ok;
}

void palSoftFactor_Destroy(palSoftFactor* factor)
{
    if (factor == NULL)
        return;
    palFactorWorker_Destroy(factor->worker);
    palCgWorkspace_Free(&factor->cg);
    palCholesky_Destroy(factor->factor);
    palBlockMatrix_Free(&factor->A);
    free(factor->frames);
    free(factor->newestFrames);
    free(factor->nextFrames);
    free(factor->turns);
    free(factor);
}

// ---------------------------------------------------------------------------------------------
// Factors of large bodies

// In virtual time: the steps that a factorisation takes.
static uint64_t stepsOfFactor(const palSoftFactor* factor)
{
    double seconds = factor->worker->newest->symbolic.flops / virtualFlops;
    if (factor->def.lateSteps > 0)
        return (uint64_t)factor->def.lateSteps;
    return (uint64_t)ceil(seconds / factor->def.lowDt);
}

// Hands the present system to the other thread.
static void askForFactor(palSoftFactor* factor, bool inRealTime)
{
    memcpy(factor->nextFrames, factor->frames, (size_t)factor->body->freeCount * sizeof(palMat3));
    factor->nextH = factor->h;
    if (inRealTime)
    {
        palFactorWorker_Ask(factor->worker, &factor->A, factor->now);
        return;
    }
    int64_t begin = palClock_Now();
    palFactorWorker_Make(factor->worker, &factor->A, factor->now);
    factor->arrival = factor->step + stepsOfFactor(factor);
    factor->info.workerSeconds += 1e-9 * (double)(palClock_Now() - begin);
}

// A finished factor becomes the newest, with the frames that it was made in.
static palFactorState takeFactor(palSoftFactor* factor, bool inRealTime)
{
    bool isDue = inRealTime || factor->step >= factor->arrival;
    palFactorState state = isDue ? palFactorWorker_Take(factor->worker) : pal_factorUnderWay;
    if (state == pal_factorMade)
    {
        palMat3* older = factor->newestFrames;
        factor->newestFrames = factor->nextFrames;
        factor->nextFrames = older;
        factor->newestH = factor->nextH;
    }
    if (state == pal_factorFailed)
        factor->safeSteps = safePeriod;
    return state;
}

static void findTurns(palSoftFactor* factor)
{
    palSoftBody_Frames(factor->body, factor->frames);
    for (int i = 0; i < factor->body->freeCount; i++)
        factor->turns[i] = palMat3Mul(factor->frames[i], palMat3Transpose(factor->newestFrames[i]));
}

// Takes a factor that is done, linearises, and asks for the next.
static bool prepareLarge(palSoftFactor* factor, bool isLinear)
{
    palFactorWorker* worker = factor->worker;
    bool inRealTime = factor->def.inRealTime != NULL && *factor->def.inRealTime;
    palFactorState state = takeFactor(factor, inRealTime);
    findTurns(factor);
    if (!isLinear)
        palSoftBody_Linearise(factor->body, pal_tangentExact);
    bool isSafe = factor->safeSteps > 0 || factor->body->invertedCount > 0;
    factor->safeSteps -= factor->safeSteps > 0;
    if (isSafe)
        palSoftBody_Linearise(factor->body, pal_tangentSafe);
    palSoftBody_System(factor->body, factor->h, &factor->A);
    if (state != pal_factorUnderWay)
        askForFactor(factor, inRealTime);
    factor->info.factorAge = factor->now - worker->time;
    factor->info.factorTime = worker->seconds;
    return worker->newest->isFactored;
}

bool palSoftFactor_TakeSafeTangent(palSoftFactor* factor)
{
    if (!palSoftFactor_IsLarge(factor))
        return false;
    palSoftBody_Linearise(factor->body, pal_tangentSafe);
    palSoftBody_System(factor->body, factor->h, &factor->A);
    factor->safeSteps = safePeriod;
    return true;
}

// ---------------------------------------------------------------------------------------------
// The system

// A at h from K as it is.
static bool factorAgain(palSoftFactor* factor)
{
    palSoftBody_System(factor->body, factor->h, &factor->A);
    return palCholesky_Factor(factor->factor, &factor->A, NULL) == pal_ok;
}

bool palSoftFactor_Prepare(palSoftFactor* factor, double h, bool isLinear)
{
    factor->info = (palSoftFactorInfo){.workerSeconds = factor->info.workerSeconds};
    factor->h = h;
    factor->step++;
    if (palSoftFactor_IsLarge(factor))
        return prepareLarge(factor, isLinear);
    return (isLinear && factorAgain(factor)) ||
           palSoftBody_Factor(factor->body, h, &factor->A, factor->factor);
}

void palSoftFactor_Solve(palSoftFactor* factor, int count, const double* b, double* x)
{
    int nodes = factor->body->freeCount;
    size_t n = 3 * (size_t)nodes;
    if (!palSoftFactor_IsLarge(factor))
    {
        palCholesky_SolveMany(factor->factor, count, b, x, n);
        return;
    }
    for (int k = 0; k < count; k++)
        palBlocks_ApplyTransposed(factor->turns, nodes, b + (size_t)k * n, x + (size_t)k * n);
    palCholesky_SolveMany(factor->worker->newest, count, x, x, n);
    for (int k = 0; k < count; k++)
        palBlocks_Apply(factor->turns, nodes, x + (size_t)k * n, x + (size_t)k * n);
}

bool palSoftFactor_SolveExactly(palSoftFactor* factor, const double* b, double* x)
{
    palCgSettings settings = {
        .tolerance = exactTolerance,
        .maxIterations = exactIterations,
        .factor = factor->worker->newest,
        .turns = factor->turns,
    };
    palCgInfo info = {.status = pal_cgIndefinite};
    for (int i = 0; i < 2 && info.status == pal_cgIndefinite; i++)
    {
        if (i > 0)
            palSoftFactor_TakeSafeTangent(factor);
        memset(x, 0, 3 * (size_t)factor->body->freeCount * sizeof *x);
        info = palConjugateGradients(&settings, &factor->cg, &factor->A, b, x);
    }
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < factor->body->freeCount; i++)
        sum = palAdd(sum, palMakeVec3(b[3 * i], b[3 * i + 1], b[3 * i + 2]));
    palSoftFactor_KeepMomentum(factor, sum, x);
    factor->info.iterations += info.iterations;
    factor->info.residual = info.residual;
    return isfinite(info.residual);
}

palCholesky* palSoftFactor_Cholesky(const palSoftFactor* factor)
{
    return palSoftFactor_IsLarge(factor) ? factor->worker->newest : factor->factor;
}

const palMat3* palSoftFactor_Turns(const palSoftFactor* factor)
{
    return palSoftFactor_IsLarge(factor) ? factor->turns : NULL;
}

bool palSoftFactor_Reach(const palSoftFactor* factor, const palSparseRows* rows, palVec3* turned,
                         palReach* reach)
{
    const palMat3* turns = palSoftFactor_Turns(factor);
    palSparseRows J = *rows;
    reach->cholesky = palSoftFactor_Cholesky(factor);
    if (turns != NULL && J.count <= reach->maxRows && J.start[J.count] <= reach->maxEntries)
    {
        for (int e = 0; e < J.start[J.count]; e++)
            turned[e] = palMat3Apply(palMat3Transpose(turns[J.nodes[e]]), J.values[e]);
        J.values = turned;
    }
    return palReach_Solve(reach, &J);
}

static bool isHeld(const palSoftBody* body)
{
    return body->freeCount < body->nodeCount;
}

void palSoftFactor_KeepMomentum(const palSoftFactor* factor, palVec3 sum, double* x)
{
    const palSoftBody* body = factor->body;
    if (!palSoftFactor_IsLarge(factor) || isHeld(body))
        return;
    palVec3 lacking = palScale(1.0 / (1.0 + factor->h * body->alpha), sum);
    double mass = 0.0;
    for (int i = 0; i < body->nodeCount; i++)
    {
        palVec3 of = palMakeVec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
        lacking = palMulAdd(lacking, -body->mass[i], of);
        mass += body->mass[i];
    }
    const double more[3] = {lacking.x / mass, lacking.y / mass, lacking.z / mass};
    for (int i = 0; i < 3 * body->nodeCount; i++)
        x[i] += more[i % 3];
}

double palSoftFactor_Scale(const palSoftFactor* factor)
{
    const palSoftBody* body = factor->body;
    double h = factor->h, of = factor->newestH;
    if (!palSoftFactor_IsLarge(factor) || of == h || !isHeld(body))
        return 1.0;
    return (of * body->beta + of * of) / (h * body->beta + h * h);
}

void palSoftFactor_Archive(palSoftFactor* factor, palArchive* archive)
{
    int nodes = factor->body->freeCount;
    PAL_ARCHIVE(archive, factor->h);
    PAL_ARCHIVE(archive, factor->now);
    PAL_ARCHIVE(archive, factor->step);
    PAL_ARCHIVE_ARRAY(archive, factor->A.blocks, factor->A.blockCount);
    if (!palSoftFactor_IsLarge(factor))
    {
        palCholesky_Archive(factor->factor, &factor->A, archive);
        return;
    }
    PAL_ARCHIVE_ARRAY(archive, factor->frames, nodes);
    PAL_ARCHIVE_ARRAY(archive, factor->newestFrames, nodes);
    PAL_ARCHIVE_ARRAY(archive, factor->nextFrames, nodes);
    PAL_ARCHIVE_ARRAY(archive, factor->turns, nodes);
    PAL_ARCHIVE(archive, factor->newestH);
    PAL_ARCHIVE(archive, factor->nextH);
    PAL_ARCHIVE(archive, factor->arrival);
    PAL_ARCHIVE(archive, factor->safeSteps);
    palFactorWorker_Archive(factor->worker, archive);
}
