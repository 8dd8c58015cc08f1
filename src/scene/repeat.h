// SPDX-License-Identifier: Apache-2.0
// Objects that stand for several of the same: rows and grids.
#ifndef PAL_SCENE_REPEAT_H
#define PAL_SCENE_REPEAT_H

#include "scene/faults.h"

/// Puts in the place of every object with `repeat` the objects that it stands for, each with a name
/// and a position of its own, in the tree of a scene. The nodes keep their lines.
palResult palRepeat_Expand(palYamlNode* root, palFaults* faults, palError* error);

#endif
