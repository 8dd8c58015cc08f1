// SPDX-License-Identifier: Apache-2.0
// How the keys of a scene file are described: a table has the keys of one struct, each with its
// type, unit, range, default and meaning. Reading, checking, defaults, --set, writing and
// docs/scenes.md all walk such tables (scene/schema.h). They stand here because a device driver
// declares its own.
#ifndef PAL_BASE_SCHEMA_H
#define PAL_BASE_SCHEMA_H

#include <palpate/base.h>

/// Where a file gives a value. Line 0: not in the file but in a --set.
typedef struct palSchemaPlace
{
    int line;   // 1-based
    int column; // 1-based
} palSchemaPlace;

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
    pal_schemaList,   // a pointer to an owned array of such structs, and an int that counts them
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

    // Text, path, name: bytes of the field. List: elements that are allowed; 0: any number.
    size_t size;
    size_t place; // path, map: offset of its palSchemaPlace; 0: none is kept
    size_t given; // offset of the bool that says whether the key is there; 0: none
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
    bool placed; // the struct begins with its palSchemaPlace
    void (*setDefaults)(int kind, void* record); // the module's own maker; NULL: none

    // By kind: further keys of one kind alone, in a table of their own, which
    // has no kinds. Their struct is at `kindOffset` of this table's, in `kindSize` bytes. NULL:
    // none.
    const palSchemaTable* (*kindTableAt)(int kind);
    size_t kindOffset;
    size_t kindSize;
};

/// The key of that name, or NULL.
const palSchemaKey* palSchema_Find(const palSchemaTable* table, const char* name);

/// Whether a kind of the table uses the key; kind -1 (not known) uses every key.
bool palSchema_Uses(const palSchemaKey* key, int kind);

/// The table of the further keys of a kind; NULL where it has none, or the kind is not known.
const palSchemaTable* palSchema_KindTable(const palSchemaTable* table, int kind);

#endif
