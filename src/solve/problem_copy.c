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

void palProblemCopy_TakeSparse(palProblemCopy* copy, const palSparseProblem* problem,
                               const double* lambda)
{
    if (copy == NULL || !begin(copy, problem->rows, problem->blockCount, false))
        return;
    size_t n = (size_t)problem->rows;
    palSparseProblem_Dense(problem, copy->W);
    // Its rows follow each other; those of the copy are farther apart. From the last one on, none
    // is overwritten before it is moved.
    for (size_t i = n; i-- > 0;)
        memmove(copy->W + i * (size_t)copy->rowCapacity, copy->W + i * n, n * sizeof(double));
    memcpy(copy->gapFree, problem->gapFree, n * sizeof(double));
    memcpy(copy->blocks, problem->blocks, (size_t)problem->blockCount * sizeof *copy->blocks);
    copy->isSolved = true;
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

// The rows of a plane, from `row` on.
static palContactBlock blockOf(const palPlane* plane, int row)
{
    bool rubs = plane->friction > 0.0;
    return (palContactBlock){
        .law = rubs ? pal_lawCone : pal_lawUnilateral,
        .row = row,
        .size = rubs ? 3 : 1,
        .mu = plane->friction,
    };
}

// λ of the planes of one body that bind: their normal forces, and of the rest of the force on the
// body the share that their friction could bear.
static void giveForces(palProblemCopy* copy, const palPlane* planes, const int* owners, int body,
                       palVec3 force, const palPlanesResult* result, const palVec3* J)
{
    double could = 0.0;
    palVec3 rest = force;
    for (int i = 0; i < result->count; i++)
    {
        const palPlane* plane = &planes[result->binding[i]];
        if (owners[result->binding[i]] != body)
            continue;
        could += plane->friction * result->lambda[i];
        rest = palMulAdd(rest, -result->lambda[i], plane->n);
    }
    for (int i = 0; i < result->count; i++)
    {
        int index = result->binding[i];
        const palContactBlock* block = &copy->blocks[index];
        if (owners[index] != body)
            continue;
        copy->lambda[block->row] = result->lambda[i];
        double share = could > 0.0 ? block->mu * result->lambda[i] / could : 0.0;
        for (int k = 1; k < block->size; k++)
            copy->lambda[block->row + k] = share * palDot(J[block->row + k], rest);
    }
}

void palProblemCopy_TakePlanes(palProblemCopy* copy, const palPlane* planes, const int* owners,
                               int count, palVec3 goal, const palPlaneBodies* bodies,
                               const palPlanesForces* forces)
{
    palVec3 J[3 * pal_planesMax];
    int bodyOf[3 * pal_planesMax];
    int rows = 0;
    if (copy == NULL || !begin(copy, 3 * count, count, false))
        return;
    for (int i = 0; i < count; i++)
    {
        const palPlane* plane = &planes[i];
        palVec3 slide = palSub(goal, bodies->bodies[owners[i]].x);
        copy->blocks[i] = blockOf(plane, rows);
        J[rows] = plane->n;
        palTangents(plane->n, &J[rows + 1], &J[rows + 2]);
        for (int k = 0; k < copy->blocks[i].size; k++, rows++)
        {
            bodyOf[rows] = owners[i];
            copy->lambda[rows] = 0.0;
            copy->gapFree[rows] =
                k == 0 ? palDot(plane->n, goal) - plane->d : palDot(J[rows], slide);
        }
    }
    copy->problem.rows = rows;
    copy->isSolved = forces->planes.solved;
    for (int i = 0; i < forces->bodyCount; i++)
        giveForces(copy, planes, owners, forces->bodies[i], forces->forces[i], &forces->planes, J);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
        {
            palMat3 G = sharedCompliance(bodies, bodyOf[i], bodyOf[j]);
            copy->W[i * copy->rowCapacity + j] = palDot(J[i], palMat3Apply(G, J[j]));
        }
}

void palProblemCopy_TakeOwnPlanes(palProblemCopy* copy, const palPlane* planes, int count,
                                  palVec3 from, palVec3 goal, const palMat3* W,
                                  const palPlanesResult* result, palVec3 force)
{
    static const int owners[pal_planesMax];
    if (copy == NULL)
        return;
    palPlaneBody body = {.whole = *W, .x = from};
    palPlaneBodies bodies = {.count = 1, .bodies = &body};
    palPlanesForces forces = {.planes = *result, .bodyCount = 1, .forces = {force}};
    palProblemCopy_TakePlanes(copy, planes, owners, count, goal, &bodies, &forces);
}

palResult palProblemCopy_Write(const palProblemCopy* copy, const char* path, palError* error)
{
    return palContactProblem_Write(&copy->problem, copy->isSolved ? copy->lambda : NULL, path,
                                   error);
}
