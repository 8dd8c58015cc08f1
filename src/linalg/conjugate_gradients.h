// SPDX-License-Identifier: Apache-2.0
// Preconditioned conjugate gradients for A x = b, A a symmetric positive definite palBlockMatrix.
//
// The preconditioner is the inverse of the diagonal blocks, or a palCholesky of a matrix close to
// A: the factor of an earlier step can be reused for many steps while a body rotates and deforms.
// It works better if the nodes' rotations since that step are applied to it.
//
// The workspace is allocated once for a number of nodes; a solve does not allocate and does at most
// maxIterations iterations.
#ifndef PAL_LINALG_CONJUGATE_GRADIENTS_H
#define PAL_LINALG_CONJUGATE_GRADIENTS_H

#include "linalg/cholesky.h"

typedef struct palCgSettings
{
    double tolerance;     // on |b - A x| / |b|, Euclidean norms
    int maxIterations;    //
    palCholesky* factor;  // borrowed: the preconditioner; NULL: the inverse diagonal blocks
    const palMat3* turns; // borrowed, [nodeCount]: rotation T of each node since the factor was
                          // computed; the preconditioner is T (L Lᵀ)⁻¹ Tᵀ. NULL: no rotation
} palCgSettings;

static inline palCgSettings palDefaultCgSettings(void)
{
    return (palCgSettings){.tolerance = 1e-8, .maxIterations = 500};
}

typedef enum palCgStatus
{
    pal_cgConverged,
    pal_cgIterations, // not converged after maxIterations
    pal_cgIndefinite, // a direction with curvature <= 0: A or the preconditioner is not SPD
} palCgStatus;

typedef struct palCgInfo
{
    palCgStatus status;
    int iterations;
    double residual; // |b - A x| / |b|, from the recurrence; 0 for b = 0
} palCgInfo;

typedef struct palCgWorkspace
{
    int nodeCount;
    palMat3* inverses;   // owned, [nodeCount]: of the diagonal blocks
    double* residual;    // owned, [3 nodeCount] like those below
    double* conditioned; // owned: the preconditioner times the residual
    double* direction;   // owned
    double* product;     // owned: A times the direction
} palCgWorkspace;

palResult palCgWorkspace_Init(palCgWorkspace* workspace, int nodeCount, palError* error);
void palCgWorkspace_Free(palCgWorkspace* workspace);

/// Solves A x = b. x holds the initial guess.
palCgInfo palConjugateGradients(const palCgSettings* settings, palCgWorkspace* workspace,
                                const palBlockMatrix* A, const double* b, double* x);

#endif
