// SPDX-License-Identifier: Apache-2.0
#include "scene/changes.h"

#include "base/error.h"
#include "scene/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    maxPath = 256, // bytes, with the end
};

// One change on its way down the tree.
typedef struct Change
{
    char path[maxPath]; // the dots are replaced by ends of text
    int index;          // of the change, the origin of its nodes
    palYamlNode* value; // owned until it is placed
    palFaults* faults;
    palResult result; // pal_errorMemory, or pal_ok also after a fault
    palError* error;
} Change;

static palError* fault(Change* change, const char* format, const char* word)
{
    palYamlNode place = {.origin = change->index};
    char text[160];
    snprintf(text, sizeof text, format, word);
    return palFaults_Add(change->faults, &place, "%s", text);
}

static void outOfMemory(Change* change)
{
    change->result = palError_Memory(change->error, "a YAML node", sizeof(palYamlNode));
}

// The segment after this one, or NULL.
static char* nextSegment(Change* change, char* segment)
{
    char* end = segment + strlen(segment) + 1;
    return end < change->path + maxPath && *end != '\0' ? end : NULL;
}

// Takes out of a map what the file gave and what cannot stand beside `key`.
static void removeRivals(const palSchemaTable* table, const palSchemaKey* key, palYamlNode* map)
{
    for (palYamlNode *child = map->first, *next; child != NULL; child = next)
    {
        next = child->next;
        const palSchemaKey* other = palSchema_Find(table, child->key);
        if (other == NULL || other == key || child->origin >= 0 || key->group == 0)
            continue;
        bool rival = other->group == key->group;
        const palSchemaKey* needed = other->needs ? palSchema_Find(table, other->needs) : NULL;
        bool orphan = needed != NULL && needed != key && needed->group == key->group;
        if (rival || orphan)
            palYamlNode_Replace(map, child, NULL);
    }
}

// After a kind is set: takes out what the file gave for another kind.
static void removeUnused(const palSchemaTable* table, palYamlNode* map)
{
    int kind = palReader_KindOf(table, map);
    for (palYamlNode *child = map->first, *next; child != NULL; child = next)
    {
        next = child->next;
        const palSchemaKey* key = palSchema_Find(table, child->key);
        if (key != NULL && child->origin < 0 && !palSchema_Uses(key, kind))
            palYamlNode_Replace(map, child, NULL);
    }
}

// The first change at or below a node, or -1.
static int firstChange(const palYamlNode* node)
{
    int found = node->origin;
    for (const palYamlNode* child = node->first; child != NULL && found < 0; child = child->next)
        found = firstChange(child);
    return found;
}

// Takes out what the file gave below a node, but for the keys of a table. What holds a change stays
// for its sake, and counts as given by it.
static void removeFileNodes(palYamlNode* parent, const palSchemaTable* kept)
{
    for (palYamlNode *child = parent->first, *next; child != NULL; child = next)
    {
        next = child->next;
        if (child->origin >= 0 || (kept != NULL && palSchema_Find(kept, child->key) != NULL))
            continue;
        child->origin = firstChange(child);
        if (child->origin >= 0)
            removeFileNodes(child, NULL);
        else
            palYamlNode_Replace(parent, child, NULL);
    }
}

// After all changes, for a table whose kinds have keys of their own: where the kind is not the
// file's any more, takes out what the file gave for that one. A key of the same name in the new
// kind means something else.
static void removeFormerKind(const palSchemaTable* table, palYamlNode* map)
{
    const palSchemaKey* first = &table->keys[0];
    const palYamlNode* kind = palYamlNode_Find(map, first->name);
    if (table->kindTableAt == NULL || kind == NULL || kind->origin < 0)
        return;
    const char* former = kind->fileText != NULL ? kind->fileText : first->fallback;
    if (kind->kind == pal_yamlScalar && former != NULL && strcmp(kind->text, former) == 0)
        return;
    removeFileNodes(map, table);
}

