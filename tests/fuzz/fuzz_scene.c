// SPDX-License-Identifier: Apache-2.0
// A scene file from anyone: every text is either a scene whose values are all in range, or refused
// with a message. Lines after a line "%%set" are --set arguments.
#include "target.h"

#include "same_scene.h"
#include "scene/writer.h"

#include <stdlib.h>
#include <string.h>

enum
{
    maxSets = 8,
};

static void requireInRange(const palSchemaKey* key, double value)
{
    require((key->unset != NULL && isnan(value)) || (value >= key->low && value <= key->high));
}

// Every number of a struct is in its range. A key that the kind does not use, or of which another
// of its group is given, holds the maker's value.
static void requireSound(const palSchemaTable* table, const void* record)
{
    int kind = palSetting_KindOf(table, record);
    const palSchemaTable* further = palSchema_KindTable(table, kind);
    require(!table->byKind || (kind >= 0 && table->keys[0].nameAt(kind) != NULL));
    if (further != NULL)
        requireSound(further, (const char*)record + table->kindOffset);
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        const void* field = palSetting_AtConst(key, record);
        const palVec3* vector = field;
        if (!palSchema_Uses(key, kind))
            continue;
        if (key->type == pal_schemaMap)
            requireSound(key->table, field);
        if (key->type == pal_schemaWhole && key->group == 0)
            requireInRange(key, *(const int*)field);
        if (key->type == pal_schemaNumber)
            requireInRange(key, *(const double*)field);
        if (key->type == pal_schemaVector && key->group == 0)
        {
            requireInRange(key, vector->x);
            requireInRange(key, vector->y);
            requireInRange(key, vector->z);
        }
        if (key->type == pal_schemaText || key->type == pal_schemaPath)
            require(memchr(field, '\0', key->size) != NULL);
        if (key->type == pal_schemaName)
            require(palSetting_FindName(key, field) >= 0);
    }
}

static void requireSoundScene(const palScene* scene)
{
    requireSound(palSceneSchema(), scene);
    require(scene->objectCount >= 0);
    const palSchemaKey* objects = palSchema_Find(palSceneSchema(), "objects");
    for (int i = 0; i < scene->objectCount; i++)
        requireSound(objects->table, &scene->objects[i]);
    require(scene->hand.trajectory.object < scene->objectCount);
    require(scene->time.latency <= scene->time.lowDt && scene->time.dt <= scene->time.lowDt);
}

// Cuts the lines after "%%set" off a terminated text.
static int splitSets(char* text, const char* sets[maxSets])
{
    int count = 0;
    char* at = strstr(text, "\n%%set\n");
    if (at == NULL)
        return 0;
    *at = '\0';
    for (at += strlen("\n%%set\n"); *at != '\0' && count < maxSets;)
    {
        sets[count++] = at;
        at += strcspn(at, "\n");
        if (*at == '\n')
            *at++ = '\0';
    }
    return count;
}

// The scene as it is written is the same scene again.
static void requireWritable(const palScene* scene)
{
    static palScene copy;
    char* text = NULL;
    size_t length;
    FILE* file = open_memstream(&text, &length);
    require(file != NULL);
    palScene_Print(scene, NULL, file);
    fclose(file);
    require(palScene_Parse(text, length, "copy.yaml", NULL, 0, &copy, NULL, NULL) == pal_ok);
    require(findDifference(scene, &copy) == NULL);
    palScene_Free(&copy);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static palScene scene;
    char* text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    const char* sets[maxSets];
    int setCount = splitSets(text, sets);
    size_t length = setCount > 0 ? strlen(text) : size;

    palMessages messages = {0};
    palError error = {0};
    palResult result =
        palScene_Parse(text, length, "fuzz.yaml", sets, setCount, &scene, &messages, &error);
    if (result == pal_ok)
    {
        requireSoundScene(&scene);
        requireWritable(&scene);
        palScene_Free(&scene);
    }
    require((result == pal_ok) == (messages.count == 0));
    require(result == pal_ok || error.text[0] != '\0');
    palMessages_Free(&messages);
    free(text);
    return 0;
}
