// SPDX-License-Identifier: Apache-2.0
// One backward-Euler step of a soft body with rows of contact, in the order of a low-rate step:
//
//     Begin          A = M + h D + h² K at the present x, factored; b = M v + h f; y = L⁻¹ P b
//                    free motion: v⁻ = A⁻¹ b                      (eq. (6) of method `linear`)
//     Rows           Z = L⁻¹ P Jᵀ;  W = h² J A⁻¹ Jᵀ,  J v⁻ = Zᵀ y
//     EvaluateTrial  v⁺ = A⁻¹ (b + h Jᵀ λ), and where the nodes are then; may be repeated
//     Commit         takes the last trial
//
// Rows may be given again after a trial, so that contacts which it would cause can be added. The
// state of the body changes in Commit alone. Everything is allocated by Create.
//
// The motion may also come from elsewhere: with BeginPredicted the nodes are at x_pred with v_pred
// at the end of the step while λ = 0, and the forces add to that,
//
//     v⁺ = v_pred + h A⁻¹ Jᵀ λ,   x⁺ = x_pred + h (v⁺ - v_pred)
//
// LARGE BODIES (body/soft_factor.h) predict their own motion. With the P that stands in for A⁻¹ in
// W and in the trial, and λ₀ the forces of the step before,
//
//     v_pred = A⁻¹ (b + h Jᵀ λ₀),   v⁺ = v_pred + h P Jᵀ (λ - λ₀)
//
// where the first is solved with the present A: an error of P acts on changes of the forces only,
// and where nothing changes v⁺ = 0, b + h Jᵀ λ = 0: rest is equilibrium.
#ifndef PAL_BODY_SOFT_STEP_H
#define PAL_BODY_SOFT_STEP_H

#include "body/soft_factor.h"
#include "linalg/reach.h"

typedef struct palSoftStep
{
    palSoftBody* body;         // borrowed
    palSoftFactor* factor;     // owned
    bool factored;             // false where the state is not finite
    palSparseRows rows;        // borrowed: of contact
    palReach* reach;           // owned
    double* y;                 // owned, in the order of elimination: L⁻¹ P b
    double* trial;             // owned, likewise: of the trial
    double* velocity;          // owned, [3 freeCount]: b, then v⁺
    palVec3* x;                // owned, [nodeCount]: where the nodes are in the trial
    const palVec3* predictedX; // borrowed, [nodeCount]; NULL: free motion
    const double* predictedV;  // borrowed, [3 freeCount]

    // Of large bodies. Arrays owned.
    double* b;       // [3 freeCount]: M v + h f
    double* right;   // likewise: what the motion is solved for
    double* ownV;    // likewise: v_pred
    palVec3* ownX;   // [nodeCount]
    palVec3* turned; // [maxEntries]: the rows as the nodes were when A was factored
} palSoftStep;

/// For at most maxRows rows with maxEntries entries in all. def->h: the usual step.
palResult palSoftStep_Create(palSoftBody* body, int maxRows, int maxEntries,
                             const palSoftFactorDef* def, palSoftStep** step, palError* error);
void palSoftStep_Destroy(palSoftStep* step);

/// Linearises and factors for a step h. Returns false where that fails; the body then stays still.
/// With `isLinear` the body's K and force are those of where it is, and are taken as they are.
bool palSoftStep_Begin(palSoftStep* step, double h, bool isLinear);

/// The same, with a motion over the step that is known already: nodes, [nodeCount], m, and
/// velocities, [3 freeCount], m/s, at its end. Both are borrowed until the next Begin.
bool palSoftStep_BeginPredicted(palSoftStep* step, double h, bool isLinear, const palVec3* x,
                                const double* v);

/// After Begin, of a large body: solves its motion under the forces lambda, [rows], N, and takes it
/// as predicted. Returns false where that is not finite.
bool palSoftStep_PredictOwn(palSoftStep* step, const palSparseRows* rows, const double* lambda);

/// Takes the rows of contact, which are borrowed until the next call.
bool palSoftStep_Rows(palSoftStep* step, const palSparseRows* rows);
/// scale J A⁻¹ Jᵀ, both triangles.
void palSoftStep_Compliance(palSoftStep* step, double scale, double* W, size_t stride);
/// J v⁻ of the free motion, m/s, [rows]; zero where the motion is predicted.
void palSoftStep_FreeVelocity(palSoftStep* step, double* velocity);

/// Where the nodes are at the end of the step under the forces λ, [rows], N; NULL: free.
void palSoftStep_EvaluateTrial(palSoftStep* step, const double* lambda);
/// Moves the body to where the last trial had it.
void palSoftStep_Commit(palSoftStep* step);
/// Between steps.
void palSoftStep_Archive(palSoftStep* step, palArchive* archive);
/// Takes the present state of the body as the trial.
void palSoftStep_Reset(palSoftStep* step);

#endif
