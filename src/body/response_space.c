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
    answersAStep = 4,   // nodes whose x1 is made anew in a step of a large body
    safePeriod = 30,    // steps with the safe tangent after the exact one was not definite

    // Dense columns. The answers x1 follow.
    velocityColumn = 0,
    freeNextColumn,
    meansColumn,
    freeColumn = meansColumn + 3,
    answersColumn,
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

// x = A⁻¹ b for `count` vectors side by side in b; x replaces b.
static void solve(palResponse* response, int count)
{
    palCholesky_SolveMany(response->factor, count, response->b, response->b,
                          palResponse_Rows(response));
}

// The same with the newest factor of the past, turned, from right-hand side `first` on.
static void solveTurned(palResponse* response, int first, int count)
{
    size_t n = palResponse_Rows(response);
    int nodes = response->body->freeCount;
    double* b = palResponse_Right(response, first);
    for (int k = 0; k < count; k++)
        palBlocks_ApplyTransposed(response->turns, nodes, b + (size_t)k * n, b + (size_t)k * n);
    palCholesky_SolveMany(response->worker->newest, count, b, b, n);
    for (int k = 0; k < count; k++)
        palBlocks_Apply(response->turns, nodes, b + (size_t)k * n, b + (size_t)k * n);
}

// ---------------------------------------------------------------------------------------------
// The columns

// Stores x as a column, scaled to length 1 in M; zero stays zero.
static void store(palResponse* response, int index, const double* x)
{
    size_t n = palResponse_Rows(response);
    double* v = palResponse_Column(response, index);
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

static int find(const int* numbers, int count, int number)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] == number)
            return i;
    return -1;
}

// Which answers to make now: those of all touched nodes that have none, in the place of nodes that
// are no longer touched, and while they are fewer than answersAStep the oldest.
static int chooseAnswers(palResponse* response, const int* touched, int touchedCount, int* chosen)
{
    palAnswer* answers = response->answers;
    uint64_t newest = palResponse_IsLarge(response) ? response->worker->made : response->step;
    int count = 0;
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
    while (count < answersAStep)
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
        double* b = palResponse_Right(response, first + k);
        memset(b, 0, palResponse_Rows(response) * sizeof *b);
        b[3 * response->body->freeIndex[node] + k % 3] = 1.0;
    }
}

static void storeAnswers(palResponse* response, int first, const int* chosen, int count)
{
    for (int k = 0; k < 3 * count; k++)
        store(response, answersColumn + 3 * chosen[k / 3] + k % 3,
              palResponse_Right(response, first + k));
}

static double* keptAt(const palResponse* response, int index)
{
    return response->kept + (size_t)index * palResponse_Rows(response);
}

// A kept answer as a column, turned with the nodes, which leaves its length as it is.
static void turnAnswer(palResponse* response, int index)
{
    double* v = palResponse_Column(response, answersColumn + index);
    double* w = response->W + (size_t)(answersColumn + index) * palResponse_Rows(response);
    const double* x = keptAt(response, index);
    for (int i = 0; i < response->body->freeCount; i++, v += 3, w += 3, x += 3)
    {
        const double(*m)[3] = response->frames[i].m;
        double root = response->rootMass[i];
        for (int a = 0; a < 3; a++)
        {
            v[a] = m[a][0] * x[0] + m[a][1] * x[1] + m[a][2] * x[2];
            w[a] = root * v[a];
        }
    }
}

// Answers that were just made become columns, and go into the nodes' own frames; the others come
// from there.
static void keepAnswers(palResponse* response, int first, const int* chosen, int count)
{
    storeAnswers(response, first, chosen, count);
    for (int i = 0; i < response->answerCount; i++)
    {
        bool isNew = find(chosen, count, i) >= 0;
        for (int k = 3 * i; k < 3 * i + 3; k++)
            if (isNew)
                palBlocks_ApplyTransposed(response->frames, response->body->freeCount,
                                          palResponse_Column(response, answersColumn + k),
                                          keptAt(response, k));
            else
                turnAnswer(response, k);
    }
}

