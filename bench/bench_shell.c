// SPDX-License-Identifier: Apache-2.0
// Ticks and low-rate steps of a tool that touches with points: flat ones with 16 and with 49 points
// on a plate of 77,000 triangles, a ball on a sphere of 82,000, and a flat one across a rail, on
// whose rims its edges lie, stroked at 0.1 m/s and pressed in by one millimetre. `standard`, whose
// half-spaces need no sweeps and no walks, is the baseline.
#include "bench.h"

#include "device/replay.h"
#include "mesh/shapes.h"
#include "runtime/engine.h"

#include <stdio.h>

enum
{
    ticksPerTurn = 1000, // a second of stroking
    strokesMax = 4,
};

static const double depth = 1e-3; // m
static const double speed = 0.1;  // m/s
static const char* const methods[2] = {"accurate", "standard"};

typedef struct stroke
{
    const char* name;
    palShapeDef floor;
    palShapeDef tool;
    palTrajectoryDef path;
    palCollider collider;
    palTool held;
    palTrajectory* trajectory;
    palDevice* devices[2];
    palEngine* engines[2]; // accurate, standard
} stroke;

// A square of `points` by `points` contact points on a plate.
static void flat(stroke* s, const char* name, int points)
{
    const double height = 0.01;
    s->name = name;
    s->floor = palDefaultShapeDef(pal_shapeBox);
    s->floor.size = palMakeVec3(0.2, 0.01, 0.2);
    s->floor.resolution = 134;
    s->tool = palDefaultShapeDef(pal_shapeBox);
    s->tool.size = palMakeVec3(0.02, height, 0.02);
    s->tool.resolution = points - 1;
    s->path = palDefaultTrajectoryDef(pal_trajectoryCircle);
    s->path.centre = palMakeVec3(0.0, 0.5 * (0.01 + height) - depth, 0.0);
    s->path.axis = palMakeVec3(0.0, 1.0, 0.0);
    s->path.radius = 0.04;
    s->path.speed = speed;
}

static void ball(stroke* s)
{
    const double radius = 0.005;
    s->name = "ball";
    s->floor = palDefaultShapeDef(pal_shapeSphere);
    s->floor.radius = 0.1;
    s->floor.resolution = 384; // 20 (384 / 6)² triangles
    s->tool = palDefaultShapeDef(pal_shapeSphere);
    s->tool.radius = radius;
    s->tool.resolution = 48;
    s->path = palDefaultTrajectoryDef(pal_trajectoryCircle);
    s->path.axis = palMakeVec3(0.3, 0.5, 0.8);
    s->path.radius = s->floor.radius + radius - depth;
    s->path.speed = speed;
}

// The flat tool of 16 points across a rail that is narrower than it.
static void rail(stroke* s)
{
    flat(s, "flat tool on a rail", 4);
    s->floor.size = palMakeVec3(0.2, 0.01, 0.008);
    s->floor.resolution = 200;
    s->path.radius = 0.002;
}

static palResult makeBodies(stroke* s, palError* error)
{
    palSurface surface;
    palRigidDef def = palDefaultRigidDef();
    palResult result = palMakeShape(&s->floor, &surface, error);
    if (result == pal_ok)
        result = palCollider_Init(&s->collider, &surface, 0.2, error);
    if (result == pal_ok)
        result = palMakeShape(&s->tool, &s->held.surface, error);
    if (result == pal_ok)
        result = palMass_FromSurface(&s->held.surface, 1000.0, &def.mass, error);
    if (result == pal_ok)
        result = palRigidModel_Init(&s->held.model, &def, error);
    s->held.spacing = 1.0; // the vertices
    if (result == pal_ok)
        result = palTrajectory_Create(&s->path, &s->trajectory, error);
    return result;
}

