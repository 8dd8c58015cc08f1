// SPDX-License-Identifier: Apache-2.0
#include "linalg/reach.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// Column ranges start and end at multiples of this, so that they consist of whole SIMD vectors.
enum
{
    columnUnit = 4,
};

static size_t roundColumns(int count)
{
    return ((size_t)count + columnUnit - 1) / columnUnit * columnUnit;
}

static void* allocateNumbers(palReach* reach, size_t count, size_t size)
{
    size_t bytes = (count * size / 64 + 1) * 64;
    void* memory = aligned_alloc(64, bytes);
    if (memory != NULL)
        memset(memory, 0, bytes);
    reach->bytes += bytes;
    return memory;
}

static palResult allocate(palReach* r, palError* error)
{
    const palSymbolic* s = &r->cholesky->symbolic;
    size_t fronts = (size_t)s->frontCount;
    size_t width = roundColumns(r->maxRows);
    r->fronts = allocateNumbers(r, fronts, sizeof(int));
    r->first = allocateNumbers(r, fronts, sizeof(int));
    r->last = allocateNumbers(r, fronts, sizeof(int));
    r->offset = allocateNumbers(r, fronts, sizeof(size_t));
    r->Z = allocateNumbers(r, (size_t)s->rowCount * width, sizeof(double));
    r->column = allocateNumbers(r, width, sizeof(int));
    r->keys = allocateNumbers(r, width, sizeof(uint64_t));
    r->touchedIndex = allocateNumbers(r, (size_t)s->nodeCount, sizeof(int));
    r->dofStart = allocateNumbers(r, width + 1, sizeof(int));
    r->dofNodes = allocateNumbers(r, width, sizeof(int));
    r->dofAxes = allocateNumbers(r, width, sizeof(palVec3));
    r->gram = allocateNumbers(r, width * width, sizeof(double));
    r->mapped = allocateNumbers(r, width * width, sizeof(double));
    r->vector = allocateNumbers(r, width, sizeof(double));
    r->spare = allocateNumbers(r, width, sizeof(double));
    r->below = allocateNumbers(r, (size_t)s->largestStride, sizeof(double*));
    r->packed = allocateNumbers(r, palFrontKernels_PackedSize((int)width), 1);
    if (r->fronts == NULL || r->first == NULL || r->last == NULL || r->offset == NULL ||
        r->Z == NULL || r->column == NULL || r->keys == NULL || r->touchedIndex == NULL ||
        r->dofStart == NULL || r->dofNodes == NULL || r->dofAxes == NULL || r->gram == NULL ||
        r->mapped == NULL || r->vector == NULL || r->spare == NULL || r->below == NULL ||
        r->packed == NULL)
        return palError_Memory(error, "the compliance of a body", r->bytes);
    memset(r->touchedIndex, -1, (size_t)s->nodeCount * sizeof(int));
    for (int c = 0; c <= (int)width; c++)
        r->dofStart[c] = c;
    return pal_ok;
}

palResult palReach_Create(const palCholesky* cholesky, int maxRows, int maxEntries,
                          palReach** reach, palError* error)
{
    *reach = NULL;
    if (maxRows < 1 || maxEntries < maxRows)
        return palError_Set(error, pal_errorInput,
                            "invalid compliance size: %d rows with %d entries", maxRows,
                            maxEntries);
    palReach* r = calloc(1, sizeof *r);
    if (r == NULL)
        return palError_Memory(error, "the compliance of a body", sizeof *r);
    r->cholesky = cholesky;
    r->maxRows = maxRows;
    r->maxEntries = maxEntries;
    palResult result = allocate(r, error);
    if (result == pal_ok)
        *reach = r;
    else
        palReach_Destroy(r);
    return result;
}

void palReach_Destroy(palReach* reach)
{
    if (reach == NULL)
        return;
    void* const owned[] = {reach->fronts,   reach->first,    reach->last,    reach->offset,
                           reach->Z,        reach->column,   reach->keys,    reach->touchedIndex,
                           reach->dofStart, reach->dofNodes, reach->dofAxes, reach->gram,
                           reach->mapped,   reach->vector,   reach->spare,   reach->below,
                           reach->packed};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(reach);
}

