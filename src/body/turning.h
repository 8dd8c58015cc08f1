// SPDX-License-Identifier: Apache-2.0
// The geometric stiffness of a corotational element: the part of the derivative of its forces that
// comes from the change of R, which is usually left out.
//
// Of P = R σ, σ = 2μ (S - I) + λ tr(S - I) I, F = R S, the derivative is that with R held fixed
// and, for the skew part [o]× of RᵀdF,
//
//     Rᵀ dP_turning = [G o]×,   G = 2μ (I - 2 D⁻¹) + 2 λ tr(S - I) D⁻¹,   D = tr(S) I - S
//
// (from RᵀdR = [w]× with D w = 2 o, the skew part of RᵀdF = [w]× S + dS). With the rotated shape
// gradients ĝ the block between corners a and b is
//
//     ½ V [ĝa]×ᵀ (R G Rᵀ) [ĝb]×
//
// It is zero at rest, stiffens an element in tension and softens one in compression. Indented by
// 10 mm, a 10 cm block with cells of 12.5 mm is a quarter too stiff without it.
//
// An element that is pressed flat has so much of it that the whole body has directions without
// stiffness, and a model of it for the life of a snapshot runs away: a hand that held still 14 mm
// deep in a scan of 10 cm lost its force. So what is taken of it falls from all to nothing while
// the volume falls from pal_turningAll to pal_turningNone of that at rest. It changes no body at
// rest: that is where the forces balance, whatever K.
#ifndef PAL_BODY_TURNING_H
#define PAL_BODY_TURNING_H

#include "body/material.h"
#include "math/mat3.h"

/// Which derivative of the forces K is.
typedef enum palTangent
{
    pal_tangentExact, // the derivative itself; it may be indefinite where elements are compressed
    pal_tangentSafe,  // with R held fixed: positive semi-definite whatever the deformation
} palTangent;

static const double pal_turningAll = 0.7;
static const double pal_turningNone = 0.5;

/// R G Rᵀ, Pa. Zero for the safe tangent, and for flat or inverted elements, where D is nearly
/// singular.
static inline palMat3 palTurning(palMat3 F, palMat3 R, palLame lame, palTangent tangent)
{
    if (tangent == pal_tangentSafe)
        return (palMat3){0};
    const double leastDeterminant = 1.0; // of D; 8 at rest
    palMat3 S = palMat3Mul(palMat3Transpose(R), F);
    double trace = S.m[0][0] + S.m[1][1] + S.m[2][2];
    palMat3 D = palMat3MulAdd(palMakeMat3Scale(trace), -1.0, S);
    palMat3 inverse;
    if (!(palMat3Determinant(D) > leastDeterminant) || !palMat3Inverse(D, &inverse))
        return (palMat3){0};
    double share = (palMat3Determinant(F) - pal_turningNone) / (pal_turningAll - pal_turningNone);
    share = fmin(fmax(share, 0.0), 1.0);
    double weight = 2.0 * lame.lambda * (trace - 3.0) - 4.0 * lame.mu;
    palMat3 G = palMat3MulAdd(palMakeMat3Scale(2.0 * share * lame.mu), share * weight, inverse);
    return palMat3Mul(palMat3Mul(R, G), palMat3Transpose(R));
}

/// ½ V G [b]×, N, column by column: shared by the blocks of corner b.
static inline void palTurningColumns(double volume, palMat3 G, palVec3 b, palVec3 columns[3])
{
    palVec3 g0 = palScale(0.5 * volume, palMat3Column(G, 0));
    palVec3 g1 = palScale(0.5 * volume, palMat3Column(G, 1));
    palVec3 g2 = palScale(0.5 * volume, palMat3Column(G, 2));
    // [b]× = (0, bz, -by | -bz, 0, bx | by, -bx, 0), column by column.
    columns[0] = palSub(palScale(b.z, g1), palScale(b.y, g2));
    columns[1] = palSub(palScale(b.x, g2), palScale(b.z, g0));
    columns[2] = palSub(palScale(b.y, g0), palScale(b.x, g1));
}

/// The block between corners a and b, N/m: [a]×ᵀ times those columns of b; [a]×ᵀ y = y × a.
static inline palMat3 palTurningBlock(const palVec3 columns[3], palVec3 a)
{
    return palMakeMat3Columns(palCross(columns[0], a), palCross(columns[1], a),
                              palCross(columns[2], a));
}

#endif
