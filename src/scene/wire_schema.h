// SPDX-License-Identifier: Apache-2.0
// The tables of wires, of the wire in a hand, joints and further loops.
#ifndef PAL_SCENE_WIRE_SCHEMA_H
#define PAL_SCENE_WIRE_SCHEMA_H

#include "scene/schema.h"

extern const palSchemaTable pal_wireTable;
extern const palSchemaTable pal_handWireTable;
extern const palSchemaTable pal_jointTable;
extern const palSchemaTable pal_loopTable;

#endif
