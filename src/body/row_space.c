// SPDX-License-Identifier: Apache-2.0
#include "body/row_space.h"

#include "base/error.h"
#include "body/gram.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

enum
{
    fullDepth = 4,    // vectors a row: M⁻¹Jᵀ, x1, x2, x3
    instantDepth = 3, // from which on M⁻¹Jᵀ is one of them
};

_Static_assert((int)pal_rowSpaceColumns <= (int)pal_modesMax, "a mode for every column");

palResult palRowSpace_Init(palRowSpace* reduction, const palReducible* body, int rowCapacity,
                           palError* error)
{
    *reduction = (palRowSpace){.body = *body};
    openblas_set_num_threads(1); // threads that wait for each other stretch a step
    int least = rowCapacity + pal_rowSpaceExtras;
    reduction->rowCapacity = rowCapacity;
    reduction->columnCapacity = least > pal_rowSpaceColumns ? least : pal_rowSpaceColumns;
    int columnsMax = reduction->columnCapacity;
    size_t square = (size_t)columnsMax * (size_t)columnsMax;
    size_t size = (size_t)(body->size > 0 ? body->size : 1);
    size_t vectors = (size_t)columnsMax * size;
    reduction->V = calloc(vectors, sizeof(double));
    reduction->KV = calloc(vectors, sizeof(double));
    reduction->MV = calloc(vectors, sizeof(double));
    reduction->turn = calloc(square, sizeof(double));
    reduction->work = calloc(2 * square + palGram_WorkSize(columnsMax), sizeof(double));
    reduction->vectors = calloc(3 * size, sizeof(double));
    if (reduction->V && reduction->KV && reduction->MV && reduction->turn && reduction->work &&
        reduction->vectors)
        return pal_ok;
    palRowSpace_Free(reduction);
    return palError_Memory(error, "the response of a body", 3 * vectors * sizeof(double));
}

void palRowSpace_Free(palRowSpace* reduction)
{
    free(reduction->V);
    free(reduction->KV);
    free(reduction->MV);
    free(reduction->turn);
    free(reduction->work);
    free(reduction->vectors);
    *reduction = (palRowSpace){0};
}

static double* columnOf(const palRowSpace* reduction, double* columns, int index)
{
    return columns + (size_t)index * (size_t)reduction->body.size;
}

static double* vectorAt(const palRowSpace* reduction, int index)
{
    return columnOf(reduction, reduction->vectors, index);
}

//--------------------------------------------------------------------------------------------------
// Raw vectors

void palSparseRow_Add(const palSparseRow* row, double scale, double* x)
{
    for (int k = 0; k < row->count; k++)
        x[row->index[k]] += scale * row->value[k];
}

static double applyRow(const palSparseRow* row, const double* x)
{
    double sum = 0.0;
    for (int k = 0; k < row->count; k++)
        sum += row->value[k] * x[row->index[k]];
    return sum;
}

// Appends A⁻¹ of the `count` vectors in b.
static void appendSolutions(palRowSpace* reduction, const double* b, int count)
{
    reduction->body.solve(reduction->body.body, count, b,
                          columnOf(reduction, reduction->V, reduction->columnCount));
    reduction->columnCount += count;
}

// Appends A⁻¹ M x for the `count` columns from `first` on. MV is free until the columns stand.
static void appendSuccessors(palRowSpace* reduction, int first, int count)
{
    for (int k = 0; k < count; k++)
        reduction->body.mass(reduction->body.body, columnOf(reduction, reduction->V, first + k),
                             columnOf(reduction, reduction->MV, k));
    appendSolutions(reduction, reduction->MV, count);
}

// The rows as vectors in MV, and M⁻¹Jᵀ as the first columns where there is room for them.
static void collectRows(palRowSpace* reduction, const palSparseRow* rows, int rowCount, double h)
{
    const palReducible* body = &reduction->body;
    for (int r = 0; r < rowCount; r++)
    {
        double* b = columnOf(reduction, reduction->MV, r);
        memset(b, 0, (size_t)body->size * sizeof *b);
        palSparseRow_Add(&rows[r], 1.0, b);
    }
    reduction->columnCount = reduction->depth >= instantDepth ? rowCount : 0;
    body->instant(body->body, h, reduction->columnCount, reduction->MV, reduction->V);
}

