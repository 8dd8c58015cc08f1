// SPDX-License-Identifier: Apache-2.0
// The haptic body of point contact: a small mass, tied to the device by a spring and a damper.
//
// Linearised backward Euler on the velocity level, with the device's position and velocity taken at
// the end of the step (they are read then):
//
//     f     = m g - k (x - x_dev) - b (v - v_dev)
//     A     = m + h b + h² k                     (times the identity, so it is kept as one number)
//     v_free = v + h (f - h k v) / A             x_free = x + h v_free
//     v⁺     = v_free + h λ / A                   x⁺     = x_free + (h²/A) λ
//
// so that W = h²/A times the identity: λ newtons move the point by W λ metres within the step.
#ifndef PAL_BODY_POINT_H
#define PAL_BODY_POINT_H

#include "math/vec3.h"

#include <stdbool.h>

/// The parameters of the point. Coupling and gravity may change between steps.
typedef struct palPointModel
{
    double mass;      // m, kg, > 0
    double stiffness; // k of the coupling, N/m
    double damping;   // b of the coupling, N·s/m
    palVec3 gravity;  // g, m/s²
    double dt;        // h, s
} palPointModel;

/// Where it is.
typedef struct palPointState
{
    palVec3 x; // m
    palVec3 v; // m/s
} palPointState;

/// Its motion in one step while nothing touches it.
typedef struct palPointFree
{
    palVec3 x;         // x_free, m
    palVec3 v;         // v_free, m/s
    double compliance; // W = h²/A, m/N
} palPointFree;

static inline double palPointModel_A(const palPointModel* model)
{
    double h = model->dt;
    return model->mass + h * model->damping + h * h * model->stiffness;
}

palPointFree palPoint_FreeMotion(const palPointModel* model, const palPointState* state,
                                 palVec3 devicePosition, palVec3 deviceVelocity);

/// The state at the end of the step under the contact force λ (N).
palPointState palPoint_Correct(const palPointModel* model, const palPointFree* free,
                               palVec3 lambda);

/// The force of the coupling on the device, N: k (x - x_dev) + b (v - v_dev).
palVec3 palPoint_CouplingForce(const palPointModel* model, const palPointState* state,
                               palVec3 devicePosition, palVec3 deviceVelocity);

/// The part of it that is given to the hand, N. Where nothing touches the point, the coupling force
/// is the weight and the inertia of the point; its mass is a parameter of the method, not of the
/// scene, so the hand gets the weight alone. After a contact the remainder fades: it is limited to
/// *most, N, which is the force during contact and decays afterwards.
palVec3 palPoint_HandForce(const palPointModel* model, palVec3 coupling, bool isTouched,
                           double* most);

#endif
