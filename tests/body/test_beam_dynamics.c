// SPDX-License-Identifier: Apache-2.0
// Wires in motion: frequencies, conservation, stability.
#include "beam_fixture.h"

#include <lapacke.h>

static const double young = 200e9, poisson = 0.3, density = 7850.0;

static palBeamDef steel(const palBeamSection* section)
{
    palBeamDef def = palDefaultBeamDef();
    def.sections = section;
    def.stiffnessDamping = 0.0;
    return def;
}

// K and M of the nodes behind the clamped first one, dense.
static void expand(const palBlockTridiagonal* A, int size, double* dense)
{
    memset(dense, 0, (size_t)(size * size) * sizeof *dense);
    for (int r = 0; r < size; r++)
        for (int c = 0; c < size; c++)
        {
            int i = r / 6 + 1, j = c / 6 + 1;
            if (i == j)
                dense[r * size + c] = A->diagonal[i].m[r % 6][c % 6];
            else if (i == j + 1)
                dense[r * size + c] = A->lower[j].m[r % 6][c % 6];
            else if (j == i + 1)
                dense[r * size + c] = A->lower[i].m[c % 6][r % 6];
        }
}

// A cantilever's frequencies in Hz, ascending, from K x = ω² M x.
static void findFrequencies(palBeamDef def, int elements, double length, double* frequencies)
{
    wire w;
    wireMakeStraight(&w, def, elements, length, pal_holdNode);
    palBeam_Linearise(w.model, &w.state, &w.work);
    int size = 6 * elements;
    double* K = malloc((size_t)(size * size) * sizeof *K);
    double* M = malloc((size_t)(size * size) * sizeof *M);
    expand(&w.work.K, size, K);
    expand(&w.work.M, size, M);
    assert_int_equal(
        LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'L', size, K, size, M, size, frequencies), 0);
    for (int i = 0; i < size; i++)
        frequencies[i] = sqrt(frequencies[i]) / (2.0 * PAL_PI);
    free(K);
    free(M);
    wireFree(&w);
}

// Roots of cos z cosh z = -1: the clamped and free beam of Euler and Bernoulli.
static const double roots[3] = {1.8751040687, 4.6940911330, 7.8547574382};

static double frequencyOf(int mode, double inertia, double area, double length)
{
    double z = roots[mode] / length;
    return z * z * sqrt(young * inertia / (density * area)) / (2.0 * PAL_PI);
}

static void frequencies_are_those_of_the_beam(void** state)
{
    (void)state;
    // Bending about y is three times as fast as about z: the modes do not meet.
    palBeamSection section = palMakeBoxSection(1e-3, 3e-3, poisson);
    for (int mass = pal_beamMassLumped; mass <= pal_beamMassConsistent; mass++)
    {
        palBeamDef def = steel(&section);
        def.mass = (palBeamMass)mass;
        int elements = mass == pal_beamMassLumped ? 24 : 5;
        double found[6 * 24];
        findFrequencies(def, elements, 0.5, found);
        for (int mode = 0; mode < 3; mode++)
            for (int axis = 0; axis < 2; axis++)
            {
                double inertia = axis ? section.inertiaZ : section.inertiaY;
                double expected = frequencyOf(mode, inertia, section.area, 0.5);
                double nearest = INFINITY;
                for (int i = 0; i < 8; i++)
                    if (fabs(found[i] - expected) < fabs(nearest - expected))
                        nearest = found[i];
                ASSERT_NEAR(nearest, expected, 0.01 * expected);
            }
    }
}

// A rod's axial and torsional modes: c / 4L of the clamped and free rod.
static void rods_ring_along_and_about_their_axis(void** state)
{
    (void)state;
    palBeamSection section = palMakeRoundSection(2e-3, poisson);
    palBeamDef def = steel(&section);
    double found[6 * 24];
    findFrequencies(def, 24, 0.1, found);
    double G = young / (2.0 * (1.0 + poisson));
    const double speeds[2] = {sqrt(young / density), sqrt(G / density)};
    for (int k = 0; k < 2; k++)
    {
        double expected = speeds[k] / 0.4, nearest = INFINITY;
        for (int i = 0; i < 6 * 24; i++)
            if (fabs(found[i] - expected) < fabs(nearest - expected))
                nearest = found[i];
        ASSERT_NEAR(nearest, expected, 0.001 * expected);
    }
}

