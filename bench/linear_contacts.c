// SPDX-License-Identifier: Apache-2.0
#include "linear_contacts.h"

#include "base/clock.h"
#include "render/method.h"
#include "scene/bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    stepsBefore = 30, // until the plate is pressed in
    stepsTimed = 40,
    ticksTimed = 8, // in each
};

static const double dt = 1e-3;     // s
static const double lowDt = 33e-3; // s

// A plate: the larger and the finer, the more contacts.
typedef struct plateCase
{
    double size; // m
    int cells;   // along it
} plateCase;

static const plateCase cases[] = {{0.022, 2}, {0.029, 2}, {0.035, 2}, {0.042, 4}, {0.076, 15}};

// Medians of a run, processor time of the thread.
typedef struct plateTimes
{
    double low[stepsTimed]; // s: whole low-rate steps
    double collide[stepsTimed], compliance[stepsTimed], solve[stepsTimed];
    double tick[stepsTimed * ticksTimed]; // s
    double contacts;                      // mean
    double residual;                      // m, the largest
} plateTimes;

static double threadTime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compareNumbers(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double* values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compareNumbers);
    return values[count / 2];
}

// Down by 5 mm in 20 steps, then slowly aside.
static palVec3 handAt(int step)
{
    double down = fmin(1.0, step / 20.0);
    return palMakeVec3(2e-4 * fmax(0.0, step - 20.0), 0.0555 - 0.0055 * down, 0.0);
}

static void stepLow(const palHands* hands, int step, palSnapshot* snapshot, palLowInfo* info)
{
    palRigidState haptic = {.q = pal_identityQuat};
    palHapticState state = {
        .time = step * lowDt,
        .hands[0] = {.device = handAt(step),
                     .deviceTurn = pal_identityQuat,
                     .coupling = palRigidModel_Coupling(&hands->defs[0].tool->model),
                     .tool = haptic},
    };
    palLowStep low = {.state = &state, .snapshot = snapshot};
    hands->shared->ops->advance(hands->shared, &low);
    hands->shared->ops->describe(hands->shared, &low);
    hands->methods[0]->ops->describe(hands->methods[0], &low);
    snapshot->sequence++;
    *info = low.info;
}

static void stepHigh(palMethod* method, int step, const palSnapshot* snapshot)
{
    palPointState body;
    palContactReport report = {0};
    palTick tick = {
        .device = {.position = handAt(step), .orientation = pal_identityQuat},
        .snapshots = {snapshot},
        .view = &snapshot->hands[0],
        .body = &body,
        .info.contacts = &report,
    };
    method->ops->moveFreely(method, &tick);
    method->ops->findGaps(method, &tick);
    method->ops->solve(method, &tick);
    method->ops->correct(method, &tick);
}

static void runPlate(const palHands* hands, palSnapshot* snapshot, plateTimes* times)
{
    palMethod* method = hands->methods[0];
    palDeviceState device = {.position = handAt(0), .orientation = pal_identityQuat};
    palLowInfo info;
    method->ops->place(method, &device);
    hands->shared->ops->place(hands->shared);
    method->ops->point(method);
    for (int i = 0; i < stepsBefore + stepsTimed; i++)
    {
        double begin = threadTime();
        int64_t wall = palClock_Now();
        stepLow(hands, i, snapshot, &info);
        double spent = threadTime() - begin;
        // The parts are told by the clock; what this thread had of it is theirs in proportion.
        double share = 1e-3 * spent / fmax(1e-9 * (double)(palClock_Now() - wall), 1e-9);
        int k = i - stepsBefore;
        if (k >= 0)
        {
            times->low[k] = spent;
            times->collide[k] = share * info.collideMs;
            times->compliance[k] = share * info.complianceMs;
            times->solve[k] = share * info.solveMs;
            times->contacts += info.contacts / (double)stepsTimed;
            times->residual = fmax(times->residual, info.residual);
        }
        for (int t = 0; t < ticksTimed; t++)
        {
            begin = threadTime();
            stepHigh(method, i, snapshot);
            if (k >= 0)
                times->tick[k * ticksTimed + t] = threadTime() - begin;
        }
    }
}

