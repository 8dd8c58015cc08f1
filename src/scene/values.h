// SPDX-License-Identifier: Apache-2.0
// Every value of a scene as data: what a page needs to show it and to offer a change.
#ifndef PAL_SCENE_VALUES_H
#define PAL_SCENE_VALUES_H

#include "base/json.h"
#include "scene/scene.h"
#include "scene/schema.h"

/// The values as an array of objects {path, type, value, unit, low, high, names, meaning}, where
/// `path` and `value` make a --set. Keys that the scene's kinds do not use are left out.
void palScene_WriteValues(const palScene* scene, palJson* json, const char* name);

/// The number at a path as in a --set, "objects.0.soft.young", with its key: where it may lie, its
/// unit. Returns NULL where the scene has no number there.
const double* palScene_FindNumber(const palScene* scene, const char* path,
                                  const palSchemaKey** key);

/// The settings of a driver in the same form, with their defaults as values.
void palScene_WriteDriverKeys(const palDeviceOps* driver, palJson* json, const char* name);

#endif
