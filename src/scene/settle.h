// SPDX-License-Identifier: Apache-2.0
// Soft objects that start at rest under gravity.
#ifndef PAL_SCENE_SETTLE_H
#define PAL_SCENE_SETTLE_H

#include "scene/bodies.h"

/// Brings the soft objects with `start: settled` to rest, all together, in contact with each other
/// and with everything else, which stands still: static objects, wires, soft objects with `start:
/// unloaded`. What the hand holds is not there. Messages say by how much they sag. An object that
/// nothing holds and that finds no rest gets a warning and starts in the shape of its mesh; one
/// that is held and finds none is an error.
palResult palSceneBodies_Settle(palSceneBodies* world, const palScene* scene, palMessages* messages,
                                palError* error);

#endif
