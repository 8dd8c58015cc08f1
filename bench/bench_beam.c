// SPDX-License-Identifier: Apache-2.0
// A wire in the high-rate tick: factorisation and solve of its block-tridiagonal system compared
// with LAPACK's banded Cholesky on the same matrix, the compliance of contact rows compared with
// one banded solve per row, and the whole step. The wire is steel, 0.5 mm thick, with elements of
// 10 mm, and is bent by a load.
#include "bench.h"

#include "body/beam.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    rowsMax = 30,
    bandwidth = 11, // subdiagonals of two neighbouring 6x6 blocks
    repeats = 20,   // of the operation in one timed call
};

static const double h = 1e-3; // s

typedef struct beamBench
{
    palBeamModel* model;
    palBeamState state;
    palBeamWork work;
    int n;        // scalar rows
    double* band; // [n][bandwidth + 1]: the lower band, column by column
    double* copy; // its factor
    double* x;    // [rowsMax][n]
    palBeamRow rows[rowsMax];
    double W[rowsMax * rowsMax];
    bool failed;
} beamBench;

static void fillBand(beamBench* b)
{
    for (int c = 0; c < b->n; c++)
        for (int r = c; r < b->n && r <= c + bandwidth; r++)
        {
            int i = r / 6, j = c / 6;
            const palBlock6* block = i == j ? &b->work.A.diagonal[i] : &b->work.A.lower[j];
            bool isHeld = i == 0 || j == 0;
            double value = isHeld ? (double)(r == c) : block->m[r % 6][c % 6];
            b->band[c * (bandwidth + 1) + r - c] = i - j > 1 ? 0.0 : value;
        }
}

static void oursFactor(void* context)
{
    beamBench* b = context;
    for (int k = 0; k < repeats; k++)
    {
        memcpy(b->x, b->work.b, (size_t)b->n * sizeof *b->x);
        b->failed |= !palTridiagonalFactor_Factor(&b->work.L, &b->work.A, b->model->held);
        palTridiagonalFactor_Solve(&b->work.L, 0, b->x);
    }
}

static void factorBand(beamBench* b)
{
    memcpy(b->copy, b->band, (size_t)b->n * (bandwidth + 1) * sizeof *b->copy);
    b->failed |=
        LAPACKE_dpbtrf_work(LAPACK_COL_MAJOR, 'L', b->n, bandwidth, b->copy, bandwidth + 1) != 0;
}

static void solveBand(beamBench* b, int count)
{
    b->failed |= LAPACKE_dpbtrs_work(LAPACK_COL_MAJOR, 'L', b->n, bandwidth, count, b->copy,
                                     bandwidth + 1, b->x, b->n) != 0;
}

static void bandFactor(void* context)
{
    beamBench* b = context;
    for (int k = 0; k < repeats; k++)
    {
        memcpy(b->x, b->work.b, (size_t)b->n * sizeof *b->x);
        factorBand(b);
        solveBand(b, 1);
    }
}

static void oursCompliance(void* context)
{
    beamBench* b = context;
    for (int k = 0; k < repeats; k++)
    {
        memset(b->W, 0, sizeof b->W);
        b->failed |= !palBeam_AddCompliance(b->model, &b->work, b->rows, rowsMax, b->W, rowsMax);
    }
}

static void bandCompliance(void* context)
{
    beamBench* b = context;
    double scale = b->model->theta * h * h;
    for (int k = 0; k < repeats; k++)
    {
        memset(b->x, 0, (size_t)b->n * rowsMax * sizeof *b->x);
        for (int i = 0; i < rowsMax; i++)
            memcpy(b->x + i * b->n + 6 * b->rows[i].element, b->rows[i].J, sizeof b->rows[i].J);
        solveBand(b, rowsMax);
        for (int i = 0; i < rowsMax; i++)
            for (int j = 0; j < rowsMax; j++)
                b->W[i * rowsMax + j] =
                    scale * palBeamRow_Apply(&b->rows[i], b->x + (size_t)j * (size_t)b->n);
    }
}

// A tick without contact; the state is not updated, so that every call does the same work.
static void oursStep(void* context)
{
    beamBench* b = context;
    for (int k = 0; k < repeats; k++)
    {
        palBeam_Linearise(b->model, &b->state, &b->work);
        b->failed |= !palBeam_Factor(b->model, h, &b->work);
        palBeam_FreeMotion(b->model, &b->state, NULL, &b->work);
    }
}

