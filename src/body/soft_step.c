// SPDX-License-Identifier: Apache-2.0
#include "body/soft_step.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static palResult allocate(palSoftStep* step, int maxEntries, palError* error)
{
    size_t rows = (size_t)palCholesky_RowCount(palSoftFactor_Cholesky(step->factor));
    size_t numbers = 3 * (size_t)step->body->freeCount;
    size_t nodes = (size_t)step->body->nodeCount;
    bool isLarge = palSoftFactor_IsLarge(step->factor);
    step->y = calloc(rows, sizeof(double));
    step->trial = calloc(rows, sizeof(double));
    step->velocity = calloc(numbers, sizeof(double));
    step->x = calloc(nodes, sizeof *step->x);
    bool isComplete = step->y && step->trial && step->velocity && step->x;
    if (isComplete && isLarge)
    {
        step->b = calloc(numbers, sizeof(double));
        step->right = calloc(numbers, sizeof(double));
        step->ownV = calloc(numbers, sizeof(double));
        step->ownX = calloc(nodes, sizeof *step->ownX);
        step->turned = calloc((size_t)maxEntries, sizeof *step->turned);
        isComplete = step->b && step->right && step->ownV && step->ownX && step->turned;
    }
    return isComplete ? pal_ok
                      : palError_Memory(error, "a step of a soft body", 4 * rows * sizeof(double));
}

palResult palSoftStep_Create(palSoftBody* body, int maxRows, int maxEntries,
                             const palSoftFactorDef* def, palSoftStep** step, palError* error)
{
    *step = NULL;
    palSoftStep* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "a step of a soft body", sizeof *created);
    created->body = body;
    palResult result = palSoftFactor_Create(def, body, &created->factor, error);
    if (result == pal_ok)
        result = palReach_Create(palSoftFactor_Cholesky(created->factor), maxRows, maxEntries,
                                 &created->reach, error);
    if (result == pal_ok)
        result = allocate(created, maxEntries, error);
    if (result != pal_ok)
    {
        palSoftStep_Destroy(created);
        return result;
    }
    *step = created;
    return pal_ok;
}

