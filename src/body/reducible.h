// SPDX-License-Identifier: Apache-2.0
// The operations on a body that a reduction (body/reduction.h) needs, for soft bodies and wires.
#ifndef PAL_BODY_REDUCIBLE_H
#define PAL_BODY_REDUCIBLE_H

#include "body/anchor.h"
#include "body/skin.h"
#include "body/soft_factor.h"
#include "body/wire.h"

// h*, s: the time scale at which the space of a reduction is built. Between the periods that a hand
// feels (20 Hz) and rest; the accuracy varies little from 10 to 33 ms.
static const double pal_reductionStep = 0.02;

enum
{
    pal_rowEntriesMax = 192, // numbers of a row: three axes for each node of an anchor
};

/// A row of J, sparse.
typedef struct palSparseRow
{
    int count;
    int index[pal_rowEntriesMax];
    double value[pal_rowEntriesMax];
} palSparseRow;

/// x += scale Jᵀ
static inline void palSparseRow_Add(const palSparseRow* row, double scale, double* x)
{
    for (int k = 0; k < row->count; k++)
        x[row->index[k]] += scale * row->value[k];
}

/// Vectors have `size` numbers; `count` of them stand side by side.
typedef struct palReducible
{
    void* body; // borrowed
    int size;
    double alpha, beta; // Rayleigh's constants, 1/s and s
    double softening;   // 1/s²: modes may have a stiffness down to minus this
    /// Linearises at the present state and factors A(h); false where that fails.
    bool (*factor)(void* body, double h);
    /// x = A⁻¹ b, with the present factor or an earlier one.
    void (*solve)(void* body, int count, const double* b, double* x);
    /// Refines x = A⁻¹ b of one vector where the factor is an earlier one; false where the state is
    /// not finite.
    bool (*refine)(void* body, const double* b, double* x);
    /// Takes a safe K where A turns out not to be definite; false where there is no other.
    bool (*makeSafe)(void* body);
    /// The same for the first instant: x = M⁻¹ b, or A(h)⁻¹ b where a second factor costs nothing.
    void (*instant)(void* body, double h, int count, const double* b, double* x);
    void (*mass)(const void* body, int count, const double* x, double* y);
    /// y = K x; `work` has eight vectors.
    void (*stiffness)(const void* body, int count, const double* x, double* y, double* work);
    /// One number of K; NULL for bodies whose reductions have no unit columns.
    double (*entry)(const void* body, int row, int column);
    /// Forces at the linearised state, N; velocities.
    void (*state)(const void* body, double* force, double* velocity);
    /// The velocities of its motion as a whole: translation, and rotation about its centre of mass;
    /// NULL for bodies without. Both zero where something holds it.
    void (*rigid)(const void* body, double* translation, double* rotation);
    /// x += dx, v = velocity.
    void (*move)(void* body, const double* dx, const double* velocity);
} palReducible;

typedef struct palReducibleSoft
{
    palSoftBody* body;     // borrowed
    palSoftFactor* factor; // owned
    double* mass;          // owned, [freeCount], kg
} palReducibleSoft;

/// def->h is set to that of the reduction.
palResult palReducibleSoft_Init(palReducibleSoft* soft, palSoftBody* body,
                                const palSoftFactorDef* def, palError* error);
void palReducibleSoft_Free(palReducibleSoft* soft);
palReducible palReducibleSoft_Ops(palReducibleSoft* soft);

/// The motion of a place of the surface along a unit vector, or the turning of the material there.
palSparseRow palReducibleSoft_Row(const palSoftBody* body, const palSkin* skin,
                                  const palPlace* place, palVec3 axis, bool turning);

/// A spring along a row of a wire, at rest where the wire is linearised.
typedef struct palBeamTie
{
    palBeamRow row;
    double stiffness; // N/m or N·m/rad
} palBeamTie;

typedef struct palReducibleBeam
{
    const palBeamModel* model; // borrowed
    const palBeamTie* ties;    // borrowed, [tieCount]: part of K
    int tieCount;
    const double* load;  // borrowed, [6 nodes]: further forces at the state, N; NULL: none
    palBeamState* state; // borrowed
    palBeamWork* work;   // borrowed: its linearisation
    double h;            // s, of the last factor
} palReducibleBeam;

palReducible palReducibleBeam_Ops(palReducibleBeam* beam);

/// The motion of a place along a unit vector, or the turning of its section about it, at the state
/// that was linearised last (palBeam_Linearise).
palSparseRow palReducibleBeam_Row(const palReducibleBeam* beam, palBeamPlace place,
                                  palVec3 direction, bool turning);

/// A row of a wire, without what is held.
palSparseRow palReducibleBeam_Sparse(const palReducibleBeam* beam, const palBeamRow* full);

#endif
