// SPDX-License-Identifier: Apache-2.0
#include "convergence.h"
#include "options.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "solve/sparse_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    // Rows of a problem that `automatic` solves with factorisations: they take 1 GB at this size.
    directRowsMax = 5000,
    // Rows of a problem of bodies that `automatic` solves with W.
    denseRowsMax = 1500,
};

typedef struct solveOptions
{
    const char* solver;
    double tolerance;
    double budget; // µs
    int sweeps;
    bool warm;
    bool json;
    const char* out;
    const char* convert;
    const char* plot;
} solveOptions;

// A solved problem with its result.
typedef struct solveReport
{
    const char* path;
    const palStoredProblem* stored; // W is NULL for a problem of bodies that is solved without it
    const palStoredSparse* sparse;  // a problem of bodies, or NULL
    const palSolveSettings* settings;
    palSolveInfo info;
    double microseconds;
} solveReport;

static bool findSolver(const char* name, palSolver* solver)
{
    const char* names[16];
    int count = 0;
    for (; count < 16 && palSolverName((palSolver)count) != NULL; count++)
    {
        names[count] = palSolverName((palSolver)count);
        if (strcmp(name, names[count]) == 0)
        {
            *solver = (palSolver)count;
            return true;
        }
    }
    palPrintUnknown(&pal_commandSolve, "solver", name, names, count,
                    "use automatic, gauss-seidel, conjugate, direct or newton");
    return false;
}

static const char* outcome(unsigned flags)
{
    if (flags & pal_solveConverged)
        return "converged";
    if (flags & pal_solveNotFinite)
        return "not finite";
    if (flags & pal_solveInfeasible)
        return "infeasible";
    return flags & pal_solveBudgetEnded ? "budget ended" : "not converged";
}

static double relative(const palSolveInfo* info)
{
    return info->scale > 0.0 ? info->residual / info->scale : info->residual;
}

static void printReport(const solveReport* report)
{
    const palContactProblem* problem = &report->stored->problem;
    const palSolveInfo* info = &report->info;
    printf("problem   %s (%s)\n", report->path, report->stored->format);
    printf("size      %d rows in %d blocks%s", problem->rows, problem->blockCount,
           problem->asymmetric ? ", asymmetric" : "");
    if (report->sparse != NULL)
        printf(" between %d bodies", report->sparse->problem.bodyCount);
    printf("\n");
    printf("solver    %s%s\n", palSolverName(info->solver),
           info->flags & pal_solveFellBack ? " (Lemke's method)" : "");
    printf("sweeps    %d\n", info->sweeps);
    printf("active    %d rows\n", info->activeRows);
    printf("residual  %.3g m, %.3g N (%.2g of the largest free gap)\n", info->residual,
           info->residualForce, relative(info));
    printf("time      %.1f us\n", report->microseconds);
    printf("outcome   %s\n", outcome(info->flags));
}

static int printJson(const solveReport* report)
{
    const palContactProblem* problem = &report->stored->problem;
    const palSolveInfo* info = &report->info;
    palJson json = {0};
    palJson_BeginObject(&json, NULL);
    palJson_Text(&json, "problem", report->path);
    palJson_Text(&json, "format", report->stored->format);
    palJson_Whole(&json, "rows", problem->rows);
    palJson_Whole(&json, "blocks", problem->blockCount);
    palJson_Bool(&json, "asymmetric", problem->asymmetric);
    if (report->sparse != NULL)
        palJson_Whole(&json, "bodies", report->sparse->problem.bodyCount);
    palJson_Text(&json, "solver", palSolverName(info->solver));
    palJson_Number(&json, "tolerance", report->settings->tolerance);
    palJson_Whole(&json, "sweeps", info->sweeps);
    palJson_Whole(&json, "active_rows", info->activeRows);
    palJson_Number(&json, "residual_m", info->residual);
    palJson_Number(&json, "residual_N", info->residualForce);
    palJson_Number(&json, "residual_relative", relative(info));
    palJson_Number(&json, "time_us", report->microseconds);
    palJson_Text(&json, "outcome", outcome(info->flags));
    palJson_End(&json);
    return palPrintJson(&json);
}

// λ and its length.
typedef struct solveForces
{
    const double* lambda; // N
    int rows;
} solveForces;

