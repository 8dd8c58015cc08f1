// SPDX-License-Identifier: Apache-2.0
// Dense factorisations for the direct and the Newton solver: in place, without allocation, a few
// pivots at a time, using the row kernels.
#ifndef PAL_SOLVE_DENSE_H
#define PAL_SOLVE_DENSE_H

#include "solve/rows.h"

/// A = Uᵀ D⁻¹ U of a symmetric positive semi-definite matrix, whose upper triangle is read and
/// overwritten by U (its diagonal is D); the lower triangle is scratch. Linearly dependent rows,
/// with a pivot below 1e-12 of their diagonal entry, are dropped: their diagonal is set to zero.
/// Returns the number of dropped rows. Rows may have different units.
int palLdl_Factor(int n, double* A, size_t stride, const palRowKernels* kernels);

/// Solves A x = b in place; x is zero in the dropped rows, whose equations are ignored.
void palLdl_Solve(int n, const double* U, size_t stride, const palRowKernels* kernels, double* b);

static inline int palLu_Stride(int n)
{
    return (n + 3) / 4 * 4;
}

/// A P = L U, L with unit diagonal; `pivots` receives the column exchanges. Returns false if a
/// pivot is zero or not finite. Rows are `stride` apart, at least palLu_Stride(n); entries beyond n
/// are overwritten.
bool palLu_Factor(int n, double* A, size_t stride, const palRowKernels* kernels, int* pivots);

/// Solves A x = b in place.
void palLu_Solve(int n, const double* LU, size_t stride, const palRowKernels* kernels,
                 const int* pivots, double* b);

/// Rows of a semi-definite W that can be asked equality of: goes through `order`, [count], and
/// keeps in it, in front, the rows whose compliance is to more than a hundredth their own, not that
/// of the rows kept before. What depends on others can be asked nothing else without great forces.
/// `factor` is workspace, [count][factorStride]. Returns how many are kept.
int palPickIndependent(int count, const double* W, size_t stride, double* factor,
                       size_t factorStride, int* order);

#endif
