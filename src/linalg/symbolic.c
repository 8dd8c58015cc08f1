// SPDX-License-Identifier: Apache-2.0
#include "linalg/symbolic.h"

#include "base/assert.h"
#include "base/error.h"
#include "linalg/ordering.h"
#include "linalg/supernodes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Temporary data of the analysis.
typedef struct analysis
{
    palOrdering ordering;
    palSupernodes supernodes;
    int* place;      // [nodeCount]: position of a node in the elimination order
    int* owner;      // [nodeCount]: the front of a place
    int* structure;  // places of the rows below, front after front, ascending
    int* belowStart; // [frontCount + 1]: into structure
    int* mark;       // [nodeCount]
} analysis;

static int roundUp(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}

static int compareInts(const void* a, const void* b)
{
    int x = *(const int*)a;
    int y = *(const int*)b;
    return (x > y) - (x < y);
}

static palResult outOfMemory(palError* error, size_t bytes)
{
    return palError_Memory(error, "the analysis of a matrix", bytes);
}

// ---------------------------------------------------------------------------------------------
// Fronts: sizes, tree, padded rows

static void sizeFronts(palSymbolic* s, const analysis* a)
{
    const palSupernodes* super = &a->supernodes;
    int row = 0;
    for (int f = 0; f < s->frontCount; f++)
    {
        palFront* front = &s->fronts[f];
        front->parent = super->parent[f];
        front->firstRow = row;
        front->pivots = 3 * (super->start[f + 1] - super->start[f]);
        front->columns = roundUp(front->pivots, pal_frontGroup);
        front->below = 3 * super->below[f];
        front->belowStride = roundUp(front->below, s->unit);
        front->stride = roundUp(front->columns + front->belowStride, s->unit);
        s->largestStride = front->stride > s->largestStride ? front->stride : s->largestStride;
        for (int k = super->start[f]; k < super->start[f + 1]; k++)
        {
            int node = super->node[k];
            a->place[node] = k;
            a->owner[k] = f;
            s->nodeRow[node] = row + 3 * (k - super->start[f]);
        }
        row += front->columns;
        double p = front->columns;
        double r = front->belowStride;
        s->flops += p * p * p / 3.0 + p * p * r + p * r * r;
    }
    s->rowCount = row;
}

static void listRows(palSymbolic* s)
{
    for (int i = 0; i < s->rowCount; i++)
        s->rowDof[i] = -1;
    for (int node = 0; node < s->nodeCount; node++)
        for (int axis = 0; axis < 3; axis++)
            s->rowDof[s->nodeRow[node] + axis] = 3 * node + axis;
    for (int f = 0; f < s->frontCount; f++)
        for (int j = 0; j < s->fronts[f].columns; j++)
            s->rowFront[s->fronts[f].firstRow + j] = f;
}

static void listChildren(palSymbolic* s)
{
    for (int f = 0; f < s->frontCount; f++)
        if (s->fronts[f].parent != -1)
            s->fronts[s->fronts[f].parent].childCount++;
    int at = 0;
    for (int f = 0; f < s->frontCount; f++)
    {
        s->fronts[f].childStart = at;
        at += s->fronts[f].childCount;
        s->fronts[f].childCount = 0;
    }
    for (int f = 0; f < s->frontCount; f++)
    {
        if (s->fronts[f].parent == -1)
            continue;
        palFront* parent = &s->fronts[s->fronts[f].parent];
        s->children[parent->childStart + parent->childCount++] = f;
    }
}

// ---------------------------------------------------------------------------------------------
// Rows below

// The rows below front f: those of A in its columns and those of its children, except its pivots.
static void collectStructure(const palSymbolic* s, analysis* a, int f)
{
    const palSupernodes* super = &a->supernodes;
    const palOrdering* o = &a->ordering;
    int end = super->start[f + 1];
    int* list = a->structure + a->belowStart[f];
    int count = 0;
    for (int k = super->start[f]; k < end; k++)
    {
        int node = super->node[k];
        for (int e = o->start[node]; e < o->start[node + 1]; e++)
        {
            int place = a->place[o->neighbours[e]];
            if (place < end || a->mark[place] == f)
                continue;
            a->mark[place] = f;
            list[count++] = place;
        }
    }
    for (int c = 0; c < s->fronts[f].childCount; c++)
    {
        int child = s->children[s->fronts[f].childStart + c];
        for (int k = a->belowStart[child]; k < a->belowStart[child + 1]; k++)
        {
            int place = a->structure[k];
            if (place < end || a->mark[place] == f)
                continue;
            a->mark[place] = f;
            list[count++] = place;
        }
    }
    PAL_ASSERT(count == super->below[f]);
    qsort(list, (size_t)count, sizeof *list, compareInts);
}

