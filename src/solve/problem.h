// SPDX-License-Identifier: Apache-2.0
// A problem's blocks, taken apart into units.
#ifndef PAL_SOLVE_PROBLEM_H
#define PAL_SOLVE_PROBLEM_H

#include "solve/unit.h"

/// Below this diagonal entry of W nothing moves a row: 1e-14 of the largest one, m/N. Not finite
/// where a diagonal entry is not.
double palContactProblem_LeastDiagonal(const palContactProblem* problem);

/// The unit that starts `offset` rows into a block; writes its rows' scale and diagonal.
void palContactProblem_Unit(const palContactProblem* problem, const palContactBlock* block,
                            int offset, double least, palUnit* unit, double* scale,
                            double* diagonal);

/// What tolerances are relative to: max |δ_free|, or, where bounds alone force λ away from zero,
/// the gap that this makes. Zero only for a problem that λ = 0 solves. m
double palContactProblem_Scale(const palContactProblem* problem);

/// Whether every law is linear: unilateral, bilateral or box.
bool palContactProblem_IsLinear(const palContactProblem* problem);

#endif
