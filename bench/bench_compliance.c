// SPDX-License-Identifier: Apache-2.0
// Method `compliance`: times of its tick and its low-rate step; the impedance at the hand through a
// wire, compared with a run with all bodies at the high rate (wire_press.h); and the necessity of
// both terms of the paper.
#include "bench.h"
#include "wire_press.h"

#include "base/clock.h"

#include <complex.h>

//--------------------------------------------------------------------------------------------------
// Times

// 6 mm down within half a second, then an oscillation with an amplitude of 1 mm.
typedef struct shaking
{
    double frequency; // Hz
} shaking;

static const double shakingStart = 1.0; // s
static const double amplitude = 1e-3;   // m

static double shakingPath(const void* user, double t)
{
    const shaking* s = user;
    double depth = 6e-3 * fmin(1.0, t / 0.5);
    double phase = 2.0 * M_PI * s->frequency * (t - shakingStart);
    return t > shakingStart ? depth + amplitude * sin(phase) : depth;
}

// The tick of a wire that lies on the block without friction, compared with the step of wire and
// block together at the high rate.
static int timeTick(const palBenchSettings* settings, int elements, double limit, palJson* json)
{
    shaking shake = {2.0};
    palWirePressDef def = palDefaultWirePressDef();
    def.lying = true;
    def.friction = 0.0;
    def.elements = elements;
    def.path = shakingPath;
    def.user = &shake;
    palWirePress *ours, *truth;
    if (palWirePress_Create(&def, false, &ours, NULL) != pal_ok)
        return 1;
    if (palWirePress_Create(&def, true, &truth, NULL) != pal_ok)
    {
        palWirePress_Free(ours);
        return 1;
    }
    int ticks = settings->quick ? 1500 : 4000;
    int rows = 0;
    for (int k = 0; k < ticks; k++)
    {
        palWirePress_Step(ours);
        int count = ((palCompliance*)ours->engine->methods.shared)->rows->count;
        rows = count > rows ? count : rows;
        if (k == 600)
            palHistogram_Clear(&ours->engine->highStatistics.stepTime);
    }
    const int compared = 100;
    for (int k = 0; k < 700; k++)
        palWirePress_Step(truth);
    int64_t begin = palClock_Now();
    for (int k = 0; k < compared; k++)
        palWirePress_Step(truth);
    double baseline = 1e-3 * (double)(palClock_Now() - begin) / compared;
    const palHistogram* times = &ours->engine->highStatistics.stepTime;
    char name[96];
    snprintf(name, sizeof name, "tick, %d elements, %d constraints", elements, rows);
    double middle = 1e6 * palHistogram_Percentile(times, 0.5);
    palBench_Put(settings,
                 &(palBenchMeasured){
                     .name = name,
                     .baselineName = "all at 1 kHz",
                     .unit = "us",
                     .ours = middle,
                     .oursP99 = 1e6 * palHistogram_Percentile(times, 0.99),
                     .baseline = baseline,
                     .operations = ticks - 600,
                 },
                 json);
    palWirePress_Free(ours);
    palWirePress_Free(truth);
    if (middle <= limit)
        return 0;
    fprintf(stderr, "palpate bench: note: %s takes longer than %g us on this machine\n", name,
            limit);
    return 0;
}

