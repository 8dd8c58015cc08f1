// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "solve/problem.h"
#include "solve/run.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static const char* const solverNames[] = {"automatic", "gauss-seidel", "conjugate", "direct",
                                          "newton"};
static const int solverCount = sizeof solverNames / sizeof solverNames[0];

const char* palSolverName(palSolver solver)
{
    return (int)solver >= 0 && (int)solver < solverCount ? solverNames[solver] : NULL;
}

palSolveSettings palDefaultSolveSettings(void)
{
    return (palSolveSettings){
        .solver = pal_solverGaussSeidel,
        .tolerance = 1e-8,
        .maxSweeps = 200,
        .relaxation = 1.0,
    };
}

bool palRun_BudgetEnded(palRun* run)
{
    bool ended = run->info->sweeps >= run->settings->maxSweeps ||
                 (run->deadline != 0 && palClock_Now() >= run->deadline);
    if (ended)
        run->info->flags |= pal_solveBudgetEnded;
    return ended;
}

static bool isFinite(const palContactProblem* problem)
{
    double sum = 0.0; // x - x is zero for every finite x
    for (int i = 0; i < problem->rows; i++)
    {
        const double* W = problem->W + (size_t)i * (size_t)problem->stride;
        sum += problem->gapFree[i] - problem->gapFree[i];
        for (int j = 0; j < problem->rows; j++)
            sum += W[j] - W[j];
    }
    return sum == 0.0;
}

// A residual that rounding can leave in δ = δ_free + W λ, m: eps times what is added up. |Wij| is
// at most √(Wii Wjj), W being semi-definite, so that no product with W is needed; asymmetric
// matrices mostly keep that too.
static double roundingFloor(const palSolveWorkspace* workspace, const double* lambda, int rows)
{
    double sum = 0.0, largest = 0.0;
    for (int i = 0; i < rows; i++)
    {
        double root = sqrt(fmax(0.0, workspace->diagonal[i]));
        largest = fmax(largest, root);
        sum += root * fabs(lambda[i]);
    }
    return DBL_EPSILON * largest * sum;
}

static double toleranceAt(const palRun* run, const double* lambda)
{
    return fmax(run->wanted, roundingFloor(run->workspace, lambda, run->problem->rows));
}

double palRun_Evaluate(palRun* run)
{
    palSolveWorkspace* workspace = run->workspace;
    double force;
    double r = palSolveWorkspace_Residual(workspace, &force);
    run->tolerance = toleranceAt(run, workspace->lambda);
    // Not finite: either the problem itself, or the iteration has diverged.
    if (!isfinite(r))
        run->info->flags |= isFinite(run->problem) ? pal_solveBudgetEnded : pal_solveNotFinite;
    if (r < workspace->bestResidual)
    {
        workspace->bestResidual = r;
        workspace->bestForce = force;
        memcpy(workspace->best, workspace->lambda, (size_t)run->problem->rows * sizeof(double));
    }
    return r;
}

void palRun_Record(palRun* run)
{
    const palSolveSettings* settings = run->settings;
    palSolveWorkspace* workspace = run->workspace;
    if (settings->history == NULL || run->info->historyCount >= settings->historyCapacity)
        return;
    double force;
    palView_Store(workspace);
    palSolveWorkspace_UpdateGap(workspace, run->problem);
    settings->history[run->info->historyCount++] = palSolveWorkspace_Residual(workspace, &force);
}

static palSolver chooseSolver(const palRun* run)
{
    palSolver solver = run->settings->solver;
    bool linear = palContactProblem_IsLinear(run->problem);
    if (solver == pal_solverAutomatic)
        solver = !run->workspace->direct ? pal_solverConjugate : pal_solverDirect;
    if (solver == pal_solverDirect && !linear)
        solver = pal_solverNewton;
    return solver;
}

// Whether W cannot be a compliance, which is symmetric and has no row with a zero on the diagonal
// and something beside it: matrices of circuits and games.
static bool isGeneral(const palSolveWorkspace* workspace, const palContactProblem* problem)
{
    bool isZero = problem->asymmetric;
    for (int i = 0; i < problem->rows && !isZero; i++)
        isZero = workspace->diagonal[i] > 0.0 &&
                 !(problem->W[(size_t)i * ((size_t)problem->stride + 1)] > 0.0);
    return isZero;
}

