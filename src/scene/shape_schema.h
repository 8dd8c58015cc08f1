// SPDX-License-Identifier: Apache-2.0
// The keys of shapes, and of objects that consist of several, a part of the scene's schema.
#ifndef PAL_SCENE_SHAPE_SCHEMA_H
#define PAL_SCENE_SHAPE_SCHEMA_H

#include "base/schema.h"

extern const palSchemaTable pal_shapeTable;
extern const palSchemaTable pal_partTable;

/// Names of palLengthUnit; NULL past the end.
const char* palUnitNameAt(int index);

#endif
