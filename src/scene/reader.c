// SPDX-License-Identifier: Apache-2.0
#include "scene/reader.h"

#include "base/error.h"
#include "base/spelling.h"
#include "scene/given.h"
#include "scene/setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    maxNames = 64, // looked at for "did you mean"
};

static void wrongType(const palSchemaKey* key, const palYamlNode* node, palFaults* faults)
{
    const char* what = palYamlNode_Describe(node);
    bool shown = node->kind == pal_yamlScalar && node->text[0] != '\0';
    palError* error = palFaults_Add(faults, node, "'%s' needs %s, found %s%s%.40s%s", key->name,
                                    palSetting_TypeText(key), what, shown ? " '" : "",
                                    shown ? node->text : "", shown ? "'" : "");
    if (key->type == pal_schemaNumber && key->unit != NULL)
        palError_Remedy(error, "give the value in %s, without the unit", key->unit);
    else if (key->type == pal_schemaVector)
        palError_Remedy(error, "for example %s: [0, 0, 1]", key->name);
    else if (key->type == pal_schemaBox)
        palError_Remedy(error, "for example %s: [[-1, -1, 0], [1, 1, 0.01]]", key->name);
}

// One number of a key, in range.
static bool readNumber(const palSchemaKey* key, const palYamlNode* node, double* number,
                       palFaults* faults)
{
    if (node->kind != pal_yamlScalar || !node->plain || !palSetting_ParseNumber(node->text, number))
    {
        wrongType(key, node, faults);
        return false;
    }
    char range[96];
    palSetting_FormatRange(key, range, sizeof range);
    palError* error = NULL;
    if (!isfinite(*number))
        error = palFaults_Add(faults, node, "'%s' is not finite", key->name);
    else if (*number < key->low || *number > key->high)
        error = palFaults_Add(faults, node, "'%s' is out of range: %.40s", key->name, node->text);
    else
        return true;
    palError_Remedy(error, "allowed: %s", range);
    return false;
}

static void readWhole(const palSchemaKey* key, const palYamlNode* node, int* whole,
                      palFaults* faults)
{
    double number;
    if (!readNumber(key, node, &number, faults))
        return;
    if (number == floor(number))
        *whole = (int)number;
    else
        wrongType(key, node, faults);
}

static bool readVector(const palSchemaKey* key, const palYamlNode* node, palVec3* vector,
                       palFaults* faults)
{
    if (node->kind != pal_yamlList)
    {
        wrongType(key, node, faults);
        return false;
    }
    if (node->childCount != 3)
    {
        palError* error =
            palFaults_Add(faults, node, "'%s' needs a list of three numbers, found %d", key->name,
                          node->childCount);
        palError_Remedy(error, "for example %s: [0, 0, 1]", key->name);
        return false;
    }
    double values[3];
    bool good = true;
    const palYamlNode* child = node->first;
    for (int i = 0; i < 3; i++, child = child->next)
        good = readNumber(key, child, &values[i], faults) && good;
    if (!good)
        return false;
    palVec3 read = {values[0], values[1], values[2]};
    if (key->nonZero && palLength(read) == 0.0)
    {
        palError* error =
            palFaults_Add(faults, node, "'%s' is a direction and has no length", key->name);
        palError_Remedy(error, "give any vector but zero");
        return false;
    }
    *vector = read;
    return true;
}

// Two corners across from each other, in any order.
static void readBox(const palSchemaKey* key, const palYamlNode* node, palBounds* box,
                    palFaults* faults)
{
    if (node->kind != pal_yamlList || node->childCount != 2)
    {
        wrongType(key, node, faults);
        return;
    }
    palVec3 a, b;
    bool good = readVector(key, node->first, &a, faults);
    if (readVector(key, node->first->next, &b, faults) && good)
        *box = (palBounds){palMinVec3(a, b), palMaxVec3(a, b)};
}

static bool readText(const palSchemaKey* key, const palYamlNode* node, char* text,
                     palFaults* faults)
{
    bool empty = node->kind == pal_yamlScalar && node->text[0] == '\0';
    bool usable = node->kind == pal_yamlScalar && !(empty && node->plain);
    if (!usable || (empty && key->type == pal_schemaPath))
    {
        wrongType(key, node, faults);
        return false;
    }
    if (strlen(node->text) >= key->size)
    {
        palError* error =
            palFaults_Add(faults, node, "'%s' is longer than %zu bytes", key->name, key->size - 1);
        palError_Remedy(error, "shorten it");
        return false;
    }
    strcpy(text, node->text);
    return true;
}

