// SPDX-License-Identifier: Apache-2.0
// What the schema cannot say of a scene: how its values bear on each other, and on its method.
#ifndef PAL_SCENE_CHECKS_H
#define PAL_SCENE_CHECKS_H

#include "scene/faults.h"
#include "scene/scene.h"

/// Reports what does not fit together in a scene that was read from the tree.
void palScene_Check(const palScene* scene, const palYamlNode* root, palFaults* faults);

#endif
