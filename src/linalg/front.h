// SPDX-License-Identifier: Apache-2.0
// The dense kernels of one front (linalg/symbolic.h), in double and in single precision, for AVX2
// and in plain C. They agree to rounding: AVX2 rounds a product and its sum once.
//
// F are the stored columns of a front and C its update block, in the table's precision. Vectors and
// right-hand sides are double in every table, except in gatherSides .. scatterSides.
#ifndef PAL_LINALG_FRONT_H
#define PAL_LINALG_FRONT_H

#include "linalg/symbolic.h"

typedef struct palFrontKernels
{
    size_t size; // bytes of an entry of F and C
    int unit;    // the number of rows below is padded to a multiple of this

    /// F = the front's entries of A, zeros elsewhere, ones on the diagonal of the padding.
    void (*load)(const palFront* front, const palEntry* entries, const palMat3* blocks, void* F);

    /// Adds a child's update block (extend-add): to the parent's columns F, and to its update block
    /// C.
    void (*addColumns)(const palFront* child, const palRun* runs, const void* childC,
                       const palFront* front, void* F);
    void (*addBelow)(const palFront* child, const palRun* runs, const void* childC,
                     const palFront* front, void* C);

    /// F = L1 over L2. Returns -1, or the column whose pivot is not positive and finite.
    int (*factor)(const palFront* front, void* F, void* packed);
    /// C = -L2 L2ᵀ
    void (*update)(const palFront* front, const void* F, void* C, void* packed);

    /// This front's part of y = L⁻¹ y and y = L⁻ᵀ y: updates its pivot rows and, forward, the rows
    /// below. `scratch` has front->stride entries.
    void (*forward)(const palFront* front, const void* F, const int* rows, double* y,
                    void* scratch);
    void (*backward)(const palFront* front, const void* F, const int* rows, double* y,
                     void* scratch);

    /// Forward for `width` interleaved vectors, a multiple of four: pivot row i of the front is
    /// X[i * stride ..], the rows below are below[i][..].
    void (*forwardMany)(const palFront* front, const void* F, int width, double* X, size_t stride,
                        double* const* below);

    /// Solves for many vectors in the table's precision: X is [rowCount + 1][width], its last row
    /// takes the padding, and the width is a multiple of the unit. `count` vectors start at
    /// b + k stride and x + k stride. `scratch` is [front->stride][width].
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

/// The bytes of `packed` for fronts of at most `largestStride` rows, for any table.
size_t palFrontKernels_PackedSize(int largestStride);

extern const palFrontKernels pal_frontDouble;
extern const palFrontKernels pal_frontFloat;
extern const palFrontKernels pal_frontDoubleAvx2;
extern const palFrontKernels pal_frontFloatAvx2;

/// The fastest table that this processor supports.
const palFrontKernels* palFrontKernels_Double(void);
const palFrontKernels* palFrontKernels_Float(void);

#endif
