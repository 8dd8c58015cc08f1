// SPDX-License-Identifier: Apache-2.0
#include "linalg/block_tridiagonal.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    rows = pal_tridiagonalRows,
};

// A pivot smaller than this fraction of its diagonal entry is rounding error: the matrix is
// singular.
static const double relativePivotMin = 1e-15;

static palResult initBlocks(int blockCount, palBlock6** diagonal, palBlock6** lower,
                            palError* error)
{
    *diagonal = NULL;
    *lower = NULL;
    if (blockCount < 1)
    {
        palError_Set(error, pal_errorInput, "invalid block-tridiagonal matrix size: %d blocks",
                     blockCount);
        return palError_Remedy(error, "use at least one block");
    }
    *diagonal = calloc((size_t)blockCount, sizeof **diagonal);
    *lower = calloc((size_t)blockCount, sizeof **lower);
    if (*diagonal != NULL && *lower != NULL)
        return pal_ok;
    free(*diagonal);
    free(*lower);
    *diagonal = *lower = NULL;
    return palError_Memory(error, "a block-tridiagonal matrix",
                           2 * (size_t)blockCount * sizeof(palBlock6));
}

palResult palBlockTridiagonal_Init(palBlockTridiagonal* A, int blockCount, palError* error)
{
    A->blockCount = blockCount;
    return initBlocks(blockCount, &A->diagonal, &A->lower, error);
}

void palBlockTridiagonal_Free(palBlockTridiagonal* A)
{
    free(A->diagonal);
    free(A->lower);
    *A = (palBlockTridiagonal){0};
}

void palBlockTridiagonal_Clear(palBlockTridiagonal* A)
{
    memset(A->diagonal, 0, (size_t)A->blockCount * sizeof *A->diagonal);
    memset(A->lower, 0, (size_t)A->blockCount * sizeof *A->lower);
}

// y += A x
static void addProduct(const palBlock6* A, const double* x, double* y)
{
    for (int r = 0; r < rows; r++)
    {
        double sum = 0.0;
        for (int c = 0; c < rows; c++)
            sum += A->m[r][c] * x[c];
        y[r] += sum;
    }
}

// y += Aᵀ x
static void addTransposedProduct(const palBlock6* A, const double* x, double* y)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < rows; c++)
            y[c] += A->m[r][c] * x[r];
}

void palBlockTridiagonal_Multiply(const palBlockTridiagonal* A, const double* x, double* y)
{
    memset(y, 0, (size_t)A->blockCount * rows * sizeof *y);
    for (int i = 0; i < A->blockCount; i++)
    {
        addProduct(&A->diagonal[i], x + rows * i, y + rows * i);
        if (i + 1 == A->blockCount)
            break;
        addProduct(&A->lower[i], x + rows * i, y + rows * (i + 1));
        addTransposedProduct(&A->lower[i], x + rows * (i + 1), y + rows * i);
    }
}

palResult palTridiagonalFactor_Init(palTridiagonalFactor* L, int blockCount, palError* error)
{
    L->blockCount = blockCount;
    L->operations = 0;
    return initBlocks(blockCount, &L->diagonal, &L->lower, error);
}

void palTridiagonalFactor_Free(palTridiagonalFactor* L)
{
    free(L->diagonal);
    free(L->lower);
    *L = (palTridiagonalFactor){0};
}

// D ← D - B Bᵀ, the lower triangle.
static void subtractSquare(palBlock6* D, const palBlock6* B)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c <= r; c++)
        {
            double sum = 0.0;
            for (int k = 0; k < rows; k++)
                sum += B->m[r][k] * B->m[c][k];
            D->m[r][c] -= sum;
        }
}

