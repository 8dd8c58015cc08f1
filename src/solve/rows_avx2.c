// SPDX-License-Identifier: Apache-2.0
// The row kernels for AVX2 and FMA; the scalar versions are in rows.c.
#include "solve/rows.h"

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

static void addOne(int n, const double* w, double a, double* y)
{
    __m256d va = _mm256_set1_pd(a);
    int i = 0;
    for (; i + 4 <= n; i += 4)
        _mm256_storeu_pd(y + i,
                         _mm256_fmadd_pd(va, _mm256_loadu_pd(w + i), _mm256_loadu_pd(y + i)));
    for (; i < n; i++)
        y[i] = __builtin_fma(a, w[i], y[i]);
}

static void addTwo(int n, const double* w, size_t stride, const double* a, double* y)
{
    const double* v = w + stride;
    __m256d a0 = _mm256_set1_pd(a[0]);
    __m256d a1 = _mm256_set1_pd(a[1]);
    int i = 0;
    for (; i + 4 <= n; i += 4)
    {
        __m256d sum = _mm256_fmadd_pd(a0, _mm256_loadu_pd(w + i), _mm256_loadu_pd(y + i));
        _mm256_storeu_pd(y + i, _mm256_fmadd_pd(a1, _mm256_loadu_pd(v + i), sum));
    }
    for (; i < n; i++)
        y[i] = __builtin_fma(a[1], v[i], __builtin_fma(a[0], w[i], y[i]));
}

static void addThree(int n, const double* w, size_t stride, const double* a, double* y)
{
    const double* v = w + stride;
    const double* u = v + stride;
    __m256d a0 = _mm256_set1_pd(a[0]);
    __m256d a1 = _mm256_set1_pd(a[1]);
    __m256d a2 = _mm256_set1_pd(a[2]);
    int i = 0;
    for (; i + 4 <= n; i += 4)
    {
        __m256d sum = _mm256_fmadd_pd(a0, _mm256_loadu_pd(w + i), _mm256_loadu_pd(y + i));
        sum = _mm256_fmadd_pd(a1, _mm256_loadu_pd(v + i), sum);
        _mm256_storeu_pd(y + i, _mm256_fmadd_pd(a2, _mm256_loadu_pd(u + i), sum));
    }
    for (; i < n; i++)
    {
        double sum = __builtin_fma(a[1], v[i], __builtin_fma(a[0], w[i], y[i]));
        y[i] = __builtin_fma(a[2], u[i], sum);
    }
}

static void addAvx2(int n, int count, const double* W, size_t stride, const double* a, double* y)
{
    int k = 0;
    for (; k + 3 <= count; k += 3)
        addThree(n, W + (size_t)k * stride, stride, a + k, y);
    if (count - k == 2)
        addTwo(n, W + (size_t)k * stride, stride, a + k, y);
    else if (count - k == 1)
        addOne(n, W + (size_t)k * stride, a[k], y);
}

// v vectors of each of four rows of Y stay in registers during the loop over W. The loops over rows
// and vectors must be unrolled for that.
static inline __attribute__((always_inline)) void addTile(const int v, int count, const double* W,
                                                          size_t stride, const double* a, double* Y)
{
    __m256d y[4][2];
#pragma GCC unroll 4
    for (int r = 0; r < 4; r++)
#pragma GCC unroll 2
        for (int c = 0; c < v; c++)
            y[r][c] = _mm256_loadu_pd(Y + (size_t)r * stride + 4 * c);
    for (int k = 0; k < count; k++, W += stride)
    {
#pragma GCC unroll 4
        for (int r = 0; r < 4; r++)
        {
            __m256d factor = _mm256_broadcast_sd(a + r * count + k);
#pragma GCC unroll 2
            for (int c = 0; c < v; c++)
                y[r][c] = _mm256_fmadd_pd(factor, _mm256_loadu_pd(W + 4 * c), y[r][c]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < 4; r++)
#pragma GCC unroll 2
        for (int c = 0; c < v; c++)
            _mm256_storeu_pd(Y + (size_t)r * stride + 4 * c, y[r][c]);
}

static void addFourAvx2(int n, int count, const double* W, size_t stride, const double* a,
                        double* Y)
{
    int i = 0;
    for (; i + 8 <= n; i += 8)
        addTile(2, count, W + i, stride, a, Y + i);
    for (; i + 4 <= n; i += 4)
        addTile(1, count, W + i, stride, a, Y + i);
    for (; i < n; i++)
        for (int r = 0; r < 4; r++)
            for (int k = 0; k < count; k++)
                Y[(size_t)r * stride + (size_t)i] =
                    __builtin_fma(a[r * count + k], W[(size_t)k * stride + (size_t)i],
                                  Y[(size_t)r * stride + (size_t)i]);
}

static double dotAvx2(int n, const double* a, const double* b)
{
    // Four independent sums hide the latency of the fused multiply-add.
    __m256d sum[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(),
                      _mm256_setzero_pd()};
    int i = 0;
    for (; i + 16 <= n; i += 16)
        for (int k = 0; k < 4; k++)
            sum[k] = _mm256_fmadd_pd(_mm256_loadu_pd(a + i + 4 * k), _mm256_loadu_pd(b + i + 4 * k),
                                     sum[k]);
    for (; i + 4 <= n; i += 4)
        sum[0] = _mm256_fmadd_pd(_mm256_loadu_pd(a + i), _mm256_loadu_pd(b + i), sum[0]);
    __m256d all = _mm256_add_pd(_mm256_add_pd(sum[0], sum[1]), _mm256_add_pd(sum[2], sum[3]));
    double lanes[4];
    _mm256_storeu_pd(lanes, all);
    double total = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    for (; i < n; i++)
        total = __builtin_fma(a[i], b[i], total);
    return total;
}

static double largestAvx2(int n, const double* a)
{
    const __m256d sign = _mm256_set1_pd(-0.0);
    __m256d largest = _mm256_setzero_pd();
    int i = 0;
    for (; i + 4 <= n; i += 4)
        largest = _mm256_max_pd(_mm256_andnot_pd(sign, _mm256_loadu_pd(a + i)), largest);
    double lanes[4];
    _mm256_storeu_pd(lanes, largest);
    double total = 0.0;
    for (int k = 0; k < 4; k++)
        total = lanes[k] > total ? lanes[k] : total;
    for (; i < n; i++)
        total = __builtin_fabs(a[i]) > total ? __builtin_fabs(a[i]) : total;
    return total;
}

const palRowKernels pal_rowsAvx2 = {
    .add = addAvx2, .addFour = addFourAvx2, .dot = dotAvx2, .largest = largestAvx2};

#else

const palRowKernels pal_rowsAvx2 = {0};

#endif
