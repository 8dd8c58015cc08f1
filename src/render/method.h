// SPDX-License-Identifier: Apache-2.0
// A contact method: what it computes at the low rate and what at the high rate.
//
// Each method is one file, src/render/NAME.c, to be read beside its paper. There is one instance of
// it for each hand (palMethod), in the form for what that hand holds, and one instance of what the
// hands share (palShared): soft bodies, wires, contact among them. They supply the stages of two
// pipelines, which runtime/pipelines.c runs in this order:
//
//     low rate
//     advance      shared         L1, L2, L6   bodies to this time
//     find         shared, hand   L3           what is near
//     describe     shared, hand   L1, L4, L5   compliance at dt, rows or planes, into the snapshot
//     settle       shared         L6           of methods that move bodies only afterwards
//
//     high rate (tick)
//     moveFreely   hand, shared   H2   without contact
//     findGaps     hand           H3   to what the snapshot has
//     solve        hand, shared   H4   the contact forces
//     correct      hand           H5   the motion under them, and the force on the hand
//     writeState   hand, shared   H6   to the low rate
//
// findGaps and solve run hand by hand: a hand finds the bodies moved by the forces of the others,
// of this tick where those came before it, of the last tick where they come after it.
//
// The table in method.c lists the methods, with the kinds of hand that each has a form for; nothing
// else knows their names.
//
// THE REAL-TIME CONTRACT. init and free may do anything. The stages of the low rate run in its
// thread: bounded time, no allocation. Those of a tick run in the high-rate thread, possibly at the
// same time: they read the method's definition, the snapshot and their own workspace, never the low
// rate's; no allocation, no lock, no I/O, no system call, no loop without a bound.
#ifndef PAL_RENDER_METHOD_H
#define PAL_RENDER_METHOD_H

#include "touch/snapshot.h"
#include "world/def.h"
#include "world/step.h"

#include <palpate/world.h>

/// The low-rate step under way.
typedef struct palLowStep
{
    const palHapticState* state; // borrowed: as the high rate published it last
    palSnapshot* snapshot;       // borrowed: to be filled
    palLowInfo info;
} palLowStep;

/// The tick of one hand under way.
typedef struct palTick
{
    palDeviceState device;
    const palSnapshot* snapshots[pal_loopsMax]; // borrowed: the newest of every slower loop
    const palHandSnapshot* view;                // borrowed: the hand's part of the first
    palPointState* body;                        // borrowed: the haptic body, or its point
    palHighInfo info;
} palTick;

typedef struct palMethod palMethod;
typedef struct palShared palShared;
typedef struct palRigidHandOps palRigidHandOps;

typedef void palLowStage(palMethod* method, palLowStep* step);
typedef void palTickStage(palMethod* method, palTick* tick);
typedef void palSharedLowStage(palShared* shared, palLowStep* step);
/// `ticks` are those of the hands, [handCount].
typedef void palSharedTickStage(palShared* shared, palTick* ticks);

/// A wire that a method moves, for drawing: a line of nodes, each with a pose. Arrays borrowed.
typedef struct palWireView
{
    int nodeCount;
    double radius;            // m
    const palVec3* positions; // m
    const palQuat* rotations; // of the sections
} palWireView;

/// A rigid thing that a method moves, for drawing.
typedef struct palToolView
{
    const palSurface* surface; // borrowed, in its own frame, m; constant during a run
    palVec3 position;          // m, of that frame in the world
    palQuat orientation;
} palToolView;

/// What a hand holds (palHandKind): a point, palMethodDef.tool, or one of palMethodDef.wires.
enum
{
    pal_handKindCount = pal_handWire + 1,
};

/// What a scene may contain besides.
typedef enum palPartKind
{
    pal_partStatic,    // objects that do not move
    pal_partSoft,      // soft objects
    pal_partWire,      // wires besides the one in the hand
    pal_partJoint,     // joints between what the hand does not hold
    pal_partLoop,      // rates besides the two
    pal_partPoints,    // objects that are felt as point shells
    pal_partToolJoint, // joints with the tool in the hand
    pal_partFree,      // rigid objects that move
    pal_partSheet,     // open surfaces, which hold no volume
    pal_partSlider,    // sliders, and limits and friction of joints
    pal_partKindCount,
} palPartKind;

/// palMethodOps.trustShare of a description that is valid in the largest box within the query's
/// ball.
#define PAL_BOX_SHARE 0.57735026918962576

/// Bits of palMethodOps.accepts.
#define PAL_ACCEPTS(part) (1u << (part))
/// Of rigid objects that move.
#define PAL_RIGID_PARTS (PAL_ACCEPTS(pal_partFree) | PAL_ACCEPTS(pal_partSlider))

