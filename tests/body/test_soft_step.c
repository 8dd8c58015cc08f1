// SPDX-License-Identifier: Apache-2.0
// A step of a soft body: what free motion and rows of contact do to it, seen from where its nodes
// go.
#include "soft_fixture.h"

#include "body/soft_step.h"

static const double h = 0.01;               // s
static const palSoftFactorDef prompt = {0}; // a factor a step

static bool isBottom(palVec3 x)
{
    return x.z < -0.05 + 1e-9;
}

static softFixture makeBlock(palVec3 gravity, softHeld* held)
{
    softFixture f;
    palSoftDef def = palDefaultSoftDef();
    def.gravity = gravity;
    palVolumeShapeDef shape = softBlock(pal_cutFive, palMakeVec3(0.1, 0.1, 0.1), 3, 3, 3);
    softMake(&f, &shape, def, held);
    return f;
}

static void a_free_body_falls_as_one(void** state)
{
    (void)state;
    softFixture f = makeBlock(palMakeVec3(0, 0, -10), NULL);
    palSoftStep* step;
    assert_int_equal(palSoftStep_Create(f.body, 3, 3, &prompt, &step, NULL), pal_ok);
    for (int k = 0; k < 10; k++)
    {
        assert_true(palSoftStep_Begin(step, h, false));
        palSoftStep_EvaluateTrial(step, NULL);
        palSoftStep_Commit(step);
    }
    // Ten steps of backward Euler: v = g t, x = ½ g t (t + h).
    for (int i = 0; i < f.body->nodeCount; i++)
    {
        ASSERT_NEAR(f.body->v[i].z, -1.0, 1e-9);
        ASSERT_NEAR(f.body->x[i].z - f.body->rest[i].z, -0.5 * 10 * 0.1 * 0.11, 1e-10);
        ASSERT_NEAR(f.body->x[i].x, f.body->rest[i].x, 1e-10);
    }
    palSoftStep_Destroy(step);
    softFree(&f);
}

// Rows at a few nodes of the top, in random directions.
typedef struct rowSet
{
    int start[7];
    int nodes[6];
    palVec3 values[6];
    palSparseRows sparse;
} rowSet;

static void makeRows(rowSet* rows, const palSoftBody* body, palRandom* random)
{
    rows->start[0] = 0;
    for (int r = 0; r < 6; r++)
    {
        rows->start[r + 1] = r + 1;
        rows->nodes[r] = palRandom_Below(random, body->freeCount);
        rows->values[r] = palNormalize(softRandomVector(random, 1.0));
    }
    rows->sparse = (palSparseRows){6, rows->start, rows->nodes, rows->values};
}

// J times the displacement from the body's nodes to those of the last try.
static double movedAlong(const palSoftStep* step, const rowSet* rows, int r)
{
    const palSoftBody* body = step->body;
    for (int i = 0; i < body->nodeCount; i++)
        if (body->freeIndex[i] == rows->nodes[r])
            return palDot(rows->values[r], palSub(step->x[i], body->x[i]));
    return NAN;
}

static void compliance_is_how_far_forces_move_the_rows(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(4);
    softFixture f = makeBlock(palMakeVec3(0, 0, -10), isBottom);
    for (int i = 0; i < f.body->nodeCount; i++)
        if (f.body->freeIndex[i] >= 0)
        {
            f.body->x[i] = palAdd(f.body->x[i], softRandomVector(&random, 1e-3));
            f.body->v[i] = softRandomVector(&random, 0.05);
        }
    palSoftStep* step;
    assert_int_equal(palSoftStep_Create(f.body, 6, 6, &prompt, &step, NULL), pal_ok);
    rowSet rows;
    makeRows(&rows, f.body, &random);
    assert_true(palSoftStep_Begin(step, h, false));
    assert_true(palSoftStep_Rows(step, &rows.sparse));
    double W[36], velocity[6], free[6];
    palSoftStep_Compliance(step, h * h, W, 6);
    palSoftStep_FreeVelocity(step, velocity);
    palSoftStep_EvaluateTrial(step, NULL);
    for (int r = 0; r < 6; r++)
    {
        free[r] = movedAlong(step, &rows, r);
        ASSERT_NEAR(free[r], h * velocity[r], 1e-12);
    }
    for (int c = 0; c < 6; c++)
    {
        double lambda[6] = {0};
        lambda[c] = 1.0;
        palSoftStep_EvaluateTrial(step, lambda);
        for (int r = 0; r < 6; r++)
            ASSERT_NEAR(movedAlong(step, &rows, r) - free[r], W[6 * r + c], 1e-9 * W[7 * c]);
    }
    palSoftStep_Destroy(step);
    softFree(&f);
}

