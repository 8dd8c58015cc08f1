// SPDX-License-Identifier: Apache-2.0
// `accurate`: time of a high-rate step and of a low-rate step over the number of limited
// constraints (GLC), on the sine and on a statue of 80,000 triangles. A step includes reading the
// device, the safety layer and the recording.
//
// Baseline: the evaluation of eqs. (6), (7) for all GLCs in every iteration, without the solver.
// The paper reports 90 µs on average and 410 µs at most for a step with 50 to 100 GLCs.
#include "bench.h"

#include "base/clock.h"
#include "device/replay.h"
#include "mesh/shapes.h"
#include "runtime/engine.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    maxTurns = 64,
};

static const double dt = 1e-3;      // s
static const double lowDt = 33e-3;  // s
static const double friction = 0.1; // two friction rows per GLC

typedef struct workload
{
    const char* name;
    palShapeDef shape;
    palTrajectoryDef path;
    double seconds;
} workload;

// Times of one run of a workload.
typedef struct runTimes
{
    double mean, p99;       // µs, high rate
    double lowMean, lowP99; // ms
    double baseline;        // µs
    double constraints;     // GLCs, mean
    double active;          // active planes, mean
    int steps;
} runTimes;

static workload sineWorkload(const char* name, int resolution)
{
    workload w = {.name = name, .seconds = 2.0};
    w.shape = palDefaultShapeDef(pal_shapeSine);
    w.shape.resolution = resolution;
    w.path = palDefaultTrajectoryDef(pal_trajectorySine);
    w.path.start = palMakeVec3(-0.1, 0.0, 0.3e-3);
    w.path.speed = 0.1;
    w.path.amplitude = w.shape.amplitude;
    w.path.wavelength = w.shape.wavelength;
    w.path.offset = -1e-3;
    return w;
}

// Down the back of the statue, from the shoulder into the folds of the robe.
static workload statueWorkload(const char* name, int resolution)
{
    workload w = {.name = name, .seconds = 2.0};
    w.shape = palDefaultShapeDef(pal_shapeStatue);
    w.shape.size = palMakeVec3(0.2, 0.2, 0.2);
    w.shape.resolution = resolution;
    w.path = palDefaultTrajectoryDef(pal_trajectoryLine);
    w.path.start = palMakeVec3(-0.033, 0.18, 0.0);
    w.path.end = palMakeVec3(-0.047, 0.03, 0.0);
    w.path.speed = 0.075;
    return w;
}

// Evaluates every GLC of the patch, as often as the step had iterations. Returns the number of
// active ones, so that the compiler cannot remove the loop.
static int lookAtAll(const palPatch* patch, palVec3 x, int iterations)
{
    int active = 0;
    for (int k = 0; k < iterations; k++)
        for (int i = 0; i < patch->count; i++)
        {
            const palLimited* limited = &patch->limited[i];
            double gap = palLimited_Gap(limited, x);
            bool covers = palLimited_Covers(limited, x, 0.0);
            active += covers && gap <= 1e-9 && gap >= -1e-3;
        }
    return active;
}

static const palPatch* newestPatch(palEngine* engine)
{
    bool isNew;
    palEngineLoop* low = &engine->loops[0];
    return &low->snapshots[palTripleBuffer_Newest(&low->snapshotBuffer, &isNew)].hands[0].patch;
}

static runTimes timeRun(palEngine* engine)
{
    runTimes times = {.steps = (int)palEngine_TickCount(engine)};
    int64_t spent = 0;
    static volatile int sink;
    for (int i = 0; i < times.steps; i++)
    {
        palTickRecord record;
        palLockstep_Step(engine, &record);
        times.constraints += (double)record.hands[0].constraints / 3.0 / times.steps;
        times.active += (double)record.hands[0].active / 3.0 / times.steps;
        int64_t begin = palClock_Now();
        sink += lookAtAll(newestPatch(engine), record.hands[0].proxy, record.hands[0].iterations);
        spent += palClock_Now() - begin;
    }
    times.baseline = 1e-3 * (double)spent / times.steps;
    times.mean = 1e6 * palHistogram_Mean(&engine->highStatistics.stepTime);
    times.p99 = 1e6 * palHistogram_Percentile(&engine->highStatistics.stepTime, 0.99);
    times.lowMean = 1e3 * palHistogram_Mean(&engine->loops[0].statistics.stepTime);
    times.lowP99 = 1e3 * palHistogram_Percentile(&engine->loops[0].statistics.stepTime, 0.99);
    return times;
}

