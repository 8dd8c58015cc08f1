// SPDX-License-Identifier: Apache-2.0
#include "convergence.h"

#include "base/error.h"
#include "base/file.h"
#include "base/random.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum
{
    curveCount = 4,
};

static const char* const curveNames[curveCount] = {"plain", "warm-started", "conjugate", "newton"};

typedef struct curves
{
    double* residual[curveCount]; // [capacity], m
    int count[curveCount];
    int capacity;
    double scale; // m
    double* lambda;
    double* gap;
    palSolveWorkspace* workspace;
} curves;

static void freeCurves(curves* all)
{
    for (int i = 0; i < curveCount; i++)
        free(all->residual[i]);
    free(all->lambda);
    free(all->gap);
    palSolveWorkspace_Destroy(all->workspace);
}

static palResult initCurves(curves* all, const palContactProblem* problem, int capacity,
                            palError* error)
{
    *all = (curves){.capacity = capacity};
    size_t rows = (size_t)problem->rows + 1;
    all->lambda = calloc(rows, sizeof(double));
    all->gap = calloc(rows, sizeof(double));
    bool allocated = all->lambda != NULL && all->gap != NULL;
    for (int i = 0; i < curveCount; i++)
    {
        all->residual[i] = calloc((size_t)capacity + 1, sizeof(double));
        allocated = allocated && all->residual[i] != NULL;
    }
    if (!allocated)
        return palError_Memory(error, "a convergence plot", (size_t)capacity * sizeof(double));
    return palSolveWorkspace_Create(problem->rows, true, &all->workspace, error);
}

// Solves the problem with slightly perturbed free gaps, into all->lambda.
static void solvePerturbed(curves* all, const palContactProblem* problem)
{
    palRandom random = palMakeRandom(1);
    double largest = 0.0;
    for (int i = 0; i < problem->rows; i++)
        largest = fmax(largest, fabs(problem->gapFree[i]));
    for (int i = 0; i < problem->rows; i++)
        all->gap[i] = problem->gapFree[i] + palRandom_Range(&random, -0.05, 0.05) * largest;
    palContactProblem perturbed = *problem;
    perturbed.gapFree = all->gap;
    palSolveSettings settings = palDefaultSolveSettings();
    settings.solver = pal_solverAutomatic;
    settings.tolerance = 1e-10;
    settings.maxSweeps = 5000;
    palSolveInfo info;
    palContactProblem_Solve(&perturbed, &settings, all->workspace, all->lambda, &info);
}

static void solveCurves(curves* all, const palContactProblem* problem,
                        const palSolveSettings* settings)
{
    const palSolver solvers[curveCount] = {pal_solverGaussSeidel, pal_solverGaussSeidel,
                                           pal_solverConjugate, pal_solverNewton};
    for (int i = 0; i < curveCount; i++)
    {
        palSolveSettings curveSettings = *settings;
        curveSettings.solver = solvers[i];
        curveSettings.warmStart = i == 1;
        curveSettings.maxSweeps = all->capacity;
        curveSettings.history = all->residual[i];
        curveSettings.historyCapacity = all->capacity;
        if (curveSettings.warmStart)
            solvePerturbed(all, problem);
        palSolveInfo info;
        palContactProblem_Solve(problem, &curveSettings, all->workspace, all->lambda, &info);
        all->count[i] = info.historyCount;
        all->scale = info.scale;
    }
}

// One row per sweep; the cells of a curve that has ended are empty.
static void writeCsv(const void* data, FILE* file)
{
    const curves* all = data;
    fprintf(file, "sweep");
    int longest = 0;
    for (int i = 0; i < curveCount; i++)
    {
        fprintf(file, ",%s", curveNames[i]);
        longest = all->count[i] > longest ? all->count[i] : longest;
    }
    fputc('\n', file);
    for (int k = 0; k < longest; k++)
    {
        fprintf(file, "%d", k + 1);
        for (int i = 0; i < curveCount; i++)
            if (k < all->count[i])
                fprintf(file, ",%.9g", all->residual[i][k] / all->scale);
            else
                fputc(',', file);
        fputc('\n', file);
    }
}

static palResult draw(const char* csv, const char* path, int rows, palError* error)
{
    FILE* gnuplot = popen("gnuplot", "w");
    if (gnuplot == NULL)
        return palError_Set(error, pal_errorUnusable, "cannot start gnuplot: %s", strerror(errno));
    const char* ending = strrchr(path, '.');
    bool png = ending != NULL && strcmp(ending, ".png") == 0;
    fprintf(gnuplot, "set terminal %s\nset output '%s'\n",
            png ? "pngcairo size 800,500" : "svg size 800,500 background 'white'", path);
    fprintf(gnuplot,
            "set datafile separator ','\nset logscale y\nset format y '10^{%%L}'\nset grid\n"
            "set xlabel 'sweeps'\nset ylabel 'residual / max |free gap|'\n"
            "set title '%d rows'\nplot ",
            rows);
    for (int i = 0; i < curveCount; i++)
        fprintf(gnuplot, "'%s' using 1:%d skip 1 with lines lw 2 title '%s'%s", csv, i + 2,
                curveNames[i], i + 1 < curveCount ? ", " : "\n");
    int status = pclose(gnuplot);
    if (status == 0)
        return pal_ok;
    bool missing = WIFEXITED(status) && WEXITSTATUS(status) == 127;
    palError_Set(error, pal_errorUnusable, missing ? "gnuplot is not installed" : "gnuplot failed");
    palError_Remedy(error, "install gnuplot-nox; the curves are in %s", csv);
    return palError_At(error, path, 0, 0);
}

palResult palPlotConvergence(const palContactProblem* problem, const palSolveSettings* settings,
                             const char* path, palError* error)
{
    char csv[4096];
    const char* ending = strrchr(path, '.');
    const char* slash = strrchr(path, '/');
    bool hasEnding = ending != NULL && (slash == NULL || ending > slash);
    int stem = (int)(hasEnding ? (size_t)(ending - path) : strlen(path));
    snprintf(csv, sizeof csv, "%.*s.csv", stem, path);
    if (strpbrk(path, "'\\\n") != NULL)
    {
        palError_Set(error, pal_errorInput,
                     "the name of a plot must not contain quotes or backslashes");
        return palError_At(error, path, 0, 0);
    }
    curves all;
    palResult result = initCurves(&all, problem, settings->maxSweeps, error);
    if (result == pal_ok)
    {
        solveCurves(&all, problem, settings);
        result = palWriteFile(csv, writeCsv, &all, error);
    }
    if (result == pal_ok)
        result = draw(csv, path, problem->rows, error);
    freeCurves(&all);
    return result;
}
