// SPDX-License-Identifier: Apache-2.0
// From the defs of a program to nodes of the world's tree.
//
// A member that has the value of its default is left out, as it would be in a scene file. Every
// node remembers the member that it was made from, and what is wrong with its value, here or when
// the world is prepared, is told with that place.
#ifndef PAL_API_WORLD_MAKER_H
#define PAL_API_WORLD_MAKER_H

#include "api/world_state.h"
#include "scene/schema.h"

/// What is being added. After a failed allocation nothing more is made.
typedef struct palMaker
{
    palWorld* world;
    bool failed;
} palMaker;

/// The place of a member of a def.
#define PAL_AT(def, member) "@" def "." member

// Each puts a node into a map under `key`, or, where that is NULL, into a list.
palYamlNode* palMaker_Map(palMaker* maker, palYamlNode* parent, const char* key, const char* place);
palYamlNode* palMaker_List(palMaker* maker, palYamlNode* parent, const char* key,
                           const char* place);
/// Nothing for a text that is NULL.
void palMaker_Text(palMaker* maker, palYamlNode* map, const char* key, const char* text,
                   const char* place);
void palMaker_Value(palMaker* maker, palYamlNode* parent, const char* key, double value,
                    const char* place);
/// A number that is not the usual one.
void palMaker_Number(palMaker* maker, palYamlNode* map, const char* key, double value, double usual,
                     const char* place);
void palMaker_Components(palMaker* maker, palYamlNode* parent, const char* key, palVec3 vector,
                         const char* place);
/// A vector that is not zero.
void palMaker_Vector(palMaker* maker, palYamlNode* map, const char* key, palVec3 vector,
                     const char* place);
/// One of the names of a scene's choice; another number is named so that the reader refuses it.
void palMaker_Choice(palMaker* maker, palYamlNode* map, const char* key, const char* const* names,
                     int count, int choice, const char* place);
/// The list of that key at the top, made where there is none.
palYamlNode* palMaker_ListOf(palMaker* maker, const char* key);
/// The surface of an object or tool, among its keys.
palResult palMaker_Surface(palMaker* maker, palYamlNode* map, const palSurfaceDef* given,
                           palError* error);
palResult palRefuseSurface(const char* member, const char* text, palError* error);

/// The keys of a list's elements.
const palSchemaTable* palTableOf(const char* key);
/// Reads a node alone, to find what is wrong with it.
palResult palWorld_CheckNode(const palWorld* world, const palSchemaTable* table,
                             const palYamlNode* node, palError* error);

/// What is added to a list of the world.
typedef struct palAddition
{
    const char* key;         // of the list
    const char* place;       // of the def
    const void* given;       // the program's def
    void* def;               // with the defaults; filled
    size_t size;             // of it
    const char* const* name; // of the body, in def; NULL: it has none
    palResult (*putKeys)(palMaker* maker, palYamlNode* map, const void* def, palError* error);
} palAddition;

/// Appends an element and gives its place, from 1. What is not sound is taken out again. Ends a
/// call that builds (palWorld_Tell).
palResult palWorld_AddElement(palWorld* world, const palAddition* addition, uint32_t* place,
                              palError* error);

/// Whether an id is that of a body, and its name.
bool palWorld_BodyName(const palWorld* world, palBodyId id, bool* isWire, char out[64]);
palResult palNoSuchBody(const char* member, const char* what, palError* error);

#endif
