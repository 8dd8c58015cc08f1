// SPDX-License-Identifier: Apache-2.0
// Contact problems with friction, solved from a cold start to a given residual; baseline: nonsmooth
// Gauss-Seidel of Siconos. Both must reach the same residual of the natural map, computed by
// Palpate; Siconos uses a different stopping criterion, so its tolerance is first reduced until it
// does.
#include "bench.h"
#include "siconos.h"

#include "solve/sample.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    problemCount = 8, // of one kind and size, with different seeds
    rowsMax = 300,
    sweepsMax = 20000,
    siconosMax = 5000,
};

typedef enum kind
{
    kindMixed,     // soft bodies: each contact has a local compliance; a part is pressed
    kindRedundant, // two rows per degree of freedom, all pressed: sticking and redundant
} kind;

typedef struct problems
{
    palStoredProblem stored[problemCount];
    palSiconos* siconos[problemCount];
    double siconosTolerance[problemCount];
    const palSiconosOps* ops; // NULL without a baseline
    palSolveWorkspace* workspace;
    palSolveSettings settings;
    double activeShare; // active rows of the solutions, mean
    bool reached;       // ours converged on every problem
    double gap[rowsMax];
} problems;

static void solveOurs(void* context)
{
    problems* p = context;
    int active = 0, rows = 0;
    p->reached = true;
    for (int i = 0; i < problemCount; i++)
    {
        palSolveInfo info;
        palContactProblem_Solve(&p->stored[i].problem, &p->settings, p->workspace,
                                p->stored[i].lambda, &info);
        p->reached &= (info.flags & pal_solveConverged) != 0;
        active += info.activeRows;
        rows += p->stored[i].problem.rows;
    }
    p->activeShare = (double)active / rows;
}

static void solveSiconos(void* context)
{
    problems* p = context;
    for (int i = 0; i < problemCount; i++)
        p->ops->solve(p->siconos[i], p->siconosTolerance[i], siconosMax, p->stored[i].lambda);
}

// Reduces the tolerance of Siconos until its solutions reach our residual. Returns how many do.
static int matchSiconos(problems* p)
{
    int matched = 0;
    for (int i = 0; i < problemCount; i++)
    {
        const palContactProblem* problem = &p->stored[i].problem;
        double tolerance = p->settings.tolerance;
        palSolveInfo info;
        for (int turn = 0; turn < 12; turn++, tolerance *= 0.5)
        {
            info = (palSolveInfo){0};
            p->siconosTolerance[i] = tolerance;
            p->ops->solve(p->siconos[i], tolerance, siconosMax, p->stored[i].lambda);
            palContactProblem_Residual(problem, p->stored[i].lambda, p->gap, &info);
            if (info.residual <= p->settings.tolerance * info.scale)
                break;
        }
        matched += info.residual <= p->settings.tolerance * info.scale;
    }
    return matched;
}

static int makeProblems(problems* p, kind which, int contacts, double pressed)
{
    palError error;
    for (int i = 0; i < problemCount; i++)
    {
        palSampleDef def = palDefaultSampleDef();
        def.seed = (uint64_t)i + 1;
        def.contacts = contacts;
        def.pressed = pressed;
        def.dofs = which == kindMixed ? 6 * contacts : (3 * contacts + 1) / 2;
        def.local = which == kindMixed ? 0.3 : 0.0;
        if (palSampleProblem(&def, &p->stored[i], &error) != pal_ok)
            return 1;
        p->siconos[i] = p->ops != NULL ? p->ops->create(&p->stored[i].problem) : NULL;
        if (p->ops != NULL && p->siconos[i] == NULL)
            return 1;
    }
    return 0;
}

static void freeProblems(problems* p)
{
    for (int i = 0; i < problemCount; i++)
    {
        palStoredProblem_Free(&p->stored[i]);
        if (p->ops != NULL)
            p->ops->destroy(p->siconos[i]);
        p->siconos[i] = NULL;
    }
}

static int compareOne(problems* p, const char* kindName, double tolerance,
                      const palBenchSettings* settings, palJson* json)
{
    p->settings.tolerance = tolerance;
    int matched = p->ops != NULL ? matchSiconos(p) : 0;
    solveOurs(p);
    char name[96], baseline[64];
    snprintf(name, sizeof name, "%s, %d rows, %.0f %% active, to %.0e", kindName,
             p->stored[0].problem.rows, 100.0 * p->activeShare, tolerance);
    snprintf(baseline, sizeof baseline, matched == problemCount ? "%s" : "%s (reached in %d of %d)",
             p->ops != NULL ? p->ops->name : "", matched, problemCount);
    palBench_Compare(settings,
                     &(palBenchCase){
                         .name = name,
                         .baselineName = p->ops != NULL ? baseline : NULL,
                         .unit = "us",
                         .operations = problemCount,
                         .ours = solveOurs,
                         .baseline = p->ops != NULL ? solveSiconos : NULL,
                         .context = p,
                     },
                     json);
    if (p->reached)
        return 0;
    fprintf(stderr, "palpate bench: error: %s: did not converge\n", name);
    return 1;
}

static int runKind(problems* p, kind which, int contacts, double pressed, int toleranceCount,
                   const palBenchSettings* settings, palJson* json)
{
    static const double tolerances[] = {1e-8, 1e-4, 1e-10};
    int code = makeProblems(p, which, contacts, pressed);
    for (int i = 0; i < toleranceCount && code == 0; i++)
        code = compareOne(p, which == kindMixed ? "mixed" : "redundant", tolerances[i], settings,
                          json);
    freeProblems(p);
    return code;
}

static int run(const palBenchSettings* settings, palJson* json)
{
    static const int contacts[] = {1, 8, 25, 50, 100};
    static const double shares[] = {0.1, 0.7, 1.0};
    palError error;
    problems* p = calloc(1, sizeof *p);
    if (p == NULL || palSolveWorkspace_Create(rowsMax, true, &p->workspace, &error) != pal_ok)
    {
        free(p);
        return 1;
    }
    p->ops = palSiconosBaseline();
    if (settings->table && p->ops == NULL)
        printf("  (Siconos not available: no baseline)\n");
    p->settings = palDefaultSolveSettings();
    p->settings.solver = pal_solverAutomatic;
    p->settings.maxSweeps = sweepsMax;
    int code = 0;
    int sizes = settings->quick ? 3 : 5;
    for (int i = 0; i < sizes && code == 0; i++)
        code = runKind(p, kindMixed, contacts[i], 0.4, 3, settings, json);
    for (int i = 0; i < 3 && code == 0; i++)
        code = runKind(p, kindMixed, settings->quick ? 25 : 100, shares[i], 1, settings, json);
    for (int i = 1; i < sizes && code == 0; i++)
        code = runKind(p, kindRedundant, contacts[i], 1.0, settings->quick ? 1 : 3, settings, json);
    palSolveWorkspace_Destroy(p->workspace);
    free(p);
    return code;
}

const palBenchmark pal_benchSolve = {
    .name = "solve",
    .summary = "contact problems with friction, from a cold start to a given residual",
    .run = run,
};
