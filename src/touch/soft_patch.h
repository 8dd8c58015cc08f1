// SPDX-License-Identifier: Apache-2.0
// The parts of soft bodies that the high rate may touch until the next snapshot, and their motion.
//
// The low rate gives the vertices of the faces around the proxy, where they are at the start of its
// step, with their displacement in each of their body's modes (body/response.h). The high rate
// advances the modes at dt under the contact forces that it finds, so that the surface it touches
// is the surface as it moves now. When a snapshot arrives, which describes the past, the modes are
// first brought up to date through the forces given since.
//
// Any number of bodies may be near: each has a part, a range of vertices and faces. Bodies that are
// reduced together (an island) share one set of modes; the others have modes of their own.
//
// A new snapshot has a body's surface in a slightly different place: its part is shifted back, for
// each hand by what the point under its proxy would jump by, and the shift fades (world/fade.h).
//
// `response: frozen` is the form of Dervaux et al. 2013 (paper of method `compliance`), eqs. (8) to
// (12): in every tick the body takes one step dt from the snapshot's state, so that δ_free(dt) is
// the gap between that and the proxy now, and gives way by W(dt). It is exact at rest. While the
// hand moves it feels 1/W(dt) against a surface that is two to three ΔT old: held until the next
// snapshot, a latency late, and made with the proxy as it was when the low rate began its step
// (soft_side.h). palpate bench feel draws both: a 10 cm cube of 10 kPa, pressed at 20 mm/s, has
// 126 N/m, and 3009 N/m and a saw-tooth of 0.5 N in the frozen form.
#ifndef PAL_TOUCH_SOFT_PATCH_H
#define PAL_TOUCH_SOFT_PATCH_H

#include "body/place.h"
#include "collide/collider.h"
#include "touch/patch.h"
#include "world/def.h"
#include "world/fade.h"
#include "world/replay.h"

enum
{
    pal_softVerticesMax = 256, // of one body's part, for each hand
    pal_softFullParts = 4,     // a patch has room for so many parts of that size, if there are
    pal_softPushesMax = 48,    // places at which one hand pushes soft bodies at once
    pal_softForcesMax = pal_handsMax * pal_softPushesMax,
};

/// A contact force on a body.
typedef struct palSoftPush
{
    int object;         // index of the collider
    int hand;           // that pushes
    palSurfacePlace at; // material, in a triangle
    palVec3 force;      // on the body, N
    palVec3 x;          // m, where the place was at the end of the tick, by the modes
} palSoftPush;

/// The contact forces of one tick, hand by hand; only as many as are used go into a track.
typedef struct palSoftForce
{
    palTickForces head;
    palSoftPush pushes[pal_softForcesMax]; // [head.count]
} palSoftForce;

typedef struct palSoftFace
{
    int vertices[3]; // of the patch
    int triangle;    // of the surface
    palVec3 centre;  // at the start, m
    double radius;   // of the ball around it, m
    bool isCovered;  // by another body, at least in part (abut.h)
    palVec3
        normals[3]; // unit, at its corners: continuous across faces but for ridges, at the start
} palSoftFace;

/// A slit between a vertex of the patch and the body that covers faces there: the others at the
/// vertex are extended over it.
typedef struct palSoftSlit
{
    int vertex;         // of the patch
    int hand;           // as that of its part
    palVec3 across;     // unit, from the vertex to the other body: normal of the faces that look
    double facing;      // cosine between it and the normal of the other body
    int object;         // the other body, and the place on its surface
    palSurfacePlace at; //
    int vertices[3];    // its vertices of the patch; -1: it stays where it was
    palVec3 start;      // where it was, m
    bool isSlanted;     // others at the vertex face the body better; not kept
} palSoftSlit;

/// One body's part of a patch.
typedef struct palSoftPart
{
    int object; // index of the collider
    int hand;   // that touches it with a tip (body/tip.h); -1: all hands that have none
    int island; // whose modes move it, among those of the patch
    double friction;
    bool twoSided;
    int vertexBegin, vertexEnd; // its vertices of the patch
    int faceBegin, faceEnd;     // its faces of the patch
} palSoftPart;

