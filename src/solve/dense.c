// SPDX-License-Identifier: Apache-2.0
#include "solve/dense.h"

#include <math.h>

enum
{
    panel = 3,   // rows that palRowKernels.add processes in one pass
    luPanel = 4, // the number of doubles in an AVX2 vector
};

// Eliminates pivots first..last-1 from row i, from column i on.
static void reduceRow(int n, double* A, size_t stride, const palRowKernels* kernels, int i,
                      int first, int last)
{
    double factors[panel];
    bool any = false; // in a block-diagonal matrix most factors are zero
    for (int k = first; k < last; k++)
    {
        double d = A[(size_t)k * stride + (size_t)k];
        factors[k - first] = d > 0.0 ? -A[(size_t)k * stride + (size_t)i] / d : 0.0;
        any |= factors[k - first] != 0.0;
    }
    if (any)
        kernels->add(n - i, last - first, A + (size_t)first * stride + i, stride, factors,
                     A + (size_t)i * stride + i);
}

// A pivot smaller than this fraction of its diagonal entry is rounding error: the row is linearly
// dependent.
static const double relativePivotMin = 1e-12;

int palLdl_Factor(int n, double* A, size_t stride, const palRowKernels* kernels)
{
    int dropped = 0;
    // The first column below the diagonal, otherwise unused, stores the original diagonal.
    for (int i = 1; i < n; i++)
        A[(size_t)i * stride] = A[(size_t)i * stride + (size_t)i];
    for (int first = 0; first < n; first += panel)
    {
        int last = first + panel < n ? first + panel : n;
        for (int k = first; k < last; k++)
        {
            reduceRow(n, A, stride, kernels, k, first, k);
            double* d = &A[(size_t)k * stride + (size_t)k];
            if (*d > relativePivotMin * A[(size_t)k * stride])
                continue;
            *d = 0.0;
            dropped++;
        }
        for (int i = last; i < n; i++)
            reduceRow(n, A, stride, kernels, i, first, last);
    }
    return dropped;
}

void palLdl_Solve(int n, const double* U, size_t stride, const palRowKernels* kernels, double* b)
{
    // Solve Uᵀ D⁻¹ y = b, then U x = y; both use row k of U.
    for (int k = 0; k < n; k++)
    {
        const double* row = U + (size_t)k * stride;
        double factor = row[k] > 0.0 ? -b[k] / row[k] : 0.0;
        if (k + 1 < n)
            kernels->add(n - k - 1, 1, row + k + 1, stride, &factor, b + k + 1);
    }
    for (int k = n - 1; k >= 0; k--)
    {
        const double* row = U + (size_t)k * stride;
        b[k] =
            row[k] > 0.0 ? (b[k] - kernels->dot(n - k - 1, row + k + 1, b + k + 1)) / row[k] : 0.0;
    }
}

// Column pivoting: exchanges column k with one whose entry in row k is large. An entry of a tenth
// of the row's largest is accepted without exchange (threshold pivoting, as in sparse LU), because
// an exchange touches all rows.
static bool choosePivot(int n, double* A, size_t stride, const palRowKernels* kernels, int k,
                        int* pivots)
{
    const double threshold = 0.1;
    const double* row = A + (size_t)k * stride;
    double largest = kernels->largest(n - k, row + k);
    int p = k;
    if (!(fabs(row[k]) >= threshold * largest))
        for (p = k; p < n - 1 && fabs(row[p]) < largest; p++)
            continue;
    pivots[k] = p;
    for (int i = 0; i < n && p != k; i++)
    {
        double* other = A + (size_t)i * stride;
        double value = other[k];
        other[k] = other[p];
        other[p] = value;
    }
    return row[k] != 0.0 && isfinite(row[k]);
}

// Factors rows first..last-1 of a panel.
static bool factorPanel(int n, double* A, size_t stride, const palRowKernels* kernels, int first,
                        int last, int* pivots)
{
    for (int k = first; k < last; k++)
    {
        if (!choosePivot(n, A, stride, kernels, k, pivots))
            return false;
        double* row = A + (size_t)k * stride;
        for (int i = k + 1; i < last; i++)
        {
            double* below = A + (size_t)i * stride;
            below[k] /= row[k];
            double factor = -below[k];
            kernels->add(palLu_Stride(n) - k - 1, 1, row + k + 1, stride, &factor, below + k + 1);
        }
    }
    return true;
}

