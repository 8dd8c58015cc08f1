// SPDX-License-Identifier: Apache-2.0
// The dense kernels of one front (linalg/symbolic.h), in double and in single precision, for AVX2
// and in plain C. They agree to rounding: AVX2 rounds a product and its sum once.
//
// F are the stored columns of a front and C its update block, in the table's precision. Vectors and
// right-hand sides are double in every table, but for those of many solves at once.
#ifndef PAL_LINALG_FRONT_H
#define PAL_LINALG_FRONT_H

#include "linalg/symbolic.h"

typedef struct palFrontKernels
{
    size_t size; // of a number of F and C, bytes
    int unit;    // that rows below are padded to

    /// F = the front's entries of A, zeros elsewhere, ones on the diagonal of the padding.
    void (*load)(const palFront* front, const palEntry* entries, const palMat3* blocks, void* F);

    /// Adds what a child hands up: to the columns F, and to the update block C of its parent.
    void (*addColumns)(const palFront* child, const palRun* runs, const void* childC,
                       const palFront* front, void* F);
    void (*addBelow)(const palFront* child, const palRun* runs, const void* childC,
                     const palFront* front, void* C);

    /// F = L1 over L2. Returns -1, or the column whose pivot is not positive and finite.
    int (*factor)(const palFront* front, void* F, void* packed);
    /// C = -L2 L2ᵀ
    void (*update)(const palFront* front, const void* F, void* C, void* packed);

    /// y = L⁻¹ y and y = L⁻ᵀ y as far as this front goes: its own rows and, forward, the rows
    /// below. `scratch` has front->stride numbers.
    void (*forward)(const palFront* front, const void* F, const int* rows, double* y,
                    void* scratch);
    void (*backward)(const palFront* front, const void* F, const int* rows, double* y,
                     void* scratch);

    /// Forward for `width` vectors side by side, a multiple of four: row i of the front's columns
    /// is X[i * stride ..], the rows below are below[i][..].
    void (*forwardMany)(const palFront* front, const void* F, int width, double* X, size_t stride,
                        double* const* below);

    /// Solves for many vectors in the table's precision: X is [rowCount + 1][width], its last row
    /// is spare, and the width a multiple of the unit. `count` vectors begin at b + k stride and
    /// x + k stride. `scratch` has width numbers for each of front->stride rows.
    void (*gatherSides)(const palSymbolic* symbolic, int count, const double* b, size_t stride,
                        int width, void* X);
    void (*forwardSides)(const palFront* front, const void* F, const int* rows, int width, void* X);
    void (*backwardSides)(const palFront* front, const void* F, const int* rows, int width, void* X,
                          void* scratch);
    void (*scatterSides)(const palSymbolic* symbolic, int count, const void* X, int width,
                         double* x, size_t stride);

    /// C -= A Aᵀ for A [m x k], lower triangle, in this precision. Row i of column j: A[i + j lda].
    /// m is a multiple of the unit.
    void (*gram)(int m, int k, const void* A, size_t lda, void* C, size_t ldc, void* packed);
} palFrontKernels;

/// The bytes of `packed` for fronts of at most `largestStride` rows, whatever the table.
size_t palFrontKernels_PackedSize(int largestStride);

extern const palFrontKernels pal_frontDouble;
extern const palFrontKernels pal_frontFloat;
extern const palFrontKernels pal_frontDoubleAvx2;
extern const palFrontKernels pal_frontFloatAvx2;

/// The fastest that this processor can run.
const palFrontKernels* palFrontKernels_Double(void);
const palFrontKernels* palFrontKernels_Float(void);

#endif
