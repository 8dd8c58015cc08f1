// SPDX-License-Identifier: Apache-2.0
// The linear tetrahedron, corotational.
//
// With the rest gradients ga of the four shape functions the deformation gradient is constant,
//
//     F = Σ xa gaᵀ,   F = R S,   ε = S - I (symmetric),   σ = λ tr(ε) I + 2 μ ε
//     fa = -V R σ ga                                        force on corner a
//     Kab = V (λ ĝa ĝbᵀ + μ ĝb ĝaᵀ + μ (ĝa·ĝb) I),  ĝ = R g    stiffness, R held fixed
//
// (Müller and Gross 2004; positive semi-definite). No 12x12 product is needed. turning.h has what
// the derivative of R adds.
#ifndef PAL_BODY_TET_ELEMENT_H
#define PAL_BODY_TET_ELEMENT_H

#include "body/material.h"
#include "math/mat3.h"

typedef struct palTetElement
{
    palVec3 g[4];  // gradients of the shape functions at rest, 1/m
    double volume; // at rest, m³
    palLame lame;  // Pa
} palTetElement;

/// From the corners at rest. Returns false where the volume is not positive.
bool palTetElement_Init(palTetElement* element, const palVec3 rest[4], palLame lame);

/// The rotation of the element at corners x, and the elastic forces on the corners, N.
palMat3 palTetElement_Forces(const palTetElement* element, const palVec3 x[4], palVec3 force[4]);

/// The 3x3 block of the stiffness between corners with rotated gradients a and b, N/m.
static inline palMat3 palTetElement_Block(const palTetElement* element, palVec3 a, palVec3 b)
{
    double lambda = element->volume * element->lame.lambda;
    double mu = element->volume * element->lame.mu;
    double diagonal = mu * palDot(a, b);
    return (palMat3){{
        {lambda * a.x * b.x + mu * b.x * a.x + diagonal, lambda * a.x * b.y + mu * b.x * a.y,
         lambda * a.x * b.z + mu * b.x * a.z},
        {lambda * a.y * b.x + mu * b.y * a.x, lambda * a.y * b.y + mu * b.y * a.y + diagonal,
         lambda * a.y * b.z + mu * b.y * a.z},
        {lambda * a.z * b.x + mu * b.z * a.x, lambda * a.z * b.y + mu * b.z * a.y,
         lambda * a.z * b.z + mu * b.z * a.z + diagonal},
    }};
}

#endif
