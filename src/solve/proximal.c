// SPDX-License-Identifier: Apache-2.0
// The proximal solver, for problems on which Newton steps fail: contacts that stick and outnumber
// the degrees of freedom, so that their states are not determined.
#include "solve/dense.h"
#include "solve/run.h"

#include <math.h>
#include <string.h>

// The proximal method of multipliers (Rockafellar 1976), its problems by a semismooth Newton method
// on their dual. With ε = ρ w, λ_k the present forces and s = μ |δt| on normal rows (De Saxcé's
// shift, from the present δ), λ_(k+1) satisfies the law of a problem that is regular however many
// rows of W depend on each other:
//
//     λ = P(z),   z = λ_k − (δ(λ) + s)/ε
//
// It is y at the minimum of the convex function
//
//     f(y) = ½ yᵀ W y + Σ ε φ(z(y)),   φ' = P,   ∇f = W (y − P(z)),
//
// to which Newton steps with V = P'(z) lead from anywhere, with a line search:
//
//     (ε I + V W) dy = −ε (y − P(z)).
//
// From one of these problems to the next ρ decreases, which makes the convergence faster than
// linear.
static const double solvedShare = 0.1;    // of the residual: accuracy of λ_(k+1)
static const double leastDecrease = 1e-4; // of f in a step: share of what its slope says

enum
{
    rowsMax = 96, // a step costs the cube of the rows
    halvingsMax = 12,
    stepsMax = 20,
};

typedef struct palProximal
{
    palSolveWorkspace* workspace;
    int n; // rows of the view
    double rho;
    double* start;   // [n]: λ_k, N
    double* y;       // [n], N
    double* Wy;      // [n], m
    double* shifted; // [n]: δ(y) + s, m
    double* dGap;    // [n]: W dy, m
} palProximal;

// z of a unit after a step t.
static void target(const palProximal* p, const palUnit* unit, double t, double* z)
{
    const palView* view = &p->workspace->view;
    double epsilon = p->rho * unit->w;
    for (int i = 0; i < unit->size; i++)
    {
        int r = unit->row + i;
        bool isFixed = unit->immovable || view->diagonal[r] == 0.0;
        z[i] = p->start[r] - (isFixed ? 0.0 : (p->shifted[r] + t * p->dGap[r]) / epsilon);
    }
}

// Writes P(z) after a step t to the view's λ. Returns Σ ε φ(z).
static double project(palProximal* p, double t)
{
    palView* view = &p->workspace->view;
    double sum = 0.0;
    for (int u = 0; u < view->unitCount; u++)
    {
        const palUnit* unit = &view->units[u];
        double* lambda = view->lambda + unit->row;
        double z[pal_unitMaxRows];
        target(p, unit, t, z);
        memcpy(lambda, z, (size_t)unit->size * sizeof *z);
        if (!unit->immovable)
            palUnit_Project(unit, lambda);
        for (int i = 0; i < unit->size; i++)
            sum += 0.5 * p->rho * unit->w * lambda[i] * (2.0 * z[i] - lambda[i]);
    }
    return sum;
}

// P'(z) of a cone between it and its polar, [n][n].
static void coneDerivative(int n, double mu, const double* z, double length, double* V)
{
    double c = 1.0 / (1.0 + mu * mu);
    double across = mu * c * (z[0] + mu * length) / length;
    V[0] = c;
    for (int i = 1; i < n; i++)
    {
        double di = z[i] / length;
        V[i] = V[i * n] = c * mu * di;
        for (int j = 1; j < n; j++)
        {
            double dd = di * z[j] / length;
            V[i * n + j] = mu * mu * c * dd + across * ((i == j) - dd);
        }
    }
}

// V = P'(z) of a unit, [size][size].
static void derivative(const palUnit* unit, const double* z, double* V)
{
    int n = unit->size;
    bool isCone = unit->kind == pal_unitCone;
    double square = 0.0;
    for (int i = 1; i < n && isCone; i++)
        square += z[i] * z[i];
    double length = sqrt(square);
    bool isInside = unit->kind == pal_unitBilateral ||
                    (isCone ? length <= unit->mu * z[0] : z[0] > unit->low && z[0] < unit->high);
    for (int i = 0; i < n * n; i++)
        V[i] = isInside && i % (n + 1) == 0 ? 1.0 : 0.0;
    if (isCone && !isInside && unit->mu * length > -z[0])
        coneDerivative(n, unit->mu, z, length, V);
}

