// SPDX-License-Identifier: Apache-2.0
// The wires and joints of a scene.
#ifndef PAL_SCENE_WIRES_H
#define PAL_SCENE_WIRES_H

#include "scene/bodies.h"

/// Makes the wires and joints of a world whose objects stand. What was made is freed with the
/// world, also on failure.
palResult palSceneBodies_AddWires(palSceneBodies* world, const palScene* scene, palError* error);

/// The joints of a world whose wires stand, for palSceneBodies_AddWires.
palResult palSceneBodies_AddJoints(palSceneBodies* world, const palScene* scene, palError* error);

/// The joint where soft objects move for which `moves`, [world->count], is true, and everything
/// else is held in its shape at rest: a wire, other soft objects, and the tool where it is joined.
/// A ring does not slide.
palLink palSceneBodies_HoldJoint(const palSceneBodies* world, const palLink* joint,
                                 const bool* moves);

#endif
