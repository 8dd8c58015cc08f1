// SPDX-License-Identifier: Apache-2.0
#include "body/tet_element.h"

bool palTetElement_Init(palTetElement* element, const palVec3 rest[4], palLame lame)
{
    palMat3 edges = palMakeMat3Columns(palSub(rest[1], rest[0]), palSub(rest[2], rest[0]),
                                       palSub(rest[3], rest[0]));
    palMat3 inverse;
    double determinant = palMat3Determinant(edges);
    if (!(determinant > 0.0) || !palMat3Inverse(edges, &inverse))
        return false;
    element->volume = determinant / 6.0;
    element->lame = lame;
    // Row k of the inverse is the gradient of the shape function of corner k + 1.
    element->g[0] = pal_zeroVec3;
    for (int k = 0; k < 3; k++)
    {
        element->g[k + 1] = palMakeVec3(inverse.m[k][0], inverse.m[k][1], inverse.m[k][2]);
        element->g[0] = palSub(element->g[0], element->g[k + 1]);
    }
    return true;
}

palMat3 palTetElement_Forces(const palTetElement* element, const palVec3 x[4], palVec3 force[4])
{
    palMat3 F = {0};
    for (int a = 0; a < 4; a++)
        F = palMat3MulAdd(F, 1.0, palOuter(x[a], element->g[a]));
    palMat3 R = palMat3Rotation(F);
    palMat3 RtF = palMat3Mul(palMat3Transpose(R), F);

    // σ from the symmetric part of RᵀF.
    palMat3 stress;
    double trace = RtF.m[0][0] + RtF.m[1][1] + RtF.m[2][2] - 3.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            double strain = 0.5 * (RtF.m[i][j] + RtF.m[j][i]) - (i == j);
            stress.m[i][j] =
                2.0 * element->lame.mu * strain + (i == j) * element->lame.lambda * trace;
        }
    palMat3 P = palMat3Mul(R, stress);
    for (int a = 0; a < 4; a++)
        force[a] = palScale(-element->volume, palMat3Apply(P, element->g[a]));
    return R;
}
