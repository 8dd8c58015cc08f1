// SPDX-License-Identifier: Apache-2.0
// From a YAML tree to the structs of a scene, by the schema.
#ifndef PAL_SCENE_READER_H
#define PAL_SCENE_READER_H

#include "scene/faults.h"
#include "scene/given.h"
#include "scene/schema.h"

/// Fills a struct of the table: defaults, then what the node gives, which is marked in the bits of
/// the block that it lies in. A fault leaves the default.
void palReader_Read(const palSchemaTable* table, const palYamlNode* node, void* record,
                    palGiven given, palFaults* faults);

/// Reports what is wrong with the values of one origin each for itself: its type, range or name.
/// What they lack or exclude, and keys of another kind, are not looked at: more may be changed.
void palReader_CheckValues(const palSchemaTable* table, const palYamlNode* map, int origin,
                           palFaults* faults);

/// Reports a key that the table does not have with this kind: the kind that has it, else the
/// nearest key. Where the kind is not known either, its keys are not judged.
void palReader_UnknownKey(const palSchemaTable* table, int kind, const palYamlNode* node,
                          palFaults* faults);

/// The kind that a map names, or that of a map which names none; -1: there is no such kind.
int palReader_KindOf(const palSchemaTable* table, const palYamlNode* map);

#endif
