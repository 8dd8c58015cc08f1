// SPDX-License-Identifier: Apache-2.0
#include "body/reduction.h"

#include "base/error.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

// Directions whose part independent of the others is below this are dropped (its square root is the
// share of the length).
static const double leastIndependence = 1e-8;

enum
{
    eigenWholes = 3 + 5 * pal_modesMax, // required by LAPACK's dsyevd
    productRows = 16,                   // of a triangle, that are made at once
};

//--------------------------------------------------------------------------------------------------
// Making

palResult palReducedBody_Init(palReducedBody* body, const palReducible* ops, int columns,
                              palError* error)
{
    size_t numbers = (size_t)columns * ((size_t)ops->size + 1);
    openblas_set_num_threads(1); // threads that wait for each other stretch a step
    *body = (palReducedBody){
        .ops = *ops,
        .V = calloc(numbers, sizeof(double)),
        .KV = calloc(numbers, sizeof(double)),
        .MV = calloc(numbers, sizeof(double)),
        .columns = columns,
    };
    if (body->V && body->KV && body->MV)
        return pal_ok;
    palReducedBody_Free(body);
    return palError_Memory(error, "the response of a body", 3 * numbers * sizeof(double));
}

void palReducedBody_Free(palReducedBody* body)
{
    free(body->V);
    free(body->KV);
    free(body->MV);
    *body = (palReducedBody){0};
}

static size_t eigenWork(int columns)
{
    return 1 + 6 * (size_t)columns + 2 * (size_t)columns * (size_t)columns; // required by dsyevd
}

// VᵀMV, VᵀKV, two matrices more, eigenvalues, and the eigensolver's own.
size_t palReduction_WorkSize(int columns)
{
    return 4 * (size_t)columns * (size_t)columns + (size_t)columns + eigenWork(columns);
}

palResult palReduction_Init(palReduction* reduction, int columns, double* work, palError* error)
{
    size_t square = (size_t)columns * (size_t)columns;
    *reduction = (palReduction){.turn = calloc(square, sizeof(double)), .work = work};
    return reduction->turn != NULL
               ? pal_ok
               : palError_Memory(error, "the modes of a body", square * sizeof(double));
}

void palReduction_Free(palReduction* reduction)
{
    free(reduction->turn);
    reduction->turn = NULL;
}

//--------------------------------------------------------------------------------------------------
// Columns

void palReduction_Normalise(const palReduction* reduction, int first, int count)
{
    for (int j = first; j < first + count; j++)
    {
        double squared = 0.0;
        for (int b = 0; b < reduction->bodyCount; b++)
        {
            const palReducedBody* body = reduction->bodies[b];
            const double* x = palReducedBody_Column(body, j);
            body->ops.mass(body->ops.body, 1, x, body->KV);
            squared += cblas_ddot(body->ops.size, x, 1, body->KV, 1);
        }
        double scale = squared > 0.0 ? 1.0 / sqrt(squared) : 0.0;
        for (int b = 0; b < reduction->bodyCount; b++)
        {
            double* x = palReducedBody_Column(reduction->bodies[b], j);
            for (int i = 0; i < reduction->bodies[b]->ops.size; i++)
                x[i] *= scale;
        }
    }
}

void palReduction_Store(const palReduction* reduction, int column, int right)
{
    for (int b = 0; b < reduction->bodyCount; b++)
    {
        const palReducedBody* body = reduction->bodies[b];
        memcpy(palReducedBody_Column(body, column), palReducedBody_Right(body, right),
               (size_t)body->ops.size * sizeof(double));
    }
    palReduction_Normalise(reduction, column, 1);
}

//--------------------------------------------------------------------------------------------------
// Products of the columns

static int columnsOf(const palReduction* reduction)
{
    return reduction->unitCount + reduction->denseCount;
}

// K and M times the dense columns.
static void multiplyColumns(const palReduction* reduction)
{
    for (int b = 0; b < reduction->bodyCount; b++)
    {
        const palReducedBody* body = reduction->bodies[b];
        body->ops.stiffness(body->ops.body, reduction->denseCount, body->V, body->KV, body->MV);
        body->ops.mass(body->ops.body, reduction->denseCount, body->V, body->MV);
    }
}