static void put(const palBenchSettings* settings, plateTimes* times, palJson* json)
{
    const struct
    {
        const char* name;
        double* values;
        int count;
        double scale;
        const char* unit;
    } figures[] = {
        {"low-rate step", times->low, stepsTimed, 1e3, "ms"},
        {"  collision", times->collide, stepsTimed, 1e3, "ms"},
        {"  compliance", times->compliance, stepsTimed, 1e3, "ms"},
        {"  solve", times->solve, stepsTimed, 1e3, "ms"},
        {"tick", times->tick, stepsTimed * ticksTimed, 1e6, "us"},
    };
    for (int i = 0; i < 5; i++)
    {
        char name[96];
        double middle = figures[i].scale * median(figures[i].values, figures[i].count);
        double high = figures[i].scale * figures[i].values[figures[i].count * 95 / 100];
        snprintf(name, sizeof name, "%s, %.0f contacts", figures[i].name, times->contacts);
        palBench_Put(settings,
                     &(palBenchMeasured){.name = name,
                                         .unit = figures[i].unit,
                                         .ours = middle,
                                         .oursP99 = high,
                                         .operations = figures[i].count},
                     json);
    }
}

static palResult timePlate(const plateCase* plate, const palBenchSettings* settings, palJson* json)
{
    char text[1024];
    palError error;
    palMessages messages = {0};
    palScene* scene = calloc(1, sizeof *scene);
    plateTimes* times = calloc(1, sizeof *times);
    palSceneBodies world = {0};
    palHands hands = {0};
    palSnapshot snapshot = {0};
    palTool tool;
    snprintf(text, sizeof text,
             "palpate: 1\nmethod: {name: linear}\n"
             "tool: {shape: {kind: box, size: [%g, 0.01, %g], resolution: %d}}\n"
             "trajectory: {kind: line, start: [0, 0.1, 0], end: [0, 0, 0], speed: 0.1}\n"
             "objects: [{shape: {kind: box, size: [0.1, 0.1, 0.1]}, friction: 0.2, soft: {elements:"
             " tets, resolution: 8, fixed: [{nodes: ymin}]}}]\n",
             plate->size, plate->size, plate->cells);
    palResult result = scene != NULL && times != NULL ? pal_ok : pal_errorMemory;
    if (result == pal_ok)
        result = palScene_Parse(text, strlen(text), "bench", NULL, 0, scene, &messages, &error);
    if (result == pal_ok)
        result = palSceneBodies_Init(&world, scene, &messages, &error);
    palRigidDef rigid = palDefaultRigidDef();
    rigid.mass = world.tools[0].mass;
    rigid.tangent = pal_tangentSafe;
    tool.surface = world.tools[0].surface;
    if (result == pal_ok)
        result = palRigidModel_Init(&tool.model, &rigid, &error);
    palMethodDef def = {
        .body = {.mass = 1e-3, .stiffness = 1000.0, .damping = 0.8, .dt = dt},
        .lowDt = lowDt,
        .latency = lowDt,
        .radius = 0.02,
        .colliders = world.colliders,
        .colliderCount = world.count,
        .tool = &tool,
    };
    const palMethodOps* ops = palFindMethodForm("linear", pal_handTool);
    if (result == pal_ok)
        result = palHands_Init(&hands, &ops, &def, 1, &error);
    if (result == pal_ok)
        result = palHands_MakeSnapshot(&hands, 0, &snapshot, &error);
    if (result == pal_ok)
    {
        runPlate(&hands, &snapshot, times);
        put(settings, times, json);
    }
    palSnapshot_Free(&snapshot);
    palHands_Free(&hands);
    palSceneBodies_Free(&world);
    palMessages_Free(&messages);
    if (scene != NULL)
        palScene_Free(scene);
    free(scene);
    free(times);
    return result;
}

palResult palBench_LinearContacts(const palBenchSettings* settings, palJson* json)
{
    palResult result = pal_ok;
    int count = settings->quick ? 3 : (int)(sizeof cases / sizeof cases[0]);
    for (int i = 0; i < count && result == pal_ok; i++)
        result = timePlate(&cases[i], settings, json);
    return result;
}
