// SPDX-License-Identifier: Apache-2.0
// The low-rate step of the world: bodies of any kind in one list, and contact between any two of
// them of which at least one moves: static objects, soft objects, wires and, where the hand holds
// one, a rigid tool; and joints between them. A surface does not touch itself, a wire does.
//
//     L1, L2   linearise and factor every body; its free motion            world/body.h
//     L3       collisions between the states before and after, by a        world/contacts.c
//              finder for each pair of shapes
//     L4, L5   rows of every contact on both of its bodies, and W          constraint/rows.h
//     L6       λ, the states that it leads to; the sanity pass; commit     world/keep_apart.c
//
// Contacts known from the end of the last step take part from the beginning; what collides on the
// way to the state that they lead to is added, and the step is solved again, until nothing new
// collides or the passes are used up. Gaps are linear in the velocities; what they are wrong by at
// the end of a pass, because a body rotated or a surface bent, the next pass adds.
//
// A contact keeps a clearance between the surfaces, so that a sweep always starts apart and knows
// the sides. Where forces do not suffice, as in crushed tissue, the sanity pass pushes vertices out
// without changing velocities, shared by the mobility of the two bodies; and where even that leaves
// a collision, the bodies in it stop before it, with their common momentum.
//
// PREDICTOR AND CORRECTOR. A soft body's motion over the step may come from elsewhere, such as a
// reduced model that went through the forces of the high rate. palWorldStep_Predict gives its nodes
// and velocities at the end of the next step, and each contact the forces λ_pred that this motion
// contains already (palWorldStep.predicted). The step then corrects it:
//
//     δ = δ_pred + W (λ - λ_pred),   v = v_pred + h A⁻¹ Jᵀ (λ - λ_pred),   x = x_pred + h (v -
//     v_pred)
//
// USE.  palWorldStep_Init, Place, then per low-rate step: set tool->handle (where there is a tool),
// Predict (where there is something to predict), Advance, and read `links`, the contacts with their
// forces as they are at the end of the step, sorted by pair.
//
// A SEARCH ALONE. A slower loop of method `compliance` moves its bodies itself, and the high rate
// solves their contacts: with `horizon` > 0 a palWorldStep only finds them. Its bodies have no
// systems, its pairs are those that are added, and there is no Advance: put the trial states where
// the bodies are now (palWorldBodyOps.reset; a wire's state is where it was before), MoveSurfaces,
// FindContacts. Its contacts have no clearance, and are those of the whole life of a snapshot: all
// that touch, as far as there is room, and a few far apart of those within `radius` or as near as
// they come within `horizon`.
//
// After Init nothing is allocated (LAPACK, which factors soft bodies, may). What finds no room is
// counted in the diagnostics.
#ifndef PAL_WORLD_STEP_H
#define PAL_WORLD_STEP_H

#include "constraint/contact.h"
#include "world/body.h"
#include "world/law.h"

/// m, that a contact keeps between the surfaces; objects that begin nearer to each other keep what
/// they begin with, down to the least that tells directions apart.
#define PAL_CONTACT_CLEARANCE     5e-5
#define PAL_CONTACT_CLEARANCE_MIN 5e-6
/// m, penetration ignored below this.
#define PAL_PENETRATION_TOLERANCE 1e-5

typedef struct palWorldStepDef
{
    palCollider* colliders; // borrowed, [colliderCount]; the step moves the soft ones
    int colliderCount;
    const palWire* wires; // borrowed, [wireCount]; none is in the hand
    int wireCount;
    const palLink* joints; // borrowed, [jointCount]
    int jointCount;
    const palTool* tool; // borrowed; NULL: no tool
    palToolLaw law;      // of the tool's contacts
    int contactsMax;     // 0: 384, with `equality` 48, fewer where a body's rows take much memory
    palSoftFactorDef factor; // of soft bodies, at the usual step; h = 0: the default
    double fastDt;           // s: soft bodies also get a linearisation for the high rate; 0: none
    double lookAhead;        // s: contacts of a moving tool are known this long ahead
    double radius;           // m: and at most so far
    double horizon;          // s: > 0: contacts are only found, and must cover this time; no steps
} palWorldStepDef;

/// Two bodies that may touch.
typedef struct palWorldPair
{
    int a, b;         // bodies; a contact's normal points from b to a
    double spacing;   // m, between contacts that face alike, at first
    double clearance; // m, that contacts keep
    double depthMax;  // m: what seems deeper is no contact
    double friction;
    bool isIgnored; // they overlap from the start, as a body in its socket
} palWorldPair;

/// A joint between two bodies, or a body and the world.
typedef struct palWorldJoint
{
    palLink link;                         // its axes, and the place of a ring, as they are now
    int stop;                             // of a ring: as palLink_Blocks takes it
    double lambda[pal_linkRowsMax];       // N or N·m, along its rows
    double gapError[pal_linkRowsMax];     // true gap at the end less the linear one, m or rad
    double predicted[2][pal_linkRowsMax]; // N or N·m: as palWorldStep.predicted
} palWorldJoint;

