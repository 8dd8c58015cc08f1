// SPDX-License-Identifier: Apache-2.0
// Compliance of sparse rows against the dense inverse of LAPACK.
#include "linalg/reach.h"
#include "matrices.h"

#include <float.h>
#include <lapacke.h>

enum
{
    mostRows = 160,
    mostEntries = 640,
};

// Rows with their arrays.
typedef struct sampleRows
{
    palSparseRows J;
    int start[mostRows + 1];
    int nodes[mostEntries];
    palVec3 values[mostEntries];
} sampleRows;

// `count` rows on nodes from..to-1, with 0..4 entries each (nodes may repeat).
static void makeRows(sampleRows* rows, palRandom* random, int count, int from, int to)
{
    int entries = 0;
    rows->start[0] = 0;
    for (int i = 0; i < count; i++)
    {
        int each = palRandom_Below(random, 5);
        for (int e = 0; e < each; e++, entries++)
        {
            rows->nodes[entries] = from + palRandom_Below(random, to - from);
            rows->values[entries] = palMakeVec3(palRandom_Normal(random), palRandom_Normal(random),
                                                palRandom_Normal(random));
        }
        rows->start[i + 1] = entries;
    }
    rows->J = (palSparseRows){
        .count = count, .start = rows->start, .nodes = rows->nodes, .values = rows->values};
}

// out[3 node + axis] += scale Jᵀ at row i.
static void addRow(const palSparseRows* J, int i, double scale, double* out)
{
    for (int e = J->start[i]; e < J->start[i + 1]; e++)
    {
        out[3 * J->nodes[e]] += scale * J->values[e].x;
        out[3 * J->nodes[e] + 1] += scale * J->values[e].y;
        out[3 * J->nodes[e] + 2] += scale * J->values[e].z;
    }
}

// What the test knows: A⁻¹ by LAPACK, and κ(A) in the 1-norm.
typedef struct oracle
{
    int n;
    double* inverse;
    double condition;
    double norm; // of the inverse, largest entry
} oracle;