/// What the hands of a method share: the same table for all its forms.
typedef struct palSharedOps
{
    size_t size; // bytes of its own struct, which begins with palShared

    /// Prepares and releases what the struct owns beyond itself; NULL where that is nothing.
    palResult (*init)(palShared* shared, palError* error);
    void (*free)(palShared* shared);

    /// Prepares what a snapshot holds for all hands (snapshot.h), and a haptic state, whose `wires`
    /// are one block; NULL where that is nothing.
    palResult (*makeSnapshot)(const palShared* shared, palSnapshot* snapshot, palError* error);
    palResult (*makeState)(const palShared* shared, palHapticState* state, palError* error);

    /// Once the bodies of all hands are placed (palMethodOps.place); NULL where there is nothing to
    /// do.
    void (*place)(palShared* shared);

    // The stages; NULL where there is nothing to do.
    palSharedLowStage *advance, *find, *describe, *settle;
    palSharedTickStage *moveFreely, *solve;
    void (*writeState)(const palShared* shared, palHapticState* state);

    /// Between two ticks: a rigid object that moves, false where that one does not; and all of them
    /// together. NULL where the method moves none.
    bool (*rigid)(const palShared* shared, int object, palRigidView* view);
    palRigidTotals (*totals)(const palShared* shared);
    /// Another coefficient of friction of an object. Real-time, before a tick; NULL likewise.
    void (*setFriction)(palShared* shared, int object, double friction);

    /// What changes in a run, between two ticks, after the colliders and the wires' models; and its
    /// part of a snapshot and of a haptic state. NULL where there is nothing.
    void (*archive)(palShared* shared, palArchive* archive);
    void (*archiveSnapshot)(const palShared* shared, palSnapshot* snapshot, palArchive* archive);
    void (*archiveState)(const palShared* shared, palHapticState* state, palArchive* archive);

    /// The world step of a slower loop, for changes of friction. NULL: palShared.world.
    palWorldStep* (*loopWorld)(palShared* shared, int loop);

    /// For drawing: the wire of that index as the low rate has it; false past the last. Low-rate
    /// thread. Before the first step `state` is NULL, and only the sizes and the radius are asked
    /// for. NULL: those of the world, where there is one.
    bool (*wire)(const palShared* shared, const palHapticState* state, int index,
                 palWireView* wire);
} palSharedOps;

/// The struct of what the hands share begins with this.
struct palShared
{
    const palSharedOps* ops;
    const palMethodDef* defs;  // borrowed, [handCount]: of the hands
    palMethod* const* methods; // borrowed, [handCount]: after they are made
    int handCount;
    bool solvesHands;            // its `solve` calls those of the hands
    struct palRigidHands* rigid; // borrowed from its own, set by init(): rigid bodies that move and
                                 // solve in turns with the hands (rigid_hands.h); else NULL
    int reportCapacity; // contacts that push in one step besides those of the hands, at most
    int updateCapacity; // and that it reports only in the first step after an update, at most
    int problemRows;    // rows of a problem of one tick that it solves, at most
    // The low rate's contact among bodies that no tick moves; borrowed from its own, set by init().
    // NULL: there is none.
    palWorldStep* world;
};

/// A method for one kind of hand.
typedef struct palMethodOps
{
    const char* name; // of the method, the same for every kind of hand
    palHandKind hand;
    const palSharedOps* shared; // likewise
    unsigned accepts;           // the parts of a scene that it accepts: bits of PAL_ACCEPTS
    unsigned notWithFree;       // likewise: not together with rigid objects that move
    size_t size;                // bytes of the method's own struct, which begins with palMethod
    double trustShare;          // of the query's radius: a snapshot is valid within this in every
                                // direction; infinite where the tick needs none
    bool isNeverFrozen;         // has no form for soft objects with `response: frozen`
    int rigidMost;              // rigid objects that move, at most; 0: any number
    bool neverBounces;          // has no restitution
    bool picksUp;               // free objects, with a button of the device

    /// Prepares and releases what the struct owns beyond itself; NULL where that is nothing.
    palResult (*init)(palMethod* method, palError* error);
    void (*free)(palMethod* method);

    /// Prepares what the hand's part of a snapshot holds (snapshot.h); NULL where that is nothing.
    palResult (*makeSnapshot)(const palMethod* method, palHandSnapshot* snapshot, palError* error);

    /// Puts a haptic body of the method's own at the first position of the device; and returns its
    /// point, after palSharedOps.place. NULL: the body is a point, which the runtime places.
    void (*place)(palMethod* method, const palDeviceState* device);
    palPointState (*point)(const palMethod* method);

    // The stages; NULL where there is nothing to do.
    palLowStage *find, *describe;
    palTickStage *moveFreely, *findGaps, *solve, *correct;
    void (*writeState)(const palMethod* method, palHapticHand* state);
    /// Where rigid bodies move that solve in turns with the method (rigid_hands.h); NULL: none do.
    const palRigidHandOps* rigidHand;

    /// What changes in a run, between two ticks, besides palMethodDef; and the part of a snapshot
    /// that only the method knows. NULL where there is nothing.
    void (*archive)(palMethod* method, palArchive* archive);
    void (*archiveSnapshot)(const palMethod* method, palHandSnapshot* snapshot,
                            palArchive* archive);

    /// For drawing: which limited constraints act at x, and the convex set of each, numbered from
    /// 0. Returns how many, at most `capacity`. Low-rate thread. NULL where the method has none.
    int (*actingSets)(const palMethod* method, const palHandSnapshot* snapshot, palVec3 x,
                      int capacity, int* limited, int* set);

    /// For drawing: the tool in the hand as the low rate has it; false: there is none. Low-rate
    /// thread. Before the first step `hand` is NULL, and only the surface is asked for. NULL where
    /// the method has none.
    bool (*tool)(const palMethod* method, const palHapticHand* hand, palToolView* tool);

    /// The points of a tool that touch, in the frame that turns with it at the device point, m; the
    /// same as long as the method exists. For measurements. NULL: the haptic body is one point.
    const palVec3* (*points)(const palMethod* method, int* count);
} palMethodOps;