// One line per row.
static void writeForces(const void* data, FILE* file)
{
    const solveForces* forces = data;
    for (int i = 0; i < forces->rows; i++)
        fprintf(file, "%.17g\n", forces->lambda[i]);
}

// The memory of a solve, with W or without.
typedef struct solveMemory
{
    palSolveWorkspace* dense;
    palSparseWorkspace* sparse;
    palTwist* displacement;
} solveMemory;

static void freeMemory(solveMemory* memory)
{
    palSolveWorkspace_Destroy(memory->dense);
    palSparseWorkspace_Destroy(memory->sparse);
    free(memory->displacement);
}

static palResult makeMemory(const solveReport* report, solveMemory* memory, palError* error)
{
    int rows = report->stored->problem.rows;
    palSolver solver = report->settings->solver;
    *memory = (solveMemory){0};
    if (report->stored->W != NULL)
    {
        bool direct =
            rows <= directRowsMax || solver == pal_solverDirect || solver == pal_solverNewton;
        return palSolveWorkspace_Create(rows, direct, &memory->dense, error);
    }
    const palSparseProblem* problem = &report->sparse->problem;
    size_t size = ((size_t)problem->bodyCount + 1) * sizeof *memory->displacement;
    memory->displacement = malloc(size);
    if (memory->displacement == NULL)
        return palError_Memory(error, "the motion of the bodies", size);
    return palSparseWorkspace_Create(problem->bodyCount, rows, problem->blockCount, &memory->sparse,
                                     error);
}

// Solves up to five times within 0.1 s and reports the shortest time.
static palResult solveTimed(solveReport* report, double* lambda, palError* error)
{
    const palContactProblem* problem = &report->stored->problem;
    solveMemory memory;
    palResult result = makeMemory(report, &memory, error);
    const int64_t timeLimit = 100000000; // ns
    int64_t total = 0, fastest = INT64_MAX;
    for (int repeat = 0; repeat < 5 && total < timeLimit && result == pal_ok; repeat++)
    {
        memcpy(lambda, report->stored->lambda, (size_t)problem->rows * sizeof *lambda);
        int64_t start = palClock_Now();
        if (memory.dense != NULL)
            palContactProblem_Solve(problem, report->settings, memory.dense, lambda, &report->info);
        else
            palSparseProblem_Solve(&report->sparse->problem, report->settings, memory.sparse,
                                   lambda, memory.displacement, &report->info);
        int64_t elapsed = palClock_Now() - start;
        total += elapsed;
        fastest = elapsed < fastest ? elapsed : fastest;
    }
    report->microseconds = 1e-3 * (double)fastest;
    freeMemory(&memory);
    return result;
}

static palResult writeConverted(const solveReport* report, const double* lambda, const char* path,
                                palError* error)
{
    return report->sparse != NULL
               ? palSparseProblem_Write(&report->sparse->problem, lambda, path, error)
               : palContactProblem_Write(&report->stored->problem, lambda, path, error);
}

// Solves the problem, prints the report, and writes the requested files.
static int solveStored(const char* path, const palStoredProblem* stored,
                       const palStoredSparse* sparse, const palSolveSettings* settings,
                       const solveOptions* given)
{
    palError error;
    solveReport report = {.path = path, .stored = stored, .sparse = sparse, .settings = settings};
    double* lambda = calloc((size_t)stored->problem.rows + 1, sizeof *lambda);
    palResult result = lambda != NULL ? solveTimed(&report, lambda, &error)
                                      : palError_Memory(&error, "the forces", sizeof *lambda);
    int code = result == pal_ok ? 0 : palPrintError(&error);
    if (code == 0 && given->json)
        code = printJson(&report);
    else if (code == 0)
        printReport(&report);
    const solveForces forces = {lambda, stored->problem.rows};
    if (code == 0 && given->out != NULL &&
        palWriteFile(given->out, writeForces, &forces, &error) != pal_ok)
        code = palPrintError(&error);
    if (code == 0 && given->convert != NULL &&
        writeConverted(&report, lambda, given->convert, &error) != pal_ok)
        code = palPrintError(&error);
    if (code == 0 && given->plot != NULL &&
        palPlotConvergence(&stored->problem, settings, given->plot, &error) != pal_ok)
        code = palPrintError(&error);
    free(lambda);
    return code == 0 && !(report.info.flags & pal_solveConverged) ? 1 : code;
}

