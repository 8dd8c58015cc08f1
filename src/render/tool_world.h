// SPDX-License-Identifier: Apache-2.0
// The world step with the visual tools of the hands, as methods `linear` and `coupling` use it.
#ifndef PAL_RENDER_TOOL_WORLD_H
#define PAL_RENDER_TOOL_WORLD_H

#include "render/method.h"
#include "world/step.h"

/// What the hands share under such a method begins with this.
typedef struct palToolWorld
{
    palShared shared;
    palWorldStep step; // low rate, with the visual tools
    double time;       // s, of the world
} palToolWorld;

/// Such a method, of one hand, begins with this.
typedef struct palToolHand
{
    palMethod method;
    palRigidState haptic; // high rate: the haptic tool

    // The tick under way.
    palHandle handle;
    palRigidStep step;
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

// Operations of such a method, see palMethodOps.
void palToolHand_Place(palMethod* method, const palDeviceState* device);
palPointState palToolHand_Point(const palMethod* method);
void palToolHand_WriteState(const palMethod* method, palHapticHand* state);
/// The visual tool.
bool palToolHand_View(const palMethod* method, const palHapticHand* hand, palToolView* view);

/// For drawing: a wire.
bool palWorldWire_View(const palWorldStep* world, int index, palWireView* view);

#endif
