// SPDX-License-Identifier: Apache-2.0
#include "scene/scene.h"

#include "base/error.h"
#include "base/file.h"
#include "base/plain_locale.h"
#include "render/method.h"
#include "scene/changes.h"
#include "scene/given.h"
#include "scene/reader.h"
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

// The node of `key` in the map `section` of the file, else the section, else the root: where a
// fault between several keys is shown.
static const palYamlNode* findNode(const palYamlNode* root, const char* section, const char* key)
{
    const palYamlNode* map = palYamlNode_Find(root, section);
    const palYamlNode* node = palYamlNode_Find(map, key);
    if (node != NULL)
        return node;
    return map != NULL ? map : root;
}

// What the table cannot say: how values bear on each other.
static void checkTime(const palSceneTime* time, const palYamlNode* root, palFaults* faults)
{
    if (time->lowDt < time->dt)
    {
        palError* error =
            palFaults_Add(faults, findNode(root, "time", "low_dt"),
                          "'low_dt' (%g s) is shorter than 'dt' (%g s)", time->lowDt, time->dt);
        palError_Remedy(error, "the low rate cannot be the faster one");
    }
    if (time->latency > time->lowDt)
    {
        palError* error = palFaults_Add(faults, findNode(root, "time", "latency"),
                                        "'latency' (%g s) is longer than 'low_dt' (%g s)",
                                        time->latency, time->lowDt);
        palError_Remedy(error, "a result cannot come later than the next one starts");
    }
    if (time->spin > time->dt)
    {
        palError* error =
            palFaults_Add(faults, findNode(root, "time", "spin"),
                          "'spin' (%g s) is longer than 'dt' (%g s)", time->spin, time->dt);
        palError_Remedy(error, "it is a part of each step's wait");
    }
}

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

// The map of an item of a list in the file, for a fault; NULL where there is none.
static const palYamlNode* itemAt(const palYamlNode* root, const char* key, int index)
{
    const palYamlNode* list = palYamlNode_Find(root, key);
    const palYamlNode* map = list != NULL ? list->first : NULL;
    for (int i = 0; i < index && map != NULL; i++)
        map = map->next;
    return map;
}

// The node of a key of it.
static const palYamlNode* findInItem(const palYamlNode* root, const char* list, int index,
                                     const char* key)
{
    const palYamlNode* map = itemAt(root, list, index);
    const palYamlNode* node = map != NULL ? palYamlNode_Find(map, key) : NULL;
    return node != NULL ? node : map != NULL ? map : root;
}

static const palYamlNode* findObject(const palYamlNode* root, int object, const char* key)
{
    return findInItem(root, "objects", object, key);
}

// The node of a key of its soft map.
static const palYamlNode* findSoft(const palYamlNode* root, int object, const char* key)
{
    const palYamlNode* map = itemAt(root, "objects", object);
    return map != NULL ? findNode(map, "soft", key) : root;
}

static void checkSoft(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    const double mostPoisson = 0.49;
    for (int i = 0; i < scene->objectCount; i++)
    {
        const palSceneObject* object = &scene->objects[i];
        if (!object->isSoft || object->soft.poisson <= mostPoisson)
            continue;
        palError* error =
            palFaults_Add(faults, findSoft(root, i, "poisson"),
                          "'poisson' is %g: so nearly incompressible that these elements lock and "
                          "the object would feel far too stiff",
                          object->soft.poisson);
        palError_Remedy(error, "use at most %g", mostPoisson);
    }
}

static void checkLoop(const palScene* scene, int loop, int first, const char* name,
                      const palYamlNode* node, palFaults* faults)
{
    int last = 1 + scene->time.loopCount;
    if (loop <= last)
        return;
    palError* error = palFaults_Add(faults, node, "%s is in loop %d, but there are loops %d to %d",
                                    name, loop, first, last);
    palError_Remedy(error, "add time.loops, or give it another loop");
}

static void checkLoops(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    for (int i = 0; i < scene->objectCount; i++)
        checkLoop(scene, scene->objects[i].loop, 1, scene->objects[i].name,
                  findObject(root, i, "loop"), faults);
    for (int i = 0; i < scene->wireCount; i++)
        checkLoop(scene, scene->wires[i].loop, 0, scene->wires[i].name,
                  findInItem(root, "wires", i, "loop"), faults);
}

// An end that is clamped cannot follow the hand.
static void checkClamps(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    for (int i = 0; i < scene->wireCount; i++)
    {
        const palSceneWire* wire = &scene->wires[i];
        if (wire->hand == pal_wireEndNone ||
            (wire->clamped != wire->hand && wire->clamped != pal_wireEndBoth))
            continue;
        palError* error = palFaults_Add(faults, findInItem(root, "wires", i, "clamped"),
                                        "the end of %s that the hand holds is clamped", wire->name);
        palError_Remedy(error, "take 'clamped' or 'hand' out, or give one of them the other end");
    }
}

