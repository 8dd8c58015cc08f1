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

/// A view of the units that the starting λ sets in motion; where the sweeps begin.
void palRun_Begin(palRun* run);

/// Sweeps until the solve ends (returns true: converged, not finite, or the budget ended), or until
/// `limit` sweeps are done in all.
bool palRun_Sweeps(palRun* run, bool conjugate, int limit);

/// Judges workspace->lambda after a step that was not a sweep: δ afresh, the view grown and brought
/// up to date. Returns true where the solve has ended.
bool palRun_Settle(palRun* run);

/// Linear laws: block principal pivoting, then Lemke's method where that fails.
void palRun_Direct(palRun* run);

/// Any law: sweeps, and Newton steps where they do better.
void palRun_Newton(palRun* run);

#endif
