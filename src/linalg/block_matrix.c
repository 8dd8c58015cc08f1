// SPDX-License-Identifier: Apache-2.0
#include "linalg/block_matrix.h"

#include "base/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int compareInts(const void* a, const void* b)
{
    int x = *(const int*)a;
    int y = *(const int*)b;
    return (x > y) - (x < y);
}

// The source of the node pairs: a list, or the nodes of elements.
typedef struct pairSource
{
    const int (*pairs)[2]; // NULL: elements
    const int* nodes;
    int nodesEach;
    size_t count; // pairs or elements
} pairSource;

// Calls visit(context, row, column) for every pair of different nodes, row > column.
static void eachPair(const pairSource* source, void (*visit)(void*, int, int), void* context)
{
    for (size_t k = 0; k < source->count; k++)
    {
        int each = source->pairs != NULL ? 2 : source->nodesEach;
        const int* n = source->pairs != NULL ? source->pairs[k] : source->nodes + k * (size_t)each;
        for (int a = 0; a < each; a++)
            for (int b = 0; b < a; b++)
                if (n[a] != n[b])
                    visit(context, n[a] > n[b] ? n[a] : n[b], n[a] > n[b] ? n[b] : n[a]);
    }
}

// The first node that is out of range, or NULL.
static const int* nodeOutOfRange(const pairSource* source, int nodeCount)
{
    size_t each = source->pairs != NULL ? 2 : (size_t)source->nodesEach;
    const int* nodes = source->pairs != NULL ? &source->pairs[0][0] : source->nodes;
    for (size_t k = 0; k < source->count * each; k++)
        if (nodes[k] < 0 || nodes[k] >= nodeCount)
            return &nodes[k];
    return NULL;
}

// The pairs sorted into rows, duplicates included.
typedef struct rowLists
{
    size_t* start; // [nodeCount + 1]: counts, then the next free position of a row
    int* columns;
} rowLists;

static void countPair(void* context, int row, int column)
{
    (void)column;
    ((rowLists*)context)->start[row]++;
}

static void insertPair(void* context, int row, int column)
{
    rowLists* f = context;
    f->columns[f->start[row]++] = column;
}

// Sorts each row, removes duplicates and appends the diagonal. `ends` are the row ends in `listed`.
static void packRows(palBlockMatrix* A, const size_t* ends, int* listed)
{
    int count = 0;
    for (int i = 0; i < A->nodeCount; i++)
    {
        size_t begin = i > 0 ? ends[i - 1] : 0;
        qsort(listed + begin, ends[i] - begin, sizeof *listed, compareInts);
        A->rowStart[i] = count;
        for (size_t k = begin; k < ends[i]; k++)
            if (k == begin || listed[k] != listed[k - 1])
                A->columns[count++] = listed[k];
        A->columns[count++] = i;
    }
    A->rowStart[A->nodeCount] = count;
    A->blockCount = count;
}

static palResult fill(palBlockMatrix* A, const pairSource* source, rowLists* f, palError* error)
{
    size_t n = (size_t)A->nodeCount;
    eachPair(source, countPair, f);
    size_t total = 0;
    for (size_t i = 0; i <= n; i++)
    {
        size_t rowSize = f->start[i];
        f->start[i] = total;
        total += rowSize;
    }
    if (total > INT_MAX - n)
        return palError_Set(error, pal_errorInput, "the matrix has more than %d blocks", INT_MAX);
    f->columns = malloc((total + 1) * sizeof *f->columns);
    A->columns = malloc((total + n) * sizeof *A->columns);
    A->rowStart = malloc((n + 1) * sizeof *A->rowStart);
    if (f->columns == NULL || A->columns == NULL || A->rowStart == NULL)
        return palError_Memory(error, "the pattern of a matrix", total * 2 * sizeof(int));
    eachPair(source, insertPair, f);
    packRows(A, f->start, f->columns);
    A->blocks = calloc((size_t)A->blockCount, sizeof *A->blocks);
    if (A->blocks == NULL)
        return palError_Memory(error, "a matrix", (size_t)A->blockCount * sizeof *A->blocks);
    return pal_ok;
}

static palResult init(palBlockMatrix* A, int nodeCount, const pairSource* source, palError* error)
{
    *A = (palBlockMatrix){.nodeCount = nodeCount};
    if (nodeCount < 1 || nodeCount > INT_MAX / 3)
        return palError_Set(error, pal_errorInput, "invalid matrix size: %d nodes", nodeCount);
    const int* invalid = nodeOutOfRange(source, nodeCount);
    if (invalid != NULL)
        return palError_Set(error, pal_errorInput, "node %d is out of range 0..%d", *invalid,
                            nodeCount - 1);
    rowLists f = {.start = calloc((size_t)nodeCount + 1, sizeof *f.start)};
    palResult result = f.start != NULL
                           ? fill(A, source, &f, error)
                           : palError_Memory(error, "the pattern of a matrix", (size_t)nodeCount);
    free(f.start);
    free(f.columns);
    if (result != pal_ok)
        palBlockMatrix_Free(A);
    return result;
}