// How many things a joint may mean by a name.
static int countNamed(const palScene* scene, const char* name)
{
    int count = strcmp(name, "world") == 0 || (scene->hasTool && strcmp(name, "tool") == 0);
    for (int i = 0; i < scene->objectCount; i++)
        count += strcmp(scene->objects[i].name, name) == 0;
    for (int i = 0; i < scene->wireCount; i++)
        count += strcmp(scene->wires[i].name, name) == 0;
    return count;
}

static void checkJointNames(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    for (int i = 0; i < 3 * scene->jointCount; i++)
    {
        static const char* const keys[] = {"wire", "body", "to"};
        const palSceneJoint* joint = &scene->joints[i / 3];
        const char* const names[] = {joint->wire, joint->body, joint->to};
        if (names[i % 3][0] == '\0' || countNamed(scene, names[i % 3]) < 2)
            continue;
        palError* error = palFaults_Add(faults, findInItem(root, "joints", i / 3, keys[i % 3]),
                                        "more than one thing is named '%s'", names[i % 3]);
        palError_Remedy(error, "give each object and wire a name of its own, other than `world` "
                               "and `tool`");
    }
}

// The wire that the hand holds, or -1.
static int heldWire(const palScene* scene)
{
    for (int i = 0; i < scene->wireCount; i++)
        if (scene->wires[i].hand != pal_wireEndNone)
            return i;
    return -1;
}

palHandKind palScene_Hand(const palScene* scene)
{
    if (scene->hasTool)
        return pal_handTool;
    return heldWire(scene) >= 0 ? pal_handWire : pal_handPoint;
}

// Whether a joint is one with the tool; an object may have that name as well.
static bool isToolJoint(const palScene* scene, int joint)
{
    bool isNamed = false;
    for (int i = 0; i < scene->objectCount; i++)
        isNamed = isNamed || strcmp(scene->objects[i].name, "tool") == 0;
    return scene->hasTool && !isNamed &&
           (strcmp(scene->joints[joint].body, "tool") == 0 ||
            strcmp(scene->joints[joint].to, "tool") == 0);
}

unsigned palScene_Parts(const palScene* scene)
{
    unsigned parts = 0;
    for (int i = 0; i < scene->objectCount; i++)
    {
        const palSceneObject* object = &scene->objects[i];
        parts |= PAL_ACCEPTS(object->isSoft ? pal_partSoft : pal_partStatic);
        if (object->representation == pal_representPoints)
            parts |= PAL_ACCEPTS(pal_partPoints);
    }
    if (scene->wireCount > (heldWire(scene) >= 0))
        parts |= PAL_ACCEPTS(pal_partWire);
    for (int i = 0; i < scene->jointCount; i++)
        parts |= PAL_ACCEPTS(isToolJoint(scene, i) ? pal_partToolJoint : pal_partJoint);
    if (scene->time.loopCount > 0)
        parts |= PAL_ACCEPTS(pal_partLoop);
    return parts;
}

bool palScene_Fits(const palScene* scene, const palMethodEntry* method)
{
    return palMethodOps_Accepts(method->forms[palScene_Hand(scene)], palScene_Parts(scene));
}

// Where a part of the scene stands in the file.
static const palYamlNode* partNode(const palScene* scene, const palYamlNode* root, palPartKind part)
{
    if (part == pal_partWire)
        return palYamlNode_Find(root, "wires");
    if (part == pal_partJoint || part == pal_partToolJoint)
        return palYamlNode_Find(root, "joints");
    if (part == pal_partLoop)
        return findNode(root, "time", "loops");
    for (int i = 0; i < scene->objectCount && part == pal_partPoints; i++)
        if (scene->objects[i].representation == pal_representPoints)
            return findObject(root, i, "representation");
    return findNode(root, "method", "name");
}

