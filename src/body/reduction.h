// SPDX-License-Identifier: Apache-2.0
// One or several bodies as a few decoupled oscillators (modes.h): the reduced model with which
// every method moves them at the high rate.
//
// Between two of its own steps a body moves in a subspace V that contains its answers to forces
// where it is touched. For such forces Jᵀ, V is spanned by
//
//     M⁻¹ Jᵀ                              the first instant: inertia alone
//     x1 = A⁻¹ Jᵀ, x2 = A⁻¹ M x1, ...      one factor of A(h*), h* = 20 ms    (Ruhe 1984)
//
// by A⁻¹ of the forces that nothing balances, A⁻¹ M of that, and the velocity, so that it also
// moves freely and settles. With V orthonormal in M and VᵀKV diagonal the motion is a set of
// decoupled oscillators, and the compliance of rows J is
//
//     W(h) = h² B diag(a(h)) Bᵀ,   B = J V,   ai = 1/(1 + h di + h² ki)
//
// for every step h: one factor serves ΔT, dt and all rates between. K is always that of the present
// state; a V that is not quite right makes an error of second order in the answers, and none at
// rest: there the unbalanced force is zero in the whole space, whatever V.
//
// Two files fill the columns, for two kinds of forces: body/island.h for all forces at a few nodes
// of soft bodies, which rows may tie to each other; body/row_space.h for forces along given rows of
// one body, a soft one or a wire.
//
//     columns from right-hand sides: palReduction_Store, or in place and palReduction_Normalise
//     palReduction_FindModes
//     palReduction_Project, palReduction_Expand, palReduction_Move until the next columns
#ifndef PAL_BODY_REDUCTION_H
#define PAL_BODY_REDUCTION_H

#include "body/modes.h"
#include "body/reducible.h"

enum
{
    pal_unitsMax = 180, // columns with one number that is not zero
};

/// One body's rows of the dense columns, [columns][size] each.
typedef struct palReducedBody
{
    palReducible ops;
    double* V;   // owned: of length 1 in M over all bodies
    double* KV;  // owned: K times each; workspace before FindModes
    double* MV;  // owned: M times each; right-hand sides before FindModes and after
    int columns; // that there is room for
} palReducedBody;

typedef struct palReduction
{
    palReducedBody** bodies; // borrowed, [bodyCount]; set by the caller that fills the columns
    int bodyCount;

    // The columns of V. Units first: row unitRow[j] of body unitBody[j] is unitScale[j], so that it
    // has length 1 in M; its products are looked up. The dense ones have rows on every body.
    int unitCount;
    int unitBody[pal_unitsMax];
    int unitRow[pal_unitsMax];
    double unitScale[pal_unitsMax];
    int denseCount;
    double* turn;   // owned, [columns][modes.count]: mode i is Σ turn[j][i] times column j
    double* work;   // borrowed, [palReduction_WorkSize(columns)]
    palModes modes; // at the step that FindModes was given
} palReduction;

/// With a capacity of `columns` dense columns, at least eight.
palResult palReducedBody_Init(palReducedBody* body, const palReducible* ops, int columns,
                              palError* error);
void palReducedBody_Free(palReducedBody* body);

/// A dense column of V, and a right-hand side.
static inline double* palReducedBody_Column(const palReducedBody* body, int index)
{
    return body->V + (size_t)index * (size_t)body->ops.size;
}

static inline double* palReducedBody_Right(const palReducedBody* body, int index)
{
    return body->MV + (size_t)index * (size_t)body->ops.size;
}

/// The size of `work` for that number of columns, units included.
size_t palReduction_WorkSize(int columns);
palResult palReduction_Init(palReduction* reduction, int columns, double* work, palError* error);
void palReduction_Free(palReduction* reduction);

/// Scales dense columns to length 1 in M; a zero column stays zero. KV is workspace.
void palReduction_Normalise(const palReduction* reduction, int first, int count);
/// The same of right-hand side `right`, which becomes a column.
void palReduction_Store(const palReduction* reduction, int column, int right);

/// Turns the columns into modes for the step h; dependent directions are dropped. Where A(h*) is
/// not definite the bodies take a safe K, if they have one. Returns false, and no modes, where the
/// columns are not finite. No allocation.
bool palReduction_FindModes(palReduction* reduction, double h);

/// b = Vᵀ Jᵀ of any row of a body, [modes.count].
void palReduction_Project(const palReduction* reduction, int body, const palSparseRow* row,
                          double* b);

/// Σ of the modes times coefficients, into right-hand side `right` of every body.
void palReduction_Expand(const palReduction* reduction, const double* coefficients, int right);

/// The modes, and the columns that they are made of: of each body the first `columns`.
void palReduction_Archive(palReduction* reduction, palArchive* archive);
void palReducedBody_Archive(palReducedBody* body, int columns, palArchive* archive);

/// Moves the bodies by a state of the modes, and gives them that state's velocity.
void palReduction_Move(const palReduction* reduction, const palModesState* state);

#endif
