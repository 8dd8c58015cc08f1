// SPDX-License-Identifier: Apache-2.0
// Factors made by another thread. Under ThreadSanitizer this is the test of the hand-over.
#include "linalg/factor_worker.h"
#include "matrices.h"

#include <time.h>

// The largest entry of b - A x for x solved with the newest factor, over that of b.
static double residualOf(palFactorWorker* worker, const palBlockMatrix* A, const double* b)
{
    int n = 3 * A->nodeCount;
    double* x = malloc((size_t)n * sizeof *x);
    double* r = malloc((size_t)n * sizeof *r);
    palCholesky_Solve(worker->newest, b, x);
    palBlockMatrix_Residual(A, b, x, r);
    double above = 0.0, below = 0.0;
    for (int i = 0; i < n; i++)
    {
        above = fmax(above, fabs(r[i]));
        below = fmax(below, fabs(b[i]));
    }
    free(x);
    free(r);
    return above / below;
}

static palFactorState waitFor(palFactorWorker* worker)
{
    palFactorState state = pal_factorUnderWay;
    while ((state = palFactorWorker_Take(worker)) == pal_factorUnderWay)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    return state;
}

typedef struct rig
{
    palElasticBlock block;
    palFactorWorker* worker;
    double* b;
} rig;

static void make(rig* r)
{
    r->block = palMakeElasticBlock(5);
    assert_int_equal(palElasticBlock_Init(&r->block, NULL), pal_ok);
    palCholesky* cholesky;
    assert_int_equal(palCholesky_Create(&(palCholeskyDef){0}, &r->block.A, &cholesky, NULL),
                     pal_ok);
    assert_int_equal(palFactorWorker_Create(cholesky, &r->block.A, &r->worker, NULL), pal_ok);
    int n = 3 * r->block.nodeCount;
    r->b = malloc((size_t)n * sizeof *r->b);
    palRandom random = palMakeRandom(4);
    randomVector(&random, n, r->b);
}

static void release(rig* r)
{
    palFactorWorker_Destroy(r->worker);
    palElasticBlock_Free(&r->block);
    free(r->b);
}

// Each factor that is taken is that of the matrix that was asked for, though the matrix changes and
// the last factor is in use while the thread works.
static void taken_factor_is_of_the_matrix_asked_for(void** state)
{
    (void)state;
    rig r;
    make(&r);
    assert_false(r.worker->newest->isFactored);
    assert_int_equal(palFactorWorker_Take(r.worker), pal_factorNone);
    palFactorWorker_Make(r.worker, &r.block.A, 0.0);
    assert_int_equal(palFactorWorker_Take(r.worker), pal_factorMade);
    for (int k = 1; k <= 20; k++)
    {
        // The copy that was asked for, kept to compare with.
        r.block.twist = 0.02 * k;
        palElasticBlock_Assemble(&r.block);
        palFactorWorker_Ask(r.worker, &r.block.A, 1.0 * k);
        r.block.twist = -0.5;
        palElasticBlock_Assemble(&r.block);
        residualOf(r.worker, &r.block.A, r.b);
        assert_int_equal(waitFor(r.worker), pal_factorMade);
        r.block.twist = 0.02 * k;
        palElasticBlock_Assemble(&r.block);
        ASSERT_BELOW(residualOf(r.worker, &r.block.A, r.b), 1e-12);
        ASSERT_NEAR(r.worker->time, 1.0 * k, 0.0);
        assert_true(r.worker->seconds > 0.0);
    }
    assert_int_equal(r.worker->made, 21);
    release(&r);
}

// A matrix that is not positive definite leaves the factor as it was, and the next one is made.
static void failed_factor_leaves_the_last_one(void** state)
{
    (void)state;
    rig r;
    make(&r);
    palFactorWorker_Ask(r.worker, &r.block.A, 1.0);
    assert_int_equal(waitFor(r.worker), pal_factorMade);
    palMat3 kept = r.block.A.blocks[0];
    r.block.A.blocks[0] = palMat3MulAdd((palMat3){0}, -1.0, kept);
    palFactorWorker_Ask(r.worker, &r.block.A, 2.0);
    assert_int_equal(waitFor(r.worker), pal_factorFailed);
    r.block.A.blocks[0] = kept;
    ASSERT_NEAR(r.worker->time, 1.0, 0.0);
    ASSERT_BELOW(residualOf(r.worker, &r.block.A, r.b), 1e-12);
    palFactorWorker_Ask(r.worker, &r.block.A, 3.0);
    assert_int_equal(waitFor(r.worker), pal_factorMade);
    ASSERT_NEAR(r.worker->time, 3.0, 0.0);
    release(&r);
}

// Destroyed while the thread is at work, it waits for it.
static void destroyed_at_work_it_ends(void** state)
{
    (void)state;
    for (int k = 0; k < 5; k++)
    {
        rig r;
        make(&r);
        palFactorWorker_Ask(r.worker, &r.block.A, 0.0);
        release(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken_factor_is_of_the_matrix_asked_for),
        cmocka_unit_test(failed_factor_leaves_the_last_one),
        cmocka_unit_test(destroyed_at_work_it_ends),
    };
    return RUN(tests);
}
