// SPDX-License-Identifier: Apache-2.0
// The linear contact model: contact force and torque as a linear function of the other forces on
// the tool, through the dynamically consistent inverse of the contact Jacobian.
//
// M. A. Otaduy and M. Gross, "Transparent rendering of tool contact with compliant environments",
// World Haptics 2007, section 5.3. Rows J of the tool's velocities u = (v, ω), rows Ju of the soft
// bodies; a row's velocity is that at which its gap opens. With u⁻ = h A⁻¹ (F̃, T̃),
//
//     J u⁺ + Ju u̇⁺ = 0,   u⁺ = u⁻ + h A⁻¹ Jᵀ λ,   u̇⁺ = u̇⁻ + h Au⁻¹ Juᵀ λ
//     Aλ = J A⁻¹ Jᵀ + Ju Au⁻¹ Juᵀ,   Aλ λ = -(J u⁻ + Ju u̇⁻)/h                         (11)
//     (Fc, Tc) = Jᵀ λ = offset + inverse (F̃, T̃)                                      (13)
//     offset = -Jᵀ Aλ⁻¹ Ju u̇⁻ / h,   inverse = -Jᵀ Aλ⁻¹ J A⁻¹
//
// The paper's M⁻¹ A_L⁻¹ is the ω block of A⁻¹ here (body/rigid.h). Linearly dependent rows are left
// out: their equations follow from those of the others.
//
// In the paper u̇⁻ is constant between two snapshots: the tissue responds to each tick as if it had
// not moved since, and the force is constant until the next snapshot. With the compliance W_slow of
// a whole low-rate step the model predicts how u̇⁻ changes. Contact points that the tool has moved
// by d since the snapshot change the elastic force by W_slow⁻¹ d, hence
//
//     Ju u̇⁻(d) = Ju u̇⁻ + R d / h,   R = W_fast W_slow⁻¹,   W_fast = h² Ju Au⁻¹ Juᵀ
//     (Fc, Tc) -= stiffness Δ,   stiffness = Jᵀ Aλ⁻¹ R J / h²,   d = J Δ
//
// with Δ the translation and rotation of the tool since the snapshot. For rows on rigid bodies both
// compliances are zero, and R is 1: a gap that has closed stays closed.
#ifndef PAL_TOUCH_LINEAR_MODEL_H
#define PAL_TOUCH_LINEAR_MODEL_H

#include "body/rigid.h"

typedef struct palLinearModel
{
    int rowCount;            // independent rows; 0: no contact, all else is zero
    palWrench offset;        // Fc0, Tc0
    palMat3 inverse[2][2];   // ∂(Fc, Tc)/∂(F̃, T̃)
    palMat3 stiffness[2][2]; // -∂(Fc, Tc)/∂(translation, rotation), N/m and so on
} palLinearModel;

typedef struct palLinearModelDef
{
    const palRigidStep* tool;   // borrowed: A⁻¹ and h
    int count;                  // rows, at most rowsMax of the workspace
    const palWrench* rows;      // borrowed, [count]: J of the tool
    const double* softMobility; // borrowed, [count][stride]: Ju Au⁻¹ Juᵀ, 1/kg
    const double* softSlow;     // borrowed, the same: W_slow, m/N; NULL: the paper's model
    size_t stride;
    const double* softVelocity; // borrowed, [count]: Ju u̇⁻, m/s
} palLinearModelDef;

/// Workspace of Build and Follow. Arrays owned.
typedef struct palLinearWork
{
    int rowsMax;
    double* A;       // [rowsMax]²
    double* slow;    // [rowsMax]²
    double* columns; // [13][rowsMax], right-hand sides: six of J, six of R J, Ju u̇⁻
    double* vector;  // [rowsMax]
} palLinearWork;

palResult palLinearWork_Init(palLinearWork* work, int rowsMax, palError* error);
void palLinearWork_Free(palLinearWork* work);

/// Builds the model. Allocates nothing.
void palLinearModel_Build(palLinearModel* model, const palLinearModelDef* def, palLinearWork* work);

/// Computes R, [rows][stepR], where only the first `count` rows have moved. On entry R is W_fast,
/// [rows][stepR] with `count` columns, m/N; `slow`, [count][stepSlow], is W_slow of these rows,
/// m/N.
void palLinearModel_Follow(int rows, int count, const double* slow, size_t stepSlow, double* R,
                           size_t stepR, palLinearWork* work);

/// The contact force and torque for F̃ and T̃, with the tool displaced by (moved, rotated) since
/// the snapshot, m and rad. Real-time: eight 3x3 products.
palWrench palLinearModel_Evaluate(const palLinearModel* model, palWrench discrete, palVec3 moved,
                                  palVec3 rotated);

/// model += share (target - model): one step of a low-pass filter on every parameter.
void palLinearModel_Approach(palLinearModel* model, const palLinearModel* target, double share);

#endif
