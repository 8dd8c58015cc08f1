// SPDX-License-Identifier: Apache-2.0
// The world step with a tool, as methods `linear` and `coupling` use it.
#ifndef PAL_RENDER_TOOL_WORLD_H
#define PAL_RENDER_TOOL_WORLD_H

#include "render/method.h"
#include "world/step.h"

/// What a method's definition says of the world; without a linearisation for the high rate.
palWorldStepDef palToolWorldDef(const palMethodDef* def);
/// Refuses a world without a tool.
palResult palToolWorld_Init(palWorldStep* world, const palWorldStepDef* def, palError* error);

/// L1..L6 over h, s, with the handle as it is then; at most a quarter of a second, so that the
/// world does not leap after a stall. Where no time has passed only the contacts are found anew.
void palToolWorld_AdvanceTo(palWorldStep* world, const palHandle* handle, double h,
                            palLowInfo* info);

/// For drawing: a wire.
bool palWorldWire_View(const palWorldStep* world, int index, palWireView* view);

/// For drawing: the visual tool. As the operation of methods says.
bool palToolWorld_View(const palWorldStep* world, int index, palToolView* view);

#endif