// The same for the maps and lists below.
static void removeFormerKinds(const palSchemaTable* table, palYamlNode* map)
{
    removeFormerKind(table, map);
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        palYamlNode* child = key->table != NULL ? palYamlNode_Find(map, key->name) : NULL;
        palYamlNode* each = child != NULL && child->kind == pal_yamlList ? child->first : child;
        for (; each != NULL; each = each != child ? each->next : NULL)
            if (each->kind == pal_yamlMap)
                removeFormerKinds(key->table, each);
    }
}

// Puts the value in a map under `name`, in the place of what is there.
static void placeInMap(Change* change, palYamlNode* map, const char* name, palYamlNode* value)
{
    if (!palYamlNode_SetKey(value, name))
    {
        palYamlNode_Destroy(value);
        outOfMemory(change);
        return;
    }
    palYamlNode* old = palYamlNode_Find(map, name);
    if (old != NULL)
        palYamlNode_Replace(map, old, value);
    else
        palYamlNode_Append(map, value);
}

static palYamlNode* takeValue(Change* change)
{
    palYamlNode* value = change->value;
    change->value = NULL;
    return value;
}

// The child of a map on the way down, made where the file has none. NULL after a fault.
static palYamlNode* enterChild(Change* change, palYamlNode* map, const char* name, palYamlKind kind)
{
    palYamlNode* child = palYamlNode_Find(map, name);
    if (child != NULL && child->kind != kind)
    {
        fault(change,
              kind == pal_yamlMap ? "'%s' is not a map in the file"
                                  : "'%s' is not a list in the file",
              name);
        return NULL;
    }
    if (child != NULL)
        return child;
    child = palYamlNode_Create(kind, change->index);
    if (child == NULL)
    {
        outOfMemory(change);
        return NULL;
    }
    placeInMap(change, map, name, child);
    return palYamlNode_Find(map, name);
}

// The index that a segment names, 0 .. count, or -1 after a fault.
static int readIndex(Change* change, const char* segment, int count)
{
    size_t digits = strspn(segment, "0123456789");
    int index = digits < 7 ? atoi(segment) : -1;
    if (digits > 0 && segment[digits] == '\0' && index >= 0 && index <= count)
        return index;
    palError* error = fault(change, "'%.60s' is not an index of this list", segment);
    palError_Remedy(error, "indices go from 0; the list has %d elements, %d appends", count, count);
    return -1;
}

static void setInTable(Change* change, const palSchemaTable* table, palYamlNode* map,
                       char* segment);

// Goes on in element `segment` of a list of maps; one past the end appends.
static void setInList(Change* change, const palSchemaKey* key, palYamlNode* list, char* segment)
{
    int index = readIndex(change, segment, list->childCount);
    if (index < 0)
        return;
    palYamlNode* element = palYamlNode_At(list, index);
    char* rest = nextSegment(change, segment);
    palYamlNode* fresh = NULL;
    if (rest == NULL)
        fresh = takeValue(change);
    else if (element == NULL)
        fresh = palYamlNode_Create(pal_yamlMap, change->index);
    if (element == NULL && fresh == NULL)
    {
        outOfMemory(change);
        return;
    }
    if (element == NULL)
        palYamlNode_Append(list, fresh);
    else if (fresh != NULL)
        palYamlNode_Replace(list, element, fresh);
    if (rest == NULL)
        return;
    element = palYamlNode_At(list, index);
    if (element->kind == pal_yamlMap)
        setInTable(change, key->table, element, rest);
    else
        fault(change, "element '%s' is not a map in the file", segment);
}

// Sets one component of a vector that the file gives.
static void setInVector(Change* change, const palSchemaKey* key, const palYamlNode* map,
                        char* segment)
{
    palYamlNode* list = palYamlNode_Find(map, key->name);
    int index = strlen(segment) == 1 ? segment[0] - '0' : -1;
    palYamlNode* element = NULL;
    if (list != NULL && list->kind == pal_yamlList && index >= 0 && index < 3)
        element = palYamlNode_At(list, index);
    if (element == NULL || nextSegment(change, segment) != NULL)
    {
        palError* error = fault(change, "'%.60s' is not a component that the file gives", segment);
        palError_Remedy(error, "set the whole vector: %s=[x,y,z]", key->name);
        return;
    }
    palYamlNode_Replace(list, element, takeValue(change));
}

