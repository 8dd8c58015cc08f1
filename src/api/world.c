// SPDX-License-Identifier: Apache-2.0
#include "api/world_state.h"

#include "base/error.h"
#include "base/plain_locale.h"
#include "mesh/write.h"
#include "scene/changes.h"
#include "scene/reader.h"
#include "scene/schema.h"
#include "scene/writer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    outOfMemory = -2, // no origin
};

static palResult noMemory(palError* error)
{
    return palError_Memory(error, "the world", sizeof(palWorld));
}

//--------------------------------------------------------------------------------------------------
// The tree

static int addOrigin(palWorld* world, const char* text)
{
    // Room grows by powers of two.
    int count = world->originCount;
    if ((count & (count - 1)) == 0)
    {
        const char** larger =
            realloc(world->origins, (count > 0 ? 2 * (size_t)count : 1) * sizeof *larger);
        if (larger == NULL)
            return outOfMemory;
        world->origins = larger;
    }
    world->origins[count] = text;
    return world->originCount++;
}

int palWorld_Origin(palWorld* world, const char* place)
{
    for (int i = 0; i < world->originCount; i++)
        if (world->origins[i] == place)
            return i;
    return addOrigin(world, place);
}

// Keeps the text of a change after `mark`: "@", or nothing for what messages shall show as a --set.
// Returns its origin.
static int addChange(palWorld* world, const char* mark, const char* change)
{
    char** larger = realloc(world->changes, ((size_t)world->changeCount + 1) * sizeof *larger);
    if (larger == NULL)
        return outOfMemory;
    world->changes = larger;
    size_t size = strlen(mark) + strlen(change) + 1;
    char* copy = malloc(size);
    if (copy == NULL)
        return outOfMemory;
    snprintf(copy, size, "%s%s", mark, change);
    larger[world->changeCount++] = copy;
    return addOrigin(world, copy);
}

palResult palIsNull(const char* what, palError* error)
{
    palError_Set(error, pal_errorInput, "%s is missing: it is NULL", what);
    return palError_Remedy(error, "give it");
}

palResult palWorld_Check(const palWorld* world, palError* error)
{
    if (world != NULL)
        return pal_ok;
    palError_Set(error, pal_errorInput, "there is no world: it is NULL");
    return palError_Remedy(error, "make one: palWorld_Create or palWorld_Load, which say why not");
}

palResult palWorld_Tell(palWorld* world, palResult result, const palError* own, palError* error)
{
    if (result != pal_ok && error != NULL)
        *error = *own;
    else if (result != pal_ok && world != NULL && world->untold.code == pal_ok)
        world->untold = *own;
    return result;
}

palResult palWorld_MayChange(palWorld* world, palError* error)
{
    if (world->isPrepared)
    {
        palError_Set(error, pal_errorInput, "the world is prepared and cannot be changed any more");
        return palError_Remedy(error, "change it before palWorld_Prepare and the first step");
    }
    world->isRead = false;
    return pal_ok;
}

void palWorld_NameSurface(int index, char out[pal_sceneTextMax])
{
    snprintf(out, pal_sceneTextMax, "(surface %d)", index);
}

// The surface that a mesh stands for; NULL: it is a file.
static const palSurface* findSurface(const palWorld* world, const char* mesh)
{
    char name[pal_sceneTextMax];
    for (int i = 0; i < world->surfaceCount; i++)
    {
        palWorld_NameSurface(i, name);
        if (strcmp(mesh, name) == 0)
            return world->surfaces[i];
    }
    return NULL;
}

static palResult checkHasHand(const palWorld* world, palError* error)
{
    if (palWorld_HandAt(world, 0).index != 0)
        return pal_ok;
    palError_Set(error, pal_errorInput, "the world has no hand");
    return palError_Remedy(error, "add one: palWorld_AddHand");
}

palResult palWorld_Read(palWorld* world, palError* error)
{
    if (world->untold.code != pal_ok)
    {
        *error = world->untold;
        world->untold.code = pal_ok;
        return error->code;
    }
    if (world->isRead)
        return pal_ok;
    palResult result = checkHasHand(world, error);
    if (result != pal_ok)
        return result;
    int before = world->messages.count;
    palScene_Free(&world->scene);
    result = palScene_FromTree(world->tree, world->file, world->origins, &world->scene,
                               &world->messages, error);
    // The first fault is the error; the next attempt finds the others anew.
    if (result != pal_ok)
        world->messages.count = before;
    world->isRead = result == pal_ok;
    for (int i = 0; world->isRead && i < world->scene.objectCount; i++)
        world->scene.objects[i].surface = findSurface(world, world->scene.objects[i].mesh);
    for (int i = 0; world->isRead && i < palScene_HandCount(&world->scene); i++)
    {
        palSceneTool* tool = &((palSceneHand*)palScene_HandAt(&world->scene, i))->tool;
        tool->surface = findSurface(world, tool->mesh);
    }
    return result;
}

//--------------------------------------------------------------------------------------------------
// Making and freeing

palWorld* palWorld_Allocate(void)
{
    static _Atomic uint32_t count;
    palWorld* world = calloc(1, sizeof *world);
    if (world != NULL)
        world->number = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1;
    return world;
}

