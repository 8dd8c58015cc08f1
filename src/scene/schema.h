// SPDX-License-Identifier: Apache-2.0
// The one table behind scene files: every key with its type, unit, range, default and meaning
// (base/schema.h). Reading, checking, defaults, --set, writing and docs/scenes.md all walk it; a
// new key is a new line in schema.c and a field in palScene. The keys of a device driver stand in
// the driver.
#ifndef PAL_SCENE_SCHEMA_H
#define PAL_SCENE_SCHEMA_H

#include "base/schema.h"

/// The table of palScene; the others hang below it.
const palSchemaTable* palSceneSchema(void);

#endif
