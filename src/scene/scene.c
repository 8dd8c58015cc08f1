// SPDX-License-Identifier: Apache-2.0
#include "scene/scene.h"

#include "base/error.h"
#include "base/file.h"
#include "base/plain_locale.h"
#include "render/method.h"
#include "scene/changes.h"
#include "scene/checks.h"
#include "scene/given.h"
#include "scene/reader.h"
#include "scene/repeat.h"
#include "scene/rigid_schema.h"
#include "scene/setting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    formatVersion = 1,
};

// A result for soft bodies takes most of a step; one for rigid things is found at once.
static const double rigidLatency = 0.005;  // s
static const double rateUnfiltered = 0.05; // s, of the low rate: up to here `linear` has no filter

static bool isAnySoft(const palScene* scene)
{
    for (int i = 0; i < scene->objectCount; i++)
        if (scene->objects[i].isSoft)
            return true;
    return false;
}

// Names that the file leaves out: of bodies, and of the scene.
static void nameBodies(palScene* scene)
{
    for (int i = 0; i < scene->objectCount; i++)
        if (scene->objects[i].name[0] == '\0')
            snprintf(scene->objects[i].name, sizeof scene->objects[i].name, "object%d", i);
    for (int i = 0; i < scene->wireCount; i++)
        if (scene->wires[i].name[0] == '\0')
            snprintf(scene->wires[i].name, sizeof scene->wires[i].name, "wire%d", i);
}

static void nameScene(palScene* scene)
{
    if (scene->name[0] == '\0')
    {
        const char* slash = strrchr(scene->file, '/');
        const char* base = slash != NULL ? slash + 1 : scene->file;
        const char* dot = strrchr(base, '.');
        size_t length = dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base);
        if (length >= sizeof scene->name)
            length = sizeof scene->name - 1;
        memcpy(scene->name, base, length);
        scene->name[length] = '\0';
        palGiven_Mark(palGiven_OfScene(scene),
                      scene->name); // a copy of the scene in another file keeps the name
    }
}

// Another version may mean anything by its keys: only the version is then worth a message.
static bool checkVersion(const palYamlNode* root, palFaults* faults)
{
    const palYamlNode* node = palYamlNode_Find(root, palSceneSchema()->keys[0].name);
    double version;
    if (node == NULL || node->kind != pal_yamlScalar || !node->plain ||
        !palSetting_ParseNumber(node->text, &version) || version == formatVersion)
        return true;
    palError* error = palFaults_Add(faults, node, "scene format %.40s is not known", node->text);
    palError_Remedy(error, "this program reads palpate: %d", formatVersion);
    return false;
}

// Files are named relative to the scene file; one named in a --set, to the working directory.
static void resolveFile(const palScene* scene, palScenePlace place, char* file, size_t size,
                        palFaults* faults)
{
    if (place.line == 0 || file[0] == '\0' || file[0] == '/')
        return;
    char path[2 * pal_sceneTextMax];
    snprintf(path, sizeof path, "%s%s", scene->directory, file);
    const palYamlNode node = {.line = place.line, .column = place.column, .origin = -1};
    if (strlen(path) < size)
        strcpy(file, path);
    else
        palError_Remedy(palFaults_Add(faults, &node,
                                      "with the scene's folder before it this path is "
                                      "longer than %zu bytes",
                                      size - 1),
                        "move the scene to a shorter path");
}

// The files that the driver's settings name.
static void resolveSettings(const palScene* scene, const palSchemaTable* table, void* record,
                            palFaults* faults)
{
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        void* field = palSetting_At(key, record);
        const palScenePlace* place = (const void*)((const char*)record + key->place);
        if (key->type == pal_schemaPath && key->place != 0)
            resolveFile(scene, *place, field, key->size, faults);
        else if (key->type == pal_schemaMap)
            resolveSettings(scene, key->table, field, faults);
    }
}

static void resolveHandFiles(const palScene* scene, palSceneHand* hand, palFaults* faults)
{
    palSceneTrajectory* trajectory = &hand->trajectory;
    const palDeviceOps* driver = palFindDeviceDriver(hand->device.driver);
    resolveFile(scene, trajectory->filePlace, trajectory->def.file, sizeof trajectory->def.file,
                faults);
    resolveFile(scene, hand->tool.meshPlace, hand->tool.mesh, sizeof hand->tool.mesh, faults);
    if (driver != NULL && driver->settings != NULL)
        resolveSettings(scene, driver->settings, hand->device.settings, faults);
}

