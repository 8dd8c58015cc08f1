// SPDX-License-Identifier: Apache-2.0
#include "touch/linear_model.h"

#include "base/error.h"
#include "solve/dense.h"

#include <stdlib.h>
#include <string.h>

enum
{
    jacobian = 0, // first of the six columns of J
    followed = 6, // of R J
    velocity = 12,
    sides = 13,
};

// Added to the diagonal of W_slow, relative to its largest entry, so that rows without compliance
// follow the tool and dependent rows share the force.
static const double leastCompliance = 1e-3;

palResult palLinearWork_Init(palLinearWork* work, int rowsMax, palError* error)
{
    size_t n = (size_t)rowsMax;
    *work = (palLinearWork){.rowsMax = rowsMax};
    work->A = malloc(n * n * sizeof *work->A);
    work->slow = malloc(n * n * sizeof *work->slow);
    work->columns = malloc(sides * n * sizeof *work->columns);
    work->vector = malloc(n * sizeof *work->vector);
    if (work->A != NULL && work->slow != NULL && work->columns != NULL && work->vector != NULL)
        return pal_ok;
    palLinearWork_Free(work);
    return palError_Memory(error, "the linear contact model", 2 * n * n * sizeof *work->A);
}

void palLinearWork_Free(palLinearWork* work)
{
    free(work->A);
    free(work->slow);
    free(work->columns);
    free(work->vector);
    *work = (palLinearWork){0};
}

static double* column(const palLinearWork* work, int c)
{
    return work->columns + (size_t)c * (size_t)work->rowsMax;
}

static double component(palWrench w, int axis)
{
    const double all[6] = {w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y, w.torque.z};
    return all[axis];
}

// Aλ, its upper triangle.
static void fillSchur(const palLinearModelDef* def, const palLinearWork* work)
{
    size_t stride = (size_t)work->rowsMax;
    for (int i = 0; i < def->count; i++)
    {
        palTwist response = palRigidStep_Response(def->tool, def->rows[i]);
        for (int j = i; j < def->count; j++)
            work->A[(size_t)i * stride + (size_t)j] =
                palRowDot(def->rows[j], response) +
                def->softMobility[(size_t)i * def->stride + (size_t)j];
    }
}

static double largestDiagonal(int count, const double* W, size_t step)
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = fmax(most, W[(size_t)i * step + (size_t)i]);
    return most;
}

// Factors W_slow plus a multiple of the identity into work->slow. Returns that multiple, m/N.
static double factorSlow(int count, const double* slow, size_t step, palLinearWork* work)
{
    size_t stride = (size_t)work->rowsMax;
    double most = largestDiagonal(count, slow, step);
    double least = most > 0.0 ? leastCompliance * most : 1.0;
    for (int i = 0; i < count; i++)
    {
        memcpy(work->slow + (size_t)i * stride, slow + (size_t)i * step,
               (size_t)count * sizeof(double));
        work->slow[(size_t)i * stride + (size_t)i] += least;
    }
    palLdl_Factor(count, work->slow, stride, palRowKernels_Best());
    return least;
}

void palLinearModel_Follow(int rows, int count, const double* slow, size_t stepSlow, double* R,
                           size_t stepR, palLinearWork* work)
{
    // Row by row, because W_slow is symmetric: Rᵀ = W_slow⁻¹ W_fastᵀ.
    const palRowKernels* kernels = palRowKernels_Best();
    double least = factorSlow(count, slow, stepSlow, work);
    for (int i = 0; i < rows && count > 0; i++)
    {
        double* row = R + (size_t)i * stepR;
        if (i < count)
            row[i] += least;
        palLdl_Solve(count, work->slow, (size_t)work->rowsMax, kernels, row);
    }
}

// Jᵀ y
static palWrench gather(const palLinearModelDef* def, const double* y)
{
    palWrench sum = {pal_zeroVec3, pal_zeroVec3};
    for (int i = 0; i < def->count; i++)
    {
        sum.force = palMulAdd(sum.force, y[i], def->rows[i].force);
        sum.torque = palMulAdd(sum.torque, y[i], def->rows[i].torque);
    }
    return sum;
}

// scale Jᵀ Y of six columns, by blocks.
static void gatherBlocks(const palLinearModelDef* def, const palLinearWork* work, int first,
                         double scale, palMat3 blocks[2][2])
{
    for (int c = 0; c < 6; c++)
    {
        palWrench w = gather(def, column(work, first + c));
        for (int r = 0; r < 6; r++)
            blocks[r / 3][c / 3].m[r % 3][c % 3] = scale * component(w, r);
    }
}

