// SPDX-License-Identifier: Apache-2.0
// The constrained position of a point among a few planes, with Coulomb friction: the exact solution
// of the small problem that a point proxy poses.
//
//     δj = njᵀ y - dj,   0 <= λj ⟂ δj >= 0,   y = goal + W Σ (λj nj + friction_j)
//
// W, the compliance, is 3x3: a number times the identity for a point on a rigid surface, and more
// on a soft one. Without friction y is the point of a polyhedron nearest to the goal in the metric
// of W⁻¹, and at most three planes bind: they are found by trying all ones, twos and threes.
// Gauss-Seidel on the same rows needs hundreds of sweeps in a shallow crease (433 at 10 degrees,
// 28,000 at 1 degree), and fine concave meshes consist of creases.
//
// Friction holds the point at `from`: with one plane by Coulomb's law in the plane (solve/cone.h);
// with two the point can only move along their crease, where μ1 λ1 + μ2 λ2 holds it; with three it
// cannot move.
#ifndef PAL_SOLVE_PLANES_H
#define PAL_SOLVE_PLANES_H

#include "math/mat3.h"

enum
{
    pal_planesMax = 12, // planes in one problem; 12 give 298 candidates
};

typedef struct palPlane
{
    palVec3 n;       // unit normal, towards the free side
    double d;        // nᵀ y >= d, m
    double friction; // Coulomb's coefficient
} palPlane;

typedef struct palPlanesResult
{
    palVec3 y;        // m
    int count;        // binding planes, 0..3
    int binding[3];   // their indices
    double lambda[3]; // their normal forces, N
    double violation; // m, the worst -δ_j; 0 where all hold
    bool solved;      // every law holds; otherwise y is the least violating candidate
} palPlanesResult;

/// W in m/N, symmetric and positive definite; `tolerance` in metres. Real-time.
palPlanesResult palSolvePlanes(const palPlane* planes, int count, palVec3 from, palVec3 goal,
                               const palMat3* W, double tolerance);

#endif
