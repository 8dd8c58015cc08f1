// SPDX-License-Identifier: Apache-2.0
// The direct solver for linear laws.
#include "solve/dense.h"
#include "solve/lemke.h"

#include <math.h>
#include <string.h>

// Block principal pivoting, Júdice and Pires, "A block principal pivoting algorithm for large-scale
// strictly monotone linear complementarity problems" (1994), with bounds on both sides. Each row is
// basic (δ = 0 determines λ) or at a bound. Solve for the basic rows; every row whose λ has left
// its bounds or whose δ has the wrong sign changes sides, all at once while that lowers their
// number, and after `patience` failures only the last one (Murty's rule, which ends for definite
// W). Dependent basic rows are dropped by the factor and keep λ at zero.

enum
{
    patience = 10,
    firstSweeps = 6, // they find most of the active set for less than a factorisation
};

typedef enum palSide
{
    sideLow,
    sideHigh,
    sideBasic,
} palSide;

typedef struct palPivoting
{
    int* side;     // [rows], of palSide; dead rows are low and stay
    int* basic;    // [basicCount], rows
    double* lower; // [rows], N
    double* upper; // [rows], N
    double* x;     // [basicCount]
    bool* fixed;   // [rows]: bilateral or dead, never changes sides
    int basicCount;
} palPivoting;

static void beginPivoting(palSolveWorkspace* workspace, palPivoting* pivoting)
{
    size_t n = (size_t)workspace->maxRows;
    *pivoting = (palPivoting){
        .side = workspace->indices,
        .basic = workspace->indices + n,
        .lower = workspace->vectors,
        .upper = workspace->vectors + n,
        .x = workspace->vectors + 2 * n,
        .fixed = workspace->marks,
    };
    for (int u = 0; u < workspace->unitCount; u++)
    {
        const palUnit* unit = &workspace->units[u];
        for (int i = unit->row; i < unit->row + unit->size; i++)
        {
            double lambda = workspace->lambda[i];
            double gap = workspace->gap[i];
            pivoting->lower[i] = unit->dead ? lambda : unit->low;
            pivoting->upper[i] = unit->dead ? lambda : unit->high;
            pivoting->fixed[i] = unit->dead || unit->kind == pal_unitBilateral;
            // Basic where the natural map's point lies between the bounds.
            double target = unit->dead ? lambda : lambda - gap / unit->w;
            pivoting->side[i] = unit->dead || target <= unit->low ? sideLow
                                : target >= unit->high            ? sideHigh
                                                                  : sideBasic;
            if (pivoting->fixed[i] && !unit->dead)
                pivoting->side[i] = sideBasic;
        }
    }
}

// λ of the current sides: bounds, and the basic rows from W_BB λ_B = −δ_B with the rest at bounds.
// A second pass with the δ that is left refines what the first has lost to rounding.
static void solveBasic(palRun* run, palPivoting* pivoting)
{
    const palContactProblem* problem = run->problem;
    palSolveWorkspace* workspace = run->workspace;
    double* A = workspace->matrix;
    int count = 0;
    for (int i = 0; i < problem->rows; i++)
    {
        palSide side = (palSide)pivoting->side[i];
        if (side == sideBasic)
            pivoting->basic[count++] = i;
        else
            workspace->lambda[i] = side == sideLow ? pivoting->lower[i] : pivoting->upper[i];
    }
    pivoting->basicCount = count;
    size_t stride = ((size_t)count + 3) / 4 * 4;
    for (int i = 0; i < count; i++)
    {
        size_t row = (size_t)pivoting->basic[i];
        for (int j = i; j < count; j++)
            A[(size_t)i * stride + (size_t)j] =
                problem->W[row * (size_t)problem->stride + (size_t)pivoting->basic[j]];
        workspace->lambda[row] = 0.0;
    }
    palLdl_Factor(count, A, stride, workspace->kernels);
    palSolveWorkspace_UpdateGap(workspace, problem);
    for (int pass = 0; pass < 2; pass++)
    {
        for (int i = 0; i < count; i++)
            pivoting->x[i] = -workspace->gap[pivoting->basic[i]];
        palLdl_Solve(count, A, stride, workspace->kernels, pivoting->x);
        for (int i = 0; i < count; i++)
            workspace->lambda[pivoting->basic[i]] += pivoting->x[i];
        palSolveWorkspace_UpdateGap(workspace, problem);
    }
}

