// SPDX-License-Identifier: Apache-2.0
#include "scene/given.h"

#include "scene/setting.h"

enum
{
    bytesPerBit = 4, // the smallest value is an int
};

_Static_assert(offsetof(palScene, given) <= (size_t)pal_sceneGivenBytes * 8 * bytesPerBit,
               "enlarge pal_sceneGivenBytes");

size_t palGiven_Bytes(size_t blockSize)
{
    return blockSize / (8 * bytesPerBit) + 1;
}

palGiven palGiven_OfScene(const palScene* scene)
{
    return (palGiven){(const char*)scene, (unsigned char*)scene->given};
}

palGiven palGiven_OfList(const palSchemaKey* key, const void* record)
{
    char* elements = palSetting_Elements(key, record);
    size_t size = (size_t)palSetting_ElementCount(key, record) * key->table->size;
    return (palGiven){elements, (unsigned char*)elements + size};
}

void palGiven_Mark(palGiven given, const void* field)
{
    size_t bit = (size_t)((const char*)field - given.block) / bytesPerBit;
    given.bits[bit / 8] |= (unsigned char)(1u << bit % 8);
}

bool palGiven_Has(palGiven given, const palSchemaKey* key, const void* record)
{
    const void* field = palSetting_AtConst(key, record);
    if (key->type == pal_schemaList)
        return palSetting_ElementCount(key, record) > 0;
    if (key->type == pal_schemaMap)
        return key->given != 0 ? *(const bool*)((const char*)record + key->given)
                               : palGiven_HasAny(given, key->table, field);
    size_t bit = (size_t)((const char*)field - given.block) / bytesPerBit;
    return (given.bits[bit / 8] >> bit % 8 & 1) != 0;
}

bool palGiven_HasAny(palGiven given, const palSchemaTable* table, const void* record)
{
    int kind = palSetting_KindOf(table, record);
    const palSchemaTable* further = palSchema_KindTable(table, kind);
    for (int i = 0; i < table->keyCount; i++)
        if (palSchema_Uses(&table->keys[i], kind) && palGiven_Has(given, &table->keys[i], record))
            return true;
    return further != NULL &&
           palGiven_HasAny(given, further, (const char*)record + table->kindOffset);
}

bool palGiven_Applies(palGiven given, const palSchemaTable* table, const palSchemaKey* key,
                      const void* record)
{
    if (!palSchema_Uses(key, palSetting_KindOf(table, record)) ||
        (key->group != 0 && !palGiven_Has(given, key, record)))
        return false;
    return key->needs == NULL || palGiven_Has(given, palSchema_Find(table, key->needs), record);
}
