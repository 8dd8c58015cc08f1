// SPDX-License-Identifier: Apache-2.0
// Four bricks of one form side by side: forces and stiffness of palHexShape with turning.h and
// stiffening.h, a lane each. For processors with AVX2; the scalar twin is in soft_linearise.c, and
// they agree to rounding.
#ifndef PAL_BODY_HEX_LANES_H
#define PAL_BODY_HEX_LANES_H

#include "body/hex_element.h"
#include "body/lanes.h"
#include "body/turning.h"

/// One evaluation.
typedef struct palHexLanesState
{
    _Alignas(32) double x[8][3][pal_lanes]; // in: corners, m
    double young[pal_lanes];                // in: Pa
    double stiffening;                      // in: b
    _Alignas(32) double rankOne[pal_lanes]; // out: c, 1/J: what stiffening.h adds to the blocks
    double force[8][3][pal_lanes];          // out: on the corners, N
    double determinant[pal_lanes];          // out: of F
    palMat3 block[pal_lanes][36];           // out: s K (a, b), a >= b, row after row, N/m
} palHexLanesState;

/// `poisson` is that of the shape.
void palHexLanes_Linearise(const palHexShape* shape, double poisson, palTangent tangent,
                           palHexLanesState* state);

#endif
