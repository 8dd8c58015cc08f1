// SPDX-License-Identifier: Apache-2.0
// The solves of a front: a part of front_kernels.h, which includes this file.
#ifndef PAL_LINALG_FRONT_SOLVES_H
#define PAL_LINALG_FRONT_SOLVES_H

// ---------------------------------------------------------------------------------------------
// One right-hand side

static void forward(const palFront* front, const void* F, const int* rows, double* y, void* scratch)
{
    const REAL* f = F;
    REAL* t = scratch;
    size_t stride = (size_t)front->stride;
    double* pivotRows = y + front->firstRow;
    for (int i = 0; i < front->columns; i++)
        t[i] = (REAL)pivotRows[i];
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
        pivotRows[i] = t[i];
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
    double* pivotRows = y + front->firstRow;
    const int* below = rows + front->rowStart;
    for (int i = 0; i < front->columns; i++)
        t[i] = (REAL)pivotRows[i];
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
        // Vectors wider than the group start inside it: these entries must not contribute.
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
        pivotRows[i] = t[i];
}

// ---------------------------------------------------------------------------------------------
// Many right-hand sides, interleaved, in double precision

#define SIDE       double
#define SIDE_LANES WIDE_LANES
#define Side       Wide
#define loadSide   loadWide
#define storeSide  storeWide
#define setSide    setWide
#define subSide    subWide
#define mulSide    mulWide
#define fmaSide    fmaWide
#define fnmaSide   fnmaWide
#define OF(name)   name

#include "linalg/front_many.h"

static void forwardMany(const palFront* front, const void* F, int width, double* X, size_t stride,
                        double* const* below)
{
    forwardPivots(front, F, width, X, stride);
    for (int i = 0; i < front->below; i += group)
        forwardBelow(front, F, i, width, X, stride, below + i);
}

#undef SIDE
#undef SIDE_LANES
#undef Side
#undef loadSide
#undef storeSide
#undef setSide
#undef subSide
#undef mulSide
#undef fmaSide
#undef fnmaSide
#undef OF

// ---------------------------------------------------------------------------------------------
// Many right-hand sides in the precision of the factor

#define SIDE       REAL
#define SIDE_LANES LANES
#define Side       Vec
#define loadSide   loadVec
#define storeSide  storeVec
#define setSide    setVec
#define subSide    subVec
#define mulSide    mulVec
#define fmaSide    fmaVec
#define fnmaSide   fnmaVec
#define OF(name)   name##OfReal

#include "linalg/front_many.h"

// Vector k becomes column k of X. A few nodes per pass, so that the written rows stay in the cache.
static void gatherSides(const palSymbolic* s, int count, const double* b, size_t stride, int width,
                        void* X)
{
    REAL* rows = X;
    memset(rows, 0, (size_t)s->rowCount * (size_t)width * sizeof *rows);
    for (int first = 0; first < s->nodeCount; first += nodesTogether)
        for (int k = 0; k < count; k++)
            for (int node = first; node < smaller(first + nodesTogether, s->nodeCount); node++)
                for (int axis = 0; axis < 3; axis++)
                    rows[(size_t)(s->nodeRow[node] + axis) * (size_t)width + (size_t)k] =
                        (REAL)b[(size_t)k * stride + 3 * (size_t)node + (size_t)axis];
}

static void scatterSides(const palSymbolic* s, int count, const void* X, int width, double* x,
                         size_t stride)
{
    const REAL* rows = X;
    for (int first = 0; first < s->nodeCount; first += nodesTogether)
        for (int k = 0; k < count; k++)
            for (int node = first; node < smaller(first + nodesTogether, s->nodeCount); node++)
                for (int axis = 0; axis < 3; axis++)
                    x[(size_t)k * stride + 3 * (size_t)node + (size_t)axis] =
                        rows[(size_t)(s->nodeRow[node] + axis) * (size_t)width + (size_t)k];
}

static void forwardSides(const palFront* front, const void* F, const int* rows, int width, void* X)
{
    REAL* all = X;
    size_t stride = (size_t)width;
    REAL* pivotRows = all + (size_t)front->firstRow * stride;
    const int* below = rows + front->rowStart;
    forwardPivotsOfReal(front, F, width, pivotRows, stride);
    for (int i = 0; i < front->below; i += group)
    {
        REAL* const y[group] = {
            all + (size_t)below[i] * stride,
            all + (size_t)below[i + 1] * stride,
            all + (size_t)below[i + 2] * stride,
            all + (size_t)below[i + 3] * stride,
        };
        forwardBelowOfReal(front, F, i, width, pivotRows, stride, y);
    }
}

// x = L⁻ᵀ x of the 4x4 block at c.
static void backwardGroup(int width, const REAL* c, size_t stride, REAL* const x[group])
{
    for (int i = group - 1; i >= 0; i--)
        for (int at = 0; at < width; at += LANES)
        {
            Vec sum = loadVec(x[i] + at);
            for (int k = i + 1; k < group; k++)
                sum = fnmaVec(setVec(c[(size_t)i * stride + (size_t)k]), loadVec(x[k] + at), sum);
            storeVec(x[i] + at, mulVec(sum, setVec(c[(size_t)i * stride + (size_t)i])));
        }
}

// Copies the pivot rows and the rows below into one contiguous array first.
static void backwardSides(const palFront* front, const void* F, const int* rows, int width, void* X,
                          void* scratch)
{
    const REAL* f = F;
    REAL* local = scratch;
    size_t ld = (size_t)front->stride;
    size_t stride = (size_t)width;
    size_t columns = (size_t)front->columns;
    REAL* pivotRows = (REAL*)X + (size_t)front->firstRow * stride;
    const int* below = rows + front->rowStart;
    int last = front->columns + front->below;
    memcpy(local, pivotRows, columns * stride * sizeof *local);
    for (int i = 0; i < front->below; i++)
        memcpy(local + (columns + (size_t)i) * stride, (REAL*)X + (size_t)below[i] * stride,
               stride * sizeof *local);
    for (int g = front->columns - group; g >= 0; g -= group)
    {
        REAL* row = local + (size_t)g * stride;
        REAL* const four[group] = {row, row + stride, row + 2 * stride, row + 3 * stride};
        int next = g + group;
        if (last > next)
            subtractRowsOfReal(width, last - next, f + (size_t)g * ld + next, ld, 1,
                               local + (size_t)next * stride, stride, four);
        backwardGroup(width, f + (size_t)g * ld + g, ld, four);
    }
    memcpy(pivotRows, local, columns * stride * sizeof *pivotRows);
}

#endif
