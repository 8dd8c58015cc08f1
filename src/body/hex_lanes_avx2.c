// SPDX-License-Identifier: Apache-2.0
// The formulas are those of hex_element.h, turning.h and stiffening.h, in their symbols.
#include "body/hex_lanes.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "body/lanes_wide.h"

static inline Vec spread(palVec3 v)
{
    return (Vec){all(v.x), all(v.y), all(v.z)};
}

// f = -s E R K0 u, u = Rᵀ (x - x of corner 0) less the same at rest.
static Stiffened findForces(const palHexShape* shape, const Mat* R, Lane young,
                            palHexLanesState* state)
{
    Lane u[24];
    Vec first = loadVec(state->x[0]);
    for (int a = 0; a < 8; a++)
    {
        Vec moved = addScaled(loadVec(state->x[a]), all(-1.0), first);
        Vec ua = addScaled(applyTransposed(R, moved), all(-1.0),
                           spread(palSub(shape->rest[a], shape->rest[0])));
        u[3 * a] = ua.x;
        u[3 * a + 1] = ua.y;
        u[3 * a + 2] = ua.z;
    }
    Vec K0u[8];
    Lane twiceEnergy = all(0.0);
    for (int a = 0; a < 8; a++)
    {
        Vec f = {all(0.0), all(0.0), all(0.0)};
        for (int j = 0; j < 24; j++)
        {
            Vec column = {all(shape->K[3 * a][j]), all(shape->K[3 * a + 1][j]),
                          all(shape->K[3 * a + 2][j])};
            f = addScaled(f, u[j], column);
        }
        K0u[a] = f;
        twiceEnergy += dot((Vec){u[3 * a], u[3 * a + 1], u[3 * a + 2]}, f);
    }
    Stiffened by =
        stiffen(state->stiffening, young * twiceEnergy, young * all(shape->volume), state->rankOne);
    for (int a = 0; a < 8; a++)
        storeVec(scale(all(0.0) - by.s * young, apply(R, K0u[a])), state->force[a]);
    return by;
}

// E R K0ab Rᵀ and what turning adds, columns × a. ER is E times R.
static void storeBlock(const double (*K)[24], int b, const Mat* ER, const Mat* Rt, Vec a,
                       const Vec columns[3], palMat3* matrices)
{
    Mat product;
    for (int j = 0; j < 3; j++)
    {
        Vec column = {all(K[0][3 * b + j]), all(K[1][3 * b + j]), all(K[2][3 * b + j])};
        product.c[j] = apply(ER, column);
    }
    Lane block[9];
    for (int j = 0; j < 3; j++)
    {
        Vec column = apply(&product, Rt->c[j]);
        Vec extra = cross(columns[j], a);
        block[j] = column.x + extra.x;
        block[3 + j] = column.y + extra.y;
        block[6 + j] = column.z + extra.z;
    }
    storeMatrix(block, matrices, 36);
}

void palHexLanes_Linearise(const palHexShape* shape, double poisson, palTangent tangent,
                           palHexLanesState* state)
{
    const Lane zero = all(0.0);
    Lane young = load(state->young);
    palLame unit = palMaterial_Lame(&(palMaterial){.young = 1.0, .poisson = poisson});
    Mat F = {{{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}}};
    for (int a = 0; a < 8; a++)
    {
        Vec x = loadVec(state->x[a]);
        F.c[0] = addScaled(F.c[0], all(shape->g[a].x), x);
        F.c[1] = addScaled(F.c[1], all(shape->g[a].y), x);
        F.c[2] = addScaled(F.c[2], all(shape->g[a].z), x);
    }
    _mm256_store_pd(state->determinant, dot(F.c[0], cross(F.c[1], F.c[2])));
    Mat R = rotations(&F);
    Stiffened by = findForces(shape, &R, young, state);
    Mat G = {{{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}}};
    if (tangent == pal_tangentExact)
    {
        Mat S = {{applyTransposed(&R, F.c[0]), applyTransposed(&R, F.c[1]),
                  applyTransposed(&R, F.c[2])}};
        G = turning(&R, &S, load(state->determinant), all(unit.lambda) * by.turning * young,
                    all(unit.mu) * by.turning * young);
    }
    young *= by.s;
    Mat ER = {{scale(young, R.c[0]), scale(young, R.c[1]), scale(young, R.c[2])}};
    Mat Rt = {{{R.c[0].x, R.c[1].x, R.c[2].x},
               {R.c[0].y, R.c[1].y, R.c[2].y},
               {R.c[0].z, R.c[1].z, R.c[2].z}}};
    Vec turned[8], columns[8][3];
    for (int a = 0; a < 8; a++)
    {
        turned[a] = apply(&R, spread(shape->g[a]));
        turningColumns(all(shape->volume), &G, turned[a], columns[a]);
    }
    for (int a = 0, k = 0; a < 8; a++)
        for (int b = 0; b <= a; b++, k++)
            storeBlock(shape->K + 3 * a, b, &ER, &Rt, turned[a], columns[b], &state->block[0][k]);
}

#else

void palHexLanes_Linearise(const palHexShape* shape, double poisson, palTangent tangent,
                           palHexLanesState* state)
{
    (void)shape;
    (void)poisson;
    (void)tangent;
    (void)state;
}

#endif
