// SPDX-License-Identifier: Apache-2.0
// The stages of the low-rate step of a soft cube with contacts on its upper face, compared with
// CHOLMOD on one thread; the tick and the low-rate step of a hand that presses the cube. The force
// on the hand is measured in bench_feel.c; other parts are in bench_soft_tick.c,
// bench_soft_surface.c and bench_soft_large.c.
#include "bench_soft.h"
#include "cholmod_baseline.h"
#include "soft_press.h"

#include "base/random.h"
#include "linalg/reach.h"

#include <stdio.h>

enum
{
    contactsMax = 100,
    rowsMax = 3 * contactsMax,
};

static const double lowStep = 0.01; // s
static const double highStep = 1e-3;

typedef struct softBench
{
    palSoftPress press; // owns the body
    palSoftBody* body;
    int n; // dofs
    palBlockMatrix A[2];
    palCholesky* factors[2]; // with the time step of the low and of the high rate
    palReach* reaches[2];
    int steps; // number of time steps for which W is computed
    const palCholmodOps* ops;
    palCholmod* cholmod[2];
    double* x;      // [n]
    double* y;      // [padded rows]
    double* dense;  // [rowsMax][n]
    double* solved; // [rowsMax][n]
    double W[2][rowsMax * rowsMax];
    double other[rowsMax * rowsMax];
    int start[rowsMax + 1];
    int nodes[3 * rowsMax];
    palVec3 values[3 * rowsMax];
    palSparseRows J;
    bool failed;
} softBench;

static double stillPath(const void* user, double t)
{
    (void)user;
    (void)t;
    return -1e-3;
}

// Contacts in random triangles of the upper face: one normal row each, three with friction.
static void makeRows(softBench* s, int contacts, bool friction)
{
    static const palVec3 axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    static const double weights[3] = {0.5, 0.3, 0.2};
    const palCollider* block = &s->press.block;
    palRandom random = palMakeRandom(3);
    int rows = 0, entry = 0;
    memset(s->dense, 0, rowsMax * (size_t)s->n * sizeof *s->dense);
    for (int c = 0; c < contacts;)
    {
        int t = palRandom_Below(&random, block->surface.triangleCount);
        if (block->topology.triangleNormals[t].z < 0.9)
            continue;
        c++;
        for (int k = 0; k < (friction ? 3 : 1); k++, rows++)
        {
            s->start[rows] = entry;
            for (int i = 0; i < 3; i++, entry++)
            {
                int vertex = block->surface.triangles[t][i];
                s->nodes[entry] = s->body->freeIndex[block->skin.nodes[vertex]];
                s->values[entry] = palScale(weights[i], axes[k]);
                double* at = s->dense + (size_t)rows * (size_t)s->n + 3 * (size_t)s->nodes[entry];
                at[0] = s->values[entry].x;
                at[1] = s->values[entry].y;
                at[2] = s->values[entry].z;
            }
        }
    }
    s->start[rows] = entry;
    s->J = (palSparseRows){rows, s->start, s->nodes, s->values};
}

static void linearise(void* context)
{
    softBench* s = context;
    palSoftBody_Linearise(s->body, pal_tangentExact);
    palSoftBody_System(s->body, lowStep, &s->A[0]);
}

static void factor(void* context)
{
    softBench* s = context;
    s->failed |= palCholesky_Factor(s->factors[0], &s->A[0], NULL) != pal_ok;
}

static void cholmodFactor(void* context)
{
    softBench* s = context;
    s->failed |= !s->ops->factor(s->cholmod[0]);
}

static void compliance(void* context)
{
    softBench* s = context;
    s->failed |= !palReach_Solve(s->reaches[0], &s->J);
    palReach_Gram(s->reaches[0], lowStep * lowStep, s->W[0], (size_t)s->J.count);
}

// A blocked solve of all rows, then the product with J.
static void cholmodGram(softBench* s, int step, double scale)
{
    int rows = s->J.count;
    s->failed |= !s->ops->solve(s->cholmod[step], rows, s->dense, s->solved);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
        {
            const double* x = s->solved + (size_t)j * (size_t)s->n;
            double sum = 0.0;
            for (int e = s->start[i]; e < s->start[i + 1]; e++)
                sum += s->values[e].x * x[3 * s->nodes[e]] +
                       s->values[e].y * x[3 * s->nodes[e] + 1] +
                       s->values[e].z * x[3 * s->nodes[e] + 2];
            s->other[i * rows + j] = scale * sum;
        }
}

static void cholmodCompliance(void* context)
{
    softBench* s = context;
    cholmodGram(s, 0, lowStep * lowStep);
}