// Adds one body's share of VᵀMV, or of VᵀKV, to the upper triangle of S.
static void addProducts(const palReduction* reduction, int b, bool isStiffness, double* S)
{
    const palReducedBody* body = reduction->bodies[b];
    const double* X = isStiffness ? body->KV : body->MV;
    int u = reduction->unitCount, d = reduction->denseCount, c = u + d, n = body->ops.size;
    for (int i = 0; i < d; i += productRows)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans,
                    d - i < productRows ? d - i : productRows, d - i, n, 1.0,
                    body->V + (size_t)i * (size_t)n, n, X + (size_t)i * (size_t)n, n, 1.0,
                    S + (u + i) * c + u + i, c);
    for (int i = 0; i < u; i++)
    {
        int row = reduction->unitRow[i];
        double scale = reduction->unitScale[i];
        if (reduction->unitBody[i] != b)
            continue;
        for (int j = i; j < u; j++)
        {
            if (reduction->unitBody[j] != b)
                continue;
            S[i * c + j] += isStiffness
                                ? scale * reduction->unitScale[j] *
                                      body->ops.entry(body->ops.body, row, reduction->unitRow[j])
                                : row == reduction->unitRow[j];
        }
        for (int j = 0; j < d; j++)
            S[i * c + u + j] += scale * X[(size_t)j * (size_t)n + (size_t)row];
    }
}

static void clearSquare(const palReduction* reduction, double* S)
{
    size_t c = (size_t)columnsOf(reduction);
    memset(S, 0, c * c * sizeof *S);
}

//--------------------------------------------------------------------------------------------------
// Modes

// Eigenvalues, ascending, and eigenvectors, one a row, of the symmetric n x n matrix S whose upper
// triangle is given row by row. LAPACKE's other call would allocate its workspace in every step.
static bool findEigenvectors(int n, double* S, double* values, double* work)
{
    lapack_int wholes[eigenWholes];
    return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, S, n, values, work, (int)eigenWork(n),
                               wholes, eigenWholes) == 0;
}

// P = Q Λ^-½ of the Gram matrix S = Q Λ Qᵀ, dependent directions dropped: V P is orthonormal in M.
// Returns the number of directions; P is [c][m] row by row.
static int orthonormalise(int c, double* S, double* P, double* lambda, double* work)
{
    if (!findEigenvectors(c, S, lambda, work))
        return 0;
    double least = leastIndependence * lambda[c - 1];
    int first = 0;
    while (first < c && !(lambda[first] > least))
        first++;
    int m = c - first;
    for (int i = 0; i < c; i++)
        for (int j = 0; j < m; j++)
            P[i * m + j] = S[(first + j) * c + i] / sqrt(lambda[first + j]);
    return m;
}

// turn and k: V turned so that it is orthonormal in M and VᵀKV diagonal. Returns how many modes
// there are.
static int diagonalise(palReduction* reduction)
{
    int c = columnsOf(reduction);
    size_t square = (size_t)c * (size_t)c;
    double* S = reduction->work;
    double* raw = S + square;
    double* P = raw + square;
    double* half = P + square;
    double* lambda = half + square;
    double* work = lambda + c;
    clearSquare(reduction, S);
    clearSquare(reduction, raw);
    for (int b = 0; b < reduction->bodyCount; b++)
    {
        addProducts(reduction, b, false, S);
        addProducts(reduction, b, true, raw);
    }
    int m = c > 0 ? orthonormalise(c, S, P, lambda, work) : 0;
    if (m == 0)
        return 0;

    // turn = P Z with Z the eigenvectors of Pᵀ (VᵀKV) P, whose eigenvalues are the modes' k.
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, c, m, 1.0, raw, c, P, m, 0.0, half, m);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, m, c, 1.0, P, m, half, m, 0.0, raw, m);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++)
            raw[j * m + i] = 0.5 * (raw[i * m + j] + raw[j * m + i]);
    if (!findEigenvectors(m, raw, reduction->modes.k, work))
        return 0;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, c, m, m, 1.0, P, m, raw, m, 0.0,
                reduction->turn, m);
    return m;
}

