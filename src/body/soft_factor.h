// SPDX-License-Identifier: Apache-2.0
// The system of one soft body at the step h, with its factor:
//
//     A(h) = M + h D + h² K,   K at the present state
//
// for all that solve with it: the small models for the high rate (body/reduction.h)
// and the step with rows of contact (body/soft_step.h).
//
// Bodies whose factor takes few operations, as its symbolic analysis counts them, are factored in
// every step.
//
// LARGE BODIES. A factor a step is too slow for the others. Theirs are made by another thread
// (linalg/factor_worker.h), and the newest finished one stands in, its solves turned with the
// nodes: with T how each node has turned since,
//
//     A⁻¹ ≈ P = T (L Lᵀ)⁻¹ Tᵀ
//
// (exact where the body has only turned; M. Müller et al. 2002 warp the stiffness so). It is in
// single precision. What has to be right for the body to settle is solved with the present A, by
// few iterations of conjugate gradients with P as the preconditioner. What they leave is unbalanced
// in the next step too, and gone then.
//
// Nobody knows whether the present A is positive definite before a factor of it is finished. Where
// that fails, or an iteration meets a direction without stiffness, the tangent is the safe one for
// a while.
#ifndef PAL_BODY_SOFT_FACTOR_H
#define PAL_BODY_SOFT_FACTOR_H

#include "body/soft.h"
#include "linalg/conjugate_gradients.h"
#include "linalg/factor_worker.h"
#include "linalg/reach.h"

/// Operations of the largest factor that is made in every step, some 7 ms of it.
///
/// Elements do not tell: a factor takes 21 operations per ns, and of a cube of n cells a side held
/// at one of them
///
///     n                       8      10      12      14      16      20
///     five tets a cell    2.1e7   8.1e7   2.1e8   5.2e8   1.1e9
///     a brick a cell      6.2e7   2.4e8   6.7e8   1.5e9   3.4e9  1.3e10
#define PAL_FLOPS_AT_ONCE 1.5e8

typedef struct palSoftFactorDef
{
    int elementsAtOnce;     // bodies of more are factored by another thread; 0: by the operations,
                            // above PAL_FLOPS_AT_ONCE
    double h;               // s: the usual step, for the first factor of a large body
    double lowDt;           // ΔT, s
    int lateSteps;          // in virtual time: steps until a factor comes; 0: by its flops
    const bool* inRealTime; // borrowed: whether that thread may be used now, or, so that a run is
                            // the same every time, stands still: then factors are made in the
                            // caller's and come after a fixed number of steps. NULL: still
    bool singlePrecision;   // of factors that are made in every step
} palSoftFactorDef;

static inline palSoftFactorDef palDefaultSoftFactorDef(void)
{
    return (palSoftFactorDef){.h = 0.02, .lowDt = 0.033};
}

/// What the last step of a large body had to do with. All zero for the others.
typedef struct palSoftFactorInfo
{
    double factorAge;     // s: from the state that was factored to the present one
    double factorTime;    // s that the newest factor took to make
    int iterations;       // of conjugate gradients
    double residual;      // that they left, of the right-hand side's length
    double workerSeconds; // spent on what another thread does in real time; for the reader to clear
} palSoftFactorInfo;

typedef struct palSoftFactor
{
    palSoftFactorDef def;
    palSoftBody* body;       // borrowed
    double h;                // s: of A
    palBlockMatrix A;        // owned
    palCholesky* factor;     // owned; NULL for large bodies
    palFactorWorker* worker; // owned; NULL for the others
    palCgWorkspace cg;       // owned; of large bodies, like the frames
    palMat3* frames;         // owned, [freeCount]: how each node has turned from rest: now,
    palMat3* newestFrames;   // owned: when the newest factor was asked for,
    palMat3* nextFrames;     // owned: when the one under way was,
    palMat3* turns;          // owned: and since the newest: frames newestFramesᵀ
    double newestH;          // s: step of the newest factor,
    double nextH;            // s: and of the one under way
    double now;              // s: the body's time; written by the caller, for the factor's age
    uint64_t step;           // of palSoftFactor_Prepare
    uint64_t arrival;        // in virtual time: the step at which the factor under way is taken
    int safeSteps;           // steps to come that take the safe tangent
    palSoftFactorInfo info;
} palSoftFactor;

palResult palSoftFactor_Create(const palSoftFactorDef* def, palSoftBody* body,
                               palSoftFactor** factor, palError* error);
void palSoftFactor_Destroy(palSoftFactor* factor);

/// Whether another thread makes its factors.
static inline bool palSoftFactor_IsLarge(const palSoftFactor* factor)
{
    return factor->worker != NULL;
}

/// Linearises the body for a step h and sees to a factor. With `isLinear` its K and force are those
/// of where it is, and are taken as they are. Returns false where there is no factor.
bool palSoftFactor_Prepare(palSoftFactor* factor, double h, bool isLinear);

/// Linearises a large body again, with the safe tangent, in this step and those to come: where A
/// turns out not to be definite, as a factor a step would have found out when it failed. Returns
/// false, and does nothing, for other bodies.
bool palSoftFactor_TakeSafeTangent(palSoftFactor* factor);

/// x = A⁻¹ b for `count` vectors side by side, of large bodies x = P b; x may be b.
void palSoftFactor_Solve(palSoftFactor* factor, int count, const double* b, double* x);

/// x = A⁻¹ b of a large body, by conjugate gradients. x must not be b. Takes the safe tangent where
/// A is not definite. Returns false where the state is not finite.
bool palSoftFactor_SolveExactly(palSoftFactor* factor, const double* b, double* x);

/// The factor that Solve works with, and how the nodes have turned since; NULL: not at all.
palCholesky* palSoftFactor_Cholesky(const palSoftFactor* factor);
const palMat3* palSoftFactor_Turns(const palSoftFactor* factor);

/// Z of palReach_Solve for rows J of the body: of large bodies for J T, in `turned`, [entries of
/// `reach`], so that Zᵀ Z = J P Jᵀ. Rows and `turned` are borrowed until the next call.
bool palSoftFactor_Reach(const palSoftFactor* factor, const palSparseRows* rows, palVec3* turned,
                         palReach* reach);

/// Moves a solution x ≈ A⁻¹ b of a large body as a whole, so that its momentum is that of the exact
/// one: where nothing holds the body, 1ᵀ A x = (1 + h α) 1ᵀ M x. `sum` is 1ᵀ b, over the nodes.
/// Solutions of other bodies stay as they are.
void palSoftFactor_KeepMomentum(const palSoftFactor* factor, palVec3 sum, double* x);

/// After the body: the factors are made anew from their matrices.
void palSoftFactor_Archive(palSoftFactor* factor, palArchive* archive);

/// What to multiply P with where the factor that stands in is of another step: the ratio of the
/// stiffnesses, or where nothing holds the body, which moves by its inertia then, 1.
double palSoftFactor_Scale(const palSoftFactor* factor);

#endif
