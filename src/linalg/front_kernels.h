// SPDX-License-Identifier: Apache-2.0
// The kernels of a front, written once. front_double.c, front_float.c and their AVX2 twins define
// what follows and include this file:
//
//     REAL, LANES              the number stored, and how many a vector holds
//     Vec                      a vector of LANES numbers
//     loadVec storeVec setVec subVec mulVec
//     fmaVec(a, b, c)          a b + c
//     fnmaVec(a, b, c)         c - a b
//     sumVec                   the sum of a vector's numbers
//     WIDE_LANES, Wide, loadWide storeWide setWide subWide mulWide fmaWide    the same of doubles
//     KERNELS                  the name of the table
//
// Everything rests on one tile: 3 vectors of rows by 4 columns, twelve sums that stay in registers
// while k runs. Above the diagonal of a group of four columns, and for wide vectors up to LANES - 4
// rows above that, tiles write what nobody reads.
#ifndef PAL_LINALG_FRONT_KERNELS_H
#define PAL_LINALG_FRONT_KERNELS_H

#include "linalg/front.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum
{
    tileVectors = 3,
    tileRows = tileVectors * LANES,
    strip = tileRows > 12 ? tileRows : 12, // rows that are packed together: whole tiles and groups
    group = pal_frontGroup,
    blockColumns = 64, // columns that are factored before those after them are updated
    packDepth = 256,   // k of one pass of a large product: a strip stays in the L1 cache
    packRows = 240,    // rows of one pass: they stay in the L2 cache
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

// ---------------------------------------------------------------------------------------------
// C -= A Bᵀ on one tile: rows of A by four rows of B

INLINE void subtractColumn(int vectors, bool fresh, REAL* c, Vec s0, Vec s1, Vec s2)
{
    const Vec zero = setVec((REAL)0);
    storeVec(c, subVec(fresh ? zero : loadVec(c), s0));
    if (vectors > 1)
        storeVec(c + LANES, subVec(fresh ? zero : loadVec(c + LANES), s1));
    if (vectors > 2)
        storeVec(c + 2 * LANES, subVec(fresh ? zero : loadVec(c + 2 * LANES), s2));
}

// A's column k starts at a + k lda, B's at b + k ldb. fresh: C = -A Bᵀ.
INLINE void tile(int vectors, bool fresh, int depth, const REAL* a, size_t lda, const REAL* b,
                 size_t ldb, REAL* c, size_t ldc)
{
    const Vec zero = setVec((REAL)0);
    Vec s00 = zero, s01 = zero, s02 = zero, s03 = zero;
    Vec s10 = zero, s11 = zero, s12 = zero, s13 = zero;
    Vec s20 = zero, s21 = zero, s22 = zero, s23 = zero;
    // The sums take long enough for C to arrive.
    for (size_t j = 0; j < group; j++)
    {
        __builtin_prefetch(c + j * ldc, 1);
        __builtin_prefetch(c + j * ldc + (vectors * LANES - 1), 1);
    }
    for (int k = 0; k < depth; k++, a += lda, b += ldb)
    {
        Vec a0 = loadVec(a);
        Vec a1 = vectors > 1 ? loadVec(a + LANES) : zero;
        Vec a2 = vectors > 2 ? loadVec(a + 2 * LANES) : zero;
        Vec bk = setVec(b[0]);
        s00 = fmaVec(a0, bk, s00);
        s10 = vectors > 1 ? fmaVec(a1, bk, s10) : zero;
        s20 = vectors > 2 ? fmaVec(a2, bk, s20) : zero;
        bk = setVec(b[1]);
        s01 = fmaVec(a0, bk, s01);
        s11 = vectors > 1 ? fmaVec(a1, bk, s11) : zero;
        s21 = vectors > 2 ? fmaVec(a2, bk, s21) : zero;
        bk = setVec(b[2]);
        s02 = fmaVec(a0, bk, s02);
        s12 = vectors > 1 ? fmaVec(a1, bk, s12) : zero;
        s22 = vectors > 2 ? fmaVec(a2, bk, s22) : zero;
        bk = setVec(b[3]);
        s03 = fmaVec(a0, bk, s03);
        s13 = vectors > 1 ? fmaVec(a1, bk, s13) : zero;
        s23 = vectors > 2 ? fmaVec(a2, bk, s23) : zero;
    }
    subtractColumn(vectors, fresh, c, s00, s10, s20);
    subtractColumn(vectors, fresh, c + ldc, s01, s11, s21);
    subtractColumn(vectors, fresh, c + 2 * ldc, s02, s12, s22);
    subtractColumn(vectors, fresh, c + 3 * ldc, s03, s13, s23);
}

// The tile of a height that is known at run time only.
static void anyTile(int vectors, bool fresh, int depth, const REAL* a, size_t lda, const REAL* b,
                    size_t ldb, REAL* c, size_t ldc)
{
    if (vectors == 3 && !fresh)
        tile(3, false, depth, a, lda, b, ldb, c, ldc);
    else if (vectors == 3)
        tile(3, true, depth, a, lda, b, ldb, c, ldc);
    else if (vectors == 2)
        tile(2, fresh, depth, a, lda, b, ldb, c, ldc);
    else
        tile(1, fresh, depth, a, lda, b, ldb, c, ldc);
}

// ---------------------------------------------------------------------------------------------
// C -= A Aᵀ, the first n columns of the lower triangle. C [m x n], A [m x depth]

// Straight from A: for what fits in the caches.
static void smallProduct(bool fresh, int m, int n, int depth, const REAL* a, size_t lda, REAL* c,
                         size_t ldc)
{
    for (int j = 0; j < n; j += group)
        for (int i = j / LANES * LANES; i < m; i += tileRows)
            anyTile(least(tileVectors, (m - i) / LANES), fresh, depth, a + i, lda, a + j, lda,
                    c + (size_t)j * ldc + i, ldc);
}

// Strips of rows, each column by column.
static void pack(int m, int depth, const REAL* a, size_t lda, REAL* packed)
{
    for (int i = 0; i < m; i += strip)
    {
        int rows = least(strip, m - i);
        for (int k = 0; k < depth; k++, packed += strip)
            memcpy(packed, a + i + (size_t)k * lda, (size_t)rows * sizeof(REAL));
    }
}

static const REAL* packedRow(const REAL* packed, int depth, int i)
{
    return packed + (size_t)(i / strip) * strip * (size_t)depth + i % strip;
}

// Rows i..end-1 of one group of columns, from packed strips.
static void packedColumn(bool fresh, int i, int end, int j, int depth, const REAL* packed, REAL* c,
                         size_t ldc)
{
    const REAL* b = packedRow(packed, depth, j);
    while (i < end)
    {
        int rows = least(tileRows - i % tileRows, end - i);
        anyTile(rows / LANES, fresh, depth, packedRow(packed, depth, i), strip, b, strip,
                c + (size_t)j * ldc + i, ldc);
        i += rows;
    }
}

static void largeProduct(bool fresh, int m, int n, int depth, const REAL* a, size_t lda, REAL* c,
                         size_t ldc, REAL* packed)
{
    for (int k = 0; k < depth; k += packDepth)
    {
        int chunk = least(packDepth, depth - k);
        pack(m, chunk, a + (size_t)k * lda, lda, packed);
        for (int first = 0; first < m; first += packRows)
        {
            int end = least(first + packRows, m);
            for (int j = 0; j < least(n, end); j += group)
            {
                int diagonal = j / LANES * LANES;
                packedColumn(fresh && k == 0, diagonal > first ? diagonal : first, end, j, chunk,
                             packed, c, ldc);
            }
        }
    }
}

static void product(bool fresh, int m, int n, int depth, const REAL* a, size_t lda, REAL* c,
                    size_t ldc, REAL* packed)
{
    const int worthPacking = 192; // rows
    if (m < worthPacking)
        smallProduct(fresh, m, n, depth, a, lda, c, ldc);
    else
        largeProduct(fresh, m, n, depth, a, lda, c, ldc, packed);
}

// ---------------------------------------------------------------------------------------------
// Assembly

static void load(const palFront* front, const palEntry* entries, const palMat3* blocks, void* F)
{
    REAL* f = F;
    size_t stride = (size_t)front->stride;
    memset(f, 0, stride * (size_t)front->columns * sizeof *f);
    for (int e = 0; e < front->entryCount; e++)
    {
        const palEntry* entry = &entries[front->entryStart + e];
        const double(*m)[3] = blocks[entry->slot].m;
        REAL* at = f + entry->offset;
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++)
                at[(size_t)j * stride + (size_t)i] = (REAL)(entry->transposed ? m[j][i] : m[i][j]);
    }
    for (int j = front->pivots; j < front->columns; j++)
        f[(size_t)j * stride + (size_t)j] = (REAL)1;
}