// The second compliance matrix, computed from the modes, and with a second factorisation; both
// times in percent of the low-rate step without it.
static int timeSecondMatrix(const palBenchSettings* settings, palJson* json)
{
    shaking shake = {2.0};
    palWirePressDef def = palDefaultWirePressDef();
    def.lying = true;
    def.path = shakingPath;
    def.user = &shake;
    palWirePress* press;
    if (palWirePress_Create(&def, false, &press, NULL) != pal_ok)
        return 1;
    for (int k = 0; k < 700; k++)
        palWirePress_Step(press);
    palSlowLoop* loop = ((palCompliance*)press->engine->methods.shared)->loops[0];
    palSlowBody* body = &loop->bodies[0];
    const palRowSet* set = &body->part->sets[0];
    size_t size = (size_t)body->space.body.ops.size;
    double* b = calloc(2 * (size_t)set->count * size, sizeof *b);
    double* W = calloc((size_t)set->count * (size_t)set->count, sizeof *W);
    double least[3] = {INFINITY, INFINITY, INFINITY};
    for (int turn = 0; turn < settings->turns && b != NULL && W != NULL; turn++)
    {
        int64_t at[4];
        at[0] = palClock_Now();
        palRowSpace_Build(&body->space, body->rows, set->count, body->balance, 1e-3);
        at[1] = palClock_Now();
        palModes_AddCompliance(&body->part->modes, 1e-3, set->B, body->part->width, NULL,
                               set->count, W, set->count);
        at[2] = palClock_Now();
        body->space.body.ops.factor(body->space.body.ops.body, 1e-3);
        for (int r = 0; r < set->count; r++)
            palSparseRow_Add(&body->rows[r], 1.0, b + (size_t)r * size);
        body->space.body.ops.solve(body->space.body.ops.body, set->count, b,
                                   b + (size_t)set->count * size);
        at[3] = palClock_Now();
        for (int i = 0; i < 3; i++)
            least[i] = fmin(least[i], 1e-6 * (double)(at[i + 1] - at[i]));
    }
    char name[96];
    snprintf(name, sizeof name, "low rate: extra for W(dt), %d rows", set->count);
    palBench_Tell(settings, name, "%", 100.0 * least[1] / least[0], "second factorisation",
                  100.0 * least[2] / least[0], json);
    bool isMade = b != NULL && W != NULL;
    free(b);
    free(W);
    palWirePress_Free(press);
    return !isMade;
}

//--------------------------------------------------------------------------------------------------
// Transparency

// The first harmonic of the force divided by the amplitude of the hand, N/m.
static double complex stiffnessAt(palWirePressDef def, double frequency, bool isReference)
{
    shaking shake = {frequency};
    palWirePress* press;
    def.path = shakingPath;
    def.user = &shake;
    if (palWirePress_Create(&def, isReference, &press, NULL) != pal_ok)
        return NAN;
    double period = 1.0 / frequency;
    int settling = (int)round(1e3 * (shakingStart + ceil(0.3 / period) * period));
    int measured = (int)round(1e3 * ceil(0.4 / period) * period);
    double complex sum = 0.0;
    for (int k = 0; k < settling + measured; k++)
    {
        double force = palWirePress_Step(press).z;
        if (k >= settling)
            sum += force * cexp(-I * 2.0 * M_PI * frequency * (1e-3 * k - shakingStart));
    }
    palWirePress_Free(press);
    return 2.0 * sum / measured / amplitude;
}

static const double frequencies[] = {10.0, 5.0, 2.0, 1.0, 0.5};

enum
{
    frequencyCount = 5,
};

// |F| / |x| at each frequency, N/m, for the wire tip and for the lying wire.
typedef struct impedance
{
    double truth[2][frequencyCount];
    double advanced[2][frequencyCount];
    double frozen[2][frequencyCount];
} impedance;

// The error of the impedance at the hand relative to all bodies at 1 kHz, compared with the frozen
// response. The frozen response has snapshots without latency, which would increase its error.
static int compareImpedance(const palBenchSettings* settings, impedance* z, palJson* json)
{
    int code = 0;
    for (int lying = 0; lying < 2; lying++)
        for (int i = 0; i < (settings->quick ? 1 : frequencyCount); i++)
        {
            palWirePressDef def = palDefaultWirePressDef();
            def.lying = lying;
            double complex truth = stiffnessAt(def, frequencies[i], true);
            double complex advanced = stiffnessAt(def, frequencies[i], false);
            def.frozen = true;
            def.latency = 1e-3;
            double complex frozen = stiffnessAt(def, frequencies[i], false);
            z->truth[lying][i] = cabs(truth);
            z->advanced[lying][i] = cabs(advanced);
            z->frozen[lying][i] = cabs(frozen);
            double ours = 100.0 * cabs(advanced / truth - 1.0);
            char name[96];
            snprintf(name, sizeof name, "impedance error, %s, %g Hz",
                     lying ? "lying wire" : "wire tip", frequencies[i]);
            palBench_Tell(settings, name, "%", ours, "response: frozen",
                          100.0 * cabs(frozen / truth - 1.0), json);
            code |= !(ours <= 5.0);
        }
    if (code != 0)
        fprintf(stderr, "palpate bench: error: the impedance error exceeds 5 %%\n");
    return code;
}

