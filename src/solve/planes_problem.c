// SPDX-License-Identifier: Apache-2.0
#include "solve/planes.h"

#include <palpate/solve.h>

#include <string.h>

enum
{
    rowsMax = 3 * pal_planesMax,
};

palPlanesProblem palMakePlanesProblem(const palPlane* planes, int count, palVec3 from, palVec3 goal,
                                      const palMat3* W)
{
    palPlanesProblem problem = {.count = count, .from = from, .goal = goal, .W = *W};
    memcpy(problem.planes, planes, (size_t)count * sizeof *planes);
    return problem;
}

palResult palPlanesProblem_Write(const palPlanesProblem* problem, const char* path, palError* error)
{
    palVec3 J[rowsMax];
    double gap[rowsMax];
    double W[rowsMax][rowsMax];
    palContactBlock blocks[pal_planesMax];
    palVec3 slide = palSub(problem->goal, problem->from);
    int rows = 0;
    for (int i = 0; i < problem->count; i++)
    {
        const palPlane* plane = &problem->planes[i];
        bool hasFriction = plane->friction > 0.0;
        blocks[i] = (palContactBlock){
            .law = hasFriction ? pal_lawCone : pal_lawUnilateral,
            .row = rows,
            .size = hasFriction ? 3 : 1,
            .mu = plane->friction,
        };
        palVec3 t1, t2;
        palTangents(plane->n, &t1, &t2);
        J[rows] = plane->n;
        gap[rows++] = palDot(plane->n, problem->goal) - plane->d;
        if (!hasFriction)
            continue;
        J[rows] = t1;
        gap[rows++] = palDot(t1, slide);
        J[rows] = t2;
        gap[rows++] = palDot(t2, slide);
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            W[i][j] = palDot(J[i], palMat3Apply(problem->W, J[j]));
    palContactProblem contact = {
        .rows = rows,
        .blockCount = problem->count,
        .stride = rowsMax,
        .W = W[0],
        .gapFree = gap,
        .blocks = blocks,
    };
    return palContactProblem_Write(&contact, NULL, path, error);
}
