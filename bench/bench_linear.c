// SPDX-License-Identifier: Apache-2.0
// `linear` on the benchmark of the paper, a cylinder of 160 triangles that presses and strokes a
// block of 2560 tetrahedra: the linear model, a step of the block with its rows, the high-rate tick
// and the low-rate step.
//
// Baselines: LAPACK's general solver on the same Schur complement; one solve by conjugate gradients
// per row, as in the paper; and the tick of method `coupling`, which does not contain contact. The
// paper reports 400 µs for the model of 25 contacts, 250 µs for a tick and up to 100 ms for a
// low-rate step.
#include "bench.h"
#include "linear_contacts.h"

#include "body/soft_step.h"
#include "device/replay.h"
#include "linalg/conjugate_gradients.h"
#include "runtime/engine.h"
#include "scene/bodies.h"
#include "touch/linear_model.h"

#include <lapacke.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    contacts = 25,
    sides = 7,       // right-hand sides of the linear model: six columns of J, one of velocities
    modelTurns = 50, // repetitions in one timed call
    manyContacts = 20,
    turnsMax = 5,
};

static const double dt = 1e-3;      // s
static const double lowDt = 33e-3;  // s
static const double seconds = 4.5;  // of the run
static const double quickly = 1.75; // of the run, --quick

static const char sceneText[] =
    "palpate: 1\n"
    "method: {name: linear}\n"
    "tool: {shape: {kind: peg, radius: 0.01, height: 0.06}}\n"
    "trajectory: {kind: path, points: [{t: 0, at: [-0.02, 0.062, 0]}, {t: 1, at: [-0.02, 0.05, 0]},"
    " {t: 1.5, at: [-0.02, 0.05, 0]}, {t: 3, at: [0.02, 0.05, 0]}, {t: 4.5, at: [-0.02, 0.05, 0]}]}"
    "\n"
    "objects: [{shape: {kind: box, size: [0.1, 0.1, 0.1]}, friction: 0.2, soft: {elements: tets,"
    " resolution: 8, fixed: [{nodes: ymin}]}}]\n";

typedef struct linearBench
{
    palScene scene;
    palMessages messages;
    palSceneBodies world;
    palTrajectory* trajectory;
    palTool tool;

    // A step of the block with rows at the nodes closest to the centre of its top.
    palSoftStep* step;
    palCgWorkspace cg;
    int start[contacts + 1];
    int nodes[contacts];
    palVec3 values[contacts];
    palSparseRows rows;
    double* b; // [3 freeCount]
    double* x; // [3 freeCount]
    double W[contacts * contacts];
    bool failed;

    // The linear model.
    palRigidStep toolStep;
    palWrench J[contacts];
    double velocity[contacts];
    palLinearWork work;
    palLinearModel model;
    double A[contacts * contacts];
    double columns[sides * contacts];
} linearBench;

//--------------------------------------------------------------------------------------------------
// The parts

static void stepOurs(void* context)
{
    linearBench* bench = context;
    bench->failed |= !palSoftStep_Begin(bench->step, dt, false);
    bench->failed |= !palSoftStep_Rows(bench->step, &bench->rows);
    palSoftStep_Compliance(bench->step, 1.0, bench->W, contacts);
    palSoftStep_FreeVelocity(bench->step, bench->velocity);
    palSoftStep_EvaluateTrial(bench->step, NULL);
}

// One solve for the free motion and one for each column of Yu = Au⁻¹ Juᵀ.
static void stepBaseline(void* context)
{
    linearBench* bench = context;
    palSoftBody* body = bench->world.colliders[0].soft;
    size_t n = 3 * (size_t)body->freeCount;
    palCgSettings settings = palDefaultCgSettings();
    settings.tolerance = 1e-6;
    palSoftBody_Linearise(body, pal_tangentExact);
    palSoftBody_System(body, dt, &bench->step->factor->A);
    for (int r = -1; r < contacts; r++)
    {
        memset(bench->x, 0, n * sizeof *bench->x);
        memset(bench->b, 0, n * sizeof *bench->b);
        if (r < 0)
            memcpy(bench->b, body->force, n * sizeof *bench->b);
        else
        {
            const palVec3* value = &bench->values[r];
            double* at = bench->b + 3 * (size_t)bench->nodes[r];
            at[0] = value->x, at[1] = value->y, at[2] = value->z;
        }
        palCgInfo info = palConjugateGradients(&settings, &bench->cg, &bench->step->factor->A,
                                               bench->b, bench->x);
        bench->failed |= info.status != pal_cgConverged;
    }
}

