// SPDX-License-Identifier: Apache-2.0
// The sweeping solvers: nonsmooth Gauss-Seidel, plain or as a conjugate gradient method.
#include "solve/run.h"

#include <math.h>
#include <string.h>

// Silcowitz, Niebe and Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive
// contact force problems" (2010): the change Δ of a sweep stands for the negative gradient,
//     β = |Δ_k|² / |Δ_(k-1)|²,   p_k = β p_(k-1) + Δ_k,   λ += β p_(k-1),
// restarted where β > 1. The norm is weighted with Wii, in which a sweep is a descent. W p obeys
// the same recurrence as p, so that a step costs no product with W beside the sweep's own.
typedef struct palConjugate
{
    double square; // |Δ|² of the last sweep; 0: start anew
    double beta;   // 0: no extrapolation pends
} palConjugate;

static void conjugateSweep(palSolveWorkspace* workspace, palConjugate* state, double omega)
{
    palView* view = &workspace->view;
    double* p = workspace->direction;
    double* Wp = workspace->directionGap;
    double* old = workspace->oldLambda;
    double* oldGap = workspace->oldGap;
    // Extrapolate; old and oldGap hold the last sweep's changes.
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

// Judges workspace->lambda on the whole problem. Returns true where that ends the solve; otherwise
// the view grows by the units that are now in motion.
static bool judgeWhole(palRun* run, bool* grown)
{
    palSolveWorkspace* workspace = run->workspace;
    palSolveWorkspace_UpdateGap(workspace, run->problem);
    double r = palRun_Judge(run);
    if (!isfinite(r) || r <= run->tolerance)
        return true;
    *grown = palView_Grow(workspace, run->problem) > 0;
    palView_Refresh(workspace);
    return false;
}

// The view's best iterate may be better than the last one that was judged on the whole. It is also
// where the next step begins.
static void judgeViewBest(palRun* run)
{
    palSolveWorkspace* workspace = run->workspace;
    palView* view = &workspace->view;
    memcpy(view->lambda, workspace->viewBest, (size_t)view->rows * sizeof(double));
    palView_Store(workspace);
    palSolveWorkspace_UpdateGap(workspace, run->problem);
    palView_Refresh(workspace);
    palRun_Judge(run);
}

void palRun_Begin(palRun* run)
{
    palView_Clear(run->workspace);
    palView_Grow(run->workspace, run->problem);
}

bool palRun_Settle(palRun* run)
{
    bool grown;
    return judgeWhole(run, &grown);
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
        // Units that only now leave their rest are found here; ever more rarely, because each
        // look costs as much as a few sweeps.
        bool grown = false;
        palView_Store(workspace);
        ended = judgeWhole(run, &grown);
        nextCheck = 2 * run->info->sweeps;
        if (grown)
        {
            state = (palConjugate){0};
            viewBest = INFINITY;
        }
    }
    if (viewBest < workspace->bestResidual)
        judgeViewBest(run);
    return ended;
}