INLINE void addRun(int count, const REAL* from, REAL* to)
{
    int i = 0;
    for (; i + LANES <= count; i += LANES)
        storeVec(to + i, addVec(loadVec(to + i), loadVec(from + i)));
    for (; i < count; i++)
        to[i] += from[i];
}

// Column j of the child's C, in run r, to the column `to` whose row 0 is row `shift` of the front.
static void addColumn(const palRun* runs, int runCount, int r, int j, const REAL* column, int shift,
                      REAL* to)
{
    int inside = j - runs[r].from;
    addRun(runs[r].count - inside, column + j, to + (runs[r].to + inside - shift));
    for (r++; r < runCount; r++)
        addRun(runs[r].count, column + runs[r].from, to + (runs[r].to - shift));
}

static void addColumns(const palFront* child, const palRun* allRuns, const void* childC,
                       const palFront* front, void* F)
{
    const palRun* runs = allRuns + child->runStart;
    for (int r = 0; r < child->runCount && runs[r].to < front->columns; r++)
        for (int k = 0; k < runs[r].count; k++)
        {
            int j = runs[r].from + k;
            addColumn(runs, child->runCount, r, j,
                      (const REAL*)childC + (size_t)j * (size_t)child->belowStride, 0,
                      (REAL*)F + (size_t)(runs[r].to + k) * (size_t)front->stride);
        }
}

