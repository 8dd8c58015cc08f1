// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "body/rigid.h"
#include "check.h"

static const double dt = 1e-3; // s

static palRigidModel modelOf(palRigidDef def)
{
    palRigidModel model;
    palError error;
    if (palRigidModel_Init(&model, &def, &error) != pal_ok)
        fail_msg("%s; %s", error.text, error.remedy);
    return model;
}

// A brick that nothing holds. Its intermediate axis is y.
static palRigidDef freeBrick(void)
{
    palRigidDef def = palDefaultRigidDef();
    def.mass = (palMass){.mass = 0.1, .inertia = {{{1e-5, 0, 0}, {0, 2e-5, 0}, {0, 0, 2.6e-5}}}};
    def.stiffness = def.damping = def.rotationStiffness = def.rotationDamping = 0.0;
    return def;
}

static palVec3 randomVec3(palRandom* random, double size)
{
    double x = palRandom_Range(random, -size, size);
    double y = palRandom_Range(random, -size, size);
    return palMakeVec3(x, y, palRandom_Range(random, -size, size));
}

// A lopsided tool, held off its centre, and a state and a handle for it.
static palRigidModel randomTool(palRandom* random, palRigidState* state, palHandle* handle)
{
    palRigidDef def = palDefaultRigidDef();
    palMass brick = {.mass = 0.03, .inertia = {{{2e-5, 0, 0}, {0, 3e-5, 0}, {0, 0, 4e-5}}}};
    def.mass = palMass_Moved(brick, palMakeQuatRotationVector(randomVec3(random, 1.0)),
                             randomVec3(random, 0.05));
    def.gripPosition = randomVec3(random, 0.1);
    def.gripOrientation = palMakeQuatRotationVector(randomVec3(random, 1.0));
    def.gravity = palMakeVec3(0, 0, -9.81);
    palRigidModel model = modelOf(def);
    *handle = (palHandle){
        .x = randomVec3(random, 0.1),
        .q = palMakeQuatRotationVector(randomVec3(random, 1.5)),
        .v = randomVec3(random, 0.3),
        .omega = randomVec3(random, 3.0),
    };
    *state = palRigid_AtHandle(&model, handle);
    state->x = palAdd(state->x, randomVec3(random, 0.01));
    palQuat turn = palMakeQuatRotationVector(randomVec3(random, 0.7));
    state->q = palNormalizeQuat(palMulQuat(turn, state->q));
    state->v = randomVec3(random, 0.3);
    state->L = palScale(1e-5, randomVec3(random, 5.0));
    return model;
}

static palRigidState advance(const palRigidModel* model, palRigidState state,
                             const palHandle* handle, double h)
{
    palRigidStep step = palRigid_Free(model, &state, handle, h);
    return palRigidStep_Integrate(&step, model, step.free);
}

static void a_free_body_tumbles_for_an_hour_without_gain_or_loss(void** unused)
{
    (void)unused;
    palRigidModel model = modelOf(freeBrick());
    palHandle handle = {.q = pal_identityQuat};
    // About the intermediate axis, a thousandth off: it flips over and over.
    palRigidState state = {.q = pal_identityQuat, .L = {2e-7, 2e-4, 1e-7}};
    const palVec3 L = state.L;
    const double energy = palRigid_Energy(&model, &state);
    double worst = 0.0;
    int flips = 0;
    double side = 1.0;
    for (int i = 0; i < 3600000; i++)
    {
        state = advance(&model, state, &handle, dt);
        if (i % 100 != 0)
            continue;
        worst = fmax(worst, fabs(palRigid_Energy(&model, &state) / energy - 1.0));
        double now = palDot(palRotate(state.q, palMakeVec3(0, 1, 0)), L) / palLength(L);
        flips += now * side < -0.5;
        side = now * side < -0.5 ? -side : side;
    }
    ASSERT_BELOW(worst, 1e-7);
    ASSERT_NEAR(palDistance(state.L, L) / palLength(L), 0.0, 1e-8);
    assert_true(flips > 1000); // the motion is the unstable one, not a quiet spin
}

// The period of a symmetric top's precession is known: the axis turns about L at L / I_across.
static void a_symmetric_top_precesses_at_the_rate_of_the_formula(void** unused)
{
    (void)unused;
    palRigidDef def = freeBrick();
    def.mass.inertia = (palMat3){{{2e-5, 0, 0}, {0, 2e-5, 0}, {0, 0, 3e-5}}};
    palRigidModel model = modelOf(def);
    palHandle handle = {.q = pal_identityQuat};
    palRigidState state = {.q = pal_identityQuat, .L = {1e-4, 0, 2e-4}};
    double rate = palLength(state.L) / 2e-5;
    palVec3 axis = palNormalize(state.L);
    const double h = 1e-4;
    const int steps = 5000;
    palVec3 spin = palMakeVec3(0, 0, 1);
    palVec3 expected = palRotate(palMakeQuatRotationVector(palScale(rate * h * steps, axis)), spin);
    for (int i = 0; i < steps; i++)
        state = advance(&model, state, &handle, h);
    ASSERT_NEAR(palDistance(palRotate(state.q, spin), expected), 0.0, 1e-5);
}

