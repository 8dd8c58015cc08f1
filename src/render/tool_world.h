// SPDX-License-Identifier: Apache-2.0
// The world step with the visual tools of the hands, as methods `linear` and `coupling` use it.
#ifndef PAL_RENDER_TOOL_WORLD_H
#define PAL_RENDER_TOOL_WORLD_H

#include "render/rigid_hands.h"
#include "world/step.h"

/// What the hands share under such a method begins with this.
typedef struct palToolWorld
{
    palShared shared;
    palWorldStep step;   // low rate, with the visual tools
    double time;         // s, of the world
    palRigidHands rigid; // high rate: rigid bodies that move
    bool followsHaptic;  // visual tools are where the haptic ones are, while nothing yields
} palToolWorld;

/// Such a method, of one hand, begins with this.
typedef struct palToolHand
{
    palMethod method;
    palRigidState haptic; // high rate: the haptic tool

    // The tick under way.
    palHandle handle;
    palRigidStep step;
    palTwist alone; // the free motion where no moving rigid body pushes
} palToolHand;

static inline palToolWorld* palToolHand_World(const palMethod* method)
{
    return (palToolWorld*)method->shared;
}

/// The hand's visual tool.
static inline palWorldRigid* palToolHand_Visual(const palMethod* method)
{
    return palToolHand_World(method)->step.tools[method->def.hand];
}

/// `dt`: s, for which the world is linearised too; 0: for no other step than its own. Refuses a
/// world without a tool.
palResult palToolWorld_Init(palToolWorld* world, double dt, palError* error);
void palToolWorld_Free(palShared* shared);
/// L1..L6: to the time of the haptic state, with the handles as they are then; at most a quarter of
/// a second, so that the world does not leap after a stall. Where no time has passed only the
/// contacts are found again.
void palToolWorld_AdvanceTo(palToolWorld* world, const palHandle* handles, palLowStep* step);
/// Once all tools are at the handles of their hands: pushes apart what overlaps.
void palToolWorld_Place(palShared* shared);
void palToolWorld_Archive(palShared* shared, palArchive* archive);
void palToolHand_Archive(palMethod* method, palArchive* archive);
/// The rest of a hand's part of a snapshot, and of the report, once the method has filled in its
/// part.
void palToolHand_EndSnapshot(const palMethod* method, palLowStep* step);
/// H5: the new state of the haptic tool, which moves with u, and what the hand feels.
void palToolHand_EndTick(palToolHand* hand, const palRigidModel* model, palTwist u, palTick* tick);

/// What the shared tables of such methods have for rigid bodies that move.
palSharedTickStage palToolWorld_Solve;
palResult palToolWorld_MakeState(const palShared* shared, palHapticState* state, palError* error);
void palToolWorld_WriteState(const palShared* shared, palHapticState* state);
bool palToolWorld_Rigid(const palShared* shared, int object, palRigidView* view);
palRigidTotals palToolWorld_Totals(const palShared* shared);
void palToolWorld_SetFriction(palShared* shared, int object, double friction);
void palToolWorld_ArchiveState(const palShared* shared, palHapticState* state, palArchive* archive);

#define PAL_TOOL_WORLD                                                                             \
    .size = sizeof(palToolWorld), .free = palToolWorld_Free, .place = palToolWorld_Place,          \
    .solve = palToolWorld_Solve, .makeState = palToolWorld_MakeState,                              \
    .writeState = palToolWorld_WriteState, .rigid = palToolWorld_Rigid,                            \
    .totals = palToolWorld_Totals, .setFriction = palToolWorld_SetFriction,                        \
    .archive = palToolWorld_Archive, .archiveState = palToolWorld_ArchiveState

/// What such a method takes, and what not beside rigid objects that move.
#define PAL_TOOL_ACCEPTS                                                                           \
    .accepts =                                                                                     \
        PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partSheet) | PAL_ACCEPTS(pal_partSoft) |     \
        PAL_ACCEPTS(pal_partPoints) | PAL_ACCEPTS(pal_partWire) | PAL_ACCEPTS(pal_partJoint) |     \
        PAL_ACCEPTS(pal_partToolJoint) | PAL_ACCEPTS(pal_partFree) | PAL_ACCEPTS(pal_partSlider),  \
    .notWithFree = PAL_ACCEPTS(pal_partSheet) | PAL_ACCEPTS(pal_partSoft) |                        \
                   PAL_ACCEPTS(pal_partWire) | PAL_ACCEPTS(pal_partPoints),                        \
    .picksUp = true

/// palRigidHandOps of such a method.
palRigidStep palToolHand_Motion(const palMethod* method, const palTick* tick);
void palToolHand_Push(palToolHand* hand, palWrench wrench);

// Operations of such a method, see palMethodOps.
void palToolHand_Place(palMethod* method, const palDeviceState* device);
palPointState palToolHand_Point(const palMethod* method);
void palToolHand_WriteState(const palMethod* method, palHapticHand* state);
/// The visual tool.
bool palToolHand_View(const palMethod* method, const palHapticHand* hand, palToolView* view);

/// For drawing: a wire.
bool palWorldWire_View(const palWorldStep* world, int index, palWireView* view);

#endif