// Reads a problem. One of bodies is given W where a solver needs it, and otherwise shares its
// arrays with `stored`.
static palResult readProblem(const char* path, const palSolveSettings* settings, bool isPlotted,
                             palStoredSparse* sparse, bool* isSparse, palStoredProblem* stored,
                             palError* error)
{
    palResult result = palStoredSparse_Read(path, isSparse, sparse, error);
    if (result != pal_ok)
        return result;
    if (!*isSparse)
        return palStoredProblem_Read(path, stored, error);
    palSolver solver = settings->solver;
    int rows = sparse->problem.rows;
    if (isPlotted || solver == pal_solverNewton || solver == pal_solverDirect ||
        (solver == pal_solverAutomatic && rows <= denseRowsMax))
        return palStoredSparse_ToDense(sparse, stored, error);
    *stored = (palStoredProblem){
        .problem = {.rows = rows, .blockCount = sparse->problem.blockCount},
        .lambda = sparse->lambda,
        .format = "palpate problem of bodies",
    };
    return pal_ok;
}

static int run(int argc, char** argv)
{
    solveOptions given = {.solver = "automatic", .tolerance = 1e-10, .sweeps = 10000};
    const palOption options[] = {
        {"solver", pal_optionText, &given.solver, "NAME",
         "automatic, gauss-seidel, conjugate, direct or newton"},
        {"tolerance", pal_optionNumber, &given.tolerance, "T",
         "of the residual, relative to the largest free gap (1e-10)"},
        {"sweeps", pal_optionWhole, &given.sweeps, "N", "maximum number of sweeps (10000)"},
        {"budget", pal_optionNumber, &given.budget, "US", "time limit in microseconds"},
        {"warm", pal_optionFlag, &given.warm, NULL, "start from the forces in the file"},
        {"json", pal_optionFlag, &given.json, NULL, "print JSON"},
        {"out", pal_optionText, &given.out, "FILE", "write the forces, one line per row"},
        {"convert", pal_optionText, &given.convert, "FILE",
         "write problem and forces in the palpate format"},
        {"plot", pal_optionText, &given.plot, "FILE.svg",
         "plot residual over sweeps; also writes FILE.csv"},
    };
    const char* path = NULL;
    int count = palOptions_Parse(&pal_commandSolve, options, sizeof options / sizeof options[0],
                                 argc, argv, 1, &path);
    if (count < 0)
        return count == -1 ? 0 : 2;
    palSolveSettings settings = palDefaultSolveSettings();
    if (!findSolver(given.solver, &settings.solver))
        return 2;
    if (count == 0)
        return palPrintUsageError(&pal_commandSolve, "no problem given");
    if (!(given.tolerance >= 0.0) || given.sweeps < 0 || !(given.budget >= 0.0))
        return palPrintUsageError(&pal_commandSolve,
                                  "tolerance, sweeps and budget must not be negative");
    settings.tolerance = given.tolerance;
    settings.maxSweeps = given.sweeps;
    settings.budget = (int64_t)fmin(1e3 * given.budget, 9e18);
    settings.warmStart = given.warm;

    palStoredProblem stored;
    palError error;
    palStoredSparse sparse;
    bool isSparse;
    palResult result =
        readProblem(path, &settings, given.plot != NULL, &sparse, &isSparse, &stored, &error);
    int code = result == pal_ok
                   ? solveStored(path, &stored, isSparse ? &sparse : NULL, &settings, &given)
                   : palPrintError(&error);
    if (result == pal_ok && stored.W != NULL)
        palStoredProblem_Free(&stored);
    palStoredSparse_Free(&sparse);
    return code;
}

const palCommand pal_commandSolve = {
    .name = "solve",
    .summary = "solve a stored contact problem and report residual and time",
    .usage = "FILE [options]",
    .examples = "  palpate solve frame.txt                         to a tolerance of 1e-10\n"
                "  palpate solve frame.txt --solver gauss-seidel --sweeps 50\n"
                "  palpate solve problem.hdf5 --plot sweeps.svg    an FCLib problem, with a plot\n"
                "\nexit code: 0 converged, 1 not converged, 2 usage error or invalid input\n",
    .run = run,
};