// L1, L2, L5, L6: assembly, factorisation, free motion, W and correction; with steps = 2 also W for
// the time step of the high rate.
static void wholeStep(void* context)
{
    softBench* s = context;
    double v[rowsMax];
    linearise(s);
    factor(s);
    palCholesky_Forward(s->factors[0], s->body->force, s->y);
    compliance(s);
    palReach_Project(s->reaches[0], s->y, v);
    palReach_Add(s->reaches[0], 1.0, v, s->y);
    palCholesky_Backward(s->factors[0], s->y, s->x);
    if (s->steps < 2)
        return;
    palSoftBody_System(s->body, highStep, &s->A[1]);
    s->failed |= palCholesky_Factor(s->factors[1], &s->A[1], NULL) != pal_ok;
    s->failed |= !palReach_Solve(s->reaches[1], &s->J);
    palReach_Gram(s->reaches[1], highStep * highStep, s->W[1], (size_t)s->J.count);
}

static void cholmodStep(void* context)
{
    softBench* s = context;
    linearise(s);
    for (int i = s->steps - 1; i >= 0; i--)
    {
        s->failed |= !s->ops->factor(s->cholmod[i]);
        cholmodGram(s, i, lowStep * lowStep);
    }
    s->failed |= !s->ops->solve(s->cholmod[0], 1, s->body->force, s->x);
    s->failed |= !s->ops->solve(s->cholmod[0], 1, s->body->force, s->x);
}

typedef struct part
{
    const char* name;
    int contacts; // 0: none
    bool friction;
    int steps; // time steps
    void (*ours)(void*);
    void (*baseline)(void*);
    bool isLong; // skipped in a quick run
} part;

static const part parts[] = {
    {"assembly", 0, false, 1, linearise, NULL, false},
    {"factor", 0, false, 1, factor, cholmodFactor, false},
    {"W, 25 contacts", 25, false, 1, compliance, cholmodCompliance, false},
    {"W, 25 contacts, friction", 25, true, 1, compliance, cholmodCompliance, false},
    {"W, 100 contacts", 100, false, 1, compliance, cholmodCompliance, true},
    {"W, 100 contacts, friction", 100, true, 1, compliance, cholmodCompliance, true},
    {"step, 25 contacts", 25, false, 1, wholeStep, cholmodStep, true},
    {"step, 25 contacts, friction", 25, true, 1, wholeStep, cholmodStep, false},
    {"step, 25, friction, both dt", 25, true, 2, wholeStep, cholmodStep, false},
    {"step, 100 contacts", 100, false, 1, wholeStep, cholmodStep, true},
    {"step, 100 contacts, friction", 100, true, 1, wholeStep, cholmodStep, true},
    {"step, 100, friction, both dt", 100, true, 2, wholeStep, cholmodStep, true},
};

static int runPart(softBench* s, const part* p, const palBenchSettings* settings, palJson* json)
{
    bool isCompared = s->ops != NULL && p->baseline != NULL;
    char name[96];
    snprintf(name, sizeof name, "%s, %d tets", p->name, s->body->tetCount);
    s->steps = p->steps;
    if (p->contacts > 0)
        makeRows(s, p->contacts, p->friction);
    palBench_Compare(settings,
                     &(palBenchCase){
                         .name = name,
                         .baselineName = isCompared ? "CHOLMOD supernodal" : NULL,
                         .unit = "ms",
                         .operations = 1,
                         .ours = p->ours,
                         .baseline = isCompared ? p->baseline : NULL,
                         .context = s,
                     },
                     json);
    double difference = 0.0, scale = 1.0;
    for (int i = 0; i < s->J.count * s->J.count && isCompared && p->contacts > 0; i++)
    {
        scale = i == 0 ? 0.0 : scale;
        difference = fmax(difference, fabs(s->W[0][i] - s->other[i]));
        scale = fmax(scale, fabs(s->other[i]));
    }
    if (!s->failed && difference <= 1e-9 * scale)
        return 0;
    fprintf(stderr, "palpate bench: error: %s: failed, or the difference is %.3g\n", name,
            difference / scale);
    return 1;
}

static palResult create(softBench* s, int cells, palError* error)
{
    palSoftPressDef def = palDefaultSoftPressDef();
    def.cells = cells;
    def.path = stillPath;
    palResult result = palSoftPress_Init(&s->press, &def, true, error);
    if (result != pal_ok)
        return result;
    s->body = s->press.block.soft;
    s->n = 3 * s->body->freeCount;
    palCholeskyDef plain = palDefaultCholeskyDef();
    static const double h[2] = {0.01, 1e-3};
    for (int i = 0; i < 2 && result == pal_ok; i++)
    {
        result = palSoftBody_InitSystem(s->body, &s->A[i], error);
        if (result == pal_ok)
            result = palCholesky_Create(&plain, &s->A[i], &s->factors[i], error);
        if (result == pal_ok)
            result = palReach_Create(s->factors[i], rowsMax, 3 * rowsMax, &s->reaches[i], error);
        if (result != pal_ok)
            return result;
        palSoftBody_System(s->body, h[i], &s->A[i]);
        s->failed |= palCholesky_Factor(s->factors[i], &s->A[i], NULL) != pal_ok;
        if (s->ops != NULL)
            s->cholmod[i] = s->ops->create(&s->A[i], true);
        s->failed |= s->ops != NULL && (s->cholmod[i] == NULL || !s->ops->factor(s->cholmod[i]));
    }
    size_t dofs = (size_t)s->n;
    s->x = malloc(dofs * sizeof(double));
    s->y = malloc((size_t)palCholesky_RowCount(s->factors[0]) * sizeof(double));
    s->dense = malloc(rowsMax * dofs * sizeof(double));
    s->solved = malloc(rowsMax * dofs * sizeof(double));
    bool ok = s->x != NULL && s->y != NULL && s->dense != NULL && s->solved != NULL && !s->failed;
    return ok ? pal_ok : pal_errorMemory;
}

