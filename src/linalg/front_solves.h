// SPDX-License-Identifier: Apache-2.0
// The solves of a front, written once: a part of front_kernels.h, which includes it.
#ifndef PAL_LINALG_FRONT_SOLVES_H
#define PAL_LINALG_FRONT_SOLVES_H

// ---------------------------------------------------------------------------------------------
// One right-hand side

static void forward(const palFront* front, const void* F, const int* rows, double* y, void* scratch)
{
    const REAL* f = F;
    REAL* t = scratch;
    size_t stride = (size_t)front->stride;
    double* own = y + front->firstRow;
    for (int i = 0; i < front->columns; i++)
        t[i] = (REAL)own[i];
    memset(t + front->columns, 0, (stride - (size_t)front->columns) * sizeof *t);
    for (int g = 0; g < front->columns; g += group)
    {
        const REAL* c0 = f + (size_t)g * stride;
        const REAL* c1 = c0 + stride;
        const REAL* c2 = c1 + stride;
        const REAL* c3 = c2 + stride;
        REAL x0 = t[g] * c0[g];
        REAL x1 = (t[g + 1] - c0[g + 1] * x0) * c1[g + 1];
        REAL x2 = (t[g + 2] - c0[g + 2] * x0 - c1[g + 2] * x1) * c2[g + 2];
        REAL x3 = (t[g + 3] - c0[g + 3] * x0 - c1[g + 3] * x1 - c2[g + 3] * x2) * c3[g + 3];
        Vec v0 = setVec(x0), v1 = setVec(x1), v2 = setVec(x2), v3 = setVec(x3);
        for (int i = (g + group) / LANES * LANES; i < front->stride; i += LANES)
        {
            Vec sum = fnmaVec(v0, loadVec(c0 + i), loadVec(t + i));
            sum = fnmaVec(v1, loadVec(c1 + i), sum);
            sum = fnmaVec(v2, loadVec(c2 + i), sum);
            storeVec(t + i, fnmaVec(v3, loadVec(c3 + i), sum));
        }
        t[g] = x0;
        t[g + 1] = x1;
        t[g + 2] = x2;
        t[g + 3] = x3;
    }
    for (int i = 0; i < front->columns; i++)
        own[i] = t[i];
    const int* below = rows + front->rowStart;
    for (int i = 0; i < front->below; i++)
        y[below[i]] += t[front->columns + i];
}

static void backward(const palFront* front, const void* F, const int* rows, double* y,
                     void* scratch)
{
    const REAL* f = F;
    REAL* t = scratch;
    size_t stride = (size_t)front->stride;
    double* own = y + front->firstRow;
    const int* below = rows + front->rowStart;
    for (int i = 0; i < front->columns; i++)
        t[i] = (REAL)own[i];
    for (int i = 0; i < front->below; i++)
        t[front->columns + i] = (REAL)y[below[i]];
    for (int i = front->columns + front->below; i < front->stride; i++)
        t[i] = (REAL)0;
    for (int g = front->columns - group; g >= 0; g -= group)
    {
        const REAL* c0 = f + (size_t)g * stride;
        const REAL* c1 = c0 + stride;
        const REAL* c2 = c1 + stride;
        const REAL* c3 = c2 + stride;
        REAL b0 = t[g], b1 = t[g + 1], b2 = t[g + 2], b3 = t[g + 3];
        // Vectors wider than the group begin in it.
        t[g] = t[g + 1] = t[g + 2] = t[g + 3] = (REAL)0;
        Vec s0 = setVec((REAL)0), s1 = s0, s2 = s0, s3 = s0;
        for (int i = (g + group) / LANES * LANES; i < front->stride; i += LANES)
        {
            Vec ti = loadVec(t + i);
            s0 = fmaVec(loadVec(c0 + i), ti, s0);
            s1 = fmaVec(loadVec(c1 + i), ti, s1);
            s2 = fmaVec(loadVec(c2 + i), ti, s2);
            s3 = fmaVec(loadVec(c3 + i), ti, s3);
        }
        t[g + 3] = (b3 - sumVec(s3)) * c3[g + 3];
        t[g + 2] = (b2 - sumVec(s2) - c2[g + 3] * t[g + 3]) * c2[g + 2];
        t[g + 1] = (b1 - sumVec(s1) - c1[g + 2] * t[g + 2] - c1[g + 3] * t[g + 3]) * c1[g + 1];
        t[g] =
            (b0 - sumVec(s0) - c0[g + 1] * t[g + 1] - c0[g + 2] * t[g + 2] - c0[g + 3] * t[g + 3]) *
            c0[g];
    }
    for (int i = 0; i < front->columns; i++)
        own[i] = t[i];
}

// ---------------------------------------------------------------------------------------------
// Many right-hand sides, side by side

INLINE void subtractRow(int wides, double* y, Wide s0, Wide s1, Wide s2)
{
    storeWide(y, subWide(loadWide(y), s0));
    if (wides > 1)
        storeWide(y + WIDE_LANES, subWide(loadWide(y + WIDE_LANES), s1));
    if (wides > 2)
        storeWide(y + 2 * WIDE_LANES, subWide(loadWide(y + 2 * WIDE_LANES), s2));
}

