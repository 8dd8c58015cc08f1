// SPDX-License-Identifier: Apache-2.0
#include "linalg/conjugate_gradients.h"
#include "matrices.h"

// The true residual |b - A x| / |b|.
static double residualOf(const palBlockMatrix* A, const double* b, const double* x)
{
    int n = 3 * A->nodeCount;
    double* r = malloc((size_t)n * sizeof *r);
    double above = 0.0;
    double below = 0.0;
    palBlockMatrix_Residual(A, b, x, r);
    for (int i = 0; i < n; i++)
    {
        above += r[i] * r[i];
        below += b[i] * b[i];
    }
    free(r);
    return sqrt(above / below);
}

static void block_jacobi_converges_to_the_solution(void** state)
{
    (void)state;
    palElasticBlock block = palMakeElasticBlock(6);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    int n = 3 * block.nodeCount;
    double* b = malloc((size_t)n * sizeof *b);
    double* x = calloc((size_t)n, sizeof *x);
    palCgWorkspace workspace;
    assert_int_equal(palCgWorkspace_Init(&workspace, block.nodeCount, NULL), pal_ok);
    palRandom random = palMakeRandom(3);
    randomVector(&random, n, b);
    palCgSettings settings = palDefaultCgSettings();
    palCgInfo info = palConjugateGradients(&settings, &workspace, &block.A, b, x);
    assert_int_equal(info.status, pal_cgConverged);
    assert_true(info.iterations > 5);
    ASSERT_BELOW(info.residual, settings.tolerance);
    ASSERT_BELOW(residualOf(&block.A, b, x), 1.1 * settings.tolerance);

    // From the solution nothing is left to do, and a budget is kept.
    int all = info.iterations;
    info = palConjugateGradients(&settings, &workspace, &block.A, b, x);
    assert_true(info.iterations <= 1);
    memset(x, 0, (size_t)n * sizeof *x);
    settings.maxIterations = all / 2;
    info = palConjugateGradients(&settings, &workspace, &block.A, b, x);
    assert_int_equal(info.status, pal_cgIterations);
    assert_int_equal(info.iterations, all / 2);
    ASSERT_NEAR(info.residual, residualOf(&block.A, b, x), 1e-6 * info.residual);
    palCgWorkspace_Free(&workspace);
    free(b);
    free(x);
    palElasticBlock_Free(&block);
}

// The factor of the body as it was: one iteration for the same matrix, a few after a twist.
static void stale_factor_needs_few_iterations(void** state)
{
    (void)state;
    palElasticBlock block = palMakeElasticBlock(8);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    int n = 3 * block.nodeCount;
    double* b = malloc((size_t)n * sizeof *b);
    double* x = calloc((size_t)n, sizeof *x);
    palCholesky* c;
    palCgWorkspace workspace;
    assert_int_equal(palCgWorkspace_Init(&workspace, block.nodeCount, NULL), pal_ok);
    assert_int_equal(palCholesky_Create(&(palCholeskyDef){0}, &block.A, &c, NULL), pal_ok);
    assert_int_equal(palCholesky_Factor(c, &block.A, NULL), pal_ok);
    palRandom random = palMakeRandom(3);
    randomVector(&random, n, b);
    palCgSettings settings = palDefaultCgSettings();
    settings.factor = c;
    palCgInfo info = palConjugateGradients(&settings, &workspace, &block.A, b, x);
    assert_int_equal(info.iterations, 1);
    ASSERT_BELOW(residualOf(&block.A, b, x), settings.tolerance);
    block.twist = 0.2;
    palElasticBlock_Assemble(&block);
    memset(x, 0, (size_t)n * sizeof *x);
    info = palConjugateGradients(&settings, &workspace, &block.A, b, x);
    assert_int_equal(info.status, pal_cgConverged);
    assert_in_range(info.iterations, 2, 25);
    ASSERT_BELOW(residualOf(&block.A, b, x), 1.1 * settings.tolerance);
    palCholesky_Destroy(c);
    palCgWorkspace_Free(&workspace);
    free(b);
    free(x);
    palElasticBlock_Free(&block);
}

