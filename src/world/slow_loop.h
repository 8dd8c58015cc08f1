// SPDX-License-Identifier: Apache-2.0
// A loop slower than the high rate: its bodies, and their description for the high rate.
//
// A loop owns the soft objects and the wires that are assigned to it, and sees the wires and rigid
// bodies of the high rate as copies ("proxies" in the paper) whose state is imposed at the start of
// each step. Several loops run side by side: they meet at the high rate only, where every link is
// solved.
//
// `response: advanced`: the bodies are moved through the forces that the high rate gave, in steps
// of dt of their reduced space. `response: frozen` is the paper's form, for two rates: the loop
// solves its own problem over ΔT against the proxies.
#ifndef PAL_WORLD_SLOW_LOOP_H
#define PAL_WORLD_SLOW_LOOP_H

#include "body/row_space.h"
#include "world/def.h"
#include "world/slow_part.h"

/// What the high rate publishes for every slower loop (palHapticState.wires). Arrays lie behind it.
typedef struct palWireStates
{
    int nodeCount;                   // of all wires at the high rate, one after the other
    palVec3 *x, *v, *w;              // [nodeCount]
    palQuat* q;                      // [nodeCount]
    double* tension;                 // [nodeCount]: of the elements, each at its first node
    palBeamPlace* rings;             // [joints]: where the rings are on their wires
    palBeamHand hands[pal_handsMax]; // where each hand has the wire that it holds

    // Of the wires of slower loops, as their snapshots had them: those of the first loop, one after
    // the other, then those of the next. To be drawn.
    palVec3* slowX;
    palQuat* slowQ;
} palWireStates;

/// One block of memory for the scene of a method, to be released with free().
palResult palWireStates_Create(const palMethodDef* def, palWireStates** states, palError* error);

/// For the scene of that method.
void palWireStates_Archive(palWireStates* states, const palMethodDef* def, palArchive* archive);

/// One body of the loop.
typedef struct palSlowBody
{
    int id;     // of the body
    int wire;   // index, or -1
    int object; // index of the collider, or -1
    palReducibleSoft soft;
    palReducibleBeam beam; // where `world` of the loop has the wire
    palRowSpace space;
    palSparseRow* rows; // owned, [pal_rowSetsMax][part->capacity.rows]: of the sets of `part`
    palSlowPart* part;  // owned: what the last snapshot was given
    double* balance;    // owned: forces of the links, [size]
    int usedRows;       // of the contacts of this step
} palSlowBody;

/// The sparse rows of a set.
static inline palSparseRow* palSlowBody_Rows(const palSlowBody* body, const palRowSet* set)
{
    return body->rows + (size_t)(set - body->part->sets) * (size_t)body->part->capacity.rows;
}

/// Whether that end of a link is on the body.
static inline bool palSlowBody_Has(const palSlowBody* body, const palPlace* end)
{
    return end->body == body->id;
}

typedef struct palSlowLoop
{
    const palMethodDef* def; // borrowed, [handCount]: those of the hands
    int handCount;
    const palTool* objects; // borrowed: the rigid objects that move, as palWorldStepDef has them
    int index;              // 0 for the first below the high rate
    double h;               // ΔT, s
    palSlowBody* bodies;    // owned, [bodyCount]
    int bodyCount;
    palSlowSizes sizes;
    palPartSize* partSizes; // owned, [bodyCount]

    palLink* joints; // owned, with the places and axes of now
    int* jointFirst; // owned: row of each
    int jointRows;
    int contactRowsMax;
    palWorldStep world; // owned: a search alone over the bodies that the loop sees; its contacts
    int dropped;        // contacts of this step that found no room

    palTrack forces;      // of palLinkForces: those of the high rate
    double time;          // s, of the bodies
    uint64_t sequence;    // of the snapshot to come
    palBeamRow* beamRows; // owned, [2 jointRows]: workspace
    double* beamLambda;   // owned, likewise

    palBeamHand hands[pal_handsMax]; // as the wires of the high rate see them
    int failures;                    // systems that could not be factored

    // For `response: frozen`: the loop's own step.
    palRows* rows;         // owned: its problem; else NULL
    palSteppedWire* wires; // owned, [wireCount]: copies of those at the high rate
    int wireCount;
    palSteppedTool tool; // likewise the tool in the hand; tool.tool NULL: none
} palSlowLoop;

/// `def`, [handCount], and the rigid objects that move, as palWorldStepDef has them, are borrowed.
palResult palSlowLoop_Create(const palMethodDef* def, int handCount, const palTool* objects,
                             int index, palSlowLoop** loop, palError* error);
void palSlowLoop_Destroy(palSlowLoop* loop);
/// With its side of the forces, after the colliders.
void palSlowLoop_Archive(palSlowLoop* loop, palArchive* archive);

/// Imposes the state of the high rate's wires, tools and rigid objects on those of `world`.
void palSlowLoop_Impose(palSlowLoop* loop, const palHapticState* haptic);
/// Puts a rigid object that moves where the high rate has it: its frame, and the velocities of its
/// centre of mass.
void palSlowLoop_PlaceObject(palSlowLoop* loop, int object, palPose pose, palTwist velocity);
/// `response: advanced`: moves the bodies through the forces given until `time`.
void palSlowLoop_Advance(palSlowLoop* loop, double time);
/// Contacts (slow_touch.c): of everything that this loop sees with everything. After Touch the
/// bodies of `world` are where the loop has them.
palResult palSlowLoop_InitTouch(palSlowLoop* loop, palError* error);
void palSlowLoop_Touch(palSlowLoop* loop);
/// Linearises the bodies and finds their motion along the rows.
void palSlowLoop_Reduce(palSlowLoop* loop);
/// Fills a snapshot.
void palSlowLoop_Describe(palSlowLoop* loop, palSlowSnapshot* snapshot);
/// `response: frozen`: solves over ΔT with the proxies and moves the bodies.
void palSlowLoop_Solve(palSlowLoop* loop);

#endif
