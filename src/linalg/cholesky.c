// SPDX-License-Identifier: Apache-2.0
#include "linalg/cholesky.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum
{
    manyWidth = 32, // right-hand sides that are solved together
};

// Zeroed memory. Large arrays are placed on huge pages if the system provides them, which avoids
// most TLB misses of a factorisation; every page is touched now, so that no page fault occurs in a
// step.
static void* allocateNumbers(palCholesky* c, size_t bytes)
{
    const size_t largePage = (size_t)2 << 20;
    size_t alignment = bytes >= largePage ? largePage : 64;
    size_t rounded = (bytes + alignment) / alignment * alignment;
    void* memory = aligned_alloc(alignment, rounded);
    if (memory == NULL)
        return NULL;
    if (alignment == largePage)
        madvise(memory, rounded, MADV_HUGEPAGE);
    memset(memory, 0, rounded);
    c->bytes += rounded;
    return memory;
}

static palResult allocate(palCholesky* c, palError* error)
{
    const palSymbolic* s = &c->symbolic;
    size_t largest = (size_t)s->largestStride;
    size_t rows = (size_t)s->rowCount + 1;
    c->factor = allocateNumbers(c, (size_t)s->factorSize * c->kernels->size);
    c->update = allocateNumbers(c, (size_t)s->updateSize * c->kernels->size);
    c->packed = allocateNumbers(c, palFrontKernels_PackedSize(s->largestStride));
    c->scratch = allocateNumbers(c, largest * c->kernels->size);
    c->rows = allocateNumbers(c, rows * sizeof(double));
    c->correction = allocateNumbers(c, 6 * (size_t)s->nodeCount * sizeof(double));
    c->many = allocateNumbers(c, rows * manyWidth * c->kernels->size);
    c->local = allocateNumbers(c, largest * manyWidth * c->kernels->size);
    if (c->factor == NULL || c->update == NULL || c->packed == NULL || c->scratch == NULL ||
        c->rows == NULL || c->correction == NULL || c->many == NULL || c->local == NULL)
        return palError_Memory(error, "the factor of a matrix",
                               (size_t)(s->factorSize + s->updateSize) * c->kernels->size);
    return pal_ok;
}

palResult palCholesky_Create(const palCholeskyDef* def, const palBlockMatrix* A,
                             palCholesky** cholesky, palError* error)
{
    *cholesky = NULL;
    palCholesky* c = calloc(1, sizeof *c);
    if (c == NULL)
        return palError_Memory(error, "the factor of a matrix", sizeof *c);
    c->failedRow = -1;
    c->kernels = def->kernels;
    if (c->kernels == NULL)
        c->kernels = def->singlePrecision ? palFrontKernels_Float() : palFrontKernels_Double();
    palResult result = palSymbolic_Init(&c->symbolic, A, c->kernels->unit, error);
    if (result == pal_ok)
        result = allocate(c, error);
    if (result == pal_ok)
        *cholesky = c;
    else
        palCholesky_Destroy(c);
    return result;
}

palResult palCholesky_CreateTwin(const palCholesky* cholesky, palCholesky** twin, palError* error)
{
    *twin = NULL;
    palCholesky* c = calloc(1, sizeof *c);
    if (c == NULL)
        return palError_Memory(error, "the factor of a matrix", sizeof *c);
    c->failedRow = -1;
    c->kernels = cholesky->kernels;
    c->symbolic = cholesky->symbolic;
    c->isTwin = true;
    palResult result = allocate(c, error);
    if (result == pal_ok)
        *twin = c;
    else
        palCholesky_Destroy(c);
    return result;
}

void palCholesky_Destroy(palCholesky* cholesky)
{
    if (cholesky == NULL)
        return;
    if (!cholesky->isTwin)
        palSymbolic_Free(&cholesky->symbolic);
    free(cholesky->factor);
    free(cholesky->update);
    free(cholesky->packed);
    free(cholesky->scratch);
    free(cholesky->rows);
    free(cholesky->correction);
    free(cholesky->many);
    free(cholesky->local);
    free(cholesky);
}

static void* factorOf(const palCholesky* c, const palFront* front)
{
    return (char*)c->factor + (size_t)front->factorOffset * c->kernels->size;
}

static void* updateOf(const palCholesky* c, const palFront* front)
{
    return (char*)c->update + (size_t)front->updateOffset * c->kernels->size;
}

// One front: assembles its entries of A and the update blocks of its children, factors it and
// computes its own update block. The children are added to C last, so that C need not be cleared
// first.
static int factorFront(palCholesky* c, const palFront* front, const palMat3* blocks)
{
    const palSymbolic* s = &c->symbolic;
    const int* children = s->children + front->childStart;
    void* F = factorOf(c, front);
    void* C = updateOf(c, front);
    c->kernels->load(front, s->entries, blocks, F);
    for (int k = 0; k < front->childCount; k++)
    {
        const palFront* child = &s->fronts[children[k]];
        c->kernels->addColumns(child, s->runs, updateOf(c, child), front, F);
    }
    int failed = c->kernels->factor(front, F, c->packed);
    if (failed >= 0)
        return failed;
    if (front->below > 0)
        c->kernels->update(front, F, C, c->packed);
    for (int k = 0; k < front->childCount; k++)
    {
        const palFront* child = &s->fronts[children[k]];
        c->kernels->addBelow(child, s->runs, updateOf(c, child), front, C);
    }
    return -1;
}

