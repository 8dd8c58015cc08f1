// SPDX-License-Identifier: Apache-2.0
#include "touch/soft_hold.h"

#include "base/error.h"
#include "solve/dense.h"

#include <stdlib.h>

palResult palSoftHold_Init(palSoftHold* hold, palError* error)
{
    *hold = (palSoftHold){
        .B = calloc(pal_softForcesMax, sizeof *hold->B),
        .W = calloc(pal_softForcesMax, sizeof *hold->W),
    };
    if (hold->B != NULL && hold->W != NULL)
        return pal_ok;
    palSoftHold_Free(hold);
    return palError_Memory(error, "places that tools hold", pal_softForcesMax * sizeof *hold->B);
}

void palSoftHold_Free(palSoftHold* hold)
{
    free(hold->B);
    free(hold->W);
    *hold = (palSoftHold){0};
}

// The rows of the places, and in lambda how far each is from where it was seen.
static void findRows(palSoftHold* hold, const palSoftPatch* patch, int island,
                     const palSoftForce* last, const bool* isTool, const palModesState* state)
{
    const palModes* modes = &patch->islands[island];
    hold->count = 0;
    for (int i = 0; i < last->head.count; i++)
    {
        const palSoftPush* push = &last->pushes[i];
        int part = palSoftPatch_Part(patch, push->object, push->hand);
        palModeShape shape;
        if (!isTool[push->hand] || palLengthSquared(push->force) == 0.0 || part < 0 ||
            patch->parts[part].island != island ||
            !palSoftPatch_Shape(patch, part, &push->at, &shape))
            continue;
        palVec3 d = palNormalize(push->force);
        palVec3 x = palSoftPatch_Point(patch, part, &push->at, &shape, state->q);
        double* b = hold->B[hold->count];
        for (int m = 0; m < modes->count; m++)
            b[m] = d.x * shape.b[0][m] + d.y * shape.b[1][m] + d.z * shape.b[2][m];
        hold->pushes[hold->count] = i;
        hold->directions[hold->count] = d;
        hold->lambda[hold->count++] = palDot(d, palSub(push->x, x));
    }
}

// W(T) of the rows, a little stiffer than it is: of places on the same nodes it would be singular.
static void findCompliance(palSoftHold* hold, const palModes* modes, double seconds)
{
    const double more = 1e-3; // of the mean of its diagonal
    double trace = 0.0;
    for (int i = 0; i < hold->count; i++)
        for (int j = 0; j < hold->count; j++)
            hold->W[i][j] = 0.0;
    palModes_AddCompliance(modes, seconds, hold->B[0], pal_shapeModesMax, NULL, hold->count,
                           hold->W[0], pal_softForcesMax);
    for (int i = 0; i < hold->count; i++)
        trace += hold->W[i][i];
    for (int i = 0; i < hold->count; i++)
        hold->W[i][i] += more * trace / hold->count;
}

void palSoftHold_Correct(palSoftHold* hold, const palSoftPatch* patch, int island,
                         const palSoftForce* last, const bool* isTool, double seconds,
                         palModesState* state)
{
    const palModes* modes = &patch->islands[island];
    findRows(hold, patch, island, last, isTool, state);
    if (hold->count == 0)
        return;
    findCompliance(hold, modes, seconds);
    const palRowKernels* kernels = palRowKernels_Best();
    palLdl_Factor(hold->count, hold->W[0], pal_softForcesMax, kernels);
    palLdl_Solve(hold->count, hold->W[0], pal_softForcesMax, kernels, hold->lambda);
    for (int m = 0; m < modes->count; m++)
    {
        double p = 0.0;
        for (int i = 0; i < hold->count; i++)
            p += hold->B[i][m] * hold->lambda[i];
        double dv = seconds * p / palModes_Resistance(modes, m, seconds);
        state->v[m] += dv;
        state->q[m] += seconds * dv;
    }
}
