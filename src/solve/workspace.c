// SPDX-License-Identifier: Apache-2.0
#include "solve/workspace.h"

#include "base/error.h"
#include "solve/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Divides one memory block into arrays aligned to cache lines; with memory == NULL it only computes
// the total size.
typedef struct palCarver
{
    unsigned char* memory;
    size_t used;
} palCarver;

static void* carve(palCarver* carver, size_t count, size_t size)
{
    void* piece = carver->memory != NULL ? carver->memory + carver->used : NULL;
    carver->used += (count * size + 63) / 64 * 64;
    return piece;
}

static double* carveDoubles(palCarver* carver, size_t count)
{
    return carve(carver, count, sizeof(double));
}

static void carveWorkspace(palSolveWorkspace* workspace, palCarver* carver)
{
    size_t n = (size_t)workspace->maxRows;
    workspace->units = carve(carver, n, sizeof(palUnit));
    workspace->inView = carve(carver, n, sizeof(bool));
    double** arrays[] = {
        &workspace->scale,         &workspace->diagonal,  &workspace->gap,
        &workspace->lambda,        &workspace->best,      &workspace->direction,
        &workspace->directionGap,  &workspace->oldLambda, &workspace->oldGap,
        &workspace->viewBest,      &workspace->view.gap,  &workspace->view.lambda,
        &workspace->view.diagonal, &workspace->force,
    };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = carveDoubles(carver, n);

    palView* view = &workspace->view;
    view->store = carveDoubles(carver, n * ((n + 7) / 8 * 8));
    view->units = carve(carver, n, sizeof(palUnit));
    view->factors = carve(carver, n, sizeof(palUnitFactor));
    view->source = carve(carver, n, sizeof(int));
    if (!workspace->direct)
        return;
    workspace->matrix = carveDoubles(carver, 2 * n * (2 * n + 2));
    workspace->vectors = carveDoubles(carver, 4 * n);
    workspace->indices = carve(carver, 8 * n + 8, sizeof(int));
    workspace->marks = carve(carver, 2 * n, sizeof(bool));
}

palResult palSolveWorkspace_Create(int maxRows, bool direct, palSolveWorkspace** workspace,
                                   palError* error)
{
    *workspace = NULL;
    if (maxRows < 0 || maxRows > 20000)
        return palError_Set(
            error, pal_errorInput,
            "invalid solver workspace size: %d rows; the allowed range is 0 to 20000", maxRows);
    palSolveWorkspace* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "a solver workspace", sizeof *created);
    created->maxRows = maxRows;
    created->direct = direct;
    palCarver carver = {0};
    carveWorkspace(created, &carver);
    size_t size = carver.used > 0 ? carver.used : 64;
    created->memory = aligned_alloc(64, size);
    if (created->memory == NULL)
    {
        free(created);
        return palError_Memory(error, "a solver workspace", size);
    }
    // Touch every page now, so that no page fault occurs in a solve.
    memset(created->memory, 0, size);
    carver = (palCarver){.memory = created->memory};
    carveWorkspace(created, &carver);
    *workspace = created;
    return pal_ok;
}

void palSolveWorkspace_Destroy(palSolveWorkspace* workspace)
{
    if (workspace == NULL)
        return;
    free(workspace->memory);
    free(workspace);
}

void palSolveWorkspace_Load(palSolveWorkspace* workspace, const palContactProblem* problem,
                            const double* guess)
{
    double least = palContactProblem_LeastDiagonal(problem);
    workspace->unitCount = 0;
    for (int b = 0; b < problem->blockCount; b++)
    {
        const palContactBlock* block = &problem->blocks[b];
        for (int offset = 0; offset < block->size;)
        {
            palUnit* unit = &workspace->units[workspace->unitCount++];
            int row = block->row + offset;
            palContactProblem_Unit(problem, block, offset, least, unit, workspace->scale + row,
                                   workspace->diagonal + row);
            palUnit_Start(unit, workspace->scale + row, problem->gapFree[row],
                          guess != NULL ? guess + row : NULL, workspace->lambda + row);
            offset += unit->size;
        }
    }
    palSolveWorkspace_UpdateGap(workspace, problem);
}

void palSolveWorkspace_UpdateGap(palSolveWorkspace* workspace, const palContactProblem* problem)
{
    const palRowKernels* kernels = workspace->kernels;
    const double* scale = workspace->scale;
    const double* lambda = workspace->lambda;
    double* gap = workspace->gap;
    int n = problem->rows;
    size_t stride = (size_t)problem->stride;
    for (int i = 0; i < n; i++)
        gap[i] = problem->gapFree[i];
    if (problem->asymmetric)
    {
        double* force = workspace->force;
        for (int i = 0; i < n; i++)
            force[i] = scale[i] * lambda[i];
        for (int i = 0; i < n; i++)
            gap[i] += kernels->dot(n, problem->W + (size_t)i * stride, force);
    }
    // Up to three consecutive active rows share a pass over the gaps.
    for (int i = 0; i < n && !problem->asymmetric;)
    {
        double force[3];
        int count = 0;
        while (count < 3 && i + count < n && lambda[i + count] != 0.0)
        {
            force[count] = scale[i + count] * lambda[i + count];
            count++;
        }
        if (count > 0)
            kernels->add(n, count, problem->W + (size_t)i * stride, stride, force, gap);
        i += count > 0 ? count : 1;
    }
    for (int i = 0; i < n; i++)
        gap[i] *= scale[i];
}

double palSolveWorkspace_Residual(const palSolveWorkspace* workspace, double* force)
{
    double worst = 0.0;
    *force = 0.0;
    for (int u = 0; u < workspace->unitCount; u++)
    {
        const palUnit* unit = &workspace->units[u];
        int row = unit->row;
        if (unit->immovable)
            continue;
        double unitForce;
        double r = palUnit_Residual(unit, workspace->diagonal + row, workspace->gap + row,
                                    workspace->lambda + row, &unitForce);
        worst = r > worst || isnan(r) ? r : worst;
        *force = fmax(*force, unitForce);
    }
    return worst;
}

double palSolveWorkspace_ImmovableResidual(const palSolveWorkspace* workspace)
{
    double worst = 0.0;
    for (int u = 0; u < workspace->unitCount; u++)
    {
        const palUnit* unit = &workspace->units[u];
        int row = unit->row;
        double force;
        if (unit->immovable)
            worst =
                fmax(worst, palUnit_Residual(unit, workspace->diagonal + row, workspace->gap + row,
                                             workspace->lambda + row, &force));
    }
    return worst;
}
