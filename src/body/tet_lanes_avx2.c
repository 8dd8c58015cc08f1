// SPDX-License-Identifier: Apache-2.0
// The formulas are those of tet_element.h and turning.h, in their symbols.
#include "body/tet_lanes.h"

#if defined(__AVX2__) && defined(__FMA__)

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
static Mat rotationsOneByOne(const Mat* F)
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
static Mat rotations(const Mat* F)
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

// R G Rᵀ of turning.h; zero for the safe tangent and where D says nothing.
static Mat turning(const Mat* R, const Mat* S, Lane lambda, Lane mu)
{
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
    Lane weight = (all(2.0) * lambda * (trace - all(3.0)) - all(4.0) * mu) / determinant;
    Mat G = {{{r[0].x, r[1].x, r[2].x}, {r[0].y, r[1].y, r[2].y}, {r[0].z, r[1].z, r[2].z}}};
    for (int k = 0; k < 3; k++)
        G.c[k] = scale(weight, G.c[k]);
    G.c[0].x += all(2.0) * mu;
    G.c[1].y += all(2.0) * mu;
    G.c[2].z += all(2.0) * mu;

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

// R σ with σ from the symmetric part of S = RᵀF.
static Mat stressOf(const Mat* R, const Mat* S, Lane lambda, Lane mu)
{
    Lane diagonal = lambda * (S->c[0].x + S->c[1].y + S->c[2].z - all(3.0)) - all(2.0) * mu;
    Lane xy = mu * (S->c[0].y + S->c[1].x);
    Lane xz = mu * (S->c[0].z + S->c[2].x);
    Lane yz = mu * (S->c[1].z + S->c[2].y);
    Lane twice = all(2.0) * mu;
    Vec columns[3] = {{mulAdd(twice, S->c[0].x, diagonal), xy, xz},
                      {xy, mulAdd(twice, S->c[1].y, diagonal), yz},
                      {xz, yz, mulAdd(twice, S->c[2].z, diagonal)}};
    return (Mat){{apply(R, columns[0]), apply(R, columns[1]), apply(R, columns[2])}};
}

// Four numbers of each lane, which lie together in its block.
static inline void storeFour(const Lane v[4], int at, int k, palTetLanesState* state)
{
    Lane low01 = _mm256_unpacklo_pd(v[0], v[1]);
    Lane high01 = _mm256_unpackhi_pd(v[0], v[1]);
    Lane low23 = _mm256_unpacklo_pd(v[2], v[3]);
    Lane high23 = _mm256_unpackhi_pd(v[2], v[3]);
    _mm256_storeu_pd(&state->block[0][k].m[0][0] + at, _mm256_permute2f128_pd(low01, low23, 0x20));
    _mm256_storeu_pd(&state->block[1][k].m[0][0] + at,
                     _mm256_permute2f128_pd(high01, high23, 0x20));
    _mm256_storeu_pd(&state->block[2][k].m[0][0] + at, _mm256_permute2f128_pd(low01, low23, 0x31));
    _mm256_storeu_pd(&state->block[3][k].m[0][0] + at,
                     _mm256_permute2f128_pd(high01, high23, 0x31));
}

// V (λ a bᵀ + μ b aᵀ + μ (a·b) I) and what turning adds, columns × a.
static void storeBlock(Lane lambda, Lane mu, Vec a, Vec b, const Vec columns[3], int k,
                       palTetLanesState* state)
{
    Lane diagonal = mu * dot(a, b);
    Lane block[9];
    const Lane left[3] = {a.x, a.y, a.z};
    const Lane right[3] = {b.x, b.y, b.z};
    for (int j = 0; j < 3; j++)
    {
        Vec extra = cross(columns[j], a);
        const Lane added[3] = {extra.x, extra.y, extra.z};
        Lane lambdaB = lambda * right[j];
        Lane muA = mu * left[j];
        for (int i = 0; i < 3; i++)
        {
            Lane value = mulAdd(lambdaB, left[i], mulAdd(muA, right[i], added[i]));
            block[3 * i + j] = value;
            if (i == j)
                block[3 * i + j] += diagonal;
        }
    }
    storeFour(block, 0, k, state);
    storeFour(block + 4, 4, k, state);
    double last[pal_lanes];
    _mm256_storeu_pd(last, block[8]);
    for (int lane = 0; lane < pal_lanes; lane++)
        state->block[lane][k].m[2][2] = last[lane];
}

void palTetLanes_Linearise(const palTetLanes* lanes, palTangent tangent, palTetLanesState* state)
{
    const Lane zero = all(0.0);
    Lane V = load(lanes->volume);
    Lane lambda = load(lanes->lambda);
    Lane mu = load(lanes->mu);
    Mat F = {{{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}}};
    for (int a = 0; a < 4; a++)
        for (int j = 0; j < 3; j++)
            F.c[j] = addScaled(F.c[j], load(lanes->g[a][j]), loadVec(state->x[a]));
    _mm256_store_pd(state->determinant, dot(F.c[0], cross(F.c[1], F.c[2])));

    Mat R = rotations(&F);
    Mat S = {
        {applyTransposed(&R, F.c[0]), applyTransposed(&R, F.c[1]), applyTransposed(&R, F.c[2])}};
    Mat P = stressOf(&R, &S, lambda, mu);
    Mat G = {{{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}}};
    if (tangent == pal_tangentExact)
        G = turning(&R, &S, lambda, mu);

    // ½ V G [b]× of each corner, column by column.
    Vec g0 = scale(all(0.5) * V, G.c[0]);
    Vec g1 = scale(all(0.5) * V, G.c[1]);
    Vec g2 = scale(all(0.5) * V, G.c[2]);
    Vec turned[4], columns[4][3];
    for (int a = 0; a < 4; a++)
    {
        Vec g = loadVec(lanes->g[a]);
        Vec force = scale(zero - V, apply(&P, g));
        _mm256_store_pd(state->force[a][0], force.x);
        _mm256_store_pd(state->force[a][1], force.y);
        _mm256_store_pd(state->force[a][2], force.z);
        Vec b = turned[a] = apply(&R, g);
        columns[a][0] = addScaled(scale(b.z, g1), zero - b.y, g2);
        columns[a][1] = addScaled(scale(b.x, g2), zero - b.z, g0);
        columns[a][2] = addScaled(scale(b.y, g0), zero - b.x, g1);
    }
    for (int a = 0, k = 0; a < 4; a++)
        for (int b = 0; b <= a; b++, k++)
            storeBlock(V * lambda, V * mu, turned[a], turned[b], columns[b], k, state);
}

#else

void palTetLanes_Linearise(const palTetLanes* lanes, palTangent tangent, palTetLanesState* state)
{
    (void)lanes;
    (void)tangent;
    (void)state;
}

#endif