static void resolveFiles(palScene* scene, palFaults* faults)
{
    for (int i = 0; i < palScene_HandCount(scene); i++)
        resolveHandFiles(scene, (palSceneHand*)palScene_HandAt(scene, i), faults);
    for (int i = 0; i < scene->objectCount; i++)
    {
        palSceneObject* object = &scene->objects[i];
        resolveFile(scene, object->meshPlace, object->mesh, sizeof object->mesh, faults);
        for (int k = 0; k < object->partCount; k++)
            resolveFile(scene, object->parts[k].meshPlace, object->parts[k].mesh,
                        sizeof object->parts[k].mesh, faults);
    }
}

// The changes to a tree, and whether it can be a scene.
static palResult changeTree(palYamlNode* root, int setCount, palFaults* faults, palError* error)
{
    if (root == NULL || (root->kind == pal_yamlScalar && root->text[0] == '\0'))
    {
        palError_Remedy(palFaults_Add(faults, NULL, "the file is empty"),
                        "a scene starts with palpate: %d", formatVersion);
        return pal_ok;
    }
    return root->kind == pal_yamlMap ? palChanges_Apply(root, 0, setCount, faults, error) : pal_ok;
}

static void readTree(const palYamlNode* root, palScene* scene, palFaults* faults)
{
    if (root->kind == pal_yamlMap && !checkVersion(root, faults))
        return;
    palReader_Read(palSceneSchema(), root, scene, palGiven_OfScene(scene), faults);
    if (root->kind != pal_yamlMap)
        return;
    if (isnan(scene->time.latency))
        scene->time.latency =
            isAnySoft(scene) ? scene->time.lowDt : fmin(rigidLatency, scene->time.lowDt);
    for (int i = 0; i < scene->time.loopCount; i++)
        if (isnan(scene->time.loops[i].latency))
            scene->time.loops[i].latency = scene->time.loops[i].dt;
    if (isnan(scene->method.settings.linear.filter))
        scene->method.settings.linear.filter =
            scene->time.lowDt > rateUnfiltered ? 0.5 * scene->time.lowDt : 0.0;
    nameBodies(scene);
    palScene_SpreadContact(scene);
    palScene_Check(scene, root, faults);
}

// Takes the scene's name and the folder that its files are relative to from the path.
static palResult storePath(palScene* scene, const char* path, palFaults* faults)
{
    if (strlen(path) >= sizeof scene->file)
    {
        palError_Remedy(palFaults_Add(faults, NULL, "the path is longer than %zu bytes",
                                      sizeof scene->file - 1),
                        "move the scene to a shorter one");
        return pal_errorInput;
    }
    strcpy(scene->file, path);
    const char* slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    memcpy(scene->directory, path, length);
    scene->directory[length] = '\0';
    return pal_ok;
}

static bool isEmpty(const palYamlNode* root)
{
    return root == NULL || (root->kind == pal_yamlScalar && root->text[0] == '\0');
}

// Reads a tree into a scene, whose values are defaults until then. The caller sets the locale.
static palResult readScene(const palYamlNode* root, const char* name, palResult result,
                           palScene* scene, palFaults* faults, palError* error)
{
    palSetting_SetDefaults(palSceneSchema(), -1, scene);
    if (result == pal_ok && !isEmpty(root))
        readTree(root, scene, faults);
    // Last, because reading begins with defaults, which are empty here.
    if (storePath(scene, name, faults) == pal_ok)
    {
        nameScene(scene);
        resolveFiles(scene, faults);
    }
    palFaults_End(faults);
    if (faults->count > 0)
        result = palFaults_Conclude(faults, error);
    if (result != pal_ok)
        palScene_Free(scene);
    return result;
}

palResult palScene_FromTree(const palYamlNode* tree, const char* name, const char* const* sets,
                            palScene* scene, palMessages* messages, palError* error)
{
    palFaults faults = palMakeFaults(messages, name, sets);
    locale_t callers = palPlainLocale_Enter();
    palResult result = readScene(tree, name, pal_ok, scene, &faults, error);
    palPlainLocale_Leave(callers);
    return result;
}

// A scene from text; *tree is what it was read from.
static palResult parseScene(const char* text, size_t length, const char* name,
                            const char* const* sets, int setCount, palScene* scene,
                            palYamlNode** tree, palMessages* messages, palError* error)
{
    palFaults faults = palMakeFaults(messages, name, sets);

    // Numbers have a decimal point, whatever locale the calling program has set.
    locale_t callers = palPlainLocale_Enter();
    palError yamlError;
    palResult result = palYaml_Parse(text, length, -1, tree, &yamlError);
    if (result != pal_ok)
        palFaults_AddError(&faults, -1, &yamlError);
    else
        result = changeTree(*tree, setCount, &faults, error);
    if (result == pal_ok)
        result = palRepeat_Expand(*tree, &faults, error);
    result = readScene(*tree, name, result, scene, &faults, error);
    palPlainLocale_Leave(callers);
    return result;
}

