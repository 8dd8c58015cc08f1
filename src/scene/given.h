// SPDX-License-Identifier: Apache-2.0
// Which values of a scene its file or a --set gives; the others are defaults.
//
// Every value but a map or a list has a bit of its own, at the place of its field in palScene. So
// the structs that the tables describe, a driver's among them, need no member for it.
#ifndef PAL_SCENE_GIVEN_H
#define PAL_SCENE_GIVEN_H

#include "scene/scene.h"
#include "scene/schema.h"

/// Marks the value whose field this is as given. The field lies in the scene.
void palGiven_Mark(palScene* scene, const void* field);

/// Whether the value of a key is given; of a map: it, or anything below it; of a list: it has
/// elements. `record` is the struct of the key's table, in the scene.
bool palGiven_Has(const palScene* scene, const palSchemaKey* key, const void* record);

/// Whether the same holds of any key of a struct.
bool palGiven_HasAny(const palScene* scene, const palSchemaTable* table, const void* record);

/// Whether a key has a meaning in the struct: its kind uses it, no other key of its group is given,
/// and the key that it needs is.
bool palGiven_Applies(const palScene* scene, const palSchemaTable* table, const palSchemaKey* key,
                      const void* record);

#endif