/// What one step did.
typedef struct palWorldStepInfo
{
    double freeMs;       // L1, L2
    double collideMs;    // L3
    double complianceMs; // L4, L5
    double solveMs;      // L6
    int contacts;
    int rows;
    int iterations;  // of the solver, all passes
    double residual; // m, of its last solve
} palWorldStepInfo;

typedef struct palWorldStep
{
    palWorldStepDef def;
    int contactsMax;
    int bodyCount;
    palWorldBody** bodies; // owned, [bodyCount]: the objects, the wires, then the tool
    palWorldRigid* tool;   // among them; NULL: none
    int pairCount;
    palWorldPair* pairs; // owned; those of the tool first
    int jointCount;
    palWorldJoint* joints; // owned
    int jointRows;
    double* wireW; // owned: workspace of the wires

    // The contacts. Written by FindContacts and within Advance.
    int linkCount;
    palLink* links;   // owned, [contactsMax]
    int* pairOf;      // owned, likewise
    palVec3* at;      // owned, likewise: where it is, for the spacing: on a, m
    bool* isPressed;  // owned, likewise: without contact the surfaces would have overlapped
    double* gapError; // owned, likewise: true gap at the end less the linear one, m
    double (*predicted)[2][3]; // owned, likewise: N, what a predicted motion of either end contains
                               // of λ; zero unless the caller of Predict says otherwise

    // The step under way.
    double h;             // s
    int parts;            // that a low-rate step is taken in
    int cleanSteps;       // consecutive steps in these parts without penetration
    palRows* rows;        // owned
    bool rowsChanged;     // since W was made
    double* velocity;     // owned, [rows]: of the free motion, m/s
    double* lambdaInside; // owned, [2][rows]: `predicted` by ends and rows, N
    double* factor;       // owned, [contactsMax]²: workspace of `equality`
    int* order;           // owned, [contactsMax]: likewise
    double* right;        // owned, likewise

    // Workspace of the search.
    palContactList found;    // owned
    int* heap;               // owned, [found.capacity]
    int waiting;             // contacts still in it
    int* featureHeads;       // owned, [tableSize]: contacts by their features
    int* featureNext;        // owned, [contactsMax]
    int* cellHeads;          // owned, [tableSize]: and by where they are
    int* cellNext;           // owned, [contactsMax]
    int tableSize;           // a power of two
    int oldCount;            // contacts before the search: those that the step solved
    palLink* old;            // owned, [contactsMax]
    palVec3* oldAt;          // owned, likewise
    bool* wasPressed;        // owned, likewise
    palInsideVertex* inside; // owned, [insideMax]
    int insideMax;
    double* shares; // owned, [bodyCount]: of the hold-back
    int* groups;    // owned, likewise

    // Diagnostics for tests and reports.
    int passes;           // of the last step
    int pushed;           // vertices that its sanity pass moved
    double deepest;       // m: how deep a vertex was inside before it
    double residualDepth; // m: and before its last round
    bool heldBack;        // bodies were stopped before a collision
    bool overflow;        // more was near than could be looked at
    int leftOut;          // pairs of features of the last search that found no room
    int failures;         // steps in which a body could not be moved, of all steps so far
} palWorldStep;

palResult palWorldStep_Init(palWorldStep* world, const palWorldStepDef* def, palError* error);
/// Adds two bodies that may touch, or a wire twice; for a search alone. Of more contacts than fit
/// those of the first pairs are kept.
void palWorldStep_AddPair(palWorldStep* world, int a, int b);
void palWorldStep_Free(palWorldStep* world);

/// Puts the tool, if there is one, where the handle is, and everything just outside of what is in
/// its way. Call it before the first step.
void palWorldStep_Place(palWorldStep* world, const palHandle* handle);

/// The motion of a wire over the next step: its state at the end. Borrowed until Advance returns.
void palWorldStep_PredictWire(palWorldStep* world, int wire, const palBeamState* state);
/// The motion of a soft object over the next step: nodes, [nodeCount], and velocities,
/// [3 freeCount], at its end. Both are borrowed until Advance returns.
void palWorldStep_Predict(palWorldStep* world, int object, const palVec3* x, const double* v);

/// L1..L6 over h, s, with the handle as it is at the end.
void palWorldStep_Advance(palWorldStep* world, double h, palWorldStepInfo* info);

/// The contacts of the present state, with the forces that those before them had. Advance ends with
/// it.
void palWorldStep_FindContacts(palWorldStep* world);

/// Puts the tool's contacts that have a force first in the list. Returns how many, and in `count`
/// how many contacts the tool has; they come before those of other pairs.
int palWorldStep_PutActingFirst(palWorldStep* world, int* count);

