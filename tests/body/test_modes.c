// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "body/modes.h"

static const double alpha = 0.3;  // 1/s
static const double beta = 0.005; // s

static palModes makeModes(double h)
{
    palModes modes = {.count = 3, .k = {0.0, 400.0, 9e4}, .g = {1.0, -2.0, 30.0}};
    modes.v0[1] = 0.2;
    palModes_SetStep(&modes, h, alpha, beta);
    return modes;
}

// Backward Euler solves q̇⁺ = q̇ + h (g + p - c q̇⁺ - k q⁺), q⁺ = q + h q̇⁺ exactly.
static void a_step_fulfils_its_equation(void** state)
{
    (void)state;
    const double h = 2e-3;
    const double p[3] = {0.5, 7.0, -3.0};
    palModes modes = makeModes(h);
    palModesState motion;
    palModes_Start(&modes, &motion);
    for (int step = 0; step < 50; step++)
    {
        palModesState before = motion;
        palModes_Advance(&modes, p, &motion);
        for (int i = 0; i < modes.count; i++)
        {
            double damping = (alpha + beta * modes.k[i]) * motion.v[i];
            double push = modes.g[i] + p[i] - damping - modes.k[i] * motion.q[i];
            ASSERT_NEAR(motion.v[i], before.v[i] + h * push, 1e-12);
            ASSERT_NEAR(motion.q[i], before.q[i] + h * motion.v[i], 1e-15);
        }
    }
}

// A damped oscillator let go from rest under a constant force, in closed form; the error goes with
// the step.
static void converges_to_the_oscillator(void** state)
{
    (void)state;
    const double k = 400.0, g = -2.0, seconds = 0.2;
    double c = alpha + beta * k;
    double omega = sqrt(k - 0.25 * c * c);
    double decay = exp(-0.5 * c * seconds);
    double truth =
        g / k * (1.0 - decay * (cos(omega * seconds) + 0.5 * c / omega * sin(omega * seconds)));
    double before = INFINITY;
    for (int n = 100; n <= 1600; n *= 4)
    {
        palModes modes = makeModes(seconds / n);
        modes.v0[1] = 0.0;
        palModesState motion;
        palModes_Start(&modes, &motion);
        for (int step = 0; step < n; step++)
            palModes_Advance(&modes, NULL, &motion);
        double error = fabs(motion.q[1] / truth - 1.0);
        ASSERT_BELOW(error, 0.3 * before);
        before = error;
    }
    ASSERT_BELOW(before, 2e-3);
}

// A force that is found within the step acts as if it had been known.
static void correcting_equals_advancing_with_the_force(void** state)
{
    (void)state;
    const double p[3] = {0.5, 7.0, -3.0};
    palModes modes = makeModes(1e-3);
    palModesState known, found;
    palModes_Start(&modes, &known);
    palModes_Start(&modes, &found);
    for (int step = 0; step < 20; step++)
    {
        palModes_Advance(&modes, p, &known);
        palModes_Advance(&modes, NULL, &found);
        palModes_Correct(&modes, p, &found);
    }
    for (int i = 0; i < modes.count; i++)
    {
        ASSERT_NEAR(found.q[i], known.q[i], 1e-15);
        ASSERT_NEAR(found.v[i], known.v[i], 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_fulfils_its_equation),
        cmocka_unit_test(converges_to_the_oscillator),
        cmocka_unit_test(correcting_equals_advancing_with_the_force),
    };
    return RUN(tests);
}