// The block turned as a whole is the factor's matrix turned: one iteration. Without the turns it
// takes many.
static void turned_factor_solves_a_turned_body(void** state)
{
    (void)state;
    palElasticBlock block = palMakeElasticBlock(6);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    int n = 3 * block.nodeCount;
    double* b = malloc((size_t)n * sizeof *b);
    double* x = calloc((size_t)n, sizeof *x);
    palMat3* turns = malloc((size_t)block.nodeCount * sizeof *turns);
    palCholesky* c;
    palCgWorkspace workspace;
    assert_int_equal(palCgWorkspace_Init(&workspace, block.nodeCount, NULL), pal_ok);
    assert_int_equal(palCholesky_Create(&(palCholeskyDef){0}, &block.A, &c, NULL), pal_ok);
    assert_int_equal(palCholesky_Factor(c, &block.A, NULL), pal_ok);
    palMat3 R = palMakeMat3Columns(palMakeVec3(0.36, 0.48, -0.8), palMakeVec3(-0.8, 0.6, 0.0),
                                   palMakeVec3(0.48, 0.64, 0.6));
    for (int i = 0; i < block.nodeCount; i++)
        turns[i] = R;
    for (int k = 0; k < block.A.blockCount; k++)
        block.A.blocks[k] = palMat3Mul(palMat3Mul(R, block.A.blocks[k]), palMat3Transpose(R));
    palRandom random = palMakeRandom(3);
    randomVector(&random, n, b);
    palCgSettings settings = palDefaultCgSettings();
    settings.factor = c;
    palCgInfo info = palConjugateGradients(&settings, &workspace, &block.A, b, x);
    assert_true(info.iterations > 10);
    memset(x, 0, (size_t)n * sizeof *x);
    settings.turns = turns;
    info = palConjugateGradients(&settings, &workspace, &block.A, b, x);
    assert_int_equal(info.iterations, 1);
    ASSERT_BELOW(residualOf(&block.A, b, x), settings.tolerance);
    palCholesky_Destroy(c);
    palCgWorkspace_Free(&workspace);
    free(turns);
    free(b);
    free(x);
    palElasticBlock_Free(&block);
}

static void zero_and_indefinite_are_told_apart(void** state)
{
    (void)state;
    palBlockMatrix A;
    palCgWorkspace workspace;
    double b[30] = {0};
    double x[30];
    palRandom random = palMakeRandom(3);
    makeRing(&A, 10, 2);
    assert_int_equal(palCgWorkspace_Init(&workspace, 10, NULL), pal_ok);
    palCgSettings settings = palDefaultCgSettings();
    randomVector(&random, 30, x);
    palCgInfo info = palConjugateGradients(&settings, &workspace, &A, b, x);
    assert_int_equal(info.status, pal_cgConverged);
    for (int i = 0; i < 30; i++)
        ASSERT_NEAR(x[i], 0.0, 0.0);

    for (int k = 0; k < A.blockCount; k++)
        for (int a = 0; a < 9; a++)
            A.blocks[k].m[a / 3][a % 3] *= -1.0;
    randomVector(&random, 30, b);
    info = palConjugateGradients(&settings, &workspace, &A, b, x);
    assert_int_equal(info.status, pal_cgIndefinite);
    A.blocks[0].m[0][0] = NAN;
    info = palConjugateGradients(&settings, &workspace, &A, b, x);
    assert_int_equal(info.status, pal_cgIndefinite);
    palCgWorkspace_Free(&workspace);
    palBlockMatrix_Free(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_jacobi_converges_to_the_solution),
        cmocka_unit_test(stale_factor_needs_few_iterations),
        cmocka_unit_test(turned_factor_solves_a_turned_body),
        cmocka_unit_test(zero_and_indefinite_are_told_apart),
    };
    return RUN(tests);
}
