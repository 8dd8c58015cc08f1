// SPDX-License-Identifier: Apache-2.0
#include "solve/problem_copy.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

palResult palProblemCopy_Init(palProblemCopy* copy, int rowCapacity, palError* error)
{
    size_t n = (size_t)rowCapacity;
    *copy = (palProblemCopy){.rowCapacity = rowCapacity};
    copy->W = calloc(n * n + 1, sizeof(double));
    copy->gapFree = calloc(n + 1, sizeof(double));
    copy->lambda = calloc(n + 1, sizeof(double));
    copy->blocks = calloc(n + 1, sizeof(palContactBlock));
    if (copy->W != NULL && copy->gapFree != NULL && copy->lambda != NULL && copy->blocks != NULL)
        return pal_ok;
    palProblemCopy_Free(copy);
    return palError_Memory(error, "a contact problem", n * n * sizeof(double));
}

void palProblemCopy_Free(palProblemCopy* copy)
{
    free(copy->W);
    free(copy->gapFree);
    free(copy->lambda);
    free(copy->blocks);
    *copy = (palProblemCopy){0};
}

void palProblemCopy_Clear(palProblemCopy* copy)
{
    copy->problem.rows = copy->problem.blockCount = 0;
}

// Room for a problem of that size; false where it has more rows than the copy.
static bool begin(palProblemCopy* copy, int rows, int blockCount, bool asymmetric)
{
    palProblemCopy_Clear(copy);
    if (rows > copy->rowCapacity || blockCount > copy->rowCapacity)
    {
        copy->dropped++;
        return false;
    }
    copy->problem = (palContactProblem){
        .rows = rows,
        .blockCount = blockCount,
        .stride = copy->rowCapacity,
        .asymmetric = asymmetric,
        .W = copy->W,
        .gapFree = copy->gapFree,
        .blocks = copy->blocks,
    };
    return true;
}

void palProblemCopy_Take(palProblemCopy* copy, const palContactProblem* problem,
                         const double* lambda)
{
    if (copy == NULL || !begin(copy, problem->rows, problem->blockCount, problem->asymmetric))
        return;
    size_t n = (size_t)problem->rows;
    for (size_t i = 0; i < n; i++)
        memcpy(copy->W + i * (size_t)copy->rowCapacity, problem->W + i * (size_t)problem->stride,
               n * sizeof(double));
    memcpy(copy->gapFree, problem->gapFree, n * sizeof(double));
    memcpy(copy->blocks, problem->blocks, (size_t)problem->blockCount * sizeof *copy->blocks);
    copy->isSolved = lambda != NULL;
    if (lambda != NULL)
        memcpy(copy->lambda, lambda, n * sizeof(double));
}

// G_bc of solve/planes.h.
static palMat3 sharedCompliance(const palPlaneBodies* bodies, int b, int c)
{
    if (b == c)
        return bodies->bodies[b].whole;
    palMat3 G = palMakeMat3Scale(bodies->w);
    return bodies->cross != NULL ? palMat3MulAdd(G, 1.0, bodies->cross[b * bodies->count + c]) : G;
}

void palProblemCopy_TakePlanesOfBodies(palProblemCopy* copy, const palPlane* planes,
                                       const int* owners, int count, palVec3 goal,
                                       const palPlaneBodies* bodies)
{
    palVec3 J[3 * pal_planesMax];
    int bodyOf[3 * pal_planesMax];
    int rows = 0;
    if (copy == NULL || !begin(copy, 3 * count, count, false))
        return;
    for (int i = 0; i < count; i++)
    {
        const palPlane* plane = &planes[i];
        bool rubs = plane->friction > 0.0;
        palVec3 slide = palSub(goal, bodies->bodies[owners[i]].x);
        copy->blocks[i] = (palContactBlock){
            .law = rubs ? pal_lawCone : pal_lawUnilateral,
            .row = rows,
            .size = rubs ? 3 : 1,
            .mu = plane->friction,
        };
        J[rows] = plane->n;
        palTangents(plane->n, &J[rows + 1], &J[rows + 2]);
        for (int k = 0; k < copy->blocks[i].size; k++, rows++)
        {
            bodyOf[rows] = owners[i];
            copy->gapFree[rows] =
                k == 0 ? palDot(plane->n, goal) - plane->d : palDot(J[rows], slide);
        }
    }
    copy->problem.rows = rows;
    copy->isSolved = false;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
        {
            palMat3 G = sharedCompliance(bodies, bodyOf[i], bodyOf[j]);
            copy->W[i * copy->rowCapacity + j] = palDot(J[i], palMat3Apply(G, J[j]));
        }
}

void palProblemCopy_TakePlanes(palProblemCopy* copy, const palPlane* planes, int count,
                               palVec3 from, palVec3 goal, const palMat3* W)
{
    static const int owners[pal_planesMax];
    if (copy == NULL)
        return;
    palPlaneBody body = {.whole = *W, .x = from};
    palPlaneBodies bodies = {.count = 1, .bodies = &body};
    palProblemCopy_TakePlanesOfBodies(copy, planes, owners, count, goal, &bodies);
}

palResult palProblemCopy_Write(const palProblemCopy* copy, const char* path, palError* error)
{
    return palContactProblem_Write(&copy->problem, copy->isSolved ? copy->lambda : NULL, path,
                                   error);
}
