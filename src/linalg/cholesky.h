// SPDX-License-Identifier: Apache-2.0
// Sparse Cholesky factorisation A = Pᵀ L Lᵀ P of a symmetric positive definite palBlockMatrix.
//
// Create analyses the pattern (linalg/symbolic.h) and allocates everything. Factor and the solves
// do not allocate, always do the same amount of work, and are bitwise reproducible. A palCholesky
// may be used by one thread at a time.
//
// One step of a body in contact, with a total of one forward and one backward solve
// (linalg/reach.h):
//
//     palCholesky_Factor(c, &A, &error);
//     palCholesky_Forward(c, b, y);              y = L⁻¹ P b
//     palReach_Solve(reach, &J);                 Z = L⁻¹ P Jᵀ
//     palReach_Gram(reach, h², W, stride);       W = h² Zᵀ Z = h² J A⁻¹ Jᵀ
//     palReach_Project(reach, y, v);             v = Zᵀ y = J A⁻¹ b
//     ... solve the contact problem for λ ...
//     palReach_Add(reach, h, lambda, y);         y += h Z λ
//     palCholesky_Backward(c, y, x);             x = Pᵀ L⁻ᵀ y = A⁻¹ (b + h Jᵀ λ)
//
// y is in elimination order with padding: it has palCholesky_RowCount entries.
//
// Single precision halves the time and the memory. Its solves have a relative error of about
// 1e-7 κ(A); palCholesky_SolveRefined reaches double precision if κ(A) is below about 1e6.
#ifndef PAL_LINALG_CHOLESKY_H
#define PAL_LINALG_CHOLESKY_H

#include "base/archive.h"
#include "linalg/front.h"

typedef struct palCholeskyDef
{
    bool singlePrecision;           // factor in float
    const palFrontKernels* kernels; // NULL: the fastest of that precision
} palCholeskyDef;

static inline palCholeskyDef palDefaultCholeskyDef(void)
{
    return (palCholeskyDef){0};
}

typedef struct palCholesky
{
    palSymbolic symbolic;
    bool isTwin; // `symbolic` is borrowed from another palCholesky
    const palFrontKernels* kernels;
    bool isFactored;    // false before the first factorisation and after one that failed
    int failedRow;      // of the last factorisation: 3 node + axis, or -1
    void* factor;       // owned: L, see symbolic.h
    void* update;       // owned: update blocks
    void* packed;       // owned: scratch of the kernels
    void* scratch;      // owned: scratch of a solve, numbers of one front
    double* rows;       // owned, [rowCount + 1]: a vector in elimination order
    double* correction; // owned, [2][3 nodeCount]: residual and correction of a refined solve
    void* many;         // owned: interleaved right-hand sides of SolveMany,
    void* local;        // owned: and their rows of one front
    size_t bytes;       // total memory, without `symbolic`
} palCholesky;

palResult palCholesky_Create(const palCholeskyDef* def, const palBlockMatrix* A,
                             palCholesky** cholesky, palError* error);
void palCholesky_Destroy(palCholesky* cholesky);

/// A second factor of the same pattern and precision. It borrows the symbolic analysis of the first
/// and must not outlive it.
palResult palCholesky_CreateTwin(const palCholesky* cholesky, palCholesky** twin, palError* error);

/// Factors A, which must have the pattern given to Create. Returns pal_errorRun and sets failedRow
/// if A is not positive definite, pal_errorInput if it has a different pattern.
palResult palCholesky_Factor(palCholesky* cholesky, const palBlockMatrix* A, palError* error);

/// Whether it is factored, which it is then of A.
void palCholesky_Archive(palCholesky* cholesky, const palBlockMatrix* A, palArchive* archive);

/// The length of a vector in elimination order.
static inline int palCholesky_RowCount(const palCholesky* cholesky)
{
    return cholesky->symbolic.rowCount;
}

/// y = L⁻¹ P b
void palCholesky_Forward(palCholesky* cholesky, const double* b, double* y);
/// x = Pᵀ L⁻ᵀ y; y is overwritten.
void palCholesky_Backward(palCholesky* cholesky, double* y, double* x);
/// x = A⁻¹ b; x may be b.
void palCholesky_Solve(palCholesky* cholesky, const double* b, double* x);

/// x = A⁻¹ b with iterative refinement: `steps` times x += (L Lᵀ)⁻¹ (b - A x). x must not be b.
/// Returns the relative residual |b - A x| / |b| in the maximum norm (0 for b = 0).
double palCholesky_SolveRefined(palCholesky* cholesky, const palBlockMatrix* A, const double* b,
                                int steps, double* x);

/// x = A⁻¹ b for `count` vectors: vector k starts at b + k·stride and x + k·stride; x may be b.
/// Computed in the precision of the factor: single precision takes half the time.
void palCholesky_SolveMany(palCholesky* cholesky, int count, const double* b, double* x,
                           size_t stride);

#endif
