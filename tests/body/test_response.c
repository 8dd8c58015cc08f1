// SPDX-License-Identifier: Apache-2.0
// The model of a soft body's answers against the body in full.
#include "soft_fixture.h"

#include "body/island.h"

static const palVec3 size = {0.1, 0.1, 0.1};

static bool isAtBottom(palVec3 x)
{
    return x.z < -0.5 * size.z + 1e-9;
}

static int topNode(const palSoftBody* body)
{
    for (int i = 0; i < body->nodeCount; i++)
        if (palDistance(body->rest[i], palMakeVec3(0.0, 0.0, 0.5 * size.z)) < 1e-9)
            return i;
    return -1;
}

static palResult create(palSoftBody* body, palIslands** islands)
{
    palIslandsDef def = {palDefaultSoftFactorDef(), &body, 1, 0, 0, 0};
    return palIslands_Create(&def, islands, NULL);
}

// A large body's, whose factor comes `late` steps after it was asked for.
static palResult createLate(palSoftBody* body, int late, palIslands** islands)
{
    palIslandsDef def = {palDefaultSoftFactorDef(), &body, 1, 0, 0, 0};
    def.factor.elementsAtOnce = 1;
    def.factor.lateSteps = late;
    return palIslands_Create(&def, islands, NULL);
}

// Of the one body, for forces at a node or, with -1, at none.
static bool build(palIslands* islands, int node, double h, double now)
{
    palTouchedNodes touched = {&node, node >= 0, NULL, NULL, NULL};
    return palIslands_Build(islands, &touched, NULL, h, now) == 0;
}

static palModes* modesOf(palIslands* islands)
{
    return &islands->islands[0].reduction.modes;
}

static void makeBlock(softFixture* f, palVolumeCut cut, palSoftDef def)
{
    palVolumeShapeDef shape = softBlock(cut, size, 4, 4, 4);
    softMake(f, &shape, def, isAtBottom);
}

// The shapes are orthonormal in M, and each is an oscillator of its own: nodes' shapes give
// Σ b bᵀ over the modes = h²-free inverse mass at the touched node, 1/m I.
static void shapesGiveTheInverseMassOfTheTouchedNode(void** state)
{
    (void)state;
    softFixture f;
    makeBlock(&f, pal_cutFive, palDefaultSoftDef());
    palIslands* islands;
    assert_int_equal(create(f.body, &islands), pal_ok);
    int node = topNode(f.body);
    assert_true(build(islands, node, 1e-3, 0.0));
    palModeShape shape;
    palIslands_NodeShape(islands, 0, node, &shape);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            double sum = 0.0;
            for (int k = 0; k < modesOf(islands)->count; k++)
                sum += shape.b[i][k] * shape.b[j][k];
            ASSERT_NEAR(sum * f.body->mass[node], i == j, 1e-6);
        }
    palIslands_Destroy(islands);
    softFree(&f);
}

// Turns the body about z, more with the height.
static void twist(palSoftBody* body, double angle)
{
    for (int i = 0; i < body->nodeCount; i++)
    {
        double here = angle * (body->rest[i].z / size.z + 0.5);
        palQuat turn = {cos(0.5 * here), 0.0, 0.0, sin(0.5 * here)};
        if (body->freeIndex[i] >= 0)
            body->x[i] = palRotate(turn, body->rest[i]);
    }
}

// h² J A⁻¹ Jᵀ of one coordinate of a node in the full body.
static double complianceOf(softFixture* f, int node, int axis, double h)
{
    size_t row = 3 * (size_t)f->body->freeIndex[node] + (size_t)axis;
    assert_true(palSoftBody_Factor(f->body, h, &f->reference.A, f->reference.factor));
    memset(f->reference.b, 0, f->reference.rows * sizeof(double));
    f->reference.b[row] = 1.0;
    palCholesky_Solve(f->reference.factor, f->reference.b, f->reference.x);
    return h * h * f->reference.x[row];
}

