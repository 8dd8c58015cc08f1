// SPDX-License-Identifier: Apache-2.0
// The constrained position of a point among a few planes, with Coulomb friction: the exact solution
// of the small contact problem of a point proxy.
//
//     δj = njᵀ y - dj,   0 <= λj ⟂ δj >= 0,   y = goal + W Σ (λj nj + friction_j)
//
// W, the compliance, is 3x3: a multiple of the identity for a point on a rigid surface, a full
// matrix on a soft one. Without friction y is the point of a polyhedron nearest to the goal in the
// metric of W⁻¹, and at most three planes are active: they are found by testing all subsets of one,
// two and three planes. Gauss-Seidel on the same rows needs hundreds of sweeps in a shallow crease
// (433 at 10 degrees, 28,000 at 1 degree), and fine concave meshes consist of creases.
//
// Friction acts against motion away from `from`: with one plane by Coulomb's law in the plane
// (solve/cone.h); with two the point can only move along their crease, with the friction limit
// μ1 λ1 + μ2 λ2; with three it cannot move.
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
    double violation; // m, the largest -δ_j; 0 if all planes hold
    bool solved;      // every law holds; otherwise y is the candidate with the least violation
} palPlanesResult;

/// W in m/N, symmetric and positive definite; `tolerance` in metres. Real-time.
palPlanesResult palSolvePlanes(const palPlane* planes, int count, palVec3 from, palVec3 goal,
                               const palMat3* W, double tolerance);

/// A copy of the arguments of palSolvePlanes, for diagnostics.
typedef struct palPlanesProblem
{
    int count;
    palPlane planes[pal_planesMax];
    palVec3 from, goal; // m
    palMat3 W;          // m/N
} palPlanesProblem;

palPlanesProblem palMakePlanesProblem(const palPlane* planes, int count, palVec3 from, palVec3 goal,
                                      const palMat3* W);

/// Writes it as a contact problem in the text format of palContactProblem_Write: a plane becomes
/// one unilateral row, or with friction a cone of three rows.
palResult palPlanesProblem_Write(const palPlanesProblem* problem, const char* path,
                                 palError* error);

#endif
