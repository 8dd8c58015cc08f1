// SPDX-License-Identifier: Apache-2.0
#include "body/response.h"

#include "base/error.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

palResult palResponse_Create(const palSoftFactorDef* def, palSoftBody* body, int nodes, bool isTied,
                             palResponse** response, palError* error)
{
    *response = NULL;
    palResponse* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the response of a soft body", sizeof *created);
    // A touched node that is tied has no unit columns: theirs are dense.
    int units = 3 * nodes, others = pal_responseDenseMax - pal_responseUnitsMax;
    int columns = units + others + (isTied ? units : 0);
    created->nodes = nodes;
    palResult result = palReducibleSoft_Init(&created->soft, body, def, error);
    palReducible ops = palReducibleSoft_Ops(&created->soft);
    if (result == pal_ok)
        result = palReducedBody_Init(&created->columns, &ops, columns, error);
    if (result == pal_ok && palResponse_IsLarge(created))
    {
        size_t count = (size_t)units * palResponse_Rows(created);
        created->kept = calloc(count, sizeof(double));
        if (created->kept == NULL)
            result = palError_Memory(error, "the response of a soft body", count * sizeof(double));
    }
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
    palReducibleSoft_Free(&response->soft);
    palReducedBody_Free(&response->columns);
    free(response->kept);
    free(response);
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
int palResponse_ChooseAnswers(palResponse* response, const int* touched, const double* radii,
                              int touchedCount, int* chosen)
{
    palAnswer* answers = response->answers;
    uint64_t newest = palResponse_IsLarge(response) ? response->soft.factor->worker->made
                                                    : response->soft.factor->step;
    int count = 0;
    if (!palResponse_IsLarge(response) || response->answerCount > touchedCount)
        response->answerCount = 0;
    for (int k = 0; k < touchedCount; k++)
    {
        int place = 0;
        while (place < response->answerCount && answers[place].node != touched[k])
            place++;
        if (place < response->answerCount)
        {
            answers[place].radius = radii[k];
            continue;
        }
        if (response->answerCount < touchedCount)
            response->answerCount++;
        else
            for (place = 0; place + 1 < response->answerCount &&
                            find(touched, touchedCount, answers[place].node) >= 0;)
                place++;
        answers[place] = (palAnswer){touched[k], radii[k], newest};
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

// The circle around the node of an answer; of no dots where its force acts at the node alone.
static void findCircle(const palResponse* response, const palAnswer* answer, palTipCircle* circle)
{
    const palTipDots* tip = response->tip;
    circle->count = 0;
    if (tip != NULL && answer->radius > 0.0 && tip->nodes[answer->node] >= 0)
        palTipDots_Circle(tip, &tip->dots[tip->nodes[answer->node]].rest, answer->radius, circle);
}

void palResponse_SetUnitForces(palResponse* response, int first, const int* chosen, int count)
{
    const palVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int k = 0; k < count; k++)
    {
        const palAnswer* answer = &response->answers[chosen[k]];
        palTipCircle circle;
        findCircle(response, answer, &circle);
        for (int c = 0; c < 3; c++)
        {
            double* b = palResponse_Right(response, first + 3 * k + c);
            memset(b, 0, palResponse_Rows(response) * sizeof *b);
            if (circle.count > 0)
                palTipDots_AddForce(response->tip, &circle, axes[c], b);
            else
                b[3 * response->soft.body->freeIndex[answer->node] + c] = 1.0;
        }
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
    palResponse_MassTimes(response, x, scratch);
    double squared = cblas_ddot((int)n, x, 1, scratch, 1);
    double scale = squared > 0.0 ? 1.0 / sqrt(squared) : 0.0;
    for (size_t i = 0; i < n; i++)
        x[i] *= scale;
}

void palResponse_KeepAnswers(palResponse* response, int first, const int* chosen, int count)
{
    for (int k = 0; k < 3 * count; k++)
    {
        double* x = palResponse_Right(response, first + k);
        normalise(response, x, response->columns.KV);
        palBlocks_ApplyTransposed(response->soft.factor->frames, response->soft.body->freeCount, x,
                                  keptAt(response, 3 * chosen[k / 3] + k % 3));
    }
}

void palResponse_KeptAnswer(const palResponse* response, int index, double* x)
{
    palBlocks_Apply(response->soft.factor->frames, response->soft.body->freeCount,
                    keptAt(response, index), x);
}

// ---------------------------------------------------------------------------------------------
// Free motion

void palResponse_SetUnbalanced(const palResponse* response, const double* contact, double* b)
{
    size_t n = palResponse_Rows(response);
    memcpy(b, response->soft.body->force, n * sizeof *b);
    for (size_t i = 0; i < n && contact != NULL; i++)
        b[i] += contact[i];
}

bool palResponse_SolveFree(palResponse* response, const double* contact)
{
    double* unbalanced = palResponse_Right(response, 1);
    palResponse_SetUnbalanced(response, contact, unbalanced);
    return palSoftFactor_SolveExactly(response->soft.factor, unbalanced,
                                      palResponse_Right(response, 0));
}

void palResponse_Archive(palResponse* response, int columns, palArchive* archive)
{
    bool isLarge = palResponse_IsLarge(response);
    palSoftFactor_Archive(response->soft.factor, archive);
    palReducedBody_Archive(&response->columns, isLarge ? response->columns.columns : columns,
                           archive);
    PAL_ARCHIVE(archive, response->answerCount);
    PAL_ARCHIVE_ARRAY(archive, response->answers, response->answerCount);
    if (isLarge)
        PAL_ARCHIVE_ARRAY(archive, response->kept,
                          3 * (size_t)response->answerCount * palResponse_Rows(response));
}
