// SPDX-License-Identifier: Apache-2.0
// Residual over sweeps of one problem: plain, warm-started, conjugate and Newton.
#ifndef PAL_APP_CONVERGENCE_H
#define PAL_APP_CONVERGENCE_H

#include <palpate/solve.h>

/// Solves the problem four times with a history, writes `path` with its extension replaced by .csv,
/// and plots it to `path` (.svg or .png) with gnuplot. The warm start is λ of the same problem with
/// every free gap perturbed by up to 5 % of the largest, similar to the previous time step.
palResult palPlotConvergence(const palContactProblem* problem, const palSolveSettings* settings,
                             const char* path, palError* error);

#endif
