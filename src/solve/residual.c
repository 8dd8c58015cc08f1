// SPDX-License-Identifier: Apache-2.0
#include "solve/problem.h"
#include "solve/rows.h"

#include <math.h>

// δ = δ_free + W λ, using only the rows of W with a force, or all of them if W is asymmetric.
static void computeGap(const palContactProblem* problem, const double* lambda, double* gap)
{
    const palRowKernels* kernels = palRowKernels_Best();
    size_t stride = (size_t)problem->stride;
    for (int i = 0; i < problem->rows; i++)
        gap[i] = problem->gapFree[i];
    for (int i = 0; i < problem->rows; i++)
        if (problem->asymmetric)
            gap[i] += kernels->dot(problem->rows, problem->W + (size_t)i * stride, lambda);
        else if (lambda[i] != 0.0)
            kernels->add(problem->rows, 1, problem->W + (size_t)i * stride, stride, &lambda[i],
                         gap);
}

// The residual of one unit, from unscaled λ and δ.
static double unitResidual(const palUnit* unit, const double* scale, const double* diagonal,
                           const double* gap, const double* lambda, double* force)
{
    double d[pal_unitMaxRows], l[pal_unitMaxRows];
    double invalidTorque = 0.0; // torque with a torsion radius of zero
    for (int i = 0; i < unit->size; i++)
    {
        d[i] = scale[i] * gap[unit->row + i];
        l[i] = scale[i] > 0.0 ? lambda[unit->row + i] / scale[i] : 0.0;
        invalidTorque = fmax(invalidTorque, scale[i] > 0.0 ? 0.0 : fabs(lambda[unit->row + i]));
    }
    double r = palUnit_Residual(unit, diagonal, d, l, force);
    *force = fmax(*force, invalidTorque);
    return r + unit->w * invalidTorque;
}

void palContactProblem_Residual(const palContactProblem* problem, const double* lambda, double* gap,
                                palSolveInfo* info)
{
    computeGap(problem, lambda, gap);
    double least = palContactProblem_LeastDiagonal(problem);
    double worst = 0.0, worstForce = 0.0;
    bool finite = isfinite(least), infeasible = false;
    for (int b = 0; b < problem->blockCount; b++)
    {
        const palContactBlock* block = &problem->blocks[b];
        palUnit unit;
        for (int offset = 0; offset < block->size; offset += unit.size)
        {
            double scale[pal_unitMaxRows], diagonal[pal_unitMaxRows], force;
            palContactProblem_Unit(problem, block, offset, least, &unit, scale, diagonal);
            double r = unitResidual(&unit, scale, diagonal, gap, lambda, &force);
            finite &= isfinite(r) && isfinite(force);
            infeasible |= unit.immovable && r > 0.0;
            worst = fmax(worst, r);
            worstForce = fmax(worstForce, force);
        }
    }
    info->scale = palContactProblem_Scale(problem);
    info->residual = finite ? worst : INFINITY;
    info->residualForce = finite ? worstForce : INFINITY;
    info->activeRows = 0;
    for (int i = 0; i < problem->rows; i++)
        info->activeRows += lambda[i] != 0.0;
    info->flags |= finite ? 0 : pal_solveNotFinite;
    info->flags |= infeasible ? pal_solveInfeasible : 0;
}
