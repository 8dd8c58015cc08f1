// SPDX-License-Identifier: Apache-2.0
// Rigid bodies that move: things that stack, slide, roll and hang together, in steps of dt.
//
// A step, palPile_Step:
//
//     1 free motion      u⁻ = v + h (g + f/m), ω⁻ = I⁻¹ (L + h τ); driven bodies go where they must
//     2 pairs            which bodies are near each other: boxes of a tree (collide/moving_tree.h)
//     3 contacts         of each such pair (collide/rigid_contact.h); what was there before, known
//                        by its key, starts from the force that it had
//     4 wake             what sleeps and is touched by what moves; and contacts with the sides of
//                        parts that are flush with their neighbours are no contacts
//     5 rows and solve   rolling resistance takes from ω⁻;
//                        δ = δ_free + h² J M⁻¹ Jᵀ λ + R λ by Gauss-Seidel (solve/sparse.h)
//     6 move             u = u⁻ + h M⁻¹ Jᵀ λ, then x and q
//     7 restitution      of contacts that closed faster than a least speed: e times that speed back
//     8 sleep            of islands of bodies that have been at rest for a while
//
// Rows are straight: they do not see that a body turns while it moves. Where that could matter, for
// fast bodies that are near thin ones, the stages are gone through several times in a step, each
// time for a part of it, as palPile_Substeps says.
//
// The law of a contact. Rows are on the gap at the end of the step. A contact that is open, or that
// closes fast, is rigid: it closes exactly, and stops what comes. One that lasts is a spring and a
// damper in proportion to the mass m that it moves, k = m ω² and c = 2 ζ m ω, implicit:
// λ = -k (g + h v) - c v with the gap g at the start and the velocity v at the end of the step,
// which is the row
//
//     δ = β g + h v + R λ,   0 <= λ ⊥ δ >= 0,   β = h k / (h k + c),   R = h / (h k + c)
//
// Rigid contacts have β = 1 and R = 0. Friction is Coulomb's cone, on h times the sliding velocity.
//
// Where other bodies take part, which only the caller knows, it solves in place of step 5: Begin,
// the caller's λ and u, End. A body that is held is moved by the caller altogether.
//
// What a hand holds may have contacts with what stands still that the caller finds. Then the
// caller gives its free motion and A⁻¹ with its coupling (HoldCoupled) and these contacts (Stop),
// and both solve in turns: Start; in each part of the step BeginPart, FindForces as often as it
// takes, the stops renewed before each, and EndPart; Finish.
//
// Bodies that sleep cost nothing. All memory is allocated by Create; what does not fit is counted.
// The same bodies and calls give the same bits. Everything but Create and Destroy is real-time.
#ifndef PAL_WORLD_PILE_H
#define PAL_WORLD_PILE_H

#include "base/archive.h"
#include "body/inertia.h"
#include "collide/moving_tree.h"
#include "collide/rigid_contact.h"
#include "constraint/contact.h"
#include "solve/islands.h"
#include "solve/problem_copy.h"
#include "solve/sparse.h"

#include <palpate/world.h>

enum
{
    pal_pairContactsMax = 8,      // of two convex parts
    pal_meshPairContactsMax = 48, // of two parts of which one is a mesh
    pal_pileJointRows = 8,        // of one joint: six, a limit and friction
    pal_pileJointBlocks = 3,
};

/// How closed contacts give way.
typedef enum palContactLaw
{
    pal_contactCompliant, // in proportion to the mass that they move
    pal_contactStiff,     // by a stiffness and a damping of their own
    pal_contactRigid,     // not at all
} palContactLaw;

/// Of a body's contacts. Of two bodies the larger friction and restitution count, and the law of
/// the one with the lower number.
typedef struct palContactMaterial
{
    double friction;        // Coulomb's coefficient while it sticks
    double kineticFriction; // and while it slides; not larger
    double restitution;     // e, 0..1
    palContactLaw law;
    double frequency;    // compliant: ω/2π, Hz
    double dampingRatio; // compliant: ζ
    double stiffness;    // stiff: N/m
    double damping;      // stiff: N·s/m
} palContactMaterial;