// Releases a bent cantilever and measures the frequency by the zero crossings of its tip.
static double ringDown(palBeamDef def, double length, double h)
{
    enum
    {
        count = 20,
        crossingsMax = 8,
    };
    wire w;
    wireMakeStraight(&w, def, count, length, pal_holdNode);
    wireTip(&w)[1] = 1e-4;
    w.model->theta = 1.0;
    wireSettle(&w, 10.0, 1e-12, 200);
    w.model->theta = def.implicitness;
    wireTip(&w)[1] = 0.0;
    memset(w.state.v, 0, (count + 1) * sizeof *w.state.v);
    memset(w.state.w, 0, (count + 1) * sizeof *w.state.w);
    double times[crossingsMax], before = w.state.x[count].y;
    int crossings = 0;
    for (int k = 1; k < 1000 && crossings < crossingsMax; k++)
    {
        wireStep(&w, h, NULL);
        double y = w.state.x[count].y;
        if (y * before < 0.0)
            times[crossings++] = h * (k - 1 + before / (before - y));
        before = y;
    }
    assert_int_equal(crossings, crossingsMax);
    wireFree(&w);
    // The first crossings still have the higher modes in them.
    return 0.5 * (crossingsMax - 3) / (times[crossingsMax - 1] - times[2]);
}

static void ringing_has_the_frequency_of_the_integrator(void** state)
{
    (void)state;
    const double h = 1e-3;
    palBeamSection section = palMakeRoundSection(1e-3, poisson);
    palBeamDef def = steel(&section);
    const double lengths[] = {0.188, 0.15, 0.13}; // 40, 63 and 84 Hz
    for (int k = 0; k < 3; k++)
    {
        double f = frequencyOf(0, section.inertiaZ, section.area, lengths[k]);
        def.implicitness = 1.0;
        double euler = atan(2.0 * PAL_PI * f * h) / (2.0 * PAL_PI * h);
        ASSERT_NEAR(ringDown(def, lengths[k], h), euler, 0.02 * euler);
        def.implicitness = 0.5;
        def.stiffnessDamping = 2e-5; // enough for the high modes, nothing for the first
        double midpoint = atan(PAL_PI * f * h) / (PAL_PI * h);
        ASSERT_NEAR(ringDown(def, lengths[k], h), midpoint, 0.01 * midpoint);
        def.stiffnessDamping = 0.0;
    }
    // Of 40 Hz itself there is less than 1 % missing.
    double f = frequencyOf(0, section.inertiaZ, section.area, lengths[0]);
    for (int k = 0; k < 2; k++)
    {
        def.implicitness = 0.5 + 0.05 * k;
        def.stiffnessDamping = 2e-5;
        ASSERT_NEAR(ringDown(def, lengths[0], h), f, 0.01 * f);
    }
}

// Backward Euler keeps momentum, and loses angular momentum at the rate h ω² of the turning: of
// forces in balance at the end of the step it remains Σ h v⁺ × m v.
static void free_flight_keeps_momentum(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(11);
    palBeamSection section = palMakeRoundSection(1e-3, poisson);
    palBeamDef def = steel(&section);
    const double omega = 5.0, h = 1e-3, seconds = 1.0;
    wire w;
    wireMakeStraight(&w, def, 10, 0.2, pal_holdNothing);
    for (int i = 0; i <= 10; i++)
    {
        palVec3 arm = palSub(w.state.x[i], palMakeVec3(0.1, 0, 0));
        w.state.w[i] = palMakeVec3(0, 0, omega);
        w.state.v[i] = palAdd(palMakeVec3(0.1, -0.2, 0.3), palCross(w.state.w[i], arm));
        w.state.v[i].z += palRandom_Range(&random, -0.02, 0.02); // it vibrates, too
    }
    palVec3 momentum, angular, p, l;
    wireMomenta(&w, &momentum, &angular);
    double energy = palBeam_Energy(w.model, &w.state);
    for (double t = 0.0; t < seconds; t += h)
        wireStep(&w, h, NULL);
    wireMomenta(&w, &p, &l);
    // Rounding, a thousand times: h² K is 3e5 times the mass of a node.
    ASSERT_BELOW(palDistance(p, momentum), 1e-9 * palLength(momentum));
    ASSERT_BELOW(palDistance(l, angular), 2.0 * h * omega * omega * seconds * palLength(angular));
    ASSERT_BELOW(palBeam_Energy(w.model, &w.state), energy);
    // It is still turning, and about as fast.
    ASSERT_BELOW(0.9 * omega, palLength(w.state.w[5]));
    wireFree(&w);
}

