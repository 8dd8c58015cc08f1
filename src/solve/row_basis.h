// SPDX-License-Identifier: Apache-2.0
// An orthonormal basis of the rows of a small matrix, B = L V with V Vᵀ = 1, which tells its rank:
// Gram-Schmidt, each row twice, so that V is orthonormal to rounding however nearly the rows depend
// on each other. From it follow projections on the row space and solutions of least squares.
//
// Rows are added one by one, or all at once with the most independent first: then rows that nearly
// depend on each other add no direction that is only rounding.
//
// Real-time: bounded, without allocation.
#ifndef PAL_SOLVE_ROW_BASIS_H
#define PAL_SOLVE_ROW_BASIS_H

#include "base/block.h"

#include <stdbool.h>

/// A row is dependent if less than this share of it is left beside the others: rounding of a row is
/// 10⁻¹⁶ of it.
#define PAL_DEPENDENT_SHARE 1e-13

typedef struct palRowBasis
{
    int rowsMax;
    int columnsMax;
    int columns;
    int rank;
    double* V;        // borrowed, [rank][columns]
    double* L;        // borrowed, [rowsMax][rowsMax]: row i of B is the sum of L[i][k] V[k]
    double* residual; // borrowed, [rowsMax][columns], scratch of palRowBasis_Span
    int* order;       // borrowed, [rowsMax]: the rows in the order in which they were taken
} palRowBasis;

/// a·b, in four sums that do not wait for each other.
static inline double palRowBasis_Dot(int n, const double* a, const double* b)
{
    double sums[4] = {0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            sums[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Takes the arrays out of a block (base/block.h).
void palRowBasis_Place(palRowBasis* basis, int rowsMax, int columnsMax, palBlock* block);

/// Begins anew, for rows of so many columns.
void palRowBasis_Clear(palRowBasis* basis, int columns);

/// Adds a row; `coefficients`, [rank + 1], receives its row of L. Returns false, and adds nothing,
/// if the row depends on those that are in.
bool palRowBasis_Add(palRowBasis* basis, const double* row, double* coefficients);

/// Spans the rows of B, [rows][columns], the most independent first. `order` then has all rows,
/// those that span first, and L is in that order: lower triangular in its first `rank` rows.
void palRowBasis_Span(palRowBasis* basis, const double* B, int rows, int columns);

/// y of L y = t, by the first `rank` rows of L.
void palRowBasis_Forward(const palRowBasis* basis, const double* t, double* y);

/// p of Lᵀ p = y, by the first `rank` rows of L.
void palRowBasis_Backward(const palRowBasis* basis, const double* y, double* p);

static inline const double* palRowBasis_Direction(const palRowBasis* basis, int k)
{
    return basis->V + (size_t)k * (size_t)basis->columns;
}

static inline double* palRowBasis_Coefficients(const palRowBasis* basis, int row)
{
    return basis->L + (size_t)row * (size_t)basis->rowsMax;
}

#endif
