// SPDX-License-Identifier: Apache-2.0
#include "solve/rows.h"

#include <math.h>

static void addScalar(int n, int count, const double* W, size_t stride, const double* a, double* y)
{
    // Three rows at a time: the rows of a contact share one pass over y.
    int k = 0;
    for (; k + 3 <= count; k += 3)
    {
        const double* w0 = W + (size_t)k * stride;
        const double* w1 = w0 + stride;
        const double* w2 = w1 + stride;
        for (int i = 0; i < n; i++)
            y[i] += a[k] * w0[i] + a[k + 1] * w1[i] + a[k + 2] * w2[i];
    }
    for (; k < count; k++)
    {
        const double* w = W + (size_t)k * stride;
        for (int i = 0; i < n; i++)
            y[i] += a[k] * w[i];
    }
}

static void addFourScalar(int n, int count, const double* W, size_t stride, const double* a,
                          double* Y)
{
    for (int r = 0; r < 4; r++)
        addScalar(n, count, W, stride, a + r * count, Y + (size_t)r * stride);
}

static double dotScalar(int n, const double* a, const double* b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double largestScalar(int n, const double* a)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fabs(a[i]) > largest ? fabs(a[i]) : largest;
    return largest;
}

const palRowKernels pal_rowsScalar = {
    .add = addScalar, .addFour = addFourScalar, .dot = dotScalar, .largest = largestScalar};

const palRowKernels* palRowKernels_Best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &pal_rowsAvx2;
#endif
    return &pal_rowsScalar;
}
