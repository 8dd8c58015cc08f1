// SPDX-License-Identifier: Apache-2.0
// An unreduced soft body, without the reductions of body/response.h: time steps and static solves,
// the reference for tests and benchmarks.
//
// A step is linearised backward Euler,
//
//     A(h) dv = h (f + f_ext - D v - h K v),   x += h (v + dv)
//
// and a body at rest satisfies f + f_ext = 0, solved by Newton's method with the stiffness K of the
// corotational elements.
#ifndef PAL_BENCH_SOFT_REFERENCE_H
#define PAL_BENCH_SOFT_REFERENCE_H

#include "body/point.h"
#include "body/soft.h"
#include "linalg/cholesky.h"
#include "mesh/volume_shapes.h"

#include <stdlib.h>
#include <string.h>

// s: for this time step A is h² K up to a negligible part.
#define PAL_SOFT_LONG_STEP 100.0

typedef struct palSoftReference
{
    palSoftBody* body;   // borrowed
    palBlockMatrix A;    // owned
    palCholesky* factor; // owned
    size_t rows;         // 3 freeCount
    double* external;    // owned, [rows]: external forces, N
    double* b;           // owned, [rows]
    double* x;           // owned, [rows]
    double* Jt;          // owned, [rows]: A⁻¹ Jᵀ of the contact row
} palSoftReference;

static inline void palSoftReference_Free(palSoftReference* reference)
{
    palBlockMatrix_Free(&reference->A);
    palCholesky_Destroy(reference->factor);
    free(reference->external);
    free(reference->b);
    free(reference->x);
    free(reference->Jt);
    *reference = (palSoftReference){0};
}

static inline palResult palSoftReference_Init(palSoftReference* reference, palSoftBody* body,
                                              palError* error)
{
    *reference = (palSoftReference){.body = body, .rows = 3 * (size_t)body->freeCount};
    palCholeskyDef def = palDefaultCholeskyDef();
    palResult result = palSoftBody_InitSystem(body, &reference->A, error);
    if (result == pal_ok)
        result = palCholesky_Create(&def, &reference->A, &reference->factor, error);
    reference->external = calloc(reference->rows, sizeof(double));
    reference->b = calloc(reference->rows, sizeof(double));
    reference->x = calloc(reference->rows, sizeof(double));
    reference->Jt = calloc(reference->rows, sizeof(double));
    bool ok = reference->external && reference->b && reference->x && reference->Jt;
    if (result == pal_ok && !ok)
        result = pal_errorMemory;
    if (result != pal_ok)
        palSoftReference_Free(reference);
    return result;
}

// b = f + f_ext - α M v - (β + h) K v in the current state.
static inline void palSoftReference_Forces(palSoftReference* reference, double h)
{
    palSoftBody* body = reference->body;
    palSoftBody_Velocities(body, reference->b);
    palBlockMatrix_Multiply(&body->K, reference->b, reference->x);
    for (int i = 0; i < body->nodeCount; i++)
        for (int c = 0; c < 3 && body->freeIndex[i] >= 0; c++)
        {
            size_t row = 3 * (size_t)body->freeIndex[i] + (size_t)c;
            double damping = body->alpha * body->mass[i] * reference->b[row];
            reference->b[row] = body->force[row] + reference->external[row] - damping -
                                (body->beta + h) * reference->x[row];
        }
}

/// One time step h. Returns false if the system was not positive definite.
static inline bool palSoftReference_Step(palSoftReference* reference, double h)
{
    palSoftBody* body = reference->body;
    if (!palSoftBody_Factor(body, h, &reference->A, reference->factor))
        return false;
    palSoftReference_Forces(reference, h);
    palCholesky_Solve(reference->factor, reference->b, reference->x);
    palSoftBody_Velocities(body, reference->b);
    for (size_t i = 0; i < reference->rows; i++)
    {
        reference->b[i] += h * reference->x[i];
        reference->x[i] = h * reference->b[i];
    }
    palSoftBody_Move(body, reference->x, reference->b);
    return true;
}

// Factorises h² K.
static inline bool palSoftReference_FactorStiffness(palSoftReference* reference)
{
    double beta = reference->body->beta;
    reference->body->beta = 0.0;
    bool ok =
        palSoftBody_Factor(reference->body, PAL_SOFT_LONG_STEP, &reference->A, reference->factor);
    reference->body->beta = beta;
    return ok;
}

