// SPDX-License-Identifier: Apache-2.0
// The world step with a tool, as methods `linear` and `coupling` use it.
#ifndef PAL_RENDER_TOOL_WORLD_H
#define PAL_RENDER_TOOL_WORLD_H

#include "render/method.h"
#include "world/step.h"

/// Such a method begins with this.
typedef struct palToolWorld
{
    palMethod method;
    palWorldStep world;   // low rate, with the visual tool
    double time;          // s, of the world
    palRigidState haptic; // high rate: the haptic tool

    // The tick under way.
    palHandle handle;
    palRigidStep step;
} palToolWorld;

/// `dt`: s, for which the world is linearised too; 0: for no other step than its own. Refuses a
/// world without a tool.
palResult palToolWorld_Init(palToolWorld* tools, double dt, palError* error);
/// L1..L6: to the time of the haptic state, with the handle as it is then; at most a quarter of a
/// second, so that the world does not leap after a stall. Where no time has passed only the
/// contacts are found anew.
void palToolWorld_AdvanceTo(palToolWorld* tools, const palHandle* handle, palLowStep* step);
/// The rest of a snapshot, and of the report, once the method has filled in its part.
void palToolWorld_EndSnapshot(const palToolWorld* tools, palLowStep* step);
/// H5: the new state of the haptic tool, which moves with u, and what the hand feels.
void palToolWorld_EndTick(palToolWorld* tools, const palRigidModel* model, palTwist u,
                          palTick* tick);

// Operations of such a method, see palMethodOps.
void palToolWorld_Place(palMethod* method, const palDeviceState* device, palPointState* body);
void palToolWorld_WriteState(const palMethod* method, palHapticState* state);
/// The visual tool.
bool palToolWorld_View(const palMethod* method, const palHapticState* hand, int index,
                       palToolView* view);

/// For drawing: a wire.
bool palWorldWire_View(const palWorldStep* world, int index, palWireView* view);

#endif
