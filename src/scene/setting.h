// SPDX-License-Identifier: Apache-2.0
// A setting: one key of the schema in a struct of its table. Its default, and how its value, range
// and neighbours are written for a person.
//
// Numbers are read and written in the C locale; the caller sees to it (palScene_Parse,
// palScene_Reference).
#ifndef PAL_SCENE_SETTING_H
#define PAL_SCENE_SETTING_H

#include "scene/schema.h"

/// Where the key's value lives in a struct of its table.
static inline void* palSetting_At(const palSchemaKey* key, void* record)
{
    return (char*)record + key->offset;
}

static inline const void* palSetting_AtConst(const palSchemaKey* key, const void* record)
{
    return (const char*)record + key->offset;
}

/// The elements of a list, one struct of key->table behind the other; NULL where it is empty.
static inline char* palSetting_Elements(const palSchemaKey* key, const void* record)
{
    return *(char* const*)palSetting_AtConst(key, record);
}

/// How many they are.
static inline int palSetting_ElementCount(const palSchemaKey* key, const void* record)
{
    return *(const int*)((const char*)record + key->count);
}

/// The kind that a table without its first key has: that key's default, or -1.
int palSetting_DefaultKind(const palSchemaTable* table);

/// The kind that a struct of the table is of; -1: the table has no kinds.
int palSetting_KindOf(const palSchemaTable* table, const void* record);

/// Where the struct of the kind's own keys lives in a struct of its table.
static inline void* palSetting_KindRecord(const palSchemaTable* table, void* record)
{
    return (char*)record + table->kindOffset;
}

/// Sets every field of a struct to its default, nested tables included; kind -1 counts as the
/// default kind, or 0.
void palSetting_SetDefaults(const palSchemaTable* table, int kind, void* record);

/// Releases the lists of a struct, those of their elements included, and leaves them empty.
void palSetting_FreeLists(const palSchemaTable* table, void* record);

/// Reads a number: decimal digits, point, exponent, nothing after it. False where the text is none;
/// ".inf", "nan" and "1e999" are numbers that are not finite.
bool palSetting_ParseNumber(const char* text, double* number);

/// The index of a name of a choice, or -1.
int palSetting_FindName(const palSchemaKey* key, const char* name);

/// "a number", "a list of three numbers", ...: what the key's value must be.
const char* palSetting_TypeText(const palSchemaKey* key);

// The following write to `out`, always terminated, and return the length of the whole.

/// "0.0001 to 10 m"
size_t palSetting_FormatRange(const palSchemaKey* key, char* out, size_t size);

/// The value, numbers so that they are read back bit for bit; where none is set, what `unset`
/// describes.
size_t palSetting_FormatValue(const palSchemaKey* key, const void* record, char* out, size_t size);

/// "kind, start, speed": the keys that a kind uses, its own included.
size_t palSetting_FormatKeys(const palSchemaTable* table, int kind, char* out, size_t size);

/// "line, sine, circle": the names of a choice.
size_t palSetting_FormatNames(const palSchemaKey* key, char* out, size_t size);

#endif
