// SPDX-License-Identifier: Apache-2.0
#include "body/inertia.h"

// Rotation within one substep of the orientation's update, rad; Newton converges far beyond.
static const double turnMax = 0.5;
static const int substepsMax = 64;

palInertia palMakeInertia(const palMass* mass)
{
    palInertia inertia = {.mass = mass->mass, .inertia = mass->inertia};
    palMat3Inverse(mass->inertia, &inertia.inverse);
    return inertia;
}

// [a]×, so that [a]× b = a × b.
static palMat3 crossMatrix(palVec3 a)
{
    return (palMat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

// The mean angular velocity, in the body's frame, of a free body with the momentum L there: with
// ω the mean, L turns from I ω + h/2 ω × I ω to I ω - h/2 ω × I ω, so ω solves
//     I ω + h/2 ω × I ω = L
// by Newton's method. The orientation turns by Cayley's transform of h ω, which carries one end of
// L exactly to the other; ω · (ω × I ω) = 0, so the energy stays as it was.
static palVec3 meanOmega(const palInertia* body, palVec3 L, double h)
{
    const int steps = 6; // quadratic: 3 or 4 are used below turnMax
    palMat3 I = body->inertia;
    palVec3 omega = palMat3Apply(body->inverse, L);
    for (int i = 0; i < steps; i++)
    {
        palVec3 Iw = palMat3Apply(I, omega);
        palVec3 residual = palSub(palMulAdd(Iw, 0.5 * h, palCross(omega, Iw)), L);
        palMat3 slope = palMat3Mul(crossMatrix(omega), I);
        slope = palMat3MulAdd(slope, -1.0, crossMatrix(Iw));
        palMat3 inverse;
        if (!palMat3Inverse(palMat3MulAdd(I, 0.5 * h, slope), &inverse))
            break;
        palVec3 change = palMat3Apply(inverse, residual);
        omega = palSub(omega, change);
        if (palLengthSquared(change) <= 1e-28 * palLengthSquared(omega))
            break;
    }
    return omega;
}

palRigidState palInertia_Move(const palInertia* inertia, palRigidState state, double h)
{
    state.x = palMulAdd(state.x, h, state.v);
    // Fast spinning is divided, so that Newton's method starts near its end.
    double turns = ceil(h * palLength(palInertia_Omega(inertia, &state)) / turnMax);
    int substeps = turns > 1.0 ? (int)fmin(turns, substepsMax) : 1;
    double part = h / substeps;
    for (int i = 0; i < substeps; i++)
    {
        palVec3 omega = meanOmega(inertia, palInvRotate(state.q, state.L), part);
        palQuat turn = {1.0, 0.5 * part * omega.x, 0.5 * part * omega.y, 0.5 * part * omega.z};
        state.q = palNormalizeQuat(palMulQuat(state.q, turn));
    }
    return state;
}