/// Friction 0.5, no restitution, compliant with 200 Hz and a damping ratio of 5.
palContactMaterial palDefaultContactMaterial(void);

/// A part of a body: a shape, and where it is in the body's frame.
typedef struct palPilePart
{
    const palRigidShape* shape; // borrowed; shared by all bodies that have it
    palPose pose;
} palPilePart;

/// The pose of a driven body's frame at time t.
typedef palPose palDrivenPose(const void* context, double t);

typedef struct palPileBodyDef
{
    int id; // of the body in the world, for reports
    palMotionKind motion;
    const palPilePart* parts; // borrowed until Create returns, [partCount]
    int partCount;
    palMass mass;         // free: in the body's frame
    palPose pose;         // of the body's frame at the start
    palVec3 velocity;     // free: of the centre of mass at the start, m/s
    palVec3 spin;         // free: rad/s
    double damping;       // free: 1/s, of both velocities
    palDrivenPose* drive; // driven
    const void* driver;   // its context, borrowed
    palContactMaterial material;
    uint32_t layers;  // that it is in, a bit each
    uint32_t touches; // layers that it touches
    bool isHeld;      // free: palPile_Hold moves it, and nothing else
    bool meetsMoving; // it touches nothing but bodies that move
    bool decidesLaw;  // the law of its contacts is that of its own material
} palPileBodyDef;

/// A free body of no shape and 1 kg at the origin, in layer 0, touching all.
palPileBodyDef palDefaultPileBodyDef(void);

typedef enum palPileJointKind
{
    pal_pileBall,   // the points stay together
    pal_pileWeld,   // and the orientations
    pal_pileHinge,  // the points stay together, and both turn about one axis only
    pal_pileSlider, // no turning, and both shift along one axis only
    pal_pileHandle, // springs and dampers to a handle that a hand moves: a weld that yields
    pal_pileTie,    // a weld that is made and undone between steps; at first of no bodies
} palPileJointKind;

/// A joint between two bodies, or a body and the world.
typedef struct palPileJointDef
{
    palPileJointKind kind;
    int bodies[2]; // -1: the world. Handle: the second is; tie: both. Ties are the last joints
    palVec3 point; // in the world at the start, m
    palVec3 axis;  // hinge, slider: likewise, any length
    double low;    // hinge: rad, slider: m: of the first body against the second, from where it is
    double high;   // at the start; -INFINITY, INFINITY: no limit
    double friction; // hinge: N·m, slider: N
} palPileJointDef;

/// A ball joint of the bodies 0 and 1 at the origin, axis z, no limits, no friction.
palPileJointDef palDefaultPileJointDef(void);

/// How bodies of two layers touch, in place of what their own materials give.
typedef struct palPilePairDef
{
    uint32_t layers[2];
    palContactMaterial material; // NaN: theirs
    bool hasLaw;                 // that of the material counts
} palPilePairDef;

/// Bodies that the hands hold, which are added to those of the scene.
typedef struct palPileHandDef
{
    uint32_t layers, touches;
} palPileHandDef;

typedef struct palRigidPileDef
{
    const palPileBodyDef* bodies; // borrowed until Create returns, [bodyCount]
    int bodyCount;
    const int (*apart)[2]; // pairs of bodies that never touch, borrowed until Create returns
    int apartCount;
    const palPilePairDef* pairs; // borrowed until Create returns, [pairCount]; later ones count
    int pairCount;
    palPileHandDef hands[pal_handsMax]; // for who adds them
    palContactMaterial handMaterial;    // likewise
    const palPileJointDef* joints;      // borrowed until Create returns, [jointCount]
    int jointCount;
    palVec3 gravity;         // m/s²
    double dt;               // s
    int sweeps;              // of Gauss-Seidel in a step
    int sweepsMost;          // of small problems, until they are solved; not fewer
    int stopCapacity;        // contacts of held bodies that callers find, at most
    double restitutionSpeed; // m/s: slower contacts do not bounce
    bool sleeps;             // bodies at rest fall asleep
} palRigidPileDef;

/// 1 ms, ten sweeps, gravity of the earth along -z, restitution above 0.05 m/s, bodies sleep.
palRigidPileDef palDefaultRigidPileDef(void);

