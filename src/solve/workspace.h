// SPDX-License-Identifier: Apache-2.0
// What a solve works on. Every array is owned by the workspace and sized for its largest problem.
//
// Scaling: torsion rows are multiplied by their radius (unit.h). In here δ, λ and W are the scaled
// ones; `scale` leads back: λ_problem = scale λ, δ = scale δ_problem.
#ifndef PAL_SOLVE_WORKSPACE_H
#define PAL_SOLVE_WORKSPACE_H

#include "solve/rows.h"
#include "solve/unit.h"

/// The live part of a problem: units that are not at rest, with their rows and columns of W packed
/// together, so that a sweep costs what is active. Units are added and never removed in a solve.
typedef struct palView
{
    int rows;
    int unitCount;
    size_t stride;
    const double* W; // column j starts at W + j·stride: the packed store, or the problem's W
    double* store;   // [maxRows][maxRows rounded up]
    palUnit* units;  // [unitCount], row counted in the view
    palUnitFactor* factors; // [unitCount]
    int* source;            // [rows]: the row of the problem
    double* diagonal;       // [rows]
    double* gap;            // [rows]: δ of the current λ, kept up to date by the sweeps
    double* lambda;         // [rows]
} palView;

struct palSolveWorkspace
{
    int maxRows;
    bool direct;
    void* memory; // one block; everything below points into it

    // The whole problem.
    const palRowKernels* kernels;
    int unitCount;
    palUnit* units; // [unitCount], row counted in the problem
    bool* live;     // [unitCount]: whether the view holds it
    double* scale;
    double* diagonal;
    double* gap;
    double* lambda;
    double* force;       // scratch of palSolveWorkspace_UpdateGap
    double* best;        // λ with the least residual of the whole problem so far
    double bestResidual; // m
    double bestForce;    // N

    palView view;

    // Iterates of the view (conjugate.c, newton.c).
    double* direction;    // search direction
    double* directionGap; // W times the direction
    double* oldLambda;
    double* oldGap;
    double* viewBest; // λ of the view with the least residual of the view so far

    // The direct and the Newton solver: NULL without them.
    double* matrix;  // [2 maxRows][2 maxRows + 2]
    double* vectors; // [4][maxRows]
    int* indices;    // [6 maxRows + 8]
    bool* marks;     // [2 maxRows]
};

/// Makes the units of a problem and their scaling, λ from `guess` (may be NULL: zero), and δ.
void palSolveWorkspace_Load(palSolveWorkspace* workspace, const palContactProblem* problem,
                            const double* guess);

/// δ = δ_free + W λ of the whole problem, afresh from workspace->lambda.
void palSolveWorkspace_UpdateGap(palSolveWorkspace* workspace, const palContactProblem* problem);

/// The residual of workspace->lambda and workspace->gap over the units that are not dead, m;
/// `force` takes it in N. NaN for NaN.
double palSolveWorkspace_Residual(const palSolveWorkspace* workspace, double* force);

/// What the dead units' laws lack, m. Zero where there are none, or where they hold.
double palSolveWorkspace_DeadResidual(const palSolveWorkspace* workspace);

/// An empty view.
void palView_Clear(palSolveWorkspace* workspace);
/// Adds every unit that is not at rest. Returns how many.
int palView_Grow(palSolveWorkspace* workspace, const palContactProblem* problem);
/// λ of the view to the whole problem.
void palView_Store(palSolveWorkspace* workspace);
/// δ of the whole problem to the view.
void palView_Refresh(palSolveWorkspace* workspace);
/// The residual of the view, m; dead units aside.
double palView_Residual(const palView* view);

/// One Gauss-Seidel sweep over the view.
void palView_Sweep(palView* view, const palRowKernels* kernels, double omega);

#endif
