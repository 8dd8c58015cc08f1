// SPDX-License-Identifier: Apache-2.0
// Which rigid objects touch, and how: the layers of the pile that `pairs` of a scene ask for.
#ifndef PAL_SCENE_RIGID_PAIRS_H
#define PAL_SCENE_RIGID_PAIRS_H

#include "scene/bodies.h"

/// Writes the layers of the bodies and hands of world->pile, and its pairs.
palResult palSceneBodies_AddPairs(palSceneBodies* world, const palScene* scene, palError* error);

/// What an object, or with NULL what a hand, is to contacts.
palContactMaterial palScene_Material(const palScene* scene, const palSceneObject* object);

#endif
