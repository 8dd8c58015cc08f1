// SPDX-License-Identifier: Apache-2.0
// The Gauss-Seidel sweep of the sparse solver. Nearly all units of a pile of bodies are cones of
// three rows. These have a step of their own, because the exact solution of a block that slides
// costs several times as much and does not make the sweeps converge faster:
//
//     λ' = λ − A⁻¹ δ             where that is in the cone: the contact sticks, exactly. Otherwise
//     λn' = max(0, λn − δn/Ann)
//     λt' = P(λt − (δt + Atn Δλn)/w)
//
// A is the diagonal block of W, w the largest eigenvalue of Att, and P the projection on the disc
// of radius μ λn'. λ stays as it is exactly if Coulomb's law holds: w is a number, so that a
// sliding contact has −δt along λt. Every other unit is solved by palUnit_Solve. At the end of a
// sweep all bilateral units are solved together, as if they were one (sparse_joints.h).
#include "solve/sparse_workspace.h"

#include <math.h>

// Any unit, exactly.
static void solveUnit(palSparseWorkspace* workspace, int index, double omega)
{
    palSparseUnit* unit = &workspace->units[index];
    double* lambda = workspace->lambda + unit->unit.row;
    double gap[pal_unitMaxRows], change[pal_unitMaxRows];
    if (unit->unit.immovable)
        return;
    palSparseWorkspace_Factor(workspace, index);
    palSparseWorkspace_Gap(workspace, unit, gap);
    if (!palUnit_Solve(&unit->unit, &workspace->factors[index], gap, lambda, omega, change))
        return;
    for (int i = 0; i < unit->unit.size; i++)
        lambda[i] += change[i];
    palSparseWorkspace_Push(workspace, unit, change);
}

static inline double dot(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// a += s (x0 R0 + x1 R1 + x2 R2) of the rows of R.
static inline void addRows(const double R[3][4], const double* x, double s, double* a)
{
    for (int k = 0; k < 3; k++)
        a[k] += s * (x[0] * R[0][k] + x[1] * R[1][k] + x[2] * R[2][k]);
}

// Whether λ + change is in the cone.
static inline bool isInCone(const palSparseCone* cone, const double* lambda, const double* change)
{
    double n = lambda[0] + change[0], s = lambda[1] + change[1], t = lambda[2] + change[2];
    return n > 0.0 && s * s + t * t <= cone->mu * cone->mu * n * n;
}

// The change of λ of a contact that does not stick.
static inline void slide(const palSparseCone* cone, const double* gap, const double* lambda,
                         double* change)
{
    double n = lambda[0] - cone->normal * gap[0];
    n = n < 0.0 ? 0.0 : n; // NaN stays NaN
    change[0] = n - lambda[0];
    double s = lambda[1] - cone->tangent * (gap[1] + cone->coupling[0] * change[0]);
    double t = lambda[2] - cone->tangent * (gap[2] + cone->coupling[1] * change[0]);
    double limit = cone->mu * n, square = s * s + t * t;
    double shrink = square > limit * limit ? limit / sqrt(square) : 1.0;
    change[1] = shrink * s - lambda[1];
    change[2] = shrink * t - lambda[2];
}

static void solveCone(const palSparseCone* cone, double* first, double* second, double* lambda)
{
    const double a = cone->root[0], b = cone->root[1];
    const double relative[3] = {a * first[0] - b * second[0], a * first[1] - b * second[1],
                                a * first[2] - b * second[2]};
    double gap[3], change[3];
    for (int i = 0; i < 3; i++)
        gap[i] = cone->gapFree[i] + cone->softness[i] * lambda[i] +
                 dot(cone->direction[i], relative) + dot(cone->arm[0][i], first + 4) +
                 dot(cone->arm[1][i], second + 4);
    if (gap[0] >= 0.0 && lambda[0] == 0.0)
        return;
    for (int i = 0; i < 3; i++)
        change[i] = -dot(cone->inverse[i], gap);
    if (!isInCone(cone, lambda, change))
        slide(cone, gap, lambda, change);
    for (int i = 0; i < 3; i++)
        lambda[i] += change[i];
    addRows(cone->direction, change, a, first);
    addRows(cone->direction, change, -b, second);
    addRows(cone->arm[0], change, 1.0, first + 4);
    addRows(cone->arm[1], change, 1.0, second + 4);
}

void palSparseWorkspace_Sweep(palSparseWorkspace* workspace, double omega)
{
    for (int i = 0; i < workspace->unitCount;)
    {
        const palSparseUnit* unit = &workspace->units[i];
        bool isRun = unit->coneRun > 0 && omega == 1.0;
        const palSparseCone* cone = workspace->cones + unit->cone;
        for (int k = 0; k < unit->coneRun && isRun; k++, cone++)
            solveCone(cone, workspace->twist[cone->slots[0]].u, workspace->twist[cone->slots[1]].u,
                      workspace->lambda + cone->row);
        if (!isRun)
            solveUnit(workspace, i, omega);
        i += isRun ? unit->coneRun : 1;
    }
    if (workspace->joints.unitCount > 0 && omega == 1.0)
        palSparseJoints_Solve(workspace);
}
