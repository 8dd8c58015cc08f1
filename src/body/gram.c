// SPDX-License-Identifier: Apache-2.0
#include "body/gram.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

// Directions whose part independent of the others is below this are dropped (its square root is the
// share of the length).
static const double leastIndependence = 1e-8;

enum
{
    eigenWholes = 3 + 5 * pal_modesMax, // that LAPACK's dsyevd asks for
};

static size_t eigenWork(int columns)
{
    return 1 + 6 * (size_t)columns + 2 * (size_t)columns * (size_t)columns; // likewise
}

// Two square matrices, eigenvalues, and the eigensolver's own.
size_t palGram_WorkSize(int columns)
{
    return 2 * (size_t)columns * (size_t)columns + (size_t)columns + eigenWork(columns);
}

// Eigenvalues, ascending, and eigenvectors, one a row, of the symmetric n x n matrix S whose upper
// triangle is given row by row. LAPACKE's other call would allocate its workspace in every step.
static bool findEigenvectors(int n, double* S, double* values, double* work)
{
    lapack_int wholes[eigenWholes];
    return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, S, n, values, work, (int)eigenWork(n),
                               wholes, eigenWholes) == 0;
}

// P = Q Λ^-½ of the Gram matrix S = Q Λ Qᵀ, dependent directions dropped: V P is orthonormal in M.
// Returns the number of directions; P is [columns][m] row by row.
static int orthonormalise(const palGram* gram, double* P, double* lambda, double* work)
{
    int c = gram->columns;
    double* S = gram->mass;
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

int palGram_Diagonalise(const palGram* gram, double* turn, double* k)
{
    int c = gram->columns;
    double* raw = gram->stiffness;
    double* P = gram->work;
    double* half = P + (size_t)c * (size_t)c;
    double* lambda = half + (size_t)c * (size_t)c;
    double* work = lambda + c;
    int m = c > 0 ? orthonormalise(gram, P, lambda, work) : 0;
    if (m == 0)
        return 0;

    // turn = P Z with Z the eigenvectors of Pᵀ (VᵀKV) P, whose eigenvalues are the modes' k.
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, c, m, c, 1.0, raw, c, P, m, 0.0, half,
                m);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, m, c, 1.0, P, m, half, m, 0.0, raw, m);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++)
            raw[j * m + i] = 0.5 * (raw[i * m + j] + raw[j * m + i]);
    if (!findEigenvectors(m, raw, k, work))
        return 0;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, c, m, m, 1.0, P, m, raw, m, 0.0, turn, m);
    return m;
}
