// SPDX-License-Identifier: Apache-2.0
#include "body/soft_step.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

palResult palSoftStep_Create(palSoftBody* body, int maxRows, int maxEntries, bool singlePrecision,
                             palSoftStep** step, palError* error)
{
    *step = NULL;
    palSoftStep* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "a step of a soft body", sizeof *created);
    created->body = body;
    palCholeskyDef def = palDefaultCholeskyDef();
    def.singlePrecision = singlePrecision;
    palResult result = palSoftBody_InitSystem(body, &created->A, error);
    if (result == pal_ok)
        result = palCholesky_Create(&def, &created->A, &created->factor, error);
    if (result == pal_ok)
        result = palReach_Create(created->factor, maxRows, maxEntries, &created->reach, error);
    if (result == pal_ok)
    {
        size_t rows = (size_t)palCholesky_RowCount(created->factor);
        created->y = calloc(rows, sizeof(double));
        created->trial = calloc(rows, sizeof(double));
        created->velocity = calloc(3 * (size_t)body->freeCount, sizeof(double));
        created->x = calloc((size_t)body->nodeCount, sizeof *created->x);
        if (!created->y || !created->trial || !created->velocity || !created->x)
            result = palError_Memory(error, "a step of a soft body", 4 * rows * sizeof(double));
    }
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
    palCholesky_Destroy(step->factor);
    palBlockMatrix_Free(&step->A);
    free(step->y);
    free(step->trial);
    free(step->velocity);
    free(step->x);
    free(step);
}

// b = M v + h f. From A dv = h (f - D v - h K v), which is A (v + dv) = M v + h f. Returns whether
// it is finite.
static bool fillRight(const palSoftStep* step, double* b)
{
    const palSoftBody* body = step->body;
    double sum = 0.0;
    for (int i = 0; i < body->nodeCount; i++)
    {
        int row = body->freeIndex[i];
        if (row < 0)
            continue;
        const double v[3] = {body->v[i].x, body->v[i].y, body->v[i].z};
        for (int c = 0; c < 3; c++)
        {
            b[3 * row + c] = body->mass[i] * v[c] + step->h * body->force[3 * row + c];
            sum += fabs(b[3 * row + c]);
        }
    }
    return isfinite(sum);
}

// A at h from K as it is.
static bool factorAgain(palSoftStep* step)
{
    palSoftBody_System(step->body, step->h, &step->A);
    return palCholesky_Factor(step->factor, &step->A, NULL) == pal_ok;
}

static bool factorFor(palSoftStep* step, double h, bool isLinear)
{
    step->h = h;
    step->predictedX = NULL;
    step->predictedV = NULL;
    return (isLinear && factorAgain(step)) ||
           palSoftBody_Factor(step->body, h, &step->A, step->factor);
}

bool palSoftStep_Begin(palSoftStep* step, double h, bool isLinear)
{
    step->factored = factorFor(step, h, isLinear);
    step->factored = step->factored && fillRight(step, step->velocity);
    if (!step->factored)
        return false;
    palCholesky_Forward(step->factor, step->velocity, step->y);
    return true;
}

bool palSoftStep_BeginPredicted(palSoftStep* step, double h, bool isLinear, const palVec3* x,
                                const double* v)
{
    step->factored = factorFor(step, h, isLinear);
    if (!step->factored)
        return false;
    step->predictedX = x;
    step->predictedV = v;
    memset(step->y, 0, (size_t)palCholesky_RowCount(step->factor) * sizeof *step->y);
    return true;
}

bool palSoftStep_Rows(palSoftStep* step, const palSparseRows* rows)
{
    return step->factored && palReach_Solve(step->reach, rows);
}

void palSoftStep_Compliance(palSoftStep* step, double scale, double* W, size_t stride)
{
    palReach_Gram(step->reach, scale, W, stride);
}

void palSoftStep_FreeVelocity(palSoftStep* step, double* velocity)
{
    palReach_Project(step->reach, step->y, velocity);
}

void palSoftStep_EvaluateTrial(palSoftStep* step, const double* lambda)
{
    const palSoftBody* body = step->body;
    if (!step->factored)
    {
        palSoftStep_Reset(step);
        return;
    }
    const palVec3* from = step->predictedX != NULL ? step->predictedX : body->x;
    memcpy(step->x, from, (size_t)body->nodeCount * sizeof *step->x);
    memcpy(step->trial, step->y, (size_t)palCholesky_RowCount(step->factor) * sizeof(double));
    if (lambda != NULL)
        palReach_Add(step->reach, step->h, lambda, step->trial);
    palCholesky_Backward(step->factor, step->trial, step->velocity);
    for (int i = 0; i < body->nodeCount; i++)
    {
        int row = body->freeIndex[i];
        const double* v = step->velocity + 3 * row;
        if (row >= 0)
            step->x[i] = palMulAdd(step->x[i], step->h, palMakeVec3(v[0], v[1], v[2]));
    }
    for (int i = 0; i < 3 * body->freeCount && step->predictedV != NULL; i++)
        step->velocity[i] += step->predictedV[i];
}

void palSoftStep_Commit(palSoftStep* step)
{
    palSoftBody* body = step->body;
    if (step->factored)
        palSoftBody_Move(body, NULL, step->velocity);
    memcpy(body->x, step->x, (size_t)body->nodeCount * sizeof *body->x);
}

void palSoftStep_Reset(palSoftStep* step)
{
    const palSoftBody* body = step->body;
    step->factored = false;
    memcpy(step->x, body->x, (size_t)body->nodeCount * sizeof *step->x);
}