/// What is near of all soft bodies. Written by the low rate. All arrays are owned, and sized at
/// set-up for the soft bodies of the scene.
typedef struct palSoftPatch
{
    double time;               // s: the start of the low-rate step, at which q = 0
    bool hasTip[pal_handsMax]; // the hand has parts of its own
    int bodyCapacity, vertexCapacity, faceCapacity;
    int partCount;
    palSoftPart* parts; // [bodyCapacity]
    int islandCount;
    palModes* islands; // [bodyCapacity]
    int vertexCount;
    palVec3* start;       // [vertexCapacity], m, at `time`
    int* surfaceVertex;   // [vertexCapacity]: index in the body's surface
    palModeShape* shapes; // [vertexCapacity]: the motion in each mode of the body's island
    int tableSize;        // a power of two
    int* table;           // [tableSize]: vertices by part and surface vertex; -1: none
    int faceCount;
    palSoftFace* faces; // [faceCapacity]
    int slitCount;
    palSoftSlit* slits; // [vertexCapacity]
} palSoftPatch;

/// The motion of a patch, the high rate's own.
typedef struct palSoftMotion
{
    palReducedMotion modes; // owned, by island of the patch
    int bodies;             // parts of a patch, at most
    size_t shiftCount;
    palVec3* shifts;               // owned, by hand and part of the patch: against its modes, m
    palFade fade;                  // of the shifts
    bool keepsPoint[pal_handsMax]; // the hand's part is shifted: it touches with a point
    palVec3 touched[pal_softForcesMax]; // m, where the points of the last forces were
} palSoftMotion;

/// The parts that a patch of so many bodies may have: one of each for every hand with a tip, and
/// one for all hands without.
int palSoftPatch_Parts(int bodies, const palMethodDef* defs, int hands);
/// Room for the parts of so many bodies, each near the hands with these definitions.
palResult palSoftPatch_Init(palSoftPatch* patch, int bodies, const palMethodDef* defs, int hands,
                            palError* error);
void palSoftPatch_Free(palSoftPatch* patch);
/// Copies what is used of a patch to one of the same capacity.
void palSoftPatch_Copy(palSoftPatch* to, const palSoftPatch* from);
void palSoftPatch_Archive(palSoftPatch* patch, palArchive* archive);

palResult palSoftMotion_Init(palSoftMotion* motion, int bodies, int hands, palError* error);
void palSoftMotion_Free(palSoftMotion* motion);
void palSoftMotion_Archive(palSoftMotion* motion, palArchive* archive);

/// Empties the patch.
void palSoftPatch_Clear(palSoftPatch* patch, double time);
/// The index of a surface vertex in the last part, where it is added if it is new; -1: there is no
/// room. Its shape is the caller's to fill.
int palSoftPatch_AddVertex(palSoftPatch* patch, int surfaceVertex, palVec3 start);

/// The part of a body that a hand touches, or -1. Hand -1 is any that has no tip.
int palSoftPatch_Part(const palSoftPatch* patch, int object, int hand);

/// The index in the patch of a vertex of the surface of a part, or -1.
int palSoftPatch_Find(const palSoftPatch* patch, int part, int surfaceVertex);

/// The shape of a point of a part. Returns false where the patch does not hold it.
bool palSoftPatch_Shape(const palSoftPatch* patch, int part, const palSurfacePlace* point,
                        palModeShape* shape);

/// p += the generalised force of f at a point with that shape.
void palSoftPatch_AddPush(const palModes* modes, const palModeShape* shape, palVec3 f, double* p);

/// palPushModes of the islands of a patch, by palSoftForce.
bool palSoftPatch_Pushes(const void* patch, int island, const palTickForces* forces, double* p);
/// The same for the forces of the hands from `first` to before `end`.
bool palSoftPatch_PushesOf(const palSoftPatch* patch, int island, const palTickForces* forces,
                           int first, int end, double* p);

