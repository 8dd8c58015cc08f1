// SPDX-License-Identifier: Apache-2.0
// The state of method `compliance`; compliance.c says how it works.
#ifndef PAL_RENDER_COMPLIANCE_H
#define PAL_RENDER_COMPLIANCE_H

#include "render/method.h"
#include "touch/rigid_world.h"
#include "world/fade.h"
#include "world/slow_loop.h"

enum
{
    pal_rigidMost = 16, // rigid objects that move: W of all contacts is dense
};

/// Where the bodies of a loop have the joints, as the high rate sees them.
typedef struct palSlowPlaces
{
    double* row; // owned, [jointRows]: Σ ± axis·p, m; of rotation rows the turning since the
                 // snapshot, rad
    palQuat (*turns)[2]; // owned, [joints]: welds: the orientations of the ends
} palSlowPlaces;

/// What the high rate has of one slower loop.
typedef struct palLoopView
{
    int slowNodes; // of its wires
    palReducedMotion motion;
    uint64_t sequence;    // of the snapshot that the rows are of
    int firstRow;         // of its contacts
    int rowCount;         // of its contacts
    double* offset;       // owned, [rows of the loop]: what a new snapshot was off by, m, rad
    palFade fade;         // of it
    palSlowPlaces placed; // where it had the joints' rows in the last tick
    palSlowPlaces now;    // workspace
} palLoopView;

/// A wire of the high rate and a rigid body, which may touch (compliance_wires.c).
typedef struct palWireMeeting palWireMeeting;

/// What one hand holds: a wire or a tool.
typedef struct palHeld
{
    int wire;            // among those of the high rate; -1: it holds a tool
    palSteppedTool tool; // tool.tool NULL: it holds a wire
    palHandle handle;    // where it has the tool
    palBeamHand hand;    // where it has the wire
    palVec3 deviceStart; // m, where the device was at first
    palQuat deviceTurn;  // and its orientation
} palHeld;

/// All of it is shared by the hands: their links make one problem.
typedef struct palCompliance
{
    palShared shared;
    const palMethodDef* def; // borrowed: what the definitions of all hands have in common
    int loopCount;
    palSlowLoop* loops[pal_loopsMax]; // owned, each of its own thread

    // High rate.
    palLoopView views[pal_loopsMax];
    palSteppedWire* wires; // owned, [wireCount]
    int wireCount;
    palHeld held[pal_handsMax];
    palRigidWorld rigid;     // rigid objects that move, with all others; pile NULL: none moves
    palTool* objectTools;    // owned, [colliders]: what moves in its own frame, as palWorldStepDef
                             // has it; NULL: nothing does
    palSteppedTool* objects; // owned, [objectCount]: what moves, in the tick under way
    int objectCount;
    int rigidRowsMax; // of the pile's contacts
    int* pairRows;    // owned, [blocks of the pile]: the first row of each; -1: it found no room
    palLink* joints;  // owned, with the places and axes of now
    int jointRows;
    palVec3* slowX;      // owned: nodes of the wires of slower loops; as palWireStates has them
    palQuat* slowQ;      // owned
    palCollider* frames; // owned, [frameCount], by body: surfaces of the tools and of objects that
                         // move, in their frames, for the wires of this rate
    int frameCount;
    double* rubs;             // owned, [frameCount], by body: Coulomb's coefficient
    palWireMeeting* meetings; // owned, [meetingCount]: of wires of this rate and rigid bodies
    int meetingCount;
    palBeamState ahead; // workspace: a wire at the end of the step, as a body sees it
    palLink* touching;  // owned, [touchingMost]: contacts of wires with rigid surfaces in this tick
    int touchingMost;
    int touchingCount;
    uint64_t leftOut;        // contacts of wires for which there was no room, in all ticks
    palRows* rows;           // owned
    int* own;                // owned: workspace, the loop's number of each row taken
    int sweeps;              // of all problems of the last tick
    int contactLink;         // the first link of `rows` that is a contact
    palLinkForces* forces;   // owned: workspace
    palLink* lastContacts;   // owned, [row capacity]: of the last tick, which pushed
    double (*lastLambda)[3]; // owned, likewise
    int lastCount;

    // The tick under way, by loop.
    const palSlowSnapshot* slow[pal_loopsMax];
    bool isNew[pal_loopsMax]; // another one than in the last tick, which had one
} palCompliance;

