// SPDX-License-Identifier: Apache-2.0
// A wire: beam elements in series, six coordinates per node.
//
//     M v̇ = f(x) - D v + gravity + external,   f the elastic forces,   K = -∂f/∂x
//     D = α M + β K₀                      K₀: K without the tension of the chords (beam_element.h)
//     A(h) = M + h D + θ² h² K            θ = 1: backward Euler; θ = ½: implicit midpoint
//     A dv = h (f - D v - θ h K v) + h Jᵀ λ
//     x⁺   = x + h (v + θ dv),   v⁺ = v + dv
//     W    = θ h² J A⁻¹ Jᵀ                a force λ moves a point by W λ within the step
//
// With θ = ½, second order in h, the wire keeps its frequencies, and only D damps its vibrations.
// Damping is taken at the end of the step whatever θ, so that stiff overdamped motions do not
// alternate from step to step; for the same reason θ < 1 damps the stretching of the chords, whose
// waves no such step resolves. K leaves out the geometric stiffness of compression and moments, and
// that of tension lags by a step. Backward Euler is stable nevertheless: a wire of 0.5 mm pulled
// with 100 N, or pushed far past buckling, stays bounded at 1 ms and at 20 ms. θ = ½ does not where
// the wire is taut. θ = 0.55 does there, but not far past buckling; at 1 ms it has the frequency of
// a 40 Hz vibration within 1 %, and loses 8 % of the amplitude per period, where backward Euler
// loses half.
//
// Vectors of the system have six numbers per node: three of the position, three of the rotation, in
// world axes (v and ω; forces and torques). A is block-tridiagonal, so a step costs O(nodes). The
// gyroscopic torque of the sections is part of f and not of K, so that A stays symmetric.
//
// A step:
//
//     palBeam_Linearise(model, state, work);        f, K, M at the state
//     palBeam_Hold(model, node, x, q, h, state, work);   target of held coordinates
//     palBeam_Factor(model, h, work);               A(h) and its factor
//     palBeam_FreeMotion(model, state, hand, work); dv for λ = 0
//     palBeam_PointRow, palBeam_AddCompliance, ...  rows, W; the caller finds λ
//     palBeam_Correct(work, rows, lambda, count);   dv += h A⁻¹ Jᵀ λ
//     palBeam_Integrate(model, work, state);
//
// Nothing is allocated after Create and Init, and the time of a call depends on the number of nodes
// and rows only.
#ifndef PAL_BODY_BEAM_H
#define PAL_BODY_BEAM_H

#include "base/archive.h"
#include "body/beam_element.h"

/// Coordinates of a node that are prescribed, as bits of a mask.
enum
{
    pal_holdNothing = 0x00,
    pal_holdPosition = 0x07,
    pal_holdRotation = 0x38,
    pal_holdNode = 0x3f,
};

typedef enum palBeamMass
{
    pal_beamMassLumped,     // half an element's mass and rotary inertia at each of its nodes
    pal_beamMassConsistent, // of the deflected shape: accurate frequencies with fewer elements
} palBeamMass;

/// A spring and damper of six coordinates between a node and the hand.
typedef struct palBeamCoupling
{
    int node;                 // -1: none
    double stiffness;         // N/m
    double damping;           // N·s/m
    double rotationStiffness; // N·m/rad
    double rotationDamping;   // N·m·s/rad
} palBeamCoupling;

typedef struct palBeamDef
{
    int nodeCount;
    const palVec3* points;    // borrowed, [nodeCount]: the rest shape, m
    const palQuat* rotations; // borrowed, [nodeCount]: of the nodes at rest, x along the beam;
                              // NULL: tangents of the polyline, carried along without twist
    const palBeamSection* sections; // borrowed, [sectionCount]
    int sectionCount;               // 1, or one for each element: a tapered beam
    palMaterial material;
    const uint8_t* held; // borrowed, [nodeCount]: masks of pal_hold...; NULL: none
    palBeamCoupling coupling;
    palBeamMass mass;
    double massDamping;      // α, 1/s
    double stiffnessDamping; // β, s
    double implicitness;     // θ: 1 backward Euler, 0.55 to keep vibrations, ½ implicit midpoint
    palVec3 gravity;         // m/s²
} palBeamDef;

