// SPDX-License-Identifier: Apache-2.0
// A hand among rigid bodies, for `palpate bench world`: ticks with the bodies that it presses, and
// low-rate steps of a peg that fits closely into a hole.
#include "bench_fit.h"

#include "api/world_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const double tickAllowed = 100.0; // us
static const double stepAllowed = 10.0;  // ms

// Six boxes on one another and four balls in a row beside them: 24 contacts of boxes, eight of
// balls, and those of the hand that leans on the top.
#define ISLAND                                                                                     \
    "palpate: 1\ngravity: [0, -9.81, 0]\ntime: {seconds: 1000, low_dt: 0.02}\ncoupling: "          \
    "{stiffness: 500, damping: 5}\ntool: {shape: {kind: sphere, radius: 0.01}, mass: 0.05}\n"      \
    "trajectory: {kind: circle, centre: [0, 0.248, 0], axis: [0, 1, 0], radius: 0.005, speed: "    \
    "0.01}\nobjects:\n"                                                                            \
    "  - {name: floor, shape: {kind: half-space, size: [1, 1, 0]}, rotation: [-90, 0, 0], "        \
    "friction: 0.5}\n"                                                                             \
    "  - {name: box, shape: {kind: box, size: [0.04, 0.04, 0.04]}, position: [0, 0.02, 0], "       \
    "friction: 0.5, motion: free, mass: 0.2, repeat: {count: [1, 6, 1], step: [0, 0.04, 0]}}\n"    \
    "  - {name: ball, shape: {kind: sphere, radius: 0.01}, position: [0.03, 0.01, 0], friction: "  \
    "0.5, motion: free, mass: 0.05, repeat: {count: [4, 1, 1], step: [0.02, 0, 0]}}\n"

#define PEG                                                                                        \
    "palpate: 1\ntime: {seconds: 1000, low_dt: 0.02}\ncoupling: {stiffness: 1000, damping: 2}\n"   \
    "tool: {shape: {kind: peg, radius: 0.01, height: 0.03, resolution: 128}, mass: 0.05}\n"        \
    "trajectory: {kind: path, points: [{t: 0, at: [0, 0, 0.02]}, {t: 0.5, at: [0.0005, 0, "        \
    "0.015]}, {t: 1.5, at: [-0.0005, 0, 0.015]}]}\nobjects:\n"                                     \
    "  - {name: housing, shape: {kind: sleeve, radius: 0.01005, height: 0.03, resolution: 128}, "  \
    "rotation: [0, 0, 1.40625], friction: 0.1}\n"

// By a file, as worlds are read.
static palWorld* start(const char* method, const char* text)
{
    char path[] = "/tmp/palpate-bench-XXXXXX";
    int descriptor = mkstemp(path);
    FILE* file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    palWorld* world = NULL;
    palError error = {.text = "no temporary file"};
    if (file == NULL || fprintf(file, "%smethod: {name: %s}\n", text, method) < 0 ||
        fclose(file) != 0 || palWorld_Load(path, NULL, 0, &world, &error) != pal_ok ||
        palWorld_Prepare(world, &error) != pal_ok)
        fprintf(stderr, "palpate bench: error: %s\n", error.text);
    unlink(path);
    return world;
}

static bool advance(palWorld* world, int ticks)
{
    palError error = {0};
    for (int k = 0; k < ticks; k++)
        if (palWorld_Step(world, &error) != pal_ok)
        {
            fprintf(stderr, "palpate bench: error: %s\n", error.text);
            return false;
        }
    return true;
}

// The median over what follows the first half second, in which the contacts close.
static void measure(const palBenchSettings* settings, const char* method, bool isPeg, palJson* json)
{
    palWorld* world = start(method, isPeg ? PEG : ISLAND);
    if (world != NULL && advance(world, 500))
    {
        palHistogram* ticks = &world->engine->highStatistics.stepTime;
        palHistogram* steps = &world->engine->loops[0].statistics.stepTime;
        palHistogram_Clear(ticks);
        palHistogram_Clear(steps);
        if (advance(world, 1000))
        {
            char name[96];
            snprintf(name, sizeof name,
                     isPeg ? "low-rate step of the peg, %s" : "tick, 10 bodies and 30 contacts, %s",
                     method);
            palBench_Bound(settings, name, isPeg ? "ms" : "us",
                           (isPeg ? 1e3 : 1e6) *
                               palHistogram_Percentile(isPeg ? steps : ticks, 0.5),
                           isPeg ? stepAllowed : tickAllowed, json);
        }
    }
    palWorld_Destroy(world);
}

void palBenchFit_Run(const palBenchSettings* settings, palJson* json)
{
    static const char* const methods[] = {"accurate", "linear", "impulse"};
    for (int i = 0; i < 3; i++)
        measure(settings, methods[i], false, json);
    for (int i = 0; i < 2; i++)
        measure(settings, methods[i], true, json);
}