static oracle makeOracle(const palBlockMatrix* A)
{
    oracle o = {.n = 3 * A->nodeCount, .inverse = denseOf(A)};
    double reciprocal;
    double norm = LAPACKE_dlansy(LAPACK_ROW_MAJOR, '1', 'L', o.n, o.inverse, o.n);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', o.n, o.inverse, o.n), 0);
    LAPACKE_dpocon(LAPACK_ROW_MAJOR, 'L', o.n, o.inverse, o.n, norm, &reciprocal);
    assert_int_equal(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', o.n, o.inverse, o.n), 0);
    for (int i = 0; i < o.n; i++)
        for (int j = 0; j < i; j++)
            o.inverse[j * o.n + i] = o.inverse[i * o.n + j];
    o.condition = 1.0 / reciprocal;
    o.norm = largest(o.n * o.n, o.inverse);
    return o;
}

static double product(int n, const double* a, const double* b)
{
    long double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (long double)a[i] * b[i];
    return (double)sum;
}

static void multiply(const oracle* o, const double* b, double* x)
{
    for (int i = 0; i < o->n; i++)
        x[i] = product(o->n, o->inverse + i * o->n, b);
}

// W, J A⁻¹ b and A⁻¹ (b + s Jᵀ λ), all from one forward and one backward solve.
static void checkRows(palReach* reach, palCholesky* c, const oracle* o, const palSparseRows* J,
                      palRandom* random)
{
    int n = o->n;
    double* dense = calloc((size_t)(J->count + 1) * (size_t)n, sizeof *dense);
    double* solved = malloc((size_t)(J->count + 1) * (size_t)n * sizeof *solved);
    double* b = malloc((size_t)n * sizeof *b);
    double* x = malloc((size_t)n * sizeof *x);
    double* y = malloc((size_t)palCholesky_RowCount(c) * sizeof *y);
    double W[mostRows * (mostRows + 3)], v[mostRows], lambda[mostRows];
    size_t stride = (size_t)J->count + 3;

    assert_true(palReach_Solve(reach, J));
    palReach_Gram(reach, 0.5, W, stride);
    double most = 0.0;
    for (int i = 0; i < J->count; i++)
    {
        addRow(J, i, 1.0, dense + i * n);
        multiply(o, dense + i * n, solved + i * n);
        most = fmax(most, product(n, dense + i * n, solved + i * n));
    }
    double limit = 1e-15 * o->condition * most;
    for (int i = 0; i < J->count; i++)
        for (int j = 0; j < J->count; j++)
        {
            ASSERT_NEAR(W[(size_t)i * stride + (size_t)j],
                        0.5 * product(n, dense + i * n, solved + j * n), limit);
            assert_true(W[(size_t)i * stride + (size_t)j] == W[(size_t)j * stride + (size_t)i]);
        }

    // Vectors of normal numbers: |A⁻¹| |b| is about |A⁻¹| √n.
    limit = 1e-15 * o->condition * o->norm * n;
    randomVector(random, n, b);
    randomVector(random, J->count, lambda);
    palCholesky_Forward(c, b, y);
    palReach_Project(reach, y, v);
    for (int i = 0; i < J->count; i++)
        ASSERT_NEAR(v[i], product(n, solved + i * n, b), limit);
    palReach_Add(reach, 0.25, lambda, y);
    palCholesky_Backward(c, y, x);
    for (int i = 0; i < J->count; i++)
        addRow(J, i, 0.25 * lambda[i], b);
    multiply(o, b, solved);
    for (int i = 0; i < n; i++)
        ASSERT_NEAR(x[i], solved[i], limit);
    free(dense);
    free(solved);
    free(b);
    free(x);
    free(y);
}

static void checkMatrix(const palBlockMatrix* A, const palFrontKernels* kernels, uint64_t seed)
{
    palCholesky* c;
    palReach* reach;
    palRandom random = palMakeRandom(seed);
    oracle o = makeOracle(A);
    assert_int_equal(palCholesky_Create(&(palCholeskyDef){.kernels = kernels}, A, &c, NULL),
                     pal_ok);
    assert_int_equal(palReach_Create(c, mostRows, mostEntries, &reach, NULL), pal_ok);
    assert_int_equal(palCholesky_Factor(c, A, NULL), pal_ok);
    sampleRows* rows = malloc(sizeof *rows);
    const int counts[] = {0, 1, 2, 3, 4, 13, 75, mostRows};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
    {
        // Over all nodes, then on few: fewer dofs than rows.
        makeRows(rows, &random, counts[k], 0, A->nodeCount);
        checkRows(reach, c, &o, &rows->J, &random);
        int few = A->nodeCount < 7 ? A->nodeCount : 7;
        makeRows(rows, &random, counts[k], A->nodeCount - few, A->nodeCount);
        checkRows(reach, c, &o, &rows->J, &random);
        if (counts[k] == mostRows)
            assert_true(reach->byDofs);
    }
    free(rows);
    free(o.inverse);
    palReach_Destroy(reach);
    palCholesky_Destroy(c);
}

static void compliance_is_that_of_the_dense_inverse(void** state)
{
    (void)state;
    const palFrontKernels* const tables[] = {&pal_frontDouble, palFrontKernels_Double()};
    for (int k = 0; k < 2; k++)
    {
        palBlockMatrix A;
        makeRandom(&A, 60, 0.08, 31);
        checkMatrix(&A, tables[k], 1);
        palBlockMatrix_Free(&A);
        makeRandom(&A, 50, 0.015, 32); // in several parts
        checkMatrix(&A, tables[k], 2);
        palBlockMatrix_Free(&A);
        makeArrow(&A, 40, 1, 33);
        checkMatrix(&A, tables[k], 3);
        palBlockMatrix_Free(&A);
        makeRandom(&A, 1, 0.0, 34);
        checkMatrix(&A, tables[k], 4);
        palBlockMatrix_Free(&A);
        palElasticBlock block = palMakeElasticBlock(4);
        assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
        checkMatrix(&block.A, tables[k], 5);
        palElasticBlock_Free(&block);
    }
}

// In single precision W is right to what the factor is.
static void single_precision_compliance_is_near(void** state)
{
    (void)state;
    palElasticBlock block = palMakeElasticBlock(5);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    palRandom random = palMakeRandom(6);
    sampleRows rows;
    double W[2][20 * 20];
    makeRows(&rows, &random, 20, 0, block.nodeCount);
    for (int single = 0; single < 2; single++)
    {
        palCholesky* c;
        palReach* reach;
        palCholeskyDef def = {.singlePrecision = single == 1};
        assert_int_equal(palCholesky_Create(&def, &block.A, &c, NULL), pal_ok);
        assert_int_equal(palReach_Create(c, 20, 80, &reach, NULL), pal_ok);
        assert_int_equal(palCholesky_Factor(c, &block.A, NULL), pal_ok);
        assert_true(palReach_Solve(reach, &rows.J));
        palReach_Gram(reach, 1.0, W[single], 20);
        palReach_Destroy(reach);
        palCholesky_Destroy(c);
    }
    for (int i = 0; i < 400; i++)
        ASSERT_NEAR(W[1][i], W[0][i], 1e-4 * largest(400, W[0]));
    palElasticBlock_Free(&block);
}

// Rows near each other at the surface reach a part of the factor only.
static void reach_is_the_way_to_the_root(void** state)
{
    (void)state;
    palElasticBlock block = palMakeElasticBlock(8);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    palCholesky* c;
    palReach* reach;
    assert_int_equal(palCholesky_Create(&(palCholeskyDef){0}, &block.A, &c, NULL), pal_ok);
    assert_int_equal(palReach_Create(c, 8, 8, &reach, NULL), pal_ok);
    assert_int_equal(palCholesky_Factor(c, &block.A, NULL), pal_ok);
    int start[] = {0, 1};
    palVec3 value = {0.0, 0.0, 1.0};
    for (int node = 0; node < block.nodeCount; node += 41)
    {
        assert_true(palReach_Solve(reach, &(palSparseRows){1, start, &node, &value}));
        int front = c->symbolic.rowFront[c->symbolic.nodeRow[node]];
        for (int k = 0; k < reach->frontCount; k++, front = c->symbolic.fronts[front].parent)
            assert_int_equal(reach->fronts[k], front);
        assert_int_equal(front, -1);
        assert_true(4 * reach->frontCount < c->symbolic.frontCount);
    }
    palReach_Destroy(reach);
    palCholesky_Destroy(c);
    palElasticBlock_Free(&block);
}

static void unusable_rows_are_refused(void** state)
{
    (void)state;
    palBlockMatrix A;
    palCholesky* c;
    palReach* reach;
    palError error = {0};
    makeRing(&A, 6, 1);
    assert_int_equal(palCholesky_Create(&(palCholeskyDef){0}, &A, &c, NULL), pal_ok);
    assert_int_equal(palReach_Create(c, 0, 4, &reach, &error), pal_errorInput);
    assert_int_equal(palReach_Create(c, 2, 3, &reach, NULL), pal_ok);
    const int start[] = {0, 1, 2, 3};
    const int many[] = {0, 2, 4};
    const int nodes[] = {0, 1, 5, 3};
    const int stray[] = {0, 6};
    const int backwards[] = {0, 2, 1};
    const palVec3 values[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    double y[64] = {0};
    double v[2] = {7.0, 7.0};

    // Not factored yet.
    assert_false(palReach_Solve(reach, &(palSparseRows){2, start, nodes, values}));
    assert_int_equal(palCholesky_Factor(c, &A, NULL), pal_ok);
    assert_true(palReach_Solve(reach, &(palSparseRows){2, start, nodes, values}));
    assert_false(palReach_Solve(reach, &(palSparseRows){3, start, nodes, values}));
    assert_false(palReach_Solve(reach, &(palSparseRows){2, many, nodes, values}));
    assert_false(palReach_Solve(reach, &(palSparseRows){2, start, stray, values}));
    assert_false(palReach_Solve(reach, &(palSparseRows){2, backwards, nodes, values}));
    assert_false(palReach_Solve(reach, &(palSparseRows){-1, start, nodes, values}));
    // Without rows the products do nothing.
    palReach_Project(reach, y, v);
    palReach_Gram(reach, 1.0, v, 2);
    assert_true(v[0] == 7.0 && v[1] == 7.0);
    palReach_Destroy(reach);
    palCholesky_Destroy(c);
    palBlockMatrix_Free(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compliance_is_that_of_the_dense_inverse),
        cmocka_unit_test(single_precision_compliance_is_near),
        cmocka_unit_test(reach_is_the_way_to_the_root),
        cmocka_unit_test(unusable_rows_are_refused),
    };
    return RUN(tests);
}
