// SPDX-License-Identifier: Apache-2.0
// The columns of an island's space as modes (body/gram.h). Some columns are units, with one number
// each: their products are looked up. The others have rows on every body of the island.
#ifndef PAL_BODY_REDUCTION_H
#define PAL_BODY_REDUCTION_H

#include "linalg/block_matrix.h"

/// One body's rows of the dense columns, [denseCount][3 nodes]: V of length 1 in M over all bodies,
/// K V, and M^½ V. All borrowed.
typedef struct palReducedBody
{
    const palBlockMatrix* K;
    const double* V;
    const double* KV;
    const double* W;
} palReducedBody;

typedef struct palReduction
{
    int bodyCount;
    const palReducedBody* bodies; // borrowed, [bodyCount], like all below

    // Units: row unitRow[j] of body unitBody[j] is unitScale[j], so that it has length 1 in M.
    int unitCount;
    const int* unitBody;
    const int* unitRow;
    const double* unitScale;

    int denseCount;
    double* work; // [palReduction_WorkSize()]
} palReduction;

/// Numbers of `work`.
size_t palReduction_WorkSize(void);

/// turn [columns][modes], row by row, units first: mode i is Σ turn[j][i] times column j; and its
/// eigenvalue k[i], ascending. Returns how many modes there are; dependent directions are dropped.
/// 0 where the columns are not finite.
int palReduction_Diagonalise(const palReduction* reduction, double* turn, double* k);

/// The share of each mode on one body, after Diagonalise: of its mass (all bodies together 1) and
/// of its stiffness k, [modes] each.
void palReduction_Shares(const palReduction* reduction, int body, const double* turn, int modes,
                         double* mass, double* stiffness);

#endif