// a = a b, of matrices by blocks.
static void multiplyBlocks(palMat3 a[2][2], const palMat3 b[2][2])
{
    for (int i = 0; i < 2; i++)
    {
        palMat3 row[2];
        for (int j = 0; j < 2; j++)
            row[j] = palMat3MulAdd(palMat3Mul(a[i][0], b[0][j]), 1.0, palMat3Mul(a[i][1], b[1][j]));
        a[i][0] = row[0];
        a[i][1] = row[1];
    }
}

// Replaces J in the columns `followed` by R J.
static void followColumns(const palLinearModelDef* def, palLinearWork* work)
{
    int n = def->count;
    size_t stride = (size_t)work->rowsMax;
    double h = def->tool->h;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            work->A[(size_t)i * stride + (size_t)j] =
                h * h * def->softMobility[(size_t)i * def->stride + (size_t)j];
    double least = factorSlow(n, def->softSlow, def->stride, work);
    double* slow = work->vector;
    for (int c = 0; c < 6; c++)
    {
        double* x = column(work, followed + c);
        memcpy(slow, x, (size_t)n * sizeof *x);
        palLdl_Solve(n, work->slow, stride, palRowKernels_Best(), slow);
        for (int i = 0; i < n; i++)
        {
            x[i] = least * slow[i];
            for (int j = 0; j < n; j++)
                x[i] += work->A[(size_t)i * stride + (size_t)j] * slow[j];
        }
    }
}

void palLinearModel_Build(palLinearModel* model, const palLinearModelDef* def, palLinearWork* work)
{
    int n = def->count;
    size_t stride = (size_t)work->rowsMax;
    double h = def->tool->h;
    const palRowKernels* kernels = palRowKernels_Best();
    *model = (palLinearModel){0};
    if (n == 0)
        return;

    // Right-hand sides: J, R J and the free velocities.
    for (int i = 0; i < n; i++)
    {
        for (int c = 0; c < 6; c++)
            column(work, jacobian + c)[i] = column(work, followed + c)[i] =
                component(def->rows[i], c);
        column(work, velocity)[i] = def->softVelocity[i];
    }
    if (def->softSlow != NULL)
        followColumns(def, work);

    // Multiply each by Aλ⁻¹, then by Jᵀ.
    fillSchur(def, work);
    model->rowCount = n - palLdl_Factor(n, work->A, stride, kernels);
    for (int c = 0; c < sides; c++)
        palLdl_Solve(n, work->A, stride, kernels, column(work, c));
    model->offset = gather(def, column(work, velocity));
    model->offset.force = palScale(-1.0 / h, model->offset.force);
    model->offset.torque = palScale(-1.0 / h, model->offset.torque);
    gatherBlocks(def, work, jacobian, -1.0, model->inverse);
    multiplyBlocks(model->inverse, def->tool->inverse);
    if (def->softSlow != NULL)
        gatherBlocks(def, work, followed, 1.0 / (h * h), model->stiffness);
}

// w + scale B (a, b)
static palWrench addProduct(palWrench w, double scale, const palMat3 B[2][2], palVec3 a, palVec3 b)
{
    palVec3 force = palAdd(palMat3Apply(B[0][0], a), palMat3Apply(B[0][1], b));
    palVec3 torque = palAdd(palMat3Apply(B[1][0], a), palMat3Apply(B[1][1], b));
    return (palWrench){palMulAdd(w.force, scale, force), palMulAdd(w.torque, scale, torque)};
}

palWrench palLinearModel_Evaluate(const palLinearModel* model, palWrench discrete, palVec3 moved,
                                  palVec3 rotated)
{
    palWrench w = addProduct(model->offset, 1.0, model->inverse, discrete.force, discrete.torque);
    return addProduct(w, -1.0, model->stiffness, moved, rotated);
}

void palLinearModel_Approach(palLinearModel* model, const palLinearModel* target, double share)
{
    palVec3 force = palLerp(model->offset.force, target->offset.force, share);
    palVec3 torque = palLerp(model->offset.torque, target->offset.torque, share);
    model->rowCount = target->rowCount;
    model->offset = (palWrench){force, torque};
    for (int i = 0; i < 4; i++)
    {
        palMat3* inverse = &model->inverse[i / 2][i % 2];
        palMat3* stiffness = &model->stiffness[i / 2][i % 2];
        palMat3 kept = palMat3MulAdd((palMat3){0}, 1.0 - share, *inverse);
        *inverse = palMat3MulAdd(kept, share, target->inverse[i / 2][i % 2]);
        kept = palMat3MulAdd((palMat3){0}, 1.0 - share, *stiffness);
        *stiffness = palMat3MulAdd(kept, share, target->stiffness[i / 2][i % 2]);
    }
}
