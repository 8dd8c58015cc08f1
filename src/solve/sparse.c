// SPDX-License-Identifier: Apache-2.0
#include "solve/sparse.h"

#include "base/clock.h"
#include "solve/anderson.h"
#include "solve/sparse_workspace.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

// The state of one solve.
typedef struct palSparseRun
{
    const palSparseProblem* problem;
    const palSolveSettings* settings;
    palSparseWorkspace* workspace;
    palSolveInfo* info;
    double wanted;        // of the residual, m
    double tolerance;     // m: the same, or what rounding leaves at the last λ if that is more
    bool isBest;          // workspace->lambda and u' are those of the best iterate
    double immovable;     // the residual of the units that no force moves, m
    int64_t deadline;     // ns, 0: none
    palAnderson anderson; // of accelerated sweeps
} palSparseRun;

static bool isFiniteTwist(palVec3 a, palVec3 b)
{
    double sum = a.x + a.y + a.z + b.x + b.y + b.z;
    return sum - sum == 0.0;
}

static bool isFinite(const palSparseProblem* problem)
{
    double sum = problem->h - problem->h; // x - x is zero for every finite x
    for (int i = 0; i < problem->bodyCount; i++)
    {
        const double(*I)[3] = problem->bodies[i].inertia.m;
        sum += problem->bodies[i].mass - problem->bodies[i].mass;
        for (int k = 0; k < 9; k++)
            sum += I[k / 3][k % 3] - I[k / 3][k % 3];
        for (int k = 0; k < 36 && problem->bodies[i].coupled != NULL; k++)
        {
            double entry = problem->bodies[i].coupled[k / 18][k / 9 % 2].m[k / 3 % 3][k % 3];
            sum += entry - entry;
        }
    }
    for (int i = 0; i < problem->rows; i++)
    {
        const palWrench* wrench = problem->J[i].wrench;
        sum += problem->gapFree[i] - problem->gapFree[i];
        sum += problem->softness[i] - problem->softness[i];
        for (int e = 0; e < 2; e++)
            sum += isFiniteTwist(wrench[e].force, wrench[e].torque) ? 0.0 : NAN;
    }
    return sum == 0.0;
}

static double norm(const double* row)
{
    double square = 0.0;
    for (int k = 0; k < pal_bodyDofs; k++)
        square += row[k] * row[k];
    return sqrt(square);
}

// A residual that rounding can leave in δ, m: eps times what J' u' of a row adds up.
static double roundingFloor(palSparseRun* run)
{
    palSparseWorkspace* workspace = run->workspace;
    double* sums = workspace->sums; // Σ |J'| |λ| of each body
    double worst = 0.0;
    memset(sums, 0, ((size_t)run->problem->bodyCount + 1) * sizeof *sums);
    for (int pass = 0; pass < 2; pass++)
        for (int u = 0; u < workspace->unitCount; u++)
        {
            const palSparseUnit* unit = &workspace->units[u];
            for (int i = unit->unit.row; i < unit->unit.row + unit->unit.size; i++)
                for (int e = 0; e < 2; e++)
                    if (pass == 0)
                        sums[unit->slots[e]] +=
                            norm(workspace->J[i].on[e]) * fabs(workspace->lambda[i]);
                    else
                        worst = fmax(worst, norm(workspace->J[i].on[e]) * sums[unit->slots[e]]);
        }
    return DBL_EPSILON * worst;
}

// The residual of workspace->lambda, m; keeps it if it is the best so far. Where one is wanted, u'
// is computed anew, and no smaller residual is wanted than rounding leaves.
static double evaluate(palSparseRun* run)
{
    palSparseWorkspace* workspace = run->workspace;
    double force;
    if (run->wanted > 0.0)
        palSparseWorkspace_UpdateTwists(workspace, run->problem);
    double r = palSparseWorkspace_Residual(workspace, &force, &run->immovable);
    // Not finite: either the problem itself, or the iteration has diverged.
    if (!isfinite(r))
        run->info->flags |= isFinite(run->problem) ? pal_solveBudgetEnded : pal_solveNotFinite;
    run->isBest = r < workspace->bestResidual;
    if (run->isBest)
    {
        workspace->bestResidual = r;
        workspace->bestForce = force;
        run->tolerance = r > run->wanted && run->wanted > 0.0
                             ? fmax(run->wanted, roundingFloor(run))
                             : run->wanted;
        memcpy(workspace->best, workspace->lambda, (size_t)run->problem->rows * sizeof(double));
    }
    return r;
}