// A name of the key's list. Returns its index, or -1 after a fault.
static int readName(const palSchemaKey* key, const palYamlNode* node, palFaults* faults)
{
    if (node->kind != pal_yamlScalar || palYamlNode_IsNothing(node))
    {
        wrongType(key, node, faults);
        return -1;
    }
    int index = palSetting_FindName(key, node->text);
    if (index >= 0)
        return index;
    const char* names[maxNames];
    int count = 0;
    for (; count < maxNames && key->nameAt(count) != NULL; count++)
        names[count] = key->nameAt(count);
    const char* near = palNearestWord(node->text, names, count);
    char all[256];
    palSetting_FormatNames(key, all, sizeof all);
    palError* error = palFaults_Add(faults, node, "'%s' cannot be '%.60s'", key->name, node->text);
    if (near != NULL)
        palError_Remedy(error, "did you mean '%s'? Allowed: %s", near, all);
    else
        palError_Remedy(error, "allowed: %s", all);
    return -1;
}

// Where a value stands in the file; what a --set gives has no place.
static void keepPlace(const palYamlNode* node, void* place)
{
    if (node->origin < 0)
        *(palScenePlace*)place = (palScenePlace){node->line, node->column};
}

static void readList(const palSchemaKey* key, const palYamlNode* node, void* record, palGiven given,
                     palFaults* faults)
{
    if (node->kind != pal_yamlList)
    {
        wrongType(key, node, faults);
        return;
    }
    if (key->size > 0 && node->childCount > (int)key->size)
    {
        palError* error =
            palFaults_Add(faults, node, "'%s' has %d elements", key->name, node->childCount);
        palError_Remedy(error, "at most %zu are allowed", key->size);
        return;
    }
    size_t listSize = (size_t)node->childCount * key->table->size;
    char* element = calloc(1, listSize + palGiven_Bytes(listSize));
    if (element == NULL)
    {
        palFaults_Add(faults, node, "there is no memory for the %d elements of '%s'",
                      node->childCount, key->name);
        return;
    }
    *(char**)palSetting_At(key, record) = element;
    *(int*)((char*)record + key->count) = node->childCount;
    given = palGiven_OfList(key, record);
    for (const palYamlNode* child = node->first; child != NULL; child = child->next)
    {
        palReader_Read(key->table, child, element, given, faults);
        if (key->table->placed)
            keepPlace(child, element);
        element += key->table->size;
    }
}

static void readValue(const palSchemaKey* key, const palYamlNode* node, void* record,
                      palGiven given, palFaults* faults)
{
    void* field = palSetting_At(key, record);
    int index;
    if (key->given != 0)
        *(bool*)((char*)record + key->given) = true;
    if (key->table == NULL)
        palGiven_Mark(given, field);
    switch (key->type)
    {
    case pal_schemaWhole:
        readWhole(key, node, field, faults);
        break;
    case pal_schemaNumber:
    {
        double number;
        if (readNumber(key, node, &number, faults))
            *(double*)field = number;
        break;
    }
    case pal_schemaVector:
        readVector(key, node, field, faults);
        break;
    case pal_schemaBox:
        readBox(key, node, field, faults);
        break;
    case pal_schemaText:
        readText(key, node, field, faults);
        break;
    case pal_schemaPath:
        if (readText(key, node, field, faults) && key->place != 0)
            keepPlace(node, (char*)record + key->place);
        break;
    case pal_schemaChoice:
        index = readName(key, node, faults);
        if (index >= 0)
            *(int*)field = index;
        break;
    case pal_schemaName:
        if (readName(key, node, faults) >= 0)
            readText(key, node, field, faults);
        break;
    case pal_schemaMap:
        palReader_Read(key->table, node, field, given, faults);
        if (key->place != 0)
            keepPlace(node, (char*)record + key->place);
        break;
    case pal_schemaList:
        readList(key, node, record, given, faults);
    }
}

// The kinds of which the key is one of their own: "simulated or udp". Returns how many.
static int formatKindsWith(const palSchemaTable* table, const char* name, char* out, size_t size)
{
    int count = 0;
    size_t length = 0;
    const palSchemaKey* first = &table->keys[0];
    out[0] = '\0';
    for (int i = 0; table->kindTableAt != NULL && first->nameAt(i) != NULL; i++)
    {
        const palSchemaTable* further = palSchema_KindTable(table, i);
        if (further == NULL || palSchema_Find(further, name) == NULL)
            continue;
        if (length < size)
            length += (size_t)snprintf(out + length, size - length, "%s%s", count > 0 ? " or " : "",
                                       first->nameAt(i));
        count++;
    }
    return count;
}

