// SPDX-License-Identifier: Apache-2.0
// The factor against LAPACK (dense) and CHOLMOD (sparse): backward errors, agreement, refusals.
#include "linalg/cholesky.h"
#include "matrices.h"

#include <cholmod.h>
#include <float.h>
#include <lapacke.h>

// What solves are allowed: |b - A x| / (|A| |x| + |b|).
static const double backwardLimit = 1e-13;

static palCholesky* factored(const palBlockMatrix* A, const palCholeskyDef* def)
{
    palCholesky* c;
    palError error = {0};
    assert_int_equal(palCholesky_Create(def, A, &c, &error), pal_ok);
    if (palCholesky_Factor(c, A, &error) != pal_ok)
        fail_msg("%s", error.text);
    assert_true(c->isFactored);
    assert_int_equal(c->failedRow, -1);
    return c;
}

// Solves by LAPACK; returns the reciprocal of the condition number too.
static double lapackSolve(const palBlockMatrix* A, double* x)
{
    int n = 3 * A->nodeCount;
    double* dense = denseOf(A);
    double norm = LAPACKE_dlansy(LAPACK_ROW_MAJOR, '1', 'L', n, dense, n);
    double reciprocal = 0.0;
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, dense, n), 0);
    assert_int_equal(LAPACKE_dpocon(LAPACK_ROW_MAJOR, 'L', n, dense, n, norm, &reciprocal), 0);
    assert_int_equal(LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', n, 1, dense, n, x, 1), 0);
    free(dense);
    return reciprocal;
}

// Every way to solve, against LAPACK.
static void checkSmall(const palBlockMatrix* A, const palCholeskyDef* def)
{
    int n = 3 * A->nodeCount;
    size_t bytes = (size_t)n * sizeof(double);
    palCholesky* c = factored(A, def);
    palRandom random = palMakeRandom(77);
    double* b = malloc(bytes);
    double* x = malloc(bytes);
    double* reference = malloc(bytes);
    double* y = malloc((size_t)palCholesky_RowCount(c) * sizeof *y);
    randomVector(&random, n, b);
    memcpy(reference, b, bytes);
    double condition = 1.0 / lapackSolve(A, reference);
    palCholesky_Solve(c, b, x);
    ASSERT_BELOW(backwardError(A, b, x), backwardLimit);
    for (int i = 0; i < n; i++)
        ASSERT_NEAR(x[i], reference[i], 10.0 * DBL_EPSILON * condition * largest(n, reference));

    // In place, and in two halves, to the same bits.
    memcpy(reference, b, bytes);
    palCholesky_Solve(c, reference, reference);
    assert_memory_equal(reference, x, bytes);
    palCholesky_Forward(c, b, y);
    palCholesky_Backward(c, y, reference);
    assert_memory_equal(reference, x, bytes);
    free(b);
    free(x);
    free(reference);
    free(y);
    palCholesky_Destroy(c);
}

static const palFrontKernels* const doubles[] = {&pal_frontDouble, NULL};

static void random_matrices_are_solved_as_by_lapack(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (uint64_t seed = 0; seed < 24; seed++)
        {
            palBlockMatrix A;
            const double probabilities[] = {0.0, 0.02, 0.1, 0.5, 1.0};
            makeRandom(&A, 1 + (int)seed * 4, probabilities[seed % 5], seed);
            checkSmall(&A, &(palCholeskyDef){.kernels = doubles[k]});
            palBlockMatrix_Free(&A);
        }
}

static void arrows_rings_and_single_nodes_are_solved(void** state)
{
    (void)state;
    palBlockMatrix A;
    for (int k = 0; k < 2; k++)
    {
        palCholeskyDef def = {.kernels = doubles[k]};
        makeArrow(&A, 150, 1, 3);
        checkSmall(&A, &def);
        palBlockMatrix_Free(&A);
        makeArrow(&A, 90, 7, 3);
        checkSmall(&A, &def);
        palBlockMatrix_Free(&A);
        makeRing(&A, 200, 4);
        checkSmall(&A, &def);
        palBlockMatrix_Free(&A);
        for (int nodes = 1; nodes < 8; nodes++)
        {
            makeRandom(&A, nodes, 1.0, (uint64_t)nodes);
            checkSmall(&A, &def);
            palBlockMatrix_Free(&A);
        }
    }
}