static const char script[] =
    "set terminal svg size 800,500 background 'white'\n"
    "set datafile separator ','\nset grid\nset key outside top center horizontal\n"
    "set output 'wire-impedance.svg'\nset logscale xy\nset xlabel 'frequency (Hz)'\n"
    "set ylabel 'stiffness at the hand (N/m)'\nset xrange [0.4:12]\n"
    "set title 'impedance through a wire: low rate 33 ms, latency 33 ms (frozen: 1 ms)'\n"
    "plot 'wire-impedance.csv' using 1:2 skip 1 with lines lw 4 title 'tip, all at 1 kHz', "
    "'' using 1:3 skip 1 with linespoints lw 1 title 'tip, advanced', "
    "'' using 1:4 skip 1 with linespoints lw 1 dt 2 title 'tip, frozen', "
    "'' using 1:5 skip 1 with lines lw 4 title 'lying, all at 1 kHz', "
    "'' using 1:6 skip 1 with linespoints lw 1 title 'lying, advanced', "
    "'' using 1:7 skip 1 with linespoints lw 1 dt 2 title 'lying, frozen'\n";

// The curves, and their number of frequencies.
typedef struct impedanceCurves
{
    const impedance* z;
    int count;
} impedanceCurves;

static void writeImpedance(const void* data, FILE* file)
{
    const impedanceCurves* curves = data;
    const impedance* z = curves->z;
    fprintf(file, "frequency_Hz,tip_truth,tip_advanced,tip_frozen,along_truth,along_advanced,"
                  "along_frozen\n");
    for (int i = 0; i < curves->count; i++)
        fprintf(file, "%g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", frequencies[i], z->truth[0][i],
                z->advanced[0][i], z->frozen[0][i], z->truth[1][i], z->advanced[1][i],
                z->frozen[1][i]);
}

// wire-impedance.csv and wire-impedance.svg.
static int drawImpedance(const palBenchSettings* settings, const impedance* z)
{
    const impedanceCurves curves = {z, settings->quick ? 1 : frequencyCount};
    int code = palBench_WriteCurves(settings, "wire-impedance.csv", writeImpedance, &curves);
    return code == 0 ? palBench_Draw(settings, script) : code;
}

//--------------------------------------------------------------------------------------------------
// Necessity of both terms

static const char twoBeams[] =
    "palpate: 1\n"
    "method: {name: compliance}\n"
    "trajectory: {kind: line}\n"
    "objects: []\n"
    "wires:\n"
    "  - {name: low, start: [0, 0, 0], end: [0.2, 0, 0], elements: 10, clamped: start, loop: 1,\n"
    "     section: {shape: circle, radius: 0.002}, young: 5.0e+7, poisson: 0.4, density: 1100,\n"
    "     damping: {mass: 10, stiffness: 0.002}}\n"
    "  - {name: high, start: [0.2, 0, 0], end: [0.4, 0, 0], elements: 10, hand: end,\n"
    "     section: {shape: circle, radius: 0.002}, young: 5.0e+7, poisson: 0.4, density: 1100,\n"
    "     damping: {mass: 10, stiffness: 0.002}}\n"
    "joints: [{kind: weld, wire: high, at: 0, to: low}]\n";

static double sidewaysPath(const void* user, double t)
{
    (void)user;
    return -0.05 * fmin(1.0, t / 0.3);
}

