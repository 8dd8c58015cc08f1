// SPDX-License-Identifier: Apache-2.0
// The Newton solver, for problems on which sweeps converge slowly (sticking, redundant,
// ill-conditioned).
#include "solve/dense.h"
#include "solve/run.h"

#include <math.h>
#include <string.h>

// Newton's method on the natural map in Alart and Curnier's form ("A mixed formulation for
// frictional contact problems prone to Newton like solution methods", 1991). With x = λ − δ/w a
// contact is open (xn <= 0: λ = 0), sticking (|xt| <= μ xn: δ = 0) or sliding (δn = 0 and
// λt = μ λn d, d = xt/|xt|). Its linearisation about λ, with dδ = W dλ, P = I − d dᵀ and
// κ = μ λn/|xt| < 1, multiplied by w, is
//
//     w (I − κ P) dλt − w μ d dλn + κ P (W dλ)t = −w (λt − μ λn d).
//
// Open rows are set to zero first; the others form one dense system. A small fraction of each row's
// compliance is added to the diagonal, so that redundant rows can be solved; it slows convergence
// slightly but does not change the solution.
static const double regularization = 1e-10;

// Of proximal steps (proximal.c): ρ of the first, its factor from one to the next, and the least.
static const double firstRho = 1e-3;
static const double nextRho = 0.3;
static const double leastRho = 1e-7;
static const double leastProgress = 0.7; // factor of the residual

enum
{
    warmSweeps = 2,  // before the first step from a warm start
    failuresMax = 2, // proximal steps without progress
};

typedef struct palNewton
{
    palSolveWorkspace* workspace;
    bool transposed; // the view's columns are not its rows
    int count;       // rows of the system
    size_t stride;
    double* G;      // [count][stride]
    double* x;      // right-hand side, then dλ
    int* rows;      // [count]: the view's row
    int* systemRow; // [view rows]: the system's row; -1: not in the system
    int* pivots;
} palNewton;

// Sets λ of a unit of the view and updates δ.
static void moveUnit(palSolveWorkspace* workspace, const palUnit* unit, const double* lambda)
{
    palView* view = &workspace->view;
    double change[pal_unitMaxRows];
    bool changed = false;
    for (int i = 0; i < unit->size; i++)
    {
        change[i] = lambda[i] - view->lambda[unit->row + i];
        view->lambda[unit->row + i] = lambda[i];
        changed |= change[i] != 0.0;
    }
    if (changed)
        workspace->kernels->add(view->rows, unit->size, view->W + (size_t)unit->row * view->stride,
                                view->stride, change, view->gap);
}

// Sets λ of the units that the natural map classifies as open or at a bound, and lists the rows of
// the others.
static void chooseRows(palNewton* newton)
{
    palView* view = &newton->workspace->view;
    for (int u = 0; u < view->unitCount; u++)
    {
        const palUnit* unit = &view->units[u];
        int row = unit->row;
        double x = view->lambda[row] - view->gap[row] / unit->w;
        bool contact = unit->kind == pal_unitPyramid || unit->kind == pal_unitCone;
        bool isAtBound = unit->immovable || (unit->kind != pal_unitBilateral && x <= unit->low) ||
                         (unit->kind == pal_unitBox && x >= unit->high);
        double bound = contact || x <= unit->low ? unit->low : unit->high;
        double atBound[pal_unitMaxRows];
        for (int i = row; i < row + unit->size; i++)
        {
            atBound[i - row] = bound;
            newton->systemRow[i] = isAtBound ? -1 : newton->count;
            if (!isAtBound)
                newton->rows[newton->count++] = i;
        }
        if (isAtBound && !unit->immovable)
            moveUnit(newton->workspace, unit, atBound);
    }
    newton->stride = (size_t)palLu_Stride(newton->count);
}

static double* matrixRow(const palNewton* newton, int viewRow)
{
    return newton->G + (size_t)newton->systemRow[viewRow] * newton->stride;
}

// Writes the equation δ_i + dδ_i = 0 into the row's place in the system.
static void setGapRow(palNewton* newton, int viewRow)
{
    const palView* view = &newton->workspace->view;
    double* G = matrixRow(newton, viewRow);
    size_t along = newton->transposed ? view->stride : 1;
    const double* W = view->W + (size_t)viewRow * (newton->transposed ? 1 : view->stride);
    for (int j = 0; j < newton->count; j++)
        G[j] = W[(size_t)newton->rows[j] * along];
    for (size_t j = (size_t)newton->count; j < newton->stride; j++)
        G[j] = 0.0;
    G[newton->systemRow[viewRow]] += regularization * view->diagonal[viewRow];
    newton->x[newton->systemRow[viewRow]] = -view->gap[viewRow];
}

