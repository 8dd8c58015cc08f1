// SPDX-License-Identifier: Apache-2.0
// The force of a soft body on the hand if contact is updated at a low rate, compared with a run
// with all computations at the high rate (soft_press.h): the force at rest, the force at constant
// speed, and the impedance. Also compared with `response: frozen`, the form of Dervaux et al. 2013.
// --out writes curves and figures: impedance.csv, .svg and press.csv, .svg.
#include "bench.h"
#include "soft_press.h"

#include <complex.h>
#include <stdio.h>

enum
{
    frequencyCount = 6,
    modulusCount = 2,
    pressTicks = 300,
    sideCount = 3, // all at the high rate, advanced, frozen
};

static const double frequencies[frequencyCount] = {0.5, 1.0, 2.0, 5.0, 10.0, 20.0}; // Hz
static const double moduli[modulusCount] = {10e3, 50e3};                            // Pa
static const double allowedRest = 2.0;                                              // %
static const double allowedImpedance = 5.0;                                         // %, to 10 Hz

static void put(const palBenchSettings* settings, const char* name, const char* unit, double ours,
                const char* baselineName, double baseline, palJson* json)
{
    palBenchMeasured measured = {
        .name = name,
        .baselineName = baselineName,
        .unit = unit,
        .ours = ours,
        .oursP99 = NAN,
        .baseline = baseline,
    };
    palBench_Put(settings, &measured, json);
}

static palSoftPressDef pressDef(const palBenchSettings* settings)
{
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = settings->quick ? 4 : 8;
    return def;
}

//--------------------------------------------------------------------------------------------------
// At rest

// To the depth within 0.3 s, then at rest.
static double holdingPath(const void* user, double t)
{
    return -1e-3 + (*(const double*)user + 1e-3) * fmin(1.0, t / 0.3);
}

// The error of the settled force relative to a static solve at the depth of the proxy, %.
static double staticError(palSoftPressDef def, double depth)
{
    palSoftPress press, truth;
    palPressSample sample = {0};
    def.path = holdingPath;
    def.user = &depth;
    if (palSoftPress_Init(&press, &def, false, NULL) != pal_ok)
        return NAN;
    int ticks = (int)round(1e3 * (0.3 + fmax(1.0, 20.0 * def.lowDt)));
    for (int k = 0; k < ticks; k++)
        sample = palSoftPress_Step(&press);
    palSoftPress_Free(&press);
    if (palSoftPress_Init(&truth, &def, true, NULL) != pal_ok)
        return NAN;
    double expected = palSoftPress_Static(&truth, sample.depth);
    palSoftPress_Free(&truth);
    return 100.0 * fabs(sample.force / expected - 1.0);
}

// The largest error over the depths for each low-rate period and latency.
static int compareStatics(const palBenchSettings* settings, palJson* json)
{
    static const double lowSteps[] = {0.010, 0.020, 0.033, 0.100};
    int depths = settings->quick ? 1 : 10;
    int code = 0;
    for (int i = settings->quick ? 2 : 0; i < (settings->quick ? 3 : 4); i++)
        for (int late = 0; late < 2; late++)
        {
            palSoftPressDef def = pressDef(settings);
            def.lowDt = lowSteps[i];
            def.latency = late * def.lowDt;
            double worst = 0.0;
            for (int k = 1; k <= depths; k++)
            {
                double error = staticError(def, 0.012 * k / depths);
                worst = error <= worst ? worst : error;
            }
            char name[96];
            snprintf(name, sizeof name, "force at rest, max. error, %g ms, latency %g ms",
                     1e3 * def.lowDt, 1e3 * def.latency);
            put(settings, name, "%", worst, "allowed", allowedRest, json);
            code |= !(worst <= allowedRest);
        }
    if (code != 0)
        fprintf(stderr, "palpate bench: error: the error of the force at rest exceeds %g %%\n",
                allowedRest);
    return code;
}

//--------------------------------------------------------------------------------------------------
// Constant speed

static const double pressSpeed = 0.02; // m/s

static double steadyPath(const void* user, double t)
{
    (void)user;
    return -1e-3 + pressSpeed * t;
}

typedef struct pressing
{
    palPressSample samples[sideCount][pressTicks];
    double step[sideCount];      // N, the largest change of force in a tick
    double stiffness[sideCount]; // N/m, between updates: force change over depth change
} pressing;

