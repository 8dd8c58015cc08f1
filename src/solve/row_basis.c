// SPDX-License-Identifier: Apache-2.0
#include "solve/row_basis.h"

#include <math.h>
#include <string.h>

static void subtract(int n, double s, const double* a, double* b)
{
    for (int i = 0; i < n; i++)
        b[i] -= s * a[i];
}

void palRowBasis_Place(palRowBasis* basis, int rowsMax, int columnsMax, palBlock* block)
{
    size_t rows = (size_t)rowsMax;
    size_t columns = (size_t)columnsMax;
    basis->rowsMax = rowsMax;
    basis->columnsMax = columnsMax;
    basis->V = palBlock_Take(block, rows * columns * sizeof(double));
    basis->L = palBlock_Take(block, rows * rows * sizeof(double));
    basis->residual = palBlock_Take(block, rows * columns * sizeof(double));
    basis->order = palBlock_Take(block, rows * sizeof(int));
}

void palRowBasis_Clear(palRowBasis* basis, int columns)
{
    basis->columns = columns;
    basis->rank = 0;
}

bool palRowBasis_Add(palRowBasis* basis, const double* row, double* coefficients)
{
    const int n = basis->columns;
    if (basis->rank == basis->rowsMax || basis->rank == n)
        return false;
    double* q = basis->V + (size_t)basis->rank * (size_t)n;
    memcpy(q, row, (size_t)n * sizeof *q);
    memset(coefficients, 0, (size_t)(basis->rank + 1) * sizeof *coefficients);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < basis->rank; k++)
        {
            const double* direction = palRowBasis_Direction(basis, k);
            double share = palRowBasis_Dot(n, direction, q);
            subtract(n, share, direction, q);
            coefficients[k] += share;
        }
    double length = sqrt(palRowBasis_Dot(n, q, q));
    if (!(length > PAL_DEPENDENT_SHARE * sqrt(palRowBasis_Dot(n, row, row))))
        return false;
    for (int i = 0; i < n; i++)
        q[i] /= length;
    coefficients[basis->rank++] = length;
    return true;
}

// Of the rows from `from` on, in their order, the one of which the largest share is left.
static int mostIndependent(const palRowBasis* basis, const double* B, int from, int rows)
{
    const size_t n = (size_t)basis->columns;
    int best = -1;
    double most = PAL_DEPENDENT_SHARE * PAL_DEPENDENT_SHARE;
    for (int i = from; i < rows; i++)
    {
        const double* left = basis->residual + (size_t)basis->order[i] * n;
        const double* row = B + (size_t)basis->order[i] * n;
        double whole = palRowBasis_Dot((int)n, row, row);
        double share = whole > 0.0 ? palRowBasis_Dot((int)n, left, left) / whole : 0.0;
        if (share > most)
        {
            most = share;
            best = i;
        }
    }
    return best;
}

static void exchange(palRowBasis* basis, int i, int k)
{
    int row = basis->order[i];
    basis->order[i] = basis->order[k];
    basis->order[k] = row;
    double* a = palRowBasis_Coefficients(basis, i);
    double* b = palRowBasis_Coefficients(basis, k);
    for (int j = 0; j < k; j++)
    {
        double value = a[j];
        a[j] = b[j];
        b[j] = value;
    }
}

void palRowBasis_Span(palRowBasis* basis, const double* B, int rows, int columns)
{
    const size_t n = (size_t)columns;
    palRowBasis_Clear(basis, columns);
    memcpy(basis->residual, B, (size_t)rows * n * sizeof *B);
    for (int i = 0; i < rows; i++)
        basis->order[i] = i;
    for (;;)
    {
        int k = basis->rank;
        int next = mostIndependent(basis, B, k, rows);
        if (next < 0)
            return;
        exchange(basis, next, k);
        const double* row = B + (size_t)basis->order[k] * n;
        if (!palRowBasis_Add(basis, row, palRowBasis_Coefficients(basis, k)))
            return;
        const double* direction = palRowBasis_Direction(basis, k);
        for (int i = k + 1; i < rows; i++)
        {
            double* left = basis->residual + (size_t)basis->order[i] * n;
            double share = palRowBasis_Dot(columns, direction, left);
            subtract(columns, share, direction, left);
            palRowBasis_Coefficients(basis, i)[k] = share;
        }
    }
}

void palRowBasis_Forward(const palRowBasis* basis, const double* t, double* y)
{
    for (int i = 0; i < basis->rank; i++)
    {
        const double* L = palRowBasis_Coefficients(basis, i);
        y[i] = (t[i] - palRowBasis_Dot(i, L, y)) / L[i];
    }
}

void palRowBasis_Backward(const palRowBasis* basis, const double* y, double* p)
{
    for (int i = basis->rank - 1; i >= 0; i--)
    {
        double sum = y[i];
        for (int j = i + 1; j < basis->rank; j++)
            sum -= palRowBasis_Coefficients(basis, j)[i] * p[j];
        p[i] = sum / palRowBasis_Coefficients(basis, i)[i];
    }
}