palResult palBlockMatrix_Init(palBlockMatrix* A, int nodeCount, const int (*pairs)[2],
                              size_t pairCount, palError* error)
{
    return init(A, nodeCount, &(pairSource){.pairs = pairs, .count = pairs != NULL ? pairCount : 0},
                error);
}

palResult palBlockMatrix_InitElements(palBlockMatrix* A, int nodeCount, const int* nodes,
                                      int nodesEach, int elementCount, palError* error)
{
    return init(
        A, nodeCount,
        &(pairSource){.nodes = nodes, .nodesEach = nodesEach, .count = (size_t)elementCount},
        error);
}

palResult palBlockMatrix_InitLike(palBlockMatrix* A, const palBlockMatrix* other, palError* error)
{
    size_t nodes = (size_t)other->nodeCount;
    size_t blocks = (size_t)other->blockCount;
    *A = (palBlockMatrix){
        .nodeCount = other->nodeCount,
        .blockCount = other->blockCount,
        .rowStart = malloc((nodes + 1) * sizeof *A->rowStart),
        .columns = malloc(blocks * sizeof *A->columns),
        .blocks = calloc(blocks, sizeof *A->blocks),
    };
    if (A->rowStart == NULL || A->columns == NULL || A->blocks == NULL)
    {
        palBlockMatrix_Free(A);
        return palError_Memory(error, "a matrix", blocks * sizeof *A->blocks);
    }
    memcpy(A->rowStart, other->rowStart, (nodes + 1) * sizeof *A->rowStart);
    memcpy(A->columns, other->columns, blocks * sizeof *A->columns);
    return pal_ok;
}

void palBlockMatrix_Free(palBlockMatrix* A)
{
    free(A->rowStart);
    free(A->columns);
    free(A->blocks);
    *A = (palBlockMatrix){0};
}

int palBlockMatrix_Slot(const palBlockMatrix* A, int row, int column)
{
    if (row < 0 || row >= A->nodeCount)
        return -1;
    int low = A->rowStart[row];
    int high = A->rowStart[row + 1];
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        if (A->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < A->rowStart[row + 1] && A->columns[low] == column ? low : -1;
}

void palBlockMatrix_Clear(palBlockMatrix* A)
{
    memset(A->blocks, 0, (size_t)A->blockCount * sizeof *A->blocks);
}

// y = b + scale A x; y may be b, and b may be NULL for zero.
static void product(const palBlockMatrix* A, const double* b, double scale, const double* x,
                    double* y)
{
    for (int i = 0; i < A->nodeCount; i++)
    {
        // sum is row i of A x; the transposed blocks add to earlier rows, which have been
        // initialised already.
        const double* xi = x + 3 * (size_t)i;
        double scaledXi[3] = {scale * xi[0], scale * xi[1], scale * xi[2]};
        double sum[3] = {0.0, 0.0, 0.0};
        int diagonal = A->rowStart[i + 1] - 1;
        for (int k = A->rowStart[i]; k < diagonal; k++)
        {
            const double(*m)[3] = A->blocks[k].m;
            const double* xj = x + 3 * (size_t)A->columns[k];
            double* yj = y + 3 * (size_t)A->columns[k];
            for (int a = 0; a < 3; a++)
            {
                sum[a] += m[a][0] * xj[0] + m[a][1] * xj[1] + m[a][2] * xj[2];
                yj[a] += m[0][a] * scaledXi[0] + m[1][a] * scaledXi[1] + m[2][a] * scaledXi[2];
            }
        }
        const double(*d)[3] = A->blocks[diagonal].m;
        for (int a = 0; a < 3; a++)
        {
            size_t at = 3 * (size_t)i + (size_t)a;
            double rowProduct = sum[a] + (d[a][0] * xi[0] + d[a][1] * xi[1] + d[a][2] * xi[2]);
            y[at] = (b != NULL ? b[at] : 0.0) + scale * rowProduct;
        }
    }
}

void palBlockMatrix_Multiply(const palBlockMatrix* A, const double* x, double* y)
{
    product(A, NULL, 1.0, x, y);
}

void palBlockMatrix_Residual(const palBlockMatrix* A, const double* b, const double* x, double* r)
{
    product(A, b, -1.0, x, r);
}

void palBlocks_Apply(const palMat3* D, int nodeCount, const double* x, double* y)
{
    for (int i = 0; i < nodeCount; i++, x += 3, y += 3)
    {
        const double(*m)[3] = D[i].m;
        double x0 = x[0], x1 = x[1], x2 = x[2];
        for (int a = 0; a < 3; a++)
            y[a] = m[a][0] * x0 + m[a][1] * x1 + m[a][2] * x2;
    }
}

void palBlocks_ApplyTransposed(const palMat3* D, int nodeCount, const double* x, double* y)
{
    for (int i = 0; i < nodeCount; i++, x += 3, y += 3)
    {
        const double(*m)[3] = D[i].m;
        double x0 = x[0], x1 = x[1], x2 = x[2];
        for (int a = 0; a < 3; a++)
            y[a] = m[0][a] * x0 + m[1][a] * x1 + m[2][a] * x2;
    }
}
