// SPDX-License-Identifier: Apache-2.0
// The low-rate step of the world: a list of bodies of any kind (static objects, soft objects, wires
// and the rigid tools that hands hold), contact between any two of them of which at least one
// moves, and joints between them. A surface does not touch itself, a wire does; tools do not touch
// each other.
//
//     L1, L2   linearise and factor every body; its free motion            world/body.h
//     L3       continuous collision between the states before and          world/contacts.c
//              after, by a finder for each pair of shapes
//     L4, L5   rows of every contact on both of its bodies, and W          constraint/rows.h
//     L6       λ, trial states under λ; sanity pass; hold-back; commit     world/keep_apart.c
//
// The step is solved in passes. The first has the contacts known from the end of the last step;
// each adds the contacts that collide on the way to its trial state, until there are no new ones or
// the number of passes is reached. Gaps are linear in the velocities; their error at the end of a
// pass, because a body rotated or a surface bent, is added in the next pass.
//
// A contact keeps a clearance between the surfaces, so that continuous collision always starts from
// separated surfaces, on a known side. Two rigid bodies that both have an inside need none: their
// contacts are found by directions, which are the same on both sides of touching
// (rigid_contacts.c). Where forces do not suffice, as in crushed tissue, the
// sanity pass pushes vertices out without changing velocities, shared by the mobility of the two
// bodies. Where bodies still collide, the hold-back stops them before the collision, with their
// common momentum.
//
// PREDICTOR AND CORRECTOR. The motion of a soft body over the step may be predicted, for example by
// a reduced model under the forces of the high rate. palWorldStep_Predict gives its nodes and
// velocities at the end of the next step, and palWorldStep.predicted the forces λ_pred of each
// contact that this motion contains already. The step then corrects it:
//
//     δ = δ_pred + W (λ - λ_pred)
//     v = v_pred + h A⁻¹ Jᵀ (λ - λ_pred)
//     x = x_pred + h (v - v_pred)
//
// USE.  palWorldStep_Init, Place, then per low-rate step: set the handle of each tool,
// Predict (where a motion is predicted), Advance, and read `links`: the contacts and their forces
// at the end of the step, sorted by pair.
//
// A SEARCH ALONE. A slower loop of method `compliance` moves its bodies itself, and the high rate
// solves their contacts: with `horizon` > 0 a palWorldStep only finds them. Its bodies have no
// systems, its pairs are those added by AddPair, and there is no Advance: set the trial states to
// the present ones (palWorldBodyOps.reset; the `state` of a wire is the one before), then
// MoveSurfaces, FindContacts. Its contacts serve for the whole life of a snapshot: all that touch,
// up to the capacity, and a few, far apart from each other, of those within `radius` or approaching
// within `horizon`.
//
// After Init nothing is allocated (LAPACK, which factors soft bodies, may). What exceeds a capacity
// is counted in the diagnostics.
#ifndef PAL_WORLD_STEP_H
#define PAL_WORLD_STEP_H

#include "constraint/contact.h"
#include "solve/problem_copy.h"
#include "world/body.h"
#include "world/law.h"

/// Distance that a contact keeps between the surfaces: m, at most, and as a share of the size of
/// the smaller body, so that it is small beside an indentation comparable with the tool's size.
#define PAL_CONTACT_CLEARANCE       5e-5
#define PAL_CONTACT_CLEARANCE_SHARE 5e-4
/// Objects that are closer at the start keep that distance, at least this share of it: below,
/// normals are unreliable.
#define PAL_ABUTTING_SHARE 0.1
/// m, penetration ignored below this, or below the clearance where that is smaller.
#define PAL_PENETRATION_TOLERANCE 1e-5
/// m: two rigid bodies that both have an inside keep no distance, and overlap by less than this.
#define PAL_RIGID_ACCURACY 1e-6