static palResult makeWire(beamBench* b, int elements)
{
    palBeamSection section = palMakeRoundSection(0.25e-3, 0.3);
    uint8_t* held = calloc((size_t)elements + 1, sizeof *held);
    palVec3* points = calloc((size_t)elements + 1, sizeof *points);
    palResult result = pal_errorMemory;
    if (held != NULL && points != NULL)
    {
        for (int i = 0; i <= elements; i++)
            points[i] = palMakeVec3(0.01 * i, 0, 0);
        held[0] = pal_holdNode;
        palBeamDef def = palDefaultBeamDef();
        def.nodeCount = elements + 1;
        def.points = points;
        def.held = held;
        def.sections = &section;
        result = palBeamModel_Create(&def, &b->model, NULL);
    }
    free(held);
    free(points);
    return result;
}

static bool setUp(beamBench* b, int elements)
{
    *b = (beamBench){.n = 6 * (elements + 1)};
    size_t n = (size_t)b->n;
    b->band = calloc(n * (bandwidth + 1), sizeof(double));
    b->copy = calloc(n * (bandwidth + 1), sizeof(double));
    b->x = calloc(n * rowsMax, sizeof(double));
    if (!b->band || !b->copy || !b->x || makeWire(b, elements) != pal_ok ||
        palBeamState_Init(&b->state, b->model, NULL) != pal_ok ||
        palBeamWork_Init(&b->work, b->model, rowsMax, NULL) != pal_ok)
        return false;
    b->work.external[b->n - 5] = 0.01;
    for (int k = 0; k < 100; k++)
    {
        oursStep(b);
        palBeam_Integrate(b->model, &b->work, &b->state);
    }
    oursStep(b);
    fillBand(b);
    for (int i = 0; i < rowsMax; i++)
    {
        palBeamPlace place = {.element = i * elements / rowsMax, .s = 0.5};
        palVec3 direction = palMakeVec3(i % 3 == 0, i % 3 == 1, i % 3 == 2);
        b->rows[i] = palBeam_PointRow(b->model, &b->work, place, direction);
        // The same rows on both sides: no entries of the fixed node.
        for (int c = 0; c < 6 && place.element == 0; c++)
            b->rows[i].J[c] = 0.0;
    }
    return true;
}

static void tearDown(beamBench* b)
{
    palBeamWork_Free(&b->work);
    palBeamState_Free(&b->state);
    palBeamModel_Destroy(b->model);
    free(b->band);
    free(b->copy);
    free(b->x);
}

static void runSize(const palBenchSettings* settings, beamBench* b, int elements, palJson* json)
{
    const struct
    {
        const char* name;
        const char* baselineName;
        void (*ours)(void* context);
        void (*baseline)(void* context);
    } cases[] = {
        {"factor and solve", "LAPACK dpbtrf, dpbtrs", oursFactor, bandFactor},
        {"compliance, 30 rows", "LAPACK dpbtrs", oursCompliance, bandCompliance},
        {"free step", NULL, oursStep, NULL},
    };
    for (int k = 0; k < 3; k++)
    {
        char name[64];
        snprintf(name, sizeof name, "%d elements, %s", elements, cases[k].name);
        palBenchCase benchCase = {
            .name = name,
            .baselineName = cases[k].baselineName,
            .unit = "us",
            .operations = repeats,
            .ours = cases[k].ours,
            .baseline = cases[k].baseline,
            .context = b,
        };
        palBench_Compare(settings, &benchCase, json);
    }
}

static int run(const palBenchSettings* settings, palJson* json)
{
    static const int sizes[] = {10, 20, 50, 100, 200};
    int count = settings->quick ? 2 : (int)(sizeof sizes / sizeof sizes[0]);
    bool failed = false;
    for (int k = 0; k < count; k++)
    {
        static beamBench b;
        failed |= !setUp(&b, sizes[k]);
        if (!failed)
            runSize(settings, &b, sizes[k], json);
        failed |= b.failed;
        tearDown(&b);
    }
    if (failed)
        fprintf(stderr, "palpate bench beam: error: a wire could not be created or factorised\n");
    return failed ? 1 : 0;
}

const palBenchmark pal_benchBeam = {
    .name = "beam",
    .summary = "a wire in the tick: factor, solve, compliance and step; baseline: banded LAPACK",
    .run = run,
};