// What the hand holds must be something that the method moves.
static void checkHand(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    const palMethodEntry* method = palFindMethod(scene->method.name);
    palHandKind hand = palScene_Hand(scene);
    if (scene->hasTool && heldWire(scene) >= 0)
    {
        palError* error = palFaults_Add(faults, palYamlNode_Find(root, "tool"),
                                        "the hand holds a tool and the wire '%.60s'",
                                        scene->wires[heldWire(scene)].name);
        palError_Remedy(error, "take the tool or the wire's 'hand' out");
        return;
    }
    if (method == NULL || method->forms[hand] != NULL)
        return;
    char kinds[64] = "", names[160];
    for (int i = 0; i < pal_handKindCount; i++)
        if (method->forms[i] != NULL)
        {
            size_t used = strlen(kinds);
            snprintf(kinds + used, sizeof kinds - used, "%s%s", used > 0 ? " or " : "",
                     palHandKind_Name(i));
        }
    palListMethods(hand, palScene_Parts(scene), names, sizeof names);
    const char* const remedies[pal_handKindCount] = {
        [pal_handPoint] = "add a 'tool', for example tool: {shape: {kind: cylinder}}",
        [pal_handTool] = "take the tool out",
        [pal_handWire] = "take the wire's 'hand' out",
    };
    const char* point = method->forms[pal_handTool] != NULL
                            ? remedies[pal_handPoint]
                            : "give one of 'wires' hand: start or hand: end";
    const palYamlNode* node = hand == pal_handTool   ? palYamlNode_Find(root, "tool")
                              : hand == pal_handWire ? palYamlNode_Find(root, "wires")
                                                     : findNode(root, "method", "name");
    palError* error =
        palFaults_Add(faults, node, "method %s takes %s in the hand, and here it is %s",
                      method->name, kinds, palHandKind_Name(hand));
    palError_Remedy(error, "%s%s%s%s", names[0] != '\0' ? "use method " : "", names,
                    names[0] != '\0' ? ", or " : "",
                    hand == pal_handPoint ? point : remedies[hand]);
}

// Everything that the scene contains must take part.
static void checkParts(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    palHandKind hand = palScene_Hand(scene);
    const palMethodOps* method = palFindMethodForm(scene->method.name, hand);
    unsigned parts = palScene_Parts(scene);
    if (method == NULL)
        return;
    char names[160];
    palListMethods(hand, parts, names, sizeof names);
    for (int part = 0; part < pal_partKindCount; part++)
    {
        if (!(parts & ~method->accepts & PAL_ACCEPTS(part)))
            continue;
        palError* error =
            palFaults_Add(faults, partNode(scene, root, part), "method %s %s %s%s%s", method->name,
                          part == pal_partSoft ? "cannot touch" : "does not take",
                          palPartKind_Name(part), hand == pal_handPoint ? "" : " with ",
                          hand == pal_handPoint ? "" : palHandKind_Name(hand));
        if (names[0] != '\0')
            palError_Remedy(error, "use method %s, or take them out", names);
        else
            palError_Remedy(error, "take them out; palpate methods lists what each method takes");
    }
}

// Not every form knows soft objects that stand still between updates.
static void checkResponse(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    const palMethodOps* method = palFindMethodForm(scene->method.name, palScene_Hand(scene));
    if (method == NULL || !method->isNeverFrozen ||
        scene->method.settings.soft.response != pal_softFrozen ||
        !(palScene_Parts(scene) & PAL_ACCEPTS(pal_partSoft)))
        return;
    palError* error = palFaults_Add(faults, findNode(root, "method", "response"),
                                    "method %s with %s does not know frozen soft objects",
                                    method->name, palHandKind_Name(method->hand));
    palError_Remedy(error, "take 'response' out, or use method linear");
}

static void checkPath(const palTrajectoryDef* def, const palYamlNode* root, palFaults* faults)
{
    const palYamlNode* map = palYamlNode_Find(root, "trajectory");
    if (def->kind == pal_trajectoryPath && def->pointCount == 0)
    {
        palError* error =
            palFaults_Add(faults, findNode(root, "trajectory", "points"), "the path has no points");
        palError_Remedy(error, "give one or more, as {t: 0, at: [0, 0.1, 0]}");
    }
    for (int i = 1; map != NULL && def->kind == pal_trajectoryPath && i < def->pointCount; i++)
    {
        if (def->points[i].t > def->points[i - 1].t)
            continue;
        palError* error = palFaults_Add(faults, findInItem(map, "points", i, "t"),
                                        "'t' is %g s, not later than the point before, at %g s",
                                        def->points[i].t, def->points[i - 1].t);
        palError_Remedy(error, "put the points in the order of their times");
    }
}

static void checkTrajectory(const palScene* scene, const palYamlNode* root, palFaults* faults)
{
    checkPath(&scene->trajectory.def, root, faults);
    if (scene->trajectory.object < scene->objectCount)
        return;
    palError* error =
        palFaults_Add(faults, findNode(root, "trajectory", "object"),
                      "'object' is %d, but the scene has %d object%s", scene->trajectory.object,
                      scene->objectCount, palPlural(scene->objectCount));
    palError_Remedy(error, "objects are counted from 0");
}

