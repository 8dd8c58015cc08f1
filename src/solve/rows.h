// SPDX-License-Identifier: Apache-2.0
// The row kernels: the only loops of a solve whose work grows with the square of the rows.
// rows_avx2.c is used if the processor has AVX2 and FMA; rows.c has the scalar versions, which
// agree to rounding (a fused multiply-add is rounded once).
#ifndef PAL_SOLVE_ROWS_H
#define PAL_SOLVE_ROWS_H

#include <palpate/base.h>

typedef struct palRowKernels
{
    /// y += Σ a[k] W[k], k < count, where W[k] starts k·stride doubles after W; all of length n.
    void (*add)(int n, int count, const double* W, size_t stride, const double* a, double* y);

    /// The same for four rows at once, for factorisations: Y[r] += Σ a[r][k] W[k], r < 4, where
    /// rows of Y and W start `stride` doubles apart, and a is [4][count].
    void (*addFour)(int n, int count, const double* W, size_t stride, const double* a, double* Y);

    /// Σ a[i] b[i]
    double (*dot)(int n, const double* a, const double* b);

    /// max |a[i]|; 0 for n = 0. NaN may be ignored.
    double (*largest)(int n, const double* a);
} palRowKernels;

extern const palRowKernels pal_rowsScalar;
extern const palRowKernels pal_rowsAvx2;

/// The fastest kernels that this processor supports.
const palRowKernels* palRowKernels_Best(void);

#endif