/// A part of a body, at its present place.
typedef struct palPileItem
{
    const palRigidShape* shape; // borrowed
    int body;
    palPose local;    // in the body's frame, from its centre of mass
    palPose pose;     // in the world
    int firstPair;    // of its pairs; -1: none
    bool isBoundless; // a half-space: it is in no box
    double extent;    // m, radius of the ball about the part's origin that holds it
    double width;     // m, of the part where it is thinnest, along the axes of its frame
} palPileItem;

typedef struct palPileBody
{
    // What it is.
    int id;
    palMotionKind motion;
    int firstItem, itemCount;
    palInertia inertia;
    palVec3 centre;       // of mass, in the body's frame, m
    double extent;        // m, radius of the ball about the centre of mass that holds it
    palVec3 half;         // m, how far it reaches from there along the axes of its frame
    double damping;       // 1/s
    palDrivenPose* drive; // driven
    const void* driver;   // borrowed
    palContactMaterial material;
    uint32_t layers, touches;
    bool isHeld, meetsMoving, decidesLaw;

    // Where it is.
    palRigidState state;
    palWrench load; // of the next step, about the centre
    bool isAsleep;
    double restTime;  // s, for which it has been at rest
    palPose restPose; // of its centre, where it came to rest
    int nextInSleep;  // of the bodies that fell asleep with it, a ring; itself: alone

    // The step under way.
    int index;            // among the moving bodies of the problem; -1: it does not move
    palPose start;        // of its centre, at the start of the step
    palTwist before;      // likewise
    palTwist u;           // u⁻, then u
    palMat3 worldInertia; // at the start of the step, kg·m²
    palMat3 worldInverse; // its inverse
    bool isMoving;        // driven: it moves in this step
    bool isCoupled;       // held: A⁻¹ is that of the next member
    palMat3 coupled[2][2];
    palPose held; // likewise: of its centre, when it was held
} palPileBody;

/// A contact between two parts, kept from step to step.
typedef struct palPileContact
{
    uint64_t key;
    palVec3 point;    // between the two surfaces, world, m
    palVec3 axes[3];  // unit: the normal, from b to a, and two tangents
    double gap;       // m, at the start of the step
    double lambda[3]; // N, of the last solve
    bool isSliding;   // its friction was at its limit
    int row;          // first row of the problem; -1: none
} palPileContact;

/// Two parts that are near each other.
typedef struct palPilePair
{
    int items[2]; // a, b; -1: not in use
    int next[2];  // pairs of either part; not in use: next[0] is the next one
    int slot;     // of its contacts
    bool isMesh;  // which kind of slots
    int count;    // contacts
    palRigidPairCache cache;
    palContactMaterial material; // of the two bodies together
} palPilePair;

/// A joint at work.
typedef struct palPileJoint
{
    palPileJointKind kind;
    int bodies[2];     // -1: the world
    palPose frames[2]; // of the joint in each body, from its centre of mass; z is the axis
    double low, high, friction;
    double bears; // the largest mass that hangs together with its bodies, in that of the lighter
    double angle; // hinge: of the last step, so that full turns count, rad

    // Handle: where it is at the end of the step, and the gains. Written by palPile_SetHandle.
    palHandle handle;
    palCouplingValues gains;

    double lambda[pal_pileJointRows]; // N, N·m, of the last solve
    double mean[pal_pileJointRows];   // and the mean over the last step
    int row;                          // first row of the problem; -1: none
    int rowCount;
} palPileJoint;

/// A contact of a held body that its caller found, with something that does not move.
typedef struct palPileStop
{
    int body;
    palVec3 point;    // m, world, on the body at the start of the step
    palVec3 axes[3];  // unit: the normal, towards the body, and two tangents
    double gap;       // m, at the start of the step
    double friction;  // Coulomb's coefficient
    double softness;  // m/N: by which it yields
    double lambda[3]; // N: a guess, then as FindForces found it
} palPileStop;

/// What bounces in a step, as collisions one after another.
typedef struct palPileImpact palPileImpact;

