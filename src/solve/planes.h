// SPDX-License-Identifier: Apache-2.0
// The point on one side of a few planes that is nearest to a goal, with Coulomb friction: the exact
// solution of the small problem that a point proxy poses.
//
//     δ_j = n_jᵀ (y - c_j),   0 <= λ_j ⟂ δ_j >= 0,   y = goal + W Σ (λ_j n_j + friction_j)
//
// For a point W is a number times the identity, so the frictionless problem is the projection of
// the goal on a polyhedron, and at most three planes bind: they are found by trying all ones, twos
// and threes. Gauss-Seidel on the same rows needs hundreds of sweeps in a shallow crease (433 at
// 10 degrees, 28,000 at 1 degree) and fine concave meshes consist of creases.
//
// Friction at rest point `from`: with one plane Coulomb's law in the plane; with two, the point can
// only move along their crease, where it is held by μ1 λ1 + μ2 λ2; with three it cannot move.
#ifndef PAL_SOLVE_PLANES_H
#define PAL_SOLVE_PLANES_H

#include "math/vec3.h"

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

/// W is the compliance, m/N; `tolerance` in metres. Real-time.
palPlanesResult palSolvePlanes(const palPlane* planes, int count, palVec3 from, palVec3 goal,
                               double W, double tolerance);

#endif