// Under gravity it falls as everything does, whatever the mass matrix.
static void wires_fall(void** state)
{
    (void)state;
    palBeamSection section = palMakeRoundSection(1e-3, poisson);
    for (int mass = pal_beamMassLumped; mass <= pal_beamMassConsistent; mass++)
    {
        palBeamDef def = steel(&section);
        def.gravity = palMakeVec3(0, 0, -9.81);
        def.mass = (palBeamMass)mass;
        wire w;
        wireMakeStraight(&w, def, 10, 0.2, pal_holdNothing);
        for (int k = 0; k < 100; k++)
            wireStep(&w, 1e-3, NULL);
        for (int i = 0; i <= 10; i++)
        {
            ASSERT_NEAR(w.state.v[i].z, -0.981, 1e-9);
            ASSERT_NEAR(w.state.x[i].z, -9.81e-6 * 100 * 101 / 2, 1e-9); // Σ k h² g
            ASSERT_BELOW(palLength(w.state.w[i]), 1e-9);
        }
        wireFree(&w);
    }
}

// A thin steel wire with a random load on every node that changes every 20 ms: 60 s at steps of 1
// ms and of 20 ms, 10 s by the midpoint rule and of a longer wire. No load ever stores more than
// all of them, at once and in line, would by moving their nodes by the length. At 1 ms the loads
// jump. At 20 ms they are smoothed over a tenth of a second: a wire that leaps by its own length in
// one step leaves the straight lines of that step stretched, for that step.
static void steel_stays_bounded(void** state)
{
    (void)state;
    const struct
    {
        double theta, h, beta, follow, load;
        int elements;
    } cases[] = {{1.0, 1e-3, 1e-4, 1.0, 0.02, 10},
                 {1.0, 20e-3, 1e-4, 0.2, 0.005, 10},
                 {0.5, 1e-3, 5e-4, 1.0, 0.02, 10},
                 {1.0, 1e-3, 1e-4, 1.0, 0.007, 30}};
    palBeamSection section = palMakeRoundSection(0.25e-3, poisson);
    for (int c = 0; c < 4; c++)
    {
        palRandom random = palMakeRandom(12);
        palBeamDef def = steel(&section);
        def.implicitness = cases[c].theta;
        def.stiffnessDamping = cases[c].beta;
        int elements = cases[c].elements;
        double length = 0.01 * elements, load = cases[c].load, most = 0.0;
        int steps = (int)((c < 2 ? 60.0 : 10.0) / cases[c].h),
            change = (int)fmax(0.02 / cases[c].h, 1.0);
        wire w;
        wireMakeStraight(&w, def, elements, length, pal_holdNode);
        for (int k = 0; k < steps; k++)
        {
            for (int i = 0; k % change == 0 && i <= elements; i++)
            {
                double* at = w.work.external + 6 * i;
                for (int axis = 0; axis < 3; axis++)
                    at[axis] +=
                        cases[c].follow * (palRandom_Range(&random, -load, load) - at[axis]);
            }
            wireStep(&w, cases[c].h, NULL);
            if (k % 5 == 0)
                most = fmax(most, palBeam_Energy(w.model, &w.state));
        }
        ASSERT_BELOW(most, load * sqrt(3.0) * elements * length);
        ASSERT_BELOW(1e-2 * load * length, most); // and it has moved
        // Left alone, it comes back to rest.
        memset(w.work.external, 0, 6 * (size_t)(elements + 1) * sizeof(double));
        for (int k = 0; k < 3000; k++)
            wireStep(&w, cases[c].h, NULL);
        ASSERT_BELOW(palBeam_Energy(w.model, &w.state), 0.01 * most);
        wireFree(&w);
    }
}

