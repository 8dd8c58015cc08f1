// SPDX-License-Identifier: Apache-2.0
// How a soft body answers forces near a few of its nodes: a small exact model for the high rate.
//
// Between two low-rate steps the body moves in a subspace V that contains its answers to forces at
// the touched nodes. For unit forces Jᵀ there, V is spanned by
//
//     M⁻¹ Jᵀ                              the first instant: inertia alone
//     x1 = A⁻¹ Jᵀ, x2 = A⁻¹ M x1, x3 = A⁻¹ M x2      one factor of A(h*), h* = 20 ms
//
// (a rational Krylov space, Ruhe 1984), and by A⁻¹ of the body's own unbalanced forces and by its
// velocity, so that it also moves freely and settles. Measured against the full body stepped at
// 1 kHz, a 10 cm block of 2560 tets pressed by 10 mm, with snapshots every 33 ms that are 33 ms
// late (palpate bench feel): the impedance is within 3.1 % up to 20 Hz for 10 kPa and within 1.5 %
// for 50 kPa. The space needs no second matrix for the second time step.
//
// With V orthonormal in M and turned so that VᵀKV is diagonal, the motion is a set of decoupled
// oscillators (modes.h).
#ifndef PAL_BODY_RESPONSE_H
#define PAL_BODY_RESPONSE_H

#include "body/modes.h"
#include "body/soft.h"
#include "linalg/cholesky.h"

enum
{
    pal_responseNodesMax = 12, // touched nodes
    pal_responseDepth = 4,     // vectors a row: M⁻¹Jᵀ, x1, x2, x3
    pal_responseExtra = 3,     // A⁻¹ force, its successor, velocity
    pal_responseColumnsMax = 3 * pal_responseNodesMax * pal_responseDepth + pal_responseExtra,
};

typedef struct palResponse
{
    palSoftBody* body;   // borrowed
    palBlockMatrix A;    // owned: the system at h*
    palCholesky* factor; // owned
    int columnCount;     // raw vectors of this step
    double* V;           // owned, [pal_responseColumnsMax][3 freeCount]
    double* KV;          // owned, the same shape: K times each
    double* turn;        // owned, [columnCount][modes.count]: raw vectors -> modes
    double* work;        // owned: Gram matrices and vectors
    palModes modes;      // at the high rate's step
    bool factored;       // false where the system was not positive definite
} palResponse;

palResult palResponse_Create(palSoftBody* body, palResponse** response, palError* error);
void palResponse_Destroy(palResponse* response);

/// Linearises the body at its present state and builds the modes for forces at `nodes` (held ones
/// are skipped). `contact` is the contact force that acts now, [3 freeCount] N, or NULL: what it
/// balances is not unbalanced. `h` is the high rate's step. No allocation. Returns false where the
/// system could not be factored; the modes are then none.
bool palResponse_Build(palResponse* response, const int* nodes, int nodeCount,
                       const double* contact, double h);

/// How a node moves in each mode; zero for held nodes.
void palResponse_NodeShape(const palResponse* response, int node, palModeShape* shape);

/// Moves the body by a state of the modes, and gives it that state's velocity.
void palResponse_MoveBody(palResponse* response, const palModesState* state);

#endif
