// SPDX-License-Identifier: Apache-2.0
// From the defs of a program to nodes of the world's tree.
//
// A member that has the value of its default is left out, as it would be in a scene file. Every
// node remembers the member that it was made from, and what is wrong with its value, here or when
// the world is prepared, is told with that place.
#include "api/world_state.h"

#include "base/error.h"
#include "base/number.h"
#include "base/plain_locale.h"
#include "scene/reader.h"
#include "scene/setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is being added. After a failed allocation nothing more is made.
typedef struct Maker
{
    palWorld* world;
    bool failed;
} Maker;

// The place of a member of a def.
#define AT(def, member) "@" def "." member

//--------------------------------------------------------------------------------------------------
// Nodes

// Puts a node into a map under `key`, or, without a key, into a list. Returns it, or NULL.
static palYamlNode* put(Maker* maker, palYamlNode* parent, const char* key, palYamlNode* node)
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

static int originOf(Maker* maker, const char* place)
{
    int origin = maker->failed ? -1 : palWorld_Origin(maker->world, place);
    maker->failed = maker->failed || origin < 0;
    return origin;
}

static palYamlNode* putMap(Maker* maker, palYamlNode* parent, const char* key, const char* place)
{
    return put(maker, parent, key, palYamlNode_Create(pal_yamlMap, originOf(maker, place)));
}

static palYamlNode* putList(Maker* maker, palYamlNode* parent, const char* key, const char* place)
{
    return put(maker, parent, key, palYamlNode_Create(pal_yamlList, originOf(maker, place)));
}

static void putText(Maker* maker, palYamlNode* map, const char* key, const char* text,
                    const char* place)
{
    if (text != NULL)
        put(maker, map, key, palYamlNode_CreateScalar(text, false, originOf(maker, place)));
}

static void putValue(Maker* maker, palYamlNode* parent, const char* key, double value,
                     const char* place)
{
    char text[pal_numberTextMax] = "nan";
    if (isfinite(value))
        palFormatNumber(value, text);
    else if (isinf(value))
        snprintf(text, sizeof text, value > 0.0 ? "inf" : "-inf");
    put(maker, parent, key, palYamlNode_CreateScalar(text, true, originOf(maker, place)));
}

// A number that is not the usual one.
static void putNumber(Maker* maker, palYamlNode* map, const char* key, double value, double usual,
                      const char* place)
{
    if (value != usual)
        putValue(maker, map, key, value, place);
}

static void putComponents(Maker* maker, palYamlNode* parent, const char* key, palVec3 vector,
                          const char* place)
{
    palYamlNode* list = putList(maker, parent, key, place);
    putValue(maker, list, NULL, vector.x, place);
    putValue(maker, list, NULL, vector.y, place);
    putValue(maker, list, NULL, vector.z, place);
}

// A vector that is not zero.
static void putVector(Maker* maker, palYamlNode* map, const char* key, palVec3 vector,
                      const char* place)
{
    if (vector.x != 0.0 || vector.y != 0.0 || vector.z != 0.0)
        putComponents(maker, map, key, vector, place);
}

// One of the names of a scene's choice; another number is named so that the reader refuses it.
static void putChoice(Maker* maker, palYamlNode* map, const char* key, const char* const* names,
                      int count, int choice, const char* place)
{
    putText(maker, map, key, choice >= 0 && choice < count ? names[choice] : "?", place);
}

//--------------------------------------------------------------------------------------------------
// Elements of the world's lists

static const palSchemaTable* tableOf(const char* key)
{
    return palSchema_Find(palSceneSchema(), key)->table;
}