// The names of the keys that a kind uses. Returns how many.
static int listKeys(const palSchemaTable* table, int kind, const char* names[maxNames])
{
    int count = 0;
    for (int i = 0; i < table->keyCount && count < maxNames; i++)
        if (palSchema_Uses(&table->keys[i], kind))
            names[count++] = table->keys[i].name;
    const palSchemaTable* further = palSchema_KindTable(table, kind);
    for (int i = 0; further != NULL && i < further->keyCount && count < maxNames; i++)
        names[count++] = further->keys[i].name;
    return count;
}

void palReader_UnknownKey(const palSchemaTable* table, int kind, const palYamlNode* node,
                          palFaults* faults)
{
    if (table->kindTableAt != NULL && kind < 0)
        return;
    char all[256], kinds[128];
    const palSchemaKey* first = &table->keys[0];
    palSetting_FormatKeys(table, kind, all, sizeof all);
    if (formatKindsWith(table, node->key, kinds, sizeof kinds) > 0)
    {
        palError* error = palFaults_AddAtKey(faults, node, "'%s' is used by %s %s, not by %s",
                                             node->key, first->name, kinds, first->nameAt(kind));
        palError_Remedy(error, "remove it, or use %s: %s; allowed with %s: %s", first->name, kinds,
                        first->nameAt(kind), all);
        return;
    }
    const char* names[maxNames];
    const char* near = palNearestWord(node->key, names, listKeys(table, kind, names));
    palError* error =
        palFaults_AddAtKey(faults, node, "unknown key '%.60s' in %s", node->key, table->noun);
    if (near != NULL)
        palError_Remedy(error, "did you mean '%s'? Allowed: %s", near, all);
    else
        palError_Remedy(error, "allowed: %s", all);
}

// Whether the key may stand where it stands; if not, the fault is reported.
static bool mayStand(const palSchemaTable* table, const palSchemaKey* key, int kind,
                     const palYamlNode* map, const palYamlNode* node, palFaults* faults)
{
    if (node->twinLine > 0)
    {
        palError* error = palFaults_AddAtKey(faults, node, "key '%s' is given twice", key->name);
        palError_Remedy(error, "keep one; the first is in line %d", node->twinLine);
        return false;
    }
    if (!palSchema_Uses(key, kind))
    {
        char all[256];
        palSetting_FormatKeys(table, kind, all, sizeof all);
        palError* error = palFaults_AddAtKey(faults, node, "'%s' is not used by %s kind %s",
                                             key->name, table->noun, table->keys[0].nameAt(kind));
        palError_Remedy(error, "allowed: %s", all);
        return false;
    }
    if (key->needs != NULL && palYamlNode_Find(map, key->needs) == NULL)
    {
        palError* error = palFaults_AddAtKey(faults, node, "'%s' is used together with '%s' only",
                                             key->name, key->needs);
        palError_Remedy(error, "remove it, or give '%s'", key->needs);
        return false;
    }
    return true;
}

// The names of a group's keys: "'mesh' or 'shape'".
static void formatGroup(const palSchemaTable* table, int group, char* out, size_t size)
{
    size_t length = 0;
    out[0] = '\0';
    for (int i = 0; i < table->keyCount && length < size; i++)
        if (table->keys[i].group == group)
            length += (size_t)snprintf(out + length, size - length, "%s'%s'",
                                       length > 0 ? " or " : "", table->keys[i].name);
}

// Reports a group of which no key is given, or more than one.
static void checkGroup(const palSchemaTable* table, int group, const palYamlNode* map,
                       palFaults* faults)
{
    const palYamlNode* given[2] = {NULL, NULL};
    for (const palYamlNode* child = map->first; child != NULL; child = child->next)
    {
        const palSchemaKey* key = palSchema_Find(table, child->key);
        if (key != NULL && key->group == group && child->twinLine == 0)
            given[given[0] != NULL] = child;
    }
    char names[128];
    formatGroup(table, group, names, sizeof names);
    palError* error = NULL;
    if (given[0] == NULL)
        error = palFaults_Add(faults, map, "%s misses %s", table->noun, names);
    else if (given[1] != NULL)
        error = palFaults_AddAtKey(faults, given[1], "'%s' and '%s' exclude each other",
                                   given[0]->key, given[1]->key);
    palError_Remedy(error, "give exactly one of %s", names);
}