void palSoftStep_Destroy(palSoftStep* step)
{
    if (step == NULL)
        return;
    palReach_Destroy(step->reach);
    palSoftFactor_Destroy(step->factor);
    void* const owned[] = {
        step->y,     step->trial, step->velocity, step->x,      step->b,
        step->right, step->ownV,  step->ownX,     step->turned,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(step);
}

// b = M v + h f. From A dv = h (f - D v - h K v), which is A (v + dv) = M v + h f. Returns whether
// it is finite.
static bool fillRight(const palSoftStep* step, double* b)
{
    const palSoftBody* body = step->body;
    double h = step->factor->h;
    double sum = 0.0;
    for (int i = 0; i < body->nodeCount; i++)
    {
        int row = body->freeIndex[i];
        if (row < 0)
            continue;
        const double v[3] = {body->v[i].x, body->v[i].y, body->v[i].z};
        for (int c = 0; c < 3; c++)
        {
            b[3 * row + c] = body->mass[i] * v[c] + h * body->force[3 * row + c];
            sum += fabs(b[3 * row + c]);
        }
    }
    return isfinite(sum);
}

static bool prepare(palSoftStep* step, double h, bool isLinear)
{
    step->predictedX = NULL;
    step->predictedV = NULL;
    return palSoftFactor_Prepare(step->factor, h, isLinear);
}

bool palSoftStep_Begin(palSoftStep* step, double h, bool isLinear)
{
    bool isLarge = palSoftFactor_IsLarge(step->factor);
    step->factored = prepare(step, h, isLinear);
    step->factored = step->factored && fillRight(step, isLarge ? step->b : step->velocity);
    if (!step->factored)
        return false;
    if (isLarge)
        palSoftBody_Velocities(step->body, step->velocity);
    else
        palCholesky_Forward(palSoftFactor_Cholesky(step->factor), step->velocity, step->y);
    return true;
}

// The motion at the end of the step is known while λ = 0.
static void takeMotion(palSoftStep* step, const palVec3* x, const double* v)
{
    size_t rows = (size_t)palCholesky_RowCount(palSoftFactor_Cholesky(step->factor));
    step->predictedX = x;
    step->predictedV = v;
    memset(step->y, 0, rows * sizeof *step->y);
}

bool palSoftStep_BeginPredicted(palSoftStep* step, double h, bool isLinear, const palVec3* x,
                                const double* v)
{
    step->factored = prepare(step, h, isLinear);
    if (step->factored)
        takeMotion(step, x, v);
    return step->factored;
}

// x⁺ = x + h v of the free nodes.
static void moveNodes(const palSoftStep* step, const double* v, palVec3* x)
{
    const palSoftBody* body = step->body;
    for (int i = 0; i < body->nodeCount; i++)
    {
        int row = body->freeIndex[i];
        const double* of = v + 3 * row;
        if (row >= 0)
            x[i] = palMulAdd(x[i], step->factor->h, palMakeVec3(of[0], of[1], of[2]));
    }
}

// From the velocities of the last trial, or those before the step: what is solved for is the force
// that they leave unbalanced.
bool palSoftStep_PredictOwn(palSoftStep* step, const palSparseRows* rows, const double* lambda)
{
    const palSoftBody* body = step->body;
    double h = step->factor->h;
    int n = 3 * body->freeCount;
    if (!step->factored)
        return false;
    palBlockMatrix_Residual(&step->factor->A, step->b, step->velocity, step->right);
    for (int r = 0; r < rows->count; r++)
        for (int e = rows->start[r]; e < rows->start[r + 1]; e++)
        {
            palVec3 push = palScale(h * lambda[r], rows->values[e]);
            double* at = step->right + 3 * rows->nodes[e];
            at[0] += push.x;
            at[1] += push.y;
            at[2] += push.z;
        }
    step->factored = palSoftFactor_SolveExactly(step->factor, step->right, step->ownV);
    if (!step->factored)
        return false;
    for (int i = 0; i < n; i++)
        step->ownV[i] += step->velocity[i];
    memcpy(step->ownX, body->x, (size_t)body->nodeCount * sizeof *step->ownX);
    moveNodes(step, step->ownV, step->ownX);
    takeMotion(step, step->ownX, step->ownV);
    return true;
}

bool palSoftStep_Rows(palSoftStep* step, const palSparseRows* rows)
{
    step->rows = *rows;
    return step->factored && palSoftFactor_Reach(step->factor, rows, step->turned, step->reach);
}

void palSoftStep_Compliance(palSoftStep* step, double scale, double* W, size_t stride)
{
    palReach_Gram(step->reach, scale * palSoftFactor_Scale(step->factor), W, stride);
}

void palSoftStep_FreeVelocity(palSoftStep* step, double* velocity)
{
    palReach_Project(step->reach, step->y, velocity);
}

// The velocities A⁻¹ (b + h Jᵀ λ), or of a predicted motion what the forces add, by the factor that
// there is.
static void applyForces(palSoftStep* step, const double* lambda)
{
    palCholesky* cholesky = palSoftFactor_Cholesky(step->factor);
    const palMat3* turns = palSoftFactor_Turns(step->factor);
    double scale = palSoftFactor_Scale(step->factor);
    memcpy(step->trial, step->y, (size_t)palCholesky_RowCount(cholesky) * sizeof(double));
    if (lambda != NULL)
        palReach_Add(step->reach, scale * step->factor->h, lambda, step->trial);
    palCholesky_Backward(cholesky, step->trial, step->velocity);
    if (turns == NULL)
        return;
    palBlocks_Apply(turns, step->body->freeCount, step->velocity, step->velocity);
    palVec3 sum = pal_zeroVec3;
    const palSparseRows* rows = &step->rows;
    for (int r = 0; r < rows->count && lambda != NULL; r++)
        for (int e = rows->start[r]; e < rows->start[r + 1]; e++)
            sum = palMulAdd(sum, step->factor->h * lambda[r], rows->values[e]);
    palSoftFactor_KeepMomentum(step->factor, sum, step->velocity);
}

void palSoftStep_EvaluateTrial(palSoftStep* step, const double* lambda)
{
    const palSoftBody* body = step->body;
    if (!step->factored)
    {
        palSoftStep_Reset(step);
        return;
    }
    if (palSoftFactor_IsLarge(step->factor) && step->predictedX == NULL)
        palSoftStep_PredictOwn(step, &(palSparseRows){0}, NULL);
    const palVec3* from = step->predictedX != NULL ? step->predictedX : body->x;
    memcpy(step->x, from, (size_t)body->nodeCount * sizeof *step->x);
    applyForces(step, lambda);
    moveNodes(step, step->velocity, step->x);
    for (int i = 0; i < 3 * body->freeCount && step->predictedV != NULL; i++)
        step->velocity[i] += step->predictedV[i];
}

void palSoftStep_Commit(palSoftStep* step)
{
    palSoftBody* body = step->body;
    if (step->factored)
        palSoftBody_Move(body, NULL, step->velocity);
    step->factor->now += step->factor->h;
    memcpy(body->x, step->x, (size_t)body->nodeCount * sizeof *body->x);
}

void palSoftStep_Reset(palSoftStep* step)
{
    const palSoftBody* body = step->body;
    step->factored = false;
    memcpy(step->x, body->x, (size_t)body->nodeCount * sizeof *step->x);
}

void palSoftStep_Archive(palSoftStep* step, palArchive* archive)
{
    palSoftFactor_Archive(step->factor, archive);
    PAL_ARCHIVE_ARRAY(archive, step->x, step->body->nodeCount);
}