static void addBelow(const palFront* child, const palRun* allRuns, const void* childC,
                     const palFront* front, void* C)
{
    const palRun* runs = allRuns + child->runStart;
    int r = 0;
    while (r < child->runCount && runs[r].to < front->columns)
        r++;
    for (; r < child->runCount; r++)
        for (int k = 0; k < runs[r].count; k++)
        {
            int j = runs[r].from + k;
            int to = runs[r].to + k - front->columns;
            addColumn(runs, child->runCount, r, j,
                      (const REAL*)childC + (size_t)j * (size_t)child->belowStride, front->columns,
                      (REAL*)C + (size_t)to * (size_t)front->belowStride);
        }
}

// ---------------------------------------------------------------------------------------------
// Factorisation

// The 4x4 block at a: l[i][j], i > j, and the reciprocals of the diagonal l[i][i]. Returns -1, or
// the column whose pivot is not positive and finite.
INLINE int factorGroup(const REAL* a, size_t stride, REAL l[group][group])
{
    for (int j = 0; j < group; j++)
    {
        REAL pivot = a[(size_t)j * stride + (size_t)j];
        for (int k = 0; k < j; k++)
            pivot -= l[j][k] * l[j][k];
        if (!(pivot > (REAL)0 && pivot <= LARGEST))
            return j;
        l[j][j] = (REAL)1 / ROOT(pivot);
        for (int i = j + 1; i < group; i++)
        {
            REAL sum = a[(size_t)j * stride + (size_t)i];
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            l[i][j] = sum * l[j][j];
        }
    }
    return -1;
}

