// SPDX-License-Identifier: Apache-2.0
#include "body/point.h"
#include "check.h"

static const palPointModel model = {
    .mass = 0.001, .stiffness = 1000.0, .damping = 0.8, .dt = 0.001};

static palPointState freeStep(const palPointModel* m, palPointState s, palVec3 xd, palVec3 vd)
{
    palPointFree free = palPoint_FreeMotion(m, &s, xd, vd);
    return palPoint_Correct(m, &free, pal_zeroVec3);
}

static double energy(const palPointModel* m, const palPointState* s, palVec3 device)
{
    return 0.5 * m->mass * palLengthSquared(s->v) +
           0.5 * m->stiffness * palLengthSquared(palSub(s->x, device));
}

static void energy_never_grows_in_free_motion(void** state)
{
    (void)state;
    const double stiffness[] = {10.0, 1000.0, 1e6};
    const double damping[] = {0.0, 0.8, 10.0};
    for (int i = 0; i < 9; i++)
    {
        palPointModel m = model;
        m.stiffness = stiffness[i / 3];
        m.damping = damping[i % 3];
        palPointState s = {.x = {0.01, -0.02, 0.005}, .v = {1, 2, -3}};
        double last = energy(&m, &s, pal_zeroVec3);
        for (int k = 0; k < 2000; k++)
        {
            s = freeStep(&m, s, pal_zeroVec3, pal_zeroVec3);
            double now = energy(&m, &s, pal_zeroVec3);
            ASSERT_BELOW(now, last * (1.0 + 1e-12) + 1e-300);
            last = now;
        }
    }
}

static void a_device_at_constant_speed_is_followed_without_force(void** state)
{
    (void)state;
    palPointState s = {0};
    palVec3 v = {1.0, 0, 0};
    palVec3 force = {0};
    for (int k = 1; k <= 500; k++)
    {
        palVec3 x = palScale(k * model.dt, v);
        s = freeStep(&model, s, x, v);
        force = palPoint_CouplingForce(&model, &s, x, v);
    }
    ASSERT_BELOW(palLength(force), 1e-9);
}

static void motion_converges_to_the_damped_oscillator_under_refinement(void** state)
{
    (void)state;
    // m x'' = -k x - b x', from x = 1 mm at rest: x(t) = e^{-ct} (cos wt + c/w sin wt) mm.
    double m = 0.1, k = 100.0, b = 0.5, t = 0.2;
    double c = b / (2 * m), w = sqrt(k / m - c * c);
    double truth = exp(-c * t) * (cos(w * t) + c / w * sin(w * t));
    double errors[3];
    for (int level = 0; level < 3; level++)
    {
        double dt = 1e-4 / pow(4.0, level);
        palPointModel fine = {.mass = m, .stiffness = k, .damping = b, .dt = dt};
        palPointState s = {.x = {1, 0, 0}};
        for (int i = 0; i < (int)lround(t / dt); i++)
            s = freeStep(&fine, s, pal_zeroVec3, pal_zeroVec3);
        errors[level] = fabs(s.x.x - truth);
    }
    // First order: a quarter of the step, a quarter of the error.
    ASSERT_NEAR(errors[0] / errors[1], 4.0, 0.2);
    ASSERT_NEAR(errors[1] / errors[2], 4.0, 0.1);
    ASSERT_BELOW(errors[2], 5e-3);
}

static void compliance_is_what_a_force_does_within_the_step(void** state)
{
    (void)state;
    palPointState s = {.x = {0.001, 0, 0}, .v = {0, 0.1, 0}};
    palPointFree free = palPoint_FreeMotion(&model, &s, pal_zeroVec3, pal_zeroVec3);
    palVec3 lambda = {0.3, -0.2, 0.1};
    palPointState pushed = palPoint_Correct(&model, &free, lambda);
    // The same force given as gravity must give the same motion.
    palPointModel heavy = model;
    heavy.gravity = palScale(1.0 / model.mass, lambda);
    palPointState fallen = freeStep(&heavy, s, pal_zeroVec3, pal_zeroVec3);
    ASSERT_BELOW(palDistance(pushed.x, fallen.x), 1e-17);
    ASSERT_BELOW(palDistance(pushed.v, fallen.v), 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_never_grows_in_free_motion),
        cmocka_unit_test(a_device_at_constant_speed_is_followed_without_force),
        cmocka_unit_test(motion_converges_to_the_damped_oscillator_under_refinement),
        cmocka_unit_test(compliance_is_what_a_force_does_within_the_step),
    };
    return RUN(tests);
}