static palResult checkLoad(const char* path, const char* const* sets, int setCount,
                           palWorld** world, palError* error)
{
    if (path == NULL)
        return palIsNull("the path of the scene file", error);
    if (world == NULL)
        return palIsNull("the place for the world", error);
    for (int i = 0; i < setCount; i++)
        if (sets == NULL || sets[i] == NULL)
            return palIsNull("one of the changes", error);
    return pal_ok;
}

palResult palWorld_Load(const char* path, const char* const* sets, int setCount, palWorld** world,
                        palError* error)
{
    palError own;
    palWorld* made = NULL;
    palResult result = checkLoad(path, sets, setCount, world, &own);
    if (result == pal_ok && (made = palWorld_Allocate()) == NULL)
        result = noMemory(&own);
    for (int i = 0; i < setCount && result == pal_ok; i++)
        result = addChange(made, "", sets[i]) >= 0 ? pal_ok : noMemory(&own);
    if (result == pal_ok)
        result = palScene_LoadTree(path, made->origins, setCount, &made->scene, &made->tree,
                                   &made->messages, &own);
    if (result == pal_ok)
    {
        snprintf(made->file, sizeof made->file, "%s", path); // the scene has checked its length
        made->isRead = true;
    }
    else
    {
        palWorld_Destroy(made);
        made = NULL;
    }
    if (world != NULL)
        *world = made;
    return palWorld_Tell(NULL, result, &own, error);
}

// Frees what preparing has made.
static void unprepare(palWorld* world)
{
    palEngine_Destroy(world->engine);
    world->engine = NULL;
    for (int i = 0; i < world->handCount; i++)
    {
        if (world->hands[i].ownsDevice)
            world->hands[i].deviceOps->close(world->hands[i].device);
        palTrajectory_Destroy(world->hands[i].trajectory);
    }
    world->handCount = 0;
    palSceneBodies_Free(&world->bodies);
    world->isPrepared = false;
}

void palWorld_Destroy(palWorld* world)
{
    if (world == NULL)
        return;
    palWorld_Stop(world);
    unprepare(world);
    palScene_Free(&world->scene);
    palMessages_Free(&world->messages);
    palYamlNode_Destroy(world->tree);
    for (int i = 0; i < world->surfaceCount; i++)
    {
        palSurface_Free(world->surfaces[i]);
        free(world->surfaces[i]);
    }
    for (int i = 0; i < world->changeCount; i++)
        free(world->changes[i]);
    free(world->surfaces);
    free(world->changes);
    free(world->origins);
    free(world);
}

palResult palWorld_Prepare(palWorld* world, palError* error)
{
    palError own;
    palResult result = palWorld_Check(world, &own);
    if (result != pal_ok || world->isPrepared)
        return palWorld_Tell(world, result, &own, error);
    int before = world->messages.count;
    result = palWorld_Read(world, &own);
    if (result == pal_ok)
        result = palSceneBodies_Init(&world->bodies, &world->scene, &world->messages, &own);
    if (result == pal_ok)
        result = palWorld_OpenDevices(world, &own);
    if (result == pal_ok)
        result = palWorld_CreateEngine(world, &own);
    world->isPrepared = result == pal_ok;
    if (result != pal_ok)
    {
        world->messages.count = before;
        unprepare(world);
    }
    return palWorld_Tell(world, result, &own, error);
}

const palError* palWorld_Message(const palWorld* world, int index, bool* isWarning)
{
    if (world == NULL || index < 0 || index >= world->messages.count)
        return NULL;
    if (isWarning != NULL)
        *isWarning = world->messages.items[index].severity != pal_severityNote;
    return &world->messages.items[index].what;
}

//--------------------------------------------------------------------------------------------------
// Changes

// Changes a copy of the tree, which is taken if all is well.
static palResult change(palWorld* world, const char* text, palError* error)
{
    palResult result = palWorld_MayChange(world, error);
    if (result != pal_ok)
        return result;
    int origin = addChange(world, "@", text);
    palYamlNode* tree = origin >= 0 ? palYamlNode_Copy(world->tree) : NULL;
    if (tree == NULL)
        return noMemory(error);
    palMessages messages = {0};
    palFaults faults = palMakeFaults(&messages, world->file, world->origins);
    locale_t callers = palPlainLocale_Enter();
    result = palChanges_Apply(tree, origin, origin + 1, &faults, error);
    if (result == pal_ok && faults.count == 0)
        palReader_CheckValues(palSceneSchema(), tree, origin, &faults);
    palPlainLocale_Leave(callers);
    if (result == pal_ok)
        result = palFaults_Conclude(&faults, error);
    palMessages_Free(&messages);
    palYamlNode* unused = result == pal_ok ? world->tree : tree;
    world->tree = result == pal_ok ? tree : world->tree;
    palYamlNode_Destroy(unused);
    return result;
}

palResult palWorld_Set(palWorld* world, const char* text, palError* error)
{
    palError own;
    palResult result = palWorld_Check(world, &own);
    if (result == pal_ok)
        result = change(world, text != NULL ? text : "", &own);
    return palWorld_Tell(world, result, &own, error);
}

