// SPDX-License-Identifier: Apache-2.0
#include "math/mat3.h"

// a⁻ᵀ is the matrix of cofactors divided by the determinant.
static inline palMat3 inverseTranspose(palMat3 a, double* determinant)
{
    palVec3 c0 = palMat3Column(a, 0);
    palVec3 c1 = palMat3Column(a, 1);
    palVec3 c2 = palMat3Column(a, 2);
    palVec3 r0 = palCross(c1, c2);
    *determinant = palDot(c0, r0);
    double s = 1.0 / *determinant;
    return palMakeMat3Columns(palScale(s, r0), palScale(s, palCross(c2, c0)),
                              palScale(s, palCross(c0, c1)));
}

bool palMat3Inverse(palMat3 a, palMat3* inverse)
{
    double determinant;
    palMat3 transposed = inverseTranspose(a, &determinant);
    bool isGood = determinant != 0.0 && isfinite(determinant);
    *inverse = isGood ? palMat3Transpose(transposed) : (palMat3){0};
    return isGood;
}

// Rotates columns p and q of B and V so that those of B become orthogonal. Returns false if they
// already are.
static bool orthogonalizeColumns(palVec3 B[3], palVec3 V[3], int p, int q)
{
    double alpha = palDot(B[p], B[p]);
    double beta = palDot(B[q], B[q]);
    double gamma = palDot(B[p], B[q]);
    // Orthogonal within the rounding error of the products (2^-53 is 1.1e-16).
    if (fabs(gamma) <= 1e-16 * sqrt(alpha * beta) || gamma == 0.0)
        return false;
    double zeta = (beta - alpha) / (2.0 * gamma);
    double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    double c = 1.0 / sqrt(1.0 + t * t);
    double s = c * t;
    palVec3 bp = B[p];
    palVec3 vp = V[p];
    B[p] = palMulAdd(palScale(c, bp), -s, B[q]);
    B[q] = palMulAdd(palScale(s, bp), c, B[q]);
    V[p] = palMulAdd(palScale(c, vp), -s, V[q]);
    V[q] = palMulAdd(palScale(s, vp), c, V[q]);
    return true;
}

static void swapColumns(palVec3 B[3], palVec3 V[3], double s[3], int p, int q)
{
    palVec3 b = B[p], v = V[p];
    double value = s[p];
    B[p] = B[q], V[p] = V[q], s[p] = s[q];
    B[q] = b, V[q] = v, s[q] = value;
}

// Normalizes the columns of B into U. A column whose singular value is negligible against the
// largest has no reliable direction; it is replaced to complete an orthonormal frame.
static void completeFrame(palVec3 B[3], const double s[3])
{
    double threshold = 1e-15 * s[0];
    B[0] = s[0] > 0.0 ? palScale(1.0 / s[0], B[0]) : palMakeVec3(1, 0, 0);
    palVec3 t1, t2;
    palTangents(B[0], &t1, &t2);
    B[1] = s[1] > threshold ? palScale(1.0 / s[1], B[1]) : t1;
    palVec3 cross = palCross(B[0], B[1]);
    B[2] = s[2] > threshold ? palScale(1.0 / s[2], B[2]) : cross;
}

