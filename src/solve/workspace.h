// SPDX-License-Identifier: Apache-2.0
// The workspace of a solve. Every array is owned by the workspace and sized for its largest
// problem.
//
// Scaling: torsion rows are scaled by their radius (unit.h). In the workspace δ, λ and W are
// scaled: λ_problem = scale λ, δ = scale δ_problem.
#ifndef PAL_SOLVE_WORKSPACE_H
#define PAL_SOLVE_WORKSPACE_H

#include "solve/rows.h"
#include "solve/unit.h"

/// The active part of a problem: the units that are not inactive, with their rows and columns of W
/// packed, so that the cost of a sweep depends on the active rows only. Units are added but never
/// removed during a solve.
typedef struct palView
{
    int rows;
    int unitCount;
    size_t stride;
    const double* W; // column j starts at W + j·stride: the packed store, or the problem's W
    double* store;   // [maxRows][maxRows rounded up]
    palUnit* units;  // [unitCount], `row` refers to the view
    palUnitFactor* factors; // [unitCount]
    int* source;            // [rows]: the row of the problem
    double* diagonal;       // [rows]
    double* gap;            // [rows]: δ of the current λ, updated by the sweeps
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
    palUnit* units; // [unitCount], `row` refers to the problem
    bool* inView;   // [unitCount]: whether the view contains it
    double* scale;
    double* diagonal;
    double* gap;
    double* lambda;
    double* force;       // scratch of palSolveWorkspace_UpdateGap
    double* best;        // λ with the smallest residual of the whole problem so far
    double bestResidual; // m
    double bestForce;    // N

    palView view;

    // Iterates of the view (sweeps.c, newton.c).
    double* direction;    // search direction
    double* directionGap; // W times the direction
    double* oldLambda;
    double* oldGap;
    double* viewBest; // λ of the view with the smallest residual of the view so far

    // For the direct and the Newton solver; NULL without them.
    double* matrix;  // [2 maxRows][2 maxRows + 2]
    double* vectors; // [4][maxRows]
    int* indices;    // [8 maxRows + 8]
    bool* marks;     // [2 maxRows]
};

/// Sets up the units of a problem and their scaling, λ from `guess` (NULL: zero), and δ.
void palSolveWorkspace_Load(palSolveWorkspace* workspace, const palContactProblem* problem,
                            const double* guess);

/// Recomputes δ = δ_free + W λ of the whole problem from workspace->lambda.
void palSolveWorkspace_UpdateGap(palSolveWorkspace* workspace, const palContactProblem* problem);

/// The residual of workspace->lambda and workspace->gap over the units that are not immovable, m;
/// `force` receives it in N. NaN for NaN.
double palSolveWorkspace_Residual(const palSolveWorkspace* workspace, double* force);

/// The residual of the immovable units, m. Zero if there are none or their laws hold.
double palSolveWorkspace_ImmovableResidual(const palSolveWorkspace* workspace);

/// Empties the view.
void palView_Clear(palSolveWorkspace* workspace);
/// Adds every unit that is not inactive. Returns their number.
int palView_Grow(palSolveWorkspace* workspace, const palContactProblem* problem);
/// Copies λ of the view to the whole problem.
void palView_Store(palSolveWorkspace* workspace);
/// Copies δ of the whole problem to the view.
void palView_Refresh(palSolveWorkspace* workspace);
/// The residual of the view without immovable units, m.
double palView_Residual(const palView* view);

/// One Gauss-Seidel sweep over the view.
void palView_Sweep(palView* view, const palRowKernels* kernels, double omega);

#endif