static palResult runOnce(const workload* w, palCollider* collider, palDevice* device,
                         runTimes* times)
{
    palEngineDef def = {
        .hands[0].method = &pal_methodAccurate,
        .hands[0].body = {.mass = 1e-3, .stiffness = 1000.0, .damping = 0.8, .dt = dt},
        .methodDef = {.lowDt = lowDt,
                      .latency = 5e-3,
                      .radius = 0.02,
                      .colliders = collider,
                      .colliderCount = 1},
        .hands[0].deviceOps = &pal_replayDevice,
        .hands[0].device = device,
        .hands[0].safety = palDefaultSafetyDef(),
        .dt = dt,
        .lowDt = lowDt,
        .latency = 5e-3,
        .seconds = w->seconds,
    };
    palEngine* engine;
    palResult result = palEngine_Create(&def, &engine, NULL);
    if (result != pal_ok)
        return result;
    *times = timeRun(engine);
    palEngine_Destroy(engine);
    return pal_ok;
}

// Orders runs by their mean time, for the median.
static int compareTimes(const void* a, const void* b)
{
    double x = ((const runTimes*)a)->mean;
    double y = ((const runTimes*)b)->mean;
    return (x > y) - (x < y);
}

static void put(const workload* w, const runTimes* times, int triangles,
                const palBenchSettings* settings, palJson* json)
{
    char name[96];
    snprintf(name, sizeof name, "step, %s: %.0f GLCs, %.1f active", w->name, times->constraints,
             times->active);
    palBench_Put(settings,
                 &(palBenchMeasured){.name = name,
                                     .unit = "us",
                                     .ours = times->mean,
                                     .oursP99 = times->p99,
                                     .baselineName = "evaluate all GLCs",
                                     .baseline = times->baseline,
                                     .operations = times->steps},
                 json);
    snprintf(name, sizeof name, "low-rate step, %d triangles", triangles);
    palBench_Put(settings,
                 &(palBenchMeasured){.name = name,
                                     .unit = "ms",
                                     .ours = times->lowMean,
                                     .oursP99 = times->lowP99,
                                     .operations = (int)(w->seconds / lowDt)},
                 json);
}

static palResult runTurns(const workload* w, palCollider* collider, palDevice* device,
                          const palBenchSettings* settings, palJson* json)
{
    runTimes times[maxTurns];
    int turns = settings->turns < maxTurns ? settings->turns : maxTurns;
    for (int i = 0; i < turns; i++)
    {
        palResult result = runOnce(w, collider, device, &times[i]);
        if (result != pal_ok)
            return result;
    }
    qsort(times, (size_t)turns, sizeof *times, compareTimes);
    put(w, &times[turns / 2], collider->surface.triangleCount, settings, json);
    return pal_ok;
}

static palResult runWorkload(const workload* w, const palBenchSettings* settings, palJson* json)
{
    palSurface surface;
    palCollider collider = {0};
    palTrajectory* trajectory = NULL;
    palDevice* device = NULL;
    palDriverContext context = palDefaultDriverContext();
    palResult result = palMakeShape(&w->shape, &surface, NULL);
    if (result == pal_ok)
        result = palCollider_Init(&collider, &surface, friction, NULL);
    if (result == pal_ok)
        result = palTrajectory_Create(&w->path, &trajectory, NULL);
    context.trajectory = trajectory;
    context.dt = dt;
    if (result == pal_ok)
        result = pal_replayDevice.open(&context, NULL, &device, NULL);
    if (result == pal_ok)
        result = runTurns(w, &collider, device, settings, json);
    if (device != NULL)
        pal_replayDevice.close(device);
    palTrajectory_Destroy(trajectory);
    palCollider_Free(&collider);
    return result;
}

static int run(const palBenchSettings* settings, palJson* json)
{
    const workload workloads[] = {
        sineWorkload("sine", 96),
        sineWorkload("fine sine", 312),
        sineWorkload("finest sine", 480),
        statueWorkload("statue", 156),
    };
    const int count = settings->quick ? 2 : 4;
    for (int i = 0; i < count; i++)
        if (runWorkload(&workloads[i], settings, json) != pal_ok)
            return 1;
    return 0;
}

const palBenchmark pal_benchAccurate = {
    .name = "accurate",
    .summary = "steps of method accurate over the number of limited constraints",
    .run = run,
};