void palMat3Svd(palMat3 a, palMat3* U, double s[3], palMat3* V)
{
    // Scaled to a largest entry of 1, so that squares neither overflow nor vanish.
    double largest = 0.0;
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(a.m[i / 3][i % 3]));
    double scale = largest > 0.0 && isfinite(largest) ? 1.0 / largest : 0.0;

    palVec3 B[3], W[3];
    for (int i = 0; i < 3; i++)
    {
        B[i] = palScale(scale, palMat3Column(a, i));
        W[i] = palMat3Column(pal_identityMat3, i);
    }
    const int sweeps = 12; // cyclic Jacobi on 3 columns converges quadratically: 5 or 6 in practice
    for (int sweep = 0; sweep < sweeps; sweep++)
    {
        bool rotated = orthogonalizeColumns(B, W, 0, 1);
        rotated |= orthogonalizeColumns(B, W, 0, 2);
        rotated |= orthogonalizeColumns(B, W, 1, 2);
        if (!rotated)
            break;
    }
    for (int i = 0; i < 3; i++)
        s[i] = palLength(B[i]);
    if (s[0] < s[1])
        swapColumns(B, W, s, 0, 1);
    if (s[1] < s[2])
        swapColumns(B, W, s, 1, 2);
    if (s[0] < s[1])
        swapColumns(B, W, s, 0, 1);
    completeFrame(B, s);
    for (int i = 0; i < 3; i++)
        s[i] *= largest;
    *U = palMakeMat3Columns(B[0], B[1], B[2]);
    *V = palMakeMat3Columns(W[0], W[1], W[2]);
}

palQuat palMakeQuatMat3(palMat3 R)
{
    // From the largest of the four numbers, so that none is divided by a small one (Shepperd 1978).
    const double trace = R.m[0][0] + R.m[1][1] + R.m[2][2];
    int k = 0;
    for (int i = 1; i < 3; i++)
        k = R.m[i][i] > R.m[k][k] ? i : k;
    double q[4];
    if (trace >= R.m[k][k])
    {
        q[0] = 1.0 + trace;
        for (int i = 0; i < 3; i++)
            q[1 + i] = R.m[(i + 2) % 3][(i + 1) % 3] - R.m[(i + 1) % 3][(i + 2) % 3];
    }
    else
    {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        q[0] = R.m[b][a] - R.m[a][b];
        q[1 + k] = 1.0 + 2.0 * R.m[k][k] - trace;
        q[1 + a] = R.m[a][k] + R.m[k][a];
        q[1 + b] = R.m[b][k] + R.m[k][b];
    }
    double sign = q[0] < 0.0 ? -1.0 : 1.0;
    return palNormalizeQuat((palQuat){sign * q[0], sign * q[1], sign * q[2], sign * q[3]});
}

void palMat3Polar(palMat3 F, palMat3* R, palMat3* S)
{
    palMat3 U, V;
    double s[3];
    palMat3Svd(F, &U, s, &V);
    // Mirror the direction of the smallest singular value if U Vᵀ would be a reflection.
    double sign = palMat3Determinant(U) * palMat3Determinant(V) < 0.0 ? -1.0 : 1.0;
    palMat3 mirrored = U;
    for (int i = 0; i < 3; i++)
        mirrored.m[i][2] *= sign;
    *R = s[0] > 0.0 ? palMat3Mul(mirrored, palMat3Transpose(V)) : pal_identityMat3;
    *S = (palMat3){0};
    double signedValues[3] = {s[0], s[1], sign * s[2]};
    for (int k = 0; k < 3; k++)
    {
        palVec3 v = palMat3Column(V, k);
        *S = palMat3MulAdd(*S, signedValues[k], palOuter(v, v));
    }
}

palMat3 palMat3Rotation(palMat3 F)
{
    // Singular values between about 0.1 and 10: the iteration then needs at most six steps.
    const double determinantMin = 0.05;
    const int steps = 8;
    double determinant;
    palMat3 R = F;
    for (int i = 0; i < steps; i++)
    {
        palMat3 other = inverseTranspose(R, &determinant);
        if (!(determinant > determinantMin))
            break;
        double change = 0.0;
        for (int k = 0; k < 9; k++)
        {
            double half = 0.5 * (other.m[k / 3][k % 3] - R.m[k / 3][k % 3]);
            R.m[k / 3][k % 3] += half;
            change += half * half;
        }
        if (change < 1e-20) // quadratic: the next change would be below 1e-20
            return R;
    }
    palMat3 S;
    palMat3Polar(F, &R, &S);
    return R;
}
