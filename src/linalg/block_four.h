// SPDX-License-Identifier: Apache-2.0
// The product with four vectors (block_many.h), shared by the scalar and the AVX2 version:
// block_many.c and block_many_avx2.c define WIDE_LANES, Wide, loadWide, storeWide, setWide and
// fmaWide (front_wide.h) and include this file.
#ifndef PAL_LINALG_BLOCK_FOUR_H
#define PAL_LINALG_BLOCK_FOUR_H

#include "linalg/block_many.h"

// y += m0 x0 + m1 x1 + m2 x2
static inline Wide addThree(Wide y, double m0, double m1, double m2, const Wide* x)
{
    y = fmaWide(setWide(m0), x[0], y);
    y = fmaWide(setWide(m1), x[1], y);
    return fmaWide(setWide(m2), x[2], y);
}

// Multiplies WIDE_LANES of the four vectors. The transposed blocks add to earlier rows, which have
// been initialised already.
static void multiplyLanes(const palBlockMatrix* A, const double* X, double* Y)
{
    for (int i = 0; i < A->nodeCount; i++)
    {
        const double* xi = X + 3 * pal_blockFour * (size_t)i;
        double* yi = Y + 3 * pal_blockFour * (size_t)i;
        Wide rowX[3], sum[3];
        for (int a = 0; a < 3; a++)
        {
            rowX[a] = loadWide(xi + a * pal_blockFour);
            sum[a] = setWide(0.0);
        }
        int diagonal = A->rowStart[i + 1] - 1;
        for (int k = A->rowStart[i]; k < diagonal; k++)
        {
            const double(*m)[3] = A->blocks[k].m;
            const double* xj = X + 3 * pal_blockFour * (size_t)A->columns[k];
            double* yj = Y + 3 * pal_blockFour * (size_t)A->columns[k];
            Wide columnX[3];
            for (int a = 0; a < 3; a++)
                columnX[a] = loadWide(xj + a * pal_blockFour);
            for (int a = 0; a < 3; a++)
            {
                double* y = yj + a * pal_blockFour;
                sum[a] = addThree(sum[a], m[a][0], m[a][1], m[a][2], columnX);
                storeWide(y, addThree(loadWide(y), m[0][a], m[1][a], m[2][a], rowX));
            }
        }
        const double(*d)[3] = A->blocks[diagonal].m;
        for (int a = 0; a < 3; a++)
            storeWide(yi + a * pal_blockFour, addThree(sum[a], d[a][0], d[a][1], d[a][2], rowX));
    }
}

static void multiplyFour(const palBlockMatrix* A, const double* X, double* Y)
{
    for (int lane = 0; lane < pal_blockFour; lane += WIDE_LANES)
        multiplyLanes(A, X + lane, Y + lane);
}

#endif