typedef struct palWorldStepDef
{
    palCollider* colliders; // borrowed, [colliderCount]; the step moves the soft ones
    int colliderCount;
    const palWire* wires; // borrowed, [wireCount]; none is in the hand
    int wireCount;
    const palLink* joints; // borrowed, [jointCount]
    int jointCount;
    const palTool* tools[pal_handsMax]; // borrowed, [toolCount]
    int toolCount;
    const palTool* objects; // borrowed, [colliderCount]: of a search alone, the objects that move
                            // as a whole, in their own frames; of others the surface is empty.
                            // NULL: none moves
    palToolLaw law;         // of the tools' contacts
    int contactsMax; // 0: 384, with `equality` 48, fewer where a body's rows take much memory
    palSoftFactorDef factor; // of soft bodies, at the usual step; h = 0: the default
    double fastDt;           // s: time step of a second linearisation, for the high rate; 0: none
    double lookAhead;        // s: contacts that a moving tool reaches within this time are found
    double radius;           // m: up to this distance
    double horizon;          // s: > 0: a search alone, for contacts within this time
} palWorldStepDef;

/// Whether an object moves as a whole.
static inline bool palWorldStepDef_Moves(const palWorldStepDef* def, int object)
{
    return def->objects != NULL && object < def->colliderCount &&
           def->objects[object].surface.vertexCount > 0;
}

/// Two bodies that may touch.
typedef struct palWorldPair
{
    int a, b;                // bodies; a contact's normal points from b to a
    double spacing;          // m, between contacts with similar normals, in the first pass
    double usualClearance;   // m: distance that contacts keep unless the bodies abut
    double clearance;        // m: distance that contacts keep
    double tolerance;        // m: penetration ignored below this
    double depthMax;         // m: deeper contacts are ignored
    double friction;         // Coulomb's coefficient
    bool isIgnored;          // they overlap from the start, as a body in its socket
    bool isSolid;            // both have a solid: see rigid_contacts.c
    palRigidPairCache cache; // of two solids
} palWorldPair;

/// A joint between two bodies, or a body and the world.
typedef struct palWorldJoint
{
    palLink link;                         // with its present axes, and the present place of a ring
    int stop;                             // of a ring: see palLink_Blocks
    double lambda[pal_linkRowsMax];       // N or N·m, along its rows
    double gapError[pal_linkRowsMax];     // true gap at the end less the linear one, m or rad
    double predicted[2][pal_linkRowsMax]; // N or N·m: see palWorldStep.predicted
} palWorldJoint;

/// Statistics of one step.
typedef struct palWorldStepInfo
{
    double freeMs;       // L1, L2
    double collideMs;    // L3
    double complianceMs; // L4, L5
    double solveMs;      // L6
    int contacts;
    int rows;
    int iterations;  // of the solver, in all passes
    double residual; // m, of the last solve
} palWorldStepInfo;

