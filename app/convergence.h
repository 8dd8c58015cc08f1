// SPDX-License-Identifier: Apache-2.0
// Residual against sweeps of one problem: plain, warm-started, conjugate and Newton.
#ifndef PAL_APP_CONVERGENCE_H
#define PAL_APP_CONVERGENCE_H

#include <palpate/solve.h>

/// Solves the problem four times with a history, writes `path` with its ending replaced by .csv,
/// and draws `path` (.svg or .png) from it with gnuplot. The warm start is λ of the same problem
/// with every free gap changed by up to 5 % of the largest: a step before, so to say.
palResult palPlotConvergence(const palContactProblem* problem, const palSolveSettings* settings,
                             const char* path, palError* error);

#endif
