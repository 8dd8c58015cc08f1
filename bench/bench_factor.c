// SPDX-License-Identifier: Apache-2.0
// The linear algebra of a soft cube (elastic_block.h): analysis, factorisation, solve and
// compliance, compared with CHOLMOD on one thread. Contacts are on the face opposite the fixed one,
// each on three nodes.
#include "bench.h"
#include "cholmod_baseline.h"
#include "elastic_block.h"
#include "linalg/conjugate_gradients.h"
#include "linalg/reach.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    rowsMax = 300,
    quickSize = 8, // cells per side; a quick run skips slow parts above this
};

typedef struct factorBench
{
    palElasticBlock block;
    palElasticBlock twisted; // the same, twisted: for the stale factorisation
    int n;                   // dofs
    palCholesky* cholesky;
    palCholesky* single;
    palReach* reach;
    palCgWorkspace workspace;
    const palCholmodOps* ops; // NULL without CHOLMOD
    palCholmod* supernodal;
    palCholmod* simplicial;

    double* b;         // [n]
    double* x;         // [n]
    double* y;         // [padded rows]
    double* reference; // [n]: CHOLMOD's x
    double* dense;     // [rowsMax][n]: Jᵀ for the baseline
    double* solved;    // [rowsMax][n]
    double W[2][rowsMax * rowsMax];
    int rowStart[rowsMax + 1];
    int rowNodes[3 * rowsMax];
    palVec3 rowValues[3 * rowsMax];
    palSparseRows J;
    bool failed;
} factorBench;

// Contacts at random points of the free face: one normal row each, or also two tangential rows.
static void makeRows(factorBench* f, int rows)
{
    static const palVec3 axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    palRandom random = palMakeRandom(3);
    int n = f->block.n;
    int each = rows == 25 ? 1 : 3;
    int entry = 0;
    memset(f->dense, 0, (size_t)rows * (size_t)f->n * sizeof *f->dense);
    for (int row = 0; row < rows;)
    {
        int i = palRandom_Below(&random, n);
        int j = palRandom_Below(&random, n);
        const int nodes[3] = {palElasticBlock_Node(&f->block, i, j, n),
                              palElasticBlock_Node(&f->block, i + 1, j, n),
                              palElasticBlock_Node(&f->block, i, j + 1, n)};
        const double weights[3] = {0.5, 0.3, 0.2};
        for (int k = 0; k < each; k++, row++)
        {
            f->rowStart[row] = entry;
            for (int c = 0; c < 3; c++, entry++)
            {
                f->rowNodes[entry] = nodes[c];
                f->rowValues[entry] = palScale(weights[c], axes[k]);
                double* at = f->dense + (size_t)row * (size_t)f->n + 3 * (size_t)nodes[c];
                at[0] = f->rowValues[entry].x;
                at[1] = f->rowValues[entry].y;
                at[2] = f->rowValues[entry].z;
            }
        }
    }
    f->rowStart[rows] = entry;
    f->J = (palSparseRows){
        .count = rows, .start = f->rowStart, .nodes = f->rowNodes, .values = f->rowValues};
}

static void oursAnalyse(void* context)
{
    factorBench* f = context;
    palSymbolic symbolic;
    f->failed |= palSymbolic_Init(&symbolic, &f->block.A, 4, NULL) != pal_ok;
    palSymbolic_Free(&symbolic);
}

static void cholmodAnalyse(void* context)
{
    factorBench* f = context;
    f->failed |= !f->ops->analyse(f->supernodal);
}

static void oursFactor(void* context)
{
    factorBench* f = context;
    f->failed |= palCholesky_Factor(f->cholesky, &f->block.A, NULL) != pal_ok;
}

static void supernodalFactor(void* context)
{
    factorBench* f = context;
    f->failed |= !f->ops->factor(f->supernodal);
}

static void simplicialFactor(void* context)
{
    factorBench* f = context;
    f->failed |= !f->ops->factor(f->simplicial);
}

static void oursSolve(void* context)
{
    factorBench* f = context;
    palCholesky_Solve(f->cholesky, f->b, f->x);
}

static void supernodalSolve(void* context)
{
    factorBench* f = context;
    f->failed |= !f->ops->solve(f->supernodal, 1, f->b, f->reference);
}

// A factorisation in single precision and two solves, with a residual close to that of double
// precision.
static void oursSingle(void* context)
{
    factorBench* f = context;
    f->failed |= palCholesky_Factor(f->single, &f->block.A, NULL) != pal_ok;
    f->failed |= !(palCholesky_SolveRefined(f->single, &f->block.A, f->b, 1, f->x) < 1e-9);
}

static void supernodalBoth(void* context)
{
    supernodalFactor(context);
    supernodalSolve(context);
}

