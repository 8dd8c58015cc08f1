// SPDX-License-Identifier: Apache-2.0
// Vectors, matrices and rotations of four elements side by side, for the files compiled for AVX2.
#ifndef PAL_BODY_LANES_WIDE_H
#define PAL_BODY_LANES_WIDE_H

#include "body/lanes.h"
#include "body/stiffening.h"
#include "body/turning.h"

#include <immintrin.h>

typedef __m256d Lane;

typedef struct Vec
{
    Lane x, y, z;
} Vec;

typedef struct Mat
{
    Vec c[3]; // columns
} Mat;

static inline Lane load(const double* p)
{
    return _mm256_load_pd(p);
}

static inline Lane all(double x)
{
    return _mm256_set1_pd(x);
}

static inline Lane mulAdd(Lane a, Lane b, Lane c)
{
    return _mm256_fmadd_pd(a, b, c);
}

static inline Lane mulSub(Lane a, Lane b, Lane c)
{
    return _mm256_fmsub_pd(a, b, c);
}

static inline Vec loadVec(const double p[3][pal_lanes])
{
    return (Vec){load(p[0]), load(p[1]), load(p[2])};
}

static inline Vec scale(Lane s, Vec a)
{
    return (Vec){s * a.x, s * a.y, s * a.z};
}

// c + s a
static inline Vec addScaled(Vec c, Lane s, Vec a)
{
    return (Vec){mulAdd(s, a.x, c.x), mulAdd(s, a.y, c.y), mulAdd(s, a.z, c.z)};
}

static inline Lane dot(Vec a, Vec b)
{
    return mulAdd(a.x, b.x, mulAdd(a.y, b.y, a.z * b.z));
}

static inline Vec cross(Vec a, Vec b)
{
    return (Vec){mulSub(a.y, b.z, a.z * b.y), mulSub(a.z, b.x, a.x * b.z),
                 mulSub(a.x, b.y, a.y * b.x)};
}

// A v
static inline Vec apply(const Mat* A, Vec v)
{
    return addScaled(addScaled(scale(v.x, A->c[0]), v.y, A->c[1]), v.z, A->c[2]);
}

// Aᵀ v
static inline Vec applyTransposed(const Mat* A, Vec v)
{
    return (Vec){dot(A->c[0], v), dot(A->c[1], v), dot(A->c[2], v)};
}

// The rotations one by one, where the iteration below does not serve: flat or inverted elements.
static inline Mat rotationsOneByOne(const Mat* F)
{
    Mat R;
    double* r = (double*)&R;
    const double* f = (const double*)F;
    for (int lane = 0; lane < pal_lanes; lane++)
    {
        palMat3 one;
        for (int k = 0; k < 9; k++)
            one.m[k % 3][k / 3] = f[k * pal_lanes + lane];
        one = palMat3Rotation(one);
        for (int k = 0; k < 9; k++)
            r[k * pal_lanes + lane] = one.m[k % 3][k / 3];
    }
    return R;
}

// The iteration of palMat3Rotation, R = (R + R⁻ᵀ)/2, with its bounds.
static inline Mat rotations(const Mat* F)
{
    const int steps = 8;
    const Lane half = all(0.5);
    Mat R = *F;
    for (int i = 0; i < steps; i++)
    {
        Mat other = {{cross(R.c[1], R.c[2]), cross(R.c[2], R.c[0]), cross(R.c[0], R.c[1])}};
        Lane determinant = dot(R.c[0], other.c[0]);
        if (_mm256_movemask_pd(_mm256_cmp_pd(determinant, all(0.05), _CMP_GT_OQ)) != 0xf)
            break;
        Lane s = all(1.0) / determinant;
        Lane change = all(0.0);
        for (int k = 0; k < 3; k++)
        {
            Vec step = scale(half, (Vec){mulSub(s, other.c[k].x, R.c[k].x),
                                         mulSub(s, other.c[k].y, R.c[k].y),
                                         mulSub(s, other.c[k].z, R.c[k].z)});
            R.c[k] = addScaled(R.c[k], all(1.0), step);
            change += dot(step, step);
        }
        if (_mm256_movemask_pd(_mm256_cmp_pd(change, all(1e-20), _CMP_LT_OQ)) == 0xf)
            return R;
    }
    return rotationsOneByOne(F);
}