// Runs two beams to rest. `differs`: the relative difference of the joint forces of the two rates,
// |λ_high - λ_low| / |λ_high|, in %; `opening`: the distance of the two sides of the joint, mm.
static int tryOut(palScene* scene, bool wide, bool without, double* differs, double* opening)
{
    palSceneBodies world;
    palEngine* engine = NULL;
    palMessages messages = {0};
    struct palWirePressHand hand = {sidewaysPath, NULL};
    palResult result = palSceneBodies_Init(&world, scene, &messages, NULL);
    palMessages_Free(&messages);
    if (result != pal_ok)
        return 1;
    palEngineDef def = {
        .hands[0].method = &pal_methodCompliance,
        .hands[0].deviceOps = &palWirePress_Device,
        .hands[0].device = (palDevice*)&hand,
        .hands[0].safety = palDefaultSafetyDef(),
        .dt = 1e-3,
        .lowDt = 0.02,
        .latency = 1e-3,
        .seconds = 3.0,
        .hands[0].body = {.mass = 1e-3, .stiffness = 1e3, .dt = 1e-3},
        .methodDef =
            {
                .lowDt = 0.02,
                .latency = 1e-3,
                .radius = 0.01,
                .settings.soft.response = pal_softFrozen,
                .settings.compliance =
                    {
                        .step = wide ? pal_complianceAtLowDt : pal_complianceAtDt,
                        .correction = without ? pal_correctionOff : pal_correctionOn,
                    },
                .wires = world.wires,
                .wireCount = world.wireCount,
                .joints = world.joints,
                .jointCount = world.jointCount,
            },
    };
    result = palEngine_Create(&def, &engine, NULL);
    if (result == pal_ok)
    {
        palRunLockstep(engine, NULL, NULL, NULL);
        const palCompliance* method = (const palCompliance*)engine->methods.shared;
        const double* high = method->rows->lambda;
        const double* low = method->loops[0]->rows->lambda;
        palVec3 of = {high[0], high[1], high[2]};
        palVec3 apart = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
        *differs = 100.0 * palLength(apart) / palLength(of);
        *opening = 1e3 * palDistance(method->wires[0].state.x[0],
                                     method->loops[0]->bodies[0].beam.state->x[10]);
    }
    palEngine_Destroy(engine);
    palSceneBodies_Free(&world);
    return result != pal_ok;
}

static int compareTerms(const palBenchSettings* settings, palJson* json)
{
    static const char* const names[] = {
        "at rest: W(dt), correction",
        "at rest: W(low_dt), correction",
        "at rest: W(dt), no correction",
        "at rest: W(low_dt), no correction",
    };
    palScene* scene = calloc(1, sizeof *scene);
    if (scene == NULL)
        return 1;
    int code =
        palScene_Parse(twoBeams, strlen(twoBeams), "beams", NULL, 0, scene, NULL, NULL) != pal_ok;
    double differs[4] = {0}, opening[4] = {0};
    for (int i = 0; i < 4 && code == 0; i++)
    {
        code = tryOut(scene, i % 2 == 1, i >= 2, &differs[i], &opening[i]);
        char name[96];
        snprintf(name, sizeof name, "%s: force difference", names[i]);
        palBench_Tell(settings, name, "%", differs[i], "compliance", differs[0], json);
        snprintf(name, sizeof name, "%s: joint opening", names[i]);
        palBench_Tell(settings, name, "mm", opening[i], "compliance", opening[0], json);
    }
    palScene_Free(scene);
    free(scene);
    return code ||
           !(differs[0] < 1.0 && differs[3] < 1.0 && differs[1] > 10.0 && differs[2] > 10.0);
}

static int run(const palBenchSettings* settings, palJson* json)
{
    int code = timeTick(settings, 10, 50.0, json);
    code |= timeTick(settings, 50, 200.0, json);
    code |= timeSecondMatrix(settings, json);
    impedance z;
    code |= compareImpedance(settings, &z, json);
    code |= compareTerms(settings, json);
    if (code == 0 && settings->out != NULL)
        code = drawImpedance(settings, &z);
    return code;
}

const palBenchmark pal_benchCompliance = {
    .name = "compliance",
    .summary = "wires and soft bodies, each at its own rate",
    .run = run,
};
