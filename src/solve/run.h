// SPDX-License-Identifier: Apache-2.0
// The state of one solve, shared by the solvers.
#ifndef PAL_SOLVE_RUN_H
#define PAL_SOLVE_RUN_H

#include "solve/workspace.h"

typedef struct palRun
{
    const palContactProblem* problem;
    const palSolveSettings* settings;
    palSolveWorkspace* workspace;
    palSolveInfo* info;
    double wanted;    // of the residual, m, by the settings
    double tolerance; // m: the same, or what rounding leaves at the last λ if that is more
    int64_t deadline; // ns on the monotonic clock, 0: none
} palRun;

/// Whether the limit of sweeps or time is reached; sets the flag.
bool palRun_BudgetEnded(palRun* run);

/// Computes the residual of workspace->lambda from the current workspace->gap and stores it if it
/// is the best iterate. Returns the residual, m; NaN for NaN.
double palRun_Evaluate(palRun* run);

/// Appends the residual of the whole problem at the view's λ to the history, if one is requested.
void palRun_Record(palRun* run);

/// Initialises the view with the units that are active at the starting λ.
void palRun_Begin(palRun* run);

/// Sweeps until the solve ends (returns true: converged, not finite, or budget ended), or until a
/// total of `limit` sweeps is reached.
bool palRun_Sweeps(palRun* run, bool conjugate, int limit);

/// Evaluates workspace->lambda after a step that was not a sweep: recomputes δ, adds active units
/// to the view and updates it. Returns true if the solve has ended.
bool palRun_FinishStep(palRun* run);

/// Linear laws: block principal pivoting, then Lemke's method if that fails.
void palRun_Direct(palRun* run);

/// One step of the proximal method with ρ, from the view's λ to the workspace's; for cones and
/// linear laws. Returns false where there is none; the view's λ is undefined then.
bool palRun_Proximal(palRun* run, double rho);

/// Any law: sweeps alternating with Newton steps, and proximal ones where these fail.
void palRun_Newton(palRun* run);

#endif