// Returns false where the state is not finite.
static bool collectColumns(palRowSpace* reduction, const palSparseRow* rows, int rowCount,
                           const double* balance, double h)
{
    size_t size = (size_t)reduction->body.size;
    double* velocity = vectorAt(reduction, 1);
    double* unbalanced = columnOf(reduction, reduction->MV, rowCount);
    collectRows(reduction, rows, rowCount, h);
    memcpy(unbalanced, vectorAt(reduction, 0), size * sizeof *unbalanced);
    for (size_t i = 0; i < size; i++)
        unbalanced[i] += balance[i];
    int first = reduction->columnCount;
    appendSolutions(reduction, reduction->MV, rowCount + 1);
    // The body settles along this one.
    if (!reduction->body.refine(reduction->body.body, unbalanced,
                                columnOf(reduction, reduction->V, first + rowCount)))
        return false;
    if (reduction->depth > 1)
        appendSuccessors(reduction, first, rowCount + 1);
    else
        appendSuccessors(reduction, first + rowCount, 1);
    if (reduction->depth >= fullDepth)
        appendSuccessors(reduction, first + rowCount + 1, rowCount);
    memcpy(columnOf(reduction, reduction->V, reduction->columnCount++), velocity,
           size * sizeof *velocity);
    return true;
}

// Scales every column to length 1 in M and fills MV; a zero column stays zero.
static void normaliseColumns(palRowSpace* reduction)
{
    const palReducible* body = &reduction->body;
    for (int j = 0; j < reduction->columnCount; j++)
    {
        double* x = columnOf(reduction, reduction->V, j);
        double* Mx = columnOf(reduction, reduction->MV, j);
        body->mass(body->body, x, Mx);
        double squared = cblas_ddot(body->size, x, 1, Mx, 1);
        double scale = squared > 0.0 ? 1.0 / sqrt(squared) : 0.0;
        cblas_dscal(body->size, scale, x, 1);
        cblas_dscal(body->size, scale, Mx, 1);
    }
}

//--------------------------------------------------------------------------------------------------
// Modes

// V Xᵀ of two sets of columns, symmetrised, upper triangle.
static void makeGram(const palRowSpace* reduction, const double* X, double* S)
{
    int c = reduction->columnCount;
    int n = reduction->body.size;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, c, c, n, 1.0, reduction->V, n, X, n, 0.0,
                S, c);
    for (int i = 0; i < c; i++)
        for (int j = 0; j < i; j++)
            S[j * c + i] = S[i * c + j] = 0.5 * (S[i * c + j] + S[j * c + i]);
}

// K times the columns, and the modes. Returns whether there are any.
static bool makeModes(palRowSpace* reduction)
{
    const palReducible* body = &reduction->body;
    palModes* modes = &reduction->modes;
    for (int j = 0; j < reduction->columnCount; j++)
        body->stiffness(body->body, columnOf(reduction, reduction->V, j),
                        columnOf(reduction, reduction->KV, j));
    size_t square = (size_t)reduction->columnCapacity * (size_t)reduction->columnCapacity;
    palGram gram = {
        .columns = reduction->columnCount,
        .mass = reduction->work,
        .stiffness = reduction->work + square,
        .work = reduction->work + 2 * square,
    };
    makeGram(reduction, reduction->MV, gram.mass);
    makeGram(reduction, reduction->KV, gram.stiffness);
    modes->count = palGram_Diagonalise(&gram, reduction->turn, modes->k);
    return modes->count > 0;
}

// Whether A(h*) is positive definite as far as the modes show; k[0] is the least.
static bool isDefinite(const palRowSpace* reduction)
{
    const palReducible* body = &reduction->body;
    double h = pal_rowSpaceStep;
    return 1.0 + h * body->alpha + (h * body->beta + h * h) * reduction->modes.k[0] > 0.0;
}

// y[mode] = Σ turn[column][mode] along[column]
static void toModes(const palRowSpace* reduction, const double* along, double* y)
{
    int m = reduction->modes.count;
    memset(y, 0, (size_t)m * sizeof *y);
    for (int j = 0; j < reduction->columnCount; j++)
        for (int i = 0; i < m && along[j] != 0.0; i++)
            y[i] += reduction->turn[j * m + i] * along[j];
}