/// palObserveModes of the same. Given forces hold nothing: a body of inertia I that hands squeeze
/// with F over a width L is turned over by them at the rate λ = √(F L / I), so that by what a
/// linearisation has it turned otherwise than the last it turns (λ t)²/2 times farther in a time t
/// of given forces. In the hands it does not, which hold it. So the modes that nothing but contact
/// holds follow the places that were pushed, as the high rate saw them: an observer with a double
/// pole at 0.8 a tick. Where nothing is off it changes nothing.
void palSoftPatch_Observe(const void* patch, int island, const palTickForces* forces,
                          palModesState* state);

/// W(dt) of a body at a point with that shape, m/N.
palMat3 palSoftPatch_Compliance(const palModes* modes, const palModeShape* shape);

/// The same for the motion at one point by a force at another: h² Σ a bi ciᵀ.
palMat3 palSoftPatch_CrossCompliance(const palModes* modes, const palModeShape* at,
                                     const palModeShape* of);

/// A thousandth less, for points of two bodies that are tied: otherwise it would not be determined
/// which of them a proxy pushes that is on both.
palMat3 palSoftPatch_SharedCompliance(const palModes* modes, const palModeShape* at,
                                      const palModeShape* of);

/// Σ b q, m.
palVec3 palSoftPatch_Displacement(const palModes* modes, const palModeShape* shape,
                                  const double* q);

/// Where a point with that shape is with the modes of its island at q, m.
palVec3 palSoftPatch_Point(const palSoftPatch* patch, int part, const palSurfacePlace* point,
                           const palModeShape* shape, const double* q);

/// Where a vertex of a part is with the modes of its island at q, m.
palVec3 palSoftPatch_Vertex(const palSoftPatch* patch, int part, int vertex, const double* q);

/// The place of a part nearest to x at the start, where it is and its normal; they stay where the
/// part has no face.
void palSoftPatch_Nearest(const palSoftPatch* patch, int part, palVec3 x, palSurfacePlace* at,
                          palVec3* point, palVec3* normal);

/// The signed distance from x to the surface of a part with its modes at q, m, negative inside; NAN
/// where the part holds no face. The faces are sought around x - drift: `drift` is how far the
/// surface near x has moved since the snapshot.
double palSoftPatch_Gap(const palSoftPatch* patch, int part, const double* q, palVec3 x,
                        palVec3 drift);

/// The modes of a part, and their state now and at the end of the tick without contact.
static inline const palModes* palSoftPatch_Modes(const palSoftPatch* patch, int part)
{
    return &patch->islands[patch->parts[part].island];
}

static inline const double* palSoftMotion_Now(const palSoftMotion* motion,
                                              const palSoftPatch* patch, int part)
{
    return motion->modes.state[patch->parts[part].island].q;
}

/// How far a hand sees a part shifted at the start and at the end of the tick, m.
static inline palVec3 palSoftMotion_ShiftNow(const palSoftMotion* motion, int hand, int part)
{
    return palScale(motion->fade.now, motion->shifts[hand * motion->bodies + part]);
}

static inline palVec3 palSoftMotion_ShiftNext(const palSoftMotion* motion, int hand, int part)
{
    return palScale(motion->fade.next, motion->shifts[hand * motion->bodies + part]);
}

static inline const double* palSoftMotion_Next(const palSoftMotion* motion,
                                               const palSoftPatch* patch, int part)
{
    return motion->modes.free[patch->parts[part].island].q;
}

/// Brings the motion to the end of the last tick through the forces given, for a snapshot that was
/// not seen before, and then advances it freely by one tick into `free`.
void palSoftMotion_Begin(palSoftMotion* motion, const palSoftPatch* patch, uint64_t sequence,
                         const palTrack* given, bool frozen);

/// Adds the effect of contact forces of this tick to `free`. shapes[i] is the shape of the point of
/// push i.
void palSoftMotion_Push(palSoftMotion* motion, const palSoftPatch* patch, const palSoftPush* pushes,
                        int count, const palModeShape* const* shapes);

/// Takes `free` as the state at the end of the tick; `force` has all that was pushed in it, and
/// gets where that is.
void palSoftMotion_End(palSoftMotion* motion, const palSoftPatch* patch, palSoftForce* force,
                       const palModeShape* const* shapes);

#endif
