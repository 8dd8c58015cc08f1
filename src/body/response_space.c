// SPDX-License-Identifier: Apache-2.0
#include "body/response_space.h"

#include "base/clock.h"

#include <cblas.h>
#include <string.h>

// How fast another thread factors in virtual time, 1/s: half of what single precision reaches
// alone (68e9 for 20,480 tets, 80e9 for 53,240), since it shares the machine.
static const double virtualFlops = 34e9;

// Of conjugate gradients, on the unbalanced force. What is left over is unbalanced in the next step
// too, and gone then.
static const double freeTolerance = 0.02;

enum
{
    freeIterations = 3, // at most
    safePeriod = 30,    // steps with the safe tangent after the exact one was not definite
};

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

void palResponse_TakeSafeTangent(palResponse* response)
{
    palSoftBody_Linearise(response->body, pal_tangentSafe);
    palSoftBody_System(response->body, pal_responseStep, &response->A);
    response->safeSteps = safePeriod;
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
    palSoftBody_System(response->body, pal_responseStep, &response->A);
    if (state != pal_factorUnderWay)
        askForFactor(response, inRealTime);
    response->info.factorAge = response->now - worker->time;
    response->info.factorTime = worker->seconds;
    return worker->newest->isFactored;
}

bool palResponse_Prepare(palResponse* response)
{
    response->info = (palResponseInfo){0};
    response->step++;
    if (palResponse_IsLarge(response))
        return prepareLarge(response);
    return palSoftBody_Factor(response->body, pal_responseStep, &response->A, response->factor);
}

void palResponse_Solve(palResponse* response, double* b, int count)
{
    size_t n = palResponse_Rows(response);
    int nodes = response->body->freeCount;
    if (!palResponse_IsLarge(response))
    {
        palCholesky_SolveMany(response->factor, count, b, b, n);
        return;
    }
    for (int k = 0; k < count; k++)
        palBlocks_ApplyTransposed(response->turns, nodes, b + (size_t)k * n, b + (size_t)k * n);
    palCholesky_SolveMany(response->worker->newest, count, b, b, n);
    for (int k = 0; k < count; k++)
        palBlocks_Apply(response->turns, nodes, b + (size_t)k * n, b + (size_t)k * n);
}

const palCholesky* palResponse_Factor(const palResponse* response)
{
    return palResponse_IsLarge(response) ? response->worker->newest : response->factor;
}

const palMat3* palResponse_Turns(const palResponse* response)
{
    return palResponse_IsLarge(response) ? response->turns : NULL;
}

// ---------------------------------------------------------------------------------------------
// Answers

static int find(const int* numbers, int count, int number)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] == number)
            return i;
    return -1;
}

// Those of all touched nodes that have none, in the place of nodes that are no longer touched, and
// while they are fewer than answersAStep the oldest.
int palResponse_ChooseAnswers(palResponse* response, const int* touched, int touchedCount,
                              int* chosen)
{
    palAnswer* answers = response->answers;
    uint64_t newest = palResponse_IsLarge(response) ? response->worker->made : response->step;
    int count = 0;
    if (!palResponse_IsLarge(response) || response->answerCount > touchedCount)
        response->answerCount = 0;
    for (int k = 0; k < touchedCount; k++)
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
                            find(touched, touchedCount, answers[place].node) >= 0;)
                place++;
        answers[place] = (palAnswer){touched[k], newest};
        chosen[count++] = place;
    }
    while (count < pal_answersAStep)
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

void palResponse_SetUnitForces(palResponse* response, int first, const int* chosen, int count)
{
    for (int k = 0; k < 3 * count; k++)
    {
        int node = response->answers[chosen[k / 3]].node;
        double* b = palResponse_Right(response, first + k);
        memset(b, 0, palResponse_Rows(response) * sizeof *b);
        b[3 * response->body->freeIndex[node] + k % 3] = 1.0;
    }
}

static double* keptAt(const palResponse* response, int index)
{
    return response->kept + (size_t)index * palResponse_Rows(response);
}

// Scales x to length 1 in M; zero stays zero. `scratch` as long as x.
static void normalise(const palResponse* response, double* x, double* scratch)
{
    size_t n = palResponse_Rows(response);
    for (int i = 0; i < response->body->freeCount; i++)
        for (int c = 0; c < 3; c++)
            scratch[3 * i + c] = response->rootMass[i] * x[3 * i + c];
    double length = cblas_dnrm2((int)n, scratch, 1);
    double scale = length > 0.0 ? 1.0 / length : 0.0;
    for (size_t i = 0; i < n; i++)
        x[i] *= scale;
}

void palResponse_KeepAnswers(palResponse* response, int first, const int* chosen, int count)
{
    for (int k = 0; k < 3 * count; k++)
    {
        double* x = palResponse_Right(response, first + k);
        normalise(response, x, response->KV);
        palBlocks_ApplyTransposed(response->frames, response->body->freeCount, x,
                                  keptAt(response, 3 * chosen[k / 3] + k % 3));
    }
}

void palResponse_KeptAnswer(const palResponse* response, int index, double* x)
{
    palBlocks_Apply(response->frames, response->body->freeCount, keptAt(response, index), x);
}

// ---------------------------------------------------------------------------------------------
// Free motion

void palResponse_SetUnbalanced(const palResponse* response, const double* contact, double* b)
{
    size_t n = palResponse_Rows(response);
    memcpy(b, response->body->force, n * sizeof *b);
    for (size_t i = 0; i < n && contact != NULL; i++)
        b[i] += contact[i];
}

bool palResponse_SolveFree(palResponse* response, const double* contact)
{
    palCgSettings settings = {
        .tolerance = freeTolerance,
        .maxIterations = freeIterations,
        .factor = response->worker->newest,
        .turns = response->turns,
    };
    double* x = palResponse_Right(response, 0);
    double* unbalanced = palResponse_Right(response, 1);
    palResponse_SetUnbalanced(response, contact, unbalanced);
    palCgInfo info = {.status = pal_cgIndefinite};
    for (int i = 0; i < 2 && info.status == pal_cgIndefinite; i++)
    {
        if (i > 0)
            palResponse_TakeSafeTangent(response);
        memset(x, 0, palResponse_Rows(response) * sizeof *x);
        info = palConjugateGradients(&settings, &response->cg, &response->A, unbalanced, x);
    }
    response->info.iterations = info.iterations;
    response->info.residual = info.residual;
    return isfinite(info.residual);
}
