// SPDX-License-Identifier: Apache-2.0
// The formulas are those of tet_element.h, turning.h and stiffening.h, in their symbols.
#include "body/tet_lanes.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "body/lanes_wide.h"

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

// σ : ε = λ tr(ε)² + 2 μ ε : ε, Pa.
static Lane energyOf(const Mat* S, Lane lambda, Lane mu)
{
    const Lane one = all(1.0), half = all(0.5);
    Vec along = {S->c[0].x - one, S->c[1].y - one, S->c[2].z - one};
    Vec across = {half * (S->c[0].y + S->c[1].x), half * (S->c[0].z + S->c[2].x),
                  half * (S->c[1].z + S->c[2].y)};
    Lane trace = along.x + along.y + along.z;
    Lane square = mulAdd(all(2.0), dot(across, across), dot(along, along));
    return mulAdd(lambda * trace, trace, all(2.0) * mu * square);
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
    storeMatrix(block, &state->block[0][k], sizeof state->block[0] / sizeof state->block[0][0]);
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
    Lane young = mu * (all(3.0) * lambda + all(2.0) * mu) / (lambda + mu);
    Stiffened by =
        stiffen(state->stiffening, V * energyOf(&S, lambda, mu), V * young, state->rankOne);
    Mat G = {{{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}}};
    if (tangent == pal_tangentExact)
        G = turning(&R, &S, load(state->determinant), by.turning * lambda, by.turning * mu);
    lambda *= by.s;
    mu *= by.s;
    Mat P = stressOf(&R, &S, lambda, mu);

    Vec turned[4], columns[4][3];
    for (int a = 0; a < 4; a++)
    {
        Vec g = loadVec(lanes->g[a]);
        storeVec(scale(zero - V, apply(&P, g)), state->force[a]);
        turned[a] = apply(&R, g);
        turningColumns(V, &G, turned[a], columns[a]);
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