static palResult notPositiveDefinite(const palCholesky* c, palError* error)
{
    palError_Set(error, pal_errorRun,
                 "the matrix is not positive definite in row %d (node %d, axis %c)", c->failedRow,
                 c->failedRow / 3, "xyz"[c->failedRow % 3]);
    palError_Remedy(error, "fix the node, give it mass, or use a smaller time step");
    return pal_errorRun;
}

palResult palCholesky_Factor(palCholesky* cholesky, const palBlockMatrix* A, palError* error)
{
    palCholesky* c = cholesky;
    const palSymbolic* s = &c->symbolic;
    c->isFactored = false;
    c->failedRow = -1;
    if (A->nodeCount != s->nodeCount || A->blockCount != s->entryCount)
        return palError_Set(error, pal_errorInput,
                            "the matrix has %d nodes and %d blocks, the analysed matrix %d and %d",
                            A->nodeCount, A->blockCount, s->nodeCount, s->entryCount);
    for (int f = 0; f < s->frontCount; f++)
    {
        int failed = factorFront(c, &s->fronts[f], A->blocks);
        if (failed < 0)
            continue;
        // A padding column fails only if an earlier column is not finite: report the last pivot.
        int last = s->fronts[f].pivots - 1;
        c->failedRow = s->rowDof[s->fronts[f].firstRow + (failed < last ? failed : last)];
        return notPositiveDefinite(c, error);
    }
    c->isFactored = true;
    return pal_ok;
}

void palCholesky_Archive(palCholesky* cholesky, const palBlockMatrix* A, palArchive* archive)
{
    PAL_ARCHIVE(archive, cholesky->isFactored);
    if (archive->isRestoring && cholesky->isFactored)
        palCholesky_Factor(cholesky, A, NULL);
}

// ---------------------------------------------------------------------------------------------
// Solves

static void forwardRows(palCholesky* c, double* y)
{
    const palSymbolic* s = &c->symbolic;
    for (int f = 0; f < s->frontCount; f++)
        c->kernels->forward(&s->fronts[f], factorOf(c, &s->fronts[f]), s->rows, y, c->scratch);
}

static void backwardRows(palCholesky* c, double* y)
{
    const palSymbolic* s = &c->symbolic;
    for (int f = s->frontCount - 1; f >= 0; f--)
        c->kernels->backward(&s->fronts[f], factorOf(c, &s->fronts[f]), s->rows, y, c->scratch);
}

// Permutes b into padded row order; padding rows are zero.
static void gather(const palSymbolic* s, const double* b, double* y)
{
    for (int i = 0; i < s->rowCount; i++)
        y[i] = s->rowDof[i] >= 0 ? b[s->rowDof[i]] : 0.0;
}

static void scatter(const palSymbolic* s, const double* y, double* x)
{
    for (int node = 0; node < s->nodeCount; node++)
        memcpy(x + 3 * (size_t)node, y + s->nodeRow[node], 3 * sizeof *x);
}

void palCholesky_Forward(palCholesky* cholesky, const double* b, double* y)
{
    gather(&cholesky->symbolic, b, y);
    forwardRows(cholesky, y);
}

void palCholesky_Backward(palCholesky* cholesky, double* y, double* x)
{
    backwardRows(cholesky, y);
    scatter(&cholesky->symbolic, y, x);
}

void palCholesky_Solve(palCholesky* cholesky, const double* b, double* x)
{
    palCholesky_Forward(cholesky, b, cholesky->rows);
    palCholesky_Backward(cholesky, cholesky->rows, x);
}

static double maxNorm(int count, const double* v)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++)
        largest = fabs(v[i]) > largest || isnan(v[i]) ? fabs(v[i]) : largest;
    return largest;
}

double palCholesky_SolveRefined(palCholesky* cholesky, const palBlockMatrix* A, const double* b,
                                int steps, double* x)
{
    int n = 3 * cholesky->symbolic.nodeCount;
    double* residual = cholesky->correction;
    double* correction = residual + n;
    palCholesky_Solve(cholesky, b, x);
    palBlockMatrix_Residual(A, b, x, residual);
    for (int k = 0; k < steps; k++)
    {
        palCholesky_Solve(cholesky, residual, correction);
        for (int i = 0; i < n; i++)
            x[i] += correction[i];
        palBlockMatrix_Residual(A, b, x, residual);
    }
    double scale = maxNorm(n, b);
    return scale > 0.0 ? maxNorm(n, residual) / scale : 0.0;
}

void palCholesky_SolveMany(palCholesky* cholesky, int count, const double* b, double* x,
                           size_t stride)
{
    const palSymbolic* s = &cholesky->symbolic;
    const palFrontKernels* kernels = cholesky->kernels;
    void* X = cholesky->many;
    for (int first = 0; first < count; first += manyWidth)
    {
        int groupSize = count - first < manyWidth ? count - first : manyWidth;
        int width = (groupSize + kernels->unit - 1) / kernels->unit * kernels->unit;
        size_t at = (size_t)first * stride;
        kernels->gatherSides(s, groupSize, b + at, stride, width, X);
        for (int f = 0; f < s->frontCount; f++)
            kernels->forwardSides(&s->fronts[f], factorOf(cholesky, &s->fronts[f]), s->rows, width,
                                  X);
        for (int f = s->frontCount - 1; f >= 0; f--)
            kernels->backwardSides(&s->fronts[f], factorOf(cholesky, &s->fronts[f]), s->rows, width,
                                   X, cholesky->local);
        kernels->scatterSides(s, groupSize, X, width, x + at, stride);
    }
}