// The diagonal block of a panel: U with the diagonal inverted.
typedef struct palCorner
{
    double U[luPanel][luPanel];
} palCorner;

static palCorner makeCorner(const double* A, size_t stride, int first)
{
    palCorner corner;
    for (int k = 0; k < luPanel; k++)
    {
        const double* row = A + (size_t)(first + k) * stride + first;
        for (int j = 0; j < luPanel; j++)
            corner.U[k][j] = j == k ? 1.0 / row[k] : row[j];
    }
    return corner;
}

// Computes L of a row below the panel, in place of its entries in the panel's columns; `factors`
// receives -L.
static inline void reduceBelow(const palCorner* corner, double* row, double* factors)
{
#pragma GCC unroll 4
    for (int k = 0; k < luPanel; k++)
    {
        double sum = row[k];
#pragma GCC unroll 4
        for (int m = 0; m < k; m++)
            sum += factors[m] * corner->U[m][k];
        row[k] = sum * corner->U[k][k];
        factors[k] = -row[k];
    }
}

bool palLu_Factor(int n, double* A, size_t stride, const palRowKernels* kernels, int* pivots)
{
    int wide = palLu_Stride(n);
    for (int first = 0; first < n; first += luPanel)
    {
        int last = first + luPanel < n ? first + luPanel : n;
        if (!factorPanel(n, A, stride, kernels, first, last, pivots))
            return false;
        if (last == n)
            break;
        // The rows below: four at a time, then the remaining ones.
        palCorner corner = makeCorner(A, stride, first);
        double factors[4 * luPanel];
        const double* W = A + (size_t)first * stride + last;
        int i = last;
        for (; i + 4 <= n; i += 4)
        {
            double* Y = A + (size_t)i * stride;
            for (int r = 0; r < 4; r++)
                reduceBelow(&corner, Y + (size_t)r * stride + first, factors + r * luPanel);
            kernels->addFour(wide - last, luPanel, W, stride, factors, Y + last);
        }
        for (; i < n; i++)
        {
            reduceBelow(&corner, A + (size_t)i * stride + first, factors);
            kernels->add(wide - last, luPanel, W, stride, factors, A + (size_t)i * stride + last);
        }
    }
    return true;
}

void palLu_Solve(int n, const double* LU, size_t stride, const palRowKernels* kernels,
                 const int* pivots, double* b)
{
    for (int k = 0; k < n; k++)
        b[k] -= kernels->dot(k, LU + (size_t)k * stride, b);
    for (int k = n - 1; k >= 0; k--)
    {
        const double* row = LU + (size_t)k * stride;
        b[k] = (b[k] - kernels->dot(n - k - 1, row + k + 1, b + k + 1)) / row[k];
    }
    for (int k = n - 1; k >= 0; k--)
    {
        double value = b[pivots[k]];
        b[pivots[k]] = b[k];
        b[k] = value;
    }
}

// The share of a row's compliance that the rows before it must leave.
static const double ownShare = 0.01;

int palPickIndependent(int count, const double* W, size_t stride, double* factor,
                       size_t factorStride, int* order)
{
    int kept = 0;
    for (int k = 0; k < count; k++)
    {
        // One more row of Cholesky's factor, if its pivot is large enough.
        int row = order[k];
        double* mine = factor + (size_t)kept * factorStride;
        double pivot = W[(size_t)row * stride + (size_t)row];
        double least = ownShare * pivot;
        for (int i = 0; i < kept; i++)
        {
            const double* its = factor + (size_t)i * factorStride;
            mine[i] = W[(size_t)row * stride + (size_t)order[i]];
            for (int j = 0; j < i; j++)
                mine[i] -= mine[j] * its[j];
            mine[i] /= its[i];
            pivot -= mine[i] * mine[i];
        }
        if (!(pivot > least))
            continue;
        mine[kept] = sqrt(pivot);
        order[kept++] = row;
    }
    return kept;
}