palResult palScene_Parse(const char* text, size_t length, const char* name, const char* const* sets,
                         int setCount, palScene* scene, palMessages* messages, palError* error)
{
    palMessages own = {0};
    palYamlNode* tree = NULL;
    palResult result = parseScene(text, length, name, sets, setCount, scene, &tree,
                                  messages != NULL ? messages : &own, error);
    palYamlNode_Destroy(tree);
    palMessages_Free(&own);
    return result;
}

palResult palScene_LoadTree(const char* path, const char* const* sets, int setCount,
                            palScene* scene, palYamlNode** tree, palMessages* messages,
                            palError* error)
{
    char* text;
    size_t length;
    palError fileError;
    *tree = NULL;
    palResult result = palReadFile(path, pal_yamlMaxBytes, &text, &length, &fileError);
    if (result != pal_ok)
    {
        palFaults faults = palMakeFaults(messages, path, NULL);
        palFaults_AddError(&faults, -1, &fileError);
        if (error != NULL)
            *error = fileError;
        return result;
    }
    result = parseScene(text, length, path, sets, setCount, scene, tree, messages, error);
    free(text);
    if (result == pal_ok)
        return pal_ok;
    palYamlNode_Destroy(*tree);
    *tree = NULL;
    return result;
}

palResult palScene_Load(const char* path, const char* const* sets, int setCount, palScene* scene,
                        palMessages* messages, palError* error)
{
    palMessages own = {0};
    palYamlNode* tree;
    palResult result = palScene_LoadTree(path, sets, setCount, scene, &tree,
                                         messages != NULL ? messages : &own, error);
    palYamlNode_Destroy(tree);
    palMessages_Free(&own);
    return result;
}

void palScene_Free(palScene* scene)
{
    palSetting_FreeLists(palSceneSchema(), scene);
}

palResult palScene_At(const palScene* scene, palScenePlace place, const char* key, palError* error)
{
    if (place.line > 0)
        return palError_At(error, scene->file, place.line, place.column);
    char where[sizeof error->file];
    snprintf(where, sizeof where, scene->file[0] != '\0' ? "--set %s" : "%s", key);
    return palError_At(error, where, 0, 0);
}

palResult palScene_FindFile(const palScene* scene, palScenePlace place, const char* key,
                            const char* file, palError* error)
{
    if (access(file, R_OK) == 0)
        return pal_ok;
    palError_Set(error, pal_errorFile, "cannot read '%.300s': %s", file, strerror(errno));
    palError_Remedy(error, "files are named relative to the scene file, in a --set relative to the "
                           "working directory");
    return palScene_At(scene, place, key, error);
}

double palLengthUnit_Metres(palLengthUnit unit)
{
    static const double metres[pal_unitCount] = {
        [pal_unitMetre] = 1.0,
        [pal_unitCentimetre] = 1e-2,
        [pal_unitMillimetre] = 1e-3,
        [pal_unitInch] = 0.0254,
    };
    return metres[unit];
}

palSceneObject palSceneTool_Object(const palSceneTool* tool)
{
    palSceneObject object = {
        .name = "tool",
        .meshPlace = tool->meshPlace,
        .shape = tool->shape,
        .unit = tool->unit,
        .scale = tool->scale,
        .tolerance = tool->tolerance,
        .position = tool->position,
        .rotation = tool->rotation,
        .surface = tool->surface,
    };
    memcpy(object.mesh, tool->mesh, sizeof object.mesh);
    return object;
}

palSceneObject palScenePart_Object(const palScenePart* part)
{
    palSceneObject object = {
        .name = "part",
        .place = part->place,
        .meshPlace = part->meshPlace,
        .shape = part->shape,
        .unit = part->unit,
        .scale = part->scale,
        .tolerance = part->tolerance,
        .position = part->position,
        .rotation = part->rotation,
    };
    memcpy(object.mesh, part->mesh, sizeof object.mesh);
    return object;
}

palQuat palSceneObject_Rotation(const palSceneObject* object)
{
    return palMakeQuatRotationVector(palScale(PAL_PI / 180.0, object->rotation));
}
