// SPDX-License-Identifier: Apache-2.0
#include "api/world_maker.h"

#include "base/error.h"
#include "base/number.h"
#include "base/plain_locale.h"
#include "scene/reader.h"
#include "scene/setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//--------------------------------------------------------------------------------------------------
// Nodes

// Puts a node into a map under `key`, or, without a key, into a list. Returns it, or NULL.
static palYamlNode* put(palMaker* maker, palYamlNode* parent, const char* key, palYamlNode* node)
{
    maker->failed = maker->failed || node == NULL || parent == NULL ||
                    (key != NULL && !palYamlNode_SetKey(node, key));
    if (maker->failed)
    {
        palYamlNode_Destroy(node);
        return NULL;
    }
    palYamlNode_Append(parent, node);
    return node;
}

static int originOf(palMaker* maker, const char* place)
{
    int origin = maker->failed ? -1 : palWorld_Origin(maker->world, place);
    maker->failed = maker->failed || origin < 0;
    return origin;
}

palYamlNode* palMaker_Map(palMaker* maker, palYamlNode* parent, const char* key, const char* place)
{
    return put(maker, parent, key, palYamlNode_Create(pal_yamlMap, originOf(maker, place)));
}

palYamlNode* palMaker_List(palMaker* maker, palYamlNode* parent, const char* key, const char* place)
{
    return put(maker, parent, key, palYamlNode_Create(pal_yamlList, originOf(maker, place)));
}

void palMaker_Text(palMaker* maker, palYamlNode* map, const char* key, const char* text,
                   const char* place)
{
    if (text != NULL)
        put(maker, map, key, palYamlNode_CreateScalar(text, false, originOf(maker, place)));
}

void palMaker_Value(palMaker* maker, palYamlNode* parent, const char* key, double value,
                    const char* place)
{
    char text[pal_numberTextMax] = "nan";
    if (isfinite(value))
        palFormatNumber(value, text);
    else if (isinf(value))
        snprintf(text, sizeof text, value > 0.0 ? "inf" : "-inf");
    put(maker, parent, key, palYamlNode_CreateScalar(text, true, originOf(maker, place)));
}

void palMaker_Number(palMaker* maker, palYamlNode* map, const char* key, double value, double usual,
                     const char* place)
{
    if (value != usual)
        palMaker_Value(maker, map, key, value, place);
}

void palMaker_Components(palMaker* maker, palYamlNode* parent, const char* key, palVec3 vector,
                         const char* place)
{
    palYamlNode* list = palMaker_List(maker, parent, key, place);
    palMaker_Value(maker, list, NULL, vector.x, place);
    palMaker_Value(maker, list, NULL, vector.y, place);
    palMaker_Value(maker, list, NULL, vector.z, place);
}

void palMaker_Vector(palMaker* maker, palYamlNode* map, const char* key, palVec3 vector,
                     const char* place)
{
    if (vector.x != 0.0 || vector.y != 0.0 || vector.z != 0.0)
        palMaker_Components(maker, map, key, vector, place);
}

void palMaker_Choice(palMaker* maker, palYamlNode* map, const char* key, const char* const* names,
                     int count, int choice, const char* place)
{
    palMaker_Text(maker, map, key, choice >= 0 && choice < count ? names[choice] : "?", place);
}

//--------------------------------------------------------------------------------------------------
// Elements of the world's lists

const palSchemaTable* palTableOf(const char* key)
{
    return palSchema_Find(palSceneSchema(), key)->table;
}

palResult palWorld_CheckNode(const palWorld* world, const palSchemaTable* table,
                             const palYamlNode* node, palError* error)
{
    palMessages messages = {0};
    palFaults faults = palMakeFaults(&messages, world->file, world->origins);
    char* record = calloc(1, table->size + palGiven_Bytes(table->size));
    if (record == NULL)
        return palError_Memory(error, "the world", table->size);
    palGiven given = {record, (unsigned char*)record + table->size};
    palReader_Read(table, node, record, given, &faults);
    palSetting_FreeLists(table, record);
    free(record);
    palResult result = palFaults_Conclude(&faults, error);
    palMessages_Free(&messages);
    return result;
}

palYamlNode* palMaker_ListOf(palMaker* maker, const char* key)
{
    palYamlNode* list = palYamlNode_Find(maker->world->tree, key);
    return list != NULL ? list : palMaker_List(maker, maker->world->tree, key, "@palWorld");
}

// Whether the name of a new body is still free.
static palResult checkName(const palWorld* world, const char* name, const char* def,
                           palError* error)
{
    if (name == NULL || palWorld_FindBody(world, name).index == 0)
        return pal_ok;
    char place[64];
    snprintf(place, sizeof place, "%s.name", def);
    palError_Set(error, pal_errorInput, "more than one thing is named '%.60s'", name);
    palError_Remedy(error, "give each object and wire a name of its own");
    return palError_At(error, place, 0, 0);
}

// Frees the surfaces from `count` on.
static void dropSurfaces(palWorld* world, int count)
{
    while (world->surfaceCount > count)
    {
        palSurface_Free(world->surfaces[--world->surfaceCount]);
        free(world->surfaces[world->surfaceCount]);
    }
}

bool palTakeDef(const void* def, size_t size, void* full)
{
    size_t given = def != NULL ? *(const size_t*)def : 0;
    if (given <= sizeof given)
        return false;
    memcpy((char*)full + sizeof given, (const char*)def + sizeof given,
           (given < size ? given : size) - sizeof given);
    return true;
}

palResult palNoSize(const char* def, palError* error)
{
    palError_Set(error, pal_errorInput, "the def is missing, or its size is not set");
    palError_Remedy(error, "begin with palDefault%s()", def + strlen("pal"));
    return palError_At(error, def, 0, 0);
}

static palResult add(palWorld* world, const palAddition* addition, uint32_t* place, palError* error)
{
    palResult result = palWorld_Check(world, error);
    if (result == pal_ok && !palTakeDef(addition->given, addition->size, addition->def))
        result = palNoSize(addition->place + 1, error);
    if (result == pal_ok)
        result = palWorld_MayChange(world, error);
    if (result == pal_ok && addition->name != NULL)
        result = checkName(world, *addition->name, addition->place + 1, error);
    if (result != pal_ok)
        return result;
    locale_t callers = palPlainLocale_Enter();
    int surfaceCount = world->surfaceCount;
    palMaker maker = {.world = world};
    palYamlNode* list = palMaker_ListOf(&maker, addition->key);
    palYamlNode* map = palMaker_Map(&maker, list, NULL, addition->place);
    result = addition->putKeys(&maker, map, addition->def, error);
    if (result == pal_ok && maker.failed)
        result = palError_Memory(error, "the world", sizeof *map);
    if (result == pal_ok)
        result = palWorld_CheckNode(world, palTableOf(addition->key), map, error);
    if (result != pal_ok && map != NULL)
        palYamlNode_Replace(list, map, NULL);
    if (result != pal_ok)
        dropSurfaces(world, surfaceCount);
    else
        *place = (uint32_t)list->childCount;
    palPlainLocale_Leave(callers);
    return result;
}

palResult palWorld_AddElement(palWorld* world, const palAddition* addition, uint32_t* place,
                              palError* error)
{
    palError own;
    *place = 0;
    return palWorld_Tell(world, add(world, addition, place, &own), &own, error);
}
