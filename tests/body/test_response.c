// SPDX-License-Identifier: Apache-2.0
// The model of a soft body's answers against the body in full.
#include "soft_fixture.h"

#include "body/response.h"

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

static palResult create(palSoftBody* body, palResponse** response)
{
    palResponseDef def = palDefaultResponseDef();
    return palResponse_Create(&def, body, response, NULL);
}

// A large body's, whose factor comes `late` steps after it was asked for.
static palResult createLate(palSoftBody* body, int late, palResponse** response)
{
    palResponseDef def = palDefaultResponseDef();
    def.elementsAtOnce = 1;
    def.lateSteps = late;
    return palResponse_Create(&def, body, response, NULL);
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
    palResponse* response;
    assert_int_equal(create(f.body, &response), pal_ok);
    int node = topNode(f.body);
    assert_true(palResponse_Build(response, &node, 1, NULL, 1e-3));
    palModeShape shape;
    palResponse_NodeShape(response, node, &shape);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            double sum = 0.0;
            for (int k = 0; k < response->modes.count; k++)
                sum += shape.b[i][k] * shape.b[j][k];
            ASSERT_NEAR(sum * f.body->mass[node], i == j, 1e-6);
        }
    palResponse_Destroy(response);
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
        palResponse* response;
        assert_int_equal(create(f.body, &response), pal_ok);
        int node = topNode(f.body);
        assert_true(palResponse_Build(response, &node, 1, NULL, 1e-3));
        palModeShape shape;
        palResponse_NodeShape(response, node, &shape);
        for (int s = 0; s < 4; s++)
        {
            double h = steps[s];
            double expected = complianceOf(&f, node, 2, h);
            palModes_SetStep(&response->modes, h, f.body->alpha, f.body->beta);
            double W = 0.0;
            for (int k = 0; k < response->modes.count; k++)
                W += h * h * response->modes.a[k] * shape.b[2][k] * shape.b[2][k];
            ASSERT_NEAR(W / expected, 1.0, bounds[s]);
        }
        palResponse_Destroy(response);
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
    palResponse* response;
    assert_int_equal(createLate(f.body, 1000, &response), pal_ok);
    twist(f.body, 0.6);
    int node = topNode(f.body);
    // The second step has the successors of the first one's answers.
    for (int k = 0; k < 2; k++)
        assert_true(palResponse_Build(response, &node, 1, NULL, 1e-3));
    palModeShape shape;
    palResponse_NodeShape(response, node, &shape);
    for (int s = 0; s < 4; s++)
        for (int c = 0; c < 3; c++)
        {
            palModes_SetStep(&response->modes, steps[s], f.body->alpha, f.body->beta);
            double W = 0.0;
            for (int k = 0; k < response->modes.count; k++)
                W += steps[s] * steps[s] * response->modes.a[k] * shape.b[c][k] * shape.b[c][k];
            double truth = complianceOf(&f, node, c, steps[s]);
            ASSERT_NEAR(W / truth, 1.0, bounds[s]);
        }
    palResponse_Destroy(response);
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
    palResponse* response;
    assert_int_equal(create(modal.body, &response), pal_ok);
    int node = topNode(modal.body);
    assert_true(palResponse_Build(response, &node, 1, NULL, h));
    palModesState motion;
    palModes_Start(&response->modes, &motion);
    palModes_Advance(&response->modes, NULL, &motion);
    palResponse_MoveBody(response, &motion);
    assert_true(palSoftReference_Step(&full.reference, h));
    double moved = 0.0, difference = 0.0;
    for (int i = 0; i < full.body->nodeCount; i++)
    {
        difference = fmax(difference, palDistance(full.body->v[i], modal.body->v[i]));
        moved = fmax(moved, palLength(full.body->v[i]));
    }
    ASSERT_BELOW(difference, 1e-3 * moved);
    palResponse_Destroy(response);
    softFree(&modal);
    softFree(&full);
}

// Steps of 33 ms without contact.
static void moveFreely(palResponse* response, int steps, double bound)
{
    for (int k = 0; k < steps; k++)
    {
        response->now = 0.033 * k;
        assert_true(palResponse_Build(response, NULL, 0, NULL, 1e-3));
        palModesState motion;
        palModes_Start(&response->modes, &motion);
        for (int j = 0; j < 33; j++)
            palModes_Advance(&response->modes, NULL, &motion);
        palResponse_MoveBody(response, &motion);
        ASSERT_BELOW(softFarthest(response->body), bound);
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
        palResponse* response;
        if (c < 2)
            assert_int_equal(create(f.body, &response), pal_ok);
        else
            assert_int_equal(createLate(f.body, 15, &response), pal_ok);
        twist(f.body, 1.5);
        double start = softFarthest(f.body);
        moveFreely(response, 150, 2.0 * start);
        ASSERT_BELOW(softFarthest(f.body), 0.01 * start);
        palResponse_Destroy(response);
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
        palResponse* response;
        makeBlock(&f, pal_cutFive, def);
        if (late == 0)
            assert_int_equal(create(f.body, &response), pal_ok);
        else
            assert_int_equal(createLate(f.body, late, &response), pal_ok);
        moveFreely(response, 150, 2.0 * sag);
        for (int i = 0; i < f.body->nodeCount; i++)
            ASSERT_BELOW(palDistance(f.body->x[i], truth.body->x[i]), 0.01 * sag);
        palResponse_Destroy(response);
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
        palResponse* response;
        makeBlock(&f, pal_cutFive, palDefaultSoftDef());
        int node = topNode(f.body);
        palVec3 place = f.body->x[node];
        assert_int_equal(late ? createLate(f.body, 2, &response) : create(f.body, &response),
                         pal_ok);
        assert_true(palResponse_Build(response, &node, 1, NULL, 1e-3));
        f.body->x[node].y = NAN;
        assert_false(palResponse_Build(response, &node, 1, NULL, 1e-3));
        assert_int_equal(response->modes.count, 0);
        f.body->x[node] = place;
        for (int k = 0; k < 8; k++)
            assert_true(palResponse_Build(response, &node, 1, NULL, 1e-3));
        assert_true(response->modes.count > 0);
        palResponse_Destroy(response);
        softFree(&f);
    }
}

// The factor that a large body works with is never older than two makings, and not younger than
// one.
static void theAgeOfAFactorIsWhatItTookToMake(void** state)
{
    (void)state;
    softFixture f;
    palResponse* response;
    makeBlock(&f, pal_cutFive, palDefaultSoftDef());
    assert_int_equal(createLate(f.body, 4, &response), pal_ok);
    for (int k = 0; k < 40; k++)
    {
        response->now = 0.01 * k;
        assert_true(palResponse_Build(response, NULL, 0, NULL, 1e-3));
        if (k < 5)
            continue;
        assert_true(response->info.factorAge > 0.01 * 3.5);
        assert_true(response->info.factorAge < 0.01 * 8.5);
    }
    palResponse_Destroy(response);
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