/// Brings the body to rest under the external forces: Newton iterations until the largest
/// displacement of an iteration is below `tolerance` (m), at most `most`. Returns that
/// displacement.
static inline double palSoftReference_Settle(palSoftReference* reference, double tolerance,
                                             int most)
{
    const double hh = PAL_SOFT_LONG_STEP * PAL_SOFT_LONG_STEP;
    double change = INFINITY;
    memset(reference->b, 0, reference->rows * sizeof(double));
    palSoftBody_Move(reference->body, NULL, reference->b);
    for (int k = 0; k < most && change > tolerance; k++)
    {
        if (!palSoftReference_FactorStiffness(reference))
            return INFINITY;
        for (size_t i = 0; i < reference->rows; i++)
            reference->b[i] = hh * (reference->body->force[i] + reference->external[i]);
        palCholesky_Solve(reference->factor, reference->b, reference->x);
        change = 0.0;
        for (size_t i = 0; i < reference->rows; i++)
            change = fmax(change, fabs(reference->x[i]));
        palSoftBody_Move(reference->body, reference->x, NULL);
    }
    palSoftBody_Linearise(reference->body, pal_tangentExact);
    return change;
}

/// Presses node `node` down to the height z, without friction, and brings the body to rest. Returns
/// the upward reaction force, N; NAN if it did not converge.
static inline double palSoftReference_Press(palSoftReference* reference, int node, double z)
{
    palSoftBody* body = reference->body;
    size_t row = 3 * (size_t)body->freeIndex[node] + 2;
    const double hh = PAL_SOFT_LONG_STEP * PAL_SOFT_LONG_STEP;
    double lambda = 0.0;
    double change = INFINITY;
    for (int k = 0; k < 100 && change > 1e-9; k++)
    {
        if (!palSoftReference_FactorStiffness(reference))
            return NAN;
        // dx = K⁻¹ f + K⁻¹ Jᵀ λ, with λ such that the node is at z afterwards.
        memset(reference->b, 0, reference->rows * sizeof(double));
        reference->b[row] = hh;
        palCholesky_Solve(reference->factor, reference->b, reference->Jt);
        for (size_t i = 0; i < reference->rows; i++)
            reference->b[i] = hh * body->force[i];
        palCholesky_Solve(reference->factor, reference->b, reference->x);
        lambda = (z - body->x[node].z - reference->x[row]) / reference->Jt[row];
        change = 0.0;
        for (size_t i = 0; i < reference->rows; i++)
        {
            reference->x[i] += lambda * reference->Jt[i];
            change = fmax(change, fabs(reference->x[i]));
        }
        palSoftBody_Move(body, reference->x, NULL);
    }
    return change <= 1e-9 ? -lambda : NAN;
}

/// One step of the body and of a point in contact with node `node` from above, without friction, at
/// the same rate: the contact is one row, z of the point minus z of the node. Returns the force of
/// the coupling on the hand.
static inline palVec3 palSoftReference_Touch(palSoftReference* reference,
                                             const palPointModel* model, int node, palVec3 device,
                                             palVec3 deviceSpeed, palPointState* point)
{
    palSoftBody* body = reference->body;
    size_t row = 3 * (size_t)body->freeIndex[node] + 2;
    double h = model->dt;
    palSoftReference_Step(reference, h);
    palPointFree free = palPoint_FreeMotion(model, point, device, deviceSpeed);

    // 0 <= λ ⟂ gap >= 0 with the compliance of point and body.
    memset(reference->b, 0, reference->rows * sizeof(double));
    reference->b[row] = 1.0;
    palCholesky_Solve(reference->factor, reference->b, reference->Jt);
    double gap = free.x.z - body->x[node].z;
    double lambda = fmax(0.0, -gap / (free.compliance + h * h * reference->Jt[row]));
    palSoftBody_Velocities(body, reference->b);
    for (size_t i = 0; i < reference->rows; i++)
    {
        double dv = -h * lambda * reference->Jt[i];
        reference->b[i] += dv;
        reference->x[i] = h * dv;
    }
    palSoftBody_Move(body, reference->x, reference->b);
    *point = palPoint_Correct(model, &free, palMakeVec3(0.0, 0.0, lambda));
    return palPoint_CouplingForce(model, point, device, deviceSpeed);
}

#endif
