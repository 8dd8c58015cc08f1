// SPDX-License-Identifier: Apache-2.0
// The contact problem of one high-rate step: a round tool strokes the upper face of a soft cube in
// 25 contact points, at 1 kHz. W for the time step dt is the sum of cube and tool,
//
//     W = dt² J A(dt)⁻¹ Jᵀ + w Jt Jtᵀ        w: compliance of the coupled tool; Jt: its rows
//
// and the free gaps are the distances to the sphere of the tool in that step. Every step is warm
// started with the forces of the previous one. The baseline is Siconos, which always starts cold,
// on some of the same problems, to the same residual, computed by Palpate. Times are CPU times of
// the thread, so that they do not depend on the load of the machine.
#include "bench_soft.h"
#include "siconos.h"
#include "soft_press.h"

#include "base/random.h"
#include "linalg/reach.h"

#include <stdio.h>
#include <time.h>

enum
{
    contacts = 25,
    rowsMax = 3 * contacts,
    sweepsMax = 400,
    siconosEvery = 50, // ticks
    siconosMost = 5000,
};

static const double dt = 1e-3;        // s
static const double tolerance = 1e-8; // relative to the free gaps
static const double toolDepth = 2e-3; // m, below the undeformed face
static const double speed = 0.05;     // m/s
static const double friction = 0.5;

typedef struct stroke
{
    palSoftPress press;
    bool hasFriction;
    double toolRadius;        // m
    palVec3 points[contacts]; // m
    int rows;                 // of J, in the layout of palSparseRows
    int start[rowsMax + 1];
    int nodes[3 * rowsMax];
    palVec3 values[3 * rowsMax];
    double W[rowsMax * rowsMax];
    double gapFree[rowsMax];
    double lambda[rowsMax];
    double gap[rowsMax];
    palContactBlock blocks[contacts];
    palContactProblem problem;
    palSolveWorkspace* workspace;
    palSolveSettings settings;

    // Measured values.
    palHistogram time; // s
    palHistogram baseline;
    palHistogram sweeps;
    palHistogram active;
    double worst; // residual, relative to the free gaps
    int missed;   // ticks that did not converge
} stroke;

