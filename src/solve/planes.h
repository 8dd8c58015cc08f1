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
// Friction holds the point at `from`: with one plane by Coulomb's law in the plane (solve/cone.h);
// with two the point can only move along their crease, where μ1 λ1 + μ2 λ2 holds it; with three it
// cannot move.
//
// SEVERAL BODIES. Where the planes are of bodies that yield, each plane's force moves its own body.
// With w the compliance of the point, W_b that of body b and F_b = Σ (λj nj + friction_j) over the
// planes j of b, the point and the surface of b are after the step at
//
//     x⁺ = goal + w Σ_c F_c,        s_b⁺ = s_b - Σ_c W_bc F_c          W_bb = W_b
//
// and what decides about the planes of b, given where s_b would be without the forces, is
//
//     y_b = goal + Σ_c G_bc F_c,    δj = njᵀ y_b - dj,    G_bc = w I + W_bc
//
// W_bc, b ≠ c, is zero unless the bodies are tied to each other. With one body y_b is the y above
// with W = w I + W_b; with several there is a y for each body. Of a subset of planes the forces on
// each body are found from its own planes by the formulas above, with the goal where the other
// bodies' forces put it, body by body until they stay: only what the bodies share couples them, so
// that this converges fast however shallow the creases of one body are. Friction holds the point
// where it was on each body. Up to three planes of each body may bind: where no subset of three
// does, each body's planes are solved as above in turn, for the goal where the others' forces put
// it.
#ifndef PAL_SOLVE_PLANES_H
#define PAL_SOLVE_PLANES_H

#include "math/mat3.h"

enum
{
    pal_planesMax = 12,       // planes in one problem; 12 give 298 candidates
    pal_planesPushedMax = 3,  // bodies whose planes hold a point
    pal_planesBindingMax = 9, // and these planes: three of each
};

typedef struct palPlane
{
    palVec3 n;       // unit normal, towards the free side
    double d;        // nᵀ y >= d, m
    double friction; // Coulomb's coefficient
} palPlane;

typedef struct palPlanesResult
{
    palVec3 y;                           // m
    int count;                           // binding planes, of one body 0..3
    int binding[pal_planesBindingMax];   // their indices
    double lambda[pal_planesBindingMax]; // their normal forces, N
    double violation;                    // m, the largest -δ_j; 0 if all planes hold
    bool solved; // every law holds; otherwise y is the candidate with the least violation
} palPlanesResult;

/// W in m/N, symmetric and positive definite; `tolerance` in metres. Real-time.
palPlanesResult palSolvePlanes(const palPlane* planes, int count, palVec3 from, palVec3 goal,
                               const palMat3* W, double tolerance);

/// One plane that yields along its normal, W = w I + s nnᵀ: the normal force does not depend on
/// friction then, and friction opposes the slide. `force` is that on the point, N. Real-time.
palPlanesResult palSolveYieldingPlane(const palPlane* plane, palVec3 from, palVec3 goal, double w,
                                      double s, palVec3* force);

enum
{
    pal_planeBodiesMax = 8, // bodies in one problem
};

/// One of the bodies whose planes hold a point.
typedef struct palPlaneBody
{
    palMat3 W;         // W_b, m/N; zero where it is rigid
    palMat3 whole;     // G_bb = w I + W_b, m/N
    palMat3 stiffness; // its inverse, N/m
    palVec3 x;         // y_b at first, m: towards it friction holds
} palPlaneBody;

typedef struct palPlaneBodies
{
    int count;
    double w;             // compliance of the point, m/N
    palPlaneBody* bodies; // borrowed, [count]
    const palMat3* cross; // borrowed, [count][count]: W_bc; NULL: zero for b ≠ c
} palPlaneBodies;

/// The result for several bodies: the forces on the point from each body that has binding planes.
typedef struct palPlanesForces
{
    palPlanesResult planes; // y is that of the first body
    int bodyCount;
    int bodies[pal_planesPushedMax];
    palVec3 forces[pal_planesPushedMax]; // F_b, N
} palPlanesForces;

/// Fills whole and stiffness of a body from W.
void palPlaneBody_Set(palPlaneBody* body, double w, const palMat3* W);

/// owners[i] is the body of planes[i]. Real-time.
palPlanesForces palSolvePlanesOfBodies(const palPlane* planes, const int* owners, int count,
                                       palVec3 goal, const palPlaneBodies* bodies,
                                       double tolerance);

/// y_b under the forces of a result, m.
palVec3 palPlaneBodies_Place(const palPlaneBodies* bodies, palVec3 goal,
                             const palPlanesForces* forces, int body);

/// The forces F_b on the point that put it at bodies[b].x, of tied bodies to 10⁻³, for the `count`
/// (1..3) bodies named, all others being untouched. Returns false where there are none.
bool palPlaneBodies_Forces(const palPlaneBodies* bodies, palVec3 goal, const int* named, int count,
                           palVec3* forces);

#endif
