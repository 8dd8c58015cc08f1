// SPDX-License-Identifier: Apache-2.0
// The exact shapes of rigid objects, of their parts and of tools. Those that are the same are made
// once and shared.
#ifndef PAL_SCENE_RIGID_SHAPES_H
#define PAL_SCENE_RIGID_SHAPES_H

#include "scene/bodies.h"

/// The pose of an object in the world, or of a part in its object.
palPose palSceneObject_Pose(const palSceneObject* object);

/// Gives parts, with room for them, of an object whose collider stands, or of each of its parts.
/// Returns pal_errorInput with the place of what cannot be a solid.
palResult palSceneBodies_MakeParts(palSceneBodies* world, const palScene* scene, int index,
                                   palPilePart* parts, palError* error);

/// What a tool is to rigid bodies that move, where that is exact.
palResult palSceneBodies_MakeToolPart(palSceneBodies* world, const palScene* scene, int hand,
                                      palError* error);

#endif
