// SPDX-License-Identifier: Apache-2.0
// The direct solver for linear laws.
#include "solve/dense.h"
#include "solve/lemke.h"

#include <math.h>
#include <string.h>

// Block principal pivoting, Júdice and Pires, "A block principal pivoting algorithm for large-scale
// strictly monotone linear complementarity problems" (1994), with bounds on both sides. Each row is
// basic (δ = 0 determines λ) or at a bound. Solve for the basic rows; then every row whose λ
// violates its bounds or whose δ has the wrong sign changes its state: all of them while their
// number decreases, and after `failuresMax` steps without decrease only the last one (Murty's rule,
// which terminates for definite W). Linearly dependent basic rows are dropped by the factorisation
// and keep λ = 0.

enum
{
    failuresMax = 10,
    firstSweeps = 6, // they find most of the active set at less cost than a factorisation
};

typedef enum palSide
{
    sideLow,
    sideHigh,
    sideBasic,
} palSide;

typedef struct palPivoting
{
    int* side;     // [rows], of palSide; immovable rows are always low
    int* basic;    // [basicCount], rows
    double* lower; // [rows], N
    double* upper; // [rows], N
    double* x;     // [basicCount]
    bool* fixed;   // [rows]: bilateral or immovable, never changes its state
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
            pivoting->lower[i] = unit->immovable ? lambda : unit->low;
            pivoting->upper[i] = unit->immovable ? lambda : unit->high;
            pivoting->fixed[i] = unit->immovable || unit->kind == pal_unitBilateral;
            // Basic if the argument of the natural map's projection lies between the bounds.
            double target = unit->immovable ? lambda : lambda - gap / unit->w;
            pivoting->side[i] = unit->immovable || target <= unit->low ? sideLow
                                : target >= unit->high                 ? sideHigh
                                                                       : sideBasic;
            if (pivoting->fixed[i] && !unit->immovable)
                pivoting->side[i] = sideBasic;
        }
    }
}

// λ for the current states: the bounds, and the basic rows from W_BB λ_B = −δ_B with the others at
// their bounds. A second pass with the remaining δ is iterative refinement.
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

// The state that a row should have according to its λ and δ.
static palSide correctSide(const palRun* run, const palPivoting* pivoting, int row)
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

// Clamps λ to its bounds, which rounding and the slack may violate slightly.
static void clampToBounds(palRun* run, const palPivoting* pivoting)
{
    for (int i = 0; i < run->problem->rows; i++)
    {
        double* lambda = &run->workspace->lambda[i];
        *lambda = fmin(fmax(*lambda, pivoting->lower[i]), pivoting->upper[i]);
    }
}

// Ends when every row has its correct state, when pivoting cycles, or when the budget ends.
static void pivotBlocks(palRun* run, palPivoting* pivoting)
{
    int rows = run->problem->rows;
    int fewest = rows + 1;
    int failuresLeft = failuresMax;
    int singlePivots = 0;
    while (!palRun_BudgetEnded(run))
    {
        solveBasic(run, pivoting);
        run->info->sweeps++;
        int wrong = 0, last = -1;
        for (int i = 0; i < rows; i++)
            if (correctSide(run, pivoting, i) != (palSide)pivoting->side[i])
            {
                wrong++;
                last = i;
            }
        if (wrong == 0)
            return;
        if (wrong < fewest)
        {
            fewest = wrong;
            failuresLeft = failuresMax;
        }
        else if (--failuresLeft < 0 && ++singlePivots > rows)
            return;
        for (int i = failuresLeft < 0 ? last : 0; i < rows; i++)
            pivoting->side[i] = (int)correctSide(run, pivoting, i);
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
        clampToBounds(run, &pivoting);
        palSolveWorkspace_UpdateGap(workspace, run->problem);
        if (palRun_Evaluate(run) <= run->tolerance || (run->info->flags & pal_solveBudgetEnded))
            return;
    }
    // Lemke's method, followed by one solve with the states it found, for full accuracy.
    run->info->flags |= pal_solveFellBack;
    palLemkeEnd end = palLemke(run);
    if (end == pal_lemkeRay && !run->problem->asymmetric)
        run->info->flags |= pal_solveInfeasible;
    if (end == pal_lemkeBudget)
        run->info->flags |= pal_solveBudgetEnded;
    if (end != pal_lemkeSolved)
        return;
    palSolveWorkspace_UpdateGap(workspace, run->problem);
    if (palRun_Evaluate(run) <= run->tolerance || run->problem->asymmetric)
        return;
    beginPivoting(workspace, &pivoting);
    solveBasic(run, &pivoting);
    clampToBounds(run, &pivoting);
    palSolveWorkspace_UpdateGap(workspace, run->problem);
    palRun_Evaluate(run);
}
