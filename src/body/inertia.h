// SPDX-License-Identifier: Apache-2.0
// A rigid body: its inertia, its state, and its free motion.
//
// The orientation follows from the angular momentum L, which is constant in the world frame, by the
// implicit midpoint rule in the body frame: |L| and the kinetic energy are conserved. Everything
// here is bounded, allocates nothing, and is real-time.
#ifndef PAL_BODY_INERTIA_H
#define PAL_BODY_INERTIA_H

#include "body/mass.h"
#include "math/pose.h"

/// Mass and inertia about the centre of mass, along the axes of the body's frame.
typedef struct palInertia
{
    double mass;     // kg
    palMat3 inertia; // kg·m²
    palMat3 inverse; // of inertia
} palInertia;

/// Where a rigid body is.
typedef struct palRigidState
{
    palVec3 x; // centre of mass, m
    palQuat q; // body's frame to world
    palVec3 v; // of the centre, m/s
    palVec3 L; // angular momentum about the centre, world frame, kg·m²/s
} palRigidState;

/// Of a mass that palMass_Check accepts.
palInertia palMakeInertia(const palMass* mass);

/// R a Rᵀ: a matrix of the body's frame in the world.
static inline palMat3 palTurnedMat3(palQuat q, palMat3 a)
{
    palMat3 R = palMakeMat3Quat(q);
    return palMat3Mul(palMat3Mul(R, a), palMat3Transpose(R));
}

/// ω = I⁻¹ L at the present orientation, rad/s.
static inline palVec3 palInertia_Omega(const palInertia* inertia, const palRigidState* state)
{
    palVec3 body = palMat3Apply(inertia->inverse, palInvRotate(state->q, state->L));
    return palRotate(state->q, body);
}

/// The kinetic energy, J.
static inline double palInertia_Energy(const palInertia* inertia, const palRigidState* state)
{
    return 0.5 * inertia->mass * palLengthSquared(state->v) +
           0.5 * palDot(state->L, palInertia_Omega(inertia, state));
}

/// The state after h, s, with the velocity and the angular momentum that it has.
palRigidState palInertia_Move(const palInertia* inertia, palRigidState state, double h);

#endif