/// Blocks of contacts of one size.
typedef struct palContactSlots
{
    int size;                 // contacts in a block
    int capacity;             // blocks
    palPileContact* contacts; // owned, [capacity * size]
    int* unused;              // owned, [capacity]
    int unusedCount;
} palContactSlots;

/// What a step did.
typedef struct palPileInfo
{
    int awake;    // bodies that are awake
    int contacts; // of these
    int rows;
    int active; // with a force
    int sweeps;
    double residual; // m
    double deepest;  // m, the largest overlap at the start of the step
    int leftOut;     // contacts and pairs that found no room, in all steps so far
} palPileInfo;

typedef struct palPile
{
    palRigidPileDef def; // its arrays are not kept
    double time;         // s
    int bodyCount;
    palPileBody* bodies; // owned
    int itemCount;
    palPileItem* items; // owned
    int boundlessCount;
    int* boundless; // owned: items that are half-spaces
    int apartCount;
    int (*apart)[2];           // owned: bodies, sorted
    palPilePairDef* materials; // owned, [def.pairCount]
    palMovingTree tree;        // owned: of the other items
    int* found;                // owned, [itemCount]: workspace

    int jointCount;
    palPileJoint* joints; // owned
    int stopCapacity, stopCount;
    palPileStop* stops; // owned

    int pairCapacity;
    palPilePair* pairs;       // owned
    int unusedPair;           // first one; -1: none
    palContactSlots slots[2]; // of convex pairs, of pairs with a mesh
    int* awake;               // owned, [bodyCount]: bodies that are awake or driven, in their order
    int awakeCount;
    bool awakeChanged;

    // The step under way. Arrays owned.
    double h;       // s, of the present part of it
    int substeps;   // number of parts
    int substep;    // the present one
    double fastest; // m/s, of any point of any body
    int movingCount;
    int* moving;              // [bodyCount]: bodies of the problem
    palInverseMass* inverses; // [bodyCount]
    palTwist* displacements;  // [bodyCount]
    int rowCapacity, blockCapacity;
    int rowCount, blockCount;
    palPairRow* J;              // [rowCapacity]
    double* gapFree;            // [rowCapacity], m
    double* softness;           // [rowCapacity], m/N
    double* lambda;             // [rowCapacity], N
    palContactBlock* blocks;    // [blockCapacity]
    int (*ends)[2];             // [blockCapacity]
    palPileContact** contactOf; // [blockCapacity]
    palPilePair** pairOf;       // [blockCapacity]
    palSparseWorkspace* workspace;
    palContactIslands islands;
    bool* isFixed;          // [bodyCount]: all false; the problem holds moving bodies alone
    bool hasRebounded;      // rows were made anew for restitution
    palPileImpact* impact;  // owned: of what bounces
    int ownRows, ownBlocks; // without those of stops

    // Receives a copy of the problem of a step; borrowed, NULL: not recorded.
    palProblemCopy* problem;

    palPileInfo info;
    double deepest; // m, the largest overlap of all steps so far
} palPile;

palResult palPile_Create(const palRigidPileDef* def, palPile** pile, palError* error);
void palPile_Destroy(palPile* pile);

/// One step of dt.
void palPile_Step(palPile* pile);

/// Steps 1 to 4, and the rows of 5: J, gapFree, softness, blocks, ends, and the guess of lambda.
void palPile_Begin(palPile* pile);
/// Steps 6 to 8, with `lambda` and the velocities `u` of the free bodies as the caller solved them.
void palPile_End(palPile* pile);
/// Before a step: where a held body is, and its velocities at the end without contact.
void palPile_Hold(palPile* pile, int body, const palRigidState* state, palTwist u);
/// The same of a body with A⁻¹ of its coupling too, a step of dt.
void palPile_HoldCoupled(palPile* pile, int body, const palRigidStep* step);

