// SPDX-License-Identifier: Apache-2.0
// Matrices of every shape for the tests of the linear algebra, and what is measured on them.
#ifndef PAL_TESTS_LINALG_MATRICES_H
#define PAL_TESTS_LINALG_MATRICES_H

#include "../../bench/elastic_block.h"
#include "base/random.h"
#include "check.h"

// The matrix as a dense one, row by row, both triangles.
static inline double* denseOf(const palBlockMatrix* A)
{
    size_t n = 3 * (size_t)A->nodeCount;
    double* dense = calloc(n * n, sizeof *dense);
    for (int i = 0; i < A->nodeCount; i++)
        for (int k = A->rowStart[i]; k < A->rowStart[i + 1]; k++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                {
                    size_t row = 3 * (size_t)i + (size_t)a;
                    size_t column = 3 * (size_t)A->columns[k] + (size_t)b;
                    dense[row * n + column] = A->blocks[k].m[a][b];
                    dense[column * n + row] = A->blocks[k].m[a][b];
                }
    return dense;
}

static inline void randomVector(palRandom* random, int count, double* v)
{
    for (int i = 0; i < count; i++)
        v[i] = palRandom_Normal(random);
}

// Off-diagonal blocks are random; diagonal ones make every row dominant by `margin`, so that the
// matrix is positive definite for margin > 0.
static inline void fillDominant(palBlockMatrix* A, palRandom* random, double margin)
{
    double* sums = calloc(3 * (size_t)A->nodeCount, sizeof *sums);
    for (int i = 0; i < A->nodeCount; i++)
        for (int k = A->rowStart[i]; k < A->rowStart[i + 1] - 1; k++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                {
                    double value = palRandom_Normal(random);
                    A->blocks[k].m[a][b] = value;
                    sums[3 * i + a] += fabs(value);
                    sums[3 * A->columns[k] + b] += fabs(value);
                }
    for (int i = 0; i < A->nodeCount; i++)
    {
        double(*d)[3] = A->blocks[A->rowStart[i + 1] - 1].m;
        double off[3] = {palRandom_Normal(random), palRandom_Normal(random),
                         palRandom_Normal(random)};
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                d[a][b] = a == b ? sums[3 * i + a] + fabs(off[(a + 1) % 3]) +
                                       fabs(off[(a + 2) % 3]) + margin
                                 : off[3 - a - b];
    }
    free(sums);
}

// Every pair of nodes with the given probability.
static inline void makeRandom(palBlockMatrix* A, int nodes, double probability, uint64_t seed)
{
    palRandom random = palMakeRandom(seed);
    int(*pairs)[2] = malloc(((size_t)nodes * (size_t)nodes / 2 + 1) * sizeof *pairs);
    size_t count = 0;
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < i; j++)
            if (palRandom_Unit(&random) < probability)
            {
                pairs[count][0] = j;
                pairs[count++][1] = i;
            }
    assert_int_equal(palBlockMatrix_Init(A, nodes, (const int(*)[2])pairs, count, NULL), pal_ok);
    fillDominant(A, &random, 0.1);
    free(pairs);
}

// All nodes joined to `hubs` first ones.
static inline void makeArrow(palBlockMatrix* A, int nodes, int hubs, uint64_t seed)
{
    palRandom random = palMakeRandom(seed);
    int(*pairs)[2] = malloc((size_t)(nodes * hubs) * sizeof *pairs);
    size_t count = 0;
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < hubs; j++, count++)
        {
            pairs[count][0] = i;
            pairs[count][1] = j;
        }
    assert_int_equal(palBlockMatrix_Init(A, nodes, (const int(*)[2])pairs, count, NULL), pal_ok);
    fillDominant(A, &random, 0.1);
    free(pairs);
}

// A ring of nodes.
static inline void makeRing(palBlockMatrix* A, int nodes, uint64_t seed)
{
    palRandom random = palMakeRandom(seed);
    int(*pairs)[2] = malloc((size_t)nodes * sizeof *pairs);
    for (int i = 0; i < nodes; i++)
    {
        pairs[i][0] = i;
        pairs[i][1] = (i + 1) % nodes;
    }
    assert_int_equal(palBlockMatrix_Init(A, nodes, (const int(*)[2])pairs, (size_t)nodes, NULL),
                     pal_ok);
    fillDominant(A, &random, 0.1);
    free(pairs);
}

static inline double largest(int count, const double* v)
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = fabs(v[i]) > most || isnan(v[i]) ? fabs(v[i]) : most;
    return most;
}

// The largest row sum of |A|.
static inline double normOf(const palBlockMatrix* A)
{
    int n = 3 * A->nodeCount;
    double* sums = calloc((size_t)n, sizeof *sums);
    for (int i = 0; i < A->nodeCount; i++)
        for (int k = A->rowStart[i]; k < A->rowStart[i + 1]; k++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                {
                    sums[3 * i + a] += fabs(A->blocks[k].m[a][b]);
                    if (A->columns[k] != i)
                        sums[3 * A->columns[k] + b] += fabs(A->blocks[k].m[a][b]);
                }
    double norm = largest(n, sums);
    free(sums);
    return norm;
}

// Normwise backward error |b - A x| / (|A| |x| + |b|), largest entries.
static inline double backwardError(const palBlockMatrix* A, const double* b, const double* x)
{
    int n = 3 * A->nodeCount;
    double* r = malloc((size_t)n * sizeof *r);
    palBlockMatrix_Residual(A, b, x, r);
    double error = largest(n, r) / (normOf(A) * largest(n, x) + largest(n, b));
    free(r);
    return error;
}

#endif