static palResult makeEngine(stroke* s, int which, palError* error)
{
    const double dt = 1e-3;
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = s->trajectory;
    context.dt = dt;
    palResult result = pal_replayDevice.open(&context, NULL, &s->devices[which], error);
    palEngineDef def = {
        .hands[0].method = palFindMethodForm(methods[which], pal_handTool),
        .hands[0].deviceOps = &pal_replayDevice,
        .hands[0].device = s->devices[which],
        .hands[0].safety = palDefaultSafetyDef(),
        .hands[0].body = {.dt = dt},
        .hands[0].tool = &s->held,
        .dt = dt,
        .lowDt = 0.033,
        .latency = 0.005,
    };
    def.methodDef = (palMethodDef){
        .lowDt = def.lowDt,
        .latency = def.latency,
        .radius = 0.01,
        .colliders = &s->collider,
        .colliderCount = 1,
    };
    return result == pal_ok ? palEngine_Create(&def, &s->engines[which], error) : result;
}

static void freeStroke(stroke* s)
{
    for (int i = 0; i < 2; i++)
    {
        palEngine_Destroy(s->engines[i]);
        if (s->devices[i] != NULL)
            pal_replayDevice.close(s->devices[i]);
    }
    palTrajectory_Destroy(s->trajectory);
    palSurface_Free(&s->held.surface);
    palCollider_Free(&s->collider);
}

// Returns whether every tick had an active contact.
static bool strokeFor(palEngine* engine, int ticks)
{
    bool pushes = true;
    for (int k = 0; k < ticks; k++)
    {
        palTickRecord record;
        palLockstep_Step(engine, &record);
        pushes = pushes && record.hands[0].active > 0;
    }
    return pushes;
}

static void report(const palBenchSettings* settings, const char* what, const char* tool,
                   const palHistogram* ours, const palHistogram* baseline, palJson* json)
{
    char name[96];
    snprintf(name, sizeof name, "%s, %s", what, tool);
    palBench_Put(settings,
                 &(palBenchMeasured){
                     .name = name,
                     .unit = "us",
                     .ours = 1e6 * palHistogram_Mean(ours),
                     .oursP99 = 1e6 * palHistogram_Percentile(ours, 0.99),
                     .baselineName = methods[1],
                     .baseline = 1e6 * palHistogram_Mean(baseline),
                     .operations = (int)ours->count,
                 },
                 json);
}

static bool measure(stroke* s, const palBenchSettings* settings, palJson* json)
{
    // One repetition to reach contact and warm the caches, not measured.
    for (int i = 0; i < 2; i++)
    {
        strokeFor(s->engines[i], ticksPerTurn);
        palHistogram_Clear(&s->engines[i]->highStatistics.stepTime);
        palHistogram_Clear(&s->engines[i]->loops[0].statistics.stepTime);
    }
    // Alternately, so that the load of the machine affects both equally.
    for (int turn = 0; turn < settings->turns; turn++)
        for (int i = 0; i < 2; i++)
            if (!strokeFor(s->engines[i], ticksPerTurn) && i == 0)
            {
                fprintf(stderr, "palpate bench: error: the %s lost contact\n", s->name);
                return false;
            }
    report(settings, "tick", s->name, &s->engines[0]->highStatistics.stepTime,
           &s->engines[1]->highStatistics.stepTime, json);
    report(settings, "low-rate step", s->name, &s->engines[0]->loops[0].statistics.stepTime,
           &s->engines[1]->loops[0].statistics.stepTime, json);
    return true;
}

static int run(const palBenchSettings* settings, palJson* json)
{
    stroke strokes[strokesMax] = {0};
    palError error = {0};
    bool isGood = true;
    flat(&strokes[0], "flat tool of 16 points", 4);
    flat(&strokes[1], "flat tool of 49 points", 7);
    ball(&strokes[2]);
    rail(&strokes[3]);
    for (int i = 0; i < strokesMax && isGood; i++)
    {
        palResult result = makeBodies(&strokes[i], &error);
        for (int k = 0; k < 2 && result == pal_ok; k++)
            result = makeEngine(&strokes[i], k, &error);
        if (result != pal_ok)
            fprintf(stderr, "palpate bench: error: %s\n", error.text);
        isGood = result == pal_ok && measure(&strokes[i], settings, json);
    }
    for (int i = 0; i < strokesMax; i++)
        freeStroke(&strokes[i]);
    return isGood ? 0 : 1;
}

const palBenchmark pal_benchShell = {
    .name = "shell",
    .summary = "a tool with contact points: ticks and low-rate steps",
    .run = run,
};