typedef struct palWorldStep
{
    palWorldStepDef def;
    int contactsMax;
    int bodyCount;
    palWorldBody** bodies; // owned, [bodyCount]: the objects, the wires, then the tools
    palWorldRigid* tools[pal_handsMax]; // among them
    int pairCount;
    palWorldPair* pairs; // owned; those of tools first
    double clearance;    // m: the smallest usual one of them
    int jointCount;
    palWorldJoint* joints; // owned
    int jointRows;
    double* wireW; // owned: workspace of the wires

    // The contacts. Written by FindContacts and within Advance.
    int linkCount;
    palLink* links;            // owned, [contactsMax]
    int* pairOf;               // owned, likewise
    palVec3* at;               // owned, likewise: position on body a, for the spacing, m
    bool* isPressed;           // owned, likewise: in free motion the surfaces would overlap
    double* gapError;          // owned, likewise: true gap at the end less the linear one, m
    double (*predicted)[2][3]; // owned, likewise: λ_pred, N, of the predicted motion of either end.
                               // Written by the caller of Predict, else zero

    // The step under way.
    double h;             // s
    int parts;            // into which a low-rate step is divided
    int cleanSteps;       // consecutive steps in these parts without penetration
    palRows* rows;        // owned
    bool rowsChanged;     // W must be computed again
    double* velocity;     // owned, [rows]: of the free motion, m/s
    double* lambdaInside; // owned, [2][rows]: `predicted` by ends and rows, N
    double* factor;       // owned, [contactsMax]²: workspace of `equality`
    int* order;           // owned, [contactsMax]: likewise
    double* right;        // owned, likewise

    // Workspace of the search.
    palContactList found;    // owned
    int* heap;               // owned, [found.capacity]
    int waiting;             // contacts in the heap
    int* featureHeads;       // owned, [tableSize]: contacts by their features
    int* featureNext;        // owned, [contactsMax]
    int* cellHeads;          // owned, [tableSize]: contacts by the grid cell of `at`
    int* cellNext;           // owned, [contactsMax]
    int tableSize;           // a power of two
    int oldCount;            // contacts before the search: those that the step solved
    palLink* old;            // owned, [contactsMax]
    palVec3* oldAt;          // owned, likewise
    bool* wasPressed;        // owned, likewise
    palInsideVertex* inside; // owned, [insideMax]
    int insideMax;
    double* shares; // owned, [bodyCount]: of the motion, that the hold-back leaves
    int* groups;    // owned, [bodyCount]: of bodies that collide

    // Receives a copy of the problem of the last pass of Advance; borrowed, NULL: not recorded.
    palProblemCopy* problem;

    // Diagnostics for tests and reports.
    int passes;           // of the last step
    int pushed;           // vertices that its sanity pass moved
    double deepest;       // m: largest penetration before the sanity pass
    double residualDepth; // m: largest penetration before the last round of it
    bool heldBack;        // the hold-back stopped bodies
    bool overflow;        // more pairs of features were near than the search holds
    int leftOut;          // contacts of the last search beyond the capacity
    int failures;         // systems that could not be factored, in all steps so far
} palWorldStep;

palResult palWorldStep_Init(palWorldStep* world, const palWorldStepDef* def, palError* error);
/// Adds a pair of bodies, or a wire with itself, to a search alone. Where the capacity is short the
/// contacts of the first pairs are kept.
void palWorldStep_AddPair(palWorldStep* world, int a, int b);
/// Another coefficient of friction of a body, and of its pairs.
void palWorldStep_SetFriction(palWorldStep* world, int body, double friction);
void palWorldStep_Free(palWorldStep* world);

/// Places each tool at its handle, and pushes apart what overlaps. Call it before the first step.
void palWorldStep_Place(palWorldStep* world);

/// Predicts the motion of a wire over the next step by its state at the end, borrowed until Advance
/// returns.
void palWorldStep_PredictWire(palWorldStep* world, int wire, const palBeamState* state);
/// Predicts the motion of a soft object over the next step by its nodes, [nodeCount], m, and
/// velocities, [3 freeCount], m/s, at the end. Both are borrowed until Advance returns.
void palWorldStep_Predict(palWorldStep* world, int object, const palVec3* x, const double* v);

/// L1..L6 over h, s; the handles of the tools are those of the end of the step.
void palWorldStep_Advance(palWorldStep* world, double h, palWorldStepInfo* info);

/// Gives objects that abut at the start, with their surfaces placed, a smaller clearance, which
/// would otherwise push them apart. Place does it; for a search alone call it after the last
/// AddPair.
void palWorldStep_ChooseClearances(palWorldStep* world);

/// Whether nothing but tools moves, all objects have an inside, and nothing is joined: then a tool
/// that is moved outside of the world needs no other in it.
bool palWorldStep_HasOnlySolids(const palWorldStep* world);
/// Takes the tools of such a world to states that they were moved to, one for each, and finds the
/// contacts there. Returns false where something is in their way; then they stay where they are.
bool palWorldStep_Follow(palWorldStep* world, const palRigidState* states);

/// Solves the forces of a step of h, s, without taking it: those of the joints, and of the contacts
/// that are closed.
void palWorldStep_FindForces(palWorldStep* world, double h);

