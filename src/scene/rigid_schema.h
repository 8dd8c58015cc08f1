// SPDX-License-Identifier: Apache-2.0
// The keys of rigid objects that move, a part of the scene's schema.
#ifndef PAL_SCENE_RIGID_SCHEMA_H
#define PAL_SCENE_RIGID_SCHEMA_H

#include "scene/scene.h"

extern const palSchemaTable pal_contactTable;
extern const palSchemaTable pal_repeatTable;
extern const palSchemaTable pal_pairTable;

/// Names of palMotionKind; NULL past the end.
const char* palMotionNameAt(int index);

/// Gives objects the scene's `contact` where they have none of their own, value by value.
void palScene_SpreadContact(palScene* scene);

#endif