/// The model of a wire. Constant during a run.
typedef struct palBeamModel
{
    int nodeCount;
    int elementCount;             // nodeCount - 1
    palBeamElement* elements;     // owned, [elementCount]; element e joins nodes e and e + 1
    palVec3* restX;               // owned, [nodeCount], m
    palQuat* restQ;               // owned, [nodeCount]
    palVec3* inertia;             // owned, [nodeCount]: lumped, in the node's frame, kg·m²
    double* mass;                 // owned, [nodeCount]: lumped, kg
    double (*consistent)[12][12]; // owned, [elementCount]: in the elements' frames, or NULL
    uint8_t* held;                // owned, [nodeCount]
    palBeamCoupling coupling;
    double alpha, beta; // 1/s, s
    double theta;
    palVec3 gravity; // m/s²
} palBeamModel;

/// The state of a wire: arrays of nodeCount.
typedef struct palBeamState
{
    int nodeCount;
    palVec3* x;      // owned, m
    palQuat* q;      // owned
    palVec3* v;      // owned, m/s
    palVec3* w;      // owned: angular velocity in world axes, rad/s
    double* tension; // owned, [nodeCount - 1]: of the elements at the end of the last step, N
} palBeamState;

/// Pose and velocity of the hand at the end of the step.
typedef struct palBeamHand
{
    palVec3 x; // m
    palQuat q;
    palVec3 v; // m/s
    palVec3 w; // rad/s
} palBeamHand;

/// The linearisation at a state, and the step computed from it.
typedef struct palBeamWork
{
    int nodeCount;
    double h;               // of Factor, s
    palBeamPose* poses;     // owned, [elementCount]. Written by Linearise
    palBlockTridiagonal M;  // Written by Linearise
    palBlockTridiagonal K;  // K₀. Written by Linearise
    palBlockTridiagonal A;  // A(h), held coordinates included. Written by Factor
    palTridiagonalFactor L; // of the free coordinates. Written by Factor
    double* force;          // owned, [6 nodes]: elastic, gyroscopic, gravity. Written by Linearise
    double* external;       // owned, [6 nodes]: further forces. Written by the caller, else zero
    double* jump;           // owned, [6 nodes]: change of held velocities in this step. By Hold
    double* b;              // owned, [6 nodes]: the right side, N·s. Written by FreeMotion
    double* dv;             // owned, [6 nodes]. Written by FreeMotion, Correct
    double* freeDv;         // owned, [6 nodes]: without λ. Written by FreeMotion
    double* contact;        // owned, [6 nodes]: Jᵀ λ, N. Written by FreeMotion (0), Correct
    double* scratch;        // owned, [2][6 nodes]
    int rowCapacity;        // of one AddCompliance
    double* Z;              // owned, [rowCapacity][6 nodes]: L⁻¹ Jᵀ
} palBeamWork;

/// One constraint row: the motion, along a direction, of a point or section of one element.
typedef struct palBeamRow
{
    int element;
    double J[pal_beamColumns]; // of (va, ωa, vb, ωb)
} palBeamRow;

/// A point of an element.
typedef struct palBeamPlace
{
    int element;
    double s;       // 0 at its first node, 1 at its second
    palVec3 offset; // from the axis, in the frame of the section (y and z across), m
} palBeamPlace;

palBeamDef palDefaultBeamDef(void);
palResult palBeamModel_Create(const palBeamDef* def, palBeamModel** model, palError* error);
void palBeamModel_Destroy(palBeamModel* model);

/// The rest state.
palResult palBeamState_Init(palBeamState* state, const palBeamModel* model, palError* error);
void palBeamState_Free(palBeamState* state);
/// Both of the same model.
void palBeamState_Copy(palBeamState* to, const palBeamState* from);
void palBeamState_Archive(palBeamState* state, palArchive* archive);

palResult palBeamWork_Init(palBeamWork* work, const palBeamModel* model, int rowCapacity,
                           palError* error);
void palBeamWork_Free(palBeamWork* work);
/// What a step takes over from before it.
void palBeamWork_Archive(palBeamWork* work, palArchive* archive);