static void checkPresence(const palSchemaTable* table, int kind, const palYamlNode* map,
                          palFaults* faults)
{
    int lastGroup = 0;
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        bool unsure = table->byKind && kind < 0 && key->kinds != 0;
        if (unsure || !palSchema_Uses(key, kind))
            continue;
        if (key->required && palYamlNode_Find(map, key->name) == NULL)
        {
            palError* error =
                palFaults_Add(faults, map, "%s misses the key '%s'", table->noun, key->name);
            palError_Remedy(error, "add %s: %s", key->name, palSetting_TypeText(key));
        }
        if (key->group > lastGroup)
        {
            checkGroup(table, key->group, map, faults);
            lastGroup = key->group;
        }
    }
}

int palReader_KindOf(const palSchemaTable* table, const palYamlNode* map)
{
    if (!table->byKind)
        return -1;
    const palYamlNode* node = palYamlNode_Find(map, table->keys[0].name);
    if (node == NULL)
        return palSetting_DefaultKind(table);
    if (node->kind != pal_yamlScalar)
        return -1;
    return palSetting_FindName(&table->keys[0], node->text);
}

// Reads what the map gives under one key: into the table's struct, or into that of the kind's own
// keys.
static void readKey(const palSchemaTable* table, int kind, const palYamlNode* map,
                    const palYamlNode* node, void* record, palGiven given, palFaults* faults)
{
    const palSchemaKey* key = palSchema_Find(table, node->key);
    const palSchemaTable* further = palSchema_KindTable(table, kind);
    if (key == NULL && further != NULL && palSchema_Find(further, node->key) != NULL)
        readKey(further, -1, map, node, palSetting_KindRecord(table, record), given, faults);
    else if (key == NULL)
        palReader_UnknownKey(table, kind, node, faults);
    else if (mayStand(table, key, kind, map, node, faults))
        readValue(key, node, record, given, faults);
}

void palReader_Read(const palSchemaTable* table, const palYamlNode* node, void* record,
                    palGiven given, palFaults* faults)
{
    int kind = palReader_KindOf(table, node);
    palSetting_SetDefaults(table, kind, record);
    if (node->kind != pal_yamlMap)
    {
        palError* error = palFaults_Add(faults, node, "%s needs a map, found %s", table->noun,
                                        palYamlNode_Describe(node));
        char all[256];
        palSetting_FormatKeys(table, -1, all, sizeof all);
        palError_Remedy(error, "its keys are: %s", all);
        return;
    }
    for (const palYamlNode* child = node->first; child != NULL; child = child->next)
        readKey(table, kind, node, child, record, given, faults);
    checkPresence(table, kind, node, faults);
    const palSchemaTable* further = palSchema_KindTable(table, kind);
    if (further != NULL)
        checkPresence(further, -1, node, faults);
}

static bool holdsOrigin(const palYamlNode* node, int origin)
{
    bool holds = node->origin == origin;
    for (const palYamlNode* child = node->first; child != NULL && !holds; child = child->next)
        holds = holdsOrigin(child, origin);
    return holds;
}

// One value, read into a struct that is thrown away.
static void checkValue(const palSchemaTable* table, const palSchemaKey* key,
                       const palYamlNode* node, palFaults* faults)
{
    char* record = calloc(1, table->size + palGiven_Bytes(table->size));
    if (record == NULL)
        palFaults_Add(faults, node, "there is no memory to read '%s'", key->name);
    else
        readValue(key, node, record, (palGiven){record, (unsigned char*)record + table->size},
                  faults);
    free(record);
}

void palReader_CheckValues(const palSchemaTable* table, const palYamlNode* map, int origin,
                           palFaults* faults)
{
    const palSchemaTable* further = palSchema_KindTable(table, palReader_KindOf(table, map));
    for (const palYamlNode* node = map->first; node != NULL; node = node->next)
    {
        const palSchemaKey* key = palSchema_Find(table, node->key);
        const palSchemaTable* owner = key != NULL ? table : further;
        key = key == NULL && further != NULL ? palSchema_Find(further, node->key) : key;
        if (key == NULL || !holdsOrigin(node, origin))
            continue;
        palYamlKind kind = key->type == pal_schemaList ? pal_yamlList : pal_yamlMap;
        if (key->table == NULL)
            checkValue(owner, key, node, faults);
        else if (node->kind != kind)
            wrongType(key, node, faults);
        else if (kind == pal_yamlMap)
            palReader_CheckValues(key->table, node, origin, faults);
        else
            for (const palYamlNode* each = node->first; each != NULL; each = each->next)
                if (each->kind == pal_yamlMap)
                    palReader_CheckValues(key->table, each, origin, faults);
    }
}
