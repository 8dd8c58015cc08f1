// SPDX-License-Identifier: Apache-2.0
// The wires and joints of a scene, made ready for method `compliance`.
#ifndef PAL_SCENE_WIRES_H
#define PAL_SCENE_WIRES_H

#include "scene/world.h"

/// Makes the wires and joints of a world whose objects stand. What was made is freed with the
/// world, also on failure.
palResult palWorld_AddWires(palWorld* world, const palScene* scene, palError* error);

#endif
