// SPDX-License-Identifier: Apache-2.0
// After set-up nothing is allocated, and a set-up that gets no memory fails in order.
#include "allocations.h"
#include "linalg/conjugate_gradients.h"
#include "linalg/reach.h"
#include "matrices.h"

static void steps_allocate_nothing(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    enum
    {
        n = 3 * 343,
    };
    static double b[3 * n], x[3 * n], y[2 * n], W[9];
    palElasticBlock block = palMakeElasticBlock(6);
    assert_int_equal(palElasticBlock_Init(&block, NULL), pal_ok);
    palCgWorkspace workspace;
    assert_int_equal(palCgWorkspace_Init(&workspace, block.nodeCount, NULL), pal_ok);
    b[n - 1] = 1.0;
    for (int single = 0; single < 2; single++)
    {
        palCholesky* c;
        palReach* reach;
        palCholeskyDef def = {.singlePrecision = single == 1};
        int before = allocations;
        assert_int_equal(palCholesky_Create(&def, &block.A, &c, NULL), pal_ok);
        assert_int_equal(palReach_Create(c, 3, 6, &reach, NULL), pal_ok);
        assert_true(allocations > before);
        assert_true(palCholesky_RowCount(c) <= 2 * n);

        const int start[] = {0, 2, 4, 6};
        const int nodes[] = {340, 341, 1, 2, 340, 3};
        const palVec3 values[6] = {{1, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 1, 1}, {2, 0, 0}};
        const palSparseRows J = {3, start, nodes, values};
        const double lambda[3] = {1.0, 2.0, 3.0};
        double v[3];
        palError error;
        palCgSettings settings = palDefaultCgSettings();
        before = allocations;
        palElasticBlock_Assemble(&block);
        assert_int_equal(palCholesky_Factor(c, &block.A, &error), pal_ok);
        palCholesky_Forward(c, b, y);
        assert_true(palReach_Solve(reach, &J));
        palReach_Gram(reach, 1e-4, W, 3);
        palReach_Project(reach, y, v);
        palReach_Add(reach, 0.01, lambda, y);
        palCholesky_Backward(c, y, x);
        palCholesky_SolveRefined(c, &block.A, b, 2, x);
        palCholesky_SolveMany(c, 3, b, x, n);
        palConjugateGradients(&settings, &workspace, &block.A, b, x);
        settings.factor = c;
        palConjugateGradients(&settings, &workspace, &block.A, b, x);
        block.A.blocks[0].m[0][0] = -1.0;
        assert_int_equal(palCholesky_Factor(c, &block.A, &error), pal_errorRun);
        assert_int_equal(allocations, before);
        palReach_Destroy(reach);
        palCholesky_Destroy(c);
    }
    palCgWorkspace_Free(&workspace);
    palElasticBlock_Free(&block);
#else
    SKIP(UNCOUNTED);
#endif
}

#ifdef PAL_COUNTS
// All of the set-up for a matrix without couplings, for which METIS is not asked.
static palResult setUp(palError* error)
{
    palBlockMatrix A;
    palCholesky* c = NULL;
    palReach* reach = NULL;
    palCgWorkspace workspace = {0};
    palResult result = palBlockMatrix_Init(&A, 20, NULL, 0, error);
    if (result == pal_ok)
        result = palCholesky_Create(&(palCholeskyDef){0}, &A, &c, error);
    if (result == pal_ok)
        result = palReach_Create(c, 5, 10, &reach, error);
    if (result == pal_ok)
        result = palCgWorkspace_Init(&workspace, 20, error);
    palCgWorkspace_Free(&workspace);
    palReach_Destroy(reach);
    palCholesky_Destroy(c);
    palBlockMatrix_Free(&A);
    return result;
}
#endif

static void failing_allocations_are_reported_and_leave_nothing(void** state)
{
    (void)state;
#ifdef PAL_COUNTS
    palError error;
    int before = allocations;
    assert_int_equal(setUp(&error), pal_ok);
    int all = allocations - before;
    assert_true(all > 40);
    for (int k = 0; k < all; k++)
    {
        refused = allocations + k;
        error = (palError){0};
        int held = live;
        palResult result = setUp(&error);
        refused = -1;
        assert_int_equal(live, held);
        assert_int_equal(result, pal_errorMemory);
        assert_true(strlen(error.text) > 0);
    }
#else
    SKIP(UNCOUNTED);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(failing_allocations_are_reported_and_leave_nothing),
    };
    return RUN(tests);
}
