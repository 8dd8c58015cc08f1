// SPDX-License-Identifier: Apache-2.0
// The workspace of a sparse solve. Every array is owned by the workspace and sized for its largest
// problem.
//
// Scaling: with M⁻¹ = L Lᵀ of each body and the scale of torsion rows (unit.h),
//
//     J' = scale h J L,   u' = J'ᵀ λ,   δ = δ_free + J' u' + R λ,   displacement = h L u'
//
// so that one matrix J' gives both the gaps and the motion of the bodies. In the workspace λ, δ, R
// and W are scaled as in solve/workspace.h.
#ifndef PAL_SOLVE_SPARSE_WORKSPACE_H
#define PAL_SOLVE_SPARSE_WORKSPACE_H

#include "solve/sparse.h"
#include "solve/sparse_joints.h"
#include "solve/unit.h"

enum
{
    /// Doubles of a body's u': three of the translation, three of the rotation, each with a fourth
    /// that is zero, so that both fill a vector register.
    pal_bodyDofs = 8,
};

/// A row of J', on the two bodies of its block.
typedef struct palScaledRow
{
    double on[2][pal_bodyDofs];
} palScaledRow;

/// u' of a body.
typedef struct palScaledTwist
{
    double u[pal_bodyDofs];
} palScaledTwist;

/// h L of a body.
typedef struct palRootMass
{
    double linear;
    double angular[6]; // lower triangle, row by row: 00, 10, 11, 20, 21, 22
    int coupled;       // in place of the two, the palCoupledRoot of that index; -1: none
} palRootMass;

/// h L of a body that a coupling holds: a full lower triangle.
typedef struct palCoupledRoot
{
    double L[6][6];
} palCoupledRoot;

typedef struct palSparseUnit
{
    palUnit unit;
    int slots[2];    // of its bodies in u'
    int cone;        // its palSparseCone, -1: none
    int coneRun;     // how many units from this one on have one
    bool isPrepared; // the factor is filled
} palSparseUnit;

/// What a sweep needs of a contact with a cone of three rows, in one piece. The forces on its two
/// bodies are opposite, so that `direction` stands for both. A fourth double of a row is zero.
typedef struct palSparseCone
{
    int row;
    int slots[2];
    double root[2]; // h √(1/m) of the bodies
    double gapFree[4];
    double softness[4];
    double direction[3][4]; // of the rows: normal, tangents
    double arm[2][3][4];    // J' of the rows for the rotation of each body
    double inverse[3][4];   // of the diagonal block A of W
    double coupling[2];     // Ant
    double normal;          // 1/Ann
    double tangent;         // 1/(largest eigenvalue of Att)
    double mu;
} palSparseCone;

struct palSparseWorkspace
{
    int bodiesMax;
    int rowsMax;
    int blocksMax;
    void* memory; // one block; everything below points into it

    palRootMass* roots; // [bodies + 1]; the last is the world, zero
    palCoupledRoot coupled[pal_coupledMax];
    int coupledCount;
    palScaledTwist* twist; // [bodies + 1]: u'
    palScaledRow* J;       // [rows]: J'
    palSparseUnit* units;  // [unitCount]
    int unitCount;
    palUnitFactor* factors; // [unitCount]
    palSparseCone* cones;   // [coneCount]
    int coneCount;
    double* scale;    // [rows], each of the following too
    double* diagonal; // Wii
    double* softness; // R
    double* gapFree;
    double* lambda;
    double* best; // λ with the smallest residual so far
    double bestResidual;
    double bestForce;

    palSparseJoints joints;
    double* sums;    // [bodies + 1], scratch
    double* history; // of palAnderson
};

/// Sets up units, J', λ from `guess` (NULL: zero) and u'. Returns the reference length of the
/// tolerance, m, as palContactProblem_Scale; not finite if a gap is not.
double palSparseWorkspace_Load(palSparseWorkspace* workspace, const palSparseProblem* problem,
                               const double* guess);

/// Fills the factor of a unit unless it is filled already.
void palSparseWorkspace_Factor(palSparseWorkspace* workspace, int unit);

/// Adds J'ᵀ times the change of a unit's λ to u'.
void palSparseWorkspace_Push(palSparseWorkspace* workspace, const palSparseUnit* unit,
                             const double* change);

/// Recomputes u' from λ, without the rounding that sweeps collect.
void palSparseWorkspace_UpdateTwists(palSparseWorkspace* workspace,
                                     const palSparseProblem* problem);

/// By how much u' moves a body, m and rad.
palTwist palSparseWorkspace_Displacement(const palSparseWorkspace* workspace, int body);

/// δ of the rows of a unit.
void palSparseWorkspace_Gap(const palSparseWorkspace* workspace, const palSparseUnit* unit,
                            double* gap);

/// The residual of λ and u' over the units, m; `force` receives it in N and `immovable` the part of
/// those that no force moves, m. NaN for NaN.
double palSparseWorkspace_Residual(const palSparseWorkspace* workspace, double* force,
                                   double* immovable);

/// One Gauss-Seidel sweep over the units, and then over all joints as one.
void palSparseWorkspace_Sweep(palSparseWorkspace* workspace, double omega);

#endif