// R G Rᵀ of turning.h, for elements of `volume` as a share of that at rest; zero where D is
// nearly singular.
static inline Mat turning(const Mat* R, const Mat* S, Lane volume, Lane lambda, Lane mu)
{
    Lane share = (volume - all(pal_turningNone)) / all(pal_turningAll - pal_turningNone);
    share = _mm256_min_pd(_mm256_max_pd(share, all(0.0)), all(1.0));
    Lane trace = S->c[0].x + S->c[1].y + S->c[2].z;
    Mat D;
    for (int k = 0; k < 3; k++)
        D.c[k] = scale(all(-1.0), S->c[k]);
    D.c[0].x += trace;
    D.c[1].y += trace;
    D.c[2].z += trace;

    // The cofactors are the rows of the inverse times the determinant.
    Vec r[3] = {cross(D.c[1], D.c[2]), cross(D.c[2], D.c[0]), cross(D.c[0], D.c[1])};
    Lane determinant = dot(D.c[0], r[0]);
    Lane isSafe = _mm256_cmp_pd(determinant, all(1.0), _CMP_GT_OQ);
    Lane weight = share * (all(2.0) * lambda * (trace - all(3.0)) - all(4.0) * mu) / determinant;
    Mat G = {{{r[0].x, r[1].x, r[2].x}, {r[0].y, r[1].y, r[2].y}, {r[0].z, r[1].z, r[2].z}}};
    for (int k = 0; k < 3; k++)
        G.c[k] = scale(weight, G.c[k]);
    Lane diagonal = all(2.0) * share * mu;
    G.c[0].x += diagonal;
    G.c[1].y += diagonal;
    G.c[2].z += diagonal;

    // Columns of R G, then of (R G) Rᵀ.
    Mat RG = {{apply(R, G.c[0]), apply(R, G.c[1]), apply(R, G.c[2])}};
    const Lane row[3][3] = {{R->c[0].x, R->c[1].x, R->c[2].x},
                            {R->c[0].y, R->c[1].y, R->c[2].y},
                            {R->c[0].z, R->c[1].z, R->c[2].z}};
    Mat result;
    for (int k = 0; k < 3; k++)
    {
        Vec column = apply(&RG, (Vec){row[k][0], row[k][1], row[k][2]});
        result.c[k] = (Vec){_mm256_and_pd(isSafe, column.x), _mm256_and_pd(isSafe, column.y),
                            _mm256_and_pd(isSafe, column.z)};
    }
    return result;
}

// ½ V G [b]×, column by column (palTurningColumns).
static inline void turningColumns(Lane volume, const Mat* G, Vec b, Vec columns[3])
{
    Lane half = all(0.5) * volume;
    Vec g0 = scale(half, G->c[0]);
    Vec g1 = scale(half, G->c[1]);
    Vec g2 = scale(half, G->c[2]);
    columns[0] = addScaled(scale(b.z, g1), all(0.0) - b.y, g2);
    columns[1] = addScaled(scale(b.x, g2), all(0.0) - b.z, g0);
    columns[2] = addScaled(scale(b.y, g0), all(0.0) - b.x, g1);
}

// What stiffening.h makes of four elements.
typedef struct Stiffened
{
    Lane s;
    Lane turning; // palStiffening_Turning
} Stiffened;

// From 2 W and E V, with c.
static inline Stiffened stiffen(double b, Lane twiceEnergy, Lane modulus, double rankOne[pal_lanes])
{
    _Alignas(32) double q[pal_lanes], moduli[pal_lanes], s[pal_lanes], turning[pal_lanes];
    Lane strain = twiceEnergy / modulus;
    _mm256_store_pd(rankOne, all(0.0));
    if (!(b > 0.0))
        return (Stiffened){all(1.0), all(1.0)};
    _mm256_store_pd(q, strain);
    _mm256_store_pd(moduli, modulus);
    for (int lane = 0; lane < pal_lanes; lane++)
    {
        palStiffening one = palStiffen(b, q[lane]);
        s[lane] = one.s;
        turning[lane] = palStiffening_Turning(one.s);
        rankOne[lane] = palStiffening_RankOne(one, moduli[lane]);
    }
    return (Stiffened){load(s), load(turning)};
}

static inline void storeVec(Vec v, double p[3][pal_lanes])
{
    _mm256_store_pd(p[0], v.x);
    _mm256_store_pd(p[1], v.y);
    _mm256_store_pd(p[2], v.z);
}

// A matrix of each lane, row after row: lane i's is at matrices[i stride].
static inline void storeMatrix(const Lane v[9], palMat3* matrices, size_t stride)
{
    double last[pal_lanes];
    for (int at = 0; at < 8; at += 4)
    {
        Lane low01 = _mm256_unpacklo_pd(v[at], v[at + 1]);
        Lane high01 = _mm256_unpackhi_pd(v[at], v[at + 1]);
        Lane low23 = _mm256_unpacklo_pd(v[at + 2], v[at + 3]);
        Lane high23 = _mm256_unpackhi_pd(v[at + 2], v[at + 3]);
        const Lane turned[pal_lanes] = {_mm256_permute2f128_pd(low01, low23, 0x20),
                                        _mm256_permute2f128_pd(high01, high23, 0x20),
                                        _mm256_permute2f128_pd(low01, low23, 0x31),
                                        _mm256_permute2f128_pd(high01, high23, 0x31)};
        for (size_t lane = 0; lane < pal_lanes; lane++)
            _mm256_storeu_pd(&matrices[lane * stride].m[0][0] + at, turned[lane]);
    }
    _mm256_storeu_pd(last, v[8]);
    for (size_t lane = 0; lane < pal_lanes; lane++)
        matrices[lane * stride].m[2][2] = last[lane];
}

#endif
