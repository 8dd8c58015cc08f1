// SPDX-License-Identifier: Apache-2.0
#include "body/hex_element.h"

#include <string.h>

enum
{
    modes = 3,         // incompatible displacement modes
    inner = 3 * modes, // their unknowns
    all = 24 + inner,
};

static const double corner[8][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1},
};

// Gradients of the eight shape functions in the reference cube.
static void referenceGradients(const double s[3], palVec3 d[8])
{
    for (int a = 0; a < 8; a++)
    {
        double fx = 1.0 + corner[a][0] * s[0];
        double fy = 1.0 + corner[a][1] * s[1];
        double fz = 1.0 + corner[a][2] * s[2];
        d[a] = palMakeVec3(0.125 * corner[a][0] * fy * fz, 0.125 * corner[a][1] * fx * fz,
                           0.125 * corner[a][2] * fx * fy);
    }
}

// J = ∂x/∂s, its determinant and inverse transpose, which turns reference gradients into real ones.
static bool jacobian(const palVec3 rest[8], const palVec3 d[8], palMat3* inverseTransposed,
                     double* determinant)
{
    palMat3 J = {0};
    for (int a = 0; a < 8; a++)
        J = palMat3MulAdd(J, 1.0, palOuter(rest[a], d[a]));
    palMat3 inverse;
    *determinant = palMat3Determinant(J);
    if (!(*determinant > 0.0) || !palMat3Inverse(J, &inverse))
        return false;
    *inverseTransposed = palMat3Transpose(inverse);
    return true;
}

// Adds ∫ Bᵀ C B at one Gauss point for gradients g: the block of functions a and b is
// λ ga gbᵀ + μ gb gaᵀ + μ (ga·gb) I, as for the tetrahedron.
static void addPoint(double K[all][all], const palVec3 g[8 + modes], palLame lame, double weight)
{
    for (int a = 0; a < 8 + modes; a++)
        for (int b = 0; b < 8 + modes; b++)
        {
            const double ga[3] = {g[a].x, g[a].y, g[a].z};
            const double gb[3] = {g[b].x, g[b].y, g[b].z};
            double dot = palDot(g[a], g[b]);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    K[3 * a + i][3 * b + j] +=
                        weight * (lame.lambda * ga[i] * gb[j] + lame.mu * gb[i] * ga[j] +
                                  (i == j) * lame.mu * dot);
        }
}

// Eliminates the inner unknowns: what remains in the first 24 rows is Kuu - Kua Kaa⁻¹ Kau.
static void condense(double K[all][all])
{
    for (int p = all - 1; p >= 24; p--)
        for (int i = 0; i < p; i++)
        {
            double factor = K[i][p] / K[p][p];
            for (int j = 0; j < p; j++)
                K[i][j] -= factor * K[p][j];
        }
}

bool palHexShape_Init(palHexShape* shape, const palVec3 rest[8], double poisson)
{
    static const double origin[3] = {0, 0, 0};
    palVec3 centre = pal_zeroVec3;
    for (int a = 0; a < 8; a++)
        centre = palMulAdd(centre, 0.125, rest[a]);
    for (int a = 0; a < 8; a++)
        shape->rest[a] = palSub(rest[a], centre);

    palVec3 d[8];
    palMat3 middle;
    double middleDeterminant;
    referenceGradients(origin, d);
    if (!jacobian(shape->rest, d, &middle, &middleDeterminant))
        return false;
    for (int a = 0; a < 8; a++)
        shape->g[a] = palMat3Apply(middle, d[a]);

    double K[all][all];
    memset(K, 0, sizeof K);
    palMaterial unit = {.young = 1.0, .poisson = poisson};
    palLame lame = palMaterial_Lame(&unit);
    shape->volume = 0.0;
    const double gauss = 0.577350269189625765; // 1/√3
    for (int p = 0; p < 8; p++)
    {
        const double s[3] = {gauss * corner[p][0], gauss * corner[p][1], gauss * corner[p][2]};
        palMat3 map;
        double determinant;
        referenceGradients(s, d);
        if (!jacobian(shape->rest, d, &map, &determinant))
            return false;
        palVec3 g[8 + modes];
        for (int a = 0; a < 8; a++)
            g[a] = palMat3Apply(map, d[a]);
        // The modes 1 - sk²: their gradients use the map at the centre, scaled by its determinant,
        // so that constant strain does no work on them (the patch test).
        double share = middleDeterminant / determinant;
        for (int k = 0; k < modes; k++)
        {
            palVec3 slope = {-2.0 * s[0] * (k == 0), -2.0 * s[1] * (k == 1),
                             -2.0 * s[2] * (k == 2)};
            g[8 + k] = palScale(share, palMat3Apply(middle, slope));
        }
        addPoint(K, g, lame, determinant);
        shape->volume += determinant;
    }
    condense(K);
    for (int i = 0; i < 24; i++)
        memcpy(shape->K[i], K[i], sizeof shape->K[i]);
    return true;
}

palMat3 palHexShape_Forces(const palHexShape* shape, double young, const palVec3 x[8],
                           palVec3 force[8])
{
    palMat3 F = {0};
    for (int a = 0; a < 8; a++)
        F = palMat3MulAdd(F, 1.0, palOuter(x[a], shape->g[a]));
    palMat3 R = palMat3Rotation(F);

    // u = Rᵀ x - x0 up to a translation, which K0 does not feel; relative to one corner for digits.
    double u[24];
    palMat3 Rt = palMat3Transpose(R);
    for (int a = 0; a < 8; a++)
    {
        palVec3 turned = palMat3Apply(Rt, palSub(x[a], x[0]));
        palVec3 ua = palSub(turned, palSub(shape->rest[a], shape->rest[0]));
        u[3 * a] = ua.x, u[3 * a + 1] = ua.y, u[3 * a + 2] = ua.z;
    }
    for (int a = 0; a < 8; a++)
    {
        double f[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 24; j++)
                f[i] -= shape->K[3 * a + i][j] * u[j];
        force[a] = palScale(young, palMat3Apply(R, palMakeVec3(f[0], f[1], f[2])));
    }
    return R;
}

palMat3 palHexShape_Block(const palHexShape* shape, double young, palMat3 R, int a, int b)
{
    palMat3 block;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block.m[i][j] = young * shape->K[3 * a + i][3 * b + j];
    return palMat3Mul(palMat3Mul(R, block), palMat3Transpose(R));
}