// Replaces the lower triangle of D by its Cholesky factor, with reciprocals on the diagonal. Fixed
// rows and columns become zero. `entries` is the diagonal block of A, for the size of its diagonal.
static bool factorBlock(palBlock6* D, const palBlock6* entries, unsigned held)
{
    for (int c = 0; c < rows; c++)
    {
        bool isHeld = held >> c & 1u;
        double pivot = D->m[c][c];
        for (int k = 0; k < c; k++)
            pivot -= D->m[c][k] * D->m[c][k];
        if (!isHeld && !(pivot > relativePivotMin * entries->m[c][c]))
            return false;
        D->m[c][c] = isHeld ? 0.0 : 1.0 / sqrt(pivot);
        for (int r = c + 1; r < rows; r++)
        {
            double sum = D->m[r][c];
            for (int k = 0; k < c; k++)
                sum -= D->m[r][k] * D->m[c][k];
            D->m[r][c] = held >> r & 1u ? 0.0 : sum * D->m[c][c];
        }
    }
    return true;
}

// y ← L⁻¹ y
static void solveLower(const palBlock6* L, double* y)
{
    for (int r = 0; r < rows; r++)
    {
        double sum = y[r];
        for (int c = 0; c < r; c++)
            sum -= L->m[r][c] * y[c];
        y[r] = sum * L->m[r][r];
    }
}

// y ← L⁻ᵀ y
static void solveUpper(const palBlock6* L, double* y)
{
    for (int r = rows - 1; r >= 0; r--)
    {
        double value = y[r] * L->m[r][r];
        y[r] = value;
        for (int c = 0; c < r; c++)
            y[c] -= L->m[r][c] * value;
    }
}

bool palTridiagonalFactor_Factor(palTridiagonalFactor* L, const palBlockTridiagonal* A,
                                 const uint8_t* held)
{
    int n = L->blockCount;
    for (int i = 0; i < n; i++)
    {
        L->diagonal[i] = A->diagonal[i];
        if (i > 0)
            subtractSquare(&L->diagonal[i], &L->lower[i - 1]);
        if (!factorBlock(&L->diagonal[i], &A->diagonal[i], held != NULL ? held[i] : 0u))
            return false;
        if (i + 1 == n)
            break;
        // B = C L⁻ᵀ: a row of B is L⁻¹ times the row of C.
        L->lower[i] = A->lower[i];
        for (int r = 0; r < rows; r++)
        {
            bool isHeld = held != NULL && held[i + 1] >> r & 1u;
            if (isHeld)
                memset(L->lower[i].m[r], 0, sizeof L->lower[i].m[r]);
            else
                solveLower(&L->diagonal[i], L->lower[i].m[r]);
        }
    }
    L->operations += 3 * (int64_t)n - 2;
    return true;
}

void palTridiagonalFactor_Forward(palTridiagonalFactor* L, int first, double* y)
{
    int n = L->blockCount;
    for (int i = first; i < n; i++)
    {
        double* yi = y + rows * i;
        if (i > first)
        {
            double fromPrevious[rows] = {0};
            addProduct(&L->lower[i - 1], yi - rows, fromPrevious);
            for (int r = 0; r < rows; r++)
                yi[r] -= fromPrevious[r];
        }
        solveLower(&L->diagonal[i], yi);
    }
    L->operations += 2 * (int64_t)(n - first) - 1;
}

void palTridiagonalFactor_Backward(palTridiagonalFactor* L, int first, double* y)
{
    int n = L->blockCount;
    for (int i = n - 1; i >= first; i--)
    {
        double* yi = y + rows * i;
        if (i + 1 < n)
        {
            double fromNext[rows] = {0};
            addTransposedProduct(&L->lower[i], yi + rows, fromNext);
            for (int r = 0; r < rows; r++)
                yi[r] -= fromNext[r];
        }
        solveUpper(&L->diagonal[i], yi);
    }
    L->operations += 2 * (int64_t)(n - first) - 1;
}

void palTridiagonalFactor_Solve(palTridiagonalFactor* L, int first, double* x)
{
    memset(x, 0, (size_t)first * rows * sizeof *x);
    palTridiagonalFactor_Forward(L, first, x);
    palTridiagonalFactor_Backward(L, 0, x);
}
