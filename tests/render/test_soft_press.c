// SPDX-License-Identifier: Apache-2.0
// What is felt on a soft body does not depend on the rates: at rest the force is that of a static
// solve, in motion that of everything at 1 kHz.
#include "../../bench/soft_press.h"
#include "check.h"

#include <complex.h>

static const double rampSeconds = 0.3;

// Down to the depth in a ramp from 1 mm above, then, if it has a frequency, to and fro.
typedef struct pressing
{
    double depth;     // m
    double amplitude; // m
    double frequency; // Hz
    double start;     // s, of the oscillation
} pressing;

static double pressingDepth(const void* user, double t)
{
    const pressing* p = user;
    double d = -1e-3 + (p->depth + 1e-3) * fmin(1.0, t / rampSeconds);
    return t > p->start ? d + p->amplitude * sin(2.0 * M_PI * p->frequency * (t - p->start)) : d;
}

static void begin(palSoftPress* press, palSoftPressDef def, const pressing* p, bool isReference)
{
    def.path = pressingDepth;
    def.user = p;
    assert_int_equal(palSoftPress_Init(press, &def, isReference, NULL), pal_ok);
}

// The settled force over that of the static solve at the proxy's depth.
static double settledRatio(palSoftPressDef def, double depth)
{
    pressing p = {.depth = depth, .start = INFINITY};
    palSoftPress press, truth;
    palPressSample sample = {0};
    begin(&press, def, &p, false);
    int ticks = (int)round(1e3 * (rampSeconds + fmax(1.0, 20.0 * def.lowDt)));
    for (int k = 0; k < ticks; k++)
        sample = palSoftPress_Step(&press);
    palSoftPress_Free(&press);
    begin(&truth, def, &p, true);
    double expected = palSoftPress_Static(&truth, sample.depth);
    palSoftPress_Free(&truth);
    assert_true(expected > 0.01);
    return sample.force / expected;
}

static void settledForceIsThatOfAStaticSolve(void** state)
{
    (void)state;
    static const double depths[] = {0.003, 0.012};
    static const double lowSteps[] = {0.020, 0.100};
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = 4;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int late = 0; late < 2; late++)
            {
                def.lowDt = lowSteps[i];
                def.latency = late * def.lowDt;
                ASSERT_NEAR(settledRatio(def, depths[j]), 1.0, 0.02);
            }
}

// A body that is too large for a factor a step, here by the setting.
static void lateFactorsAreRightAtRest(void** state)
{
    (void)state;
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = 4;
    def.atOnce = 1;
    for (int late = 0; late < 2; late++)
    {
        def.latency = late * def.lowDt;
        ASSERT_NEAR(settledRatio(def, 0.004), 1.0, 0.02);
        ASSERT_NEAR(settledRatio(def, 0.012), 1.0, 0.02);
    }
    def.frozen = true;
    ASSERT_NEAR(settledRatio(def, 0.004), 1.0, 0.02);
}

static double fallingDepth(const void* user, double t)
{
    (void)user;
    return fmin(-1e-3 + 0.1 * t, 5e-3);
}

// A hand that appears close above the surface and touches it at once, between nodes and in motion,
// finds a body that is too large for a factor a step as it finds one that is not.
static void firstTouchOfALargeBodyIsThatOfASmallOne(void** state)
{
    (void)state;
    palSoftPress presses[2];
    palSoftPressDef def = palDefaultSoftPressDef();
    def.path = fallingDepth;
    def.aside = -0.02;
    def.stroke = 0.1;
    for (int i = 0; i < 2; i++)
    {
        def.atOnce = i;
        assert_int_equal(palSoftPress_Init(&presses[i], &def, false, NULL), pal_ok);
    }
    double largest = 0.0, difference = 0.0;
    for (int k = 0; k < 130; k++)
    {
        double expected = palSoftPress_Step(&presses[0]).force;
        largest = fmax(largest, expected);
        difference = fmax(difference, fabs(palSoftPress_Step(&presses[1]).force - expected));
    }
    for (int i = 0; i < 2; i++)
        palSoftPress_Free(&presses[i]);
    assert_true(largest > 0.1);
    ASSERT_BELOW(difference, 0.02 * largest);
}

static void frozenIsRightAtRest(void** state)
{
    (void)state;
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = 4;
    def.frozen = true;
    ASSERT_NEAR(settledRatio(def, 0.004), 1.0, 0.02);
}

