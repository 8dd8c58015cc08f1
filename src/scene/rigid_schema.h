// SPDX-License-Identifier: Apache-2.0
// The keys of rigid objects that move, a part of the scene's schema.
#ifndef PAL_SCENE_RIGID_SCHEMA_H
#define PAL_SCENE_RIGID_SCHEMA_H

#include "base/schema.h"

extern const palSchemaTable pal_contactTable;

/// Names of palMotionKind; NULL past the end.
const char* palMotionNameAt(int index);

#endif
