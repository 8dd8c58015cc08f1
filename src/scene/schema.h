// SPDX-License-Identifier: Apache-2.0
// The one table behind scene files: every key with its type, unit, range, default and meaning.
// Reading, checking, defaults, --set and docs/scenes.md all walk it; a new key is a new line in
// schema.c and a field in palScene.
#ifndef PAL_SCENE_SCHEMA_H
#define PAL_SCENE_SCHEMA_H

#include <palpate/base.h>

typedef enum palSchemaType
{
    pal_schemaWhole,  // int
    pal_schemaNumber, // double
    pal_schemaVector, // palVec3, each component in the range
    pal_schemaBox,    // palBounds from two corners, each component in the range
    pal_schemaText,   // char[size]
    pal_schemaPath,   // char[size], a file; where it is named goes to `place`
    pal_schemaChoice, // int (an enum): the index of one of the names
    pal_schemaName,   // char[size]: one of the names
    pal_schemaMap,    // a struct with a table of its own
    pal_schemaList,   // an array of such structs, and an int that counts them
} palSchemaType;

typedef struct palSchemaTable palSchemaTable;

typedef struct palSchemaKey
{
    const char* name;
    palSchemaType type;
    const char* meaning;
    size_t offset; // of the field in the table's struct

    // Whole, number, vector, box.
    const char* unit; // NULL: none
    double low;       // smallest and largest value allowed
    double high;
    bool nonZero; // vector: a direction

    // Text, path, name: bytes of the field. List: elements of the array.
    size_t size;
    size_t place; // path, map: offset of its palScenePlace; 0: none is kept
    size_t given; // offset of the bool that tells whether the key is there; 0: none
    size_t count; // list: offset of the int that counts

    // Choice, name: the names in order, NULL past the end; and the command that lists them, where
    // they are not the same in every build.
    const char* (*nameAt)(int index);
    const char* listedBy;

    // Map, list.
    const palSchemaTable* table;

    // What is taken where the key is absent: this YAML text; else what `unset` describes (a number
    // is then NaN, a text empty, for whoever builds the world to fill); else what the table's maker
    // gives. A required key has none.
    const char* fallback;
    const char* unset;
    bool required;

    // When the key may be given.
    unsigned kinds;    // one bit a kind of the table; 0: with every kind
    int group;         // exactly one key of a group is given; 0: none
    const char* needs; // only together with this key; NULL: always
} palSchemaKey;

struct palSchemaTable
{
    const char* noun;  // "trajectory", for messages
    const char* title; // heading in the reference
    const char* intro; // paragraph in the reference
    const palSchemaKey* keys;
    int keyCount;
    size_t size; // bytes of the struct
    bool byKind; // keys[0] says which kind, and so which keys are used
    bool placed; // the struct begins with its palScenePlace
    void (*setDefaults)(int kind, void* record); // the room's own maker; NULL: none
};

/// The table of palScene; the others hang below it.
const palSchemaTable* palSceneSchema(void);

/// The key of that name, or NULL.
const palSchemaKey* palSchema_Find(const palSchemaTable* table, const char* name);

/// Whether a kind of the table uses the key; kind -1 (not known) uses every key.
bool palSchema_Uses(const palSchemaKey* key, int kind);

#endif