static void fast_spinning_with_a_long_step_keeps_its_energy(void** unused)
{
    (void)unused;
    palRigidModel model = modelOf(freeBrick());
    palHandle handle = {.q = pal_identityQuat};
    palRigidState state = {.q = pal_identityQuat, .L = {6e-4, 4e-4, 1e-4}}; // some 40 rad/s
    const double energy = palRigid_Energy(&model, &state);
    for (int i = 0; i < 1000; i++)
    {
        state = advance(&model, state, &handle, 0.1);
        ASSERT_NEAR(palRigid_Energy(&model, &state) / energy, 1.0, 1e-9);
    }
}

// Energy in motion and springs, J.
static double totalEnergy(const palRigidModel* model, const palRigidState* state,
                          const palHandle* handle)
{
    palVec3 grip = palRigid_Point(model, state, model->def.gripPosition);
    palQuat q = palMulQuat(state->q, model->def.gripOrientation);
    palVec3 theta = palRotationVector(palMulQuat(q, palConjugate(handle->q)));
    return palRigid_Energy(model, state) +
           0.5 * model->def.stiffness * palLengthSquared(palSub(grip, handle->x)) +
           0.5 * model->def.rotationStiffness * palLengthSquared(theta);
}

static void the_energy_of_a_held_tool_does_not_grow(void** unused)
{
    (void)unused;
    palRandom random = palMakeRandom(11);
    for (int i = 0; i < 100; i++)
    {
        palRigidState state;
        palHandle handle;
        palRigidModel model = randomTool(&random, &state, &handle);
        model.def.gravity = handle.v = handle.omega = pal_zeroVec3;
        double before = totalEnergy(&model, &state, &handle);
        const double start = before;
        for (int k = 0; k < 2000; k++)
        {
            state = advance(&model, state, &handle, dt);
            double now = totalEnergy(&model, &state, &handle);
            ASSERT_BELOW(now, before + 1e-3 * start * dt);
            before = now;
        }
        ASSERT_BELOW(before, 0.5 * start);
    }
}

static void a_gram_is_stable_with_the_default_gains(void** unused)
{
    (void)unused;
    palRandom random = palMakeRandom(12);
    for (int i = 0; i < 50; i++)
    {
        palRigidState state;
        palHandle handle;
        palRigidDef def = randomTool(&random, &state, &handle).def;
        // A gram within 5 mm; half of the tools are held at the centre, half off it.
        def.mass.mass = 1e-3;
        def.mass.inertia = palMakeMat3Scale(0.4 * 1e-3 * 25e-6);
        if (i % 2 == 0)
            def.gripPosition = def.mass.centre;
        palRigidModel model = modelOf(def);
        state = palRigid_AtHandle(&model, &handle);
        double farthest = 0.0;
        for (int k = 0; k < 3000; k++)
        {
            // A hand that jerks by up to 10 mm and 0.5 rad every 100 ms, then rests.
            if (k % 100 == 0 && k < 2000)
            {
                handle.x = palAdd(handle.x, randomVec3(&random, 0.006));
                palQuat turn = palMakeQuatRotationVector(randomVec3(&random, 0.3));
                handle.q = palNormalizeQuat(palMulQuat(turn, handle.q));
                handle.v = handle.omega = pal_zeroVec3;
            }
            state = advance(&model, state, &handle, dt);
            palVec3 grip = palRigid_Point(&model, &state, def.gripPosition);
            farthest = fmax(farthest, palDistance(grip, handle.x));
        }
        ASSERT_BELOW(farthest, 0.03);
        palVec3 grip = palRigid_Point(&model, &state, def.gripPosition);
        ASSERT_NEAR(palDistance(grip, handle.x), 1e-3 * 9.81 / def.stiffness, 1e-7);
    }
}