/// Every method's own struct begins with this.
struct palMethod
{
    const palMethodOps* ops;
    palMethodDef def;
    palShared* shared;  // borrowed
    int reportCapacity; // contacts that push in one step, at most. init() may raise it
    int problemRows;    // rows of the problem of one tick, at most. init() may raise it
};

/// The hand's state and its part of the snapshot in a low-rate step.
static inline const palHapticHand* palLowStep_Hand(const palLowStep* step, const palMethod* method)
{
    return &step->state->hands[method->def.hand];
}

static inline palHandSnapshot* palLowStep_View(const palLowStep* step, const palMethod* method)
{
    return &step->snapshot->hands[method->def.hand];
}

/// The methods of all hands, and what they share.
typedef struct palHands
{
    int count;
    palMethodDef defs[pal_handsMax];
    palMethod* methods[pal_handsMax]; // owned
    palShared* shared;                // owned
} palHands;

/// For hands with these forms of one method; the index and rank in the definitions are filled in.
/// The struct must not be moved in memory.
palResult palHands_Init(palHands* hands, const palMethodOps* const* forms, const palMethodDef* defs,
                        int count, palError* error);
void palHands_Free(palHands* hands);

/// Rows of the problem of a tick, of one hand or of what they share, at most.
static inline int palHands_ProblemRows(const palHands* hands, int hand)
{
    int own = hands->methods[hand]->problemRows, shared = hands->shared->problemRows;
    return own > shared ? own : shared;
}

/// An empty snapshot of a loop, with room for what the methods put into it.
palResult palHands_MakeSnapshot(const palHands* hands, int loop, palSnapshot* snapshot,
                                palError* error);

/// A method: its forms for what a hand may hold, each with the parts of a scene that it accepts.
/// Scenes are checked by this table, and `palpate methods` prints it.
typedef struct palMethodEntry
{
    const char* name;
    const char* summary;
    const char* limits; // of what the hand feels of bodies that it moves, NULL: none
    const palMethodOps* forms[pal_handKindCount]; // NULL: not with that in the hand
} palMethodEntry;

/// The methods of this build, NULL past the end.
const palMethodEntry* palMethodAt(int index);
const palMethodEntry* palFindMethod(const char* name);
/// The form of a method for what the hand holds, or NULL.
const palMethodOps* palFindMethodForm(const char* name, palHandKind hand);

/// Whether a form accepts all of `parts`, bits of PAL_ACCEPTS.
static inline bool palMethodOps_Accepts(const palMethodOps* form, unsigned parts)
{
    return form != NULL && (parts & ~form->accepts) == 0 &&
           !(parts & PAL_RIGID_PARTS && parts & form->notWithFree);
}

/// "a point", "a tool", "a wire"
const char* palHandKind_Name(palHandKind hand);
/// "static objects", "soft objects", ...
const char* palPartKind_Name(palPartKind part);
/// The names of the methods that accept `parts` with that in the hand, "a, b or c"; empty: none.
void palListMethods(palHandKind hand, unsigned parts, char* names, size_t size);

extern const palMethodOps pal_methodStandard;
extern const palMethodOps pal_methodPenalty;
extern const palMethodOps pal_methodAccurate;
extern const palMethodOps pal_methodStandardTool;
extern const palMethodOps pal_methodPenaltyTool;
extern const palMethodOps pal_methodAccurateTool;
extern const palMethodOps pal_methodLinear;
extern const palMethodOps pal_methodCoupling;
extern const palMethodOps pal_methodCompliance;
extern const palMethodOps pal_methodComplianceTool;
extern const palMethodOps pal_methodImpulse;
extern const palMethodOps pal_methodImpulseTool;

#endif
