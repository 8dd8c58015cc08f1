// SPDX-License-Identifier: Apache-2.0
// Low-rate steps of soft cubes that are too large for one factorisation per step (body/response.h),
// while a hand presses them by 10 mm: with delayed factorisations, and, as the baseline, with one
// factorisation per step in the same run; the error of the force at rest relative to a static
// solve, and of the force at first contact relative to one factorisation per step.
#include "bench_soft.h"
#include "soft_press.h"

#include <stdio.h>

static const double depth = 0.01;            // m
static const int atOnce[2] = {1, 100000000}; // elements: delayed factorisation, one per step

static double pressingPath(const void* user, double t)
{
    (void)user;
    return -1e-3 + (depth + 1e-3) * fmin(1.0, t / 0.3);
}

static double fallingPath(const void* user, double t)
{
    (void)user;
    return fmin(-1e-3 + 0.1 * t, 5e-3);
}

// A hand starts 1 mm above the surface and reaches it at 0.1 m/s, between nodes; its tangential
// speed is low, because at a higher speed it would jump from node to node at different times.
// Returns the largest difference from one factorisation per step in the first 130 ms, % of the
// largest force; NAN: failed.
static double firstTouch(palSoftPressDef def)
{
    palSoftPress presses[2] = {0};
    palResult result = pal_ok;
    double difference = 0.0, largest = 0.0;
    def.path = fallingPath;
    def.aside = 0.002;
    def.stroke = 0.02;
    for (int i = 0; i < 2 && result == pal_ok; i++)
    {
        def.atOnce = atOnce[i];
        result = palSoftPress_Init(&presses[i], &def, false, NULL);
    }
    for (int k = 0; k < 130 && result == pal_ok; k++)
    {
        double expected = palSoftPress_Step(&presses[1]).force;
        largest = fmax(largest, expected);
        difference = fmax(difference, fabs(palSoftPress_Step(&presses[0]).force - expected));
    }
    for (int i = 0; i < 2; i++)
        palSoftPress_Free(&presses[i]);
    return result == pal_ok ? 100.0 * difference / largest : NAN;
}

// Step times with delayed factorisation, compared with one factorisation per step.
static void compareSteps(const palBenchSettings* settings, int tets,
                         const palEngine* const engines[2], double percentile, palJson* json)
{
    char name[96];
    snprintf(name, sizeof name, "low rate, delayed factor, p%.0f, %d tets", 100.0 * percentile,
             tets);
    palBench_Tell(
        settings, name, "ms",
        1e3 * palHistogram_Percentile(&engines[0]->loops[0].statistics.stepTime, percentile),
        "factor every step",
        1e3 * palHistogram_Percentile(&engines[1]->loops[0].statistics.stepTime, percentile), json);
}

static void report(const palBenchSettings* settings, int tets, const palEngine* const engines[2],
                   double error, double touch, palJson* json)
{
    const palLoopStatistics* late = &engines[0]->loops[0].statistics;
    compareSteps(settings, tets, engines, 0.5, json);
    compareSteps(settings, tets, engines, 0.99, json);
    palBench_Bound(settings, "  factorisation time, p50", "ms",
                   1e3 * palHistogram_Percentile(&late->factorTime, 0.5), INFINITY, json);
    palBench_Bound(settings, "  age of the factorisation, p50", "ms",
                   1e3 * palHistogram_Percentile(&late->factorAge, 0.5), INFINITY, json);
    palBench_Bound(settings, "  iterations of the free motion, mean", "",
                   palHistogram_Mean(&late->freeIterations), 3.0, json);
    palBench_Bound(settings, "  force at rest, error", "%", error, 2.0, json);
    palBench_Bound(settings, "  first contact at 0.1 m/s, force difference", "%", touch, 3.0, json);
}

static int runSize(int cells, double lowDt, const palBenchSettings* settings, palJson* json)
{
    palSoftPress presses[2] = {0}; // delayed factorisation, one per step
    palSoftPress truth = {0};
    palPressSample sample = {0};
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = cells;
    def.path = pressingPath;
    def.lowDt = def.latency = lowDt;
    int code = 0;
    for (int i = 0; i < 2 && code == 0; i++)
    {
        def.atOnce = atOnce[i];
        code = palSoftPress_Init(&presses[i], &def, false, NULL) != pal_ok;
    }
    // Alternately, so that the load of the machine affects both equally.
    for (int k = 0; k < 1500 && code == 0; k++)
        for (int i = 1; i >= 0; i--)
            sample = palSoftPress_Step(&presses[i]);
    if (code == 0)
        code = palSoftPress_Init(&truth, &def, true, NULL) != pal_ok;
    if (code == 0)
    {
        const palEngine* const engines[2] = {presses[0].engine, presses[1].engine};
        double expected = palSoftPress_Static(&truth, sample.depth);
        double error = 100.0 * fabs(sample.force / expected - 1.0);
        double touch = firstTouch(def);
        report(settings, presses[0].block.soft->tetCount, engines, error, touch, json);
        code = !(error <= 2.0) || !(touch <= 3.0);
    }
    for (int i = 0; i < 2; i++)
        palSoftPress_Free(&presses[i]);
    palSoftPress_Free(&truth);
    if (code != 0)
        fprintf(stderr, "palpate bench: error: a cube with %d cells per side failed\n", cells);
    return code;
}

// Cubes of bricks: who makes the factors is decided by their operations, not set.
static int runBricks(int cells, const palBenchSettings* settings, palJson* json)
{
    palSoftPress presses[2] = {0}; // as decided, one factorisation per step
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = cells;
    def.cut = pal_cutNone;
    def.path = pressingPath;
    int code = 0;
    for (int i = 0; i < 2 && code == 0; i++)
    {
        def.atOnce = i == 0 ? 0 : atOnce[1];
        code = palSoftPress_Init(&presses[i], &def, false, NULL) != pal_ok;
    }
    for (int k = 0; k < 500 && code == 0; k++)
        for (int i = 1; i >= 0; i--)
            palSoftPress_Step(&presses[i]);
    if (code == 0)
    {
        char name[96];
        const palLoopStatistics* ours = &presses[0].engine->loops[0].statistics;
        const palLoopStatistics* other = &presses[1].engine->loops[0].statistics;
        snprintf(name, sizeof name, "low rate, nothing set, p50, %d bricks",
                 presses[0].block.soft->hexCount);
        palBench_Tell(settings, name, "ms", 1e3 * palHistogram_Percentile(&ours->stepTime, 0.5),
                      "factor every step", 1e3 * palHistogram_Percentile(&other->stepTime, 0.5),
                      json);
    }
    for (int i = 0; i < 2; i++)
        palSoftPress_Free(&presses[i]);
    return code;
}

int palBenchSoft_Large(const palBenchSettings* settings, palJson* json)
{
    // 2560 tetrahedra in a quick run; 8640, 20,480 and 53,240.
    static const int sizes[] = {12, 16, 22};
    static const double lowSteps[] = {0.033, 0.033, 0.1};
    if (settings->quick)
        return runSize(8, 0.033, settings, json);
    int code = 0;
    for (int cells = 8; cells <= 16 && code == 0; cells += 4)
        code = runBricks(cells, settings, json);
    for (int i = 0; i < 3 && code == 0; i++)
        code = runSize(sizes[i], lowSteps[i], settings, json);
    return code;
}