// The rows of a unit in the system.
static void fillUnit(const palProximal* p, const palUnit* unit, size_t stride)
{
    palSolveWorkspace* workspace = p->workspace;
    const palView* view = &workspace->view;
    double epsilon = p->rho * unit->w;
    double z[pal_unitMaxRows], V[pal_unitMaxRows * pal_unitMaxRows];
    target(p, unit, 0.0, z);
    derivative(unit, z, V);
    for (int i = 0; i < unit->size; i++)
    {
        int r = unit->row + i;
        double* G = workspace->matrix + (size_t)r * stride;
        bool isFixed = unit->immovable || view->diagonal[r] == 0.0;
        memset(G, 0, stride * sizeof *G);
        G[r] = isFixed ? 1.0 : epsilon;
        workspace->direction[r] = isFixed ? 0.0 : epsilon * (view->lambda[r] - p->y[r]);
        if (!isFixed)
            workspace->kernels->add(p->n, unit->size, view->W + (size_t)unit->row * view->stride,
                                    view->stride, V + i * unit->size, G);
    }
}

// One Newton step. Returns false where the system cannot be solved.
static bool step(palProximal* p)
{
    palSolveWorkspace* workspace = p->workspace;
    palView* view = &workspace->view;
    const palRowKernels* kernels = workspace->kernels;
    size_t stride = (size_t)palLu_Stride(p->n);
    double* dy = workspace->direction;
    for (int u = 0; u < view->unitCount; u++)
        fillUnit(p, &view->units[u], stride);
    if (!palLu_Factor(p->n, workspace->matrix, stride, kernels, workspace->indices))
        return false;
    palLu_Solve(p->n, workspace->matrix, stride, kernels, workspace->indices, dy);
    double before = project(p, 0.0), slope = 0.0, linear = 0.0, square = 0.0;
    memset(p->dGap, 0, (size_t)p->n * sizeof *p->dGap);
    kernels->add(p->n, p->n, view->W, view->stride, dy, p->dGap);
    for (int i = 0; i < p->n; i++)
    {
        slope += (p->y[i] - view->lambda[i]) * p->dGap[i];
        linear += dy[i] * p->Wy[i];
        square += dy[i] * p->dGap[i];
    }
    double t = 2.0, change;
    int halvings = 0;
    do
    {
        t *= 0.5;
        change = project(p, t) - before + t * linear + 0.5 * t * t * square;
    } while (!(change <= leastDecrease * t * slope) && ++halvings < halvingsMax);
    for (int i = 0; i < p->n; i++)
    {
        p->y[i] += t * dy[i];
        p->Wy[i] += t * p->dGap[i];
        p->shifted[i] += t * p->dGap[i];
    }
    return true;
}

// Begins at the view's λ.
static palProximal begin(palRun* run, double rho)
{
    palSolveWorkspace* workspace = run->workspace;
    const palView* view = &workspace->view;
    size_t n = (size_t)workspace->maxRows, size = (size_t)view->rows * sizeof(double);
    palProximal p = {
        .workspace = workspace,
        .n = view->rows,
        .rho = rho,
        .start = workspace->oldLambda,
        .y = workspace->vectors,
        .Wy = workspace->vectors + n,
        .shifted = workspace->oldGap,
        .dGap = workspace->directionGap,
    };
    memcpy(p.start, view->lambda, size);
    memcpy(p.y, view->lambda, size);
    memcpy(p.shifted, view->gap, size);
    memset(p.dGap, 0, size);
    for (int i = 0; i < p.n; i++)
    {
        int row = view->source[i];
        p.Wy[i] = view->gap[i] - workspace->scale[row] * run->problem->gapFree[row];
    }
    for (int u = 0; u < view->unitCount; u++)
    {
        const palUnit* unit = &view->units[u];
        double square = 0.0;
        for (int i = 1; i < unit->size && unit->kind == pal_unitCone; i++)
            square += view->gap[unit->row + i] * view->gap[unit->row + i];
        p.shifted[unit->row] += unit->mu * sqrt(square);
    }
    project(&p, 0.0);
    return p;
}

// How far y is from P(z), m.
static double errorOf(const palProximal* p)
{
    const palView* view = &p->workspace->view;
    double worst = 0.0;
    for (int u = 0; u < view->unitCount; u++)
        for (int r = view->units[u].row; r < view->units[u].row + view->units[u].size; r++)
            worst = fmax(worst, view->units[u].w * fabs(view->lambda[r] - p->y[r]));
    return worst;
}

static bool isSuited(const palRun* run)
{
    const palView* view = &run->workspace->view;
    for (int u = 0; u < view->unitCount; u++)
        if (view->units[u].kind == pal_unitPyramid)
            return false;
    return !run->problem->asymmetric && view->rows <= rowsMax;
}

bool palRun_Proximal(palRun* run, double rho)
{
    if (!isSuited(run))
        return false;
    double residual = palView_Residual(&run->workspace->view);
    palProximal p = begin(run, rho);
    for (int steps = 0; steps < stepsMax && !palRun_BudgetEnded(run); steps++)
    {
        if (!step(&p))
            break;
        run->info->sweeps++;
        palRun_Record(run);
        if (errorOf(&p) <= solvedShare * residual)
        {
            palView_Store(run->workspace);
            return true;
        }
    }
    return false;
}