// Whether A(h*) is positive definite as far as the modes show; k[0] is the least. Where it is not,
// bodies take a safe K. Returns whether one did.
static bool takeSafe(const palReduction* reduction)
{
    double h = pal_reductionStep;
    bool isTaken = false;
    for (int b = 0; b < reduction->bodyCount; b++)
    {
        const palReducible* ops = &reduction->bodies[b]->ops;
        bool isDefinite =
            1.0 + h * ops->alpha + (h * ops->beta + h * h) * reduction->modes.k[0] > 0.0;
        isTaken |= !isDefinite && ops->makeSafe(ops->body);
    }
    return isTaken;
}

// Σ turn[i][m] P[i][j] turn[j][m] for every mode m: the share of each on one body, of its mass (all
// bodies together 1) or of its stiffness k.
static void findShares(const palReduction* reduction, int b, bool isStiffness, double* shares)
{
    int c = columnsOf(reduction), m = reduction->modes.count;
    double* P = reduction->work;
    double* half = P + (size_t)c * (size_t)c;
    clearSquare(reduction, P);
    addProducts(reduction, b, isStiffness, P);
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, c, m, 1.0, P, c, reduction->turn, m, 0.0,
                half, m);
    for (int i = 0; i < m; i++)
        shares[i] = cblas_ddot(c, reduction->turn + i, m, half + i, m);
}

// Damping of the modes: Rayleigh's of each body by its share.
static void setDamping(palReduction* reduction, double h)
{
    palModes* modes = &reduction->modes;
    const palReducible* first = &reduction->bodies[0]->ops;
    bool isSame = true;
    for (int b = 1; b < reduction->bodyCount; b++)
        isSame &= reduction->bodies[b]->ops.alpha == first->alpha &&
                  reduction->bodies[b]->ops.beta == first->beta;
    palModes_SetStep(modes, h, first->alpha, first->beta);
    if (isSame)
        return;
    memset(modes->d, 0, (size_t)modes->count * sizeof *modes->d);
    for (int b = 0; b < reduction->bodyCount; b++)
    {
        const palReducible* ops = &reduction->bodies[b]->ops;
        double mass[pal_modesMax], stiffness[pal_modesMax];
        findShares(reduction, b, false, mass);
        findShares(reduction, b, true, stiffness);
        for (int i = 0; i < modes->count; i++)
            modes->d[i] += ops->alpha * mass[i] + ops->beta * fmax(0.0, stiffness[i]);
    }
    palModes_SetTime(modes, h);
}

// y[mode] = Σ turn[column][mode] (V[column] · x), x stacked: right-hand side `right` of each body.
static void projectRight(const palReduction* reduction, int right, double* y)
{
    int u = reduction->unitCount, m = reduction->modes.count;
    double along[pal_modesMax];
    for (int j = 0; j < u; j++)
        along[j] = reduction->unitScale[j] *
                   palReducedBody_Right(reduction->bodies[reduction->unitBody[j]],
                                        right)[reduction->unitRow[j]];
    for (int b = 0; b < reduction->bodyCount; b++)
    {
        const palReducedBody* body = reduction->bodies[b];
        int n = body->ops.size;
        cblas_dgemv(CblasRowMajor, CblasNoTrans, reduction->denseCount, n, 1.0, body->V, n,
                    palReducedBody_Right(body, right), 1, b > 0 ? 1.0 : 0.0, along + u, 1);
    }
    cblas_dgemv(CblasRowMajor, CblasTrans, columnsOf(reduction), m, 1.0, reduction->turn, m, along,
                1, 0.0, y, 1);
}