// An immovable row of a bilateral unit: dλ = 0.
static void setImmovableRow(palNewton* newton, int viewRow)
{
    double* G = matrixRow(newton, viewRow);
    memset(G, 0, newton->stride * sizeof(double));
    G[newton->systemRow[viewRow]] = 1.0;
    newton->x[newton->systemRow[viewRow]] = 0.0;
}

// Multiplies the tangential rows δt = 0 of the unit by κ P.
static void projectRows(const palNewton* newton, const palUnit* unit, double kappa,
                        const double* direction)
{
    int d = unit->size - 1;
    double* rows[pal_coneMaxRows];
    for (int a = 0; a < d; a++)
        rows[a] = matrixRow(newton, unit->row + 1 + a);
    for (size_t j = 0; j < newton->stride; j++)
    {
        double along = 0.0;
        for (int a = 0; a < d; a++)
            along += direction[a] * rows[a][j];
        for (int a = 0; a < d; a++)
            rows[a][j] = kappa * (rows[a][j] - along * direction[a]);
    }
}

// Turns the tangential rows δt = 0 into those of a sliding cone.
static void setSlidingRows(palNewton* newton, const palUnit* unit, const double* xt, double length)
{
    const double* lambda = newton->workspace->view.lambda + unit->row;
    int first = newton->systemRow[unit->row];
    double kappa = unit->mu * fmax(lambda[0], 0.0) / length;
    double direction[pal_coneMaxRows];
    for (int a = 1; a < unit->size; a++)
        direction[a - 1] = xt[a] / length;
    projectRows(newton, unit, kappa, direction);
    for (int a = 1; a < unit->size; a++)
    {
        double da = direction[a - 1];
        double* G = matrixRow(newton, unit->row + a);
        G[first] -= unit->w * unit->mu * da;
        for (int b = 1; b < unit->size; b++)
        {
            double one = a == b ? 1.0 : 0.0;
            G[first + b] += unit->w * (one - kappa * (one - da * direction[b - 1]));
        }
        newton->x[first + a] = -unit->w * (lambda[a] - unit->mu * lambda[0] * da);
    }
}

static void setConeRows(palNewton* newton, const palUnit* unit)
{
    const palView* view = &newton->workspace->view;
    const double* lambda = view->lambda + unit->row;
    const double* gap = view->gap + unit->row;
    double xt[pal_coneMaxRows];
    double square = 0.0;
    for (int i = 1; i < unit->size; i++)
    {
        xt[i] = lambda[i] - gap[i] / unit->w;
        square += xt[i] * xt[i];
    }
    double length = sqrt(square);
    bool sticks = length <= unit->mu * (lambda[0] - gap[0] / unit->w);
    for (int i = 0; i < unit->size; i++)
        setGapRow(newton, unit->row + i);
    if (!sticks)
        setSlidingRows(newton, unit, xt, length);
}

static void setPyramidRows(palNewton* newton, const palUnit* unit)
{
    const palView* view = &newton->workspace->view;
    const double* lambda = view->lambda + unit->row;
    int first = newton->systemRow[unit->row];
    setGapRow(newton, unit->row);
    for (int i = 1; i < unit->size; i++)
    {
        double w = view->diagonal[unit->row + i];
        double limit = unit->mu * lambda[0];
        double x = w > 0.0 ? lambda[i] - view->gap[unit->row + i] / w : 0.0;
        if (w > 0.0 && fabs(x) < limit)
        {
            setGapRow(newton, unit->row + i);
            continue;
        }
        // λt = ± μ λn; an immovable tangential row has no force.
        double mu = w > 0.0 ? copysign(unit->mu, x) : 0.0;
        double* G = matrixRow(newton, unit->row + i);
        memset(G, 0, newton->stride * sizeof(double));
        G[first + i] = unit->w;
        G[first] = -unit->w * mu;
        newton->x[first + i] = -unit->w * (lambda[i] - mu * lambda[0]);
    }
}

static void fillSystem(palNewton* newton)
{
    const palView* view = &newton->workspace->view;
    for (int u = 0; u < view->unitCount; u++)
    {
        const palUnit* unit = &view->units[u];
        if (newton->systemRow[unit->row] < 0)
            continue;
        if (unit->kind == pal_unitCone)
            setConeRows(newton, unit);
        else if (unit->kind == pal_unitPyramid)
            setPyramidRows(newton, unit);
        else
            for (int i = unit->row; i < unit->row + unit->size; i++)
                (view->diagonal[i] > 0.0 ? setGapRow : setImmovableRow)(newton, i);
    }
}

