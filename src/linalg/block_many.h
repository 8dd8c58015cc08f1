// SPDX-License-Identifier: Apache-2.0
// The product of a palBlockMatrix with many vectors, four at a time: every block is read once for
// the four, and each of its numbers multiplies a whole vector of them.
#ifndef PAL_LINALG_BLOCK_MANY_H
#define PAL_LINALG_BLOCK_MANY_H

#include "linalg/block_matrix.h"

enum
{
    pal_blockFour = 4, // vectors side by side
};

/// Y = A X, both [3 nodeCount][pal_blockFour] and apart.
typedef void palBlockProduct(const palBlockMatrix* A, const double* X, double* Y);

/// In plain C, and for AVX2 (NULL where the compiler has none). They agree to rounding.
extern palBlockProduct* const pal_blockProductPlain;
extern palBlockProduct* const pal_blockProductAvx2;

/// Numbers of `work` below.
static inline size_t palBlockMatrix_ManyWork(const palBlockMatrix* A)
{
    return 2 * (size_t)pal_blockFour * 3 * (size_t)A->nodeCount;
}

/// y = A x for `count` vectors, which begin at x + k stride and y + k stride. With `product` NULL
/// the fastest that this processor can run.
void palBlockMatrix_MultiplyMany(const palBlockMatrix* A, palBlockProduct* product, int count,
                                 const double* x, double* y, size_t stride, double* work);

#endif