static void destroy(softBench* s)
{
    for (int i = 0; i < 2; i++)
    {
        if (s->ops != NULL && s->cholmod[i] != NULL)
            s->ops->destroy(s->cholmod[i]);
        palReach_Destroy(s->reaches[i]);
        palCholesky_Destroy(s->factors[i]);
        palBlockMatrix_Free(&s->A[i]);
    }
    palSoftPress_Free(&s->press);
    free(s->x);
    free(s->y);
    free(s->dense);
    free(s->solved);
}

static int runSize(softBench* s, int cells, const palCholmodOps* ops,
                   const palBenchSettings* settings, palJson* json)
{
    *s = (softBench){.ops = ops};
    int code = create(s, cells, NULL) != pal_ok;
    palBenchSettings own = *settings;
    if (cells > 8 && own.turns > 5)
        own.turns = 5;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && code == 0; i++)
        if (!settings->quick || !parts[i].isLong)
            code = runPart(s, &parts[i], &own, json);
    destroy(s);
    return code;
}

// To a depth of 10 mm within half a second, then at rest.
static double holdingPath(const void* user, double t)
{
    (void)user;
    return -1e-3 + 11e-3 * fmin(1.0, t / 0.5);
}

// Ticks and low-rate steps of a hand that presses the cube; baseline: `standard`.
static int pressSteadily(const palBenchSettings* settings, palJson* json)
{
    static const char* const methods[2] = {"accurate", "standard"};
    palSoftPress presses[2] = {0};
    int code = 0;
    for (int m = 0; m < 2; m++)
    {
        palSoftPressDef def = palDefaultSoftPressDef();
        def.method = methods[m];
        def.friction = 0.1;
        def.path = holdingPath;
        code |= palSoftPress_Init(&presses[m], &def, false, NULL) != pal_ok;
    }
    for (int k = 0; k < (settings->quick ? 2000 : 6000) && code == 0; k++)
        for (int m = 0; m < 2; m++)
        {
            palSoftPress_Step(&presses[m]);
            if (k == 1000)
                palHistogram_Clear(&presses[m].engine->highStatistics.stepTime);
        }
    if (code == 0)
    {
        const palHistogram* ticks[2] = {&presses[0].engine->highStatistics.stepTime,
                                        &presses[1].engine->highStatistics.stepTime};
        const palHistogram* lows[2] = {&presses[0].engine->loops[0].statistics.stepTime,
                                       &presses[1].engine->loops[0].statistics.stepTime};
        palBench_Tell(settings, "tick of accurate, pressing, p50", "us",
                      1e6 * palHistogram_Percentile(ticks[0], 0.5), "standard",
                      1e6 * palHistogram_Percentile(ticks[1], 0.5), json);
        palBench_Tell(settings, "tick of accurate, pressing, p99", "us",
                      1e6 * palHistogram_Percentile(ticks[0], 0.99), "standard",
                      1e6 * palHistogram_Percentile(ticks[1], 0.99), json);
        palBench_Tell(settings, "low-rate step of accurate, p50", "ms",
                      1e3 * palHistogram_Percentile(lows[0], 0.5), "standard",
                      1e3 * palHistogram_Percentile(lows[1], 0.5), json);
    }
    for (int m = 0; m < 2; m++)
        palSoftPress_Free(&presses[m]);
    return code;
}

static int run(const palBenchSettings* settings, palJson* json)
{
    static const int sizes[] = {8, 6, 16, 22}; // 2560, 1080, 20480 and 53240 tetrahedra
    const palCholmodOps* ops = palCholmodBaseline();
    if (settings->table && ops == NULL)
        printf("  (CHOLMOD not available: no baseline)\n");
    softBench* s = calloc(1, sizeof *s);
    int code = s == NULL;
    for (int i = 0; i < (settings->quick ? 1 : 4) && code == 0; i++)
        code = runSize(s, sizes[i], ops, settings, json);
    free(s);
    if (code == 0)
        code = palBenchSoft_Ticks(settings, json);
    if (code == 0)
        code = palBenchSoft_Surface(settings, json);
    if (code == 0)
        code = palBenchSoft_Large(settings, json);
    return code == 0 ? pressSteadily(settings, json) : code;
}

const palBenchmark pal_benchSoft = {
    .name = "soft",
    .summary = "stages of the low-rate step of a soft cube, and ticks in contact with it",
    .run = run,
};