// A pulled wire under random loads across: at twice the slope that the sum of all loads, at once
// and in line, has against the pull, it would move by the bound.
static void taut_wires_stay_taut(void** state)
{
    (void)state;
    enum
    {
        count = 20,
    };
    const struct
    {
        double theta, h;
    } cases[] = {{1.0, 1e-3}, {1.0, 20e-3}, {0.55, 1e-3}};
    const double pulls[] = {5.0, 20.0, 100.0}, load = 0.02, length = 0.2;
    palBeamSection section = palMakeRoundSection(0.25e-3, poisson);
    for (int c = 0; c < 9; c++)
    {
        palRandom random = palMakeRandom(13);
        palBeamDef def = steel(&section);
        def.implicitness = cases[c / 3].theta;
        def.stiffnessDamping = 1e-4;
        wire w;
        wireMakeStraight(&w, def, count, length, pal_holdNode);
        double pull = pulls[c % 3], most = 0.0;
        for (int k = 0; k < 2000; k++)
        {
            for (int i = 6; k % 20 == 0 && i < 6 * (count + 1); i++)
                w.work.external[i] = i % 6 < 3 ? palRandom_Range(&random, -load, load) : 0.0;
            wireTip(&w)[0] = pull;
            wireStep(&w, cases[c / 3].h, NULL);
            // The pull comes at once; its wave along the wire is gone in a few steps.
            for (int i = 0; k > 100 && i <= count; i++)
                most = fmax(most, hypot(w.state.x[i].y, w.state.x[i].z));
        }
        double slope = sqrt(2.0) * load * count / pull;
        ASSERT_BELOW(most, slope * length);
        ASSERT_BELOW(0.02 * slope * length, most);
        wireFree(&w);
    }
}

// Pushed with up to 1300 times the load that buckles it, a wire folds over and hangs in the push:
// its tip is no farther from its root than it is long.
static void pushed_wires_fold_and_stay_whole(void** state)
{
    (void)state;
    SKIP_SLOWED();
    enum
    {
        count = 20,
    };
    const double steps[] = {1e-3, 20e-3}, pushes[] = {0.5, 5.0, 50.0}, length = 0.2;
    palBeamSection section = palMakeRoundSection(0.25e-3, poisson);
    for (int c = 0; c < 6; c++)
    {
        palRandom random = palMakeRandom(14);
        palBeamDef def = steel(&section);
        def.stiffnessDamping = 1e-4;
        wire w;
        wireMakeStraight(&w, def, count, length, pal_holdNode);
        for (int k = 0; k < 2000; k++)
        {
            for (int i = 6; k % 20 == 0 && i < 6 * (count + 1); i++)
                w.work.external[i] = i % 6 < 3 ? palRandom_Range(&random, -0.02, 0.02) : 0.0;
            wireTip(&w)[0] = -pushes[c % 3];
            wireStep(&w, steps[c / 3], NULL);
            if (k > 100)
                ASSERT_BELOW(palLength(w.state.x[count]), 1.01 * length);
        }
        ASSERT_BELOW(w.state.x[count].x, 0.0);
        wireFree(&w);
    }
}

static void copies_go_the_same_way(void** state)
{
    (void)state;
    palBeamSection section = palMakeRoundSection(0.5e-3, poisson);
    palBeamDef def = steel(&section);
    def.gravity = palMakeVec3(0, 0, -9.81);
    wire a, b;
    wireMakeStraight(&a, def, 8, 0.2, pal_holdNode);
    wireMakeStraight(&b, def, 8, 0.2, pal_holdNode);
    for (int k = 0; k < 50; k++)
        wireStep(&a, 1e-3, NULL);
    palBeamState_Copy(&b.state, &a.state);
    for (int k = 0; k < 50; k++)
    {
        wireStep(&a, 1e-3, NULL);
        wireStep(&b, 1e-3, NULL);
    }
    assert_memory_equal(a.state.x, b.state.x, 9 * sizeof *a.state.x);
    assert_memory_equal(a.state.q, b.state.q, 9 * sizeof *a.state.q);
    assert_memory_equal(a.state.v, b.state.v, 9 * sizeof *a.state.v);
    assert_memory_equal(a.state.w, b.state.w, 9 * sizeof *a.state.w);
    wireFree(&a);
    wireFree(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies_are_those_of_the_beam),
        cmocka_unit_test(rods_ring_along_and_about_their_axis),
        cmocka_unit_test(ringing_has_the_frequency_of_the_integrator),
        cmocka_unit_test(free_flight_keeps_momentum),
        cmocka_unit_test(wires_fall),
        cmocka_unit_test(steel_stays_bounded),
        cmocka_unit_test(taut_wires_stay_taut),
        cmocka_unit_test(pushed_wires_fold_and_stay_whole),
        cmocka_unit_test(copies_go_the_same_way),
    };
    return RUN(tests);
}
