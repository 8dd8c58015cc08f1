// SPDX-License-Identifier: Apache-2.0
// The part of a soft body that the high rate may touch until the next snapshot, and its motion.
//
// The low rate gives the vertices of the faces around the proxy, where they are at the start of its
// step, with their displacement in each of the body's modes (body/response.h). The high rate
// advances the modes at dt under the contact force that it finds, so that the surface it touches is
// the surface as it moves now. When a snapshot arrives, which describes the past, the modes are
// first brought up to date through the forces given since.
//
// The modes are linear and the body is not, so that a new snapshot has the surface a little
// elsewhere. The point under the proxy would jump, and be felt: the coupling's damper of 0.8 N·s/m
// makes 16 mN of 20 µm in a tick. So the patch is shifted by that jump, and the shift fades within
// one ΔT.
//
// `response: frozen` is the form of Dervaux et al. 2013 (paper of method `compliance`), eqs. (8) to
// (12): in every tick the body takes one step dt from the snapshot's state, so that δ_free(dt) is
// the gap between that and the proxy now, and gives way by W(dt). It is exact at rest. While the
// hand moves it feels 1/W(dt) against a surface that is two to three ΔT old: held until the next
// snapshot, a latency late, and made with the proxy as it was when the low rate began its step
// (soft_side.h). palpate bench feel draws both: a 10 cm cube of 10 kPa, pressed at 20 mm/s, has
// 126 N/m, and 3009 N/m and a saw-tooth of 0.5 N in the frozen form.
#ifndef PAL_RENDER_SOFT_PATCH_H
#define PAL_RENDER_SOFT_PATCH_H

#include "body/modes.h"
#include "collide/collider.h"
#include "render/patch.h"

enum
{
    pal_softVerticesMax = 256,
    pal_softFacesMax = 512,
    pal_softHistory = 512, // ticks of contact force remembered
};

/// Where a force acts on the surface of a soft body: a triangle and barycentric weights.
typedef struct palSoftPoint
{
    int vertices[3]; // of the surface
    double weights[3];
} palSoftPoint;

/// The contact force of one tick.
typedef struct palSoftForce
{
    double time;   // s, the end of the tick
    int object;    // index of the collider; -1: no contact with a soft body
    palVec3 force; // on the body, N
    palSoftPoint point;
} palSoftForce;

typedef struct palSoftFace
{
    int vertices[3]; // of the patch
    int triangle;    // of the surface
    palVec3 centre;  // at the start, m
    double radius;   // of the ball around it, m
} palSoftFace;

/// The description of one soft body's part. Written by the low rate.
typedef struct palSoftPatch
{
    int object;  // index of the collider; -1: none is near
    double time; // s: the start of the low-rate step, at which q = 0
    double friction;
    bool twoSided;
    palModes modes;
    int vertexCount;
    int faceCount;
    palVec3 start[pal_softVerticesMax];     // m, at `time`
    int surfaceVertex[pal_softVerticesMax]; // index in the surface
    palSoftFace faces[pal_softFacesMax];
    palModeShape shapes[pal_softVerticesMax]; // their motion in each mode
} palSoftPatch;

/// The motion of the patch, the high rate's own.
typedef struct palSoftMotion
{
    uint64_t sequence;                     // of the snapshot that the state belongs to
    palModesState state;                   // now
    palModesState free;                    // at the end of this tick without contact
    palVec3 shift;                         // m, of the patch against the modes, now
    palVec3 freeShift;                     // likewise at the end of this tick
    int shiftLeft;                         // ticks until it is gone
    int shiftTicks;                        // that it takes to fade, 0: there is none
    palVec3 touched;                       // m, where the point of the last force was
    palSoftForce history[pal_softHistory]; // a ring, by tick
    uint64_t ticks;
} palSoftMotion;

/// The index in the patch of a vertex of the surface, or -1.
int palSoftPatch_Find(const palSoftPatch* patch, int surfaceVertex);

/// The shape of a point of the surface. Returns false where the patch does not hold it.
bool palSoftPatch_Shape(const palSoftPatch* patch, const palSoftPoint* point, palModeShape* shape);

/// The generalised force of f at a point with that shape.
void palSoftPatch_Push(const palSoftPatch* patch, const palModeShape* shape, palVec3 f, double* p);

/// W(dt) of the body at a point with that shape, m/N.
palMat3 palSoftPatch_Compliance(const palSoftPatch* patch, const palModeShape* shape);

/// Σ b q, m.
palVec3 palSoftPatch_Displacement(const palSoftPatch* patch, const palModeShape* shape,
                                  const double* q);

/// Where a point with that shape is with the modes at q, m.
palVec3 palSoftPatch_Point(const palSoftPatch* patch, const palSoftPoint* point,
                           const palModeShape* shape, const double* q);

/// Where a vertex of the patch is with the modes at q, m.
palVec3 palSoftPatch_Vertex(const palSoftPatch* patch, int vertex, const double* q);

/// The signed distance from x to the surface with the modes at q, m, negative inside; NAN where the
/// patch holds no face. The faces are sought around x - drift: `drift` is how far the surface near
/// x has moved since the snapshot.
double palSoftPatch_Gap(const palSoftPatch* patch, const double* q, palVec3 x, palVec3 drift);

/// Brings the motion to the end of the last tick for a snapshot that was not seen before, and then
/// advances it freely by one tick into `free`.
void palSoftMotion_Begin(palSoftMotion* motion, const palSoftPatch* patch, uint64_t sequence,
                         double now, bool frozen);

/// Takes the contact force of this tick, adds its effect, and remembers it.
void palSoftMotion_End(palSoftMotion* motion, const palSoftPatch* patch, const palSoftForce* force,
                       const palModeShape* shape, bool frozen);

#endif
