// SPDX-License-Identifier: Apache-2.0
// A soft body: corotational tetrahedra and bricks, linear or stiffening (stiffening.h), with lumped
// mass and Rayleigh damping.
//
//     M v̇ = f(x) - D v + gravity,   f the elastic forces,   K = -∂f/∂x
//     D = α M + β K
//     A(h) = M + h D + h² K = (1 + h α) M + (h β + h²) K
//
// Held nodes are not part of the system: rows are those of the free nodes, in the order of the
// nodes, three a node. Everything is allocated at set-up.
#ifndef PAL_BODY_SOFT_H
#define PAL_BODY_SOFT_H

#include "base/archive.h"
#include "body/hex_element.h"
#include "body/hex_lanes.h"
#include "body/stiffening.h"
#include "body/tet_element.h"
#include "body/tet_lanes.h"
#include "body/turning.h"
#include "body/volume_limit.h"
#include "linalg/cholesky.h"
#include "mesh/volume.h"

/// Lower-triangle blocks (a, b), a >= b, of an element's stiffness.
enum
{
    pal_tetBlocks = 10,
    pal_hexBlocks = 36,
};

typedef struct palSoftDef
{
    const palVolume* volume; // borrowed during Create
    palMaterial material;
    double stiffening;       // b of stiffening.h; 0: linear
    const double* stiffer;   // borrowed, [elements]: factor on Young's modulus; NULL: 1 everywhere
    const double* fill;      // borrowed, [elements]: filled share of each element; NULL: 1
    const bool* held;        // borrowed, [vertices]: nodes that do not move; NULL: none
    double massDamping;      // α, 1/s
    double stiffnessDamping; // β, s
    palVec3 gravity;         // m/s²
} palSoftDef;

typedef struct palSoftBody
{
    int nodeCount;
    int freeCount; // nodes that can move
    int tetCount;
    int hexCount;
    double alpha, beta; // Rayleigh's constants: 1/s, s
    double young;       // E, Pa: elements may have a multiple of it
    double poisson;     // ν
    double stiffening;  // b; 0: linear
    double density;     // ρ, kg/m³
    palVec3 gravity;    // m/s²

    // Nodes, [nodeCount], owned.
    int* freeIndex; // index among the free nodes, or -1 for a held one
    palVec3* rest;  // m
    palVec3* x;     // m
    palVec3* v;     // m/s
    double* mass;   // kg
    palVec3* load;  // N: forces of wires and friction, constant over a step

    // Elements, owned.
    int (*tets)[4];           // nodes
    palTetElement* tetModels; // [tetCount]
    palTetLanes* tetLanes;    // the same in SIMD lanes, pal_lanes at a time; may be NULL
    bool usesLanes;           // pal_lanes elements are linearised at once, where they can be
    int (*hexes)[8];          // nodes
    int* hexShapes;           // [hexCount]: index of its shape in hexModels
    double* hexYoung;         // [hexCount], Pa
    palHexShape* hexModels;   // [hexShapeCount]: bricks of equal shape share one
    int hexShapeCount;
    bool* isUnlimited;  // [tetCount + hexCount]: without the limit of volume_limit.h
    int unlimitedCount; // of them
    int* slots; // [pal_tetBlocks tetCount + pal_hexBlocks hexCount]: where each element's blocks go
                // in K; ~ where K has them transposed, INT32_MIN where a node is held

    // The linearisation, owned. Written by palSoftBody_Linearise.
    palBlockMatrix K;   // stiffness of the free nodes, N/m
    palTangent tangent; // which derivative K is
    double* force;      // [3 freeCount]: elastic forces, gravity and load at x, N
    double* volume;     // [tetCount + hexCount]: J of each element, over that at rest
    bool* isInsideOut;  // [nodeCount], scratch: has an element with J < 0
    int invertedCount;  // elements that are flat or inverted at x
} palSoftBody;

palSoftDef palDefaultSoftDef(void);
palResult palSoftBody_Create(const palSoftDef* def, palSoftBody** body, palError* error);
void palSoftBody_Destroy(palSoftBody* body);