// X Lᵀ = A for the rows below the block, in place.
INLINE void solveGroup(int i, int end, REAL* a, size_t stride, REAL l[group][group])
{
    REAL* c1 = a + stride;
    REAL* c2 = c1 + stride;
    REAL* c3 = c2 + stride;
    for (; i < end; i += LANES)
    {
        Vec x0 = mulVec(loadVec(a + i), setVec(l[0][0]));
        Vec x1 = mulVec(fnmaVec(x0, setVec(l[1][0]), loadVec(c1 + i)), setVec(l[1][1]));
        Vec x2 = fnmaVec(x0, setVec(l[2][0]), loadVec(c2 + i));
        x2 = mulVec(fnmaVec(x1, setVec(l[2][1]), x2), setVec(l[2][2]));
        Vec x3 = fnmaVec(x0, setVec(l[3][0]), loadVec(c3 + i));
        x3 = fnmaVec(x1, setVec(l[3][1]), x3);
        x3 = mulVec(fnmaVec(x2, setVec(l[3][2]), x3), setVec(l[3][3]));
        storeVec(a + i, x0);
        storeVec(c1 + i, x1);
        storeVec(c2 + i, x2);
        storeVec(c3 + i, x3);
    }
}

// Columns s..e-1, group by group; what lies left of s is subtracted already.
static int factorBlock(const palFront* front, REAL* f, int s, int e)
{
    size_t stride = (size_t)front->stride;
    for (int g = s; g < e; g += group)
    {
        int top = g / LANES * LANES;
        const REAL* left = f + (size_t)s * stride;
        for (int i = top; i < front->stride && g > s; i += tileRows)
            anyTile(least(tileVectors, (front->stride - i) / LANES), false, g - s, left + i, stride,
                    left + g, stride, f + (size_t)g * stride + i, stride);
        REAL* block = f + (size_t)g * stride;
        REAL l[group][group] = {{(REAL)0}};
        int failed = factorGroup(block + g, stride, l);
        if (failed >= 0)
            return g + failed;
        solveGroup((g + group) / LANES * LANES, front->stride, block, stride, l);
        for (int j = 0; j < group; j++)
            for (int i = 0; i < group; i++)
                block[(size_t)j * stride + (size_t)(g + i)] = l[i][j];
    }
    return -1;
}

static int factor(const palFront* front, void* F, void* packed)
{
    REAL* f = F;
    size_t stride = (size_t)front->stride;
    for (int s = 0; s < front->columns; s += blockColumns)
    {
        int e = least(s + blockColumns, front->columns);
        if (s > 0)
            product(false, front->stride - s, e - s, s, f + s, stride, f + (size_t)s * stride + s,
                    stride, packed);
        int failed = factorBlock(front, f, s, e);
        if (failed >= 0)
            return failed;
    }
    return -1;
}

static void update(const palFront* front, const void* F, void* C, void* packed)
{
    product(true, front->belowStride, front->belowStride, front->columns,
            (const REAL*)F + front->columns, (size_t)front->stride, C, (size_t)front->belowStride,
            packed);
}

static void gram(int m, int k, const void* A, size_t lda, void* C, size_t ldc, void* packed)
{
    product(false, m, m, k, A, lda, C, ldc, packed);
}

// ---------------------------------------------------------------------------------------------
// Solves with one right-hand side

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
// Solves with many right-hand sides, side by side

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

const palFrontKernels KERNELS = {
    .size = sizeof(REAL),
    .unit = sizeof(REAL) == sizeof(double) ? 4 : 8,
    .load = load,
    .addColumns = addColumns,
    .addBelow = addBelow,
    .factor = factor,
    .update = update,
    .forward = forward,
    .backward = backward,
    .forwardMany = forwardMany,
    .backwardMany = backwardMany,
    .gram = gram,
};

#endif
