// SPDX-License-Identifier: Apache-2.0
// 3x3 matrices of doubles, by value, row-major: m[row][column].
#ifndef PAL_MATH_MAT3_H
#define PAL_MATH_MAT3_H

#include "math/quat.h"

typedef struct palMat3
{
    double m[3][3];
} palMat3;

static const palMat3 pal_identityMat3 = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static inline palMat3 palMakeMat3Columns(palVec3 a, palVec3 b, palVec3 c)
{
    return (palMat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

static inline palMat3 palMakeMat3Quat(palQuat q)
{
    return palMakeMat3Columns(palRotate(q, palMakeVec3(1, 0, 0)),
                              palRotate(q, palMakeVec3(0, 1, 0)),
                              palRotate(q, palMakeVec3(0, 0, 1)));
}

/// a bᵀ
static inline palMat3 palOuter(palVec3 a, palVec3 b)
{
    return (palMat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                      {a.y * b.x, a.y * b.y, a.y * b.z},
                      {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

static inline palVec3 palMat3Column(palMat3 a, int column)
{
    return (palVec3){a.m[0][column], a.m[1][column], a.m[2][column]};
}

static inline palMat3 palMat3Transpose(palMat3 a)
{
    palMat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a.m[j][i];
    return r;
}

/// s I
static inline palMat3 palMakeMat3Scale(double s)
{
    return (palMat3){{{s, 0, 0}, {0, s, 0}, {0, 0, s}}};
}

/// a + s b
static inline palMat3 palMat3MulAdd(palMat3 a, double s, palMat3 b)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a.m[i][j] += s * b.m[i][j];
    return a;
}

static inline palMat3 palMat3Mul(palMat3 a, palMat3 b)
{
    palMat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return r;
}

static inline palVec3 palMat3Apply(palMat3 a, palVec3 v)
{
    return (palVec3){
        a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
        a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
        a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z,
    };
}

static inline double palMat3Determinant(palMat3 a)
{
    return palDot(palMat3Column(a, 0), palCross(palMat3Column(a, 1), palMat3Column(a, 2)));
}

/// Derivative of the determinant by the entries: its columns are a2 × a3, a3 × a1, a1 × a2.
static inline palMat3 palMat3Cofactors(palMat3 a)
{
    palVec3 c[3] = {palMat3Column(a, 0), palMat3Column(a, 1), palMat3Column(a, 2)};
    return palMakeMat3Columns(palCross(c[1], c[2]), palCross(c[2], c[0]), palCross(c[0], c[1]));
}

/// The inverse by cofactors. Returns false, and the zero matrix, if the determinant is zero.
bool palMat3Inverse(palMat3 a, palMat3* inverse);

/// Singular value decomposition a = U diag(s) Vᵀ, s[0] >= s[1] >= s[2] >= 0, U and V orthogonal
/// (their determinants may be -1). One-sided Jacobi: small singular values keep their relative
/// accuracy.
void palMat3Svd(palMat3 a, palMat3* U, double s[3], palMat3* V);

/// The unit quaternion of a rotation, with w >= 0.
palQuat palMakeQuatMat3(palMat3 R);

/// Polar decomposition F = R S with R a proper rotation (determinant +1) and S symmetric.
/// For an inverted F (determinant < 0) the direction of the smallest singular value is mirrored:
/// S has one negative eigenvalue, R remains the nearest rotation (Irving, Teran and Fedkiw 2004).
/// F = 0 gives R = identity.
void palMat3Polar(palMat3 F, palMat3* R, palMat3* S);

/// Only the rotation of the polar decomposition, for the inner loops of elastic elements: Newton's
/// iteration R ← (R + R⁻ᵀ)/2 (Higham 1986) if F is far from singular, which is nearly always;
/// otherwise palMat3Polar.
palMat3 palMat3Rotation(palMat3 F);

#endif
