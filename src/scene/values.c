// SPDX-License-Identifier: Apache-2.0
#include "scene/values.h"

#include "base/plain_locale.h"
#include "scene/setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    pathMax = 160,
};

static const char* typeWord(palSchemaType type)
{
    switch (type)
    {
    case pal_schemaWhole:
        return "whole";
    case pal_schemaNumber:
        return "number";
    case pal_schemaVector:
        return "vector";
    case pal_schemaChoice:
    case pal_schemaName:
        return "name";
    default:
        return "text";
    }
}

static void writeRange(const palSchemaKey* key, palJson* json)
{
    if (key->type != pal_schemaWhole && key->type != pal_schemaNumber &&
        key->type != pal_schemaVector)
        return;
    palJson_Number(json, "low", key->low);
    palJson_Number(json, "high", key->high);
    if (key->unit != NULL)
        palJson_Text(json, "unit", key->unit);
}

static void writeNames(const palSchemaKey* key, palJson* json)
{
    if (key->nameAt == NULL)
        return;
    palJson_BeginArray(json, "names");
    for (int i = 0; key->nameAt(i) != NULL; i++)
        palJson_Text(json, NULL, key->nameAt(i));
    palJson_End(json);
}

static void writeValue(const palSchemaKey* key, const void* record, const char* path, palJson* json)
{
    char value[pal_sceneTextMax + 64];
    palSetting_FormatValue(key, record, value, sizeof value);
    palJson_BeginObject(json, NULL);
    palJson_Text(json, "path", path);
    palJson_Text(json, "type", typeWord(key->type));
    palJson_Text(json, "value", value);
    writeRange(key, json);
    writeNames(key, json);
    palJson_Text(json, "meaning", key->meaning);
    palJson_End(json);
}

static void writeTable(const palSchemaTable* table, const void* record, const char* prefix,
                       palJson* json);

static void writeList(const palSchemaKey* key, const void* record, const char* path, palJson* json)
{
    for (int i = 0; i < palSetting_ElementCount(key, record); i++)
    {
        char item[pathMax];
        snprintf(item, sizeof item, "%.120s.%d", path, i);
        const char* elements = palSetting_Elements(key, record);
        writeTable(key->table, elements + (size_t)i * key->table->size, item, json);
    }
}

// Of keys that exclude each other only a text says whether it was given; the rest is left out.
static bool isGiven(const palSchemaTable* table, const palSchemaKey* key, const void* record)
{
    const char* field = palSetting_AtConst(key, record);
    if (key->group == 0)
        return true;
    if (key->type == pal_schemaPath || key->type == pal_schemaText)
        return field[0] != '\0';
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* other = &table->keys[i];
        if (other->group == key->group && other->type == pal_schemaPath)
            return *(const char*)palSetting_AtConst(other, record) == '\0';
    }
    return false;
}

static void writeTable(const palSchemaTable* table, const void* record, const char* prefix,
                       palJson* json)
{
    int kind = palSetting_KindOf(table, record);
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        if (!palSchema_Uses(key, kind) || !isGiven(table, key, record))
            continue;
        char path[pathMax];
        snprintf(path, sizeof path, "%s%s%s", prefix, prefix[0] != '\0' ? "." : "", key->name);
        if (key->type == pal_schemaMap)
            writeTable(key->table, palSetting_AtConst(key, record), path, json);
        else if (key->type == pal_schemaList)
            writeList(key, record, path, json);
        else
            writeValue(key, record, path, json);
    }
    const palSchemaTable* further = palSchema_KindTable(table, kind);
    if (further != NULL)
        writeTable(further, (const char*)record + table->kindOffset, prefix, json);
}

void palScene_WriteValues(const palScene* scene, palJson* json, const char* name)
{
    locale_t callers = palPlainLocale_Enter();
    palJson_BeginArray(json, name);
    writeTable(palSceneSchema(), scene, "", json);
    palJson_End(json);
    palPlainLocale_Leave(callers);
}

// The key whose name is the first word of a path.
static const palSchemaKey* findKey(const palSchemaTable* table, int kind, const char* path)
{
    size_t length = strcspn(path, ".");
    for (int i = 0; i < table->keyCount; i++)
        if (strlen(table->keys[i].name) == length &&
            memcmp(table->keys[i].name, path, length) == 0 && palSchema_Uses(&table->keys[i], kind))
            return &table->keys[i];
    return NULL;
}

const double* palScene_FindNumber(const palScene* scene, const char* path, const palSchemaKey** key)
{
    const palSchemaTable* table = palSceneSchema();
    const char* record = (const char*)scene;
    for (;;)
    {
        *key = findKey(table, palSetting_KindOf(table, record), path);
        path += strcspn(path, ".");
        if (*key == NULL || (*path == '\0') != ((*key)->type == pal_schemaNumber))
            return NULL;
        if (*path == '\0')
            return palSetting_AtConst(*key, record);
        path++;
        table = (*key)->table;
        if ((*key)->type == pal_schemaMap)
        {
            record = palSetting_AtConst(*key, record);
            continue;
        }
        char* end;
        long index = (*key)->type == pal_schemaList ? strtol(path, &end, 10) : -1;
        if (index < 0 || index >= palSetting_ElementCount(*key, record) || *end != '.')
            return NULL;
        record = palSetting_Elements(*key, record) + (size_t)index * table->size;
        path = end + 1;
    }
}

void palScene_WriteDriverKeys(const palDeviceOps* driver, palJson* json, const char* name)
{
    const palSchemaTable* table = driver->settings;
    _Alignas(max_align_t) unsigned char record[pal_driverSettingsMax];
    locale_t callers = palPlainLocale_Enter();
    palJson_BeginArray(json, name);
    if (table != NULL)
    {
        palSetting_SetDefaults(table, -1, record);
        writeTable(table, record, "device", json);
    }
    palJson_End(json);
    palPlainLocale_Leave(callers);
}
