// SPDX-License-Identifier: Apache-2.0
// The forward solve of a front for many interleaved right-hand sides. front_solves.h includes this
// file once for each precision of the right-hand sides, with
//
//     SIDE, SIDE_LANES         the number type of the right-hand sides, and how many a vector holds
//     Side                     a vector of them
//     loadSide storeSide setSide subSide mulSide fmaSide fnmaSide, as in front_kernels.h
//     OF(name)                 the function name for this precision

INLINE void OF(subtractRow)(int wides, SIDE* y, Side s0, Side s1, Side s2)
{
    storeSide(y, subSide(loadSide(y), s0));
    if (wides > 1)
        storeSide(y + SIDE_LANES, subSide(loadSide(y + SIDE_LANES), s1));
    if (wides > 2)
        storeSide(y + 2 * SIDE_LANES, subSide(loadSide(y + 2 * SIDE_LANES), s2));
}

// Four rows y -= L X; the entry of L in row r, column k is l[r rowStep + k step].
INLINE void OF(rowsTile)(int wides, int depth, const REAL* l, size_t rowStep, size_t step,
                         const SIDE* X, size_t stride, SIDE* const y[group], int at)
{
    const Side zero = setSide((SIDE)0);
    Side s00 = zero, s01 = zero, s02 = zero;
    Side s10 = zero, s11 = zero, s12 = zero;
    Side s20 = zero, s21 = zero, s22 = zero;
    Side s30 = zero, s31 = zero, s32 = zero;
    for (int k = 0; k < depth; k++, l += step, X += stride)
    {
        Side x0 = loadSide(X + at);
        Side x1 = wides > 1 ? loadSide(X + at + SIDE_LANES) : zero;
        Side x2 = wides > 2 ? loadSide(X + at + 2 * SIDE_LANES) : zero;
        Side lk = setSide((SIDE)l[0]);
        s00 = fmaSide(x0, lk, s00);
        s01 = wides > 1 ? fmaSide(x1, lk, s01) : zero;
        s02 = wides > 2 ? fmaSide(x2, lk, s02) : zero;
        lk = setSide((SIDE)l[rowStep]);
        s10 = fmaSide(x0, lk, s10);
        s11 = wides > 1 ? fmaSide(x1, lk, s11) : zero;
        s12 = wides > 2 ? fmaSide(x2, lk, s12) : zero;
        lk = setSide((SIDE)l[2 * rowStep]);
        s20 = fmaSide(x0, lk, s20);
        s21 = wides > 1 ? fmaSide(x1, lk, s21) : zero;
        s22 = wides > 2 ? fmaSide(x2, lk, s22) : zero;
        lk = setSide((SIDE)l[3 * rowStep]);
        s30 = fmaSide(x0, lk, s30);
        s31 = wides > 1 ? fmaSide(x1, lk, s31) : zero;
        s32 = wides > 2 ? fmaSide(x2, lk, s32) : zero;
    }
    OF(subtractRow)(wides, y[0] + at, s00, s01, s02);
    OF(subtractRow)(wides, y[1] + at, s10, s11, s12);
    OF(subtractRow)(wides, y[2] + at, s20, s21, s22);
    OF(subtractRow)(wides, y[3] + at, s30, s31, s32);
}

static void OF(subtractRows)(int width, int depth, const REAL* l, size_t rowStep, size_t step,
                             const SIDE* X, size_t stride, SIDE* const y[group])
{
    int at = 0;
    for (; at + 3 * SIDE_LANES <= width; at += 3 * SIDE_LANES)
        OF(rowsTile)(3, depth, l, rowStep, step, X, stride, y, at);
    if (width - at >= 2 * SIDE_LANES)
        OF(rowsTile)(2, depth, l, rowStep, step, X, stride, y, at);
    else if (width - at >= SIDE_LANES)
        OF(rowsTile)(1, depth, l, rowStep, step, X, stride, y, at);
}

// x = L⁻¹ x for the rows of one group; L is the 4x4 block at c, whose diagonal holds reciprocals.
static void OF(forwardGroup)(int width, const REAL* c, size_t stride, SIDE* const x[group])
{
    for (int i = 0; i < group; i++)
        for (int at = 0; at < width; at += SIDE_LANES)
        {
            Side sum = loadSide(x[i] + at);
            for (int k = 0; k < i; k++)
                sum = fnmaSide(setSide((SIDE)c[(size_t)k * stride + (size_t)i]),
                               loadSide(x[k] + at), sum);
            storeSide(x[i] + at, mulSide(sum, setSide((SIDE)c[(size_t)i * stride + (size_t)i])));
        }
}

// The front's pivot rows.
static void OF(forwardPivots)(const palFront* front, const REAL* f, int width, SIDE* X,
                              size_t stride)
{
    size_t ld = (size_t)front->stride;
    for (int g = 0; g < front->columns; g += group)
    {
        SIDE* row = X + (size_t)g * stride;
        SIDE* const rows[group] = {row, row + stride, row + 2 * stride, row + 3 * stride};
        if (g > 0)
            OF(subtractRows)(width, g, f + g, 1, ld, X, stride, rows);
        OF(forwardGroup)(width, f + (size_t)g * ld + g, ld, rows);
    }
}

// Four rows below, from the i-th on: subtracts the products with the pivot rows X.
static void OF(forwardBelow)(const palFront* front, const REAL* f, int i, int width, const SIDE* X,
                             size_t stride, SIDE* const y[group])
{
    OF(subtractRows)
    (width, front->columns, f + front->columns + i, 1, (size_t)front->stride, X, stride, y);
}
