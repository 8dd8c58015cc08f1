// SPDX-License-Identifier: Apache-2.0
// The Newton solver: for problems on which sweeps crawl (sticking, redundant, ill-conditioned).
#include "solve/dense.h"
#include "solve/run.h"

#include <math.h>
#include <string.h>

// Newton's method on the natural map in Alart and Curnier's form ("A mixed formulation for
// frictional contact problems prone to Newton like solution methods", 1991). With x = λ − δ/w a
// contact is open (xn <= 0: λ = 0), sticking (|xt| <= μ xn: δ = 0) or sliding (δn = 0 and
// λt = μ λn d, d = xt/|xt|). Its linearisation about λ, with dδ = W dλ, P = I − d dᵀ and
// κ = μ λn/|xt| < 1, is, multiplied by w,
//     w (I − κ P) dλt − w μ d dλn + κ P (W dλ)t = −w (λt − μ λn d).
// Open rows are put to rest first; the others make one dense system. A share of each row's own
// compliance on the diagonal keeps redundant rows solvable; it delays, and does not move, the root.
static const double regularization = 1e-10;

enum
{
    warmSweeps = 2, // before the first step from a warm start
};

typedef struct palNewton
{
    palSolveWorkspace* workspace;
    bool transposed; // the view's columns are not its rows
    int count;       // rows of the system
    size_t stride;
    double* G;  // [count][stride]
    double* x;  // right-hand side, then dλ
    int* rows;  // [count]: the view's row
    int* place; // [view rows]: the system's row, -1 at rest
    int* pivots;
} palNewton;

// Moves a unit of the view to a new λ, with δ.
static void moveUnit(palSolveWorkspace* workspace, const palUnit* unit, const double* lambda)
{
    palView* view = &workspace->view;
    double change[pal_unitMaxRows];
    bool moves = false;
    for (int i = 0; i < unit->size; i++)
    {
        change[i] = lambda[i] - view->lambda[unit->row + i];
        view->lambda[unit->row + i] = lambda[i];
        moves |= change[i] != 0.0;
    }
    if (moves)
        workspace->kernels->add(view->rows, unit->size, view->W + (size_t)unit->row * view->stride,
                                view->stride, change, view->gap);
}

// Puts to rest what the natural map says is open or at a bound, and lists the other rows.
static void chooseRows(palNewton* newton)
{
    palView* view = &newton->workspace->view;
    for (int u = 0; u < view->unitCount; u++)
    {
        const palUnit* unit = &view->units[u];
        int row = unit->row;
        double x = view->lambda[row] - view->gap[row] / unit->w;
        bool contact = unit->kind == pal_unitPyramid || unit->kind == pal_unitCone;
        bool rests = unit->dead || (unit->kind != pal_unitBilateral && x <= unit->low) ||
                     (unit->kind == pal_unitBox && x >= unit->high);
        double bound = contact || x <= unit->low ? unit->low : unit->high;
        double atBound[pal_unitMaxRows];
        for (int i = row; i < row + unit->size; i++)
        {
            atBound[i - row] = bound;
            newton->place[i] = rests ? -1 : newton->count;
            if (!rests)
                newton->rows[newton->count++] = i;
        }
        if (rests && !unit->dead)
            moveUnit(newton->workspace, unit, atBound);
    }
    newton->stride = (size_t)palLu_Stride(newton->count);
}

static double* systemRow(const palNewton* newton, int viewRow)
{
    return newton->G + (size_t)newton->place[viewRow] * newton->stride;
}

// The row δ_i = 0 in its place: dδ of the system's rows, and what is left of δ.
static void setGapRow(palNewton* newton, int viewRow)
{
    const palView* view = &newton->workspace->view;
    double* G = systemRow(newton, viewRow);
    size_t along = newton->transposed ? view->stride : 1;
    const double* W = view->W + (size_t)viewRow * (newton->transposed ? 1 : view->stride);
    for (int j = 0; j < newton->count; j++)
        G[j] = W[(size_t)newton->rows[j] * along];
    for (size_t j = (size_t)newton->count; j < newton->stride; j++)
        G[j] = 0.0;
    G[newton->place[viewRow]] += regularization * view->diagonal[viewRow];
    newton->x[newton->place[viewRow]] = -view->gap[viewRow];
}

// A row of a joint that nothing moves: its force stays.
static void setStillRow(palNewton* newton, int viewRow)
{
    double* G = systemRow(newton, viewRow);
    memset(G, 0, newton->stride * sizeof(double));
    G[newton->place[viewRow]] = 1.0;
    newton->x[newton->place[viewRow]] = 0.0;
}