// Newton's method from the best λ of the direct solver, which general matrices can defeat.
static void goOnWithNewton(palRun* run)
{
    palSolveWorkspace* workspace = run->workspace;
    unsigned flags = run->info->flags;
    int n = run->problem->rows;
    memcpy(workspace->lambda, workspace->best, (size_t)n * sizeof(double));
    palSolveWorkspace_UpdateGap(workspace, run->problem);
    run->info->flags &= ~(unsigned)(pal_solveBudgetEnded | pal_solveInfeasible);
    palRun_Begin(run);
    palRun_Newton(run);
    if (workspace->bestResidual <= toleranceAt(run, workspace->best))
        run->info->solver = pal_solverNewton;
    else
        run->info->flags |= flags;
}

static void dispatch(palRun* run)
{
    palRun_Begin(run);
    if (run->info->solver == pal_solverDirect)
    {
        palRun_Direct(run);
        if (run->settings->solver == pal_solverAutomatic &&
            run->workspace->bestResidual > toleranceAt(run, run->workspace->best) &&
            isGeneral(run->workspace, run->problem))
            goOnWithNewton(run);
    }
    else if (run->info->solver == pal_solverNewton)
        palRun_Newton(run);
    else
        palRun_Sweeps(run, run->info->solver == pal_solverConjugate, INT_MAX);
}

// Writes the result and its info from the best iterate.
static void finish(palRun* run, double* lambda)
{
    palSolveWorkspace* workspace = run->workspace;
    palSolveInfo* info = run->info;
    int n = run->problem->rows;
    if (info->flags & pal_solveNotFinite)
    {
        memset(lambda, 0, (size_t)n * sizeof *lambda);
        info->residual = INFINITY;
        info->residualForce = INFINITY;
        return;
    }
    for (int i = 0; i < n; i++)
    {
        lambda[i] = workspace->scale[i] * workspace->best[i];
        info->activeRows += lambda[i] != 0.0;
    }
    run->tolerance = toleranceAt(run, workspace->best);
    double immovable = palSolveWorkspace_ImmovableResidual(workspace);
    info->residual = fmax(workspace->bestResidual, immovable);
    info->residualForce = workspace->bestForce;
    if (immovable > run->tolerance)
        info->flags |= pal_solveInfeasible;
    if (info->residual <= run->tolerance)
    {
        info->flags |= pal_solveConverged;
        info->flags &= ~(unsigned)pal_solveBudgetEnded;
    }
}

palResult palContactProblem_Solve(const palContactProblem* problem,
                                  const palSolveSettings* settings, palSolveWorkspace* workspace,
                                  double* lambda, palSolveInfo* info)
{
    int64_t start = settings->budget > 0 ? palClock_Now() : 0;
    palRun run = {
        .problem = problem,
        .settings = settings,
        .workspace = workspace,
        .info = info,
        .deadline = settings->budget > 0 ? start + settings->budget : 0,
    };
    *info = (palSolveInfo){.solver = settings->solver};
    bool pivots = settings->solver == pal_solverDirect || settings->solver == pal_solverNewton;
    if (problem->rows > workspace->maxRows || (pivots && !workspace->direct))
    {
        memset(lambda, 0, (size_t)problem->rows * sizeof *lambda);
        return pal_errorInput;
    }
    info->solver = chooseSolver(&run);
    info->scale = palContactProblem_Scale(problem);
    run.wanted = fmax(settings->tolerance * info->scale, settings->accuracy);
    workspace->kernels = settings->scalar ? &pal_rowsScalar : palRowKernels_Best();
    workspace->bestResidual = INFINITY;
    workspace->bestForce = INFINITY;
    memset(workspace->best, 0, (size_t)problem->rows * sizeof(double));
    palSolveWorkspace_Load(workspace, problem, settings->warmStart ? lambda : NULL);
    double r = palRun_Evaluate(&run);
    if (!isfinite(palContactProblem_LeastDiagonal(problem)))
        info->flags |= pal_solveNotFinite;
    else if (isfinite(r) && r > run.tolerance)
        dispatch(&run);
    finish(&run, lambda);
    return pal_ok;
}