/// A step with such bodies. Start: steps 1, 2 and the number of parts, `substeps`.
void palPile_Start(palPile* pile);
/// Steps 1 and 2 of a part after the first, 3, 4 and the rows of 5.
void palPile_BeginPart(palPile* pile);
/// The contacts of held bodies that callers found, in place of the last ones; those for which there
/// is no room are left out, and counted.
void palPile_ClearStops(palPile* pile);
void palPile_Stop(palPile* pile, const palPileStop* stop);
/// 5: the forces, from the last ones on.
void palPile_FindForces(palPile* pile);
/// What other bodies do to a held body, about its centre, of the last FindForces; how many rows of
/// contacts and joints it has with them, and how many of these have a force.
palWrench palPile_HeldWrench(const palPile* pile, int body, int* rows, int* active);
/// Steps 6 to 8.
void palPile_EndPart(palPile* pile);
void palPile_Finish(palPile* pile);

/// A body in the step under way, as other bodies meet it: its free motion, and A⁻¹, which is zero
/// where no force can move it. After Begin.
palRigidStep palPileBody_Step(const palPileBody* body, double h);

/// Adds a force at a point of a body to the load of the next step, and wakes it.
void palPile_Push(palPile* pile, int body, palVec3 point, palVec3 force);
/// Wakes a body and those that fell asleep with it.
void palPile_Wake(palPile* pile, int body);
/// Moves a body to another pose of its frame, with velocities, and wakes what it touched.
void palPile_Place(palPile* pile, int body, palPose pose, palVec3 velocity, palVec3 spin);

/// Another gravity, and another coefficient of friction of a body: what sleeps and is concerned
/// wakes. A kinetic friction that was lower keeps its ratio.
void palPile_SetGravity(palPile* pile, palVec3 gravity);
void palPile_SetFriction(palPile* pile, int body, double friction);
/// The joints of a body hold it where it is now, after palPile_Place; handles stay.
void palPile_Rejoin(palPile* pile, int body);
/// Ties two bodies as they are now: they no longer touch each other. A tie that holds is undone.
void palPile_Tie(palPile* pile, int joint, int body, int other);
/// Undoes a tie: the bodies keep their velocities, and touch each other again.
void palPile_Untie(palPile* pile, int joint);
/// Whether a tie holds these bodies together.
bool palPile_AreTied(const palPile* pile, int body, int other);
/// Where the handle of a joint is at the end of the next step, and what holds the body there.
void palPile_SetHandle(palPile* pile, int joint, const palHandle* handle,
                       const palCouplingValues* gains);
/// The force of the coupling on the hand, N, and the torque about the handle, N·m, of the last
/// step.
palWrench palPile_HandWrench(const palPile* pile, int joint);
/// The force of all joints but handles on a body in the last step, N. It had no rebound.
palVec3 palPile_JointForce(const palPile* pile, int body);
/// By how much the points of a joint are apart, m.
double palPile_JointGap(const palPile* pile, int joint);

/// The pose of a body's frame.
palPose palPile_Pose(const palPile* pile, int body);
/// Kinetic energy, and potential energy in the gravity, of the free bodies, J.
double palPile_KineticEnergy(const palPile* pile);
double palPile_PotentialEnergy(const palPile* pile);

/// How fast its points turn about the centre in free motion, at most, m/s.
double palPileBody_TurnSpeed(const palPileBody* body);
/// The largest speed of any of its points in free motion, at most, m/s.
static inline double palPileBody_Speed(const palPileBody* body)
{
    return palLength(body->u.v) + palPileBody_TurnSpeed(body);
}

/// How many contacts have a force, those of sleeping bodies included.
int palPile_CountTouching(const palPile* pile);
/// The contacts with a force, of one body or, with -1, of all.
void palPile_Report(const palPile* pile, int body, palContactReport* report);
/// What changes from step to step.
void palPile_Archive(palPile* pile, palArchive* archive);

// Parts of a step.

/// Puts the parts of a body where it is.
void palPile_PlaceItems(palPile* pile, const palPileBody* body);
/// pile_held.c: 6 for a held body.
void palPile_CarryHeld(palPile* pile, palPileBody* body);
/// 1 for one body: u⁻.
void palPile_MoveFreely(palPile* pile, palPileBody* body);
/// pile_pairs.c: step 2. Puts boxes where the bodies are going to be, and adds and removes pairs.
void palPile_FindPairs(palPile* pile);
/// The same for one body.
void palPile_PutBody(palPile* pile, const palPileBody* body);
/// The same for one that may touch others than before: pairs that it may not have go.
void palPile_RenewPairs(palPile* pile, int body);
/// Distance at which what rests on a part keeps its contacts, m.
double palPileItem_Margin(const palPileItem* item);
/// The material of two bodies: what is said of their layers, else both of theirs.
palContactMaterial palPile_PairMaterial(const palPile* pile, const palPileBody* a,
                                        const palPileBody* b);
