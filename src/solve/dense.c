// SPDX-License-Identifier: Apache-2.0
#include "solve/dense.h"

#include <math.h>

enum
{
    panel = 3, // what palRowKernels.add takes in one pass
};

// Subtracts from row i, from column i on, what pivots first..last-1 have in it.
static void reduceRow(int n, double* A, size_t stride, const palRowKernels* kernels, int i,
                      int first, int last)
{
    double factors[panel];
    bool any = false; // a block-diagonal matrix has mostly nothing to do
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

int palLdl_Factor(int n, double* A, size_t stride, const palRowKernels* kernels)
{
    double largest = 0.0;
    int dropped = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, A[(size_t)i * stride + (size_t)i]);
    for (int first = 0; first < n; first += panel)
    {
        int last = first + panel < n ? first + panel : n;
        for (int k = first; k < last; k++)
        {
            reduceRow(n, A, stride, kernels, k, first, k);
            double* d = &A[(size_t)k * stride + (size_t)k];
            if (*d > 1e-12 * largest)
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
    // Uᵀ D⁻¹ y = b, then U x = y. Row k of U serves both.
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

static void swapRows(int n, double* a, double* b)
{
    for (int i = 0; i < n; i++)
    {
        double value = a[i];
        a[i] = b[i];
        b[i] = value;
    }
}

// Factors columns first..last-1 over all rows below, exchanging whole rows.
static bool factorPanel(int n, double* A, size_t stride, int first, int last, int* pivots)
{
    for (int k = first; k < last; k++)
    {
        int p = k;
        double largest = fabs(A[(size_t)k * stride + (size_t)k]);
        for (int i = k + 1; i < n; i++)
        {
            double size = fabs(A[(size_t)i * stride + (size_t)k]);
            p = size > largest ? i : p;
            largest = size > largest ? size : largest;
        }
        pivots[k] = p;
        double pivot = A[(size_t)p * stride + (size_t)k];
        if (pivot == 0.0 || !isfinite(pivot))
            return false;
        if (p != k)
            swapRows(n, A + (size_t)p * stride, A + (size_t)k * stride);
        const double* top = A + (size_t)k * stride;
        const double inverse = 1.0 / pivot;
        for (int i = k + 1; i < n; i++)
        {
            double* row = A + (size_t)i * stride;
            row[k] *= inverse;
            for (int j = k + 1; j < last; j++)
                row[j] -= row[k] * top[j];
        }
    }
    return true;
}

bool palLu_Factor(int n, double* A, size_t stride, const palRowKernels* kernels, int* pivots)
{
    for (int first = 0; first < n; first += panel)
    {
        int last = first + panel < n ? first + panel : n;
        if (!factorPanel(n, A, stride, first, last, pivots))
            return false;
        // The panel's rows among themselves, then the rows below, from column `last` on.
        for (int i = first + 1; i < n; i++)
        {
            double factors[panel];
            int count = (i < last ? i : last) - first;
            for (int k = 0; k < count; k++)
                factors[k] = -A[(size_t)i * stride + (size_t)(first + k)];
            kernels->add(n - last, count, A + (size_t)first * stride + last, stride, factors,
                         A + (size_t)i * stride + last);
        }
    }
    return true;
}

void palLu_Solve(int n, const double* LU, size_t stride, const palRowKernels* kernels,
                 const int* pivots, double* b)
{
    for (int k = 0; k < n; k++)
    {
        double value = b[pivots[k]];
        b[pivots[k]] = b[k];
        b[k] = value;
    }
    for (int k = 0; k < n; k++)
        b[k] -= kernels->dot(k, LU + (size_t)k * stride, b);
    for (int k = n - 1; k >= 0; k--)
    {
        const double* row = LU + (size_t)k * stride;
        b[k] = (b[k] - kernels->dot(n - k - 1, row + k + 1, b + k + 1)) / row[k];
    }
}