static void modelOurs(void* context)
{
    linearBench* bench = context;
    palLinearModelDef def = {
        .tool = &bench->toolStep,
        .count = contacts,
        .rows = bench->J,
        .softMobility = bench->W,
        .softSlow = bench->W,
        .stride = contacts,
        .softVelocity = bench->velocity,
    };
    for (int i = 0; i < modelTurns; i++)
        palLinearModel_Build(&bench->model, &def, &bench->work);
}

static void modelBaseline(void* context)
{
    linearBench* bench = context;
    lapack_int pivots[contacts];
    for (int turn = 0; turn < modelTurns; turn++)
    {
        for (int i = 0; i < contacts; i++)
        {
            palTwist answer = palRigidStep_Response(&bench->toolStep, bench->J[i]);
            for (int j = 0; j < contacts; j++)
                bench->A[i * contacts + j] =
                    bench->W[i * contacts + j] + palRowDot(bench->J[j], answer);
            const double row[sides] = {bench->J[i].force.x,  bench->J[i].force.y,
                                       bench->J[i].force.z,  bench->J[i].torque.x,
                                       bench->J[i].torque.y, bench->J[i].torque.z,
                                       bench->velocity[i]};
            for (int c = 0; c < sides; c++)
                bench->columns[c * contacts + i] = row[c];
        }
        bench->failed |= LAPACKE_dgesv_work(LAPACK_COL_MAJOR, contacts, sides, bench->A, contacts,
                                            pivots, bench->columns, contacts) != 0;
    }
}

// The free nodes closest to the centre of the top, pressed downwards.
static void chooseRows(linearBench* bench)
{
    const palSoftBody* body = bench->world.colliders[0].soft;
    palVec3 middle = palMakeVec3(0.0, 0.05, 0.0);
    bool taken[4096] = {0};
    for (int r = 0; r < contacts; r++)
    {
        int nearest = -1;
        for (int i = 0; i < body->nodeCount && i < 4096; i++)
            if (body->freeIndex[i] >= 0 && !taken[i] && body->rest[i].y > middle.y - 1e-9 &&
                (nearest < 0 ||
                 palDistance(body->rest[i], middle) < palDistance(body->rest[nearest], middle)))
                nearest = i;
        taken[nearest] = true;
        bench->start[r + 1] = r + 1;
        bench->nodes[r] = body->freeIndex[nearest];
        bench->values[r] = palMakeVec3(0.0, -1.0, 0.0);
        bench->J[r] =
            palRigidStep_Row(&bench->toolStep, body->rest[nearest], palMakeVec3(0.0, 1.0, 0.0));
    }
    bench->rows = (palSparseRows){contacts, bench->start, bench->nodes, bench->values};
}

static palResult prepareParts(linearBench* bench, palError* error)
{
    palSoftBody* body = bench->world.colliders[0].soft;
    size_t n = 3 * (size_t)body->freeCount;
    palHandle handle = {.x = {0.0, 0.06, 0.0}, .q = pal_identityQuat};
    palRigidState state = palRigid_AtHandle(&bench->tool.model, &handle);
    bench->toolStep = palRigid_Free(&bench->tool.model, &state, &handle, dt);
    chooseRows(bench);
    bench->b = calloc(n, sizeof *bench->b);
    bench->x = calloc(n, sizeof *bench->x);
    if (bench->b == NULL || bench->x == NULL)
        return pal_errorMemory;
    palResult result = palLinearWork_Init(&bench->work, contacts, error);
    if (result == pal_ok)
        result = palCgWorkspace_Init(&bench->cg, body->freeCount, error);
    palSoftFactorDef factor = palDefaultSoftFactorDef();
    factor.singlePrecision = true;
    return result == pal_ok
               ? palSoftStep_Create(body, contacts, contacts, &factor, &bench->step, error)
               : result;
}

