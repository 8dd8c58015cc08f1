// SPDX-License-Identifier: Apache-2.0
#include "solve/unit.h"

#include "solve/cone.h"

#include <math.h>

// x clamped to [low, high]; NaN stays NaN.
static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

// A pivot smaller than this fraction of its diagonal entry is rounding error: the row is linearly
// dependent.
static const double relativePivotMin = 1e-12;

// Inverts the symmetric block A by Gauss-Jordan elimination with diagonal pivots, largest relative
// pivot first. Linearly dependent rows are omitted: the result is the inverse on the others.
static void invertBlock(int n, const double* A, double* inverse)
{
    double M[pal_unitMaxRows * pal_unitMaxRows];
    bool done[pal_unitMaxRows] = {false};
    for (int i = 0; i < n * n; i++)
        M[i] = A[i];
    for (int step = 0; step < n; step++)
    {
        int p = -1;
        double largest = relativePivotMin;
        for (int i = 0; i < n; i++)
        {
            bool isCandidate = !done[i] && A[i * n + i] > 0.0;
            double ratio = isCandidate ? M[i * n + i] / A[i * n + i] : 0.0;
            if (!(ratio > largest))
                continue;
            largest = ratio;
            p = i;
        }
        if (p < 0)
            break;
        // Exchange row p: solve its equation for x_p and substitute it into the others.
        done[p] = true;
        double pivot = 1.0 / M[p * n + p];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (i != p && j != p)
                    M[i * n + j] -= M[i * n + p] * pivot * M[p * n + j];
        for (int i = 0; i < n; i++)
            if (i != p)
            {
                M[i * n + p] *= pivot;
                M[p * n + i] *= -pivot;
            }
        M[p * n + p] = pivot;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            inverse[i * n + j] = done[i] && done[j] ? M[i * n + j] : 0.0;
}

void palUnit_Prepare(palUnit* unit, const double* A, palUnitFactor* factor)
{
    int n = unit->size;
    double S[pal_unitMaxRows * pal_unitMaxRows];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            S[i * n + j] = 0.5 * (A[i * n + j] + A[j * n + i]);
    if (unit->kind == pal_unitBilateral)
    {
        invertBlock(n, S, factor->inverse);
        return;
    }
    if (unit->immovable || (unit->kind != pal_unitPyramid && unit->kind != pal_unitCone))
        return;
    for (int i = 0; i < n * n; i++)
        factor->contact.A[i] = S[i];
    if (unit->kind == pal_unitCone)
        palCone_Prepare(n, factor);
}

// A few Gauss-Seidel passes over the rows: the normal row, then each tangential row within its
// friction limit.
static void solvePyramid(const palUnit* unit, const palUnitFactor* factor, const double* gap,
                         const double* lambda, double* solution)
{
    enum
    {
        passes = 6
    };
    const double* A = factor->contact.A;
    int n = unit->size;
    double local[pal_coneMaxRows];
    for (int i = 0; i < n; i++)
    {
        local[i] = gap[i];
        solution[i] = lambda[i];
    }
    for (int pass = 0; pass < passes; pass++)
    {
        double largest = 0.0;
        for (int i = 0; i < n; i++)
        {
            double limit = i == 0 ? INFINITY : unit->mu * solution[0];
            double step = A[i * n + i] > 0.0 ? -local[i] / A[i * n + i] : 0.0;
            double force = clamp(solution[i] + step, i == 0 ? 0.0 : -limit, limit);
            double change = force - solution[i];
            solution[i] = force;
            largest = fmax(largest, fabs(change));
            for (int j = 0; j < n; j++)
                local[j] += A[j * n + i] * change;
        }
        if (largest <= 1e-15 * solution[0])
            break;
    }
}

static void solveCone(palUnit* unit, const palUnitFactor* factor, const double* gap,
                      const double* lambda, double* solution)
{
    const double* A = factor->contact.A;
    int n = unit->size;
    double q[pal_coneMaxRows];
    for (int i = 0; i < n; i++)
    {
        q[i] = gap[i];
        for (int j = 0; j < n; j++)
            q[i] -= A[i * n + j] * lambda[j];
    }
    palCone_Solve(n, unit->mu, factor, q, &unit->slip, solution);
}

static bool solveContact(palUnit* unit, const palUnitFactor* factor, const double* gap,
                         const double* lambda, double omega, double* change)
{
    if (lambda[0] == 0.0 && gap[0] >= 0.0)
        return false;
    double solution[pal_coneMaxRows];
    if (unit->kind == pal_unitPyramid)
        solvePyramid(unit, factor, gap, lambda, solution);
    else
        solveCone(unit, factor, gap, lambda, solution);
    if (omega != 1.0)
    {
        for (int i = 0; i < unit->size; i++)
            solution[i] = lambda[i] + omega * (solution[i] - lambda[i]);
        palUnit_Project(unit, solution);
    }
    bool changed = false;
    for (int i = 0; i < unit->size; i++)
    {
        change[i] = solution[i] - lambda[i];
        changed |= change[i] != 0.0;
    }
    return changed;
}

bool palUnit_Solve(palUnit* unit, const palUnitFactor* factor, const double* gap,
                   const double* lambda, double omega, double* change)
{
    if (unit->immovable)
        return false;
    switch (unit->kind)
    {
    case pal_unitUnilateral:
    case pal_unitBox:
        change[0] = clamp(lambda[0] - omega * gap[0] / unit->w, unit->low, unit->high) - lambda[0];
        return change[0] != 0.0;
    case pal_unitBilateral:
    {
        bool changed = false;
        for (int i = 0; i < unit->size; i++)
        {
            double sum = 0.0;
            for (int j = 0; j < unit->size; j++)
                sum += factor->inverse[i * unit->size + j] * gap[j];
            change[i] = -omega * sum;
            changed |= sum != 0.0;
        }
        return changed;
    }
    case pal_unitPyramid:
    case pal_unitCone:
        return solveContact(unit, factor, gap, lambda, omega, change);
    }
    return false;
}

void palUnit_Project(const palUnit* unit, double* lambda)
{
    switch (unit->kind)
    {
    case pal_unitUnilateral:
    case pal_unitBox:
        lambda[0] = clamp(lambda[0], unit->low, unit->high);
        break;
    case pal_unitBilateral:
        break;
    case pal_unitPyramid:
        lambda[0] = clamp(lambda[0], 0.0, INFINITY);
        for (int i = 1; i < unit->size; i++)
            lambda[i] = clamp(lambda[i], -unit->mu * lambda[0], unit->mu * lambda[0]);
        break;
    case pal_unitCone:
        palCone_Project(unit->size, unit->mu, lambda);
        break;
    }
}

void palUnit_Start(const palUnit* unit, const double* scale, double gapFree, const double* guess,
                   double* lambda)
{
    bool finite = guess != NULL;
    for (int i = 0; i < unit->size && finite; i++)
        finite = isfinite(guess[i]);
    for (int i = 0; i < unit->size; i++)
        lambda[i] = finite && !unit->immovable && scale[i] > 0.0 ? guess[i] / scale[i] : 0.0;
    if (unit->immovable && unit->kind == pal_unitBox)
    {
        double target = gapFree > 0.0 ? unit->low : gapFree < 0.0 ? unit->high : 0.0;
        lambda[0] = isinf(target) ? 0.0 : target;
    }
    palUnit_Project(unit, lambda);
}

// One row with bounds. The force of an immovable row (w = 0) is at the bound given by the sign of
// δ; if that bound is infinite, the law cannot be satisfied, and the gap is the violation.
static double rowResidual(double w, double low, double high, double gap, double lambda,
                          double* force)
{
    if (w > 0.0)
    {
        double r = fabs(lambda - clamp(lambda - gap / w, low, high));
        *force = r > *force || isnan(r) ? r : *force;
        return w * r;
    }
    double target = gap > 0.0 ? low : gap < 0.0 ? high : clamp(lambda, low, high);
    if (isinf(target))
        return fabs(gap);
    *force = fmax(*force, fabs(lambda - target));
    return isnan(gap) ? gap : 0.0;
}

// The cone's natural map with the De Saxcé shift: λ − P(λ − (δn + μ|δt|, δt)/w).
static double coneResidual(const palUnit* unit, const double* gap, const double* lambda,
                           double* force)
{
    double slide = 0.0;
    for (int i = 1; i < unit->size; i++)
        slide += gap[i] * gap[i];
    double x[pal_coneMaxRows];
    double stiffness = 1.0 / unit->w;
    for (int i = 0; i < unit->size; i++)
        x[i] = lambda[i] - gap[i] * stiffness;
    x[0] -= unit->mu * sqrt(slide) * stiffness;
    palCone_Project(unit->size, unit->mu, x);
    double square = 0.0;
    for (int i = 0; i < unit->size; i++)
        square += (lambda[i] - x[i]) * (lambda[i] - x[i]);
    double r = sqrt(square);
    *force = r > *force || isnan(r) ? r : *force;
    return unit->w * r;
}

double palUnit_Residual(const palUnit* unit, const double* diagonal, const double* gap,
                        const double* lambda, double* force)
{
    *force = 0.0;
    if (unit->kind == pal_unitCone && !unit->immovable)
        return coneResidual(unit, gap, lambda, force);
    double worst = 0.0;
    for (int i = 0; i < unit->size; i++)
    {
        // An immovable contact has no normal force and therefore no friction.
        bool tangent = i > 0 && (unit->kind == pal_unitPyramid || unit->kind == pal_unitCone);
        double limit = unit->immovable ? 0.0 : unit->mu * fmax(lambda[0], 0.0);
        double low = tangent ? -limit : unit->low;
        double high = tangent ? limit : unit->high;
        double r = rowResidual(diagonal[i], low, high, gap[i], lambda[i], force);
        worst = r > worst || isnan(r) ? r : worst;
    }
    return worst;
}

bool palUnit_IsInactive(const palUnit* unit, const double* gap, const double* lambda)
{
    if (unit->immovable)
        return true;
    switch (unit->kind)
    {
    case pal_unitUnilateral:
    case pal_unitPyramid:
    case pal_unitCone:
        return lambda[0] == 0.0 && gap[0] >= 0.0;
    case pal_unitBox:
        return lambda[0] == clamp(lambda[0] - gap[0] / unit->w, unit->low, unit->high);
    case pal_unitBilateral:
        return false;
    }
    return false;
}