static void a_constant_wrench_offsets_the_tool_by_force_over_stiffness(void** unused)
{
    (void)unused;
    palRigidDef def = palDefaultRigidDef();
    palRigidModel model = modelOf(def);
    palHandle handle = {.x = {0.1, 0.2, 0.3}, .q = pal_identityQuat};
    palRigidState state = palRigid_AtHandle(&model, &handle);
    palWrench contact = {{1.5, -0.7, 2.0}, {0.05, 0.02, -0.04}};
    for (int i = 0; i < 4000; i++)
    {
        palRigidStep step = palRigid_Free(&model, &state, &handle, dt);
        state = palRigidStep_Integrate(&step, &model, palRigidStep_Correct(&step, contact));
    }
    palVec3 offset = palSub(state.x, handle.x);
    palVec3 theta = palRotationVector(state.q);
    ASSERT_NEAR(palDistance(offset, palScale(1.0 / def.stiffness, contact.force)), 0.0, 1e-12);
    ASSERT_NEAR(palDistance(theta, palScale(1.0 / def.rotationStiffness, contact.torque)), 0.0,
                1e-10);
    palWrench hand = palRigid_HandWrench(&model, &state, &handle);
    ASSERT_NEAR(palDistance(hand.force, contact.force), 0.0, 1e-9);
    ASSERT_NEAR(palDistance(hand.torque, contact.torque), 0.0, 1e-9);
}

static palWrench couplingWith(const palRigidModel* model, palRigidState state, palTwist velocity,
                              const palHandle* handle)
{
    palMat3 R = palMakeMat3Quat(state.q);
    palMat3 inertia = palMat3Mul(palMat3Mul(R, model->def.mass.inertia), palMat3Transpose(R));
    state.v = velocity.v;
    state.L = palMat3Apply(inertia, velocity.omega);
    return palRigid_Coupling(model, &state, handle);
}

static void assertColumn(palMat3 top, palMat3 bottom, int column, palWrench plus, palWrench minus,
                         double difference)
{
    palVec3 F = palScale(-0.5 / difference, palSub(plus.force, minus.force));
    palVec3 T = palScale(-0.5 / difference, palSub(plus.torque, minus.torque));
    double scale = 1.0 + palLength(F) + palLength(T);
    ASSERT_NEAR(palDistance(palMat3Column(top, column), F) / scale, 0.0, 1e-7);
    ASSERT_NEAR(palDistance(palMat3Column(bottom, column), T) / scale, 0.0, 1e-7);
}

static void the_derivatives_are_those_of_the_coupling(void** unused)
{
    (void)unused;
    palRandom random = palMakeRandom(13);
    const double d = 1e-6;
    for (int i = 0; i < 200; i++)
    {
        palRigidState state;
        palHandle handle;
        palRigidModel model = randomTool(&random, &state, &handle);
        palTwist u = {state.v, palRigid_Omega(&model, &state)};
        palMat3 K[2][2], D[2][2];
        palRigid_Derivatives(&model, &state, &handle, pal_tangentExact, K, D);
        for (int c = 0; c < 3; c++)
        {
            palVec3 axis = palMat3Column(pal_identityMat3, c);
            palWrench w[2][4];
            for (int s = 0; s < 2; s++)
            {
                palVec3 e = palScale(s == 0 ? d : -d, axis);
                palRigidState moved = state, turned = state;
                moved.x = palAdd(state.x, e);
                turned.q = palNormalizeQuat(palMulQuat(palMakeQuatRotationVector(e), state.q));
                palTwist faster = {palAdd(u.v, e), u.omega}, spun = {u.v, palAdd(u.omega, e)};
                w[s][0] = couplingWith(&model, moved, u, &handle);
                w[s][1] = couplingWith(&model, turned, u, &handle);
                w[s][2] = couplingWith(&model, state, faster, &handle);
                w[s][3] = couplingWith(&model, state, spun, &handle);
            }
            assertColumn(K[0][0], K[1][0], c, w[0][0], w[1][0], d);
            assertColumn(K[0][1], K[1][1], c, w[0][1], w[1][1], d);
            assertColumn(D[0][0], D[1][0], c, w[0][2], w[1][2], d);
            assertColumn(D[0][1], D[1][1], c, w[0][3], w[1][3], d);
        }
    }
}

// A as six rows, from the derivatives and the definition.
static void matrixOf(const palRigidModel* model, const palRigidState* state,
                     const palHandle* handle, double h, double A[6][6])
{
    palMat3 K[2][2], D[2][2];
    palRigid_Derivatives(model, state, handle, model->def.tangent, K, D);
    palMat3 R = palMakeMat3Quat(state->q);
    palMat3 I = palMat3Mul(palMat3Mul(R, model->def.mass.inertia), palMat3Transpose(R));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
        {
            double mass = i / 3 != j / 3 ? 0.0
                          : i >= 3       ? I.m[i - 3][j - 3]
                          : i == j       ? model->def.mass.mass
                                         : 0.0;
            A[i][j] = mass + h * D[i / 3][j / 3].m[i % 3][j % 3] +
                      h * h * K[i / 3][j / 3].m[i % 3][j % 3];
        }
}