/// Adds the contacts that push, as they are at the end of the step; those of the tool only
/// `withTool`.
void palWorldStep_Report(const palWorldStep* world, bool withTool, palContactReport* report);

/// The soft body with that id; NULL where it is not soft.
palWorldSoft* palWorldStep_Soft(const palWorldStep* world, int body);
/// The wire with that index.
static inline palWorldWire* palWorldStep_Wire(const palWorldStep* world, int wire)
{
    return (palWorldWire*)world->bodies[world->def.colliderCount + wire];
}
/// Whether a contact is one of a wire.
static inline bool palWorldStep_IsWires(const palLink* link)
{
    return link->ends[0].kind == pal_placeWire || link->ends[1].kind == pal_placeWire;
}
/// Whether it only finds contacts.
static inline bool palWorldStep_IsSearch(const palWorldStep* world)
{
    return world->def.horizon > 0.0;
}
/// Whether a contact is one of the tool's.
static inline bool palWorldStep_IsTools(const palWorldStep* world, const palLink* link)
{
    return world->tool != NULL && link->ends[0].body == world->tool->base.id;
}

// Parts of a step: contacts.c

/// The bodies of a pair.
palSurfacePair palWorldStep_Surfaces(const palWorldStep* world, const palWorldPair* pair);
/// n · (p0 - p1) of a contact, at the beginning of the step or in the trial state, m.
double palWorldStep_Gap(const palWorldStep* world, const palLink* link, bool isTrial);
/// Whether both bodies of a pair have surfaces.
bool palWorldStep_AreSurfaces(const palWorldStep* world, const palWorldPair* pair);
/// L3: makes contacts of what collides on the way to the trial state, closer to other contacts from
/// pass to pass, with their gaps at the beginning of the step; contacts between the same features
/// go where they collide. Returns whether there is anything to keep apart that was not.
bool palWorldStep_AddCollisions(palWorldStep* world, int pass);
/// Drops contacts; when the list is nearly full those with zero force and positive gap.
void palWorldStep_Drop(palWorldStep* world,
                       bool (*isDropped)(const palWorldStep* world, const palLink* link));
bool palWorldStep_IsIdle(const palWorldStep* world, const palLink* link);
/// A contact of two surfaces as a link.
palLink palWorldStep_MakeLink(const palWorldStep* world, const palWorldPair* pair,
                              const palSurfaceContact* contact);
/// Adds a contact as the last one; there must be room.
void palWorldStep_AddContact(palWorldStep* world, const palWorldPair* pair, const palLink* link);

// contacts_ahead.c: of two surfaces, in a search alone.

void palWorldStep_FindAhead(palWorldStep* world, const palWorldPair* pair);

// wire_contacts.c: a finder each for two kinds of pairs.

/// Contacts of the present state of a wire, and what it touches.
void palWorldStep_FindWire(palWorldStep* world, const palWorldPair* pair);
/// What collides on its way to the trial state. As palWorldStep_AddCollisions.
bool palWorldStep_CollideWire(palWorldStep* world, const palWorldPair* pair, double spacing);

// joints.c

/// Whether the surfaces of a pair are joined there: the joint says all.
bool palWorldStep_IsJoined(const palWorldStep* world, const palWorldPair* pair,
                           const palSurfacePlace* onA, const palSurfacePlace* onB);
palResult palWorldStep_InitJoints(palWorldStep* world, palError* error);
/// Joints of the tool, given at points of the world, go along with the tool from here on.
void palWorldStep_PlaceJoints(palWorldStep* world);
/// Turns the axes of a joint with the bodies, as they are at the beginning of a step.
void palWorldStep_AimJoint(const palWorldStep* world, palLink* joint);
/// Those of all joints.
void palWorldStep_AimJoints(palWorldStep* world);
/// Their rows, after those of the contacts, with the predicted forces.
void palWorldStep_AddJoints(palWorldStep* world);
/// δ_free, and the guess of λ.
void palWorldStep_FillJoints(palWorldStep* world);
/// Takes λ after a solve.
void palWorldStep_TakeJoints(palWorldStep* world);
/// What their linear gaps are wrong by; lets rings slide. Returns whether one is open too far.
bool palWorldStep_CorrectJoints(palWorldStep* world);
/// How far the two places of a joint are apart, or a wire's from where its ring may be, m.
double palWorldStep_JointGap(const palWorldStep* world, int joint, bool isTrial);

// and keep_apart.c.

/// Puts all moving surfaces where the bodies are before and after the step.
void palWorldStep_MoveSurfaces(palWorldStep* world);
/// The sanity pass: pushes out what is inside, in rounds by at most `most`, m.
void palWorldStep_PushOut(palWorldStep* world, double most);
/// Stops bodies before they collide, if they still do.
void palWorldStep_HoldBack(palWorldStep* world);

#endif
