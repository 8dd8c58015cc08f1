// SPDX-License-Identifier: Apache-2.0
// The sweep solvers: nonsmooth Gauss-Seidel, plain or as a nonlinear conjugate gradient method.
#include "solve/run.h"

#include <math.h>
#include <string.h>

// Silcowitz, Niebe and Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive
// contact force problems" (2010): the change Δ of a sweep is used as the negative gradient,
//
//     β = |Δ_k|² / |Δ_(k-1)|²,   p_k = β p_(k-1) + Δ_k,   λ += β p_(k-1),
//
// restarted if β > 1. The norm is weighted by Wii, in which a sweep is a descent. W p follows the
// same recurrence as p, so that no product with W is needed beyond that of the sweep.
typedef struct palConjugate
{
    double square; // |Δ|² of the last sweep; 0: restart
    double beta;   // of the next extrapolation; 0: none
} palConjugate;

static void conjugateSweep(palSolveWorkspace* workspace, palConjugate* state, double omega)
{
    palView* view = &workspace->view;
    double* p = workspace->direction;
    double* Wp = workspace->directionGap;
    double* old = workspace->oldLambda;
    double* oldGap = workspace->oldGap;
    // Extrapolate; old and oldGap hold the changes of the last sweep.
    for (int i = 0; i < view->rows && state->square > 0.0; i++)
    {
        view->lambda[i] += state->beta * p[i];
        view->gap[i] += state->beta * Wp[i];
        p[i] = state->beta * p[i] + old[i];
        Wp[i] = state->beta * Wp[i] + oldGap[i];
    }
    size_t size = (size_t)view->rows * sizeof(double);
    memcpy(old, view->lambda, size);
    memcpy(oldGap, view->gap, size);
    palView_Sweep(view, workspace->kernels, omega);
    double square = 0.0;
    for (int i = 0; i < view->rows; i++)
    {
        old[i] = view->lambda[i] - old[i];
        oldGap[i] = view->gap[i] - oldGap[i];
        square += view->diagonal[i] * old[i] * old[i];
    }
    bool restart = state->square == 0.0 || square > state->square;
    state->beta = restart ? 0.0 : square / state->square;
    state->square = square;
    for (int i = 0; i < view->rows && restart; i++)
        p[i] = Wp[i] = 0.0;
}

// Evaluates workspace->lambda on the whole problem. Returns true if that ends the solve; otherwise
// adds the units that are now active to the view.
static bool evaluateWhole(palRun* run, bool* grown)
{
    palSolveWorkspace* workspace = run->workspace;
    palSolveWorkspace_UpdateGap(workspace, run->problem);
    double r = palRun_Evaluate(run);
    if (!isfinite(r) || r <= run->tolerance)
        return true;
    *grown = palView_Grow(workspace, run->problem) > 0;
    palView_Refresh(workspace);
    return false;
}

// The view's best iterate may be better than the last one evaluated on the whole problem. It is
// also the starting point of the next step.
static void evaluateViewBest(palRun* run)
{
    palSolveWorkspace* workspace = run->workspace;
    palView* view = &workspace->view;
    memcpy(view->lambda, workspace->viewBest, (size_t)view->rows * sizeof(double));
    palView_Store(workspace);
    palSolveWorkspace_UpdateGap(workspace, run->problem);
    palView_Refresh(workspace);
    palRun_Evaluate(run);
}

void palRun_Begin(palRun* run)
{
    palView_Clear(run->workspace);
    palView_Grow(run->workspace, run->problem);
}

bool palRun_FinishStep(palRun* run)
{
    bool grown;
    return evaluateWhole(run, &grown);
}

bool palRun_Sweeps(palRun* run, bool conjugate, int limit)
{
    palSolveWorkspace* workspace = run->workspace;
    palView* view = &workspace->view;
    palConjugate state = {0};
    double omega = run->settings->relaxation;
    double viewBest = INFINITY;
    int nextCheck = run->info->sweeps + 4;
    bool ended = false;
    while (!ended && run->info->sweeps < limit && !(ended = palRun_BudgetEnded(run)))
    {
        if (conjugate)
            conjugateSweep(workspace, &state, omega);
        else
            palView_Sweep(view, workspace->kernels, omega);
        run->info->sweeps++;
        palRun_Record(run);
        double r = palView_Residual(view);
        if (r < viewBest)
        {
            viewBest = r;
            memcpy(workspace->viewBest, view->lambda, (size_t)view->rows * sizeof(double));
        }
        if (isfinite(r) && r > run->tolerance && run->info->sweeps < nextCheck)
            continue;
        // Newly active units are found here; with increasing intervals, because each check costs
        // as much as a few sweeps.
        bool grown = false;
        palView_Store(workspace);
        ended = evaluateWhole(run, &grown);
        nextCheck = 2 * run->info->sweeps;
        if (grown)
        {
            state = (palConjugate){0};
            viewBest = INFINITY;
        }
    }
    if (viewBest < workspace->bestResidual)
        evaluateViewBest(run);
    return ended;
}
