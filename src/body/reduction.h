// SPDX-License-Identifier: Apache-2.0
// The columns of a response's space as modes (body/gram.h). Some columns are units, with one number
// each: their products are looked up.
#ifndef PAL_BODY_REDUCTION_H
#define PAL_BODY_REDUCTION_H

#include "linalg/block_matrix.h"

typedef struct palReduction
{
    const palBlockMatrix* K; // all borrowed

    // Units: row unitRow[j] is unitScale[j], so that it has length 1 in M.
    int unitCount;
    const int* unitRow;
    const double* unitScale;

    // Dense columns, [denseCount][3 nodes]: V of length 1 in M, K V, and M^½ V.
    int denseCount;
    const double* V;
    const double* KV;
    const double* W;

    double* work; // [palReduction_WorkSize()]
} palReduction;

/// Numbers of `work`.
size_t palReduction_WorkSize(void);

/// turn [columns][modes], row by row, units first: mode i is Σ turn[j][i] times column j; and its
/// eigenvalue k[i], ascending. Returns how many modes there are; dependent directions are dropped.
/// 0 where the columns are not finite.
int palReduction_Diagonalise(const palReduction* reduction, double* turn, double* k);

#endif
