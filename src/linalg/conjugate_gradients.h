// SPDX-License-Identifier: Apache-2.0
// Preconditioned conjugate gradients for A x = b, A a symmetric positive definite palBlockMatrix.
//
// The preconditioner is the inverse of the diagonal blocks, or a palCholesky of a matrix near A:
// the factor of an earlier step serves for many steps while a body turns and bends, the better if
// its solves are turned with the body's nodes.
//
// Settings, info and workspace: the workspace is allocated once for a number of nodes, a solve
// allocates nothing and does at most maxIterations iterations.
#ifndef PAL_LINALG_CONJUGATE_GRADIENTS_H
#define PAL_LINALG_CONJUGATE_GRADIENTS_H

#include "linalg/cholesky.h"

typedef struct palCgSettings
{
    double tolerance;     // on |b - A x| / |b|, Euclidean norms
    int maxIterations;    //
    palCholesky* factor;  // borrowed: the preconditioner; NULL: the inverse diagonal blocks
    const palMat3* turns; // borrowed, [nodeCount]: how each node has turned since the factor was
                          // made, T: the preconditioner is T (L Lᵀ)⁻¹ Tᵀ. NULL: not at all
} palCgSettings;

static inline palCgSettings palDefaultCgSettings(void)
{
    return (palCgSettings){.tolerance = 1e-8, .maxIterations = 500};
}

typedef enum palCgStatus
{
    pal_cgConverged,
    pal_cgIterations, // maxIterations were not enough
    pal_cgIndefinite, // a direction of negative or no curvature: A or the preconditioner is not SPD
} palCgStatus;

typedef struct palCgInfo
{
    palCgStatus status;
    int iterations;
    double residual; // |b - A x| / |b|, of the recurrence; 0 for b = 0
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

/// Improves x, which holds the first guess, until A x = b.
palCgInfo palConjugateGradients(const palCgSettings* settings, palCgWorkspace* workspace,
                                const palBlockMatrix* A, const double* b, double* x);

#endif
