// SPDX-License-Identifier: Apache-2.0
// The rigid objects of a scene as bodies that may move.
#ifndef PAL_SCENE_RIGID_OBJECTS_H
#define PAL_SCENE_RIGID_OBJECTS_H

#include "scene/bodies.h"

/// Makes world->pile of all rigid objects where one of them moves or the method moves them. Objects
/// of the same shape share it. The colliders must stand.
palResult palSceneBodies_AddRigid(palSceneBodies* world, const palScene* scene,
                                  palMessages* messages, palError* error);
/// Warns of objects that are inside each other at the start: which, and how deep. The joints must
/// stand.
palResult palSceneBodies_FindOverlaps(const palSceneBodies* world, const palScene* scene,
                                      palMessages* messages, palError* error);
void palSceneBodies_FreeRigid(palSceneBodies* world);

#endif