static bool isEnded(const palSparseRun* run)
{
    return run->workspace->bestResidual <= run->tolerance ||
           run->info->flags & (pal_solveBudgetEnded | pal_solveNotFinite);
}

static bool budgetEnded(palSparseRun* run)
{
    bool ended = run->info->sweeps >= run->settings->maxSweeps ||
                 (run->deadline != 0 && palClock_Now() >= run->deadline);
    if (ended)
        run->info->flags |= pal_solveBudgetEnded;
    return ended;
}

static void record(palSparseRun* run)
{
    const palSolveSettings* settings = run->settings;
    double force, immovable;
    if (settings->history != NULL && run->info->historyCount < settings->historyCapacity)
        settings->history[run->info->historyCount++] =
            palSparseWorkspace_Residual(run->workspace, &force, &immovable);
}

// A sweep, and an extrapolation from the last ones.
static void acceleratedSweep(palSparseRun* run)
{
    palSparseWorkspace* workspace = run->workspace;
    palAnderson_Begin(&run->anderson, workspace->lambda);
    palSparseWorkspace_Sweep(workspace, run->settings->relaxation);
    if (!palAnderson_End(&run->anderson, workspace->diagonal, workspace->lambda))
        return;
    for (int u = 0; u < workspace->unitCount; u++)
        palUnit_Project(&workspace->units[u].unit,
                        workspace->lambda + workspace->units[u].unit.row);
    palSparseWorkspace_UpdateTwists(workspace, run->problem);
}

// Sweeps until the residual is within the tolerance or the budget ends. The residual of all units
// costs about as much as a sweep and is computed after every eighth part of the sweeps so far.
static void sweep(palSparseRun* run)
{
    bool isAccelerated = run->info->solver == pal_solverConjugate;
    int next = run->settings->tolerance > 0.0 ? 1 : INT_MAX;
    while (!isEnded(run) && !budgetEnded(run))
    {
        if (isAccelerated)
            acceleratedSweep(run);
        else
            palSparseWorkspace_Sweep(run->workspace, run->settings->relaxation);
        int sweeps = ++run->info->sweeps;
        record(run);
        if (sweeps < next)
            continue;
        evaluate(run);
        next = sweeps + 1 + sweeps / 8;
    }
    evaluate(run);
}

// Writes the result and its info from the best iterate.
static void finish(palSparseRun* run, double* lambda, palTwist* displacement)
{
    const palSparseProblem* problem = run->problem;
    palSparseWorkspace* workspace = run->workspace;
    palSolveInfo* info = run->info;
    bool isNumber = !(info->flags & pal_solveNotFinite);
    if (!isNumber)
        memset(workspace->best, 0, (size_t)problem->rows * sizeof(double));
    if (!run->isBest || !isNumber)
    {
        memcpy(workspace->lambda, workspace->best, (size_t)problem->rows * sizeof(double));
        palSparseWorkspace_UpdateTwists(workspace, problem);
    }
    for (int i = 0; i < problem->rows; i++)
    {
        lambda[i] = workspace->scale[i] * workspace->best[i];
        info->activeRows += lambda[i] != 0.0;
    }
    for (int i = 0; i < problem->bodyCount; i++)
        displacement[i] = isNumber ? palSparseWorkspace_Displacement(workspace, i) : (palTwist){0};
    info->residual = isNumber ? fmax(workspace->bestResidual, run->immovable) : INFINITY;
    info->residualForce = isNumber ? workspace->bestForce : INFINITY;
    if (!isNumber)
        return;
    if (run->immovable > run->tolerance)
        info->flags |= pal_solveInfeasible;
    if (info->residual <= run->tolerance)
    {
        info->flags |= pal_solveConverged;
        info->flags &= ~(unsigned)pal_solveBudgetEnded;
    }
}

