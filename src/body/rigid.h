// SPDX-License-Identifier: Apache-2.0
// The haptic body of tool contact: a rigid body, tied to the device by springs and dampers for
// translation and rotation (Otaduy and Gross 2007, section 4.1).
//
// State: the centre of mass x, the orientation q, the velocity v and the angular momentum L, all
// in the world frame. ω = I⁻¹ L with the inertia I = R I_body Rᵀ of the present orientation. The
// coupling holds the grip, r = R (grip - centre) from the centre, with θ the rotation vector that
// takes the handle's orientation to the grip's:
//
//     f = -k (x + r - x_dev) - b (v + ω × r - v_dev)       at the grip
//     τ = -k_r θ - b_r (ω - ω_dev)
//     F = m g + f,   T = r × f + τ                          about the centre
//
// Linearised backward Euler, as in eq. (4), for the velocities u = (v, ω). In ω the paper's A_L
// becomes A_ω = A_L I, and with the grip off the centre the two systems become one of six rows:
//
//     D = -∂(F, T)/∂u,   K = -∂(F, T)/∂(x, rotation)
//     A = diag(m, I) + h D + h² K,   (F̃, T̃) = (F, T) + (m v, L)/h + D u
//     free:     u⁻ = h A⁻¹ (F̃, T̃),  L⁻ = I ω⁻
//     contact:  u⁺ = u⁻ + h A⁻¹ Jᵀ λ  for rows J = (nᵀ, ((p - x) × n)ᵀ);  W = h² J A⁻¹ Jᵀ
//
// The block of A for v is a number, p = m + h b + h² k, so A⁻¹ needs one 3x3 inverse, of the
// Schur complement of p. Where the grip is the centre the off-diagonal blocks are zero and this is
// the paper's pair of 3x3 systems.
//
// K has terms that are not symmetric, those of r turning under f and of the skew part of ∂θ. The
// safe tangent leaves them out: A is then symmetric positive definite whatever the state, and W is
// symmetric positive semi-definite, as complementarity solvers need it. The exact tangent keeps
// them.
//
// The orientation follows from L⁺ as that of a free body does (inertia.h). Everything here is
// bounded, allocates nothing, and is real-time.
#ifndef PAL_BODY_RIGID_H
#define PAL_BODY_RIGID_H

#include "body/inertia.h"
#include "body/turning.h"

/// A force and a torque about the centre of mass; also a row of a Jacobian, transposed.
typedef struct palWrench
{
    palVec3 force;  // N
    palVec3 torque; // N·m
} palWrench;

/// The velocity of the centre of mass and the angular velocity.
typedef struct palTwist
{
    palVec3 v;     // m/s
    palVec3 omega; // rad/s
} palTwist;

/// The end of the coupling that the hand moves.
typedef struct palHandle
{
    palVec3 x;     // m
    palQuat q;     // device frame to world
    palVec3 v;     // m/s
    palVec3 omega; // rad/s, world frame
} palHandle;

/// The handle at a share, 0..1, of the way from a to b.
static inline palHandle palHandle_Between(const palHandle* a, const palHandle* b, double share)
{
    return (palHandle){
        .x = palLerp(a->x, b->x, share),
        .q = palSlerp(a->q, b->q, share),
        .v = palLerp(a->v, b->v, share),
        .omega = palLerp(a->omega, b->omega, share),
    };
}

typedef struct palRigidDef
{
    palMass mass;             // centre and inertia in the tool's frame, that of its mesh
    palVec3 gripPosition;     // in the tool's frame, m
    palQuat gripOrientation;  // handle's frame to tool's frame, where the two coincide
    double stiffness;         // k, N/m
    double damping;           // b, N·s/m
    double rotationStiffness; // k_r, N·m/rad
    double rotationDamping;   // b_r, N·m·s/rad
    palVec3 gravity;          // m/s²
    palTangent tangent;       // of the coupling
} palRigidDef;

/// The gains of a coupling.
typedef struct palCouplingValues
{
    double stiffness;     // k, N/m
    double damping;       // b, N·s/m
    double turnStiffness; // k_r, N·m/rad; of a point without meaning
    double turnDamping;   // b_r, N·m·s/rad
} palCouplingValues;

