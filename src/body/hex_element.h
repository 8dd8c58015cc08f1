// SPDX-License-Identifier: Apache-2.0
// The eight-node brick, corotational, with incompatible modes.
//
// The stiffness at rest is integrated with 2x2x2 Gauss points. Plain trilinear bricks are too stiff
// in bending; three quadratic displacement modes inside the element (Wilson et al. 1973, in the
// form of Taylor, Beresford and Wilson 1976 that passes the patch test) remove that. They are
// condensed out when the element is made, so that they cost nothing later:
//
//     K0 = Kuu - Kua Kaa⁻¹ Kau      24x24
//     f  = -R K0 (Rᵀ x - x0)        R the rotation at the centre, the same for all corners
//
// Corner order: (-,-,-) (+,-,-) (+,+,-) (-,+,-) (-,-,+) (+,-,+) (+,+,+) (-,+,+) in (x, y, z).
#ifndef PAL_BODY_HEX_ELEMENT_H
#define PAL_BODY_HEX_ELEMENT_H

#include "body/material.h"
#include "math/mat3.h"

typedef struct palHexShape
{
    palVec3 rest[8];  // x0, relative to the centre, m
    palVec3 g[8];     // gradients of the shape functions at the centre, 1/m
    double volume;    // m³
    double K[24][24]; // K0 for E = 1 Pa, N/m per Pa
} palHexShape;

/// From the corners at rest and Poisson's ratio. Returns false for an inverted or flat brick.
bool palHexShape_Init(palHexShape* shape, const palVec3 rest[8], double poisson);

/// The rotation of the element at corners x, and the elastic forces on the corners, N.
palMat3 palHexShape_Forces(const palHexShape* shape, double young, const palVec3 x[8],
                           palVec3 force[8]);

/// The 3x3 block E R K0ab Rᵀ of the stiffness, N/m.
palMat3 palHexShape_Block(const palHexShape* shape, double young, palMat3 R, int a, int b);

#endif