bool palScene_UsesWires(const palScene* scene)
{
    return palScene_Hand(scene) == pal_handWire;
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

static void resolveFiles(palScene* scene, palFaults* faults)
{
    palSceneTrajectory* trajectory = &scene->trajectory;
    resolveFile(scene, trajectory->filePlace, trajectory->def.file, sizeof trajectory->def.file,
                faults);
    resolveFile(scene, scene->tool.meshPlace, scene->tool.mesh, sizeof scene->tool.mesh, faults);
    for (int i = 0; i < scene->objectCount; i++)
        resolveFile(scene, scene->objects[i].meshPlace, scene->objects[i].mesh,
                    sizeof scene->objects[i].mesh, faults);
    const palDeviceOps* driver = palFindDeviceDriver(scene->device.driver);
    if (driver != NULL && driver->settings != NULL)
        resolveSettings(scene, driver->settings, scene->device.settings, faults);
}

static palResult readTree(palYamlNode* root, int setCount, palScene* scene, palFaults* faults,
                          palError* error)
{
    if (root == NULL || (root->kind == pal_yamlScalar && root->text[0] == '\0'))
    {
        palError_Remedy(palFaults_Add(faults, NULL, "the file is empty"),
                        "a scene starts with palpate: %d", formatVersion);
        return pal_ok;
    }
    if (root->kind == pal_yamlMap)
    {
        palResult result = palChanges_Apply(root, setCount, faults, error);
        if (result != pal_ok)
            return result;
        if (!checkVersion(root, faults))
            return pal_ok;
    }
    palReader_Read(palSceneSchema(), root, scene, palGiven_OfScene(scene), faults);
    if (root->kind != pal_yamlMap)
        return pal_ok;
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
    checkTime(&scene->time, root, faults);
    checkSoft(scene, root, faults);
    checkLoops(scene, root, faults);
    checkClamps(scene, root, faults);
    checkJointNames(scene, root, faults);
    checkTrajectory(scene, root, faults);
    checkHand(scene, root, faults);
    checkParts(scene, root, faults);
    checkResponse(scene, root, faults);
    return pal_ok;
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

static palResult parseScene(const char* text, size_t length, int setCount, palScene* scene,
                            palFaults* faults, palError* error)
{
    palYamlNode* root;
    palError yamlError;
    palResult result = palYaml_Parse(text, length, -1, &root, &yamlError);
    if (result != pal_ok)
    {
        palFaults_AddError(faults, -1, &yamlError);
        return result;
    }
    result = readTree(root, setCount, scene, faults, error);
    palYamlNode_Destroy(root);
    return result;
}

// The first fault found is the error; a fault without memory for its message is one of memory.
static palResult conclude(const palFaults* faults, int before, palResult result, palError* error)
{
    const palMessages* messages = faults->messages;
    if (faults->count == 0)
        return result;
    if (messages->count == before)
        return palError_Memory(error, "messages", sizeof(palMessage));
    if (error != NULL)
        *error = messages->items[before].what;
    return messages->items[before].what.code;
}

palResult palScene_Parse(const char* text, size_t length, const char* name, const char* const* sets,
                         int setCount, palScene* scene, palMessages* messages, palError* error)
{
    palMessages own = {0};
    palFaults faults = {.messages = messages != NULL ? messages : &own, .file = name, .sets = sets};
    int before = faults.messages->count;

    // Numbers have a decimal point, whatever locale the calling program has set.
    locale_t callers = palPlainLocale_Enter();

    palSetting_SetDefaults(palSceneSchema(), -1, scene);
    palResult result = parseScene(text, length, setCount, scene, &faults, error);
    // Last, because reading begins with defaults, which are empty here.
    if (storePath(scene, name, &faults) == pal_ok)
    {
        nameScene(scene);
        resolveFiles(scene, &faults);
    }
    palFaults_End(&faults);
    result = conclude(&faults, before, result, error);
    if (result != pal_ok)
        palScene_Free(scene);

    palPlainLocale_Leave(callers);
    palMessages_Free(&own);
    return result;
}

palResult palScene_Load(const char* path, const char* const* sets, int setCount, palScene* scene,
                        palMessages* messages, palError* error)
{
    char* text;
    size_t length;
    palError fileError;
    palResult result = palReadFile(path, pal_yamlMaxBytes, &text, &length, &fileError);
    if (result != pal_ok)
    {
        palFaults faults = {.messages = messages, .file = path};
        palFaults_AddError(&faults, -1, &fileError);
        if (error != NULL)
            *error = fileError;
        return result;
    }
    result = palScene_Parse(text, length, path, sets, setCount, scene, messages, error);
    free(text);
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
    snprintf(where, sizeof where, "--set %s", key);
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
        .position = tool->position,
        .rotation = tool->rotation,
    };
    memcpy(object.mesh, tool->mesh, sizeof object.mesh);
    return object;
}

palQuat palSceneObject_Rotation(const palSceneObject* object)
{
    return palMakeQuatRotationVector(palScale(PAL_PI / 180.0, object->rotation));
}
