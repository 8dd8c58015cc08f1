// SPDX-License-Identifier: Apache-2.0
// A contact method: what it computes at the low rate and what at the high rate.
//
// Each method is one file, src/render/NAME.c, to be read beside its paper. It supplies the stages
// of two pipelines, which runtime/pipelines.c runs in this order:
//
//     low rate                                          high rate (tick)
//     advance     L1, L2, L6  bodies to this time       moveFreely   H2  without contact
//     find        L3          what is near the hand     findGaps     H3  to what the snapshot has
//     describe    L4, L5      rows and compliance at    solve        H4  the contact forces
//                             dt, into the snapshot     correct      H5  the motion under them, and
//     settle      L6          of methods that move                       the force on the hand
//                             bodies only afterwards    writeState   H6  to the low rate
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

#include <palpate/device.h>

/// The low-rate step under way.
typedef struct palLowStep
{
    const palHapticState* hand; // borrowed: as the high rate published it last
    palSnapshot* snapshot;      // borrowed: to be filled
    palLowInfo info;
} palLowStep;

/// The tick under way.
typedef struct palTick
{
    palDeviceState device;
    const palSnapshot* snapshots[pal_loopsMax]; // borrowed: the newest of every slower loop
    palPointState* body;                        // borrowed: the haptic body, or its point
    palHighInfo info;
} palTick;

typedef struct palMethod palMethod;

typedef void palLowStage(palMethod* method, palLowStep* step);
typedef void palTickStage(palMethod* method, palTick* tick);

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
    const palSurface* surface; // borrowed, in its own frame, m; the same as long as the method is
    palVec3 position;          // m, of that frame in the world
    palQuat orientation;
} palToolView;

/// What the hand holds.
typedef enum palHandKind
{
    pal_handPoint,
    pal_handTool, // palMethodDef.tool
    pal_handWire, // one of palMethodDef.wires
    pal_handKindCount,
} palHandKind;

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
    pal_partKindCount,
} palPartKind;

/// palMethodOps.trustShare of what is good in the largest box within the query's ball.
#define PAL_BOX_SHARE 0.57735026918962576

/// Bits of palMethodOps.accepts.
#define PAL_ACCEPTS(part) (1u << (part))

/// A method for one kind of hand.
typedef struct palMethodOps
{
    const char* name; // of the method, the same for every kind of hand
    palHandKind hand;
    unsigned accepts;   // what it takes part with: PAL_ACCEPTS of each kind, combined
    size_t size;        // bytes of the method's own struct, which begins with palMethod
    double trustShare;  // of the query's radius: a snapshot is good so far in every direction
    bool isNeverFrozen; // has no form for soft objects with `response: frozen`

    /// Prepares and releases what the struct owns beyond itself; NULL where that is nothing.
    palResult (*init)(palMethod* method, palError* error);
    void (*free)(palMethod* method);

    /// Prepares what a snapshot of that loop holds (snapshot.h), and a haptic state, whose `wires`
    /// are one block; NULL where that is nothing.
    palResult (*makeSnapshot)(const palMethod* method, int loop, palSnapshot* snapshot,
                              palError* error);
    palResult (*makeState)(const palMethod* method, palHapticState* state, palError* error);

    /// Puts a haptic body of the method's own where the device is at first, and says where its
    /// point is. NULL: the body is a point, which the runtime places.
    void (*place)(palMethod* method, const palDeviceState* device, palPointState* body);

    // The stages; NULL where there is nothing to do.
    palLowStage *advance, *find, *describe, *settle;
    palTickStage *moveFreely, *findGaps, *solve, *correct;
    void (*writeState)(const palMethod* method, palHapticState* state);

    /// For drawing: which limited constraints act at x, and the convex set of each, numbered from
    /// 0. Returns how many, at most `capacity`. Low-rate thread. NULL where the method has none.
    int (*actingSets)(const palMethod* method, const palSnapshot* snapshot, palVec3 x, int capacity,
                      int* limited, int* set);

    /// For drawing: the wire or tool of that index as the low rate has it; false past the last.
    /// Low-rate thread. Before the first step `hand` is NULL, and only the sizes, the radius and
    /// the surface are asked for. NULL where the method has none.
    bool (*wire)(const palMethod* method, const palHapticState* hand, int index, palWireView* wire);
    bool (*tool)(const palMethod* method, const palHapticState* hand, int index, palToolView* tool);

    /// The points of a tool that touch, in the frame that turns with it at the device point, m; the
    /// same as long as the method is. For who measures. NULL: the haptic body is one point.
    const palVec3* (*points)(const palMethod* method, int* count);
} palMethodOps;

/// Every method's own struct begins with this.
struct palMethod
{
    const palMethodOps* ops;
    palMethodDef def;
    int reportCapacity; // contacts that push in one step, at most. init() may raise it
    int problemRows;    // rows of the problem of one tick, at most. init() may raise it
    // The low rate\'s contact among bodies that no tick moves; borrowed from the method\'s own, set
    // by init(). NULL: there is none.
    palWorldStep* world;
};

/// The id of what the hand holds, where it is no wire.
static inline int palMethod_HandBody(const palMethod* method)
{
    return palMethodDef_HandBody(&method->def);
}

palResult palMethod_Create(const palMethodOps* ops, const palMethodDef* def, palMethod** method,
                           palError* error);
void palMethod_Destroy(palMethod* method);

/// An empty snapshot of a loop, with room for what the method puts into it.
palResult palMethod_MakeSnapshot(const palMethod* method, int loop, palSnapshot* snapshot,
                                 palError* error);

/// A method: its forms for what the hand may hold, of which each says what it takes part with. This
/// table checks scenes, and `palpate methods` prints it.
typedef struct palMethodEntry
{
    const char* name;
    const char* summary;
    const palMethodOps* forms[pal_handKindCount]; // NULL: not with that in the hand
} palMethodEntry;

/// The methods of this build, NULL past the end.
const palMethodEntry* palMethodAt(int index);
const palMethodEntry* palFindMethod(const char* name);
/// The form of a method for what the hand holds, or NULL.
const palMethodOps* palFindMethodForm(const char* name, palHandKind hand);

/// Whether a form takes part with all of `parts`, bits of PAL_ACCEPTS.
static inline bool palMethodOps_Accepts(const palMethodOps* form, unsigned parts)
{
    return form != NULL && (parts & ~form->accepts) == 0;
}

/// "a point", "a tool", "a wire"
const char* palHandKind_Name(palHandKind hand);
/// "static objects", "soft objects", ...
const char* palPartKind_Name(palPartKind part);
/// The names of the methods that take part with `parts` in that hand, "a, b or c"; empty: none.
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

#endif