static bool areUsable(const palReach* r, const palSparseRows* J)
{
    if (J->count < 0 || J->count > r->maxRows || !r->cholesky->isFactored)
        return false;
    if (J->count > 0 && (J->start[0] != 0 || J->start[J->count] > r->maxEntries))
        return false;
    for (int i = 0; i < J->count; i++)
        if (J->start[i + 1] < J->start[i])
            return false;
    for (int e = 0; J->count > 0 && e < J->start[J->count]; e++)
        if (J->nodes[e] < 0 || J->nodes[e] >= r->cholesky->symbolic.nodeCount)
            return false;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Columns of Z: one per row of J or per touched dof, sorted by the start of their tree path

static void clearColumns(palReach* r)
{
    for (int c = 0; c < r->columns.count && r->byDofs; c += 3)
        r->touchedIndex[r->dofNodes[c]] = -1;
    r->byDofs = false;
    r->columns = r->rows = (palSparseRows){0};
    r->frontCount = 0;
}

// Numbers the touched nodes and uses one column per dof of theirs if these are fewer than three
// quarters of the rows; otherwise one column per row.
static void chooseColumns(palReach* r, const palSparseRows* J)
{
    static const palVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    int entries = J->count > 0 ? J->start[J->count] : 0;
    int dofs = 0;
    r->rows = *J;
    r->byDofs = true;
    for (int e = 0; e < entries && r->byDofs; e++)
    {
        int node = J->nodes[e];
        if (r->touchedIndex[node] >= 0)
            continue;
        r->byDofs = 4 * (dofs + 3) < 3 * J->count;
        if (!r->byDofs)
            break;
        r->touchedIndex[node] = dofs / 3;
        for (int axis = 0; axis < 3; axis++, dofs++)
        {
            r->dofNodes[dofs] = node;
            r->dofAxes[dofs] = axes[axis];
        }
    }
    for (int c = 0; c < dofs && !r->byDofs; c += 3)
        r->touchedIndex[r->dofNodes[c]] = -1;
    r->columns = *J;
    if (r->byDofs)
        r->columns = (palSparseRows){
            .count = dofs, .start = r->dofStart, .nodes = r->dofNodes, .values = r->dofAxes};
}

// Heap sort: in place, and bounded for every input.
static void sortKeys(int count, uint64_t* keys)
{
    int root = count / 2;
    int end = count;
    while (end > 1)
    {
        // First the heap is built by sifting down every root, then the largest key is moved to the
        // end, repeatedly.
        uint64_t key = root > 0 ? keys[--root] : keys[--end];
        if (root == 0 && end < count)
            keys[end] = keys[0];
        int at = root;
        for (int child = 2 * at + 1; child < end; child = 2 * at + 1)
        {
            if (child + 1 < end && keys[child] < keys[child + 1])
                child++;
            if (key >= keys[child])
                break;
            keys[at] = keys[child];
            at = child;
        }
        keys[at] = key;
    }
}

// Sorts the columns by the first padded row of their entries.
static void sortColumns(palReach* r)
{
    const palSymbolic* s = &r->cholesky->symbolic;
    const palSparseRows* E = &r->columns;
    for (int c = 0; c < E->count; c++)
    {
        int first = s->rowCount;
        for (int e = E->start[c]; e < E->start[c + 1]; e++)
            if (s->nodeRow[E->nodes[e]] < first)
                first = s->nodeRow[E->nodes[e]];
        r->keys[c] = (uint64_t)first << 32 | (uint64_t)c;
    }
    sortKeys(E->count, r->keys);
    for (int k = 0; k < E->count; k++)
        r->column[r->keys[k] & 0xffffffff] = k;
}

// ---------------------------------------------------------------------------------------------
// The reach

static void widen(palReach* r, int front, int first, int last)
{
    if (r->last[front] == 0 || first < r->first[front])
        r->first[front] = first;
    if (last > r->last[front])
        r->last[front] = last;
}

// Every column is entered at the fronts of its nodes; the ranges are then propagated up the tree.
static void findReach(palReach* r)
{
    const palSymbolic* s = &r->cholesky->symbolic;
    const palSparseRows* E = &r->columns;
    memset(r->last, 0, (size_t)s->frontCount * sizeof *r->last);
    for (int c = 0; c < E->count; c++)
        for (int e = E->start[c]; e < E->start[c + 1]; e++)
        {
            int first = r->column[c] / columnUnit * columnUnit;
            widen(r, s->rowFront[s->nodeRow[E->nodes[e]]], first, first + columnUnit);
        }
    size_t used = 0;
    for (int f = 0; f < s->frontCount; f++)
    {
        if (r->last[f] == 0)
            continue;
        r->fronts[r->frontCount++] = f;
        r->offset[f] = used;
        used += (size_t)s->fronts[f].columns * (size_t)(r->last[f] - r->first[f]);
        if (s->fronts[f].parent != -1)
            widen(r, s->fronts[f].parent, r->first[f], r->last[f]);
    }
    memset(r->Z, 0, used * sizeof *r->Z);
}

// The entry of Z in a padded row.
static double* at(const palReach* r, int row, int column)
{
    const palSymbolic* s = &r->cholesky->symbolic;
    int f = s->rowFront[row];
    size_t width = (size_t)(r->last[f] - r->first[f]);
    size_t inFront = (size_t)(row - s->fronts[f].firstRow);
    return r->Z + r->offset[f] + inFront * width + (size_t)(column - r->first[f]);
}

static void fillColumns(palReach* r)
{
    const palSparseRows* E = &r->columns;
    for (int c = 0; c < E->count; c++)
        for (int e = E->start[c]; e < E->start[c + 1]; e++)
        {
            int row = r->cholesky->symbolic.nodeRow[E->nodes[e]];
            *at(r, row, r->column[c]) += E->values[e].x;
            *at(r, row + 1, r->column[c]) += E->values[e].y;
            *at(r, row + 2, r->column[c]) += E->values[e].z;
        }
}

static void solveFront(palReach* r, int f)
{
    const palCholesky* c = r->cholesky;
    const palSymbolic* s = &c->symbolic;
    const palFront* front = &s->fronts[f];
    int first = r->first[f];
    int width = r->last[f] - first;
    for (int i = 0; i < front->belowStride; i++)
    {
        int row = s->rows[front->rowStart + i];
        r->below[i] = row < s->rowCount ? at(r, row, first) : r->spare;
    }
    const char* F = (const char*)c->factor + (size_t)front->factorOffset * c->kernels->size;
    c->kernels->forwardMany(front, F, width, r->Z + r->offset[f], (size_t)width, r->below);
}

bool palReach_Solve(palReach* reach, const palSparseRows* J)
{
    clearColumns(reach);
    if (!areUsable(reach, J))
        return false;
    chooseColumns(reach, J);
    sortColumns(reach);
    findReach(reach);
    fillColumns(reach);
    for (int k = 0; k < reach->frontCount; k++)
        solveFront(reach, reach->fronts[k]);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Products with Z

// gram = -Zᵀ Z by sorted columns, both triangles.
static void makeGram(palReach* r)
{
    const palSymbolic* s = &r->cholesky->symbolic;
    const palFrontKernels* kernels = palFrontKernels_Double();
    size_t width = roundColumns(r->columns.count);
    memset(r->gram, 0, width * width * sizeof *r->gram);
    for (int k = 0; k < r->frontCount; k++)
    {
        int f = r->fronts[k];
        int count = r->last[f] - r->first[f];
        kernels->gram(count, s->fronts[f].columns, r->Z + r->offset[f], (size_t)count,
                      r->gram + (size_t)r->first[f] * (width + 1), width, r->packed);
    }
    // The kernel computed the lower triangle, column-major: mirror it.
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < i; j++)
            r->gram[i * width + j] = r->gram[j * width + i];
}

// T = scale Zᵀ Z Sᵀ, [columns][rows]. The three dofs of a node are adjacent in sorted order.
static void mapColumns(palReach* r, double scale)
{
    const palSparseRows* J = &r->rows;
    size_t width = roundColumns(r->columns.count);
    for (int c = 0; c < r->columns.count; c++)
    {
        const double* G = r->gram + (size_t)c * width;
        double* T = r->mapped + (size_t)c * (size_t)J->count;
        for (int i = 0; i < J->count; i++)
        {
            double sum = 0.0;
            for (int e = J->start[i]; e < J->start[i + 1]; e++)
            {
                const double* g = G + r->column[3 * r->touchedIndex[J->nodes[e]]];
                palVec3 v = J->values[e];
                sum += v.x * g[0] + v.y * g[1] + v.z * g[2];
            }
            T[i] = -scale * sum;
        }
    }
}

// The lower triangle into the upper one, by tiles that fit in the cache.
static void mirror(double* W, int count, size_t stride)
{
    enum
    {
        tile = 16,
    };
    for (int a = 0; a < count; a += tile)
        for (int b = 0; b <= a; b += tile)
            for (int i = a; i < a + tile && i < count; i++)
                for (int j = b; j < b + tile && j < i; j++)
                    W[(size_t)j * stride + (size_t)i] = W[(size_t)i * stride + (size_t)j];
}

// W = S T
static void mapRows(const palReach* r, double* W, size_t stride)
{
    const palSparseRows* J = &r->rows;
    size_t rows = (size_t)J->count;
    for (int i = 0; i < J->count; i++)
    {
        double* row = W + (size_t)i * stride;
        memset(row, 0, ((size_t)i + 1) * sizeof *row);
        for (int e = J->start[i]; e < J->start[i + 1]; e++)
        {
            const double* t =
                r->mapped + (size_t)r->column[3 * r->touchedIndex[J->nodes[e]]] * rows;
            palVec3 v = J->values[e];
            for (int j = 0; j <= i; j++)
                row[j] += v.x * t[j] + v.y * t[rows + (size_t)j] + v.z * t[2 * rows + (size_t)j];
        }
    }
    mirror(W, J->count, stride);
}

void palReach_Gram(palReach* reach, double scale, double* W, size_t stride)
{
    makeGram(reach);
    if (reach->byDofs)
    {
        mapColumns(reach, scale);
        mapRows(reach, W, stride);
        return;
    }
    size_t width = roundColumns(reach->columns.count);
    for (int i = 0; i < reach->columns.count; i++)
    {
        const double* G = reach->gram + (size_t)reach->column[i] * width;
        for (int j = 0; j < reach->columns.count; j++)
            W[(size_t)i * stride + (size_t)j] = -scale * G[reach->column[j]];
    }
}

// vector = Zᵀ y, by sorted column.
static void transposeTimes(palReach* r, const double* y)
{
    const palSymbolic* s = &r->cholesky->symbolic;
    memset(r->vector, 0, roundColumns(r->columns.count) * sizeof *r->vector);
    for (int k = 0; k < r->frontCount; k++)
    {
        int f = r->fronts[k];
        int width = r->last[f] - r->first[f];
        const double* z = r->Z + r->offset[f];
        for (int i = 0; i < s->fronts[f].columns; i++, z += width)
            for (int c = 0; c < width; c++)
                r->vector[r->first[f] + c] += z[c] * y[s->fronts[f].firstRow + i];
    }
}

void palReach_Project(palReach* reach, const double* y, double* v)
{
    const palSparseRows* J = &reach->rows;
    const int* column = reach->column;
    transposeTimes(reach, y);
    for (int i = 0; i < J->count; i++)
    {
        if (!reach->byDofs)
        {
            v[i] = reach->vector[column[i]];
            continue;
        }
        v[i] = 0.0;
        for (int e = J->start[i]; e < J->start[i + 1]; e++)
        {
            const int* dof = column + 3 * reach->touchedIndex[J->nodes[e]];
            palVec3 a = J->values[e];
            v[i] += a.x * reach->vector[dof[0]] + a.y * reach->vector[dof[1]] +
                    a.z * reach->vector[dof[2]];
        }
    }
}

// vector = scale λ, or scale Sᵀ λ, by sorted column.
static void spread(palReach* r, double scale, const double* lambda)
{
    const palSparseRows* J = &r->rows;
    memset(r->vector, 0, roundColumns(r->columns.count) * sizeof *r->vector);
    for (int i = 0; i < J->count; i++)
    {
        if (!r->byDofs)
            r->vector[r->column[i]] = scale * lambda[i];
        for (int e = J->start[i]; r->byDofs && e < J->start[i + 1]; e++)
        {
            const int* dof = r->column + 3 * r->touchedIndex[J->nodes[e]];
            r->vector[dof[0]] += scale * lambda[i] * J->values[e].x;
            r->vector[dof[1]] += scale * lambda[i] * J->values[e].y;
            r->vector[dof[2]] += scale * lambda[i] * J->values[e].z;
        }
    }
}

void palReach_Add(palReach* reach, double scale, const double* lambda, double* y)
{
    const palSymbolic* s = &reach->cholesky->symbolic;
    spread(reach, scale, lambda);
    for (int k = 0; k < reach->frontCount; k++)
    {
        int f = reach->fronts[k];
        int width = reach->last[f] - reach->first[f];
        const double* z = reach->Z + reach->offset[f];
        const double* a = reach->vector + reach->first[f];
        for (int i = 0; i < s->fronts[f].columns; i++, z += width)
        {
            double sum = 0.0;
            for (int c = 0; c < width; c++)
                sum += z[c] * a[c];
            y[s->fronts[f].firstRow + i] += sum;
        }
    }
}