// Four rows y -= L X, where L's row r of column k is l[r rowStep + k step].
INLINE void rowsTile(int wides, int depth, const REAL* l, size_t rowStep, size_t step,
                     const double* X, size_t stride, double* const y[group], int at)
{
    const Wide zero = setWide(0.0);
    Wide s00 = zero, s01 = zero, s02 = zero;
    Wide s10 = zero, s11 = zero, s12 = zero;
    Wide s20 = zero, s21 = zero, s22 = zero;
    Wide s30 = zero, s31 = zero, s32 = zero;
    for (int k = 0; k < depth; k++, l += step, X += stride)
    {
        Wide x0 = loadWide(X + at);
        Wide x1 = wides > 1 ? loadWide(X + at + WIDE_LANES) : zero;
        Wide x2 = wides > 2 ? loadWide(X + at + 2 * WIDE_LANES) : zero;
        Wide lk = setWide((double)l[0]);
        s00 = fmaWide(x0, lk, s00);
        s01 = wides > 1 ? fmaWide(x1, lk, s01) : zero;
        s02 = wides > 2 ? fmaWide(x2, lk, s02) : zero;
        lk = setWide((double)l[rowStep]);
        s10 = fmaWide(x0, lk, s10);
        s11 = wides > 1 ? fmaWide(x1, lk, s11) : zero;
        s12 = wides > 2 ? fmaWide(x2, lk, s12) : zero;
        lk = setWide((double)l[2 * rowStep]);
        s20 = fmaWide(x0, lk, s20);
        s21 = wides > 1 ? fmaWide(x1, lk, s21) : zero;
        s22 = wides > 2 ? fmaWide(x2, lk, s22) : zero;
        lk = setWide((double)l[3 * rowStep]);
        s30 = fmaWide(x0, lk, s30);
        s31 = wides > 1 ? fmaWide(x1, lk, s31) : zero;
        s32 = wides > 2 ? fmaWide(x2, lk, s32) : zero;
    }
    subtractRow(wides, y[0] + at, s00, s01, s02);
    subtractRow(wides, y[1] + at, s10, s11, s12);
    subtractRow(wides, y[2] + at, s20, s21, s22);
    subtractRow(wides, y[3] + at, s30, s31, s32);
}

static void subtractRows(int width, int depth, const REAL* l, size_t rowStep, size_t step,
                         const double* X, size_t stride, double* const y[group])
{
    int at = 0;
    for (; at + 3 * WIDE_LANES <= width; at += 3 * WIDE_LANES)
        rowsTile(3, depth, l, rowStep, step, X, stride, y, at);
    if (width - at >= 2 * WIDE_LANES)
        rowsTile(2, depth, l, rowStep, step, X, stride, y, at);
    else if (width - at >= WIDE_LANES)
        rowsTile(1, depth, l, rowStep, step, X, stride, y, at);
}

// Rows of one group: x = L⁻¹ x of the 4x4 block at c, whose diagonal holds reciprocals.
static void forwardGroup(int width, const REAL* c, size_t stride, double* const x[group])
{
    for (int i = 0; i < group; i++)
        for (int at = 0; at < width; at += WIDE_LANES)
        {
            Wide sum = loadWide(x[i] + at);
            for (int k = 0; k < i; k++)
                sum = fnmaWide(setWide((double)c[(size_t)k * stride + (size_t)i]),
                               loadWide(x[k] + at), sum);
            storeWide(x[i] + at, mulWide(sum, setWide((double)c[(size_t)i * stride + (size_t)i])));
        }
}

// x = L⁻ᵀ x of the 4x4 block at c.
static void backwardGroup(int width, const REAL* c, size_t stride, double* const x[group])
{
    for (int i = group - 1; i >= 0; i--)
        for (int at = 0; at < width; at += WIDE_LANES)
        {
            Wide sum = loadWide(x[i] + at);
            for (int k = i + 1; k < group; k++)
                sum = fnmaWide(setWide((double)c[(size_t)i * stride + (size_t)k]),
                               loadWide(x[k] + at), sum);
            storeWide(x[i] + at, mulWide(sum, setWide((double)c[(size_t)i * stride + (size_t)i])));
        }
}

static void forwardMany(const palFront* front, const void* F, int width, double* X, size_t stride,
                        double* const* below)
{
    const REAL* f = F;
    size_t ld = (size_t)front->stride;
    for (int g = 0; g < front->columns; g += group)
    {
        double* row = X + (size_t)g * stride;
        double* const own[group] = {row, row + stride, row + 2 * stride, row + 3 * stride};
        if (g > 0)
            subtractRows(width, g, f + g, 1, ld, X, stride, own);
        forwardGroup(width, f + (size_t)g * ld + g, ld, own);
    }
    for (int i = 0; i < front->below; i += group)
        subtractRows(width, front->columns, f + front->columns + i, 1, ld, X, stride, below + i);
}

static void backwardMany(const palFront* front, const void* F, int width, double* X, size_t stride)
{
    const REAL* f = F;
    size_t ld = (size_t)front->stride;
    int last = front->columns + front->below;
    for (int g = front->columns - group; g >= 0; g -= group)
    {
        double* row = X + (size_t)g * stride;
        double* const own[group] = {row, row + stride, row + 2 * stride, row + 3 * stride};
        int next = g + group;
        if (last > next)
            subtractRows(width, last - next, f + (size_t)g * ld + next, ld, 1,
                         X + (size_t)next * stride, stride, own);
        backwardGroup(width, f + (size_t)g * ld + g, ld, own);
    }
}

#endif
