// SPDX-License-Identifier: Apache-2.0
// The complete tick and the complete low-rate step of every method, while a hand strokes a sphere
// of 82,000 triangles at 0.1 m/s, one millimetre below its surface. The baseline is the simplest
// method, `penalty`: the difference is the cost of the contact model.
#include "bench.h"

#include "device/replay.h"
#include "mesh/shapes.h"
#include "runtime/engine.h"

#include <stdio.h>

enum
{
    methodsMax = 16,
    ticksPerTurn = 1000, // one second
};

static const double sphereRadius = 0.1; // m
static const double depth = 1e-3;       // m
static const double speed = 0.1;        // m/s
static const char* const baselineName = "penalty";

// One sphere and one path, and one engine per method.
typedef struct stroke
{
    palCollider sphere;
    palTrajectory* path;
    palDevice* devices[methodsMax];
    palEngine* engines[methodsMax];
    int count;
} stroke;

static palResult makeSphere(palCollider* collider, palError* error)
{
    palShapeDef shape = palDefaultShapeDef(pal_shapeSphere);
    shape.radius = sphereRadius;
    shape.resolution = 384; // 20 (384 / 6)² triangles
    palSurface surface;
    palResult result = palMakeShape(&shape, &surface, error);
    return result == pal_ok ? palCollider_Init(collider, &surface, 0.2, error) : result;
}

static palResult makePath(palTrajectory** path, palError* error)
{
    // A tilted circle crosses the triangles in all directions.
    palTrajectoryDef def = palDefaultTrajectoryDef(pal_trajectoryCircle);
    def.axis = palMakeVec3(0.3, 0.5, 0.8);
    def.radius = sphereRadius - depth;
    def.speed = speed;
    return palTrajectory_Create(&def, path, error);
}

static palResult addMethod(stroke* s, const palMethodOps* method, palError* error)
{
    palEngineDef def = palDefaultEngineDef(method);
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = s->path;
    context.dt = def.dt;
    palResult result = pal_replayDevice.open(&context, NULL, &s->devices[s->count], error);
    if (result != pal_ok)
        return result;
    def.hands[0].deviceOps = &pal_replayDevice;
    def.hands[0].device = s->devices[s->count];
    def.methodDef.colliders = &s->sphere;
    def.methodDef.colliderCount = 1;
    result = palEngine_Create(&def, &s->engines[s->count], error);
    s->count++;
    return result;
}

static palResult makeStroke(stroke* s, palError* error)
{
    palResult result = makeSphere(&s->sphere, error);
    if (result == pal_ok)
        result = makePath(&s->path, error);
    for (int i = 0; palMethodAt(i) != NULL && s->count < methodsMax && result == pal_ok; i++)
    {
        // Methods for rigid bodies that move are measured by `bench world`.
        const palMethodOps* form = palMethodAt(i)->forms[pal_handPoint];
        if (form != NULL &&
            (form->rigidHand != NULL || !palMethodOps_Accepts(form, PAL_ACCEPTS(pal_partFree))))
            result = addMethod(s, form, error);
    }
    return result;
}

static void freeStroke(stroke* s)
{
    for (int i = 0; i < s->count; i++)
    {
        palEngine_Destroy(s->engines[i]);
        pal_replayDevice.close(s->devices[i]);
    }
    palTrajectory_Destroy(s->path);
    palCollider_Free(&s->sphere);
}

// Returns the number of ticks with an active contact.
static int strokeFor(palEngine* engine, int ticks)
{
    int pushing = 0;
    for (int k = 0; k < ticks; k++)
    {
        palTickRecord record;
        palLockstep_Step(engine, &record);
        pushing += record.hands[0].active > 0;
    }
    return pushing;
}

static const palEngine* findBaseline(const stroke* s)
{
    for (int i = 0; i < s->count; i++)
        if (s->engines[i]->def.hands[0].method == palFindMethodForm(baselineName, pal_handPoint))
            return s->engines[i];
    return NULL;
}

// One row: median and 99th percentile of the step times of a loop, and the median of the baseline.
static void tell(const palBenchSettings* settings, const char* what, const char* method,
                 const palHistogram* times, const palHistogram* baseline, palJson* json)
{
    char name[96];
    snprintf(name, sizeof name, "%s, %s", what, method);
    double p50 = 1e6 * palHistogram_Percentile(times, 0.5);
    double p99 = 1e6 * palHistogram_Percentile(times, 0.99);
    palJson_BeginObject(json, NULL);
    palJson_Text(json, "name", name);
    palJson_Text(json, "unit", "us");
    palJson_Number(json, "ours", p50);
    palJson_Number(json, "p99", p99);
    palJson_Number(json, "max", 1e6 * times->max);
    palJson_Whole(json, "operations", (int64_t)times->count);
    palJson_Whole(json, "turns", settings->turns);
    double base = baseline != NULL ? 1e6 * palHistogram_Percentile(baseline, 0.5) : 0.0;
    if (base > 0.0)
    {
        palJson_Text(json, "baseline_name", baselineName);
        palJson_Number(json, "baseline", base);
        palJson_Number(json, "ratio", base / p50);
    }
    palJson_End(json);
    if (!settings->table)
        return;
    printf("  %-44s %10.3f us %10.3f us %8.2f x  %s; p99 %.3f us\n", name, p50, base, base / p50,
           baselineName, p99);
    fflush(stdout);
}

static int measure(stroke* s, const palBenchSettings* settings, palJson* json)
{
    // One repetition to reach contact and warm the caches, not measured.
    for (int i = 0; i < s->count; i++)
    {
        strokeFor(s->engines[i], ticksPerTurn);
        palHistogram_Clear(&s->engines[i]->highStatistics.stepTime);
        palHistogram_Clear(&s->engines[i]->loops[0].statistics.stepTime);
    }
    // Alternately, so that the load of the machine affects all equally.
    for (int turn = 0; turn < settings->turns; turn++)
        for (int i = 0; i < s->count; i++)
        {
            if (strokeFor(s->engines[i], ticksPerTurn) == ticksPerTurn)
                continue;
            fprintf(stderr, "palpate bench: error: %s lost contact\n",
                    s->engines[i]->def.hands[0].method->name);
            return 1;
        }
    const palEngine* baseline = findBaseline(s);
    for (int i = 0; i < s->count; i++)
        tell(settings, "tick", s->engines[i]->def.hands[0].method->name,
             &s->engines[i]->highStatistics.stepTime,
             baseline != NULL ? &baseline->highStatistics.stepTime : NULL, json);
    for (int i = 0; i < s->count; i++)
        tell(settings, "low-rate step", s->engines[i]->def.hands[0].method->name,
             &s->engines[i]->loops[0].statistics.stepTime,
             baseline != NULL ? &baseline->loops[0].statistics.stepTime : NULL, json);
    return 0;
}

static int run(const palBenchSettings* settings, palJson* json)
{
    stroke s = {0};
    palError error = {0};
    palResult result = makeStroke(&s, &error);
    int code = result == pal_ok ? measure(&s, settings, json) : 1;
    if (result != pal_ok)
        fprintf(stderr, "palpate bench: error: %s\n", error.text);
    freeStroke(&s);
    return code;
}

const palBenchmark pal_benchTick = {
    .name = "tick",
    .summary = "complete ticks and low-rate steps of every method on 82,000 triangles",
    .run = run,
};