static palResult timeParts(linearBench* bench, const palBenchSettings* settings, palJson* json)
{
    palError error;
    palResult result = prepareParts(bench, &error);
    if (result != pal_ok)
        return result;
    palBench_Compare(settings,
                     &(palBenchCase){.name = "block with 25 rows: factor, W, free motion",
                                     .baselineName = "one CG solve per row",
                                     .unit = "ms",
                                     .operations = 1,
                                     .ours = stepOurs,
                                     .baseline = stepBaseline,
                                     .context = bench},
                     json);
    palBench_Compare(settings,
                     &(palBenchCase){.name = "linear model of 25 contacts",
                                     .baselineName = "LAPACK dgesv, no stiffness",
                                     .unit = "us",
                                     .operations = modelTurns,
                                     .ours = modelOurs,
                                     .baseline = modelBaseline,
                                     .context = bench},
                     json);
    return bench->failed ? pal_errorRun : pal_ok;
}

//--------------------------------------------------------------------------------------------------
// The two rates

// Times of a run, over the steps in contact.
typedef struct runTimes
{
    palHistogram tick; // s
    palHistogram low;  // s, of steps with at least manyContacts
    double contacts;   // sum over those steps
} runTimes;

static void drainLow(palEngine* engine, runTimes* times)
{
    palLowRecord low;
    palTickRecord tick;
    while (palEngine_TakeTick(engine, &tick))
        continue;
    while (palRing_Take(&engine->loops[0].records, &low))
    {
        if (low.contacts < manyContacts)
            continue;
        palHistogram_Add(&times->low, 1e-3 * low.stepMs);
        times->contacts += low.contacts;
    }
}

static palResult runOnce(linearBench* bench, const char* method, palToolLaw law, double length,
                         runTimes* times)
{
    palError error;
    palDriverContext context = palDefaultDriverContext();
    context.trajectory = bench->trajectory;
    context.dt = dt;
    palDevice* device;
    palResult result = pal_replayDevice.open(&context, NULL, &device, &error);
    if (result != pal_ok)
        return result;
    palEngineDef def = {
        .hands[0].method = palFindMethodForm(method, pal_handTool),
        .hands[0].body = {.mass = 1e-3, .stiffness = 1000.0, .damping = 0.8, .dt = dt},
        .hands[0].tool = &bench->tool,
        .methodDef = {.lowDt = lowDt,
                      .latency = lowDt,
                      .radius = 0.02,
                      .colliders = bench->world.colliders,
                      .colliderCount = bench->world.count,
                      .settings.linear.constraints = law},
        .hands[0].deviceOps = &pal_replayDevice,
        .hands[0].device = device,
        .hands[0].safety = palDefaultSafetyDef(),
        .dt = dt,
        .lowDt = lowDt,
        .latency = lowDt,
        .seconds = length,
        .keepRecords = true,
    };
    palEngine* engine = NULL;
    result = palEngine_Create(&def, &engine, &error);
    for (uint64_t i = 0; result == pal_ok && i < palEngine_TickCount(engine); i++)
    {
        palTickRecord record;
        palLockstep_Step(engine, &record);
        if (record.hands[0].active > 0)
            palHistogram_Add(&times->tick, 1e-6 * record.stepUs);
        if (i % 1000 == 0)
            drainLow(engine, times);
    }
    if (result == pal_ok)
        drainLow(engine, times);
    palEngine_Destroy(engine);
    pal_replayDevice.close(device);
    return result;
}

// Resets the block to rest before a run.
static void rest(linearBench* bench)
{
    palCollider* collider = &bench->world.colliders[0];
    palSoftBody* body = collider->soft;
    memcpy(body->x, body->rest, (size_t)body->nodeCount * sizeof *body->x);
    memset(body->v, 0, (size_t)body->nodeCount * sizeof *body->v);
    palCollider_Follow(collider);
}

static void put(const char* law, const runTimes* ours, const runTimes* baseline,
                const palBenchSettings* settings, palJson* json)
{
    char name[96];
    snprintf(name, sizeof name, "tick, %s", law);
    palBench_Put(settings,
                 &(palBenchMeasured){
                     .name = name,
                     .unit = "us",
                     .ours = 1e6 * palHistogram_Mean(&ours->tick),
                     .oursP99 = 1e6 * palHistogram_Percentile(&ours->tick, 0.99),
                     .baselineName = "second coupling",
                     .baseline = 1e6 * palHistogram_Mean(&baseline->tick),
                     .operations = (int)ours->tick.count,
                 },
                 json);
    double count = fmax((double)ours->low.count, 1.0);
    snprintf(name, sizeof name, "low-rate step, %s, %.0f contacts", law, ours->contacts / count);
    palBench_Put(settings,
                 &(palBenchMeasured){
                     .name = name,
                     .unit = "ms",
                     .ours = 1e3 * palHistogram_Mean(&ours->low),
                     .oursP99 = 1e3 * palHistogram_Percentile(&ours->low, 0.99),
                     .baselineName = "second coupling, no linear model",
                     .baseline = 1e3 * palHistogram_Mean(&baseline->low),
                     .operations = (int)ours->low.count,
                 },
                 json);
}