// compliance_setup.c: palSharedOps.

palResult palCompliance_Init(palShared* shared, palError* error);
void palCompliance_Free(palShared* shared);
palResult palCompliance_MakeSnapshot(const palShared* shared, palSnapshot* snapshot,
                                     palError* error);
palResult palCompliance_MakeState(const palShared* shared, palHapticState* state, palError* error);
void palCompliance_Archive(palShared* shared, palArchive* archive);
void palCompliance_ArchiveSnapshot(const palShared* shared, palSnapshot* snapshot,
                                   palArchive* archive);
void palCompliance_ArchiveState(const palShared* shared, palHapticState* state,
                                palArchive* archive);

/// The hand that holds a body; -1: none.
int palCompliance_HandOf(const palCompliance* compliance, int body);

/// The tool or rigid object with that id; NULL: it is neither.
const palSteppedTool* palCompliance_Rigid(const palCompliance* compliance, int body);

// compliance_rigid.c: rigid objects that move. Real-time, all but Init and Free.

/// Does nothing where no object moves. Before the loops are made.
palResult palCompliance_InitRigid(palCompliance* compliance, palError* error);
void palCompliance_FreeRigid(palCompliance* compliance);
/// H2: what hands pick up, the free motion, and the contacts of rigid bodies with each other.
void palCompliance_BeginRigid(palCompliance* compliance, const palTick* ticks);
/// H3: the rows of these contacts, after those of all links.
void palCompliance_AddPairs(palCompliance* compliance);
/// H3: what the objects add to δ_free and W.
void palCompliance_AddObjects(palCompliance* compliance);
/// H5: their motion under the forces of the tick.
void palCompliance_MoveObjects(palCompliance* compliance);

// compliance_wires.c: contacts of wires with rigid surfaces. Not with `response: frozen`, where
// snapshots have them. Real-time, all but Init and Free.

/// How many there may be.
int palCompliance_WireContactsMost(const palMethodDef* def);
/// After the wires, tools and objects are made.
palResult palCompliance_InitWires(palCompliance* compliance, palError* error);
void palCompliance_FreeWires(palCompliance* compliance);
/// H3: finds those of the tick.
void palCompliance_FindWireContacts(palCompliance* compliance);
/// H4: adds those that the motion under λ closes though they were not found. Returns whether there
/// are any.
bool palCompliance_FindMissed(palCompliance* compliance);

// compliance_rows.c: the rows of a tick. `slow` has a snapshot for each loop.

/// H3: the rows of the joints and of the contacts that the slower loops have found; λ from the last
/// tick, contact by contact where a snapshot is new.
void palCompliance_Gather(palCompliance* compliance, const palSlowSnapshot* const* slow,
                          bool isNew);

/// The row of the problem that is row `own` of a loop, and how many rows a loop numbers.
int palCompliance_RowOf(const palCompliance* compliance, int loop, int own);
int palCompliance_RowsOf(const palCompliance* compliance, int loop);

/// H3: what the bodies of one loop add to δ_free.
void palCompliance_AddLoop(palCompliance* compliance, int loop, const palSlowSnapshot* slow);
/// H4: and to W of the rows that are taken.
void palCompliance_AddCompliance(palCompliance* compliance, int loop, const palSlowSnapshot* slow);
/// H4: their motion under λ along the rows that are left out.
void palCompliance_AddMotion(palCompliance* compliance, int loop, const palSlowSnapshot* slow);

/// Where the present state of the modes has the joints.
void palCompliance_FindPlaces(const palCompliance* compliance, int loop,
                              const palSlowSnapshot* slow, palSlowPlaces* places);

/// A new snapshot has the joints a little off from where the modes had them before: blends it in.
void palCompliance_BlendJump(palCompliance* compliance, int loop, const palSlowSnapshot* slow,
                             bool isNew);

/// How far a joint is open, m: where the high rate has it from where a slower loop has; and which.
/// Returns false where no joint can be.
bool palCompliance_WidestJoint(const palCompliance* compliance, double* gap, int* joint);

/// The rotations of welded ends on the bodies of slower loops.
void palCompliance_PlaceTurns(palCompliance* compliance, const palSlowSnapshot* const* slow);

/// H6: moves the rings along their wires to where the step has taken them.
void palCompliance_SlideRings(palCompliance* compliance);

#endif