bool palReduction_FindModes(palReduction* reduction, double h)
{
    palModes* modes = &reduction->modes;
    multiplyColumns(reduction);
    modes->count = diagonalise(reduction);
    if (modes->count > 0 && takeSafe(reduction))
    {
        multiplyColumns(reduction);
        modes->count = diagonalise(reduction);
    }
    if (modes->count == 0)
        return false;
    // A loaded body that turns has a negative stiffness, which its contacts hold: without it the
    // model would keep the arms of forces as they are. More of it than A(h*) bears would grow too
    // far until the next model. What has a safe K anyway is negative by rounding only.
    double least = 0.0;
    for (int b = 0; b < reduction->bodyCount; b++)
        least = fmin(least, -reduction->bodies[b]->ops.softening);
    for (int i = 0; i < modes->count; i++)
        modes->k[i] = fmax(least, modes->k[i]);
    setDamping(reduction, h);

    // g and the velocity at the start; v is one of the columns, so that nothing of it is lost but
    // what ties forbid.
    for (int b = 0; b < reduction->bodyCount; b++)
    {
        const palReducedBody* body = reduction->bodies[b];
        body->ops.state(body->ops.body, palReducedBody_Right(body, 0), body->KV);
        body->ops.mass(body->ops.body, 1, body->KV, palReducedBody_Right(body, 1));
    }
    projectRight(reduction, 0, modes->g);
    projectRight(reduction, 1, modes->v0);
    return true;
}

//--------------------------------------------------------------------------------------------------
// Rows and motion

void palReduction_Project(const palReduction* reduction, int body, const palSparseRow* row,
                          double* b)
{
    int u = reduction->unitCount, m = reduction->modes.count;
    memset(b, 0, (size_t)m * sizeof *b);
    for (int j = 0; j < columnsOf(reduction); j++)
    {
        const double* x = j < u ? NULL : palReducedBody_Column(reduction->bodies[body], j - u);
        const double* turn = reduction->turn + j * m;
        double along = 0.0;
        if (j < u && reduction->unitBody[j] != body)
            continue;
        for (int k = 0; k < row->count; k++)
        {
            double unit =
                j < u && reduction->unitRow[j] == row->index[k] ? reduction->unitScale[j] : 0.0;
            along += row->value[k] * (j < u ? unit : x[row->index[k]]);
        }
        for (int i = 0; i < m && along != 0.0; i++)
            b[i] += turn[i] * along;
    }
}

void palReduction_Expand(const palReduction* reduction, const double* coefficients, int right)
{
    int u = reduction->unitCount, m = reduction->modes.count;
    double along[pal_modesMax];
    cblas_dgemv(CblasRowMajor, CblasNoTrans, columnsOf(reduction), m, 1.0, reduction->turn, m,
                coefficients, 1, 0.0, along, 1);
    for (int b = 0; b < reduction->bodyCount; b++)
    {
        const palReducedBody* body = reduction->bodies[b];
        int n = body->ops.size;
        cblas_dgemv(CblasRowMajor, CblasTrans, reduction->denseCount, n, 1.0, body->V, n, along + u,
                    1, 0.0, palReducedBody_Right(body, right), 1);
    }
    for (int j = 0; j < u; j++)
        palReducedBody_Right(reduction->bodies[reduction->unitBody[j]],
                             right)[reduction->unitRow[j]] += reduction->unitScale[j] * along[j];
}

void palReduction_Move(const palReduction* reduction, const palModesState* state)
{
    if (reduction->modes.count == 0)
        return;
    palReduction_Expand(reduction, state->q, 0);
    palReduction_Expand(reduction, state->v, 1);
    for (int b = 0; b < reduction->bodyCount; b++)
    {
        const palReducedBody* body = reduction->bodies[b];
        body->ops.move(body->ops.body, palReducedBody_Right(body, 0),
                       palReducedBody_Right(body, 1));
    }
}

void palReduction_Archive(palReduction* reduction, palArchive* archive)
{
    PAL_ARCHIVE(archive, reduction->unitCount);
    PAL_ARCHIVE(archive, reduction->denseCount);
    PAL_ARCHIVE_ARRAY(archive, reduction->unitBody, reduction->unitCount);
    PAL_ARCHIVE_ARRAY(archive, reduction->unitRow, reduction->unitCount);
    PAL_ARCHIVE_ARRAY(archive, reduction->unitScale, reduction->unitCount);
    palModes_Archive(&reduction->modes, archive);
    PAL_ARCHIVE_ARRAY(archive, reduction->turn, columnsOf(reduction) * reduction->modes.count);
}

void palReducedBody_Archive(palReducedBody* body, int columns, palArchive* archive)
{
    PAL_ARCHIVE_ARRAY(archive, body->V, (size_t)columns * (size_t)body->ops.size);
}
