// SPDX-License-Identifier: Apache-2.0
#include "solve/workspace.h"

#include <math.h>

// W is packed if less than this fraction of the rows is active; otherwise the problem's W is used
// directly.
static const double packingThreshold = 0.75;

void palView_Clear(palSolveWorkspace* workspace)
{
    palView* view = &workspace->view;
    view->rows = 0;
    view->unitCount = 0;
    view->W = view->store;
    for (int i = 0; i < workspace->unitCount; i++)
        workspace->inView[i] = false;
}

// Packs the columns of rows first..rows-1 of the view, and extends the previous columns.
static void packColumns(palSolveWorkspace* workspace, const palContactProblem* problem, int first)
{
    palView* view = &workspace->view;
    const double* D = workspace->scale;
    size_t stride = (size_t)problem->stride;
    for (int j = 0; j < view->rows; j++)
    {
        size_t sj = (size_t)view->source[j];
        double* column = view->store + (size_t)j * view->stride;
        for (int i = j < first ? first : 0; i < view->rows; i++)
        {
            size_t si = (size_t)view->source[i];
            size_t entry = problem->asymmetric ? si * stride + sj : sj * stride + si;
            column[i] = D[si] * D[sj] * problem->W[entry];
        }
    }
}

static void addUnit(palSolveWorkspace* workspace, int index)
{
    palView* view = &workspace->view;
    const palUnit* unit = &workspace->units[index];
    palUnit* copy = &view->units[view->unitCount++];
    *copy = *unit;
    copy->row = view->rows;
    workspace->inView[index] = true;
    for (int i = 0; i < unit->size; i++)
    {
        int row = view->rows++;
        view->source[row] = unit->row + i;
        view->diagonal[row] = workspace->diagonal[unit->row + i];
        view->gap[row] = workspace->gap[unit->row + i];
        view->lambda[row] = workspace->lambda[unit->row + i];
    }
}

// Computes the factors of the units from `first` on.
static void prepareUnits(palView* view, int first)
{
    for (int u = first; u < view->unitCount; u++)
    {
        palUnit* unit = &view->units[u];
        int n = unit->size;
        double A[pal_unitMaxRows * pal_unitMaxRows];
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                A[i * n + j] =
                    view->W[(size_t)(unit->row + j) * view->stride + (size_t)(unit->row + i)];
        palUnit_Prepare(unit, A, &view->factors[u]);
    }
}

// Whether the problem's W can be used directly: symmetric and unscaled.
static bool isUsableDirectly(const palSolveWorkspace* workspace, const palContactProblem* problem)
{
    if (problem->asymmetric)
        return false;
    for (int i = 0; i < problem->rows; i++)
        if (workspace->scale[i] != 1.0)
            return false;
    return true;
}

int palView_Grow(palSolveWorkspace* workspace, const palContactProblem* problem)
{
    palView* view = &workspace->view;
    int firstUnit = view->unitCount;
    int firstRow = view->rows;
    if (view->unitCount == workspace->unitCount)
        return 0;
    int activeRows = 0;
    for (int u = 0; u < workspace->unitCount; u++)
    {
        const palUnit* unit = &workspace->units[u];
        if (!workspace->inView[u] &&
            !palUnit_IsInactive(unit, workspace->gap + unit->row, workspace->lambda + unit->row))
            activeRows += unit->size;
    }
    if (activeRows == 0)
        return 0;
    bool whole = firstUnit == 0 && activeRows >= packingThreshold * problem->rows &&
                 isUsableDirectly(workspace, problem);
    for (int u = 0; u < workspace->unitCount; u++)
    {
        const palUnit* unit = &workspace->units[u];
        if (whole || (!workspace->inView[u] && !palUnit_IsInactive(unit, workspace->gap + unit->row,
                                                                   workspace->lambda + unit->row)))
            addUnit(workspace, u);
    }
    view->W = whole ? problem->W : view->store;
    view->stride = whole ? (size_t)problem->stride : (size_t)(problem->rows + 7) / 8 * 8;
    if (!whole)
        packColumns(workspace, problem, firstRow);
    prepareUnits(view, firstUnit);
    return view->unitCount - firstUnit;
}

void palView_Store(palSolveWorkspace* workspace)
{
    const palView* view = &workspace->view;
    for (int i = 0; i < view->rows; i++)
        workspace->lambda[view->source[i]] = view->lambda[i];
}

void palView_Refresh(palSolveWorkspace* workspace)
{
    palView* view = &workspace->view;
    for (int i = 0; i < view->rows; i++)
        view->gap[i] = workspace->gap[view->source[i]];
}

double palView_Residual(const palView* view)
{
    double worst = 0.0;
    for (int u = 0; u < view->unitCount; u++)
    {
        const palUnit* unit = &view->units[u];
        int row = unit->row;
        double force;
        if (unit->immovable)
            continue;
        double r = palUnit_Residual(unit, view->diagonal + row, view->gap + row, view->lambda + row,
                                    &force);
        worst = r > worst || isnan(r) ? r : worst;
    }
    return worst;
}

void palView_Sweep(palView* view, const palRowKernels* kernels, double omega)
{
    double change[pal_unitMaxRows];
    for (int u = 0; u < view->unitCount; u++)
    {
        palUnit* unit = &view->units[u];
        int row = unit->row;
        if (!palUnit_Solve(unit, &view->factors[u], view->gap + row, view->lambda + row, omega,
                           change))
            continue;
        for (int i = 0; i < unit->size; i++)
            view->lambda[row + i] += change[i];
        kernels->add(view->rows, unit->size, view->W + (size_t)row * view->stride, view->stride,
                     change, view->gap);
    }
}
