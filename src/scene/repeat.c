// SPDX-License-Identifier: Apache-2.0
#include "scene/repeat.h"

#include "base/error.h"
#include "scene/given.h"
#include "scene/reader.h"
#include "scene/rigid_schema.h"
#include "scene/setting.h"

#include <stdio.h>
#include <string.h>

// Reads the map of a repeat. Returns how many it stands for; 0 after a fault.
static double readRepeat(const palYamlNode* node, palSceneRepeat* repeat, palFaults* faults)
{
    unsigned char bits[sizeof *repeat] = {0};
    const palGiven given = {(const char*)repeat, bits};
    int before = faults->count;
    palReader_Read(&pal_repeatTable, node, repeat, given, faults);
    if (faults->count > before)
        return 0.0;
    const double counts[] = {repeat->count.x, repeat->count.y, repeat->count.z};
    for (int k = 0; k < 3; k++)
        if (counts[k] != floor(counts[k]))
        {
            palError_Remedy(palFaults_Add(faults, palYamlNode_Find(node, "count"),
                                          "'count' is %g, not a whole number", counts[k]),
                            "give how many along x, y and z, as count: [10, 1, 5]");
            return 0.0;
        }
    return counts[0] * counts[1] * counts[2];
}

// What cannot be repeated, because it says where it is in other ways as well. Returns whether the
// object can.
static bool checkObject(const palYamlNode* object, const palYamlNode* repeat, palFaults* faults)
{
    const char* key = palYamlNode_Find(object, "soft") != NULL   ? "soft"
                      : palYamlNode_Find(object, "path") != NULL ? "path"
                                                                 : NULL;
    if (key == NULL)
        return true;
    palError_Remedy(
        palFaults_AddAtKey(faults, repeat, "an object with '%s' cannot be repeated", key),
        "give each of them as an object of its own");
    return false;
}

// The `index`th number of a list; 0 where it is none, which the reader will report.
static double numberAt(const palYamlNode* list, int index)
{
    const palYamlNode* node =
        list != NULL && list->kind == pal_yamlList ? palYamlNode_At(list, index) : NULL;
    double number;
    bool isNumber = node != NULL && node->kind == pal_yamlScalar && node->plain &&
                    palSetting_ParseNumber(node->text, &number);
    return isNumber ? number : 0.0;
}

// Where the copy is from the first of them.
static palVec3 offsetOf(const palSceneRepeat* repeat, int copy)
{
    const int counts[] = {(int)repeat->count.x, (int)repeat->count.y, (int)repeat->count.z};
    const int at[] = {copy % counts[0], copy / counts[0] % counts[1], copy / counts[0] / counts[1]};
    int last = counts[2] > 1 ? 2 : counts[1] > 1 ? 1 : 0;
    palVec3 offset = {at[0] * repeat->step.x, at[1] * repeat->step.y, at[2] * repeat->step.z};
    return at[last] % 2 == 1 ? palAdd(offset, repeat->stagger) : offset;
}

// Gives an object another place. Returns false without memory.
static bool moveObject(palYamlNode* object, palVec3 offset)
{
    palYamlNode* old = palYamlNode_Find(object, "position");
    if (old != NULL && (old->kind != pal_yamlList || old->childCount != 3))
        return true; // the reader will report it
    const double by[] = {offset.x, offset.y, offset.z};
    palYamlNode* position = palYamlNode_Create(pal_yamlList, object->origin);
    bool good = position != NULL && palYamlNode_SetKey(position, "position");
    for (int k = 0; k < 3 && good; k++)
    {
        char text[32];
        snprintf(text, sizeof text, "%.17g", numberAt(old, k) + by[k]);
        palYamlNode* number = palYamlNode_CreateScalar(text, true, object->origin);
        good = number != NULL;
        if (good)
            palYamlNode_Append(position, number);
    }
    if (!good)
    {
        palYamlNode_Destroy(position);
        return false;
    }
    const palYamlNode* where = old != NULL ? old : object;
    position->line = position->keyLine = where->line;
    position->column = position->keyColumn = where->column;
    for (palYamlNode* number = position->first; number != NULL; number = number->next)
        number->line = where->line, number->column = where->column;
    if (old != NULL)
        palYamlNode_Replace(object, old, position);
    else
        palYamlNode_Append(object, position);
    return true;
}

// Gives an object that has a name one of its own. Returns false without memory.
static bool numberObject(palYamlNode* object, int copy)
{
    palYamlNode* old = palYamlNode_Find(object, "name");
    if (old == NULL || old->kind != pal_yamlScalar || old->text[0] == '\0')
        return true;
    char text[pal_sceneTextMax];
    snprintf(text, sizeof text, "%.480s%d", old->text, copy);
    palYamlNode* name = palYamlNode_CreateScalar(text, false, old->origin);
    if (name == NULL || !palYamlNode_SetKey(name, "name"))
    {
        palYamlNode_Destroy(name);
        return false;
    }
    name->line = old->line;
    name->column = old->column;
    name->keyLine = old->keyLine;
    name->keyColumn = old->keyColumn;
    palYamlNode_Replace(object, old, name);
    return true;
}

// Puts the copies behind an object, which becomes the first of them.
static bool addCopies(palYamlNode* list, palYamlNode* object, const palSceneRepeat* repeat,
                      int count)
{
    palYamlNode* before = object;
    for (int i = 1; i < count; i++)
    {
        palYamlNode* copy = palYamlNode_Copy(object);
        if (copy == NULL || !moveObject(copy, offsetOf(repeat, i)) || !numberObject(copy, i))
        {
            palYamlNode_Destroy(copy);
            return false;
        }
        copy->next = before->next;
        before->next = copy;
        list->last = list->last == before ? copy : list->last;
        list->childCount++;
        before = copy;
    }
    return numberObject(object, 0);
}

static palResult expandObject(palYamlNode* list, palYamlNode* object, palYamlNode* node,
                              palFaults* faults, palError* error)
{
    palSceneRepeat repeat;
    palSetting_SetDefaults(&pal_repeatTable, -1, &repeat);
    double count = readRepeat(node, &repeat, faults);
    if (count > 0.0 && list->childCount + count - 1.0 > pal_objectsMax)
    {
        palError_Remedy(palFaults_AddAtKey(faults, node, "with these the scene has %.0f objects",
                                           list->childCount + count - 1.0),
                        "at most %d are allowed", pal_objectsMax);
        count = 0.0;
    }
    if (count > 0.0 && !checkObject(object, node, faults))
        count = 0.0;
    palYamlNode_Replace(object, node, NULL);
    if (count <= 0.0 || addCopies(list, object, &repeat, (int)count))
        return pal_ok;
    return palError_Memory(error, "repeated objects", sizeof(palYamlNode));
}

palResult palRepeat_Expand(palYamlNode* root, palFaults* faults, palError* error)
{
    palYamlNode* list = palYamlNode_Find(root, "objects");
    palResult result = pal_ok;
    if (list == NULL || list->kind != pal_yamlList)
        return pal_ok;
    for (palYamlNode* object = list->first; object != NULL && result == pal_ok;
         object = object->next)
    {
        palYamlNode* node = object->kind == pal_yamlMap ? palYamlNode_Find(object, "repeat") : NULL;
        if (node != NULL)
            result = expandObject(list, object, node, faults, error);
    }
    return result;
}
