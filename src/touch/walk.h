// SPDX-License-Identifier: Apache-2.0
// The solver of `accurate` (Knott and Kuhlen 2015, sections 3.4 and 3.5): from the old position of
// the proxy to the constrained one, over a patch of limited constraints.
//
// In each iteration, at the tentative state x:
//
//     active set        the GLCs in whose region x is                  eqs. (6), (7), (9), (11)
//     convex sets       cliques of locally convex neighbours           eq. (8)
//     one plane a set   the least violated one at the free position    eq. (12)
//     resolving force   all chosen planes at once, with friction       solve/planes.h
//     inner trust       no farther than the first surface on the way   section 3.5
//
// until x stays. The response matrices are there in factored form: with W the compliance of proxy
// and surface together Aψ = N W Nᵀ and Aτ = T W Nᵀ, so that ψ + Aψ λ and τ + Aτ λ are simply ψ and
// τ at x = x_free + W Nᵀ λ, the tentative state of eqs. (14), (15). Nothing depends on how many
// GLCs there are, only on how many are near x.
//
// Where this goes beyond the paper, and why:
//   - Gauss-Seidel over the sets does not converge in shallow creases; at most three planes bind a
//     point, so they are solved directly (solve/planes.h).
//   - The inner trust box must be smaller than the smallest GLC, which for a sliver is nothing. The
//     way from x to the next state is swept against the triangles instead: it cannot skip one.
//   - A plane acts a little farther than its triangle, and at a saddle the sets are not sufficient.
//     So the state that they lead to is checked: where the path is blocked at once, or where a
//     crease holds x, the planes around x are tried one by one and in pairs (escape).
//   - Because x never enters the surface, the triangles' own limits suffice (limited.h); the wedge
//     constraints of concave edges only bring back a proxy that was inside to begin with.
//   - Where several bodies are near, each yields to the forces of its own planes, so that there is
//     a tentative state for each: where the proxy is on it (solve/planes.h, y_b). They move
//     together, each swept against the faces of its own body; a convex set is of one body.
//   - Planes lie just above the surface, so that rounding cannot put the proxy below it and a
//     way along one face does not touch its neighbours.
#ifndef PAL_TOUCH_WALK_H
#define PAL_TOUCH_WALK_H

#include "solve/planes.h"
#include "touch/patch.h"
#include "world/def.h"

enum
{
    pal_walkActiveMax = 48,
    pal_walkBindingMax = pal_planesBindingMax,
};

// ε as a share of the query radius: planes are lifted by this (2 nm at 20 mm).
#define PAL_SURFACE_OFFSET 1e-7

/// The forces on the proxy from each of several bodies.
typedef struct palPushes
{
    bool isKnown;
    int count;
    int bodies[pal_planesPushedMax];
    palVec3 forces[pal_planesPushedMax]; // N
} palPushes;

typedef struct palWalk
{
    const palPatch* patch; // borrowed
    palVec3 trustCentre;   // m: the patch is the whole surface within this ball
    double trustRadius;    // m
    double unit;           // m, the query radius: lengths below are shares of it
    double depth;          // d of eq. (7), m: how deep a proxy is still brought back
    double margin;         // m: faces so near to x count as well as those under it
    palMat3 W;             // compliance, m/N
    palMat3 stiffness;     // its inverse, N/m
    palVec3 goal;          // x_free, m
    palVec3 x;             // tentative state, m; the old position at first, the solution at last
    palVec3 aim; // m: where the planes at x would put it without the trust region; x unless held

    // Where several bodies are near; x, W and stiffness are then those of the first.
    palPlaneBodies* bodies; // borrowed; NULL: one
    const int8_t* owners;   // borrowed, by object: which of them a constraint belongs to
    palPushes pushes;       // that put x where it is; unknown where something ended its way

    int active[pal_walkActiveMax];
    int activeCount;
    int binding[pal_walkBindingMax]; // the constraints whose planes hold x
    double normalForces[pal_walkBindingMax];
    int bindingCount;
} palWalk;

/// Walks to the solution. Fills active, iterations, residual, held and converged. Real-time.
void palWalk_Solve(palWalk* walk, palHighInfo* info);

/// Where the surface is not known at the goal, and x stays where it is: what the planes at x do to
/// the proxy there. Fills aim, and the forces, as Solve does where the trust region holds x.
/// Real-time.
void palWalk_Aim(palWalk* walk, palHighInfo* info);

/// The bodies that push the proxy, and their forces. Where nothing holds it but it did not reach
/// the goal, that is the first body. Real-time.
palPushes palWalk_Pushes(const palWalk* walk);

/// After Solve among several bodies: puts x where one of them alone pushes it to with `force`, N.
/// Returns false, and changes nothing, where a face of another is in the way. Real-time.
bool palWalk_PushFrom(palWalk* walk, int body, palVec3 force);

/// Reports the contacts of a solved step: `force` is the whole force on the proxy, which ended at
/// `proxy`; def is that of its hand. Where two or three planes hold it they share the
/// friction as they share the load. Real-time.
void palWalk_Report(const palWalk* walk, palVec3 force, palVec3 proxy, const palMethodDef* def,
                    palHighInfo* info);

/// How far the way from x to y is free, 0..1, and the face that ends it (-1: none). The way ends
/// just above the first face that it crosses from the outside. Real-time.
double palWalk_Sweep(const palWalk* walk, palVec3 y, int* blocker);
/// The plane of a constraint on the side of x, just above its feature. Real-time.
palPlane palWalk_Plane(const palWalk* walk, int index);

/// What is active at x, and the convex set of each, numbered from 0. Real-time. Returns the number
/// of sets.
int palWalk_FindSets(palWalk* walk, int set[pal_walkActiveMax]);

#endif
