// SPDX-License-Identifier: Apache-2.0
// The linear contact model against the full solve of eq. (10): a tool, a soft body of its own dense
// matrix, and random rows between them.
#include "check.h"

#include "base/random.h"
#include "touch/linear_model.h"

enum
{
    softSize = 30,
    rowsMax = 25,
    turns = 40,
};

static const double h = 1e-3; // s

typedef struct scene
{
    palRigidModel model;
    palRigidState state;
    palHandle handle;
    palRigidStep step;
    int rowCount;
    palWrench rows[rowsMax];
    double Ju[rowsMax][softSize];
    double Au[softSize][softSize];
    double answers[rowsMax][softSize]; // Au⁻¹ Juᵀ
    double free[softSize];             // u̇⁻
    double mobility[rowsMax * rowsMax];
    double velocity[rowsMax];
} scene;

static palVec3 randomVector(palRandom* random, double size)
{
    return palMakeVec3(size * palRandom_Normal(random), size * palRandom_Normal(random),
                       size * palRandom_Normal(random));
}

// Gaussian elimination with partial pivoting; A and b are overwritten.
static void solveDense(int n, double* A, double* b)
{
    for (int k = 0; k < n; k++)
    {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            pivot = fabs(A[i * n + k]) > fabs(A[pivot * n + k]) ? i : pivot;
        for (int j = 0; j < n; j++)
        {
            double swap = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int i = k + 1; i < n; i++)
        {
            double factor = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--)
    {
        for (int j = i + 1; j < n; j++)
            b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
}

static void randomTool(scene* s, palRandom* random)
{
    palRigidDef def = palDefaultRigidDef();
    palError error;
    def.gripPosition = randomVector(random, 0.01);
    assert_int_equal(palRigidModel_Init(&s->model, &def, &error), pal_ok);
    s->handle = (palHandle){
        .x = randomVector(random, 0.01),
        .q = palMakeQuatRotationVector(randomVector(random, 0.3)),
        .v = randomVector(random, 0.1),
        .omega = randomVector(random, 1.0),
    };
    s->state = palRigid_AtHandle(&s->model, &s->handle);
    s->state.x = palAdd(s->state.x, randomVector(random, 1e-3));
    s->step = palRigid_Free(&s->model, &s->state, &s->handle, h);
}

static void randomSoft(scene* s, palRandom* random)
{
    double B[softSize][softSize];
    for (int i = 0; i < softSize; i++)
    {
        s->free[i] = 0.05 * palRandom_Normal(random);
        for (int j = 0; j < softSize; j++)
            B[i][j] = 0.02 * palRandom_Normal(random);
    }
    for (int i = 0; i < softSize; i++)
        for (int j = 0; j < softSize; j++)
        {
            s->Au[i][j] = i == j ? 2e-3 : 0.0;
            for (int k = 0; k < softSize; k++)
                s->Au[i][j] += B[i][k] * B[j][k];
        }
}

static void randomRows(scene* s, palRandom* random, int count)
{
    s->rowCount = count;
    for (int i = 0; i < count; i++)
    {
        palVec3 n = palNormalize(randomVector(random, 1.0));
        s->rows[i] = palRigidStep_Row(&s->step, randomVector(random, 0.03), n);
        for (int j = 0; j < softSize; j++)
            s->Ju[i][j] = palRandom_Unit(random) < 0.2 ? palRandom_Normal(random) : 0.0;
    }
    for (int i = 0; i < count; i++)
    {
        double A[softSize * softSize];
        memcpy(A, s->Au, sizeof A);
        memcpy(s->answers[i], s->Ju[i], sizeof s->answers[i]);
        solveDense(softSize, A, s->answers[i]);
        s->velocity[i] = 0.0;
        for (int j = 0; j < softSize; j++)
            s->velocity[i] += s->Ju[i][j] * s->free[j];
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
        {
            s->mobility[i * rowsMax + j] = 0.0;
            for (int k = 0; k < softSize; k++)
                s->mobility[i * rowsMax + j] += s->Ju[i][k] * s->answers[j][k];
        }
}

static palLinearModel buildModel(const scene* s, const double* slow)
{
    palLinearWork work;
    palLinearModel model;
    assert_int_equal(palLinearWork_Init(&work, rowsMax, NULL), pal_ok);
    palLinearModel_Build(&model,
                         &(palLinearModelDef){.tool = &s->step,
                                              .count = s->rowCount,
                                              .rows = s->rows,
                                              .softMobility = s->mobility,
                                              .softSlow = slow,
                                              .stride = rowsMax,
                                              .softVelocity = s->velocity},
                         &work);
    palLinearWork_Free(&work);
    return model;
}

// Jᵀ λ of the whole system (10), with the tool's part as its 6x6 inverse gives it and the rest
// dense: unknowns δu̇ and λ.
static palWrench solveFull(const scene* s, const palRigidStep* step)
{
    int n = softSize + s->rowCount;
    double* A = calloc((size_t)n * (size_t)n, sizeof *A);
    double* b = calloc((size_t)n, sizeof *b);
    assert_non_null(A);
    assert_non_null(b);
    for (int i = 0; i < softSize; i++)
        for (int j = 0; j < softSize; j++)
            A[i * n + j] = s->Au[i][j];
    for (int r = 0; r < s->rowCount; r++)
    {
        int row = softSize + r;
        palTwist answer = palRigidStep_Response(step, s->rows[r]);
        for (int j = 0; j < softSize; j++)
        {
            A[j * n + row] = -h * s->Ju[r][j];
            A[row * n + j] = s->Ju[r][j];
        }
        for (int k = 0; k < s->rowCount; k++)
            A[row * n + softSize + k] = h * palRowDot(s->rows[k], answer);
        b[row] = -palRowDot(s->rows[r], step->free) - s->velocity[r];
    }
    solveDense(n, A, b);
    palWrench w = {pal_zeroVec3, pal_zeroVec3};
    for (int r = 0; r < s->rowCount; r++)
    {
        w.force = palMulAdd(w.force, b[softSize + r], s->rows[r].force);
        w.torque = palMulAdd(w.torque, b[softSize + r], s->rows[r].torque);
    }
    free(A);
    free(b);
    return w;
}

static double difference(palWrench a, palWrench b)
{
    double size = palLength(b.force) + palLength(b.torque) / 0.03;
    return (palDistance(a.force, b.force) + palDistance(a.torque, b.torque) / 0.03) / size;
}

static void the_model_gives_the_force_of_the_full_solve_when_other_forces_changed(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    for (int turn = 0; turn < turns; turn++)
    {
        scene s;
        randomTool(&s, &random);
        randomSoft(&s, &random);
        randomRows(&s, &random, 1 + palRandom_Below(&random, rowsMax));
        palLinearModel model = buildModel(&s, NULL);

        // F̃ and T̃ change, and with them the free velocities; A and the rows do not.
        palRigidStep changed = s.step;
        changed.discrete.force = palAdd(changed.discrete.force, randomVector(&random, 3.0));
        changed.discrete.torque = palAdd(changed.discrete.torque, randomVector(&random, 0.05));
        palTwist u = palRigidStep_Response(&changed, changed.discrete);
        changed.free = (palTwist){palScale(h, u.v), palScale(h, u.omega)};
        palWrench w = palLinearModel_Evaluate(&model, changed.discrete, pal_zeroVec3, pal_zeroVec3);
        ASSERT_BELOW(difference(w, solveFull(&s, &changed)), 1e-10);
    }
}

// λ of at most five rows from their force and torque.
static void recoverForces(const scene* s, palWrench w, double* lambda)
{
    double G[rowsMax * rowsMax];
    int n = s->rowCount;
    const double lever = 0.03; // m, so that force and torque weigh alike
    for (int i = 0; i < n; i++)
    {
        palTwist row = {s->rows[i].force, palScale(1.0 / (lever * lever), s->rows[i].torque)};
        lambda[i] = palRowDot(w, row);
        for (int j = 0; j < n; j++)
            G[i * n + j] = palRowDot(s->rows[j], row);
    }
    solveDense(n, G, lambda);
}

static void after_the_model_s_force_no_row_moves(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    for (int turn = 0; turn < turns; turn++)
    {
        scene s;
        randomTool(&s, &random);
        randomSoft(&s, &random);
        randomRows(&s, &random, 1 + palRandom_Below(&random, 5));
        palLinearModel model = buildModel(&s, NULL);
        palWrench w = palLinearModel_Evaluate(&model, s.step.discrete, pal_zeroVec3, pal_zeroVec3);
        palTwist u = palRigidStep_Correct(&s.step, w);
        double lambda[rowsMax];
        recoverForces(&s, w, lambda);
        for (int r = 0; r < s.rowCount; r++)
        {
            double before = fabs(palRowDot(s.rows[r], s.step.free)) + fabs(s.velocity[r]);
            double after = palRowDot(s.rows[r], u) + s.velocity[r];
            for (int k = 0; k < s.rowCount; k++)
                after += h * s.mobility[r * rowsMax + k] * lambda[k];
            ASSERT_BELOW(fabs(after), 1e-9 * before);
        }
    }
}

static void repeated_rows_change_nothing(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    scene s;
    randomTool(&s, &random);
    randomSoft(&s, &random);
    randomRows(&s, &random, 6);
    palLinearModel once = buildModel(&s, NULL);
    for (int i = 0; i < 6; i++)
    {
        s.rows[6 + i] = s.rows[i];
        s.velocity[6 + i] = s.velocity[i];
        for (int j = 0; j < 12; j++)
            s.mobility[(6 + i) * rowsMax + j] = s.mobility[i * rowsMax + j % 6];
    }
    for (int i = 0; i < 6; i++)
        for (int j = 6; j < 12; j++)
            s.mobility[i * rowsMax + j] = s.mobility[i * rowsMax + j - 6];
    s.rowCount = 12;
    palLinearModel twice = buildModel(&s, NULL);
    assert_int_equal(once.rowCount, 6);
    assert_int_equal(twice.rowCount, 6);
    palWrench a = palLinearModel_Evaluate(&once, s.step.discrete, pal_zeroVec3, pal_zeroVec3);
    palWrench b = palLinearModel_Evaluate(&twice, s.step.discrete, pal_zeroVec3, pal_zeroVec3);
    ASSERT_BELOW(difference(b, a), 1e-8);
}

// One spring k under a tool that is pushed straight down: moved by d, it pushes back by k d more,
// once the tool has stopped.
static void the_stiffness_is_that_of_the_tissue_at_rest(void** state)
{
    (void)state;
    const double k = 200.0, mass = 2e-3; // N/m, kg
    palRigidModel tool;
    palRigidDef def = palDefaultRigidDef();
    palError error;
    def.stiffness = def.damping = 0.0;
    assert_int_equal(palRigidModel_Init(&tool, &def, &error), pal_ok);
    palHandle handle = {.q = pal_identityQuat};
    palRigidState rest = palRigid_AtHandle(&tool, &handle);
    palRigidStep step = palRigid_Free(&tool, &rest, &handle, h);
    palWrench row = palRigidStep_Row(&step, rest.x, palMakeVec3(0, 0, 1));
    double mobility = 1.0 / (mass + h * h * k), slow = 1.0 / k, velocity = 0.0;
    palLinearWork work;
    assert_int_equal(palLinearWork_Init(&work, 1, NULL), pal_ok);
    palLinearModel model;
    palLinearModel_Build(&model,
                         &(palLinearModelDef){.tool = &step,
                                              .count = 1,
                                              .rows = &row,
                                              .softMobility = &mobility,
                                              .softSlow = &slow,
                                              .stride = 1,
                                              .softVelocity = &velocity},
                         &work);
    palLinearWork_Free(&work);

    // Held there by k d, it stays: the discrete force that balances the contact force is k d.
    palVec3 d = palMakeVec3(0, 0, -1e-3);
    palWrench push = {palScale(k, d), pal_zeroVec3};
    palWrench w = palLinearModel_Evaluate(&model, push, d, pal_zeroVec3);
    ASSERT_NEAR(w.force.z, 1e-3 * k, 1e-5 * k); // the least compliance takes 1 % here
    ASSERT_NEAR(w.force.x, 0.0, 1e-12);
}

static void a_filtered_model_arrives_at_its_target(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    scene s;
    randomTool(&s, &random);
    randomSoft(&s, &random);
    randomRows(&s, &random, 10);
    palLinearModel target = buildModel(&s, NULL);
    palLinearModel model = {0};
    palLinearModel_Approach(&model, &target, 0.25);
    ASSERT_NEAR(model.offset.force.x, 0.25 * target.offset.force.x, 1e-15);
    ASSERT_NEAR(model.inverse[1][0].m[2][1], 0.25 * target.inverse[1][0].m[2][1], 1e-15);
    for (int i = 0; i < 200; i++)
        palLinearModel_Approach(&model, &target, 0.25);
    palWrench a = palLinearModel_Evaluate(&model, s.step.discrete, pal_zeroVec3, pal_zeroVec3);
    palWrench b = palLinearModel_Evaluate(&target, s.step.discrete, pal_zeroVec3, pal_zeroVec3);
    ASSERT_BELOW(difference(a, b), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_gives_the_force_of_the_full_solve_when_other_forces_changed),
        cmocka_unit_test(after_the_model_s_force_no_row_moves),
        cmocka_unit_test(repeated_rows_change_nothing),
        cmocka_unit_test(the_stiffness_is_that_of_the_tissue_at_rest),
        cmocka_unit_test(a_filtered_model_arrives_at_its_target),
    };
    return RUN(tests);
}