/// f, K and M at the state.
void palBeam_Linearise(const palBeamModel* model, const palBeamState* state, palBeamWork* work);

/// Moves the held coordinates of a node to those of x and q within the following step h, by setting
/// their velocities. A held coordinate that is not moved in a step keeps its velocity, which is
/// zero from the start.
void palBeam_Hold(const palBeamModel* model, int node, palVec3 x, palQuat q, double h,
                  palBeamState* state, palBeamWork* work);

/// Returns false where A(h) is not positive definite: the state is not finite.
bool palBeam_Factor(const palBeamModel* model, double h, palBeamWork* work);

/// dv of the motion without contact. `hand` is for the coupling and may be NULL where there is
/// none.
void palBeam_FreeMotion(const palBeamModel* model, const palBeamState* state,
                        const palBeamHand* hand, palBeamWork* work);

/// The position of a place, m, and the rotation of the section there, from the state alone.
palVec3 palBeam_Point(const palBeamModel* model, const palBeamState* state, palBeamPlace place);
palQuat palBeam_Rotation(const palBeamModel* model, const palBeamState* state, palBeamPlace place);

/// The place `by` metres farther along the wire, or its end.
palBeamPlace palBeam_Slide(const palBeamModel* model, palBeamPlace place, double by);

/// Whether a place is an end of the wire, but for rounding: 1 the first, -1 the last, 0 neither.
static inline int palBeam_End(const palBeamModel* model, palBeamPlace place)
{
    const double same = 1e-9; // of an element
    if (place.element == 0 && place.s <= same)
        return 1;
    return place.element == model->elementCount - 1 && place.s >= 1.0 - same ? -1 : 0;
}

/// J of the place's motion along the unit vector `direction`: the exact derivative of
/// palBeam_Point at the linearised state.
palBeamRow palBeam_PointRow(const palBeamModel* model, const palBeamWork* work, palBeamPlace place,
                            palVec3 direction);
/// J of the rotation of the section at the place about the unit vector `axis`.
palBeamRow palBeam_RotationRow(const palBeamModel* model, const palBeamWork* work,
                               palBeamPlace place, palVec3 axis);

/// J y of a vector of the system.
double palBeamRow_Apply(const palBeamRow* row, const double* y);
/// J h (v + θ dv): the motion along the row in the step with the present dv, m or rad.
double palBeam_RowMotion(const palBeamModel* model, const palBeamState* state,
                         const palBeamWork* work, const palBeamRow* row);
/// The same without λ.
double palBeam_FreeRowMotion(const palBeamModel* model, const palBeamState* state,
                             const palBeamWork* work, const palBeamRow* row);

/// W[i * stride + j] += θ h² Ji A⁻¹ Jjᵀ for i, j < count <= rowCapacity. Returns false, and adds
/// nothing, where there are more rows.
bool palBeam_AddCompliance(const palBeamModel* model, palBeamWork* work, const palBeamRow* rows,
                           int count, double* W, int stride);

/// dv += h A⁻¹ Jᵀ λ
void palBeam_Correct(palBeamWork* work, const palBeamRow* rows, const double* lambda, int count);

/// x⁺ and v⁺ of the step, into `state`.
void palBeam_Integrate(const palBeamModel* model, const palBeamWork* work, palBeamState* state);

/// Sets the tensions from the positions of the nodes.
void palBeam_SetTensions(const palBeamModel* model, palBeamState* state);

/// The reaction at the held coordinates of a node during the step, N and N·m, on the beam: the hand
/// feels the opposite. Zero for free coordinates. After FreeMotion or Correct.
void palBeam_Reaction(const palBeamModel* model, const palBeamWork* work, int node, palVec3* force,
                      palVec3* torque);

/// The force and torque of the coupling on the hand at the state, N and N·m.
void palBeam_CouplingForce(const palBeamModel* model, const palBeamState* state,
                           const palBeamHand* hand, palVec3* force, palVec3* torque);

/// Kinetic (lumped mass), elastic and gravitational energy, J.
double palBeam_Energy(const palBeamModel* model, const palBeamState* state);

#endif