/// Whether two bodies may touch at all.
bool palPile_MayTouch(const palPile* pile, const palPileBody* a, const palPileBody* b);
/// The contacts of a pair.
static inline palPileContact* palPile_Contacts(const palPile* pile, const palPilePair* pair)
{
    const palContactSlots* slots = &pile->slots[pair->isMesh];
    return &slots->contacts[pair->slot * slots->size];
}
/// The next pair of an item, in the list of that item.
static inline int palPilePair_Next(const palPilePair* pair, int item)
{
    return pair->next[pair->items[1] == item];
}
/// Whether the pair is to be looked at with this item of an awake body: each is once.
bool palPile_IsFirst(const palPile* pile, const palPilePair* pair, int item);

/// pile_substeps.c: into how many parts the step is divided.
int palPile_Substeps(const palPile* pile);

/// pile_contacts.c: steps 3 and 4.
void palPile_FindContacts(palPile* pile);

/// pile_seams.c: contacts with the sides of parts that are flush with their neighbours go, after
/// step 4.
void palPile_JudgeSeams(palPile* pile);

/// pile_joints.c: the rows of joints, in step 5, and their forces after it.
void palPile_InitJoint(palPile* pile, const palPileJointDef* def);
/// How much each joint bears, of all joints and bodies.
void palPile_WeighJoints(palPile* pile);
void palPile_AddJoints(palPile* pile);
void palPile_KeepJointForces(palPile* pile);

/// pile_rows.c: steps 5 and 6.
void palPile_MakeRows(palPile* pile);
void palPile_Solve(palPile* pile);
/// The forces of the rows as they are, and the velocities under them, which are the end of Solve.
void palPile_SolveRows(palPile* pile);
void palPile_TakeForces(palPile* pile);
/// Keeps the forces of `lambda` with their contacts and joints.
void palPile_KeepForces(palPile* pile);
/// The problem of the rows as they are, and how it is solved.
palSparseProblem palPile_Problem(const palPile* pile);
palSolveSettings palPile_SolveSettings(const palPile* pile);
/// J of a contact row along an axis: b gets the opposite force at the same point.
palPairRow palPile_ContactRow(const palPileBody* a, const palPileBody* b, palVec3 point,
                              palVec3 axis);
/// J u of two bodies with the velocities u, or those at the start of the step, m/s.
double palPile_Rate(const palPairRow* row, const palPileBody* a, const palPileBody* b,
                    bool atStart);

/// pile_rebound.c: step 7.
palResult palPile_InitRebound(palPile* pile, palError* error);
void palPile_FreeRebound(palPile* pile);
void palPile_Rebound(palPile* pile);

/// The velocity of a body in free motion; zero of the world and of what does not move.
palTwist palPile_Velocity(const palPile* pile, int body);
/// J M⁻¹ Jᵀ of a row of two bodies, 1/kg or 1/(kg m²).
double palPile_Mobility(const palPile* pile, const palPairRow* row, const int bodies[2]);
/// β and R of the law for a contact or joint that moves the mass m, kg.
void palPile_ApplyLaw(const palContactMaterial* material, double m, double h, double* beta,
                      double* R);
/// Appends a block of rows that are written already, between two bodies.
void palPile_AddBlock(palPile* pile, palContactBlock block, const int bodies[2]);

/// pile_rolling.c: in step 5, before the rows, takes from the turning of round bodies on what they
/// touch.
void palPile_ResistRolling(palPile* pile);

/// pile_sleep.c: step 8.
void palPile_Sleep(palPile* pile);

/// How far from each other two parts have contacts, m.
double palPile_Reach(const palPile* pile, const palPileItem* a, const palPileItem* b);

#endif