/// Another Young's modulus, Pa, to which every element is scaled. The linearisation is that of
/// before until the next Linearise. No allocation.
void palSoftBody_SetYoung(palSoftBody* body, double young);

/// Allocates K with the pattern of the elements, and fills `slots`. Part of Create.
palResult palSoftBody_InitStiffness(palSoftBody* body, palError* error);
/// Fills K, force and invertedCount at the present x. No allocation.
void palSoftBody_Linearise(palSoftBody* body, palTangent tangent);

/// Linearises and factors A(h): with the exact K, or where elements are inverted or A is not
/// positive definite with the safe one. Returns false where that fails too: the state is not
/// finite. No allocation.
bool palSoftBody_Factor(palSoftBody* body, double h, palBlockMatrix* A, palCholesky* factor);

/// A = (1 + h α) M + (h β + h²) K. A must have the pattern of K (palSoftBody_InitSystem).
void palSoftBody_System(const palSoftBody* body, double h, palBlockMatrix* A);
palResult palSoftBody_InitSystem(const palSoftBody* body, palBlockMatrix* A, palError* error);

/// The rotation of each free node's surroundings since rest, [freeCount]: that of the mean
/// deformation gradient of its elements.
void palSoftBody_Frames(const palSoftBody* body, palMat3* frames);

/// Gathers the free nodes' velocities, [3 freeCount].
void palSoftBody_Velocities(const palSoftBody* body, double* v);
/// x += dx, v = velocity, for the free nodes; either may be NULL.
void palSoftBody_Move(palSoftBody* body, const double* dx, const double* velocity);

/// The free nodes' velocities, [3 freeCount] each, of the motion of a body as a whole: translation,
/// and rotation about the centre of mass. Zero where something holds it.
void palSoftBody_Rigid(const palSoftBody* body, double* translation, double* rotation);
/// What a body has of momentum, kg·m/s, and of angular momentum about its centre of mass, kg·m²/s.
typedef struct palMomenta
{
    palVec3 linear, angular;
} palMomenta;

palMomenta palSoftBody_Momenta(const palSoftBody* body);
/// After `steps` steps of h in which nothing but gravity acted on the body: gives it what that and
/// mass damping leave of the momenta that it had before, by a motion as a whole. A linearised step
/// holds the directions of the elastic forces while the body turns, which takes some (h β + h²) ω²
/// of the angular one. Does nothing where something holds or loads the body.
void palSoftBody_KeepMomenta(palSoftBody* body, palMomenta before, double h, int steps);
/// Gives it that momentum by a translation: reduced to a few modes its motion keeps it to some 10⁻⁶
/// only. Does nothing where something holds or loads the body.
void palSoftBody_SetMomentum(palSoftBody* body, palVec3 momentum);

/// With its linearisation.
void palSoftBody_Archive(palSoftBody* body, palArchive* archive);

/// Nodes of an element (tets first, then bricks), and how many.
static inline const int* palSoftBody_ElementNodes(const palSoftBody* body, int element, int* count)
{
    bool isTet = element < body->tetCount;
    *count = isTet ? 4 : 8;
    return isTet ? body->tets[element] : body->hexes[element - body->tetCount];
}

/// Gradients ga of the shape functions of its corners at rest, at the centre of a brick, 1/m.
static inline const palVec3* palSoftBody_ElementGradients(const palSoftBody* body, int element)
{
    int h = element - body->tetCount;
    return h < 0 ? body->tetModels[element].g : body->hexModels[body->hexShapes[h]].g;
}

/// F = Σ xa gaᵀ
static inline palMat3 palSoftBody_Gradient(const palVec3* x, const palVec3* g, int count)
{
    palMat3 F = {0};
    for (int a = 0; a < count; a++)
        F = palMat3MulAdd(F, 1.0, palOuter(x[a], g[a]));
    return F;
}

/// E V of an element, J.
double palSoftBody_ElementModulus(const palSoftBody* body, int element);

/// Kinetic, elastic and gravitational energy, J.
double palSoftBody_Energy(const palSoftBody* body);
double palSoftBody_Mass(const palSoftBody* body);

#endif
