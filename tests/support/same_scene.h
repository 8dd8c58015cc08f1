// SPDX-License-Identifier: Apache-2.0
// Two scenes compared value by value, bit for bit.
#ifndef PAL_TESTS_SAME_SCENE_H
#define PAL_TESTS_SAME_SCENE_H

#include "scene/given.h"
#include "scene/setting.h"

#include <string.h>

// The same file, where the second scene may name it by its absolute path.
static inline bool isSameFile(const char* a, const char* b)
{
    size_t lengthA = strlen(a), lengthB = strlen(b);
    if (lengthA == 0 || a[0] == '/' || lengthB <= lengthA)
        return strcmp(a, b) == 0;
    return b[lengthB - lengthA - 1] == '/' && strcmp(b + lengthB - lengthA, a) == 0;
}

// Whether the two agree in that the key is there.
static inline bool isSamePresence(const palSchemaKey* key, const void* a, const void* b)
{
    return key->given == 0 || *(const bool*)((const char*)a + key->given) ==
                                  *(const bool*)((const char*)b + key->given);
}

static inline bool isSameValue(const palSchemaKey* key, const void* a, const void* b)
{
    const void* fieldA = palSetting_AtConst(key, a);
    const void* fieldB = palSetting_AtConst(key, b);
    switch (key->type)
    {
    case pal_schemaWhole:
    case pal_schemaChoice:
        return *(const int*)fieldA == *(const int*)fieldB;
    case pal_schemaNumber:
        return memcmp(fieldA, fieldB, sizeof(double)) == 0;
    case pal_schemaVector:
        return memcmp(fieldA, fieldB, sizeof(palVec3)) == 0;
    case pal_schemaBox:
        return memcmp(fieldA, fieldB, sizeof(palBounds)) == 0;
    case pal_schemaPath:
        return isSameFile(fieldA, fieldB);
    default:
        return strcmp(fieldA, fieldB) == 0;
    }
}

static inline const palSchemaKey* findOtherList(const palSchemaKey* key, const void* a,
                                                const void* b);

/// The first key whose value differs between two structs of a table, or NULL. Keys that the kind
/// does not use are compared too.
static inline const palSchemaKey* findOther(const palSchemaTable* table, const void* a,
                                            const void* b)
{
    int kind = palSetting_KindOf(table, a);
    const palSchemaTable* further = palSchema_KindTable(table, kind);
    const palSchemaKey* other = NULL;
    for (int i = 0; i < table->keyCount && other == NULL; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        if (key->type == pal_schemaMap)
            other = findOther(key->table, palSetting_AtConst(key, a), palSetting_AtConst(key, b));
        else if (key->type == pal_schemaList)
            other = findOtherList(key, a, b);
        else if (!isSameValue(key, a, b))
            other = key;
        if (other == NULL && !isSamePresence(key, a, b))
            other = key;
    }
    if (other == NULL && further != NULL)
        other = findOther(further, (const char*)a + table->kindOffset,
                          (const char*)b + table->kindOffset);
    return other;
}

static inline const palSchemaKey* findOtherList(const palSchemaKey* key, const void* a,
                                                const void* b)
{
    int count = palSetting_ElementCount(key, a);
    const char* elementsA = palSetting_Elements(key, a);
    const char* elementsB = palSetting_Elements(key, b);
    size_t size = (size_t)count * key->table->size;
    if (count != palSetting_ElementCount(key, b))
        return key;
    const palSchemaKey* other = NULL;
    for (int i = 0; i < count && other == NULL; i++)
        other = findOther(key->table, elementsA + (size_t)i * key->table->size,
                          elementsB + (size_t)i * key->table->size);
    // The bits that say which values are given are behind the elements.
    if (other == NULL && count > 0 &&
        memcmp(elementsA + size, elementsB + size, palGiven_Bytes(size)) != 0)
        other = key;
    return other;
}

/// The name of the first value that differs, "given" where only what is marked as given does, or
/// NULL.
static inline const char* findDifference(const palScene* a, const palScene* b)
{
    const palSchemaKey* other = findOther(palSceneSchema(), a, b);
    if (other != NULL)
        return other->name;
    return memcmp(a->given, b->given, sizeof a->given) == 0 ? NULL : "given";
}

#endif
