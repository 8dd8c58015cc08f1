// SPDX-License-Identifier: Apache-2.0
#include "linalg/conjugate_gradients.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

palResult palCgWorkspace_Init(palCgWorkspace* workspace, int nodeCount, palError* error)
{
    size_t n = (size_t)nodeCount;
    *workspace = (palCgWorkspace){
        .nodeCount = nodeCount,
        .inverses = calloc(n, sizeof(palMat3)),
        .residual = calloc(3 * n, sizeof(double)),
        .conditioned = calloc(3 * n, sizeof(double)),
        .direction = calloc(3 * n, sizeof(double)),
        .product = calloc(3 * n, sizeof(double)),
    };
    if (workspace->inverses != NULL && workspace->residual != NULL &&
        workspace->conditioned != NULL && workspace->direction != NULL &&
        workspace->product != NULL)
        return pal_ok;
    palCgWorkspace_Free(workspace);
    return palError_Memory(error, "conjugate gradients",
                           n * (sizeof(palMat3) + 12 * sizeof(double)));
}

void palCgWorkspace_Free(palCgWorkspace* workspace)
{
    free(workspace->inverses);
    free(workspace->residual);
    free(workspace->conditioned);
    free(workspace->direction);
    free(workspace->product);
    *workspace = (palCgWorkspace){0};
}

static double dot(int n, const double* a, const double* b)
{
    // Four independent sums allow vector instructions.
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Inverts the diagonal blocks; a singular block, which an SPD matrix does not have, is replaced by
// the identity.
static void invertDiagonal(palCgWorkspace* w, const palBlockMatrix* A)
{
    for (int i = 0; i < A->nodeCount; i++)
        if (!palMat3Inverse(A->blocks[A->rowStart[i + 1] - 1], &w->inverses[i]))
            w->inverses[i] = pal_identityMat3;
}

static void precondition(const palCgSettings* settings, palCgWorkspace* w)
{
    if (settings->factor != NULL && settings->turns == NULL)
    {
        palCholesky_Solve(settings->factor, w->residual, w->conditioned);
        return;
    }
    if (settings->factor != NULL)
    {
        palBlocks_ApplyTransposed(settings->turns, w->nodeCount, w->residual, w->product);
        palCholesky_Solve(settings->factor, w->product, w->product);
        palBlocks_Apply(settings->turns, w->nodeCount, w->product, w->conditioned);
        return;
    }
    for (int i = 0; i < w->nodeCount; i++)
    {
        const double* r = w->residual + 3 * (size_t)i;
        double* z = w->conditioned + 3 * (size_t)i;
        const double(*m)[3] = w->inverses[i].m;
        for (int a = 0; a < 3; a++)
            z[a] = m[a][0] * r[0] + m[a][1] * r[1] + m[a][2] * r[2];
    }
}

// Computes the next search direction: the preconditioned residual z, made conjugate to the previous
// direction (*rz = 0: there is none). *rz becomes r·z.
static void updateDirection(const palCgSettings* settings, palCgWorkspace* w, double* rz)
{
    int n = 3 * w->nodeCount;
    precondition(settings, w);
    double next = dot(n, w->residual, w->conditioned);
    double beta = *rz != 0.0 ? next / *rz : 0.0;
    *rz = next;
    for (int i = 0; i < n; i++)
        w->direction[i] = w->conditioned[i] + beta * w->direction[i];
}

// One iteration: updates x and r along the next direction. Returns false if the curvature along it
// is not positive.
static bool iterate(const palCgSettings* settings, palCgWorkspace* w, const palBlockMatrix* A,
                    double* x, double* rz)
{
    int n = 3 * w->nodeCount;
    updateDirection(settings, w, rz);
    palBlockMatrix_Multiply(A, w->direction, w->product);
    double curvature = dot(n, w->direction, w->product);
    if (!(curvature > 0.0) || !(*rz > 0.0))
        return false;
    double alpha = *rz / curvature;
    for (int i = 0; i < n; i++)
    {
        x[i] += alpha * w->direction[i];
        w->residual[i] -= alpha * w->product[i];
    }
    return true;
}

palCgInfo palConjugateGradients(const palCgSettings* settings, palCgWorkspace* workspace,
                                const palBlockMatrix* A, const double* b, double* x)
{
    palCgWorkspace* w = workspace;
    int n = 3 * w->nodeCount;
    double scale = sqrt(dot(n, b, b));
    if (scale == 0.0)
    {
        memset(x, 0, (size_t)n * sizeof *x);
        return (palCgInfo){.status = pal_cgConverged};
    }
    palCgInfo info = {.status = pal_cgIterations};
    if (settings->factor == NULL)
        invertDiagonal(w, A);
    palBlockMatrix_Residual(A, b, x, w->residual);
    memset(w->direction, 0, (size_t)n * sizeof *w->direction);
    double rz = 0.0;
    info.residual = sqrt(dot(n, w->residual, w->residual)) / scale;
    while (!(info.residual <= settings->tolerance) && info.iterations < settings->maxIterations)
    {
        if (!iterate(settings, w, A, x, &rz))
        {
            info.status = pal_cgIndefinite;
            return info;
        }
        info.iterations++;
        info.residual = sqrt(dot(n, w->residual, w->residual)) / scale;
    }
    if (info.residual <= settings->tolerance)
        info.status = pal_cgConverged;
    return info;
}