// Reads a node alone, to find what is wrong with it.
static palResult checkNode(const palWorld* world, const palSchemaTable* table,
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

// The list of that key, made where there is none.
static palYamlNode* listOf(Maker* maker, const char* key)
{
    palYamlNode* list = palYamlNode_Find(maker->world->tree, key);
    return list != NULL ? list : putList(maker, maker->world->tree, key, "@palWorld");
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

// What is added to a list of the world.
typedef struct Addition
{
    const char* key;   // of the list
    const char* place; // of the def
    const char* name;  // of the body; NULL: it has none
    palResult (*putKeys)(Maker* maker, palYamlNode* map, const void* def, palError* error);
    const void* def;
} Addition;

// Frees the surfaces from `count` on.
static void dropSurfaces(palWorld* world, int count)
{
    while (world->surfaceCount > count)
    {
        palSurface_Free(world->surfaces[--world->surfaceCount]);
        free(world->surfaces[world->surfaceCount]);
    }
}

// Appends an element and gives its place, from 1. What is not sound is taken out again.
static palResult add(palWorld* world, const Addition* addition, uint32_t* place, palError* error)
{
    palResult result = palWorld_MayChange(world, error);
    if (result == pal_ok)
        result = checkName(world, addition->name, addition->place + 1, error);
    if (result != pal_ok)
        return result;
    locale_t callers = palPlainLocale_Enter();
    int surfaceCount = world->surfaceCount;
    Maker maker = {.world = world};
    palYamlNode* list = listOf(&maker, addition->key);
    palYamlNode* map = putMap(&maker, list, NULL, addition->place);
    result = addition->putKeys(&maker, map, addition->def, error);
    if (result == pal_ok && maker.failed)
        result = palError_Memory(error, "the world", sizeof *map);
    if (result == pal_ok)
        result = checkNode(world, tableOf(addition->key), map, error);
    if (result != pal_ok && map != NULL)
        palYamlNode_Replace(list, map, NULL);
    if (result != pal_ok)
        dropSurfaces(world, surfaceCount);
    else
        *place = (uint32_t)list->childCount;
    palPlainLocale_Leave(callers);
    return result;
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

//--------------------------------------------------------------------------------------------------
// Surfaces

static palResult refuseSurface(const char* member, const char* text, palError* error)
{
    palError_Set(error, pal_errorInput, "%s", text);
    palError_Remedy(error, "give `vertices` and `triangles`, `file` or `shape`");
    return palError_At(error, member, 0, 0);
}

// What the arrays hold must be a surface: counts, vertices that are there.
static palResult checkArrays(const palSurfaceDef* def, palError* error)
{
    if (def->vertexCount < 3)
        return refuseSurface("palSurfaceDef.vertexCount", "a surface has three vertices or more",
                             error);
    if (def->triangles == NULL || def->triangleCount < 1)
        return refuseSurface("palSurfaceDef.triangles", "the surface has no triangles", error);
    for (int64_t i = 0; i < 3 * (int64_t)def->vertexCount; i++)
    {
        if (isfinite(def->vertices[i]))
            continue;
        palError_Set(error, pal_errorInput, "vertex %d is not finite", (int)(i / 3));
        palError_Remedy(error, "every vertex has three numbers");
        return palError_At(error, "palSurfaceDef.vertices", 0, 0);
    }
    for (int64_t i = 0; i < 3 * (int64_t)def->triangleCount; i++)
    {
        int vertex = def->triangles[i];
        if (vertex >= 0 && vertex < def->vertexCount)
            continue;
        palError_Set(error, pal_errorInput, "triangle %d has vertex %d, but there are %d",
                     (int)(i / 3), vertex, def->vertexCount);
        palError_Remedy(error, "vertices are counted from 0");
        return palError_At(error, "palSurfaceDef.triangles", 0, 0);
    }
    return pal_ok;
}

// Copies the arrays. Returns the index of the surface.
static palResult keepArrays(palWorld* world, const palSurfaceDef* def, int* index, palError* error)
{
    palResult result = checkArrays(def, error);
    if (result != pal_ok)
        return result;
    size_t size = ((size_t)world->surfaceCount + 1) * sizeof(palSurface*);
    palSurface** larger = realloc(world->surfaces, size);
    palSurface* copy = malloc(sizeof *copy);
    if (larger != NULL)
        world->surfaces = larger;
    if (larger == NULL || copy == NULL)
    {
        free(copy);
        return palError_Memory(error, "a surface", size);
    }
    result = palSurface_Init(copy, def->vertexCount, def->triangleCount, error);
    if (result != pal_ok)
    {
        free(copy);
        return result;
    }
    for (int i = 0; i < def->vertexCount; i++)
        copy->vertices[i] =
            (palVec3){def->vertices[3 * (size_t)i], def->vertices[3 * (size_t)i + 1],
                      def->vertices[3 * (size_t)i + 2]};
    memcpy(copy->triangles, def->triangles, (size_t)def->triangleCount * sizeof *copy->triangles);
    *index = world->surfaceCount;
    world->surfaces[world->surfaceCount++] = copy;
    return pal_ok;
}

static void putShape(Maker* maker, palYamlNode* map, const palSurfaceDef* def)
{
#define SHAPE(member) AT("palSurfaceDef", member)
    palYamlNode* shape = putMap(maker, map, "shape", SHAPE("shape"));
    putText(maker, shape, "kind", def->shape, SHAPE("shape"));
    putVector(maker, shape, "size", def->shapeSize, SHAPE("shapeSize"));
    putNumber(maker, shape, "radius", def->shapeRadius, 0.0, SHAPE("shapeRadius"));
    putNumber(maker, shape, "height", def->shapeHeight, 0.0, SHAPE("shapeHeight"));
    putNumber(maker, shape, "amplitude", def->shapeAmplitude, 0.0, SHAPE("shapeAmplitude"));
    putNumber(maker, shape, "wavelength", def->shapeWavelength, 0.0, SHAPE("shapeWavelength"));
    putNumber(maker, shape, "resolution", def->shapeResolution, 0.0, SHAPE("shapeResolution"));
#undef SHAPE
}

// The surface of an object or tool, among its keys.
static palResult putSurface(Maker* maker, palYamlNode* map, const palSurfaceDef* given,
                            palError* error)
{
    palSurfaceDef def = palDefaultSurfaceDef();
    if (!palTakeDef(given, sizeof def, &def))
        return palNoSize("palSurfaceDef", error);
    int sources = (def.vertices != NULL) + (def.file != NULL) + (def.shape != NULL);
    if (sources != 1)
        return refuseSurface("palSurfaceDef",
                             sources == 0 ? "the surface is not given"
                                          : "the surface is given in more than one way",
                             error);
    char name[pal_sceneTextMax];
    int index = 0;
    palResult result =
        def.vertices != NULL ? keepArrays(maker->world, &def, &index, error) : pal_ok;
    if (result != pal_ok)
        return result;
    if (def.vertices != NULL)
        palWorld_NameSurface(index, name);
    if (def.shape != NULL)
        putShape(maker, map, &def);
    else
        putText(maker, map, "mesh", def.vertices != NULL ? name : def.file,
                def.vertices != NULL ? AT("palSurfaceDef", "vertices")
                                     : AT("palSurfaceDef", "file"));
    if (def.file != NULL && strcmp(def.unit != NULL ? def.unit : "m", "m") != 0)
        putText(maker, map, "unit", def.unit, AT("palSurfaceDef", "unit"));
    putNumber(maker, map, "scale", def.scale, 1.0, AT("palSurfaceDef", "scale"));
    return pal_ok;
}

//--------------------------------------------------------------------------------------------------
// Objects

static palResult putFixed(Maker* maker, palYamlNode* list, const palFixedDef* given,
                          palError* error)
{
#define FIXED(member) AT("palFixedDef", member)
    palFixedDef def = palDefaultFixedDef();
    if (!palTakeDef(given, sizeof def, &def))
        return palNoSize("palFixedDef", error);
    palYamlNode* map = putMap(maker, list, NULL, "@palFixedDef");
    palYamlNode* below;
    switch (def.kind)
    {
    case pal_fixedBox:
        below = putList(maker, map, "box", FIXED("low"));
        putComponents(maker, below, NULL, def.low, FIXED("low"));
        putComponents(maker, below, NULL, def.high, FIXED("high"));
        break;
    case pal_fixedSphere:
        below = putMap(maker, map, "sphere", FIXED("radius"));
        putComponents(maker, below, "centre", def.centre, FIXED("centre"));
        putValue(maker, below, "radius", def.radius, FIXED("radius"));
        break;
    case pal_fixedPlane:
        below = putMap(maker, map, "plane", FIXED("normal"));
        putComponents(maker, below, "point", def.centre, FIXED("centre"));
        putComponents(maker, below, "normal", def.normal, FIXED("normal"));
    }
#undef FIXED
    return pal_ok;
}

static palResult putSoft(Maker* maker, palYamlNode* map, const palSoftObjectDef* given,
                         palError* error)
{
#define SOFT(member) AT("palSoftObjectDef", member)
    static const char* const elements[] = {"hexes", "tets"};
    const palSoftObjectDef usual = palDefaultSoftObjectDef();
    palSoftObjectDef def = usual;
    if (!palTakeDef(given, sizeof def, &def))
        return palNoSize("palSoftObjectDef", error);
    palYamlNode* soft = putMap(maker, map, "soft", "@palObjectDef.soft");
    putNumber(maker, soft, "young", def.young, usual.young, SOFT("young"));
    putNumber(maker, soft, "poisson", def.poisson, usual.poisson, SOFT("poisson"));
    putNumber(maker, soft, "density", def.density, usual.density, SOFT("density"));
    if (def.elements != usual.elements)
        putChoice(maker, soft, "elements", elements, 2, (int)def.elements, SOFT("elements"));
    putNumber(maker, soft, "resolution", def.resolution, usual.resolution, SOFT("resolution"));
    palYamlNode* damping = putMap(maker, soft, "damping", SOFT("massDamping"));
    putNumber(maker, damping, "mass", def.massDamping, usual.massDamping, SOFT("massDamping"));
    putNumber(maker, damping, "stiffness", def.stiffnessDamping, usual.stiffnessDamping,
              SOFT("stiffnessDamping"));
    palYamlNode* fixed = def.fixedCount > 0 ? putList(maker, soft, "fixed", SOFT("fixed")) : NULL;
    palResult result = pal_ok;
    if (def.fixedCount > 0 && def.fixed == NULL)
        result = palNoSize("palFixedDef", error);
    for (int i = 0; i < def.fixedCount && result == pal_ok; i++)
    {
        const char* one = (const char*)def.fixed + (size_t)i * def.fixed->size;
        result = putFixed(maker, fixed, (const void*)one, error);
    }
#undef SOFT
    return result;
}

// The keys of an object.
static palResult putObject(Maker* maker, palYamlNode* map, const void* given, palError* error)
{
    const palObjectDef* def = given;
#define OBJECT(member) AT("palObjectDef", member)
    putText(maker, map, "name", def->name, OBJECT("name"));
    if (def->surface == NULL)
        return refuseSurface("palObjectDef.surface", "the object has no surface", error);
    palResult result = putSurface(maker, map, def->surface, error);
    putVector(maker, map, "position", def->position, OBJECT("position"));
    putVector(maker, map, "rotation", def->rotation, OBJECT("rotation"));
    putNumber(maker, map, "friction", def->friction, 0.0, OBJECT("friction"));
    if (result == pal_ok && def->soft != NULL)
        result = putSoft(maker, map, def->soft, error);
#undef OBJECT
    return result;
}

static palResult addObject(palWorld* world, const palObjectDef* given, palBodyId* id,
                           palError* error)
{
    palObjectDef def = palDefaultObjectDef();
    if (!palTakeDef(given, sizeof def, &def))
        return palNoSize("palObjectDef", error);
    uint32_t place = 0;
    const Addition object = {"objects", "@palObjectDef", def.name, putObject, &def};
    palResult result = add(world, &object, &place, error);
    if (result == pal_ok)
        *id = palWorld_BodyId(world, (int)place - 1, false);
    return result;
}

palResult palWorld_AddObject(palWorld* world, const palObjectDef* given, palBodyId* id,
                             palError* error)
{
    palError own;
    palBodyId made = {0};
    palResult result = palWorld_Check(world, &own);
    if (result == pal_ok)
        result = addObject(world, given, &made, &own);
    if (id != NULL)
        *id = made;
    return palWorld_Tell(world, result, &own, error);
}

//--------------------------------------------------------------------------------------------------
// Wires

static void putSection(Maker* maker, palYamlNode* map, const palWireDef* def)
{
    bool isTube = def->innerRadius != 0.0;
    palYamlNode* section = putMap(maker, map, "section", "@palWireDef.radius");
    putText(maker, section, "shape", isTube ? "tube" : "circle", "@palWireDef.radius");
    putValue(maker, section, "radius", def->radius, "@palWireDef.radius");
    if (isTube)
        putValue(maker, section, "inner", def->innerRadius, "@palWireDef.innerRadius");
}

static palResult putWire(Maker* maker, palYamlNode* map, const void* given, palError* error)
{
#define WIRE(member) AT("palWireDef", member)
    static const char* const ends[] = {"none", "start", "end", "both"};
    const palWireDef usual = palDefaultWireDef();
    const palWireDef* def = given;
    if (def->points == NULL || def->pointCount < 2)
    {
        palError_Set(error, pal_errorInput, "a wire has two points or more");
        palError_Remedy(error, "give the points that it passes at rest, in metres");
        return palError_At(error, "palWireDef.points", 0, 0);
    }
    putText(maker, map, "name", def->name, WIRE("name"));
    if (def->pointCount == 2)
    {
        putComponents(maker, map, "start", def->points[0], WIRE("points"));
        putComponents(maker, map, "end", def->points[1], WIRE("points"));
    }
    palYamlNode* points =
        def->pointCount > 2 ? putList(maker, map, "points", WIRE("points")) : NULL;
    for (int i = 0; def->pointCount > 2 && i < def->pointCount; i++)
        putComponents(maker, putMap(maker, points, NULL, WIRE("points")), "at", def->points[i],
                      WIRE("points"));
    putSection(maker, map, def);
    putNumber(maker, map, "elements", def->elements, usual.elements, WIRE("elements"));
    putNumber(maker, map, "young", def->young, usual.young, WIRE("young"));
    putNumber(maker, map, "poisson", def->poisson, usual.poisson, WIRE("poisson"));
    putNumber(maker, map, "density", def->density, usual.density, WIRE("density"));
    palYamlNode* damping = putMap(maker, map, "damping", WIRE("massDamping"));
    putNumber(maker, damping, "mass", def->massDamping, usual.massDamping, WIRE("massDamping"));
    putNumber(maker, damping, "stiffness", def->stiffnessDamping, usual.stiffnessDamping,
              WIRE("stiffnessDamping"));
    putNumber(maker, map, "friction", def->friction, 0.0, WIRE("friction"));
    if (def->clamped != pal_wireEndNone)
        putChoice(maker, map, "clamped", ends, 4, (int)def->clamped, WIRE("clamped"));
    putNumber(maker, map, "loop", def->loop, 0.0, WIRE("loop"));
#undef WIRE
    return pal_ok;
}

static palResult addWire(palWorld* world, const palWireDef* given, palBodyId* id, palError* error)
{
    palWireDef def = palDefaultWireDef();
    if (!palTakeDef(given, sizeof def, &def))
        return palNoSize("palWireDef", error);
    uint32_t place = 0;
    const Addition wire = {"wires", "@palWireDef", def.name, putWire, &def};
    palResult result = add(world, &wire, &place, error);
    if (result == pal_ok)
        *id = palWorld_BodyId(world, (int)place - 1, true);
    return result;
}

palResult palWorld_AddWire(palWorld* world, const palWireDef* given, palBodyId* id, palError* error)
{
    palError own;
    palBodyId made = {0};
    palResult result = palWorld_Check(world, &own);
    if (result == pal_ok)
        result = addWire(world, given, &made, &own);
    if (id != NULL)
        *id = made;
    return palWorld_Tell(world, result, &own, error);
}

//--------------------------------------------------------------------------------------------------
// Bodies by their ids and names

// The name of the item of a list: what it gives, or what the reader will call it.
static const char* nameOf(const palYamlNode* item, const char* usual, int index, char out[64])
{
    const palYamlNode* name = palYamlNode_Find(item, "name");
    if (name != NULL && name->kind == pal_yamlScalar)
        snprintf(out, 64, "%s", name->text);
    else
        snprintf(out, 64, "%s%d", usual, index);
    return out;
}

palBodyId palWorld_FindBody(const palWorld* world, const char* name)
{
    if (world == NULL || name == NULL)
        return (palBodyId){0};
    static const char* const lists[] = {"objects", "wires"};
    static const char* const usual[] = {"object", "wire"};
    for (int l = 0; l < 2; l++)
    {
        const palYamlNode* list = palYamlNode_Find(world->tree, lists[l]);
        const palYamlNode* item = list != NULL ? list->first : NULL;
        char own[64];
        for (int i = 0; item != NULL; item = item->next, i++)
            if (strcmp(nameOf(item, usual[l], i, own), name) == 0)
                return palWorld_BodyId(world, i, l == 1);
    }
    return (palBodyId){0};
}

// Whether an id is that of a body, and its name.
static bool findName(const palWorld* world, palBodyId id, bool* isWire, char out[64])
{
    *isWire = palBodyId_IsWire(id);
    const palYamlNode* list = palYamlNode_Find(world->tree, *isWire ? "wires" : "objects");
    int index = palWorld_BodyPlace(world, id);
    const palYamlNode* item = list != NULL && index >= 0 ? palYamlNode_At(list, index) : NULL;
    if (item != NULL)
        nameOf(item, *isWire ? "wire" : "object", index, out);
    return item != NULL;
}

static palResult noSuchBody(const char* member, const char* what, palError* error)
{
    palError_Set(error, pal_errorInput, "there is no such %s", what);
    palError_Remedy(error, "give an id that the world gave");
    return palError_At(error, member, 0, 0);
}

//--------------------------------------------------------------------------------------------------
// Joints

// What a joint ties its body to.
static palResult putJointTo(Maker* maker, palYamlNode* map, const palJointDef* def, palError* error)
{
    char name[64];
    bool isWire;
    if (def->to.index != 0 && !findName(maker->world, def->to, &isWire, name))
        return noSuchBody("palJointDef.to", "body", error);
    if (def->to.index != 0)
        putText(maker, map, "to", name, AT("palJointDef", "to"));
    int hand = palWorld_HandPlace(maker->world, def->toHand);
    if (def->toHand.index != 0 && palWorld_HandAt(maker->world, hand).index == 0)
        return noSuchBody("palJointDef.toHand", "hand", error);
    if (hand >= 0 && def->to.index == 0)
        putText(maker, map, "to", palToolName(hand, name), AT("palJointDef", "toHand"));
    return pal_ok;
}

static palResult putJoint(Maker* maker, palYamlNode* map, const void* given, palError* error)
{
#define JOINT(member) AT("palJointDef", member)
    static const char* const kinds[] = {"ball", "weld", "ring", "hinge"};
    const palJointDef* def = given;
    char name[64];
    bool isWire;
    if (!findName(maker->world, def->body, &isWire, name))
        return noSuchBody("palJointDef.body", "body", error);
    putChoice(maker, map, "kind", kinds, 4, (int)def->kind, JOINT("kind"));
    bool isAlong = isWire && def->at >= 0.0;
    putText(maker, map, isAlong ? "wire" : "body", name, JOINT("body"));
    if (isAlong)
        putValue(maker, map, "at", def->at, JOINT("at"));
    else
        putComponents(maker, map, "point", def->point, JOINT("point"));
    if (def->kind == pal_jointHinge)
        putComponents(maker, map, "axis", def->axis, JOINT("axis"));
    putNumber(maker, map, "radius", def->radius, 0.0, JOINT("radius"));
#undef JOINT
    return putJointTo(maker, map, def, error);
}

static palResult addJoint(palWorld* world, const palJointDef* given, palJointId* id,
                          palError* error)
{
    palJointDef def = palDefaultJointDef();
    if (!palTakeDef(given, sizeof def, &def))
        return palNoSize("palJointDef", error);
    uint32_t place = 0;
    const Addition joint = {"joints", "@palJointDef", NULL, putJoint, &def};
    palResult result = add(world, &joint, &place, error);
    if (result == pal_ok)
        *id = (palJointId){place, world->number};
    return result;
}

palResult palWorld_AddJoint(palWorld* world, const palJointDef* given, palJointId* id,
                            palError* error)
{
    palError own;
    palJointId made = {0};
    palResult result = palWorld_Check(world, &own);
    if (result == pal_ok)
        result = addJoint(world, given, &made, &own);
    if (id != NULL)
        *id = made;
    return palWorld_Tell(world, result, &own, error);
}

//--------------------------------------------------------------------------------------------------
// Hands

#define HAND(member) AT("palHandDef", member)

static palResult putHeld(Maker* maker, palYamlNode* map, const palHandDef* def, palError* error)
{
    static const char* const ends[] = {"none", "start", "end"};
    const palHandDef usual = palDefaultHandDef();
    if (def->kind == pal_handWire)
    {
        char name[64];
        bool isWire;
        if (!findName(maker->world, def->wire, &isWire, name) || !isWire)
            return noSuchBody("palHandDef.wire", "wire", error);
        palYamlNode* wire = putMap(maker, map, "wire", HAND("wire"));
        putText(maker, wire, "name", name, HAND("wire"));
        putChoice(maker, wire, "end", ends, 3, (int)def->wireEnd, HAND("wireEnd"));
    }
    if (def->kind != pal_handTool)
        return pal_ok;
    if (def->tool == NULL)
        return refuseSurface("palHandDef.tool", "the tool has no surface", error);
    palYamlNode* tool = putMap(maker, map, "tool", HAND("tool"));
    palResult result = putSurface(maker, tool, def->tool, error);
    putVector(maker, tool, "position", def->toolPosition, HAND("toolPosition"));
    putVector(maker, tool, "rotation", def->toolRotation, HAND("toolRotation"));
    putNumber(maker, tool, "density", def->toolDensity, usual.toolDensity, HAND("toolDensity"));
    putNumber(maker, tool, "mass", def->toolMass, 0.0, HAND("toolMass"));
    return result;
}

static void putDevice(Maker* maker, palYamlNode* map, const palHandDef* def)
{
    bool isTarget = def->driver == NULL;
    palYamlNode* device = putMap(maker, map, "device", HAND("driver"));
    putText(maker, device, "driver", isTarget ? "target" : def->driver, HAND("driver"));
    if (!isTarget)
        return;
    putVector(maker, device, "position", def->position, HAND("position"));
    putVector(maker, device, "rotation", def->rotation, HAND("rotation"));
    putNumber(maker, device, "interval", def->targetInterval, 0.0, HAND("targetInterval"));
}

static palResult putHand(Maker* maker, palYamlNode* map, const void* given, palError* error)
{
    const palHandDef usual = palDefaultHandDef();
    const palHandDef* def = given;
    palResult result = putHeld(maker, map, def, error);
    if (result != pal_ok)
        return result;
    putDevice(maker, map, def);
    palYamlNode* coupling = putMap(maker, map, "coupling", HAND("stiffness"));
    putNumber(maker, coupling, "stiffness", def->stiffness, 0.0, HAND("stiffness"));
    putNumber(maker, coupling, "damping", def->damping, 0.0, HAND("damping"));
    putNumber(maker, coupling, "turn_stiffness", def->turnStiffness, 0.0, HAND("turnStiffness"));
    putNumber(maker, coupling, "turn_damping", def->turnDamping, 0.0, HAND("turnDamping"));
    putNumber(maker, coupling, "mass", def->mass, usual.mass, HAND("mass"));
    palYamlNode* safety = putMap(maker, map, "safety", HAND("maxForce"));
    putNumber(maker, safety, "max_force", def->maxForce, 0.0, HAND("maxForce"));
    return pal_ok;
}

// Makes the hand of the short form the first of `hands`.
static palResult listFirstHand(palWorld* world, palError* error)
{
    Maker maker = {.world = world};
    const palSchemaTable* table = tableOf("hands");
    if (palYamlNode_Find(world->tree, "hands") != NULL || palWorld_HandAt(world, 0).index == 0)
        return pal_ok;
    palYamlNode* first = putMap(&maker, listOf(&maker, "hands"), NULL, "@palHandDef");
    if (first == NULL)
        return palError_Memory(error, "the world", sizeof *first);
    for (int i = 0; i < table->keyCount; i++)
    {
        palYamlNode* node = palYamlNode_Find(world->tree, table->keys[i].name);
        if (node != NULL)
            palYamlNode_Move(world->tree, node, first);
    }
    return pal_ok;
}

// The keys of the driver, one by one as changes.
static palResult setKeys(palWorld* world, const palHandDef* def, int hand, palError* error)
{
    palResult result = pal_ok;
    for (int i = 0; i < def->keyCount && result == pal_ok; i++)
    {
        char change[512];
        if (def->keys == NULL || def->keys[i] == NULL)
            return palIsNull("palHandDef.keys", error);
        int length = snprintf(change, sizeof change, "hands.%d.device.%s", hand, def->keys[i]);
        if (length < (int)sizeof change)
            result = palWorld_Set(world, change, error);
        else
            result = palError_Set(error, pal_errorInput, "palHandDef.keys: one is too long");
    }
    return result;
}

// Ends the addition of a hand: its device.
static palResult finishHand(palWorld* world, const palHandDef* def, palHandId id, palError* error)
{
    palResult result = setKeys(world, def, palWorld_HandPlace(world, id), error);
    if (result == pal_ok && def->deviceOps != NULL)
        result = palWorld_SetDevice(world, id, def->deviceOps, def->device, error);
    palYamlNode* list = palYamlNode_Find(world->tree, "hands");
    if (result != pal_ok)
        palYamlNode_Replace(list, list->last, NULL);
    return result;
}

static palResult addHand(palWorld* world, const palHandDef* given, palHandId* id, palError* error)
{
    palHandDef def = palDefaultHandDef();
    if (!palTakeDef(given, sizeof def, &def))
        return palNoSize("palHandDef", error);
    palResult result = palWorld_MayChange(world, error);
    if (result == pal_ok && palWorld_HandAt(world, pal_handsMax - 1).index != 0)
    {
        palError_Set(error, pal_errorInput, "the world has %d hands", pal_handsMax);
        result = palError_Remedy(error, "it can have no more");
    }
    if (result == pal_ok)
        result = listFirstHand(world, error);
    if (result != pal_ok)
        return result;
    uint32_t place = 0;
    const Addition hand = {"hands", "@palHandDef", NULL, putHand, &def};
    result = add(world, &hand, &place, error);
    if (result == pal_ok)
        result = finishHand(world, &def, palWorld_HandId(world, (int)place - 1), error);
    if (result == pal_ok)
        *id = palWorld_HandId(world, (int)place - 1);
    return result;
}

palResult palWorld_AddHand(palWorld* world, const palHandDef* given, palHandId* id, palError* error)
{
    palError own;
    palHandId made = {0};
    palResult result = palWorld_Check(world, &own);
    if (result == pal_ok)
        result = addHand(world, given, &made, &own);
    if (id != NULL)
        *id = made;
    return palWorld_Tell(world, result, &own, error);
}

#undef HAND

//--------------------------------------------------------------------------------------------------
// The world itself

static void putWorld(Maker* maker, palYamlNode* tree, const palWorldDef* def)
{
#define WORLD(member) AT("palWorldDef", member)
    const palWorldDef usual = palDefaultWorldDef();
    putValue(maker, tree, "palpate", 1, "@palWorldDef");
    putText(maker, tree, "name", def->name, WORLD("name"));
    putVector(maker, tree, "gravity", def->gravity, WORLD("gravity"));
    palYamlNode* time = putMap(maker, tree, "time", WORLD("dt"));
    putNumber(maker, time, "dt", def->dt, usual.dt, WORLD("dt"));
    putNumber(maker, time, "low_dt", def->lowDt, usual.lowDt, WORLD("lowDt"));
    palYamlNode* method = putMap(maker, tree, "method", WORLD("method"));
    putText(maker, method, "name", def->method, WORLD("method"));
    putNumber(maker, method, "radius", def->radius, usual.radius, WORLD("radius"));
    putList(maker, tree, "objects", "@palWorld");
#undef WORLD
}

static palResult create(const palWorldDef* given, palWorld** world, palError* error)
{
    palWorldDef def = palDefaultWorldDef();
    if (!palTakeDef(given, sizeof def, &def))
        return palNoSize("palWorldDef", error);
    palWorld* made = palWorld_Allocate();
    *world = made;
    if (made == NULL)
        return palError_Memory(error, "the world", sizeof *made);
    made->tree = palYamlNode_Create(pal_yamlMap, -1);
    Maker maker = {.world = made};
    putWorld(&maker, made->tree, &def);
    return maker.failed ? palError_Memory(error, "the world", sizeof *made)
                        : checkNode(made, palSceneSchema(), made->tree, error);
}

palResult palWorld_Create(const palWorldDef* def, palWorld** world, palError* error)
{
    palError own;
    palWorld* made = NULL;
    locale_t callers = palPlainLocale_Enter();
    palResult result =
        world != NULL ? create(def, &made, &own) : palIsNull("the place for the world", &own);
    palPlainLocale_Leave(callers);
    if (world != NULL)
        *world = result == pal_ok ? made : NULL;
    if (result != pal_ok)
        palWorld_Destroy(made);
    return palWorld_Tell(NULL, result, &own, error);
}
