// SPDX-License-Identifier: Apache-2.0
#include "linalg/block_many.h"

#define REAL       double
#define WIDE_LANES 1

#include "linalg/front_plain.h"

#include "linalg/block_four.h"

palBlockProduct* const pal_blockProductPlain = multiplyFour;

static palBlockProduct* fastest(void)
{
#if defined(__x86_64__)
    if (pal_blockProductAvx2 != NULL && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma"))
        return pal_blockProductAvx2;
#endif
    return pal_blockProductPlain;
}

void palBlockMatrix_MultiplyMany(const palBlockMatrix* A, palBlockProduct* product, int count,
                                 const double* x, double* y, size_t stride, double* work)
{
    size_t n = 3 * (size_t)A->nodeCount;
    double* X = work;
    double* Y = work + pal_blockFour * n;
    palBlockProduct* multiply = product != NULL ? product : fastest();
    for (int first = 0; first < count; first += pal_blockFour)
    {
        // An incomplete last group is filled up with copies of the last vector.
        size_t at[pal_blockFour];
        int groupSize = count - first < pal_blockFour ? count - first : pal_blockFour;
        for (int k = 0; k < pal_blockFour; k++)
            at[k] = (size_t)(first + (k < groupSize ? k : groupSize - 1)) * stride;
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < pal_blockFour; k++)
                X[pal_blockFour * i + (size_t)k] = x[at[k] + i];
        multiply(A, X, Y);
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < pal_blockFour; k++)
                y[at[k] + i] = Y[pal_blockFour * i + (size_t)k];
    }
}