// The first harmonic of the force over the hand's amplitude, N/m.
static double complex stiffnessAt(palSoftPressDef def, double frequency, bool isReference)
{
    pressing p = {.depth = 0.01, .amplitude = 2e-3, .frequency = frequency, .start = 0.6};
    palSoftPress press;
    begin(&press, def, &p, isReference);
    double period = 1.0 / frequency;
    int settling = (int)round(1e3 * (p.start + ceil(0.3 / period) * period));
    int measured = (int)round(1e3 * ceil(0.4 / period) * period);
    double complex sum = 0.0;
    for (int k = 0; k < settling + measured; k++)
    {
        palPressSample sample = palSoftPress_Step(&press);
        double phase = 2.0 * M_PI * frequency * (sample.t - p.start);
        if (k >= settling)
            sum += sample.force * cexp(-I * phase);
        assert_true(k < 500 || sample.force > 0.0);
    }
    palSoftPress_Free(&press);
    return 2.0 * sum / measured / p.amplitude;
}

static void impedanceIsThatOfEverythingAtTheHighRate(void** state)
{
    (void)state;
    static const double frequencies[] = {4.0, 10.0};
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = 4;
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 2; i++)
        {
            def.young = e == 0 ? 10e3 : 50e3;
            double complex truth = stiffnessAt(def, frequencies[i], true);
            for (int atOnce = 0; atOnce < 2; atOnce++)
            {
                def.atOnce = atOnce; // 1: the factors are late
                double complex felt = stiffnessAt(def, frequencies[i], false);
                ASSERT_BELOW(cabs(felt / truth - 1.0), 0.05);
            }
        }
}

// A surface that stands still jumps by millimetres at updates. It must not end up over the proxy,
// where nothing is felt any more.
static void frozenFindsTheProxyAgain(void** state)
{
    (void)state;
    pressing p = {.depth = 0.01, .amplitude = 2e-3, .frequency = 5.0, .start = 0.6};
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = 4;
    def.frozen = true;
    palSoftPress press;
    begin(&press, def, &p, false);
    int touched = 0;
    for (int k = 0; k < 1600; k++)
        touched += palSoftPress_Step(&press).force > 0.1 && k >= 1200;
    palSoftPress_Free(&press);
    assert_true(touched > 200);
}

// With both rates the same nothing is left of the model but what it models.
static void equalRatesGiveTheTruth(void** state)
{
    (void)state;
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = 2;
    def.lowDt = 1e-3;
    def.latency = 0.0;
    double complex truth = stiffnessAt(def, 5.0, true);
    ASSERT_BELOW(cabs(stiffnessAt(def, 5.0, false) / truth - 1.0), 1e-3);
}

// The largest change of force from tick to tick while the hand goes down to 5 mm at 20 mm/s.
static double largestJump(palSoftPressDef def, bool isReference, double* force)
{
    pressing p = {.depth = -1e-3 + 20e-3 * rampSeconds, .start = INFINITY};
    palSoftPress press;
    begin(&press, def, &p, isReference);
    double before = 0.0, jump = 0.0;
    for (int k = 0; k < (int)(1e3 * rampSeconds); k++)
    {
        palPressSample sample = palSoftPress_Step(&press);
        if (k > 150)
            jump = fmax(jump, fabs(sample.force - before));
        before = sample.force;
    }
    palSoftPress_Free(&press);
    *force = before;
    return jump;
}

// A new snapshot is not felt: the force changes from tick to tick as that of the truth does. The
// frozen form's saw-tooth is of the size of the force.
static void pressingSteadilyShowsNoSawTooth(void** state)
{
    (void)state;
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = 4;
    double force, other;
    double truth = largestJump(def, true, &force);
    ASSERT_BELOW(largestJump(def, false, &other), 1.1 * truth);
    ASSERT_NEAR(other, force, 0.01 * force);
    def.frozen = true;
    assert_true(largestJump(def, false, &other) - truth > 0.1 * force);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settledForceIsThatOfAStaticSolve),
        cmocka_unit_test(lateFactorsAreRightAtRest),
        cmocka_unit_test(firstTouchOfALargeBodyIsThatOfASmallOne),
        cmocka_unit_test(frozenIsRightAtRest),
        cmocka_unit_test(impedanceIsThatOfEverythingAtTheHighRate),
        cmocka_unit_test(frozenFindsTheProxyAgain),
        cmocka_unit_test(equalRatesGiveTheTruth),
        cmocka_unit_test(pressingSteadilyShowsNoSawTooth),
    };
    return RUN(tests);
}