/// The parameters of the tool. Coupling and gravity may change between steps.
typedef struct palRigidModel
{
    palRigidDef def;
    palVec3 grip;       // from the centre of mass, tool's frame, m
    palInertia inertia; // of def.mass
} palRigidModel;

/// One linearised step: the motion while nothing touches the tool, and how contact changes it.
typedef struct palRigidStep
{
    double h;              // s
    palRigidState start;   // the state at its beginning
    palWrench discrete;    // F̃, T̃
    palTwist free;         // u⁻
    palMat3 inertia;       // I at the start, world frame, kg·m²
    palMat3 inverse[2][2]; // A⁻¹ by blocks: [0] v, [1] ω
} palRigidStep;

/// A ball of 50 g and 20 mm radius about the origin, which is also its grip, with the coupling of a
/// usual desktop device: 1000 N/m and 0.8 N·s/m, and the same on a lever of 20 mm for rotation. It
/// is stable at 1 ms for tools down to a gram. No gravity; the safe tangent.
palRigidDef palDefaultRigidDef(void);

palResult palRigidModel_Init(palRigidModel* model, const palRigidDef* def, palError* error);

static inline palCouplingValues palRigidModel_Coupling(const palRigidModel* model)
{
    const palRigidDef* def = &model->def;
    return (palCouplingValues){def->stiffness, def->damping, def->rotationStiffness,
                               def->rotationDamping};
}

static inline void palRigidModel_SetCoupling(palRigidModel* model, const palCouplingValues* values,
                                             palVec3 gravity)
{
    model->def.stiffness = values->stiffness;
    model->def.damping = values->damping;
    model->def.rotationStiffness = values->turnStiffness;
    model->def.rotationDamping = values->turnDamping;
    model->def.gravity = gravity;
}

/// The state in which the grip is where the handle is, and moves with it.
palRigidState palRigid_AtHandle(const palRigidModel* model, const palHandle* handle);

palVec3 palRigid_Omega(const palRigidModel* model, const palRigidState* state);
/// The kinetic energy, J.
double palRigid_Energy(const palRigidModel* model, const palRigidState* state);
/// A point of the tool's frame in the world.
palVec3 palRigid_Point(const palRigidModel* model, const palRigidState* state, palVec3 point);
/// The same for many: world[i] of points[i].
void palRigid_Place(const palRigidModel* model, const palRigidState* state, int count,
                    const palVec3* points, palVec3* world);

/// What the coupling does to the tool, about its centre of mass.
palWrench palRigid_Coupling(const palRigidModel* model, const palRigidState* state,
                            const palHandle* handle);
/// What the coupling does to the hand: -f at the handle, and the torque -τ. Spring and damper act
/// on the hand and on the grip with the same f, so that together they never give energy.
palWrench palRigid_HandWrench(const palRigidModel* model, const palRigidState* state,
                              const palHandle* handle);

/// The derivatives K and D of the coupling by blocks, rows (F, T), columns (v or x, ω or rotation).
void palRigid_Derivatives(const palRigidModel* model, const palRigidState* state,
                          const palHandle* handle, palTangent tangent, palMat3 K[2][2],
                          palMat3 D[2][2]);

/// Linearises at `state`, with the handle as it is at the end of the step, and solves for the free
/// velocities.
palRigidStep palRigid_Free(const palRigidModel* model, const palRigidState* state,
                           const palHandle* handle, double h);

/// Jᵀ of a unit force along n (or any force) at the world point p.
static inline palWrench palRigidStep_Row(const palRigidStep* step, palVec3 p, palVec3 n)
{
    return (palWrench){n, palCross(palSub(p, step->start.x), n)};
}

/// J u: the velocity along a row.
static inline double palRowDot(palWrench row, palTwist u)
{
    return palDot(row.force, u.v) + palDot(row.torque, u.omega);
}

/// A⁻¹ w: h times it is the change of velocity that a wrench makes in the step, h² times it the
/// displacement.
palTwist palRigidStep_Response(const palRigidStep* step, palWrench w);

/// u⁺ = u⁻ + h A⁻¹ w under the contact wrench w = Jᵀ λ.
palTwist palRigidStep_Correct(const palRigidStep* step, palWrench w);

/// The state at the end of the step with the velocities u⁺.
palRigidState palRigidStep_Integrate(const palRigidStep* step, const palRigidModel* model,
                                     palTwist u);

#endif
