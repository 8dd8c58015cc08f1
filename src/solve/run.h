// SPDX-License-Identifier: Apache-2.0
// One solve under way: what the solvers share.
#ifndef PAL_SOLVE_RUN_H
#define PAL_SOLVE_RUN_H

#include "solve/workspace.h"

typedef struct palRun
{
    const palContactProblem* problem;
    const palSolveSettings* settings;
    palSolveWorkspace* workspace;
    palSolveInfo* info;
    double tolerance; // of the residual, m
    int64_t deadline; // ns on the monotonic clock, 0: none
} palRun;

/// Whether sweeps or time are used up; flags it.
bool palRun_BudgetEnded(palRun* run);

/// Takes workspace->lambda, with its δ computed afresh, as the best iterate where it is. Returns
/// its residual, m; NaN for NaN.
double palRun_Judge(palRun* run);

/// Appends the residual of the whole problem at the view's λ to the history, where one is kept.
void palRun_Record(palRun* run);

/// The solvers. Each leaves the result in workspace->best.
void palRun_Sweeps(palRun* run, bool conjugate);

#endif
