// SPDX-License-Identifier: Apache-2.0
// The kernels of a front, shared by all precisions and instruction sets: products, assembly and
// factorisation; the solves are in front_solves.h. front_double.c, front_float.c and their AVX2
// versions define the following and include this file:
//
//     REAL, LANES              the number type, and how many a vector holds
//     Vec                      a vector of LANES numbers
//     LARGEST, ROOT            the largest finite number, and the square root
//     loadVec storeVec setVec addVec subVec mulVec
//     fmaVec(a, b, c)          a b + c
//     fnmaVec(a, b, c)         c - a b
//     sumVec                   the sum of a vector's entries
//     WIDE_LANES, Wide, loadWide storeWide setWide subWide mulWide fmaWide fnmaWide: for doubles
//     KERNELS                  the name of the table
//
// All products use one register tile: 3 vectors of rows by 4 columns, twelve sums that stay in
// registers during the loop over k. Tiles also write above the diagonal of a group of four columns,
// and with wide vectors up to LANES - 4 rows higher; these entries are never read.
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
    strip = tileRows > 12 ? tileRows : 12, // rows packed together: a multiple of tiles and groups
    group = pal_frontGroup,
    blockColumns = 64,  // columns factored before the remaining columns are updated
    packDepth = 256,    // k of one pass of a large product: a strip stays in the L1 cache
    packRows = 240,     // rows of one pass: they stay in the L2 cache
    nodesTogether = 64, // nodes per pass when right-hand sides are interleaved
};

static int smaller(int a, int b)
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
    // Prefetch C: it arrives while the sums are computed.
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

// The tile with a height known only at run time.
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

// Directly from A, without packing: for matrices that fit into the caches.
static void smallProduct(bool fresh, int m, int n, int depth, const REAL* a, size_t lda, REAL* c,
                         size_t ldc)
{
    for (int j = 0; j < n; j += group)
        for (int i = j / LANES * LANES; i < m; i += tileRows)
            anyTile(smaller(tileVectors, (m - i) / LANES), fresh, depth, a + i, lda, a + j, lda,
                    c + (size_t)j * ldc + i, ldc);
}

// Copies A into strips of rows, each stored column by column.
static void pack(int m, int depth, const REAL* a, size_t lda, REAL* packed)
{
    for (int i = 0; i < m; i += strip)
    {
        int rows = smaller(strip, m - i);
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
        int rows = smaller(tileRows - i % tileRows, end - i);
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
        int chunk = smaller(packDepth, depth - k);
        pack(m, chunk, a + (size_t)k * lda, lda, packed);
        for (int first = 0; first < m; first += packRows)
        {
            int end = smaller(first + packRows, m);
            for (int j = 0; j < smaller(n, end); j += group)
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
    const int packingThreshold = 192; // rows
    if (m < packingThreshold)
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

// Adds column j of the child's C, in run r, to the column `to` whose row 0 is row `shift` of the
// front.
static void addColumn(const palRun* runs, int runCount, int r, int j, const REAL* column, int shift,
                      REAL* to)
{
    int indexInRun = j - runs[r].from;
    addRun(runs[r].count - indexInRun, column + j, to + (runs[r].to + indexInRun - shift));
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

// Factors the 4x4 block at a: l[i][j], i > j, and the reciprocals of the diagonal in l[i][i].
// Returns -1, or the column whose pivot is not positive and finite.
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

// Solves X Lᵀ = A for the rows below the block, in place.
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

// Factors columns s..e-1, group by group; the columns before s have been subtracted already.
static int factorBlock(const palFront* front, REAL* f, int s, int e)
{
    size_t stride = (size_t)front->stride;
    for (int g = s; g < e; g += group)
    {
        int top = g / LANES * LANES;
        const REAL* factored = f + (size_t)s * stride;
        for (int i = top; i < front->stride && g > s; i += tileRows)
            anyTile(smaller(tileVectors, (front->stride - i) / LANES), false, g - s, factored + i,
                    stride, factored + g, stride, f + (size_t)g * stride + i, stride);
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
        int e = smaller(s + blockColumns, front->columns);
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

#include "linalg/front_solves.h"

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
    .gatherSides = gatherSides,
    .forwardSides = forwardSides,
    .backwardSides = backwardSides,
    .scatterSides = scatterSides,
    .gram = gram,
};

#endif