palResult palSparseProblem_Solve(const palSparseProblem* problem, const palSolveSettings* settings,
                                 palSparseWorkspace* workspace, double* lambda,
                                 palTwist* displacement, palSolveInfo* info)
{
    palSparseRun run = {
        .problem = problem,
        .settings = settings,
        .workspace = workspace,
        .info = info,
        .anderson = palMakeAnderson(problem->rows,
                                    settings->scalar ? &pal_rowsScalar : palRowKernels_Best(),
                                    workspace->history),
        .deadline = settings->budget > 0 ? palClock_Now() + settings->budget : 0,
    };
    bool isPlain = settings->solver == pal_solverGaussSeidel;
    *info = (palSolveInfo){.solver = isPlain ? pal_solverGaussSeidel : pal_solverConjugate};
    if (problem->bodyCount > workspace->bodiesMax || problem->rows > workspace->rowsMax ||
        problem->blockCount > workspace->blocksMax)
    {
        memset(lambda, 0, (size_t)problem->rows * sizeof *lambda);
        memset(displacement, 0, (size_t)problem->bodyCount * sizeof *displacement);
        return pal_errorInput;
    }
    memset(workspace->best, 0, (size_t)problem->rows * sizeof(double));
    workspace->bestResidual = workspace->bestForce = INFINITY;
    info->scale = palSparseWorkspace_Load(workspace, problem, settings->warmStart ? lambda : NULL);
    run.tolerance = run.wanted = fmax(settings->tolerance * info->scale, settings->accuracy);
    if (!isfinite(info->scale))
        info->flags |= pal_solveNotFinite;
    else if (settings->tolerance > 0.0)
        evaluate(&run);
    if (!isEnded(&run))
        sweep(&run);
    finish(&run, lambda, displacement);
    return pal_ok;
}

//--------------------------------------------------------------------------------------------------
// The dense problem

// wrench · h² M⁻¹ other
static double compliance(const palInverseMass* body, double h, const palWrench* wrench,
                         const palWrench* other)
{
    if (body->coupled != NULL)
    {
        const palMat3(*inverse)[2] = body->coupled;
        palVec3 v = palAdd(palMat3Apply(inverse[0][0], other->force),
                           palMat3Apply(inverse[0][1], other->torque));
        palVec3 omega = palAdd(palMat3Apply(inverse[1][0], other->force),
                               palMat3Apply(inverse[1][1], other->torque));
        return h * h * (palDot(wrench->force, v) + palDot(wrench->torque, omega));
    }
    return h * h *
           (body->mass * palDot(wrench->force, other->force) +
            palDot(wrench->torque, palMat3Apply(body->inertia, other->torque)));
}

// Adds what two blocks share through an end of each to W.
static void addShared(const palSparseProblem* problem, int b, int e, int c, int f, double* W)
{
    const palContactBlock* rows = &problem->blocks[b];
    const palContactBlock* columns = &problem->blocks[c];
    const palInverseMass* body = &problem->bodies[problem->ends[b][e]];
    for (int i = rows->row; i < rows->row + rows->size; i++)
        for (int j = columns->row; j < columns->row + columns->size; j++)
            W[(size_t)i * (size_t)problem->rows + (size_t)j] +=
                compliance(body, problem->h, &problem->J[i].wrench[e], &problem->J[j].wrench[f]);
}

void palSparseProblem_Dense(const palSparseProblem* problem, double* W)
{
    size_t n = (size_t)problem->rows;
    memset(W, 0, n * n * sizeof *W);
    for (int b = 0; b < problem->blockCount; b++)
        for (int c = 0; c <= b; c++)
            for (int e = 0; e < 2; e++)
                for (int f = 0; f < 2; f++)
                    if (problem->ends[b][e] >= 0 && problem->ends[b][e] == problem->ends[c][f])
                        addShared(problem, b, e, c, f, W);
    for (size_t i = 0; i < n; i++)
    {
        W[i * n + i] += problem->softness[i];
        for (size_t j = 0; j < i; j++)
            W[j * n + i] = W[i * n + j];
    }
}
