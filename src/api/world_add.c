// SPDX-License-Identifier: Apache-2.0
// The bodies and joints of a world, and the world itself, from the defs of a program.
#include "api/world_maker.h"

#include "base/error.h"
#include "base/plain_locale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//--------------------------------------------------------------------------------------------------
// Surfaces

palResult palRefuseSurface(const char* member, const char* text, palError* error)
{
    palError_Set(error, pal_errorInput, "%s", text);
    palError_Remedy(error, "give `vertices` and `triangles`, `file` or `shape`");
    return palError_At(error, member, 0, 0);
}

// What the arrays hold must be a surface: counts, vertices that are there.
static palResult checkArrays(const palSurfaceDef* def, palError* error)
{
    if (def->vertexCount < 3)
        return palRefuseSurface("palSurfaceDef.vertexCount", "a surface has three vertices or more",
                                error);
    if (def->triangles == NULL || def->triangleCount < 1)
        return palRefuseSurface("palSurfaceDef.triangles", "the surface has no triangles", error);
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

static void putShape(palMaker* maker, palYamlNode* map, const palSurfaceDef* def)
{
#define SHAPE(member) PAL_AT("palSurfaceDef", member)
    palYamlNode* shape = palMaker_Map(maker, map, "shape", SHAPE("shape"));
    palMaker_Text(maker, shape, "kind", def->shape, SHAPE("shape"));
    palMaker_Vector(maker, shape, "size", def->shapeSize, SHAPE("shapeSize"));
    palMaker_Number(maker, shape, "radius", def->shapeRadius, 0.0, SHAPE("shapeRadius"));
    palMaker_Number(maker, shape, "height", def->shapeHeight, 0.0, SHAPE("shapeHeight"));
    palMaker_Number(maker, shape, "amplitude", def->shapeAmplitude, 0.0, SHAPE("shapeAmplitude"));
    palMaker_Number(maker, shape, "wavelength", def->shapeWavelength, 0.0,
                    SHAPE("shapeWavelength"));
    palMaker_Number(maker, shape, "resolution", def->shapeResolution, 0.0,
                    SHAPE("shapeResolution"));
#undef SHAPE
}

palResult palMaker_Surface(palMaker* maker, palYamlNode* map, const palSurfaceDef* given,
                           palError* error)
{
    palSurfaceDef def = palDefaultSurfaceDef();
    if (!palTakeDef(given, sizeof def, &def))
        return palNoSize("palSurfaceDef", error);
    int sources = (def.vertices != NULL) + (def.file != NULL) + (def.shape != NULL);
    if (sources != 1)
        return palRefuseSurface("palSurfaceDef",
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
        palMaker_Text(maker, map, "mesh", def.vertices != NULL ? name : def.file,
                      def.vertices != NULL ? PAL_AT("palSurfaceDef", "vertices")
                                           : PAL_AT("palSurfaceDef", "file"));
    if (def.file != NULL && strcmp(def.unit != NULL ? def.unit : "m", "m") != 0)
        palMaker_Text(maker, map, "unit", def.unit, PAL_AT("palSurfaceDef", "unit"));
    palMaker_Number(maker, map, "scale", def.scale, 1.0, PAL_AT("palSurfaceDef", "scale"));
    palMaker_Number(maker, map, "tolerance", def.tolerance, 0.0,
                    PAL_AT("palSurfaceDef", "tolerance"));
    return pal_ok;
}

//--------------------------------------------------------------------------------------------------
// Objects

static palResult putFixed(palMaker* maker, palYamlNode* list, const palFixedDef* given,
                          palError* error)
{
#define FIXED(member) PAL_AT("palFixedDef", member)
    palFixedDef def = palDefaultFixedDef();
    if (!palTakeDef(given, sizeof def, &def))
        return palNoSize("palFixedDef", error);
    palYamlNode* map = palMaker_Map(maker, list, NULL, "@palFixedDef");
    palYamlNode* below;
    switch (def.kind)
    {
    case pal_fixedBox:
        below = palMaker_List(maker, map, "box", FIXED("low"));
        palMaker_Components(maker, below, NULL, def.low, FIXED("low"));
        palMaker_Components(maker, below, NULL, def.high, FIXED("high"));
        break;
    case pal_fixedSphere:
        below = palMaker_Map(maker, map, "sphere", FIXED("radius"));
        palMaker_Components(maker, below, "centre", def.centre, FIXED("centre"));
        palMaker_Value(maker, below, "radius", def.radius, FIXED("radius"));
        break;
    case pal_fixedPlane:
        below = palMaker_Map(maker, map, "plane", FIXED("normal"));
        palMaker_Components(maker, below, "point", def.centre, FIXED("centre"));
        palMaker_Components(maker, below, "normal", def.normal, FIXED("normal"));
    }
#undef FIXED
    return pal_ok;
}

static palResult putSoft(palMaker* maker, palYamlNode* map, const palSoftObjectDef* given,
                         palError* error)
{
#define SOFT(member) PAL_AT("palSoftObjectDef", member)
    static const char* const elements[] = {"hexes", "tets"};
    const palSoftObjectDef usual = palDefaultSoftObjectDef();
    palSoftObjectDef def = usual;
    if (!palTakeDef(given, sizeof def, &def))
        return palNoSize("palSoftObjectDef", error);
    palYamlNode* soft = palMaker_Map(maker, map, "soft", "@palObjectDef.soft");
    palMaker_Number(maker, soft, "young", def.young, usual.young, SOFT("young"));
    palMaker_Number(maker, soft, "poisson", def.poisson, usual.poisson, SOFT("poisson"));
    palMaker_Number(maker, soft, "stiffening", def.stiffening, usual.stiffening,
                    SOFT("stiffening"));
    palMaker_Number(maker, soft, "density", def.density, usual.density, SOFT("density"));
    if (def.elements != usual.elements)
        palMaker_Choice(maker, soft, "elements", elements, 2, (int)def.elements, SOFT("elements"));
    palMaker_Number(maker, soft, "resolution", def.resolution, usual.resolution,
                    SOFT("resolution"));
    palYamlNode* damping = palMaker_Map(maker, soft, "damping", SOFT("massDamping"));
    palMaker_Number(maker, damping, "mass", def.massDamping, usual.massDamping,
                    SOFT("massDamping"));
    palMaker_Number(maker, damping, "stiffness", def.stiffnessDamping, usual.stiffnessDamping,
                    SOFT("stiffnessDamping"));
    palYamlNode* fixed =
        def.fixedCount > 0 ? palMaker_List(maker, soft, "fixed", SOFT("fixed")) : NULL;
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

#define OBJECT(member) PAL_AT("palObjectDef", member)
static void putMotion(palMaker* maker, palYamlNode* map, const palObjectDef* def)
{
    static const char* const motions[] = {"fixed", "free", "driven"};
    const palObjectDef usual = palDefaultObjectDef();
    if (def->motion != pal_motionFixed)
        palMaker_Choice(maker, map, "motion", motions, 3, (int)def->motion, OBJECT("motion"));
    palMaker_Number(maker, map, "density", def->density, usual.density, OBJECT("density"));
    palMaker_Number(maker, map, "mass", def->mass, 0.0, OBJECT("mass"));
    palMaker_Vector(maker, map, "velocity", def->velocity, OBJECT("velocity"));
    palMaker_Vector(maker, map, "spin", def->spin, OBJECT("spin"));
    palMaker_Number(maker, map, "damping", def->damping, 0.0, OBJECT("damping"));
    if (def->restitution != 0.0)
        palMaker_Value(maker, palMaker_Map(maker, map, "contact", OBJECT("restitution")),
                       "restitution", def->restitution, OBJECT("restitution"));
}

// The keys of an object.
static palResult putObject(palMaker* maker, palYamlNode* map, const void* given, palError* error)
{
    const palObjectDef* def = given;
    palMaker_Text(maker, map, "name", def->name, OBJECT("name"));
    if (def->surface == NULL)
        return palRefuseSurface("palObjectDef.surface", "the object has no surface", error);
    palResult result = palMaker_Surface(maker, map, def->surface, error);
    palMaker_Vector(maker, map, "position", def->position, OBJECT("position"));
    palMaker_Vector(maker, map, "rotation", def->rotation, OBJECT("rotation"));
    palMaker_Number(maker, map, "friction", def->friction, 0.0, OBJECT("friction"));
    putMotion(maker, map, def);
    if (result == pal_ok && def->soft != NULL)
        result = putSoft(maker, map, def->soft, error);
#undef OBJECT
    return result;
}

palResult palWorld_AddObject(palWorld* world, const palObjectDef* given, palBodyId* id,
                             palError* error)
{
    palObjectDef def = palDefaultObjectDef();
    uint32_t place;
    const palAddition object = {"objects",  "@palObjectDef", given,    &def,
                                sizeof def, &def.name,       putObject};
    palResult result = palWorld_AddElement(world, &object, &place, error);
    if (id != NULL)
        *id = place > 0 ? palWorld_BodyId(world, (int)place - 1, false) : (palBodyId){0};
    return result;
}

//--------------------------------------------------------------------------------------------------
// Wires

static void putSection(palMaker* maker, palYamlNode* map, const palWireDef* def)
{
    bool isTube = def->innerRadius != 0.0;
    palYamlNode* section = palMaker_Map(maker, map, "section", "@palWireDef.radius");
    palMaker_Text(maker, section, "shape", isTube ? "tube" : "circle", "@palWireDef.radius");
    palMaker_Value(maker, section, "radius", def->radius, "@palWireDef.radius");
    if (isTube)
        palMaker_Value(maker, section, "inner", def->innerRadius, "@palWireDef.innerRadius");
}

static palResult putWire(palMaker* maker, palYamlNode* map, const void* given, palError* error)
{
#define WIRE(member) PAL_AT("palWireDef", member)
    static const char* const ends[] = {"none", "start", "end", "both"};
    const palWireDef usual = palDefaultWireDef();
    const palWireDef* def = given;
    if (def->points == NULL || def->pointCount < 2)
    {
        palError_Set(error, pal_errorInput, "a wire has two points or more");
        palError_Remedy(error, "give the points that it passes at rest, in metres");
        return palError_At(error, "palWireDef.points", 0, 0);
    }
    palMaker_Text(maker, map, "name", def->name, WIRE("name"));
    if (def->pointCount == 2)
    {
        palMaker_Components(maker, map, "start", def->points[0], WIRE("points"));
        palMaker_Components(maker, map, "end", def->points[1], WIRE("points"));
    }
    palYamlNode* points =
        def->pointCount > 2 ? palMaker_List(maker, map, "points", WIRE("points")) : NULL;
    for (int i = 0; def->pointCount > 2 && i < def->pointCount; i++)
        palMaker_Components(maker, palMaker_Map(maker, points, NULL, WIRE("points")), "at",
                            def->points[i], WIRE("points"));
    putSection(maker, map, def);
    palMaker_Number(maker, map, "elements", def->elements, usual.elements, WIRE("elements"));
    palMaker_Number(maker, map, "young", def->young, usual.young, WIRE("young"));
    palMaker_Number(maker, map, "poisson", def->poisson, usual.poisson, WIRE("poisson"));
    palMaker_Number(maker, map, "density", def->density, usual.density, WIRE("density"));
    palYamlNode* damping = palMaker_Map(maker, map, "damping", WIRE("massDamping"));
    palMaker_Number(maker, damping, "mass", def->massDamping, usual.massDamping,
                    WIRE("massDamping"));
    palMaker_Number(maker, damping, "stiffness", def->stiffnessDamping, usual.stiffnessDamping,
                    WIRE("stiffnessDamping"));
    palMaker_Number(maker, map, "friction", def->friction, 0.0, WIRE("friction"));
    if (def->clamped != pal_wireEndNone)
        palMaker_Choice(maker, map, "clamped", ends, 4, (int)def->clamped, WIRE("clamped"));
    palMaker_Number(maker, map, "loop", def->loop, 0.0, WIRE("loop"));
#undef WIRE
    return pal_ok;
}

palResult palWorld_AddWire(palWorld* world, const palWireDef* given, palBodyId* id, palError* error)
{
    palWireDef def = palDefaultWireDef();
    uint32_t place;
    const palAddition wire = {"wires", "@palWireDef", given, &def, sizeof def, &def.name, putWire};
    palResult result = palWorld_AddElement(world, &wire, &place, error);
    if (id != NULL)
        *id = place > 0 ? palWorld_BodyId(world, (int)place - 1, true) : (palBodyId){0};
    return result;
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

bool palWorld_BodyName(const palWorld* world, palBodyId id, bool* isWire, char out[64])
{
    *isWire = palBodyId_IsWire(id);
    const palYamlNode* list = palYamlNode_Find(world->tree, *isWire ? "wires" : "objects");
    int index = palWorld_BodyPlace(world, id);
    const palYamlNode* item = list != NULL && index >= 0 ? palYamlNode_At(list, index) : NULL;
    if (item != NULL)
        nameOf(item, *isWire ? "wire" : "object", index, out);
    return item != NULL;
}

palResult palNoSuchBody(const char* member, const char* what, palError* error)
{
    palError_Set(error, pal_errorInput, "there is no such %s", what);
    palError_Remedy(error, "give an id that the world gave");
    return palError_At(error, member, 0, 0);
}

//--------------------------------------------------------------------------------------------------
// Joints

// What a joint ties its body to.
static palResult putJointTo(palMaker* maker, palYamlNode* map, const palJointDef* def,
                            palError* error)
{
    char name[64];
    bool isWire;
    if (def->to.index != 0 && !palWorld_BodyName(maker->world, def->to, &isWire, name))
        return palNoSuchBody("palJointDef.to", "body", error);
    if (def->to.index != 0)
        palMaker_Text(maker, map, "to", name, PAL_AT("palJointDef", "to"));
    int hand = palWorld_HandPlace(maker->world, def->toHand);
    if (def->toHand.index != 0 && palWorld_HandAt(maker->world, hand).index == 0)
        return palNoSuchBody("palJointDef.toHand", "hand", error);
    if (hand >= 0 && def->to.index == 0)
        palMaker_Text(maker, map, "to", palToolName(hand, name), PAL_AT("palJointDef", "toHand"));
    return pal_ok;
}

static palResult putJoint(palMaker* maker, palYamlNode* map, const void* given, palError* error)
{
#define JOINT(member) PAL_AT("palJointDef", member)
    static const char* const kinds[] = {"ball", "weld", "ring", "hinge", "slider"};
    const palJointDef* def = given;
    char name[64];
    bool isWire;
    if (!palWorld_BodyName(maker->world, def->body, &isWire, name))
        return palNoSuchBody("palJointDef.body", "body", error);
    palMaker_Choice(maker, map, "kind", kinds, 5, (int)def->kind, JOINT("kind"));
    bool isAlong = isWire && def->at >= 0.0;
    palMaker_Text(maker, map, isAlong ? "wire" : "body", name, JOINT("body"));
    if (isAlong)
        palMaker_Value(maker, map, "at", def->at, JOINT("at"));
    else
        palMaker_Components(maker, map, "point", def->point, JOINT("point"));
    if (def->kind == pal_jointHinge || def->kind == pal_jointSlider)
        palMaker_Components(maker, map, "axis", def->axis, JOINT("axis"));
    palMaker_Number(maker, map, "radius", def->radius, 0.0, JOINT("radius"));
    if (def->isLimited)
    {
        palMaker_Value(maker, map, "low", def->low, JOINT("low"));
        palMaker_Value(maker, map, "high", def->high, JOINT("high"));
    }
    palMaker_Number(maker, map, "friction", def->friction, 0.0, JOINT("friction"));
#undef JOINT
    return putJointTo(maker, map, def, error);
}

palResult palWorld_AddJoint(palWorld* world, const palJointDef* given, palJointId* id,
                            palError* error)
{
    palJointDef def = palDefaultJointDef();
    uint32_t place;
    const palAddition joint = {"joints", "@palJointDef", given, &def, sizeof def, NULL, putJoint};
    palResult result = palWorld_AddElement(world, &joint, &place, error);
    if (id != NULL)
        *id = place > 0 ? (palJointId){place, world->number} : (palJointId){0};
    return result;
}

//--------------------------------------------------------------------------------------------------
// The world itself

static void putWorld(palMaker* maker, palYamlNode* tree, const palWorldDef* def)
{
#define WORLD(member) PAL_AT("palWorldDef", member)
    const palWorldDef usual = palDefaultWorldDef();
    palMaker_Value(maker, tree, "palpate", 1, "@palWorldDef");
    palMaker_Text(maker, tree, "name", def->name, WORLD("name"));
    palMaker_Vector(maker, tree, "gravity", def->gravity, WORLD("gravity"));
    palYamlNode* time = palMaker_Map(maker, tree, "time", WORLD("dt"));
    palMaker_Number(maker, time, "dt", def->dt, usual.dt, WORLD("dt"));
    palMaker_Number(maker, time, "low_dt", def->lowDt, usual.lowDt, WORLD("lowDt"));
    palYamlNode* method = palMaker_Map(maker, tree, "method", WORLD("method"));
    palMaker_Text(maker, method, "name", def->method, WORLD("method"));
    palMaker_Number(maker, method, "radius", def->radius, usual.radius, WORLD("radius"));
    palMaker_List(maker, tree, "objects", "@palWorld");
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
    palMaker maker = {.world = made};
    putWorld(&maker, made->tree, &def);
    return maker.failed ? palError_Memory(error, "the world", sizeof *made)
                        : palWorld_CheckNode(made, palSceneSchema(), made->tree, error);
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
