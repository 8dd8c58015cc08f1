// SPDX-License-Identifier: Apache-2.0
#include "body/reduction.h"

#include "body/response.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

// Directions whose part independent of the others is below this are dropped (its square root is the
// share of the length).
static const double leastIndependence = 1e-8;

enum
{
    columnsMax = pal_responseColumnsMax,
    square = columnsMax * columnsMax,
    eigenWork = 1 + 6 * columnsMax + 2 * square, // that LAPACK's dsyevd asks for
    eigenWholes = 3 + 5 * columnsMax,
};

size_t palReduction_WorkSize(void)
{
    return 3 * (size_t)square + columnsMax + eigenWork;
}

// Pieces of `work`: three square matrices, eigenvalues, and the eigensolver's own.
static double* squareAt(const palReduction* r, int index)
{
    return r->work + (size_t)index * square;
}

// Eigenvalues, ascending, and eigenvectors, one a row, of the symmetric n x n matrix S whose upper
// triangle is given row by row. LAPACKE's other call would allocate its workspace in every step.
static bool findEigenvectors(const palReduction* r, int n, double* S, double* values)
{
    lapack_int wholes[eigenWholes];
    double* work = r->work + 3 * (size_t)square + columnsMax;
    return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, S, n, values, work, eigenWork, wholes,
                               eigenWholes) == 0;
}

static int rowCount(const palReduction* r)
{
    return 3 * r->K->nodeCount;
}

// The upper triangle of the Gram matrix of M^½ V.
static void fillGram(const palReduction* r, double* S)
{
    int n = rowCount(r);
    int u = r->unitCount, d = r->denseCount, c = u + d;
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, d, n, 1.0, r->W, n, 0.0, S + u * c + u, c);
    for (int i = 0; i < u; i++)
    {
        for (int j = i; j < u; j++)
            S[i * c + j] = r->unitRow[i] == r->unitRow[j];
        for (int j = 0; j < d; j++)
            S[i * c + u + j] = r->W[(size_t)j * (size_t)n + (size_t)r->unitRow[i]];
    }
}

// An entry of K.
static double entryOf(const palBlockMatrix* K, int row, int column)
{
    int high = row > column ? row : column;
    int low = row > column ? column : row;
    int slot = palBlockMatrix_Slot(K, high / 3, low / 3);
    return slot >= 0 ? K->blocks[slot].m[high % 3][low % 3] : 0.0;
}

// VᵀKV.
static void fillStiffness(const palReduction* r, double* raw)
{
    int n = rowCount(r);
    int u = r->unitCount, d = r->denseCount, c = u + d;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, d, d, n, 1.0, r->V, n, r->KV, n, 0.0,
                raw + u * c + u, c);
    for (int i = 0; i < u; i++)
    {
        for (int j = 0; j < u; j++)
            raw[i * c + j] =
                r->unitScale[i] * r->unitScale[j] * entryOf(r->K, r->unitRow[i], r->unitRow[j]);
        for (int j = 0; j < d; j++)
            raw[i * c + u + j] = raw[(u + j) * c + i] =
                r->unitScale[i] * r->KV[(size_t)j * (size_t)n + (size_t)r->unitRow[i]];
    }
}

// P = Q Λ^-½ of the Gram matrix S = Q Λ Qᵀ, dependent directions dropped: V P is orthonormal in M.
// Returns the number of directions; P is [columns][m] row by row.
static int orthonormalise(const palReduction* r, double* P)
{
    int c = r->unitCount + r->denseCount;
    double* S = squareAt(r, 0);
    double* lambda = r->work + 3 * (size_t)square;
    fillGram(r, S);
    if (!findEigenvectors(r, c, S, lambda))
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

int palReduction_Diagonalise(const palReduction* reduction, double* turn, double* k)
{
    const palReduction* r = reduction;
    int c = r->unitCount + r->denseCount;
    double* raw = squareAt(r, 0);
    double* P = squareAt(r, 1);
    double* half = squareAt(r, 2);
    int m = orthonormalise(r, P);
    if (m == 0)
        return 0;

    // turn = P Z with Z the eigenvectors of Pᵀ (VᵀKV) P, whose eigenvalues are the modes' k.
    fillStiffness(r, raw);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, c, m, c, 1.0, raw, c, P, m, 0.0, half,
                m);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, m, c, 1.0, P, m, half, m, 0.0, raw, m);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++)
            raw[j * m + i] = 0.5 * (raw[i * m + j] + raw[j * m + i]);
    if (!findEigenvectors(r, m, raw, k))
        return 0;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, c, m, m, 1.0, P, m, raw, m, 0.0, turn, m);
    return m;
}
