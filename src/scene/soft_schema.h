// SPDX-License-Identifier: Apache-2.0
// The table of what makes an object soft.
#ifndef PAL_SCENE_SOFT_SCHEMA_H
#define PAL_SCENE_SOFT_SCHEMA_H

#include "scene/schema.h"

extern const palSchemaTable pal_softTable;

#endif
