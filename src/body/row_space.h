// SPDX-License-Identifier: Apache-2.0
// How a body answers forces along a few rows of constraints: a small model for other time steps.
//
// Between two of its own steps a body moves in a subspace V that contains its answers to forces
// along the rows J. As in body/response.h, which is the same for all forces at a few nodes of a
// soft body, V is spanned by
//
//     M⁻¹ Jᵀ                              the first instant: inertia alone
//     x1 = A⁻¹ Jᵀ, x2 = A⁻¹ M x1, ...      one factor of A(h*)           (Ruhe 1984)
//
// by A⁻¹ of the unbalanced force, and by the velocity. With V orthonormal in M and VᵀKV diagonal
// the motion is a set of decoupled oscillators (modes.h), and the compliance of the rows is
//
//     W(h) = h² B diag(a(h)) Bᵀ,   B = J V,   ai = 1/(1 + h (α + β ki) + h² ki)
//
// for every step h: one factor serves ΔT, dt and all rates between. More rows than the usual number
// of columns has room for at full depth get fewer vectors each, down to x1 alone.
//
// The body is behind a table of operations, so that soft bodies and wires are reduced alike.
#ifndef PAL_BODY_ROW_SPACE_H
#define PAL_BODY_ROW_SPACE_H

#include "body/modes.h"

#include <palpate/base.h>

// h*, s: as in response_space.h.
static const double pal_rowSpaceStep = 0.02;

enum
{
    pal_rowSpaceColumns = 152, // raw vectors that are usual
    pal_rowSpaceExtras = 3,    // A⁻¹ of the unbalanced force, its successor, the velocity
    pal_rowSpaceRowsMax = pal_modesMax - pal_rowSpaceExtras, // of one body
    pal_rowEntriesMax = 192, // numbers of a row: three axes for each node of an anchor
};

/// A row of J, sparse.
typedef struct palSparseRow
{
    int count;
    int index[pal_rowEntriesMax];
    double value[pal_rowEntriesMax];
} palSparseRow;

/// What a reduction asks of a body. Vectors have `size` numbers.
typedef struct palReducible
{
    void* body; // borrowed
    int size;
    double alpha, beta; // Rayleigh's constants, 1/s and s
    /// Linearises at the present state and factors A(h); false where that fails.
    bool (*factor)(void* body, double h);
    /// x = A⁻¹ b for `count` vectors side by side, or what stands in for it.
    void (*solve)(void* body, int count, const double* b, double* x);
    /// Makes x = A⁻¹ b of one vector right where another factor stands in; false where the state is
    /// not finite.
    bool (*refine)(void* body, const double* b, double* x);
    /// Takes a safe K where A turns out not to be definite; false where there is no other.
    bool (*makeSafe)(void* body);
    /// The same for the first instant: x = M⁻¹ b, or A(h)⁻¹ b where a second factor costs nothing.
    void (*instant)(void* body, double h, int count, const double* b, double* x);
    void (*mass)(const void* body, const double* x, double* y);
    void (*stiffness)(const void* body, const double* x, double* y);
    /// Forces at the linearised state, N; velocities.
    void (*state)(const void* body, double* force, double* velocity);
    /// x += dx, v = velocity.
    void (*move)(void* body, const double* dx, const double* velocity);
} palReducible;

typedef struct palRowSpace
{
    palReducible body;
    int rowCapacity;
    int columnCapacity;
    int columnCount; // raw vectors of this step
    int depth;       // vectors a row
    double* V;       // owned, [columnCapacity][size]
    double* KV;      // owned, the same shape: K times each
    double* MV;      // owned, the same shape: M times each
    double* turn;    // owned, [columnCount][modes.count]: raw vectors -> modes
    double* work;    // owned: small matrices
    double* vectors; // owned, [3][size]
    palModes modes;  // with `a` for the step that Build was given
    bool factored;   // false where the system was not positive definite
} palRowSpace;

/// For at most `rowCapacity` rows, no more than pal_rowSpaceRowsMax.
palResult palRowSpace_Init(palRowSpace* reduction, const palReducible* body, int rowCapacity,
                           palError* error);
void palRowSpace_Free(palRowSpace* reduction);

/// Linearises the body and builds the modes for forces along `rows`. `balance`, [size] N, are the
/// forces that act on it from outside now: what they balance is not unbalanced. Modes get the step
/// h. No allocation. Returns false, and no modes, where the system could not be factored.
bool palRowSpace_Build(palRowSpace* reduction, const palSparseRow* rows, int rowCount,
                       const double* balance, double h);

/// x += scale Jᵀ
void palSparseRow_Add(const palSparseRow* row, double scale, double* x);

/// b = Vᵀ Jᵀ of any row, [modes.count].
void palRowSpace_Project(const palRowSpace* reduction, const palSparseRow* row, double* b);

/// Moves the body by a state of the modes, and gives it that state's velocity.
void palRowSpace_Move(palRowSpace* reduction, const palModesState* state);

/// W[row[i] * stride + row[j]] += h² Σ a b_i b_j over the modes, for `count` rows of B, each of
/// `width` numbers; a is that of the step h. `row` may be NULL: i, j themselves.
void palModes_AddCompliance(const palModes* modes, double h, double alpha, double beta,
                            const double* B, int width, const int* row, int count, double* W,
                            int stride);

#endif
