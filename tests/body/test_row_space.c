// SPDX-License-Identifier: Apache-2.0
#include "soft_fixture.h"

#include "body/row_space.h"

enum
{
    manyRows = 120,
};

static bool atBottom(palVec3 x)
{
    return x.z < -0.05 + 1e-9;
}

// A block of 5 x 4 x 4 cells of tets, held at its bottom, and rows along all axes at some nodes.
typedef struct fixture
{
    softFixture soft;
    palReducibleSoft reducible;
    palRowSpace space;
    palSkin skin; // every node is a vertex
    palSparseRow rows[12];
    int rowCount;
    double* zero;
} fixture;

static void setUp(fixture* f, int rowCount)
{
    palError error;
    palSoftDef def = palDefaultSoftDef();
    palVolumeShapeDef shape = softBlock(pal_cutFive, palMakeVec3(0.1, 0.1, 0.1), 4, 4, 4);
    *f = (fixture){.rowCount = rowCount};
    softMake(&f->soft, &shape, def, atBottom);
    palSoftBody* body = f->soft.body;
    palSoftFactorDef factor = palDefaultSoftFactorDef();
    assert_int_equal(palReducibleSoft_Init(&f->reducible, body, &factor, &error), pal_ok);
    palReducible ops = palReducibleSoft_Ops(&f->reducible);
    assert_int_equal(palRowSpace_Init(&f->space, &ops, manyRows, &error), pal_ok);
    assert_int_equal(palSkin_Init(&f->skin, body->nodeCount, 1, &error), pal_ok);
    for (int i = 0; i < body->nodeCount; i++)
    {
        f->skin.nodes[i] = i;
        f->skin.weights[i] = 1.0;
    }
    static const palVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double weights[3] = {0.5, 0.3, 0.2};
    int last = body->nodeCount - 1;
    for (int r = 0; r < rowCount; r++)
    {
        int corner = last - 2 * (r / 3);
        const int vertices[3] = {corner, corner - 1, corner - 5};
        palPlace place = {.kind = pal_placeSurface, .on = palMakeTrianglePlace(vertices, weights)};
        f->rows[r] = palReducibleSoft_Row(body, &f->skin, &place, axes[r % 3], false);
    }
    f->zero = calloc((size_t)ops.size, sizeof *f->zero);
    assert_non_null(f->zero);
}

static void tearDown(fixture* f)
{
    free(f->zero);
    palSkin_Free(&f->skin);
    palRowSpace_Free(&f->space);
    palReducibleSoft_Free(&f->reducible);
    softFree(&f->soft);
}

static double applyRow(const palSparseRow* row, const double* x)
{
    double sum = 0.0;
    for (int k = 0; k < row->count; k++)
        sum += row->value[k] * x[row->index[k]];
    return sum;
}

// h² J A(h)⁻¹ Jᵀ by a factor of its own at that step.
static void exactCompliance(fixture* f, double h, double W[12][12])
{
    const palReducible* ops = &f->space.body.ops;
    double* b = calloc((size_t)ops->size, sizeof *b);
    double* x = calloc((size_t)ops->size, sizeof *x);
    assert_non_null(b);
    assert_non_null(x);
    assert_true(ops->factor(ops->body, h));
    for (int j = 0; j < f->rowCount; j++)
    {
        memset(b, 0, (size_t)ops->size * sizeof *b);
        palSparseRow_Add(&f->rows[j], 1.0, b);
        ops->solve(ops->body, 1, b, x);
        for (int i = 0; i < f->rowCount; i++)
            W[i][j] = h * h * applyRow(&f->rows[i], x);
    }
    free(b);
    free(x);
}

static double complianceError(fixture* f, double h)
{
    double W[12][12] = {{0}}, exact[12][12];
    double B[12][pal_modesMax];
    assert_true(palRowSpace_Build(&f->space, f->rows, f->rowCount, f->zero, 1e-3));
    for (int r = 0; r < f->rowCount; r++)
        palReduction_Project(&f->space.reduction, 0, &f->rows[r], B[r]);
    palModes_AddCompliance(&f->space.reduction.modes, h, B[0], pal_modesMax, NULL, f->rowCount,
                           W[0], 12);
    exactCompliance(f, h, exact);
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < f->rowCount; i++)
        for (int j = 0; j < f->rowCount; j++)
        {
            worst = fmax(worst, fabs(W[i][j] - exact[i][j]));
            largest = fmax(largest, fabs(exact[i][j]));
        }
    return worst / largest;
}