static void oursCompliance(void* context)
{
    factorBench* f = context;
    f->failed |= !palReach_Solve(f->reach, &f->J);
    palReach_Gram(f->reach, 1.0, f->W[0], (size_t)f->J.count);
}

// A blocked solve of all rows, then the product with J.
static void supernodalCompliance(void* context)
{
    factorBench* f = context;
    int rows = f->J.count;
    f->failed |= !f->ops->solve(f->supernodal, rows, f->dense, f->solved);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
        {
            const double* x = f->solved + (size_t)j * (size_t)f->n;
            double sum = 0.0;
            for (int e = f->rowStart[i]; e < f->rowStart[i + 1]; e++)
            {
                const double* at = x + 3 * (size_t)f->rowNodes[e];
                palVec3 v = f->rowValues[e];
                sum += v.x * at[0] + v.y * at[1] + v.z * at[2];
            }
            f->W[1][i * rows + j] = sum;
        }
}

// The linear algebra of a low-rate step, see cholesky.h.
static void oursStep(void* context)
{
    factorBench* f = context;
    double v[rowsMax];
    oursFactor(context);
    palCholesky_Forward(f->cholesky, f->b, f->y);
    oursCompliance(context);
    palReach_Project(f->reach, f->y, v);
    palReach_Add(f->reach, 1.0, v, f->y);
    palCholesky_Backward(f->cholesky, f->y, f->x);
}

static void supernodalStep(void* context)
{
    supernodalFactor(context);
    supernodalCompliance(context);
    supernodalSolve(context);
    supernodalSolve(context);
}

static void oursStale(void* context)
{
    factorBench* f = context;
    palCgSettings settings = {.tolerance = 1e-6, .maxIterations = 500, .factor = f->cholesky};
    memset(f->x, 0, (size_t)f->n * sizeof *f->x);
    palCgInfo info = palConjugateGradients(&settings, &f->workspace, &f->twisted.A, f->b, f->x);
    f->failed |= info.status != pal_cgConverged;
}

static void blockJacobi(void* context)
{
    factorBench* f = context;
    palCgSettings settings = {.tolerance = 1e-6, .maxIterations = 2000};
    memset(f->x, 0, (size_t)f->n * sizeof *f->x);
    palCgInfo info = palConjugateGradients(&settings, &f->workspace, &f->twisted.A, f->b, f->x);
    f->failed |= info.status != pal_cgConverged;
}

static double largestDifference(size_t count, const double* a, const double* b)
{
    double difference = 0.0;
    double scale = 0.0;
    for (size_t i = 0; i < count; i++)
    {
        difference = fmax(difference, fabs(a[i] - b[i]));
        scale = fmax(scale, fabs(b[i]));
    }
    return difference / scale;
}

typedef struct part
{
    const char* name;
    int rows;  // of contacts, 0: none
    int turns; // largest number of repetitions, 0: that of the settings
    void (*ours)(void*);
    void (*baseline)(void*);
    const char* baselineName;
    bool compares; // compare the results: x, or W if there are rows
    bool isSlow;   // skipped for large blocks in a quick run
} part;

static const char supernodal[] = "CHOLMOD supernodal";
static const char simplicial[] = "CHOLMOD simplicial";
static const char jacobi[] = "block-Jacobi CG";

static const part parts[] = {
    {"analysis", 0, 3, oursAnalyse, cholmodAnalyse, supernodal, false, false},
    {"factor", 0, 0, oursFactor, supernodalFactor, supernodal, false, false},
    {"factor", 0, 2, oursFactor, simplicialFactor, simplicial, false, true},
    {"solve", 0, 0, oursSolve, supernodalSolve, supernodal, true, false},
    {"factor in float, refined solve", 0, 0, oursSingle, supernodalBoth, supernodal, true, false},
    {"W of 25 rows", 25, 0, oursCompliance, supernodalCompliance, supernodal, true, false},
    {"W of 75 rows", 75, 0, oursCompliance, supernodalCompliance, supernodal, true, false},
    {"W of 300 rows", 300, 0, oursCompliance, supernodalCompliance, supernodal, true, true},
    {"whole step, 75 rows", 75, 0, oursStep, supernodalStep, supernodal, false, true},
    {"CG with a stale factor, 1e-6", 0, 5, oursStale, blockJacobi, jacobi, false, false},
};