/// Finds the contacts of the present state; those that existed before keep their forces. Advance
/// ends with it.
void palWorldStep_FindContacts(palWorldStep* world);

/// Moves the contacts of a tool to the front of the list, those with a force first. Returns how
/// many these are, and in `count` the number of the tool's contacts.
int palWorldStep_PutActingFirst(palWorldStep* world, const palWorldRigid* tool, int* count);
/// Of the tool's `count` contacts, of which none has a force, puts the one first that its present
/// motion closes farthest within `lookAhead`. Returns false where it closes none.
bool palWorldStep_PutNextFirst(palWorldStep* world, const palWorldRigid* tool, int count);

/// The bodies, contacts and joints between two steps, after the colliders.
void palWorldStep_Archive(palWorldStep* world, palArchive* archive);

/// Reports the contacts with a force at the end of the step; those of tools only `includesTools`.
void palWorldStep_Report(const palWorldStep* world, bool includesTools, palContactReport* report);

/// The soft body with that id; NULL where the body is not soft.
palWorldSoft* palWorldStep_Soft(const palWorldStep* world, int body);
/// The wire with that index.
static inline palWorldWire* palWorldStep_Wire(const palWorldStep* world, int wire)
{
    return (palWorldWire*)world->bodies[world->def.colliderCount + wire];
}
/// Whether an end of a contact is on a wire.
static inline bool palWorldStep_IsWires(const palLink* link)
{
    return link->ends[0].kind == pal_placeWire || link->ends[1].kind == pal_placeWire;
}
/// Whether this is a search alone.
static inline bool palWorldStep_IsSearch(const palWorldStep* world)
{
    return world->def.horizon > 0.0;
}
/// The tool with that body id; NULL where the body is none.
static inline palWorldRigid* palWorldStep_Tool(const palWorldStep* world, int body)
{
    int index = body - world->def.colliderCount - world->def.wireCount;
    return index >= 0 ? world->tools[index] : NULL;
}
/// The object with that body id that moves as a whole; NULL where it does not.
static inline palWorldRigid* palWorldStep_Object(const palWorldStep* world, int body)
{
    return palWorldStepDef_Moves(&world->def, body) ? (palWorldRigid*)world->bodies[body] : NULL;
}
/// Whether a contact is one of a tool's.
static inline bool palWorldStep_IsTools(const palWorldStep* world, const palLink* link)
{
    return palWorldStep_Tool(world, link->ends[0].body) != NULL;
}

// Parts of a step: contacts.c

/// The moving surfaces of a pair.
palSurfacePair palWorldStep_Surfaces(const palWorldStep* world, const palWorldPair* pair);
/// n · (p0 - p1) of a contact, at the beginning of the step or in the trial state, m.
double palWorldStep_Gap(const palWorldStep* world, const palLink* link, bool isTrial);
/// Whether both bodies of a pair have surfaces.
bool palWorldStep_AreSurfaces(const palWorldStep* world, const palWorldPair* pair);
/// L3: adds contacts for features that collide on the way to the trial state, with their gaps at
/// the beginning of the step; the spacing between contacts decreases from pass to pass. Contacts
/// between the same features move to where they collide. Returns whether anything still collides.
bool palWorldStep_AddCollisions(palWorldStep* world, int pass);
/// Drops the contacts for which isDropped is true.
void palWorldStep_Drop(palWorldStep* world,
                       bool (*isDropped)(const palWorldStep* world, const palLink* link));
/// Whether a contact has zero force and a positive gap: such are dropped when the list is nearly
/// full.
bool palWorldStep_IsIdle(const palWorldStep* world, const palLink* link);
/// Makes a link of a contact of two surfaces.
palLink palWorldStep_MakeLink(const palWorldStep* world, const palWorldPair* pair,
                              const palSurfaceContact* contact);
/// Appends a contact; the list must not be full.
void palWorldStep_AddContact(palWorldStep* world, const palWorldPair* pair, const palLink* link);

