// SPDX-License-Identifier: Apache-2.0
// Division of a problem's blocks into units.
#ifndef PAL_SOLVE_PROBLEM_H
#define PAL_SOLVE_PROBLEM_H

#include "solve/unit.h"

/// The threshold below which a diagonal entry of W counts as zero: 1e-14 of the largest one, m/N.
/// Not finite if a diagonal entry is not.
double palContactProblem_LeastDiagonal(const palContactProblem* problem);

/// The unit that starts `offset` rows into a block, without its scale.
palUnit palMakeUnit(const palContactBlock* block, int offset);

/// The scaling of a row: the radius of a torsion row, otherwise 1.
double palContactBlock_RowScale(const palContactBlock* block, int offset);

/// Fills w and `immovable` from the diagonal of the unit's rows, scaled and zero where it is below
/// `least`; `first` is that of the first row as it is. An immovable contact loses its diagonal.
void palUnit_Measure(palUnit* unit, double first, double least, double* diagonal);

/// A row's part of palContactProblem_Scale; w is its diagonal entry of W.
double palContactBlock_GapScale(const palContactBlock* block, int offset, double gapFree, double w);

/// The unit that starts `offset` rows into a block; writes its rows' scale and diagonal.
void palContactProblem_Unit(const palContactProblem* problem, const palContactBlock* block,
                            int offset, double least, palUnit* unit, double* scale,
                            double* diagonal);

/// The reference for relative tolerances, m: max |δ_free|, or, if bounds exclude λ = 0, the gap
/// that the bounding force produces. Zero only for a problem that λ = 0 solves.
double palContactProblem_Scale(const palContactProblem* problem);

/// Whether every law is linear: unilateral, bilateral or box.
bool palContactProblem_IsLinear(const palContactProblem* problem);

#endif