// CPU time of this thread, s.
static double ownTime(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double stillPath(const void* user, double t)
{
    (void)user;
    (void)t;
    return -1e-3;
}

// The rows of all contacts, one point in each cell of a 5 x 5 grid in the middle of the face, with
// a spacing of 1 cm: along the normal, with friction also along both tangents.
static bool collectRows(stroke* s)
{
    static const palVec3 axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    const palCollider* block = &s->press.block;
    palRandom random = palMakeRandom(5);
    int perContact = s->hasFriction ? 3 : 1;
    int entry = 0;
    for (int c = 0; c < contacts; c++)
    {
        palVec3 wanted = {0.01 * (c % 5 - 2) + 4e-3 * (palRandom_Unit(&random) - 0.5),
                          0.01 * (c / 5 - 2) + 4e-3 * (palRandom_Unit(&random) - 0.5),
                          s->press.top};
        palClosest closest;
        if (!palBvh_Closest(block->bvh, wanted, 1e-3, &closest))
            return false;
        s->points[c] = closest.point;
        for (int k = 0; k < perContact; k++)
        {
            s->start[s->rows++] = entry;
            for (int i = 0; i < 3; i++, entry++)
            {
                int vertex = block->surface.triangles[closest.triangle][i];
                s->nodes[entry] = block->soft->freeIndex[block->skin.nodes[vertex]];
                s->values[entry] = palScale(closest.weights[i], axes[k]);
            }
        }
    }
    s->start[s->rows] = entry;
    return true;
}

// W of the cube from the factorisation of the full body at dt, plus that of the tool.
static palResult makeCompliance(stroke* s, palError* error)
{
    palSoftReference* reference = &s->press.reference;
    palReach* reach;
    palSparseRows J = {s->rows, s->start, s->nodes, s->values};
    if (!palSoftBody_Factor(reference->body, dt, &reference->A, reference->factor))
        return pal_errorRun;
    palResult result = palReach_Create(reference->factor, rowsMax, 3 * rowsMax, &reach, error);
    if (result != pal_ok)
        return result;
    palReach_Solve(reach, &J);
    palReach_Gram(reach, dt * dt, s->W, (size_t)s->rows);
    palReach_Destroy(reach);

    // The tool only translates: its compliance is added to all pairs of rows with the same axis.
    const palPointModel* tool = &s->press.model;
    int perContact = s->hasFriction ? 3 : 1;
    double w = dt * dt / (tool->mass + dt * tool->damping + dt * dt * tool->stiffness);
    for (int i = 0; i < s->rows; i++)
        for (int j = i % perContact; j < s->rows; j += perContact)
            s->W[i * s->rows + j] += w;
    return pal_ok;
}

static palResult makeStroke(stroke* s, bool hasFriction, double toolRadius, palError* error)
{
    palSoftPressDef def = palDefaultSoftPressDef();
    def.path = stillPath;
    *s = (stroke){.hasFriction = hasFriction, .toolRadius = toolRadius};
    palResult result = palSoftPress_Init(&s->press, &def, true, error);
    if (result == pal_ok)
        result = collectRows(s) ? makeCompliance(s, error) : pal_errorRun;
    if (result == pal_ok)
        result = palSolveWorkspace_Create(rowsMax, true, &s->workspace, error);
    if (result != pal_ok)
        return result;
    int perContact = hasFriction ? 3 : 1;
    for (int c = 0; c < contacts; c++)
        s->blocks[c] = (palContactBlock){
            .law = hasFriction ? pal_lawCone : pal_lawUnilateral,
            .row = c * perContact,
            .size = perContact,
            .mu = friction,
        };
    s->problem = (palContactProblem){
        .rows = s->rows,
        .blockCount = contacts,
        .stride = s->rows,
        .W = s->W,
        .gapFree = s->gapFree,
        .blocks = s->blocks,
    };
    s->settings = palDefaultSolveSettings();
    s->settings.solver = hasFriction ? pal_solverNewton : pal_solverDirect;
    s->settings.tolerance = tolerance;
    s->settings.maxSweeps = sweepsMax;
    s->settings.warmStart = true;
    return pal_ok;
}

// The tool moves back and forth by 2 cm; the free gap of a point is its distance to the sphere, and
// its free slip is the motion of the tool in this step.
static void setGaps(stroke* s, int tick)
{
    double t = dt * tick;
    double range = 0.02;
    double phase = fmod(speed * t, 2.0 * range);
    double along = phase < range ? phase - 0.5 * range : 1.5 * range - phase;
    double step = (phase < range ? speed : -speed) * dt;
    palVec3 centre = {along, 0.3 * along, s->press.top + s->toolRadius - toolDepth};
    for (int c = 0; c < contacts; c++)
    {
        double* gap = s->gapFree + s->blocks[c].row;
        gap[0] = palDistance(s->points[c], centre) - s->toolRadius;
        if (!s->hasFriction)
            continue;
        gap[1] = step;
        gap[2] = 0.3 * step;
    }
}

// Siconos on the problem of this tick, with its tolerance reduced until it reaches our residual.
static void timeSiconos(stroke* s, const palSiconosOps* ops)
{
    double other[rowsMax] = {0};
    palSiconos* siconos = ops->create(&s->problem);
    if (siconos == NULL)
        return;
    double asked = tolerance;
    for (int turn = 0; turn < 12; turn++, asked *= 0.5)
    {
        palSolveInfo info = {0};
        double begin = ownTime();
        ops->solve(siconos, asked, siconosMost, other);
        double seconds = ownTime() - begin;
        palContactProblem_Residual(&s->problem, other, s->gap, &info);
        if (info.residual > tolerance * info.scale && turn < 11)
            continue;
        palHistogram_Add(&s->baseline, seconds);
        break;
    }
    ops->destroy(siconos);
}

static void runTicks(stroke* s, int ticks, const palSiconosOps* ops)
{
    const int settling = 100;
    for (int k = 0; k < ticks + settling; k++)
    {
        palSolveInfo info;
        setGaps(s, k);
        double begin = ownTime();
        palContactProblem_Solve(&s->problem, &s->settings, s->workspace, s->lambda, &info);
        double seconds = ownTime() - begin;
        if (k < settling)
            continue;
        palHistogram_Add(&s->time, seconds);
        palHistogram_Add(&s->sweeps, info.sweeps);
        palHistogram_Add(&s->active, info.activeRows);
        s->worst = fmax(s->worst, info.residual / info.scale);
        s->missed += (info.flags & pal_solveConverged) == 0;
        if (ops != NULL && k % siconosEvery == 0)
            timeSiconos(s, ops);
    }
}

static void report(const stroke* s, const palSiconosOps* ops, const palBenchSettings* settings,
                   palJson* json)
{
    char name[96];
    snprintf(name, sizeof name, "warm tick, %d contacts%s, %.0f %% active", contacts,
             s->hasFriction ? ", friction" : "", 100.0 * palHistogram_Mean(&s->active) / s->rows);
    palBench_Put(settings,
                 &(palBenchMeasured){
                     .name = name,
                     .baselineName = ops != NULL ? ops->name : NULL,
                     .unit = "us",
                     .ours = 1e6 * palHistogram_Mean(&s->time),
                     .oursP99 = 1e6 * palHistogram_Percentile(&s->time, 0.99),
                     .baseline = 1e6 * palHistogram_Mean(&s->baseline),
                     .operations = 1,
                 },
                 json);
    palBench_Bound(settings, "  sweeps and Newton steps, mean", "", palHistogram_Mean(&s->sweeps),
                   sweepsMax, json);
    palBench_Bound(settings, "  relative residual, max., in 1e-8", "", 1e8 * s->worst,
                   1e8 * tolerance, json);
}

static int runStroke(stroke* s, bool hasFriction, double toolRadius,
                     const palBenchSettings* settings, palJson* json)
{
    const palSiconosOps* ops = palSiconosBaseline();
    int code = makeStroke(s, hasFriction, toolRadius, NULL) != pal_ok;
    if (code == 0)
    {
        runTicks(s, settings->quick ? 1000 : 10000, ops);
        report(s, ops, settings, json);
        code = s->missed > 0;
    }
    palSolveWorkspace_Destroy(s->workspace);
    palSoftPress_Free(&s->press);
    return code;
}

int palBenchSoft_Ticks(const palBenchSettings* settings, palJson* json)
{
    static const double radii[] = {0.5, 2.0, 8.0}; // m: from a round to an almost flat tool
    stroke* s = calloc(1, sizeof *s);
    int code = s == NULL;
    for (int i = 0; i < 6 && code == 0; i++)
        code = runStroke(s, i % 2 == 1, radii[i / 2], settings, json);
    free(s);
    if (code != 0)
        fprintf(stderr, "palpate bench: error: the contact problem of a tick did not converge\n");
    return code;
}
