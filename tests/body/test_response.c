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
        size_t row = 3 * (size_t)f.body->freeIndex[node] + 2;
        assert_true(palResponse_Build(response, &node, 1, NULL, 1e-3));
        palModeShape shape;
        palResponse_NodeShape(response, node, &shape);
        for (int s = 0; s < 4; s++)
        {
            double h = steps[s];
            assert_true(palSoftBody_Factor(f.body, h, &f.reference.A, f.reference.factor));
            memset(f.reference.b, 0, f.reference.rows * sizeof(double));
            f.reference.b[row] = 1.0;
            palCholesky_Solve(f.reference.factor, f.reference.b, f.reference.x);
            double expected = h * h * f.reference.x[row];
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

// An untouched body that is let go from a twist comes to rest at its shape.
static void anUntouchedBodyComesToRest(void** state)
{
    (void)state;
    static const palVolumeCut cuts[] = {pal_cutFive, pal_cutNone};
    for (int c = 0; c < 2; c++)
    {
        softFixture f;
        makeBlock(&f, cuts[c], palDefaultSoftDef());
        for (int i = 0; i < f.body->nodeCount; i++)
        {
            double angle = 1.5 * (f.body->rest[i].z / size.z + 0.5);
            palQuat turn = {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)};
            f.body->x[i] =
                f.body->freeIndex[i] >= 0 ? palRotate(turn, f.body->rest[i]) : f.body->rest[i];
        }
        palResponse* response;
        assert_int_equal(create(f.body, &response), pal_ok);
        double start = softFarthest(f.body);
        for (int k = 0; k < 150; k++)
        {
            assert_true(palResponse_Build(response, NULL, 0, NULL, 1e-3));
            palModesState motion;
            palModes_Start(&response->modes, &motion);
            for (int j = 0; j < 33; j++)
                palModes_Advance(&response->modes, NULL, &motion);
            palResponse_MoveBody(response, &motion);
            ASSERT_BELOW(softFarthest(f.body), 2.0 * start);
        }
        ASSERT_BELOW(softFarthest(f.body), 0.01 * start);
        palResponse_Destroy(response);
        softFree(&f);
    }
}

// A heavy body sags to where the static solve has it.
static void gravitySagsItAsAStaticSolveSays(void** state)
{
    (void)state;
    palSoftDef def = palDefaultSoftDef();
    def.gravity = palMakeVec3(0.0, 0.0, -9.81);
    softFixture f, truth;
    makeBlock(&f, pal_cutFive, def);
    makeBlock(&truth, pal_cutFive, def);
    palResponse* response;
    assert_int_equal(create(f.body, &response), pal_ok);
    for (int k = 0; k < 150; k++)
    {
        assert_true(palResponse_Build(response, NULL, 0, NULL, 1e-3));
        palModesState motion;
        palModes_Start(&response->modes, &motion);
        for (int j = 0; j < 33; j++)
            palModes_Advance(&response->modes, NULL, &motion);
        palResponse_MoveBody(response, &motion);
    }
    ASSERT_BELOW(palSoftReference_Settle(&truth.reference, 1e-10, 100), 1e-10);
    double sag = softFarthest(truth.body);
    for (int i = 0; i < f.body->nodeCount; i++)
        ASSERT_BELOW(palDistance(f.body->x[i], truth.body->x[i]), 0.01 * sag);
    palResponse_Destroy(response);
    softFree(&f);
    softFree(&truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapesGiveTheInverseMassOfTheTouchedNode),
        cmocka_unit_test(complianceIsThatOfTheFullBody),
        cmocka_unit_test(oneStepFollowsTheFullBody),
        cmocka_unit_test(anUntouchedBodyComesToRest),
        cmocka_unit_test(gravitySagsItAsAStaticSolveSays),
    };
    return RUN(tests);
}