// Two parts that do not touch, and a node by itself: no part sees the other's right-hand side.
static void disconnected_parts_do_not_mix(void** state)
{
    (void)state;
    const int tets[][4] = {{0, 2, 4, 6}, {2, 4, 6, 8}, {1, 3, 5, 7}, {3, 5, 7, 9}};
    palBlockMatrix A;
    palRandom random = palMakeRandom(2);
    assert_int_equal(palBlockMatrix_InitElements(&A, 11, &tets[0][0], 4, 4, NULL), pal_ok);
    fillDominant(&A, &random, 0.1);
    checkSmall(&A, &(palCholeskyDef){0});
    palCholesky* c = factored(&A, &(palCholeskyDef){0});
    double b[33] = {0};
    double x[33];
    for (int node = 0; node < 10; node += 2)
        for (int axis = 0; axis < 3; axis++)
            b[3 * node + axis] = 1.0;
    palCholesky_Solve(c, b, x);
    for (int i = 0; i < 33; i++)
        assert_int_equal(x[i] != 0.0, i / 3 % 2 == 0 && i < 30);
    palCholesky_Destroy(c);
    palBlockMatrix_Free(&A);
}

// The elastic block against CHOLMOD, and again with another matrix of the same pattern.
static cholmod_sparse* toCholmod(const palBlockMatrix* A, cholmod_common* common)
{
    size_t n = 3 * (size_t)A->nodeCount;
    cholmod_triplet* triplets =
        cholmod_allocate_triplet(n, n, 9 * (size_t)A->blockCount, -1, CHOLMOD_REAL, common);
    int* rows = triplets->i;
    int* columns = triplets->j;
    double* values = triplets->x;
    for (int i = 0; i < A->nodeCount; i++)
        for (int k = A->rowStart[i]; k < A->rowStart[i + 1]; k++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                {
                    if (A->columns[k] == i && b > a)
                        continue;
                    rows[triplets->nnz] = 3 * i + a;
                    columns[triplets->nnz] = 3 * A->columns[k] + b;
                    values[triplets->nnz++] = A->blocks[k].m[a][b];
                }
    cholmod_sparse* sparse = cholmod_triplet_to_sparse(triplets, 0, common);
    cholmod_free_triplet(&triplets, common);
    return sparse;
}

static void cholmodSolve(const palBlockMatrix* A, const double* b, double* x)
{
    cholmod_common common;
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SIMPLICIAL;
    size_t n = 3 * (size_t)A->nodeCount;
    cholmod_sparse* sparse = toCholmod(A, &common);
    cholmod_factor* factor = cholmod_analyze(sparse, &common);
    assert_true(cholmod_factorize(sparse, factor, &common));
    assert_int_equal(common.status, CHOLMOD_OK);
    assert_int_equal(factor->minor, factor->n);
    cholmod_dense* rhs = cholmod_zeros(n, 1, CHOLMOD_REAL, &common);
    memcpy(rhs->x, b, n * sizeof *b);
    cholmod_dense* solution = cholmod_solve(CHOLMOD_A, factor, rhs, &common);
    memcpy(x, solution->x, n * sizeof *x);
    cholmod_free_dense(&rhs, &common);
    cholmod_free_dense(&solution, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_free_sparse(&sparse, &common);
    cholmod_finish(&common);
}

static void elastic_blocks_are_solved_as_by_cholmod(void** state)
{
    (void)state;
    const double poissons[] = {0.0, 0.3, 0.49};
    palElasticBlock block = palMakeElasticBlock(8);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    int n = 3 * block.nodeCount;
    double* b = malloc((size_t)n * sizeof *b);
    double* x = malloc((size_t)n * sizeof *x);
    double* reference = malloc((size_t)n * sizeof *reference);
    palCholesky* c;
    assert_int_equal(palCholesky_Create(&(palCholeskyDef){0}, &block.A, &c, NULL), pal_ok);
    palRandom random = palMakeRandom(4);
    for (int k = 0; k < 3; k++)
    {
        block.poisson = poissons[k];
        block.twist = 0.5 * k;
        palElasticBlock_Assemble(&block);
        assert_int_equal(palCholesky_Factor(c, &block.A, NULL), pal_ok);
        randomVector(&random, n, b);
        palCholesky_Solve(c, b, x);
        ASSERT_BELOW(backwardError(&block.A, b, x), backwardLimit);
        cholmodSolve(&block.A, b, reference);
        for (int i = 0; i < n; i++)
            ASSERT_NEAR(x[i], reference[i], 1e-11 * largest(n, reference));
    }
    palCholesky_Destroy(c);
    free(b);
    free(x);
    free(reference);
    palElasticBlock_Free(&block);
}

// Fronts of several hundred columns: packed products, several blocks of columns.
static void large_fronts_are_factored_by_both_kernels(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
    {
        palBlockMatrix A;
        makeRandom(&A, 260, 0.3, 6);
        palCholesky* c = factored(&A, &(palCholeskyDef){.kernels = doubles[k]});
        assert_true(c->symbolic.largestStride > 500);
        palCholesky_Destroy(c);
        checkSmall(&A, &(palCholeskyDef){.kernels = doubles[k]});
        palBlockMatrix_Free(&A);
    }
}

// κ(A) near 1e15: a small backward error all the same.
static void nearly_singular_matrices_keep_a_small_residual(void** state)
{
    (void)state;
    palElasticBlock block = palMakeElasticBlock(4);
    block.density = 1e-8;
    block.young = 1e9;
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    int n = 3 * block.nodeCount;
    double b[375], x[375];
    assert_int_equal(n, 375);
    memset(b, 0, sizeof b);
    b[n - 1] = 1.0;
    memcpy(x, b, sizeof b);
    ASSERT_BELOW(lapackSolve(&block.A, x), 1e-13);
    palCholesky* c = factored(&block.A, &(palCholeskyDef){0});
    palCholesky_Solve(c, b, x);
    ASSERT_BELOW(backwardError(&block.A, b, x), backwardLimit);
    palCholesky_Destroy(c);
    palElasticBlock_Free(&block);
}

static void solving_many_is_solving_each(void** state)
{
    (void)state;
    enum
    {
        count = 53,
    };
    const palFrontKernels* const tables[] = {&pal_frontDouble, palFrontKernels_Double(),
                                             &pal_frontFloat, palFrontKernels_Float()};
    palElasticBlock block = palMakeElasticBlock(5);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    int n = 3 * block.nodeCount;
    size_t stride = (size_t)n + 5;
    double* b = malloc(count * stride * sizeof *b);
    double* x = malloc(count * stride * sizeof *x);
    double* one = malloc((size_t)n * sizeof *one);
    palRandom random = palMakeRandom(12);
    randomVector(&random, (int)(count * stride), b);
    for (int k = 0; k < 4; k++)
    {
        double rounding = tables[k]->size == sizeof(double) ? 1e-12 : 1e-4;
        palCholesky* c = factored(&block.A, &(palCholeskyDef){.kernels = tables[k]});
        memcpy(x, b, count * stride * sizeof *x);
        palCholesky_SolveMany(c, count, x, x, stride);
        for (int j = 0; j < count; j++)
        {
            palCholesky_Solve(c, b + (size_t)j * stride, one);
            for (int i = 0; i < n; i++)
                ASSERT_NEAR(x[(size_t)j * stride + (size_t)i], one[i], rounding * largest(n, one));
            // What lies between the vectors is not touched.
            assert_memory_equal(x + (size_t)j * stride + n, b + (size_t)j * stride + n,
                                5 * sizeof *x);
        }
        palCholesky_Destroy(c);
    }
    free(b);
    free(x);
    free(one);
    palElasticBlock_Free(&block);
}

static void single_precision_is_refined_to_double(void** state)
{
    (void)state;
    const palFrontKernels* const floats[] = {&pal_frontFloat, palFrontKernels_Float()};
    palElasticBlock block = palMakeElasticBlock(8);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    int n = 3 * block.nodeCount;
    double* b = malloc((size_t)n * sizeof *b);
    double* x = malloc((size_t)n * sizeof *x);
    double* r = malloc((size_t)n * sizeof *r);
    palRandom random = palMakeRandom(13);
    randomVector(&random, n, b);
    for (int k = 0; k < 2; k++)
    {
        palCholesky* c =
            factored(&block.A, &(palCholeskyDef){.singlePrecision = true, .kernels = floats[k]});
        ASSERT_BELOW(palCholesky_SolveRefined(c, &block.A, b, 0, x), 1e-4);
        ASSERT_BELOW(palCholesky_SolveRefined(c, &block.A, b, 1, x), 1e-9);
        double residual = palCholesky_SolveRefined(c, &block.A, b, 3, x);
        ASSERT_BELOW(residual, 1e-13);
        // What it returns is the residual of what it returns.
        palBlockMatrix_Residual(&block.A, b, x, r);
        ASSERT_NEAR(largest(n, r) / largest(n, b), residual, 0.0);
        palCholesky_Destroy(c);
    }
    free(b);
    free(x);
    free(r);
    palElasticBlock_Free(&block);
}

// The numbers of L itself.
static void plain_and_avx2_kernels_make_the_same_factor(void** state)
{
    (void)state;
    palElasticBlock block = palMakeElasticBlock(6);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    palCholesky* plain = factored(&block.A, &(palCholeskyDef){.kernels = &pal_frontDouble});
    palCholesky* best = factored(&block.A, &(palCholeskyDef){0});
    palCholesky* plainFloat = factored(&block.A, &(palCholeskyDef){.kernels = &pal_frontFloat});
    palCholesky* bestFloat = factored(&block.A, &(palCholeskyDef){.singlePrecision = true});
    for (int f = 0; f < plain->symbolic.frontCount; f++)
    {
        const palFront* front = &plain->symbolic.fronts[f];
        const palFront* narrow = &plainFloat->symbolic.fronts[f];
        const double* a = (const double*)plain->factor + front->factorOffset;
        const double* b = (const double*)best->factor + front->factorOffset;
        const float* c = (const float*)plainFloat->factor + narrow->factorOffset;
        const float* d = (const float*)bestFloat->factor + narrow->factorOffset;
        for (int j = 0; j < front->columns; j++)
            for (int i = j; i < front->columns + front->below; i++)
            {
                double scale = 1.0 / fabs(a[j * front->stride + j]);
                scale = i == j ? fabs(a[j * front->stride + j]) : scale;
                ASSERT_NEAR(a[j * front->stride + i], b[j * front->stride + i], 1e-12 * scale);
                ASSERT_NEAR(c[j * narrow->stride + i], a[j * front->stride + i], 2e-4 * scale);
                ASSERT_NEAR(c[j * narrow->stride + i], d[j * narrow->stride + i], 2e-4 * scale);
            }
    }
    palCholesky_Destroy(plain);
    palCholesky_Destroy(best);
    palCholesky_Destroy(plainFloat);
    palCholesky_Destroy(bestFloat);
    palElasticBlock_Free(&block);
}

static void the_same_matrix_gives_the_same_bits(void** state)
{
    (void)state;
    palElasticBlock block = palMakeElasticBlock(7);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    palCholesky* first = factored(&block.A, &(palCholeskyDef){0});
    palCholesky* second = factored(&block.A, &(palCholeskyDef){0});
    size_t bytes = (size_t)first->symbolic.factorSize * sizeof(double);
    assert_int_equal(first->symbolic.factorSize, second->symbolic.factorSize);
    assert_memory_equal(first->factor, second->factor, bytes);
    // Again over its own remains, after a matrix that fails half-way.
    double kept = block.A.blocks[block.A.blockCount - 1].m[1][1];
    block.A.blocks[block.A.blockCount - 1].m[1][1] = -1.0;
    assert_int_equal(palCholesky_Factor(first, &block.A, NULL), pal_errorRun);
    assert_false(first->isFactored);
    block.A.blocks[block.A.blockCount - 1].m[1][1] = kept;
    assert_int_equal(palCholesky_Factor(first, &block.A, NULL), pal_ok);
    assert_memory_equal(first->factor, second->factor, bytes);
    palCholesky_Destroy(first);
    palCholesky_Destroy(second);
    palElasticBlock_Free(&block);
}

// A node that only has a negative or missing stiffness along one axis is named with that axis.
static void indefinite_matrices_are_refused_with_the_row(void** state)
{
    (void)state;
    const double bad[] = {-1.0, 0.0, NAN, INFINITY};
    palBlockMatrix A;
    makeRing(&A, 30, 5);
    palCholesky* c;
    palError error = {0};
    assert_int_equal(palCholesky_Create(&(palCholeskyDef){0}, &A, &c, NULL), pal_ok);
    for (int k = 0; k < 4; k++)
        for (int axis = 0; axis < 3; axis++)
        {
            palRandom random = palMakeRandom(9);
            fillDominant(&A, &random, 0.1);
            // Node 17 is cut off, and diagonal.
            for (int i = 0; i < A.nodeCount; i++)
                for (int s = A.rowStart[i]; s < A.rowStart[i + 1]; s++)
                    if ((i == 17) != (A.columns[s] == 17))
                        A.blocks[s] = (palMat3){0};
            int slot = palBlockMatrix_Slot(&A, 17, 17);
            A.blocks[slot] = pal_identityMat3;
            assert_int_equal(palCholesky_Factor(c, &A, NULL), pal_ok);
            A.blocks[slot].m[axis][axis] = bad[k];
            assert_int_equal(palCholesky_Factor(c, &A, &error), pal_errorRun);
            assert_int_equal(c->failedRow, 3 * 17 + axis);
            assert_non_null(strstr(error.text, "node 17"));
            assert_true(strlen(error.remedy) > 0);
        }
    palCholesky_Destroy(c);
    palBlockMatrix_Free(&A);
}

// A - s I has as many negative eigenvalues as A has below s: refused exactly from the least one on.
static void the_border_of_definiteness_is_found(void** state)
{
    (void)state;
    palBlockMatrix A;
    makeRandom(&A, 40, 0.1, 21);
    int n = 3 * A.nodeCount;
    double* dense = denseOf(&A);
    double* eigenvalues = malloc((size_t)n * sizeof *eigenvalues);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, dense, n, eigenvalues), 0);
    palCholesky* c;
    assert_int_equal(palCholesky_Create(&(palCholeskyDef){0}, &A, &c, NULL), pal_ok);
    double shifts[2] = {eigenvalues[0] * (1.0 - 1e-9), eigenvalues[0] * (1.0 + 1e-9)};
    for (int k = 0; k < 2; k++)
    {
        palBlockMatrix B = A;
        B.blocks = malloc((size_t)A.blockCount * sizeof *B.blocks);
        memcpy(B.blocks, A.blocks, (size_t)A.blockCount * sizeof *B.blocks);
        for (int i = 0; i < A.nodeCount; i++)
            for (int a = 0; a < 3; a++)
                B.blocks[B.rowStart[i + 1] - 1].m[a][a] -= shifts[k];
        assert_int_equal(palCholesky_Factor(c, &B, NULL), k == 0 ? pal_ok : pal_errorRun);
        free(B.blocks);
    }
    palCholesky_Destroy(c);
    free(dense);
    free(eigenvalues);
    palBlockMatrix_Free(&A);
}