static void the_response_is_the_inverse_of_the_six_rows(void** unused)
{
    (void)unused;
    palRandom random = palMakeRandom(14);
    for (int i = 0; i < 200; i++)
    {
        palRigidState state;
        palHandle handle;
        palRigidModel model = randomTool(&random, &state, &handle);
        model.def.tangent = i % 2 == 0 ? pal_tangentExact : pal_tangentSafe;
        double h = i % 3 == 0 ? 0.05 : dt;
        palRigidStep step = palRigid_Free(&model, &state, &handle, h);
        double A[6][6];
        matrixOf(&model, &state, &handle, h, A);
        palWrench row = palRigidStep_Row(&step, randomVec3(&random, 0.1), randomVec3(&random, 1.0));
        palTwist y = palRigidStep_Response(&step, row);
        const double x[6] = {y.v.x, y.v.y, y.v.z, y.omega.x, y.omega.y, y.omega.z};
        const double b[6] = {row.force.x,  row.force.y,  row.force.z,
                             row.torque.x, row.torque.y, row.torque.z};
        for (int r = 0; r < 6; r++)
        {
            double sum = 0.0;
            for (int c = 0; c < 6; c++)
                sum += A[r][c] * x[c];
            ASSERT_NEAR(sum, b[r], 1e-10);
        }
        // A push moves the point the way it pushes, whatever the state.
        if (model.def.tangent == pal_tangentSafe)
        {
            assert_true(palRowDot(row, y) > 0.0);
            palWrench other =
                palRigidStep_Row(&step, randomVec3(&random, 0.1), randomVec3(&random, 1.0));
            double W = palRowDot(other, y);
            ASSERT_NEAR(palRowDot(row, palRigidStep_Response(&step, other)) - W, 0.0,
                        1e-9 * (1.0 + fabs(W)));
        }
    }
}

// Backward Euler: for small motions the end of the step obeys M (u⁺ - u) = h (F, T)(end).
static void the_free_step_satisfies_the_implicit_equation(void** unused)
{
    (void)unused;
    palRandom random = palMakeRandom(15);
    for (int i = 0; i < 50; i++)
    {
        palRigidState state;
        palHandle handle;
        palRigidModel model = randomTool(&random, &state, &handle);
        model.def.tangent = pal_tangentExact;
        double h = 1e-5;
        palRigidState end = advance(&model, state, &handle, h);
        palWrench w = palRigid_Coupling(&model, &end, &handle);
        palVec3 F = palMulAdd(w.force, model.def.mass.mass, model.def.gravity);
        palVec3 impulse = palScale(model.def.mass.mass, palSub(end.v, state.v));
        palVec3 twist = palSub(end.L, state.L);
        // What is left is the curvature of the forces over the step.
        ASSERT_NEAR(palDistance(impulse, palScale(h, F)) / (h * palLength(F)), 0.0, 1e-3);
        ASSERT_NEAR(palDistance(twist, palScale(h, w.torque)) / (h * palLength(w.torque)), 0.0,
                    1e-3);
    }
}

static void bad_definitions_are_refused(void** unused)
{
    (void)unused;
    palRigidModel model;
    for (int i = 0; i < 5; i++)
    {
        palRigidDef def = palDefaultRigidDef();
        if (i == 0)
            def.mass.mass = -1.0;
        if (i == 1)
            def.stiffness = NAN;
        if (i == 2)
            def.rotationDamping = -1.0;
        if (i == 3)
            def.gripPosition.y = INFINITY;
        if (i == 4)
            def.mass.inertia = (palMat3){0};
        palError error = {0};
        assert_int_equal(palRigidModel_Init(&model, &def, &error), pal_errorInput);
        assert_true(error.remedy[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_tumbles_for_an_hour_without_gain_or_loss),
        cmocka_unit_test(a_symmetric_top_precesses_at_the_rate_of_the_formula),
        cmocka_unit_test(fast_spinning_with_a_long_step_keeps_its_energy),
        cmocka_unit_test(the_energy_of_a_held_tool_does_not_grow),
        cmocka_unit_test(a_gram_is_stable_with_the_default_gains),
        cmocka_unit_test(a_constant_wrench_offsets_the_tool_by_force_over_stiffness),
        cmocka_unit_test(the_derivatives_are_those_of_the_coupling),
        cmocka_unit_test(the_response_is_the_inverse_of_the_six_rows),
        cmocka_unit_test(the_free_step_satisfies_the_implicit_equation),
        cmocka_unit_test(bad_definitions_are_refused),
    };
    return RUN(tests);
}
