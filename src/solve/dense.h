// SPDX-License-Identifier: Apache-2.0
// Dense factorisations for the direct and the Newton solver: in place, without allocation, three
// pivots at a time so that the row kernels do the work.
#ifndef PAL_SOLVE_DENSE_H
#define PAL_SOLVE_DENSE_H

#include "solve/rows.h"

/// A = Uᵀ D⁻¹ U of a symmetric positive semi-definite matrix, whose upper triangle is read and
/// overwritten by U (its diagonal is D). Rows that depend on those before them, with a pivot below
/// 1e-12 of the largest diagonal entry, are dropped: their diagonal is set to zero. Returns how
/// many.
int palLdl_Factor(int n, double* A, size_t stride, const palRowKernels* kernels);

/// Solves A x = b in place; x is zero in the dropped rows, whose equations are not looked at.
void palLdl_Solve(int n, const double* U, size_t stride, const palRowKernels* kernels, double* b);

/// P A = L U with partial pivoting; `pivots` takes the row exchanges. Returns false where a pivot
/// is zero or not finite.
bool palLu_Factor(int n, double* A, size_t stride, const palRowKernels* kernels, int* pivots);

/// Solves A x = b in place.
void palLu_Solve(int n, const double* LU, size_t stride, const palRowKernels* kernels,
                 const int* pivots, double* b);

#endif
