// SPDX-License-Identifier: Apache-2.0
#include "scene/given.h"

#include "base/assert.h"
#include "scene/setting.h"

enum
{
    bytesPerBit = 4, // the smallest value is an int
};

_Static_assert(offsetof(palScene, given) <= (size_t)pal_sceneGivenBytes * 8 * bytesPerBit,
               "enlarge pal_sceneGivenBytes");

static size_t bitOf(const palScene* scene, const void* field)
{
    size_t offset = (size_t)((const char*)field - (const char*)scene);
    PAL_ASSERT(offset < offsetof(palScene, given));
    return offset / bytesPerBit;
}

void palGiven_Mark(palScene* scene, const void* field)
{
    size_t bit = bitOf(scene, field);
    scene->given[bit / 8] |= (unsigned char)(1u << bit % 8);
}

bool palGiven_Has(const palScene* scene, const palSchemaKey* key, const void* record)
{
    const void* field = palSetting_AtConst(key, record);
    if (key->type == pal_schemaList)
        return *(const int*)((const char*)record + key->count) > 0;
    if (key->type == pal_schemaMap)
        return key->given != 0 ? *(const bool*)((const char*)record + key->given)
                               : palGiven_HasAny(scene, key->table, field);
    size_t bit = bitOf(scene, field);
    return (scene->given[bit / 8] >> bit % 8 & 1) != 0;
}

bool palGiven_HasAny(const palScene* scene, const palSchemaTable* table, const void* record)
{
    int kind = palSetting_KindOf(table, record);
    const palSchemaTable* further = palSchema_KindTable(table, kind);
    for (int i = 0; i < table->keyCount; i++)
        if (palSchema_Uses(&table->keys[i], kind) && palGiven_Has(scene, &table->keys[i], record))
            return true;
    return further != NULL &&
           palGiven_HasAny(scene, further, (const char*)record + table->kindOffset);
}

bool palGiven_Applies(const palScene* scene, const palSchemaTable* table, const palSchemaKey* key,
                      const void* record)
{
    if (!palSchema_Uses(key, palSetting_KindOf(table, record)) ||
        (key->group != 0 && !palGiven_Has(scene, key, record)))
        return false;
    return key->needs == NULL || palGiven_Has(scene, palSchema_Find(table, key->needs), record);
}