// An unknown key is reported as a node of the tree would be.
static void unknownKey(Change* change, const palSchemaTable* table, const palYamlNode* map,
                       char* segment)
{
    palYamlNode node = {.key = segment, .origin = change->index};
    palReader_UnknownKey(table, palReader_KindOf(table, map), &node, change->faults);
}

// The table of the kinds' own keys that has a key of this name: that of the map's kind, else of the
// first that has it, because the kind may still be changed. NULL: none has it.
static const palSchemaTable* findKindTable(const palSchemaTable* table, const palYamlNode* map,
                                           const char* name)
{
    const palSchemaTable* found = palSchema_KindTable(table, palReader_KindOf(table, map));
    if (found != NULL && palSchema_Find(found, name) != NULL)
        return found;
    for (int i = 0; table->kindTableAt != NULL && table->keys[0].nameAt(i) != NULL; i++)
    {
        found = palSchema_KindTable(table, i);
        if (found != NULL && palSchema_Find(found, name) != NULL)
            return found;
    }
    return NULL;
}

static void setInTable(Change* change, const palSchemaTable* table, palYamlNode* map, char* segment)
{
    const palSchemaKey* key = palSchema_Find(table, segment);
    const palSchemaTable* further = key == NULL ? findKindTable(table, map, segment) : NULL;
    if (further != NULL)
    {
        setInTable(change, further, map, segment);
        return;
    }
    if (key == NULL)
    {
        unknownKey(change, table, map, segment);
        return;
    }
    removeRivals(table, key, map);
    char* rest = nextSegment(change, segment);
    if (rest == NULL)
    {
        placeInMap(change, map, key->name, takeValue(change));
        if (table->byKind && key == &table->keys[0])
            removeUnused(table, map);
    }
    else if (key->type == pal_schemaMap)
    {
        palYamlNode* child = enterChild(change, map, key->name, pal_yamlMap);
        if (child != NULL)
            setInTable(change, key->table, child, rest);
    }
    else if (key->type == pal_schemaList)
    {
        palYamlNode* child = enterChild(change, map, key->name, pal_yamlList);
        if (child != NULL)
            setInList(change, key, child, rest);
    }
    else if (key->type == pal_schemaVector)
    {
        setInVector(change, key, map, rest);
    }
    else
    {
        palError* error = fault(change, "'%.60s' has no keys below it", segment);
        palError_Remedy(error, "set '%s' itself", key->name);
    }
}

// Splits "path=value" and reads the value. Returns false after a fault.
static bool readChange(Change* change, const char* set)
{
    size_t length = strcspn(set, "=");
    const char* gap = strstr(set, "..");
    bool hasGap = set[0] == '.' || (length > 0 && set[length - 1] == '.') ||
                  (gap != NULL && gap < set + length);
    if (set[length] != '=' || length == 0 || length + 2 > maxPath || hasGap)
    {
        palError* error = fault(change, "%s", "this is not a change");
        palError_Remedy(error, "write path.to.key=value");
        return false;
    }
    palError error;
    const char* text = set + length + 1;
    palResult result = palYaml_Parse(text, strlen(text), change->index, &change->value, &error);
    if (result == pal_errorMemory)
        outOfMemory(change);
    else if (result != pal_ok)
        palFaults_AddError(change->faults, change->index, &error);
    else if (change->value == NULL)
        palError_Remedy(fault(change, "%s", "no value after '='"), "empty text is written \"\"");
    memcpy(change->path, set, length);
    for (size_t i = 0; i < length; i++)
        if (change->path[i] == '.')
            change->path[i] = '\0';
    return change->value != NULL;
}

palResult palChanges_Apply(palYamlNode* root, int first, int last, palFaults* faults,
                           palError* error)
{
    for (int i = first; i < last; i++)
    {
        Change change = {.index = i, .faults = faults, .error = error};
        if (readChange(&change, faults->sets[i] + (faults->sets[i][0] == '@')))
            setInTable(&change, palSceneSchema(), root, change.path);
        palYamlNode_Destroy(change.value);
        if (change.result != pal_ok)
            return change.result;
    }
    removeFormerKinds(palSceneSchema(), root);
    return pal_ok;
}
