// SPDX-License-Identifier: Apache-2.0
// Which values of a scene its file or a --set gives; the others are defaults.
//
// Every value but a map or a list has a bit of its own, at the place of its field in a block:
// palScene is one, and each list's array of elements. So the structs that the tables describe, a
// driver's among them, need no member for it.
#ifndef PAL_SCENE_GIVEN_H
#define PAL_SCENE_GIVEN_H

#include "scene/scene.h"
#include "scene/schema.h"

/// The block that a struct lies in, and its bits.
typedef struct palGiven
{
    const char* block;   // borrowed
    unsigned char* bits; // borrowed
} palGiven;

/// The bytes that the bits of a block take.
size_t palGiven_Bytes(size_t blockSize);
/// The block of the scene's own values.
palGiven palGiven_OfScene(const palScene* scene);
/// The block of a list's elements; the bits are behind the last of them.
palGiven palGiven_OfList(const palSchemaKey* key, const void* record);

/// Marks the value whose field this is as given.
void palGiven_Mark(palGiven given, const void* field);

/// Whether the value of a key is given; of a map: it, or anything below it; of a list: it has
/// elements. `record` is the struct of the key's table, in the block.
bool palGiven_Has(palGiven given, const palSchemaKey* key, const void* record);

/// Whether the same holds of any key of a struct.
bool palGiven_HasAny(palGiven given, const palSchemaTable* table, const void* record);

/// Whether a key has a meaning in the struct: its kind uses it, no other key of its group is given,
/// and the key that it needs is.
bool palGiven_Applies(palGiven given, const palSchemaTable* table, const palSchemaKey* key,
                      const void* record);

#endif