static void gives_the_compliance_of_every_step_from_one_factor(void** state)
{
    (void)state;
    fixture f;
    setUp(&f, 12);
    ASSERT_BELOW(complianceError(&f, 0.02), 1e-6); // the step that it was built at
    ASSERT_BELOW(complianceError(&f, 1e-3), 0.02);
    ASSERT_BELOW(complianceError(&f, 5e-3), 0.01);
    ASSERT_BELOW(complianceError(&f, 0.033), 1e-3);
    tearDown(&f);
}

static void answers_a_steady_force_with_the_static_solution(void** state)
{
    (void)state;
    fixture f;
    setUp(&f, 3);
    // 0.2 N aside, held for long in small steps, with the space made anew now and then.
    const double force = 0.2;
    const palReducible* ops = &f.space.body.ops;
    for (int step = 0; step < 30; step++)
    {
        double b[pal_modesMax], p[pal_modesMax];
        double* balance = calloc((size_t)ops->size, sizeof *balance);
        assert_non_null(balance);
        palSparseRow_Add(&f.rows[0], force, balance);
        assert_true(palRowSpace_Build(&f.space, f.rows, 3, balance, 5e-3));
        palReduction_Project(&f.space.reduction, 0, &f.rows[0], b);
        for (int i = 0; i < f.space.reduction.modes.count; i++)
            p[i] = force * b[i];
        palModesState at;
        palModes_Start(&f.space.reduction.modes, &at);
        for (int k = 0; k < 40; k++)
            palModes_Advance(&f.space.reduction.modes, p, &at);
        palReduction_Move(&f.space.reduction, &at);
        free(balance);
    }
    // At rest elastic and outer force are equal at every node.
    palSoftBody_Linearise(f.soft.body, pal_tangentExact);
    double* left = calloc((size_t)ops->size, sizeof *left);
    assert_non_null(left);
    memcpy(left, f.soft.body->force, (size_t)ops->size * sizeof *left);
    palSparseRow_Add(&f.rows[0], force, left);
    double worst = 0.0;
    for (int i = 0; i < ops->size; i++)
        worst = fmax(worst, fabs(left[i]));
    assert_true(worst < 1e-4 * force);
    free(left);
    tearDown(&f);
}

// With as many rows as there is room for, each gets fewer vectors; at the step of the factor the
// compliance stays exact.
static void checkRoom(int rowCount, int depth)
{
    fixture f;
    setUp(&f, 12);
    palSparseRow many[manyRows];
    static const palVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int last = f.soft.body->nodeCount - 1;
    for (int r = 0; r < rowCount; r++)
    {
        palPlace place = {.kind = pal_placeSurface, .on = palMakeVertexPlace(last - r / 3)};
        many[r] = palReducibleSoft_Row(f.soft.body, &f.skin, &place, axes[r % 3], false);
    }
    assert_true(palRowSpace_Build(&f.space, many, rowCount, f.zero, 1e-3));
    assert_int_equal(f.space.depth, depth);
    assert_true(f.space.reduction.denseCount <= pal_rowSpaceColumns);
    double b[pal_modesMax], W = 0.0;
    palReduction_Project(&f.space.reduction, 0, &many[5], b);
    const palReducible* ops = &f.space.body.ops;
    for (int i = 0; i < f.space.reduction.modes.count; i++)
    {
        double k = f.space.reduction.modes.k[i];
        W += 4e-4 * b[i] * b[i] / (1.0 + 0.02 * (ops->alpha + ops->beta * k) + 4e-4 * k);
    }
    f.rows[0] = many[5];
    f.rowCount = 1;
    double exact[12][12];
    exactCompliance(&f, 0.02, exact);
    ASSERT_NEAR(W / exact[0][0], 1.0, 1e-6);
    assert_false(palRowSpace_Build(&f.space, many, manyRows + 1, f.zero, 1e-3));
    tearDown(&f);
}

static void shares_its_room_among_many_rows(void** state)
{
    (void)state;
    checkRoom(12, 4);
    checkRoom(72, 2);
    checkRoom(manyRows, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_compliance_of_every_step_from_one_factor),
        cmocka_unit_test(answers_a_steady_force_with_the_static_solution),
        cmocka_unit_test(shares_its_room_among_many_rows),
    };
    return RUN(tests);
}