// Sets λ = P(start + t dλ) unit by unit and updates δ.
static void moveAlong(palNewton* newton, const double* start, double t)
{
    palView* view = &newton->workspace->view;
    for (int u = 0; u < view->unitCount; u++)
    {
        const palUnit* unit = &view->units[u];
        double lambda[pal_unitMaxRows];
        if (newton->systemRow[unit->row] < 0)
            continue;
        for (int i = 0; i < unit->size; i++)
            lambda[i] = start[unit->row + i] + t * newton->x[newton->systemRow[unit->row + i]];
        palUnit_Project(unit, lambda);
        moveUnit(newton->workspace, unit, lambda);
    }
}

// One step, halved up to twice. Returns the ratio of the residual to the previous one; if it is not
// below 1, the view is unchanged.
static double newtonStep(palRun* run)
{
    palSolveWorkspace* workspace = run->workspace;
    palView* view = &workspace->view;
    size_t n = (size_t)workspace->maxRows;
    size_t size = (size_t)view->rows * sizeof(double);
    palNewton newton = {
        .workspace = workspace,
        .transposed = run->problem->asymmetric,
        .G = workspace->matrix,
        .x = workspace->vectors,
        .rows = workspace->indices,
        .systemRow = workspace->indices + n,
        .pivots = workspace->indices + 2 * n,
    };
    double before = palView_Residual(view);
    memcpy(workspace->oldLambda, view->lambda, size);
    memcpy(workspace->oldGap, view->gap, size);
    chooseRows(&newton);
    fillSystem(&newton);
    double* start = workspace->direction;
    memcpy(start, view->lambda, size);
    double after = INFINITY;
    if (palLu_Factor(newton.count, newton.G, newton.stride, workspace->kernels, newton.pivots))
    {
        palLu_Solve(newton.count, newton.G, newton.stride, workspace->kernels, newton.pivots,
                    newton.x);
        double t = 1.0;
        for (int half = 0; half < 3 && !(after < before); half++, t *= 0.5)
        {
            moveAlong(&newton, start, t);
            after = palView_Residual(view);
        }
    }
    run->info->sweeps++;
    if (after < before)
        return after / before;
    memcpy(view->lambda, workspace->oldLambda, size);
    memcpy(view->gap, workspace->oldGap, size);
    return 1.0;
}

// Newton steps while they reduce the residual. Returns true if the solve has ended.
static bool newtonSteps(palRun* run, bool* improved)
{
    double ratio = 0.0;
    while (ratio < 0.5 && !palRun_BudgetEnded(run))
    {
        ratio = newtonStep(run);
        palRun_Record(run);
        *improved = *improved || ratio < 0.5;
        palView_Store(run->workspace);
        if (ratio < 1.0 && palRun_FinishStep(run))
            return true;
    }
    return false;
}

// Returns to the best λ of all.
static void restoreBest(palRun* run)
{
    palSolveWorkspace* workspace = run->workspace;
    palView* view = &workspace->view;
    for (int i = 0; i < view->rows; i++)
        view->lambda[i] = workspace->best[view->source[i]];
    palView_Store(workspace);
    palRun_FinishStep(run);
}

// Proximal steps, each followed by Newton steps, while they reduce the residual. Returns true if
// the solve has ended.
static bool proximalSteps(palRun* run)
{
    double best = INFINITY, rho = firstRho;
    for (int failures = 0; failures <= failuresMax; rho = fmax(nextRho * rho, leastRho))
    {
        double residual = palView_Residual(&run->workspace->view);
        failures += residual > leastProgress * best;
        best = fmin(best, residual);
        bool improved = false;
        if (!palRun_Proximal(run, rho))
            break;
        if (palRun_FinishStep(run) || newtonSteps(run, &improved))
            return true;
    }
    restoreBest(run);
    return false;
}

void palRun_Newton(palRun* run)
{
    // A step costs about as much as rows / 4 sweeps. With a warm start nearly all active rows are
    // known, and few sweeps find the rest.
    int many = 10 + run->workspace->view.rows / 4;
    int sweeps = run->settings->warmStart ? warmSweeps : many;
    bool conjugate = false;
    while (!palRun_Sweeps(run, conjugate, run->info->sweeps + sweeps))
    {
        bool improved = false;
        if (newtonSteps(run, &improved))
            return;
        if (improved)
            continue;
        // The rows are redundant, or λ is still too far from the solution: then more sweeps are
        // done before the next step.
        if (proximalSteps(run))
            return;
        sweeps *= 2;
        conjugate = sweeps >= many;
    }
}