// κ P times the rows δt = 0 that stand there.
static void turnRows(const palNewton* newton, const palUnit* unit, double kappa,
                     const double* direction)
{
    int d = unit->size - 1;
    double* rows[pal_coneMaxRows];
    for (int a = 0; a < d; a++)
        rows[a] = systemRow(newton, unit->row + 1 + a);
    for (size_t j = 0; j < newton->stride; j++)
    {
        double along = 0.0;
        for (int a = 0; a < d; a++)
            along += direction[a] * rows[a][j];
        for (int a = 0; a < d; a++)
            rows[a][j] = kappa * (rows[a][j] - along * direction[a]);
    }
}

// The tangential rows of a sliding cone, from those of δt = 0.
static void turnSliding(palNewton* newton, const palUnit* unit, const double* xt, double length)
{
    const double* lambda = newton->workspace->view.lambda + unit->row;
    int place = newton->place[unit->row];
    double kappa = unit->mu * fmax(lambda[0], 0.0) / length;
    double direction[pal_coneMaxRows];
    for (int a = 1; a < unit->size; a++)
        direction[a - 1] = xt[a] / length;
    turnRows(newton, unit, kappa, direction);
    for (int a = 1; a < unit->size; a++)
    {
        double da = direction[a - 1];
        double* G = systemRow(newton, unit->row + a);
        G[place] -= unit->w * unit->mu * da;
        for (int b = 1; b < unit->size; b++)
        {
            double one = a == b ? 1.0 : 0.0;
            G[place + b] += unit->w * (one - kappa * (one - da * direction[b - 1]));
        }
        newton->x[place + a] = -unit->w * (lambda[a] - unit->mu * lambda[0] * da);
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
        turnSliding(newton, unit, xt, length);
}

static void setPyramidRows(palNewton* newton, const palUnit* unit)
{
    const palView* view = &newton->workspace->view;
    const double* lambda = view->lambda + unit->row;
    int place = newton->place[unit->row];
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
        // λt = ± μ λn; a tangent that nothing moves carries nothing.
        double mu = w > 0.0 ? copysign(unit->mu, x) : 0.0;
        double* G = systemRow(newton, unit->row + i);
        memset(G, 0, newton->stride * sizeof(double));
        G[place + i] = unit->w;
        G[place] = -unit->w * mu;
        newton->x[place + i] = -unit->w * (lambda[i] - mu * lambda[0]);
    }
}

static void fillSystem(palNewton* newton)
{
    const palView* view = &newton->workspace->view;
    for (int u = 0; u < view->unitCount; u++)
    {
        const palUnit* unit = &view->units[u];
        if (newton->place[unit->row] < 0)
            continue;
        if (unit->kind == pal_unitCone)
            setConeRows(newton, unit);
        else if (unit->kind == pal_unitPyramid)
            setPyramidRows(newton, unit);
        else
            for (int i = unit->row; i < unit->row + unit->size; i++)
                (view->diagonal[i] > 0.0 ? setGapRow : setStillRow)(newton, i);
    }
}

// λ = P(start + t dλ), unit by unit, with δ.
static void moveAlong(palNewton* newton, const double* start, double t)
{
    palView* view = &newton->workspace->view;
    for (int u = 0; u < view->unitCount; u++)
    {
        const palUnit* unit = &view->units[u];
        double lambda[pal_unitMaxRows];
        if (newton->place[unit->row] < 0)
            continue;
        for (int i = 0; i < unit->size; i++)
            lambda[i] = start[unit->row + i] + t * newton->x[newton->place[unit->row + i]];
        palUnit_Project(unit, lambda);
        moveUnit(newton->workspace, unit, lambda);
    }
}

// One step, halved up to twice. Returns the residual's ratio to the one before; where it is not
// below 1 the view is as it was.
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
        .place = workspace->indices + n,
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

void palRun_Newton(palRun* run)
{
    palSolveWorkspace* workspace = run->workspace;
    // A step costs as much as about a quarter as many sweeps as there are rows. A warm start knows
    // which rows act but for a few, which few sweeps find.
    int many = 10 + workspace->view.rows / 4;
    int sweeps = run->settings->warmStart ? warmSweeps : many;
    bool conjugate = false;
    while (!palRun_Sweeps(run, conjugate, run->info->sweeps + sweeps))
    {
        double ratio = 0.0;
        bool improved = false;
        while (ratio < 0.5 && !palRun_BudgetEnded(run))
        {
            ratio = newtonStep(run);
            palRun_Record(run);
            improved |= ratio < 0.5;
            palView_Store(workspace);
            if (ratio < 1.0 && palRun_Settle(run))
                return;
        }
        // Too far from the root still: more sweeps before the next step.
        sweeps = improved ? sweeps : 2 * sweeps;
        conjugate = sweeps >= many;
    }
}