static int runPart(factorBench* f, const part* p, const palBenchSettings* settings, palJson* json)
{
    bool isCompared = f->ops != NULL || p->baselineName == jacobi;
    char name[96];
    snprintf(name, sizeof name, "%s, %d dofs", p->name, f->n);
    palBenchSettings own = *settings;
    if (p->turns > 0 && own.turns > p->turns)
        own.turns = p->turns;
    if (p->rows > 0)
        makeRows(f, p->rows);
    palBench_Compare(&own,
                     &(palBenchCase){
                         .name = name,
                         .baselineName = isCompared ? p->baselineName : NULL,
                         .unit = "ms",
                         .operations = 1,
                         .ours = p->ours,
                         .baseline = isCompared ? p->baseline : NULL,
                         .context = f,
                     },
                     json);
    double difference = 0.0;
    if (isCompared && p->compares)
        difference = p->rows > 0 ? largestDifference((size_t)(p->rows * p->rows), f->W[0], f->W[1])
                                 : largestDifference((size_t)f->n, f->x, f->reference);
    if (!f->failed && difference <= 1e-8)
        return 0;
    fprintf(stderr, "palpate bench: error: %s: failed, or the difference is %.3g\n", name,
            difference);
    return 1;
}

static palResult create(factorBench* f, int n, palError* error)
{
    f->block = palMakeElasticBlock(n);
    f->twisted = palMakeElasticBlock(n);
    f->twisted.twist = 0.1;
    palResult result = palElasticBlock_Init(&f->block, error);
    if (result == pal_ok)
        result = palElasticBlock_Init(&f->twisted, error);
    f->n = 3 * f->block.nodeCount;
    palCholeskyDef single = {.singlePrecision = true};
    if (result == pal_ok)
        result = palCholesky_Create(&(palCholeskyDef){0}, &f->block.A, &f->cholesky, error);
    if (result == pal_ok)
        result = palCholesky_Create(&single, &f->block.A, &f->single, error);
    if (result == pal_ok)
        result = palReach_Create(f->cholesky, rowsMax, 3 * rowsMax, &f->reach, error);
    if (result == pal_ok)
        result = palCgWorkspace_Init(&f->workspace, f->block.nodeCount, error);
    if (result != pal_ok)
        return result;
    size_t dofs = (size_t)f->n;
    f->b = malloc(dofs * sizeof(double));
    f->x = malloc(dofs * sizeof(double));
    f->reference = malloc(dofs * sizeof(double));
    f->y = malloc((size_t)palCholesky_RowCount(f->cholesky) * sizeof(double));
    f->dense = malloc(rowsMax * dofs * sizeof(double));
    f->solved = malloc(rowsMax * dofs * sizeof(double));
    bool ok = f->b != NULL && f->x != NULL && f->reference != NULL && f->y != NULL &&
              f->dense != NULL && f->solved != NULL;
    return ok ? pal_ok : pal_errorMemory;
}

static void destroy(factorBench* f)
{
    if (f->ops != NULL)
    {
        f->ops->destroy(f->supernodal);
        f->ops->destroy(f->simplicial);
    }
    palReach_Destroy(f->reach);
    palCholesky_Destroy(f->cholesky);
    palCholesky_Destroy(f->single);
    palCgWorkspace_Free(&f->workspace);
    palElasticBlock_Free(&f->block);
    palElasticBlock_Free(&f->twisted);
    free(f->b);
    free(f->x);
    free(f->reference);
    free(f->y);
    free(f->dense);
    free(f->solved);
}

static int runSize(factorBench* f, int n, const palCholmodOps* ops,
                   const palBenchSettings* settings, palJson* json)
{
    palError error;
    *f = (factorBench){.ops = ops};
    int code = create(f, n, &error) != pal_ok;
    palRandom random = palMakeRandom(7);
    for (int i = 0; i < f->n && code == 0; i++)
        f->b[i] = palRandom_Normal(&random);
    if (code == 0 && ops != NULL)
    {
        f->supernodal = ops->create(&f->block.A, true);
        f->simplicial = ops->create(&f->block.A, false);
        code = f->supernodal == NULL || f->simplicial == NULL;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && code == 0; i++)
        if (!parts[i].isSlow || !settings->quick || n <= quickSize)
            code = runPart(f, &parts[i], settings, json);
    destroy(f);
    return code;
}

static int run(const palBenchSettings* settings, palJson* json)
{
    static const int sizes[] = {8, 16, 22}; // 2560, 20480 and 53240 tetrahedra
    const palCholmodOps* ops = palCholmodBaseline();
    if (settings->table && ops == NULL)
        printf("  (CHOLMOD not available: no baseline)\n");
    factorBench* f = calloc(1, sizeof *f);
    int code = f == NULL;
    for (int i = 0; i < (settings->quick ? 2 : 3) && code == 0; i++)
        code = runSize(f, sizes[i], ops, settings, json);
    free(f);
    return code;
}

const palBenchmark pal_benchFactor = {
    .name = "factor",
    .summary = "sparse factorisation, solve and compliance of a soft cube",
    .run = run,
};