// The same linearisation serves two steps.
static void a_step_from_the_same_linearisation_is_the_same(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(6);
    softFixture f = makeBlock(palMakeVec3(0, 0, -10), isBottom);
    palSoftStep *once, *again;
    assert_int_equal(palSoftStep_Create(f.body, 6, 6, &prompt, &once, NULL), pal_ok);
    assert_int_equal(palSoftStep_Create(f.body, 6, 6, &prompt, &again, NULL), pal_ok);
    for (int i = 0; i < f.body->nodeCount; i++)
        if (f.body->freeIndex[i] >= 0)
            f.body->x[i] = palAdd(f.body->x[i], softRandomVector(&random, 1e-3));
    assert_true(palSoftStep_Begin(once, h, false));
    assert_true(palSoftStep_Begin(again, h, true));
    palSoftStep_EvaluateTrial(once, NULL);
    palSoftStep_EvaluateTrial(again, NULL);
    assert_memory_equal(once->x, again->x, (size_t)f.body->nodeCount * sizeof *once->x);
    palSoftStep_Destroy(once);
    palSoftStep_Destroy(again);
    softFree(&f);
}

static void a_body_that_is_not_finite_stays_where_it_is(void** state)
{
    (void)state;
    softFixture f = makeBlock(pal_zeroVec3, isBottom);
    palSoftStep* step;
    assert_int_equal(palSoftStep_Create(f.body, 3, 3, &prompt, &step, NULL), pal_ok);
    f.body->x[f.body->nodeCount - 1].x = NAN;
    assert_false(palSoftStep_Begin(step, h, false));
    palSoftStep_EvaluateTrial(step, NULL);
    palSoftStep_Commit(step);
    for (int i = 0; i < f.body->nodeCount - 1; i++)
        ASSERT_NEAR(palDistance(f.body->x[i], f.body->rest[i]), 0.0, 0.0);
    palSoftStep_Destroy(step);
    softFree(&f);
}

// Of a bar and a cube of as many bricks the cube's factor takes far more operations.
static void who_makes_the_factors_follows_from_their_operations(void** state)
{
    (void)state;
    static const int cells[][3] = {{3, 3, 200}, {12, 12, 12}};
    for (int i = 0; i < 2; i++)
    {
        softFixture f;
        palVolumeShapeDef shape = softBlock(pal_cutNone, palMakeVec3(0.1, 0.1, 0.1), cells[i][0],
                                            cells[i][1], cells[i][2]);
        softMake(&f, &shape, palDefaultSoftDef(), isBottom);
        for (int isSet = 0; isSet < 2; isSet++)
        {
            palSoftFactorDef def = palDefaultSoftFactorDef();
            palSoftFactor* factor;
            def.elementsAtOnce = isSet ? 1750 : 0;
            assert_int_equal(palSoftFactor_Create(&def, f.body, &factor, NULL), pal_ok);
            const palSymbolic* symbolic = &palSoftFactor_Cholesky(factor)->symbolic;
            bool isLarge = isSet ? f.body->hexCount > 1750 : symbolic->flops > PAL_FLOPS_AT_ONCE;
            assert_int_equal(palSoftFactor_IsLarge(factor), isLarge);
            assert_int_equal(isLarge, isSet ? i == 0 : i == 1);
            palSoftFactor_Destroy(factor);
        }
        softFree(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_falls_as_one),
        cmocka_unit_test(compliance_is_how_far_forces_move_the_rows),
        cmocka_unit_test(a_step_from_the_same_linearisation_is_the_same),
        cmocka_unit_test(a_body_that_is_not_finite_stays_where_it_is),
        cmocka_unit_test(who_makes_the_factors_follows_from_their_operations),
    };
    return RUN(tests);
}