palResult palNoSuchHand(palError* error)
{
    palError_Set(error, pal_errorInput, "the world has no such hand");
    return palError_Remedy(error, "give an id that palWorld_AddHand or palWorld_HandAt gave");
}

static palResult setDevice(palWorld* world, palHandId hand, const palDeviceOps* ops,
                           palDevice* device, palError* error)
{
    palResult result = palWorld_MayChange(world, error);
    if (result != pal_ok)
        return result;
    int place = palWorld_HandPlace(world, hand);
    if (palWorld_HandAt(world, place).index == 0)
        return palNoSuchHand(error);
    if (ops == NULL || ops->size < offsetof(palDeviceOps, write) + sizeof ops->write)
    {
        palError_Set(error, pal_errorInput, "the palDeviceOps has no size");
        return palError_Remedy(error, "set its first member to sizeof(palDeviceOps)");
    }
    if (ops->limits == NULL || ops->read == NULL || ops->write == NULL)
    {
        palError_Set(error, pal_errorInput, "the palDeviceOps has no limits, read or write");
        return palError_Remedy(error, "give all three; the others may be NULL");
    }
    world->ownDevices[place] = (palOwnDevice){ops, device};
    return pal_ok;
}

palResult palWorld_SetDevice(palWorld* world, palHandId hand, const palDeviceOps* ops,
                             palDevice* device, palError* error)
{
    palError own;
    palResult result = palWorld_Check(world, &own);
    if (result == pal_ok)
        result = setDevice(world, hand, ops, device, &own);
    return palWorld_Tell(world, result, &own, error);
}

//--------------------------------------------------------------------------------------------------
// Ids

palHandId palWorld_HandAt(const palWorld* world, int place)
{
    if (world == NULL)
        return (palHandId){0};
    const palYamlNode* list = palYamlNode_Find(world->tree, "hands");
    const palSchemaTable* table = palSchema_Find(palSceneSchema(), "hands")->table;
    int count = list != NULL ? list->childCount : 0;
    // The short form of one hand.
    for (int i = 0; count == 0 && i < table->keyCount; i++)
        count = palYamlNode_Find(world->tree, table->keys[i].name) != NULL;
    return place >= 0 && place < count ? palWorld_HandId(world, place) : (palHandId){0};
}

//--------------------------------------------------------------------------------------------------
// Saving

// Writes the surfaces beside the scene file, each named after it, and names them in the scene.
static palResult saveSurface(palWorld* world, const char* path, const palSurface* surface,
                             char mesh[pal_sceneTextMax], palError* error)
{
    if (surface == NULL)
        return pal_ok;
    int index = 0;
    while (world->surfaces[index] != surface)
        index++;
    const char* slash = strrchr(path, '/');
    const char* dot = strrchr(slash != NULL ? slash : path, '.');
    int stem = dot != NULL ? (int)(dot - path) : (int)strlen(path);
    int length = snprintf(mesh, pal_sceneTextMax, "%.*s-%d.ply", stem, path, index);
    if (length < pal_sceneTextMax)
        return palSurface_Write(surface, mesh, error);
    palError_Set(error, pal_errorInput, "the path is longer than %d bytes", pal_sceneTextMax - 1);
    return palError_Remedy(error, "save the world to a shorter one");
}

// Whether the scene can be read again: scene files have limits.
static palResult checkSize(const palScene* scene, palError* error)
{
    char* text = NULL;
    size_t length = 0;
    FILE* stream = open_memstream(&text, &length);
    if (stream == NULL)
        return noMemory(error);
    locale_t callers = palPlainLocale_Enter();
    palScene_Print(scene, NULL, stream);
    palPlainLocale_Leave(callers);
    palYamlNode* root = NULL;
    palResult result =
        fclose(stream) == 0 ? palYaml_Parse(text, length, -1, &root, error) : noMemory(error);
    palYamlNode_Destroy(root);
    free(text);
    return result == pal_ok ? pal_ok : palError_At(error, "the world as a scene file", 0, 0);
}

palResult palWorld_Save(palWorld* world, const char* path, palError* error)
{
    palError own;
    palResult result = palWorld_Check(world, &own);
    if (result == pal_ok && path == NULL)
        result = palIsNull("the path of the scene file", &own);
    if (result == pal_ok)
        result = palWorld_Read(world, &own);
    for (int i = 0; result == pal_ok && i < world->scene.objectCount; i++)
    {
        palSceneObject* object = &world->scene.objects[i];
        result = saveSurface(world, path, object->surface, object->mesh, &own);
    }
    for (int i = 0; result == pal_ok && i < palScene_HandCount(&world->scene); i++)
    {
        palSceneTool* tool = &((palSceneHand*)palScene_HandAt(&world->scene, i))->tool;
        result = saveSurface(world, path, tool->surface, tool->mesh, &own);
    }
    if (result == pal_ok)
        result = checkSize(&world->scene, &own);
    if (result == pal_ok)
        result = palScene_Write(&world->scene, path, NULL, &own);
    return palWorld_Tell(world, result, &own, error);
}
