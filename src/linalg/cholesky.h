// SPDX-License-Identifier: Apache-2.0
// A = Pᵀ L Lᵀ P of a symmetric positive definite palBlockMatrix.
//
// Create analyses the pattern (linalg/symbolic.h) and allocates everything. Factor and the solves
// allocate nothing, take the same work every time, and give the same bits every time. One thread
// works with a palCholesky at a time.
//
// One step of a body in contact, with one forward and one backward solve in all (linalg/reach.h):
//
//     palCholesky_Factor(c, &A, &error);
//     palCholesky_Forward(c, b, y);              y = L⁻¹ P b
//     palReach_Solve(reach, &J);                 Z = L⁻¹ P Jᵀ
//     palReach_Gram(reach, h², W, stride);       W = h² Zᵀ Z = h² J A⁻¹ Jᵀ
//     palReach_Project(reach, y, v);             v = Zᵀ y = J A⁻¹ b
//     ... find λ ...
//     palReach_Add(reach, h, lambda, y);         y += h Z λ
//     palCholesky_Backward(c, y, x);             x = Pᵀ L⁻ᵀ y = A⁻¹ (b + h Jᵀ λ)
//
// y is in the order of elimination with padding: it has palCholesky_RowCount numbers.
//
// Single precision halves the time and the memory. Its solves are right to about 1e-7 κ(A);
// palCholesky_SolveRefined brings them to double precision while κ(A) is below about 1e6.
#ifndef PAL_LINALG_CHOLESKY_H
#define PAL_LINALG_CHOLESKY_H

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
    bool isTwin; // the lists of the analysis are another's
    const palFrontKernels* kernels;
    bool isFactored;    // false before the first factorisation and after one that failed
    int failedRow;      // of the last factorisation: 3 node + axis, or -1
    void* factor;       // owned: L, see symbolic.h
    void* update;       // owned: update blocks
    void* packed;       // owned: scratch of the kernels
    void* scratch;      // owned: scratch of a solve, numbers of one front
    double* rows;       // owned, [rowCount + 1]: a vector in the order of elimination
    double* correction; // owned, [2][3 nodeCount]: of a refined solve
    void* many;         // owned: right-hand sides side by side,
    void* local;        // owned: and those of one front
    size_t bytes;       // of memory in all, without the lists of the analysis
} palCholesky;

palResult palCholesky_Create(const palCholeskyDef* def, const palBlockMatrix* A,
                             palCholesky** cholesky, palError* error);
void palCholesky_Destroy(palCholesky* cholesky);

/// A second factor of the same pattern and precision, which borrows the analysis of the first: it
/// must not outlive it.
palResult palCholesky_CreateTwin(const palCholesky* cholesky, palCholesky** twin, palError* error);

/// Factors A, whose pattern must be the one of Create. A matrix that is not positive definite is
/// pal_errorRun and sets failedRow; one of another pattern is pal_errorInput.
palResult palCholesky_Factor(palCholesky* cholesky, const palBlockMatrix* A, palError* error);

/// Numbers of a vector in the order of elimination.
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

/// x = A⁻¹ b with iterative refinement: `steps` times x += (L Lᵀ)⁻¹ (b - A x). x is not b. Returns
/// the residual |b - A x| / |b| of the result, largest entries (0 for b = 0).
double palCholesky_SolveRefined(palCholesky* cholesky, const palBlockMatrix* A, const double* b,
                                int steps, double* x);

/// x = A⁻¹ b for `count` vectors: vector k starts at b + k·stride and x + k·stride; x may be b. In
/// the precision of the factor throughout: single precision takes half the time.
void palCholesky_SolveMany(palCholesky* cholesky, int count, const double* b, double* x,
                           size_t stride);

#endif
