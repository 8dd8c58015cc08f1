// SPDX-License-Identifier: Apache-2.0
// The product of a palBlockMatrix with many vectors, four at a time: each block is read once per
// four vectors, and each of its entries multiplies a SIMD vector with one component of all four.
#ifndef PAL_LINALG_BLOCK_MANY_H
#define PAL_LINALG_BLOCK_MANY_H

#include "linalg/block_matrix.h"

enum
{
    pal_blockFour = 4, // vectors, interleaved
};

/// Y = A X, both [3 nodeCount][pal_blockFour], not overlapping.
typedef void palBlockProduct(const palBlockMatrix* A, const double* X, double* Y);

/// In plain C, and for AVX2 (NULL if the compiler does not support it). They agree to rounding.
extern palBlockProduct* const pal_blockProductPlain;
extern palBlockProduct* const pal_blockProductAvx2;

/// The number of doubles in `work` below.
static inline size_t palBlockMatrix_ManyWork(const palBlockMatrix* A)
{
    return 2 * (size_t)pal_blockFour * 3 * (size_t)A->nodeCount;
}

/// y = A x for `count` vectors, which start at x + k stride and y + k stride. If `product` is NULL,
/// the fastest version that this processor supports is used.
void palBlockMatrix_MultiplyMany(const palBlockMatrix* A, palBlockProduct* product, int count,
                                 const double* x, double* y, size_t stride, double* work);

#endif
