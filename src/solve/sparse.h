// SPDX-License-Identifier: Apache-2.0
// Contact problems of many rigid bodies, without forming W: Gauss-Seidel over blocks of rows, each
// between two bodies.
//
//     δ = δ_free + h² J M⁻¹ Jᵀ λ + R λ        R: diagonal compliance of the rows, m/N
//
// with the laws of palpate/solve.h for each block. M⁻¹ is block diagonal, a number and a 3x3 matrix
// for each body, or a 6x6 matrix for one in a hand. A sweep keeps each body's displacement
// u = h² M⁻¹ Jᵀ λ up to date, so that its cost is proportional to the number of rows. The fixed
// points are the solutions of the dense problem with W = h² J M⁻¹ Jᵀ + R.
//
// The real-time contract of palpate/solve.h holds: no allocation, lock or I/O, bounded by sweeps
// and time; deterministic.
#ifndef PAL_SOLVE_SPARSE_H
#define PAL_SOLVE_SPARSE_H

#include "body/rigid.h"

#include <palpate/solve.h>

enum
{
    pal_coupledMax = 4, // bodies of a problem that a coupling holds
};

/// M⁻¹ of a body; zeros of one that does not move.
typedef struct palInverseMass
{
    double mass;     // 1/kg
    palMat3 inertia; // 1/(kg m²), world frame
    // In place of the two, A⁻¹ of a body that a coupling holds as well, by blocks, [0] v, [1] ω:
    // symmetric and positive semi-definite; borrowed. NULL: the two. At most pal_coupledMax have
    // one.
    const palMat3 (*coupled)[2];
} palInverseMass;

/// A row of J: its wrenches on the two bodies of its block. λ in N (rotation: N·m) pushes the first
/// body along wrench[0] and the second along wrench[1].
typedef struct palPairRow
{
    palWrench wrench[2];
} palPairRow;

typedef struct palSparseProblem
{
    double h; // s
    int bodyCount;
    const palInverseMass* bodies; // borrowed, [bodyCount]
    int rows;
    const palPairRow* J;    // borrowed, [rows]
    const double* gapFree;  // δ_free, borrowed, [rows], m or rad
    const double* softness; // R, borrowed, [rows], m/N, >= 0
    int blockCount;
    const palContactBlock* blocks; // borrowed, [blockCount], in the order of their rows
    const int (*ends)[2];          // borrowed, [blockCount]: bodies; -1: the world
} palSparseProblem;

typedef struct palSparseWorkspace palSparseWorkspace;

palResult palSparseWorkspace_Create(int bodiesMax, int rowsMax, int blocksMax,
                                    palSparseWorkspace** workspace, palError* error);
void palSparseWorkspace_Destroy(palSparseWorkspace* workspace);

/// Sweeps until the residual, that of palContactProblem_Residual, is within the tolerance or the
/// budget ends. λ, [rows], holds the starting guess with settings->warmStart. `displacement`,
/// [bodyCount], receives h² M⁻¹ Jᵀ λ: by how much λ moves each body in the step, m and rad. With
/// settings->tolerance 0 the residual is computed once, after the last sweep.
///
/// pal_solverGaussSeidel is the plain sweep; every other solver accelerates it (solve/anderson.h),
/// for high accuracy, and is reported as pal_solverConjugate. Degenerate input has the outcomes of
/// palpate/solve.h. Returns pal_errorInput with λ = 0 if the problem is larger than the workspace.
palResult palSparseProblem_Solve(const palSparseProblem* problem, const palSolveSettings* settings,
                                 palSparseWorkspace* workspace, double* lambda,
                                 palTwist* displacement, palSolveInfo* info);

/// The same problem with W formed, in arrays of the caller: W [rows][rows], m/N. For the dense
/// solvers, small islands, problem files and tests.
void palSparseProblem_Dense(const palSparseProblem* problem, double* W);

#endif