// W(dt) and the static compliance of the modes against those of the full body.
static void complianceIsThatOfTheFullBody(void** state)
{
    (void)state;
    static const palVolumeCut cuts[] = {pal_cutFive, pal_cutNone};
    static const double steps[] = {1e-3, 5e-3, 20e-3, 100.0};
    static const double bounds[] = {0.02, 0.01, 1e-6, 0.02};
    for (int c = 0; c < 2; c++)
    {
        softFixture f;
        makeBlock(&f, cuts[c], palDefaultSoftDef());
        palIslands* islands;
        assert_int_equal(create(f.body, &islands), pal_ok);
        int node = topNode(f.body);
        assert_true(build(islands, node, 1e-3, 0.0));
        palModeShape shape;
        palIslands_NodeShape(islands, 0, node, &shape);
        for (int s = 0; s < 4; s++)
        {
            double h = steps[s];
            double expected = complianceOf(&f, node, 2, h);
            palModes_SetStep(modesOf(islands), h, f.body->alpha, f.body->beta);
            double W = 0.0;
            for (int k = 0; k < modesOf(islands)->count; k++)
                W += h * h * modesOf(islands)->a[k] * shape.b[2][k] * shape.b[2][k];
            ASSERT_NEAR(W / expected, 1.0, bounds[s]);
        }
        palIslands_Destroy(islands);
        softFree(&f);
    }
}

// With a factor of the body at rest, after its top was turned by 0.6 rad. What is left of the
// error over longest times is taken away step by step: the next tests.
static void complianceSurvivesALateFactor(void** state)
{
    (void)state;
    static const double steps[] = {1e-3, 5e-3, 20e-3, 100.0};
    static const double bounds[] = {0.03, 0.03, 0.03, 0.2};
    softFixture f;
    makeBlock(&f, pal_cutFive, palDefaultSoftDef());
    palIslands* islands;
    assert_int_equal(createLate(f.body, 1000, &islands), pal_ok);
    twist(f.body, 0.6);
    int node = topNode(f.body);
    // The second step has the successors of the first one's answers.
    for (int k = 0; k < 2; k++)
        assert_true(build(islands, node, 1e-3, 0.0));
    palModeShape shape;
    palIslands_NodeShape(islands, 0, node, &shape);
    for (int s = 0; s < 4; s++)
        for (int c = 0; c < 3; c++)
        {
            palModes_SetStep(modesOf(islands), steps[s], f.body->alpha, f.body->beta);
            double W = 0.0;
            for (int k = 0; k < modesOf(islands)->count; k++)
                W += steps[s] * steps[s] * modesOf(islands)->a[k] * shape.b[c][k] * shape.b[c][k];
            double truth = complianceOf(&f, node, c, steps[s]);
            ASSERT_NEAR(W / truth, 1.0, bounds[s]);
        }
    palIslands_Destroy(islands);
    softFree(&f);
}

// One step of the modes at h* from a moving, deformed state is the full body's.
static void oneStepFollowsTheFullBody(void** state)
{
    (void)state;
    const double h = 0.02; // h* of response.h
    softFixture modal, full;
    palRandom random = palMakeRandom(7);
    makeBlock(&modal, pal_cutFive, palDefaultSoftDef());
    makeBlock(&full, pal_cutFive, palDefaultSoftDef());
    for (int i = 0; i < full.body->nodeCount; i++)
        if (full.body->freeIndex[i] >= 0)
        {
            palVec3 u = softRandomVector(&random, 1e-4);
            modal.body->x[i] = full.body->x[i] = palAdd(full.body->rest[i], u);
        }
    palIslands* islands;
    assert_int_equal(create(modal.body, &islands), pal_ok);
    int node = topNode(modal.body);
    assert_true(build(islands, node, h, 0.0));
    palModesState motion;
    palModes_Start(modesOf(islands), &motion);
    palModes_Advance(modesOf(islands), NULL, &motion);
    palIslands_Move(islands, 0, &motion);
    assert_true(palSoftReference_Step(&full.reference, h));
    double moved = 0.0, difference = 0.0;
    for (int i = 0; i < full.body->nodeCount; i++)
    {
        difference = fmax(difference, palDistance(full.body->v[i], modal.body->v[i]));
        moved = fmax(moved, palLength(full.body->v[i]));
    }
    ASSERT_BELOW(difference, 1e-3 * moved);
    palIslands_Destroy(islands);
    softFree(&modal);
    softFree(&full);
}

// Steps of 33 ms without contact.
static void moveFreely(palIslands* islands, int steps, double bound)
{
    for (int k = 0; k < steps; k++)
    {
        double now = 0.033 * k;
        assert_true(build(islands, -1, 1e-3, now));
        palModesState motion;
        palModes_Start(modesOf(islands), &motion);
        for (int j = 0; j < 33; j++)
            palModes_Advance(modesOf(islands), NULL, &motion);
        palIslands_Move(islands, 0, &motion);
        ASSERT_BELOW(softFarthest(islands->parts[0]->soft.body), bound);
    }
}