// The side that a row should be on, judged by its λ and δ; its own where it is right.
static palSide rightSide(const palRun* run, const palPivoting* pivoting, int row)
{
    const palSolveWorkspace* workspace = run->workspace;
    palSide side = (palSide)pivoting->side[row];
    double lambda = workspace->lambda[row];
    double gap = workspace->gap[row];
    double slack = 0.1 * run->tolerance;
    if (pivoting->fixed[row])
        return side;
    double force = slack / workspace->diagonal[row];
    if (side == sideBasic)
        return lambda < pivoting->lower[row] - force   ? sideLow
               : lambda > pivoting->upper[row] + force ? sideHigh
                                                       : sideBasic;
    bool wrong = side == sideLow ? gap < -slack : gap > slack;
    return wrong ? sideBasic : side;
}

// Puts λ within its bounds by what rounding and the slack have left outside.
static void trim(palRun* run, const palPivoting* pivoting)
{
    for (int i = 0; i < run->problem->rows; i++)
    {
        double* lambda = &run->workspace->lambda[i];
        *lambda = fmin(fmax(*lambda, pivoting->lower[i]), pivoting->upper[i]);
    }
}

// Ends where every row is on its right side, where pivoting cycles, or with the budget.
static void pivotBlocks(palRun* run, palPivoting* pivoting)
{
    int rows = run->problem->rows;
    int fewest = rows + 1;
    int patienceLeft = patience;
    int singles = 0;
    while (!palRun_BudgetEnded(run))
    {
        solveBasic(run, pivoting);
        run->info->sweeps++;
        int wrong = 0, last = -1;
        for (int i = 0; i < rows; i++)
            if (rightSide(run, pivoting, i) != (palSide)pivoting->side[i])
            {
                wrong++;
                last = i;
            }
        if (wrong == 0)
            return;
        if (wrong < fewest)
        {
            fewest = wrong;
            patienceLeft = patience;
        }
        else if (--patienceLeft < 0 && ++singles > rows)
            return;
        for (int i = patienceLeft < 0 ? last : 0; i < rows; i++)
            pivoting->side[i] = (int)rightSide(run, pivoting, i);
    }
}

void palRun_Direct(palRun* run)
{
    palSolveWorkspace* workspace = run->workspace;
    if (palRun_Sweeps(run, false, firstSweeps))
        return;
    palView_Store(workspace);
    palSolveWorkspace_UpdateGap(workspace, run->problem);
    palPivoting pivoting;
    if (!run->problem->asymmetric)
    {
        beginPivoting(workspace, &pivoting);
        pivotBlocks(run, &pivoting);
        trim(run, &pivoting);
        palSolveWorkspace_UpdateGap(workspace, run->problem);
        if (palRun_Judge(run) <= run->tolerance || (run->info->flags & pal_solveBudgetEnded))
            return;
    }
    // Lemke's method, and its sides once more through the factor for the last digits.
    run->info->flags |= pal_solveFellBack;
    palLemkeEnd end = palLemke(run);
    if (end == pal_lemkeRay && !run->problem->asymmetric)
        run->info->flags |= pal_solveInfeasible;
    if (end == pal_lemkeBudget)
        run->info->flags |= pal_solveBudgetEnded;
    if (end != pal_lemkeSolved)
        return;
    palSolveWorkspace_UpdateGap(workspace, run->problem);
    if (palRun_Judge(run) <= run->tolerance || run->problem->asymmetric)
        return;
    beginPivoting(workspace, &pivoting);
    solveBasic(run, &pivoting);
    trim(run, &pivoting);
    palSolveWorkspace_UpdateGap(workspace, run->problem);
    palRun_Judge(run);
}