static void another_pattern_is_refused(void** state)
{
    (void)state;
    palBlockMatrix A, B;
    palCholesky* c;
    palError error = {0};
    makeRing(&A, 10, 1);
    makeRing(&B, 11, 1);
    assert_int_equal(palCholesky_Create(&(palCholeskyDef){0}, &A, &c, NULL), pal_ok);
    assert_int_equal(palCholesky_Factor(c, &B, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "11 nodes"));
    palCholesky_Destroy(c);
    palBlockMatrix_Free(&A);
    palBlockMatrix_Free(&B);
}

// A twin factors another matrix of the pattern, and neither disturbs the other.
static void a_twin_has_a_factor_of_its_own(void** state)
{
    (void)state;
    palElasticBlock block = palMakeElasticBlock(4);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    int n = 3 * block.nodeCount;
    double* b = malloc((size_t)n * sizeof *b);
    double* x = malloc((size_t)n * sizeof *x);
    double* r = malloc((size_t)n * sizeof *r);
    palRandom random = palMakeRandom(5);
    randomVector(&random, n, b);
    palCholesky* factors[2];
    assert_int_equal(palCholesky_Create(&(palCholeskyDef){0}, &block.A, &factors[0], NULL), pal_ok);
    assert_int_equal(palCholesky_CreateTwin(factors[0], &factors[1], NULL), pal_ok);
    for (int i = 0; i < 2; i++)
    {
        block.twist = 0.4 * i;
        palElasticBlock_Assemble(&block);
        assert_int_equal(palCholesky_Factor(factors[i], &block.A, NULL), pal_ok);
    }
    for (int i = 1; i >= 0; i--)
    {
        block.twist = 0.4 * i;
        palElasticBlock_Assemble(&block);
        palCholesky_Solve(factors[i], b, x);
        palBlockMatrix_Residual(&block.A, b, x, r);
        for (int k = 0; k < n; k++)
            ASSERT_NEAR(r[k], 0.0, 1e-11);
        palCholesky_Destroy(factors[i]);
    }
    free(b);
    free(x);
    free(r);
    palElasticBlock_Free(&block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_are_solved_as_by_lapack),
        cmocka_unit_test(arrows_rings_and_single_nodes_are_solved),
        cmocka_unit_test(disconnected_parts_do_not_mix),
        cmocka_unit_test(elastic_blocks_are_solved_as_by_cholmod),
        cmocka_unit_test(large_fronts_are_factored_by_both_kernels),
        cmocka_unit_test(nearly_singular_matrices_keep_a_small_residual),
        cmocka_unit_test(solving_many_is_solving_each),
        cmocka_unit_test(single_precision_is_refined_to_double),
        cmocka_unit_test(plain_and_avx2_kernels_make_the_same_factor),
        cmocka_unit_test(the_same_matrix_gives_the_same_bits),
        cmocka_unit_test(indefinite_matrices_are_refused_with_the_row),
        cmocka_unit_test(the_border_of_definiteness_is_found),
        cmocka_unit_test(another_pattern_is_refused),
        cmocka_unit_test(a_twin_has_a_factor_of_its_own),
    };
    return RUN(tests);
}
