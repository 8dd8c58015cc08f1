// SPDX-License-Identifier: Apache-2.0
// Four tetrahedra side by side: forces and stiffness of palTetElement with turning.h and
// stiffening.h, a lane each.
//
// For processors with AVX2; the scalar twin is in soft.c, and they agree to rounding. A body's
// stiffness takes a quarter of the twin's time, of which half is adding it up.
#ifndef PAL_BODY_TET_LANES_H
#define PAL_BODY_TET_LANES_H

#include "body/lanes.h"
#include "body/tet_element.h"
#include "body/turning.h"

/// What stays the same, [..][lane].
typedef struct palTetLanes
{
    _Alignas(32) double g[4][3][pal_lanes]; // gradients of the shape functions at rest, 1/m
    double volume[pal_lanes];               // m³
    double lambda[pal_lanes];               // Pa
    double mu[pal_lanes];                   // Pa
} palTetLanes;

/// One evaluation.
typedef struct palTetLanesState
{
    _Alignas(32) double x[4][3][pal_lanes]; // in: corners, m
    double stiffening;                      // in: b
    _Alignas(32) double rankOne[pal_lanes]; // out: c, 1/J: what stiffening.h adds to the blocks
    double force[4][3][pal_lanes];          // out: on the corners, N
    double determinant[pal_lanes];          // out: of F
    palMat3 block[pal_lanes][10];           // out: s K (a, b), a >= b, row after row, N/m
} palTetLanesState;

/// Puts an element into a lane.
void palTetLanes_Set(palTetLanes* lanes, int lane, const palTetElement* element);

void palTetLanes_Linearise(const palTetLanes* lanes, palTangent tangent, palTetLanesState* state);

#endif