static void fillRows(palSymbolic* s, const analysis* a)
{
    int at = 0;
    for (int f = 0; f < s->frontCount; f++)
    {
        palFront* front = &s->fronts[f];
        front->rowStart = at;
        for (int k = a->belowStart[f]; k < a->belowStart[f + 1]; k++)
            for (int axis = 0; axis < 3; axis++)
                s->rows[at++] = s->nodeRow[a->supernodes.node[a->structure[k]]] + axis;
        while (at < front->rowStart + front->belowStride)
            s->rows[at++] = s->rowCount;
    }
}

// The row in front f of the node at `place`.
static int rowInFront(const palSymbolic* s, const analysis* a, int f, int place)
{
    const palFront* front = &s->fronts[f];
    if (a->owner[place] == f)
        return s->nodeRow[a->supernodes.node[place]] - front->firstRow;
    const int* list = a->structure + a->belowStart[f];
    int low = 0;
    int high = front->below / 3;
    while (low < high)
    {
        int middle = (low + high) / 2;
        if (list[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return front->columns + 3 * low;
}

// Maps the rows of C to rows of the parent front, in contiguous runs. A run never extends from the
// parent's columns into its rows below.
static void findRuns(palSymbolic* s, const analysis* a)
{
    int count = 0;
    for (int f = 0; f < s->frontCount; f++)
    {
        palFront* front = &s->fronts[f];
        front->runStart = count;
        for (int k = a->belowStart[f]; k < a->belowStart[f + 1]; k++)
        {
            int from = 3 * (k - a->belowStart[f]);
            int to = rowInFront(s, a, front->parent, a->structure[k]);
            palRun* last = count > front->runStart ? &s->runs[count - 1] : NULL;
            if (last != NULL && last->to + last->count == to &&
                to != s->fronts[front->parent].columns)
                last->count += 3;
            else
                s->runs[count++] = (palRun){.from = from, .to = to, .count = 3};
        }
        front->runCount = count - front->runStart;
    }
}

// ---------------------------------------------------------------------------------------------
// Entries of A, and memory

static void placeEntry(palSymbolic* s, const analysis* a, int slot, int row, int column)
{
    // The node eliminated later is the row of L.
    bool transposed = a->place[row] < a->place[column];
    int first = transposed ? row : column;
    int second = transposed ? column : row;
    int f = a->owner[a->place[first]];
    palFront* front = &s->fronts[f];
    int offset = rowInFront(s, a, f, a->place[second]) +
                 front->stride * (s->nodeRow[first] - front->firstRow);
    s->entries[front->entryStart + front->entryCount++] =
        (palEntry){.slot = slot, .offset = offset, .transposed = transposed};
}

static void fillEntries(palSymbolic* s, const analysis* a, const palBlockMatrix* A)
{
    for (int pass = 0; pass < 2; pass++)
    {
        for (int i = 0; i < A->nodeCount; i++)
            for (int k = A->rowStart[i]; k < A->rowStart[i + 1]; k++)
            {
                int j = A->columns[k];
                int first = a->place[i] < a->place[j] ? a->place[i] : a->place[j];
                if (pass == 0)
                    s->fronts[a->owner[first]].entryCount++;
                else
                    placeEntry(s, a, k, i, j);
            }
        int at = 0;
        for (int f = 0; f < s->frontCount && pass == 0; f++)
        {
            s->fronts[f].entryStart = at;
            at += s->fronts[f].entryCount;
            s->fronts[f].entryCount = 0;
        }
    }
}

// Rounds a size up so that every block starts on a cache line.
static int64_t roundToCacheLine(int64_t numbers)
{
    return (numbers + 15) / 16 * 16;
}

static void placeMemory(palSymbolic* s, int* depth)
{
    for (int f = s->frontCount - 1; f >= 0; f--)
        depth[f] = s->fronts[f].parent != -1 ? depth[s->fronts[f].parent] + 1 : 0;
    int64_t top[2] = {0, 0};
    int64_t peak[2] = {0, 0};
    for (int f = 0; f < s->frontCount; f++)
    {
        palFront* front = &s->fronts[f];
        front->factorOffset = s->factorSize;
        s->factorSize += roundToCacheLine((int64_t)front->stride * front->columns);
        int side = depth[f] & 1;
        front->updateOffset = top[side];
        top[side] += roundToCacheLine((int64_t)front->belowStride * front->belowStride);
        peak[side] = top[side] > peak[side] ? top[side] : peak[side];
        if (front->childCount > 0)
            top[side ^ 1] = s->fronts[s->children[front->childStart]].updateOffset;
    }
    for (int f = 0; f < s->frontCount; f++)
        if (depth[f] & 1)
            s->fronts[f].updateOffset += peak[0];
    s->updateSize = peak[0] + peak[1];
}

// ---------------------------------------------------------------------------------------------

// Allocates the arrays whose sizes follow from those of the fronts.
static palResult allocateLists(palSymbolic* s, analysis* a, const palBlockMatrix* A,
                               palError* error)
{
    int64_t rows = 0;
    int64_t belows = 0;
    for (int f = 0; f < s->frontCount; f++)
    {
        a->belowStart[f] = (int)belows;
        belows += a->supernodes.below[f];
        rows += s->fronts[f].belowStride;
        if ((int64_t)s->fronts[f].stride * s->fronts[f].columns > INT_MAX)
            rows = INT64_MAX / 2;
        if (rows > INT_MAX / 2)
            return palError_Set(error, pal_errorInput,
                                "the factor of a matrix of %d nodes is too large", s->nodeCount);
    }
    a->belowStart[s->frontCount] = (int)belows;
    size_t r = (size_t)s->rowCount;
    a->structure = malloc(((size_t)belows + 1) * sizeof(int));
    s->rows = malloc(((size_t)rows + 1) * sizeof(int));
    s->runs = malloc(((size_t)belows + 1) * sizeof(palRun));
    s->entries = malloc((size_t)A->blockCount * sizeof(palEntry));
    s->rowDof = malloc(r * sizeof(int));
    s->rowFront = malloc(r * sizeof(int));
    if (a->structure == NULL || s->rows == NULL || s->runs == NULL || s->entries == NULL ||
        s->rowDof == NULL || s->rowFront == NULL)
        return outOfMemory(error, ((size_t)rows + r) * 4 * sizeof(int));
    return pal_ok;
}

static palResult analyse(palSymbolic* s, analysis* a, const palBlockMatrix* A, palError* error)
{
    size_t n = (size_t)A->nodeCount;
    palResult result = palOrdering_Init(&a->ordering, A, error);
    if (result == pal_ok)
        result = palSupernodes_Init(&a->supernodes, &a->ordering, error);
    if (result != pal_ok)
        return result;
    s->frontCount = a->supernodes.count;
    size_t fronts = (size_t)s->frontCount;
    s->fronts = calloc(fronts, sizeof *s->fronts);
    s->children = malloc(fronts * sizeof(int));
    s->nodeRow = malloc(n * sizeof(int));
    a->place = malloc(n * sizeof(int));
    a->owner = malloc(n * sizeof(int));
    a->mark = malloc(n * sizeof(int));
    a->belowStart = malloc((fronts + 1) * sizeof(int));
    if (s->fronts == NULL || s->children == NULL || s->nodeRow == NULL || a->place == NULL ||
        a->owner == NULL || a->mark == NULL || a->belowStart == NULL)
        return outOfMemory(error, n * 8 * sizeof(int));

    sizeFronts(s, a);
    result = allocateLists(s, a, A, error);
    if (result != pal_ok)
        return result;
    listRows(s);
    listChildren(s);
    memset(a->mark, -1, n * sizeof(int));
    for (int f = 0; f < s->frontCount; f++)
        collectStructure(s, a, f);
    fillRows(s, a);
    findRuns(s, a);
    fillEntries(s, a, A);
    placeMemory(s, a->mark);
    return pal_ok;
}

palResult palSymbolic_Init(palSymbolic* symbolic, const palBlockMatrix* A, int unit,
                           palError* error)
{
    analysis a = {0};
    *symbolic = (palSymbolic){.nodeCount = A->nodeCount, .entryCount = A->blockCount, .unit = unit};
    palResult result = analyse(symbolic, &a, A, error);
    palOrdering_Free(&a.ordering);
    palSupernodes_Free(&a.supernodes);
    free(a.place);
    free(a.owner);
    free(a.structure);
    free(a.belowStart);
    free(a.mark);
    if (result != pal_ok)
        palSymbolic_Free(symbolic);
    return result;
}

void palSymbolic_Free(palSymbolic* symbolic)
{
    free(symbolic->fronts);
    free(symbolic->rows);
    free(symbolic->children);
    free(symbolic->runs);
    free(symbolic->entries);
    free(symbolic->nodeRow);
    free(symbolic->rowDof);
    free(symbolic->rowFront);
    *symbolic = (palSymbolic){0};
}