static void projectVector(const palRowSpace* reduction, const double* columns, const double* x,
                          double* y)
{
    double along[pal_modesMax];
    int n = reduction->body.size;
    for (int j = 0; j < reduction->columnCount; j++)
        along[j] = cblas_ddot(n, columns + (size_t)j * (size_t)n, 1, x, 1);
    toModes(reduction, along, y);
}

static int depthFor(int rowCount)
{
    for (int depth = fullDepth; depth > 1; depth--)
        if (depth * rowCount + pal_rowSpaceExtras <= pal_rowSpaceColumns)
            return depth;
    return 1;
}

bool palRowSpace_Build(palRowSpace* reduction, const palSparseRow* rows, int rowCount,
                       const double* balance, double h)
{
    const palReducible* body = &reduction->body;
    palModes* modes = &reduction->modes;
    modes->count = 0;
    reduction->columnCount = 0;
    reduction->depth = depthFor(rowCount);
    reduction->factored = body->size > 0 && rowCount <= reduction->rowCapacity &&
                          body->factor(body->body, pal_rowSpaceStep);
    if (!reduction->factored)
        return false;
    body->state(body->body, vectorAt(reduction, 0), vectorAt(reduction, 1));
    reduction->factored = collectColumns(reduction, rows, rowCount, balance, h);
    if (!reduction->factored)
        return false;
    normaliseColumns(reduction);
    if (!makeModes(reduction))
        return false;
    if (!isDefinite(reduction) && body->makeSafe(body->body) && !makeModes(reduction))
        return false;
    for (int i = 0; i < modes->count; i++)
        modes->k[i] = fmax(0.0, modes->k[i]); // rounding of rigid motions
    palModes_SetStep(modes, h, body->alpha, body->beta);
    // g, and the velocity at the start: it is one of the raw vectors, so that nothing of it is
    // lost.
    projectVector(reduction, reduction->V, vectorAt(reduction, 0), modes->g);
    projectVector(reduction, reduction->MV, vectorAt(reduction, 1), modes->v0);
    return true;
}

void palRowSpace_Project(const palRowSpace* reduction, const palSparseRow* row, double* b)
{
    double along[pal_modesMax];
    for (int j = 0; j < reduction->columnCount; j++)
        along[j] = applyRow(row, columnOf(reduction, reduction->V, j));
    toModes(reduction, along, b);
}

// Σ columns · (turn · coefficients)
static void expand(const palRowSpace* reduction, const double* coefficients, double* x)
{
    int m = reduction->modes.count;
    int n = reduction->body.size;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int j = 0; j < reduction->columnCount; j++)
    {
        double along = cblas_ddot(m, reduction->turn + j * m, 1, coefficients, 1);
        cblas_daxpy(n, along, columnOf(reduction, reduction->V, j), 1, x, 1);
    }
}

void palRowSpace_Move(palRowSpace* reduction, const palModesState* state)
{
    double* dx = vectorAt(reduction, 0);
    double* velocity = vectorAt(reduction, 1);
    expand(reduction, state->q, dx);
    expand(reduction, state->v, velocity);
    reduction->body.move(reduction->body.body, dx, velocity);
}

void palModes_AddCompliance(const palModes* modes, double h, double alpha, double beta,
                            const double* B, int width, const int* row, int count, double* W,
                            int stride)
{
    double scaled[pal_modesMax];
    for (int i = 0; i < count; i++)
    {
        const double* b = B + (size_t)i * (size_t)width;
        int atI = row != NULL ? row[i] : i;
        for (int k = 0; k < modes->count; k++)
        {
            double a = 1.0 / (1.0 + h * (alpha + beta * modes->k[k]) + h * h * modes->k[k]);
            scaled[k] = h * h * a * b[k];
        }
        for (int j = 0; j <= i; j++)
        {
            int atJ = row != NULL ? row[j] : j;
            double w = palModes_Sum(modes, scaled, B + (size_t)j * (size_t)width);
            W[(size_t)atI * (size_t)stride + (size_t)atJ] += w;
            if (j < i)
                W[(size_t)atJ * (size_t)stride + (size_t)atI] += w;
        }
    }
}