// M Σ x1 for each direction, from right-hand side `first` on.
static void setMeans(palResponse* response, int first)
{
    int n = (int)palResponse_Rows(response);
    for (int c = 0; c < 3; c++)
    {
        double* b = palResponse_Right(response, first + c);
        memset(b, 0, (size_t)n * sizeof *b);
        for (int i = 0; i < response->answerCount; i++)
            cblas_daxpy(n, 1.0, palResponse_Column(response, answersColumn + 3 * i + c), 1, b, 1);
        palResponse_MassTimes(response, b, b);
    }
}

// What A⁻¹ is applied to for the body's own motion: the forces that nothing balances.
static void setUnbalanced(const palResponse* response, const double* contact, double* b)
{
    size_t n = palResponse_Rows(response);
    memcpy(b, response->body->force, n * sizeof *b);
    for (size_t i = 0; i < n && contact != NULL; i++)
        b[i] += contact[i];
}

// Everything with the factor of this step: the answers and the free motion, then their successors.
static bool solveAtOnce(palResponse* response, const int* chosen, int count, const double* contact)
{
    setUnbalanced(response, contact, palResponse_Right(response, 0));
    setUnitForces(response, 1, chosen, count);
    solve(response, 1 + 3 * count);
    store(response, freeColumn, palResponse_Right(response, 0));
    storeAnswers(response, 1, chosen, count);
    palResponse_MassTimes(response, palResponse_Column(response, freeColumn),
                          palResponse_Right(response, 0));
    setMeans(response, 1);
    solve(response, response->answerCount > 0 ? 4 : 1);
    return true;
}

// The free motion by conjugate gradients, with the factor of an earlier step as preconditioner.
// Returns false where the state is not finite.
static bool solveFree(palResponse* response, const double* contact)
{
    palCgSettings settings = {
        .tolerance = freeTolerance,
        .maxIterations = freeIterations,
        .factor = response->worker->newest,
        .turns = response->turns,
    };
    double* unbalanced = palResponse_Right(response, 0);
    double* x = palResponse_Right(response, 1);
    setUnbalanced(response, contact, unbalanced);
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
    store(response, freeColumn, x);
    return isfinite(info.residual);
}

// With the factor of an earlier step: the free motion, then the rest side by side, with the sums of
// x1 of the last step. Where most of the touch is new those are of other nodes, and x2 is solved
// after x1.
static bool solveLarge(palResponse* response, const int* chosen, int count, const double* contact)
{
    if (!solveFree(response, contact))
        return false;
    palResponse_MassTimes(response, palResponse_Column(response, freeColumn),
                          palResponse_Right(response, 0));
    setMeans(response, 1);
    setUnitForces(response, 4, chosen, count);
    solveTurned(response, 0, 4 + 3 * count);
    keepAnswers(response, 4, chosen, count);
    if (count <= answersAStep)
        return true;
    setMeans(response, 1);
    solveTurned(response, 1, 3);
    return true;
}

bool palResponse_CollectColumns(palResponse* response, const int* nodes, int nodeCount,
                                const double* contact)
{
    int touched[pal_responseNodesMax], chosen[pal_responseNodesMax];
    int touchedCount = 0;
    collectUnits(response, nodes, nodeCount);
    for (int k = 0; k < nodeCount && touchedCount < pal_responseNodesMax; k++)
        if (response->body->freeIndex[nodes[k]] >= 0)
            touched[touchedCount++] = nodes[k];
    bool isLarge = palResponse_IsLarge(response);
    if (!isLarge || response->answerCount > touchedCount)
        response->answerCount = 0;
    int count = chooseAnswers(response, touched, touchedCount, chosen);
    if (!(isLarge ? solveLarge : solveAtOnce)(response, chosen, count, contact))
        return false;
    store(response, freeNextColumn, palResponse_Right(response, 0));
    for (int c = 0; c < 3; c++)
    {
        if (response->answerCount == 0)
            memset(palResponse_Right(response, 1 + c), 0,
                   palResponse_Rows(response) * sizeof(double));
        store(response, meansColumn + c, palResponse_Right(response, 1 + c));
    }
    palSoftBody_Velocities(response->body, palResponse_Right(response, 0));
    store(response, velocityColumn, palResponse_Right(response, 0));
    response->denseCount = answersColumn + 3 * response->answerCount;
    return true;
}