/// Puts a contact of the trial state in the place of one between the same features, which keeps its
/// force, or adds it where there is room; with its gap at the beginning of the step.
void palWorldStep_PutContact(palWorldStep* world, const palWorldPair* pair, palLink* link);

// rigid_contacts.c

/// Whether a step finds the contacts of a pair as those of two rigid bodies that have an inside.
bool palWorldStep_AreSolid(const palWorldStep* world, const palWorldPair* pair);
/// Finds their contacts in the present state, up to the distance `reach`, m.
void palWorldStep_FindSolids(palWorldStep* world, palWorldPair* pair, double reach);
/// Adds those that overlap on the way to the trial state. See palWorldStep_AddCollisions.
bool palWorldStep_CollideSolids(palWorldStep* world, palWorldPair* pair, double spacing);
/// Of the sanity pass: pushes the two apart, by at most `most`. Returns how deep they overlap, m.
double palWorldStep_PushSolids(palWorldStep* world, palWorldPair* pair, double most);
/// Of the hold-back: the share of the motion that they may keep, so that they do not overlap by
/// more than `most`, m.
double palWorldStep_FirstSolidCollision(palWorldStep* world, palWorldPair* pair, double most);

// contacts_ahead.c

/// Finds the contacts of two surfaces in a search alone.
void palWorldStep_FindAhead(palWorldStep* world, const palWorldPair* pair);

// wire_contacts.c

/// Finds the contacts of a wire with a surface, another wire or itself in the present state.
void palWorldStep_FindWire(palWorldStep* world, palWorldPair* pair);
/// Adds those that collide on the way to the trial state. See palWorldStep_AddCollisions.
bool palWorldStep_CollideWire(palWorldStep* world, palWorldPair* pair, double spacing);

// joints.c

/// Whether a joint connects the surfaces of a pair near these places: there are no contacts there.
bool palWorldStep_IsJoined(const palWorldStep* world, const palWorldPair* pair,
                           const palSurfacePlace* onA, const palSurfacePlace* onB);
palResult palWorldStep_InitJoints(palWorldStep* world, palError* error);
/// Converts joints of tools, given at points of the world, to the frame of the tool.
void palWorldStep_PlaceJoints(palWorldStep* world);
/// Rotates the axes of a joint with its bodies, to the beginning of a step.
void palWorldStep_AimJoint(const palWorldStep* world, palLink* joint);
/// The same for all joints.
void palWorldStep_AimJoints(palWorldStep* world);
/// Adds the rows of the joints, after those of the contacts, and their predicted forces.
void palWorldStep_AddJoints(palWorldStep* world);
/// Fills δ_free of the joints and the initial guess of λ.
void palWorldStep_FillJoints(palWorldStep* world);
/// Stores λ of the joints after a solve.
void palWorldStep_TakeJoints(palWorldStep* world);
/// Updates the errors of the linear gaps of the joints, and slides the rings. Returns whether a
/// joint is open by more than its tolerance.
bool palWorldStep_CorrectJoints(palWorldStep* world);
/// δ of all rows of a joint, m or rad.
void palWorldStep_JointGaps(const palWorldStep* world, const palLink* link, bool isTrial,
                            double gaps[pal_linkRowsMax]);
/// The distance between the two places of a joint, or of a ring from the wire, m.
double palWorldStep_JointGap(const palWorldStep* world, int joint, bool isTrial);

// keep_apart.c

/// The share of a push that body a of two gets.
double palWorldStep_ShareOfA(const palWorldBody* a, const palWorldBody* b);
/// Updates the moving surfaces of all bodies from their states before and after the step.
void palWorldStep_MoveSurfaces(palWorldStep* world);
/// The sanity pass: pushes out penetrating vertices, in rounds of at most `most`, m.
void palWorldStep_PushOut(palWorldStep* world, double most);
/// The hold-back: stops bodies that still collide before the collision.
void palWorldStep_HoldBack(palWorldStep* world);

#endif