// An untouched body that is let go from a twist comes to rest at its shape, also where the factor
// is always half a second old or more.
static void anUntouchedBodyComesToRest(void** state)
{
    (void)state;
    static const palVolumeCut cuts[] = {pal_cutFive, pal_cutNone};
    for (int c = 0; c < 4; c++)
    {
        softFixture f;
        makeBlock(&f, cuts[c % 2], palDefaultSoftDef());
        palIslands* islands;
        if (c < 2)
            assert_int_equal(create(f.body, &islands), pal_ok);
        else
            assert_int_equal(createLate(f.body, 15, &islands), pal_ok);
        twist(f.body, 1.5);
        double start = softFarthest(f.body);
        moveFreely(islands, 150, 2.0 * start);
        ASSERT_BELOW(softFarthest(f.body), 0.01 * start);
        palIslands_Destroy(islands);
        softFree(&f);
    }
}

// A heavy body sags to where the static solve has it, whatever the age of the factor.
static void gravitySagsItAsAStaticSolveSays(void** state)
{
    (void)state;
    palSoftDef def = palDefaultSoftDef();
    def.gravity = palMakeVec3(0.0, 0.0, -9.81);
    softFixture truth;
    makeBlock(&truth, pal_cutFive, def);
    ASSERT_BELOW(palSoftReference_Settle(&truth.reference, 1e-10, 100), 1e-10);
    double sag = softFarthest(truth.body);
    for (int late = 0; late <= 20; late += 10)
    {
        softFixture f;
        palIslands* islands;
        makeBlock(&f, pal_cutFive, def);
        if (late == 0)
            assert_int_equal(create(f.body, &islands), pal_ok);
        else
            assert_int_equal(createLate(f.body, late, &islands), pal_ok);
        moveFreely(islands, 150, 2.0 * sag);
        for (int i = 0; i < f.body->nodeCount; i++)
            ASSERT_BELOW(palDistance(f.body->x[i], truth.body->x[i]), 0.01 * sag);
        palIslands_Destroy(islands);
        softFree(&f);
    }
    softFree(&truth);
}

// A state that is not finite is told, with a factor of its own and with a late one; a state that is
// finite again is answered.
static void aStateThatIsNotFiniteIsTold(void** state)
{
    (void)state;
    for (int late = 0; late < 2; late++)
    {
        softFixture f;
        palIslands* islands;
        makeBlock(&f, pal_cutFive, palDefaultSoftDef());
        int node = topNode(f.body);
        palVec3 place = f.body->x[node];
        assert_int_equal(late ? createLate(f.body, 2, &islands) : create(f.body, &islands), pal_ok);
        assert_true(build(islands, node, 1e-3, 0.0));
        f.body->x[node].y = NAN;
        assert_false(build(islands, node, 1e-3, 0.0));
        assert_int_equal(modesOf(islands)->count, 0);
        f.body->x[node] = place;
        for (int k = 0; k < 8; k++)
            assert_true(build(islands, node, 1e-3, 0.0));
        assert_true(modesOf(islands)->count > 0);
        palIslands_Destroy(islands);
        softFree(&f);
    }
}

// The factor that a large body works with is never older than two makings, and not younger than
// one.
static void theAgeOfAFactorIsWhatItTookToMake(void** state)
{
    (void)state;
    softFixture f;
    palIslands* islands;
    makeBlock(&f, pal_cutFive, palDefaultSoftDef());
    assert_int_equal(createLate(f.body, 4, &islands), pal_ok);
    for (int k = 0; k < 40; k++)
    {
        double now = 0.01 * k;
        assert_true(build(islands, -1, 1e-3, now));
        if (k < 5)
            continue;
        assert_true(islands->parts[0]->soft.factor->info.factorAge > 0.01 * 3.5);
        assert_true(islands->parts[0]->soft.factor->info.factorAge < 0.01 * 8.5);
    }
    palIslands_Destroy(islands);
    softFree(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapesGiveTheInverseMassOfTheTouchedNode),
        cmocka_unit_test(complianceIsThatOfTheFullBody),
        cmocka_unit_test(complianceSurvivesALateFactor),
        cmocka_unit_test(oneStepFollowsTheFullBody),
        cmocka_unit_test(anUntouchedBodyComesToRest),
        cmocka_unit_test(gravitySagsItAsAStaticSolveSays),
        cmocka_unit_test(aStateThatIsNotFiniteIsTold),
        cmocka_unit_test(theAgeOfAFactorIsWhatItTookToMake),
    };
    return RUN(tests);
}