static int compareDoubles(const void* a, const void* b)
{
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

// In the second half, at larger depth. Few ticks have an update, so the median is one without.
static void measurePressing(pressing* p, int side)
{
    double slopes[pressTicks];
    int count = 0;
    for (int k = pressTicks / 2; k < pressTicks; k++)
    {
        const palPressSample* now = &p->samples[side][k];
        double step = now->force - now[-1].force;
        p->step[side] = fmax(p->step[side], fabs(step));
        slopes[count++] = step / (now->depth - now[-1].depth);
    }
    qsort(slopes, (size_t)count, sizeof slopes[0], compareDoubles);
    p->stiffness[side] = slopes[count / 2];
}

static bool press(pressing* p, palSoftPressDef def, int side)
{
    palSoftPress press;
    def.path = steadyPath;
    def.frozen = side == 2;
    if (palSoftPress_Init(&press, &def, side == 0, NULL) != pal_ok)
        return false;
    for (int k = 0; k < pressTicks; k++)
        p->samples[side][k] = palSoftPress_Step(&press);
    palSoftPress_Free(&press);
    measurePressing(p, side);
    return true;
}

static int comparePressing(const palBenchSettings* settings, pressing* p, palJson* json)
{
    for (int side = 0; side < sideCount; side++)
        if (!press(p, pressDef(settings), side))
            return 1;
    put(settings, "20 mm/s, largest force change per tick", "mN", 1e3 * p->step[1], "all at 1 kHz",
        1e3 * p->step[0], json);
    put(settings, "20 mm/s, largest force change, frozen", "mN", 1e3 * p->step[2], "all at 1 kHz",
        1e3 * p->step[0], json);
    put(settings, "20 mm/s, stiffness between updates", "N/m", p->stiffness[1], "all at 1 kHz",
        p->stiffness[0], json);
    put(settings, "20 mm/s, stiffness, frozen", "N/m", p->stiffness[2], "all at 1 kHz",
        p->stiffness[0], json);
    return 0;
}

//--------------------------------------------------------------------------------------------------
// Oscillation

static const double shakingStart = 1.0;      // s
static const double shakingAmplitude = 2e-3; // m

// To a depth of 10 mm within half a second, then an oscillation.
static double shakingPath(const void* user, double t)
{
    double frequency = *(const double*)user;
    double depth = -1e-3 + 11e-3 * fmin(1.0, t / 0.5);
    double phase = 2.0 * M_PI * frequency * (t - shakingStart);
    return t > shakingStart ? depth + shakingAmplitude * sin(phase) : depth;
}

// The first harmonic of the force divided by the amplitude of the hand, N/m.
static double complex stiffnessAt(palSoftPressDef def, double frequency, bool isReference)
{
    palSoftPress press;
    def.path = shakingPath;
    def.user = &frequency;
    if (palSoftPress_Init(&press, &def, isReference, NULL) != pal_ok)
        return NAN;
    double period = 1.0 / frequency;
    int settling = (int)round(1e3 * (shakingStart + ceil(0.3 / period) * period));
    int measured = (int)round(1e3 * ceil(0.4 / period) * period);
    double complex sum = 0.0;
    for (int k = 0; k < settling + measured; k++)
    {
        palPressSample sample = palSoftPress_Step(&press);
        if (k >= settling)
            sum += sample.force * cexp(-I * 2.0 * M_PI * frequency * (sample.t - shakingStart));
    }
    palSoftPress_Free(&press);
    return 2.0 * sum / measured / shakingAmplitude;
}

// Errors of the impedance at the hand relative to all at 1 kHz, %; NAN if not measured.
typedef struct impedance
{
    double advanced[modulusCount][frequencyCount];
    double frozen[modulusCount][frequencyCount];
} impedance;

static int compareImpedance(const palBenchSettings* settings, impedance* z, palJson* json)
{
    int code = 0;
    for (int e = 0; e < modulusCount; e++)
        for (int i = 0; i < frequencyCount; i++)
        {
            z->advanced[e][i] = z->frozen[e][i] = NAN;
            if (settings->quick && frequencies[i] != 5.0 && frequencies[i] != 10.0)
                continue;
            palSoftPressDef def = pressDef(settings);
            def.young = moduli[e];
            double complex truth = stiffnessAt(def, frequencies[i], true);
            z->advanced[e][i] = 100.0 * cabs(stiffnessAt(def, frequencies[i], false) / truth - 1.0);
            def.frozen = true;
            z->frozen[e][i] = 100.0 * cabs(stiffnessAt(def, frequencies[i], false) / truth - 1.0);
            char name[96];
            snprintf(name, sizeof name, "impedance error, %g kPa, %g Hz", 1e-3 * moduli[e],
                     frequencies[i]);
            put(settings, name, "%", z->advanced[e][i], "response: frozen", z->frozen[e][i], json);
            code |= !(frequencies[i] > 10.0 || z->advanced[e][i] <= allowedImpedance);
        }
    if (code != 0)
        fprintf(stderr, "palpate bench: error: the impedance error exceeds %g %%\n",
                allowedImpedance);
    return code;
}

//--------------------------------------------------------------------------------------------------
// Figures

static void writeImpedance(const void* data, FILE* file)
{
    const impedance* z = data;
    fprintf(file, "frequency_Hz,advanced_10kPa,frozen_10kPa,advanced_50kPa,frozen_50kPa\n");
    for (int i = 0; i < frequencyCount; i++)
        fprintf(file, "%g,%.6g,%.6g,%.6g,%.6g\n", frequencies[i], z->advanced[0][i],
                z->frozen[0][i], z->advanced[1][i], z->frozen[1][i]);
}

static void writePressing(const void* data, FILE* file)
{
    const pressing* p = data;
    fprintf(file, "t_s,everything_at_1kHz_N,advanced_N,frozen_N\n");
    for (int k = 0; k < pressTicks; k++)
        fprintf(file, "%g,%.6g,%.6g,%.6g\n", p->samples[0][k].t, p->samples[0][k].force,
                p->samples[1][k].force, p->samples[2][k].force);
}

static const char script[] =
    "set terminal svg size 800,500 background 'white'\n"
    "set datafile separator ','\nset datafile missing 'nan'\nset grid\nset key outside top center "
    "horizontal\n"
    "set output 'impedance.svg'\nset logscale xy\nset xlabel 'frequency (Hz)'\n"
    "set ylabel 'error of the impedance (%)'\nset xrange [0.4:25]\nset yrange [0.001:2000]\n"
    "set title 'impedance at the hand relative to all at 1 kHz; low rate 33 ms, latency 33 ms'\n"
    "plot 'impedance.csv' using 1:2 skip 1 with linespoints lw 2 title 'advanced, 10 kPa', "
    "'' using 1:3 skip 1 with linespoints lw 2 dt 2 title 'frozen, 10 kPa', "
    "'' using 1:4 skip 1 with linespoints lw 2 title 'advanced, 50 kPa', "
    "'' using 1:5 skip 1 with linespoints lw 2 dt 2 title 'frozen, 50 kPa', "
    "5 with lines lc rgb '#888888' title '5 %'\n"
    "set output 'press.svg'\nunset logscale\nset autoscale\nset xlabel 'time (s)'\n"
    "set ylabel 'force on the hand (N)'\nset title 'pressing 10 kPa at 20 mm/s'\n"
    "plot 'press.csv' using 1:4 skip 1 with lines title 'frozen', "
    "'' using 1:2 skip 1 with lines lw 3 title 'all at 1 kHz', "
    "'' using 1:3 skip 1 with lines lw 1 title 'advanced'\n";

static int draw(const palBenchSettings* settings, const impedance* z, const pressing* p)
{
    int code = palBench_WriteCurves(settings, "impedance.csv", writeImpedance, z);
    if (code == 0)
        code = palBench_WriteCurves(settings, "press.csv", writePressing, p);
    return code == 0 ? palBench_Draw(settings, script) : code;
}

static int run(const palBenchSettings* settings, palJson* json)
{
    impedance z;
    pressing* p = calloc(1, sizeof *p);
    int code = p == NULL;
    if (code == 0)
        code = compareStatics(settings, json);
    if (code == 0)
        code = comparePressing(settings, p, json);
    if (code == 0)
        code = compareImpedance(settings, &z, json);
    if (code == 0 && settings->out != NULL)
        code = draw(settings, &z, p);
    free(p);
    return code;
}

const palBenchmark pal_benchFeel = {
    .name = "feel",
    .summary = "force of a soft cube on the hand; baselines: all at 1 kHz, frozen response",
    .run = run,
};