static int compareTimes(const void* a, const void* b)
{
    double x = palHistogram_Mean(&((const runTimes*)a)->tick);
    double y = palHistogram_Mean(&((const runTimes*)b)->tick);
    return (x > y) - (x < y);
}

// The median run of each method by its mean tick, in times[0] and times[1].
static palResult runTurns(linearBench* bench, palToolLaw law, bool quick, runTimes* times)
{
    runTimes* turns = calloc(2 * turnsMax, sizeof *turns);
    if (turns == NULL)
        return pal_errorMemory;
    int count = quick ? 1 : turnsMax;
    palResult result = pal_ok;
    for (int i = 0; i < 2 * count && result == pal_ok; i++)
    {
        rest(bench);
        bool isBaseline = i % 2 == 1;
        result = runOnce(bench, isBaseline ? "coupling" : "linear", law, quick ? quickly : seconds,
                         &turns[(isBaseline ? turnsMax : 0) + i / 2]);
    }
    for (int k = 0; k < 2; k++)
    {
        qsort(turns + k * turnsMax, (size_t)count, sizeof *turns, compareTimes);
        times[k] = turns[k * turnsMax + count / 2];
    }
    free(turns);
    return result;
}

static palResult timeRates(linearBench* bench, const palBenchSettings* settings, palJson* json)
{
    static const struct
    {
        palToolLaw law;
        const char* name;
    } laws[] = {{pal_toolEquality, "equality"}, {pal_toolContact, "contact, friction"}};
    runTimes* times = calloc(2, sizeof *times);
    palResult result = times != NULL ? pal_ok : pal_errorMemory;
    for (int i = 0; i < 2 && result == pal_ok; i++)
    {
        result = runTurns(bench, laws[i].law, settings->quick, times);
        if (result == pal_ok)
            put(laws[i].name, &times[0], &times[1], settings, json);
    }
    free(times);
    return result;
}

//--------------------------------------------------------------------------------------------------

static palResult prepare(linearBench* bench, palError* error)
{
    palResult result = palScene_Parse(sceneText, sizeof sceneText - 1, "bench", NULL, 0,
                                      &bench->scene, &bench->messages, error);
    if (result == pal_ok)
        result = palSceneBodies_Init(&bench->world, &bench->scene, &bench->messages, error);
    if (result == pal_ok)
        result = palTrajectory_Create(&bench->scene.hand.trajectory.def, &bench->trajectory, error);
    if (result != pal_ok)
        return result;
    palRigidDef def = palDefaultRigidDef();
    def.mass = bench->world.tools[0].mass;
    def.tangent = pal_tangentSafe;
    bench->tool.surface = bench->world.tools[0].surface;
    return palRigidModel_Init(&bench->tool.model, &def, error);
}

static int run(const palBenchSettings* settings, palJson* json)
{
    linearBench* bench = calloc(1, sizeof *bench);
    if (bench == NULL)
        return 1;
    palError error;
    palResult result = prepare(bench, &error);
    if (result == pal_ok)
        result = timeParts(bench, settings, json);
    if (result == pal_ok)
        result = timeRates(bench, settings, json);
    if (result == pal_ok)
        result = palBench_LinearContacts(settings, json);
    palSoftStep_Destroy(bench->step);
    palCgWorkspace_Free(&bench->cg);
    palLinearWork_Free(&bench->work);
    free(bench->b);
    free(bench->x);
    palTrajectory_Destroy(bench->trajectory);
    palSceneBodies_Free(&bench->world);
    palScene_Free(&bench->scene);
    palMessages_Free(&bench->messages);
    free(bench);
    return result == pal_ok ? 0 : 1;
}

const palBenchmark pal_benchLinear = {
    .name = "linear",
    .summary = "a tool in a soft block: the linear model, ticks and low-rate steps",
    .run = run,
};
