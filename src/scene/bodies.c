// SPDX-License-Identifier: Apache-2.0
#include "scene/bodies.h"

#include "base/error.h"
#include "collide/decimate.h"
#include "mesh/load.h"
#include "mesh/topology.h"
#include "scene/fits.h"
#include "scene/rigid_objects.h"
#include "scene/settle.h"
#include "scene/soft_object.h"
#include "scene/wires.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A surface that a program gave; messages name its body, because there is no file.
static palResult takeArrays(const palSceneObject* object, const palLoadDef* def,
                            palSurface* surface, palSurfaceFacts* facts, palMessages* messages,
                            palError* error)
{
    char where[96];
    snprintf(where, sizeof where, "surface of %.60s", object->name);
    int before = messages->count;
    palResult result = palSurface_LoadCopy(object->surface, def, surface, facts, messages, error);
    for (int i = before; i < messages->count; i++)
        palError_At(&messages->items[i].what, where, 0, 0);
    return result == pal_ok ? pal_ok : palError_At(error, where, 0, 0);
}

// What moves as its mass says must be the solid that its triangles say.
static palResult refuseInsideOut(const palScene* scene, const palSceneObject* object,
                                 palError* error)
{
    const char* mesh = object->surface != NULL ? "its surface" : object->mesh;
    palError_Set(error, pal_errorInput,
                 "'%s' is to move, and the triangles of %s face inward: it is inside out",
                 object->name, mesh);
    palError_Remedy(error, object->surface != NULL
                               ? "exchange two corners of every triangle"
                               : "turn them over: palpate mesh FILE --out NEW does");
    return palScene_At(scene, object->place, "objects", error);
}

static palResult loadMesh(const palScene* scene, const palSceneObject* object, palSurface* surface,
                          palMessages* messages, palError* error)
{
    palSurfaceFacts facts = {0};
    palLoadDef def = palDefaultLoadDef();
    def.scale = object->scale * palLengthUnit_Metres(object->unit);
    const int before = messages != NULL ? messages->count : 0;
    palResult result = object->surface != NULL
                           ? takeArrays(object, &def, surface, &facts, messages, error)
                           : palSurface_Load(object->mesh, &def, surface, &facts, messages, error);
    if (result != pal_ok || object->motion != pal_motionFree ||
        (facts.oriented.turnedParts == 0 && facts.boundaryEdges == 0))
        return result;
    // It is refused, here or for want of a volume, or its hull is taken: what its surface is like
    // matters no more.
    if (messages != NULL)
        messages->count = before;
    if (facts.oriented.turnedParts == 0)
        return pal_ok;
    palSurface_Free(surface);
    return refuseInsideOut(scene, object, error);
}

// Whether the file that `key` of the scene names is there.
static palResult findMesh(const palScene* scene, const palSceneObject* object, const char* key,
                          palError* error)
{
    if (object->mesh[0] == '\0' || object->surface != NULL)
        return pal_ok;
    return palScene_FindFile(scene, object->meshPlace, key, object->mesh, error);
}

static palResult append(palSurface* surface, const palSurface* more, palError* error)
{
    palSurface both;
    palResult result = palSurface_Init(&both, surface->vertexCount + more->vertexCount,
                                       surface->triangleCount + more->triangleCount, error);
    if (result != pal_ok)
        return result;
    for (int i = 0; i < both.vertexCount; i++)
        both.vertices[i] = i < surface->vertexCount ? surface->vertices[i]
                                                    : more->vertices[i - surface->vertexCount];
    for (int t = 0; t < both.triangleCount; t++)
        for (int k = 0; k < 3; k++)
            both.triangles[t][k] =
                t < surface->triangleCount
                    ? surface->triangles[t][k]
                    : more->triangles[t - surface->triangleCount][k] + surface->vertexCount;
    palSurface_Free(surface);
    *surface = both;
    return pal_ok;
}

// The parts of an object together, in its frame.
static palResult joinParts(const palScene* scene, const palSceneObject* object, palSurface* surface,
                           palMessages* messages, palError* error)
{
    palResult result = palSurface_Init(surface, 0, 0, error);
    for (int i = 0; i < object->partCount && result == pal_ok; i++)
    {
        palSurface part = {0};
        palSceneObject view = palScenePart_Object(&object->parts[i]);
        view.motion = object->motion;
        memcpy(view.name, object->name, sizeof view.name);
        result = findMesh(scene, &view, "objects.parts.mesh", error);
        if (result == pal_ok)
            result = palSceneObject_Surface(scene, &view, &part, messages, error);
        if (result == pal_ok)
            result = append(surface, &part, error);
        palSurface_Free(&part);
    }
    if (result != pal_ok)
        palSurface_Free(surface);
    return result;
}

// The shape of an object in its frame, without its scale.
static palResult makeShape(const palScene* scene, const palSceneObject* object, palSurface* surface,
                           palMessages* messages, palError* error)
{
    palResult result = object->partCount > 0 ? joinParts(scene, object, surface, messages, error)
                                             : palMakeShape(&object->shape, surface, error);
    if (result == pal_ok || error == NULL || error->line > 0)
        return result;
    return palScene_At(scene, object->place, "objects.shape", error);
}

// Merges triangles within the object's tolerance, and says what is left of them.
static palResult decimate(const palScene* scene, const palSceneObject* object, palSurface* surface,
                          palMessages* messages, palError* error)
{
    palDecimation done;
    palResult result = palSurface_Decimate(surface, object->tolerance, &done, error);
    if (result != pal_ok)
        return palScene_At(scene, object->place, "objects", error);
    palError* note = palMessages_Add(
        messages, pal_severityNote,
        "%d of %d triangles of '%s' are left; measured, the surfaces are at most %.3g um apart",
        done.after, done.before, object->name, 1e6 * fmax(done.fromGiven, done.fromReduced));
    palScene_At(scene, object->place, "objects", note);
    return pal_ok;
}

// Surfaces of more triangles than this are dense.
static const int denseTriangles = 16000;

static bool hasTool(const palScene* scene)
{
    bool any = false;
    for (int i = 0; i < palScene_HandCount(scene); i++)
        any = any || palScene_HandAt(scene, i)->hasTool;
    return any;
}

// Merges triangles of a dense tool, or of a rigid object where a hand holds a tool, as far as the
// method allows: a fit of smooth parts then costs what their shape costs.
static palResult mergeDense(const palScene* scene, const palSceneObject* object,
                            palSurface* surface, palMessages* messages, palError* error)
{
    int before = surface->triangleCount;
    double tolerance = scene->method.settings.accurate.tolerance;
    if (before <= denseTriangles || !(tolerance > 0.0) || !hasTool(scene) || object->isSoft ||
        object->representation == pal_representPoints)
        return pal_ok;
    palResult result = palSurface_Merge(surface, tolerance, error);
    if (result != pal_ok)
        return palScene_At(scene, object->place, "objects", error);
    palError* note = palMessages_Add(messages, pal_severityNote,
                                     "%d triangles of '%s' were merged into %d, within %.3g um",
                                     before, object->name, surface->triangleCount, 1e6 * tolerance);
    palScene_At(scene, object->place, "objects", note);
    return pal_ok;
}

// Turns an open surface over, so that its other side is free.
static palResult turnOver(const palScene* scene, const palSceneObject* object, palSurface* surface,
                          palError* error)
{
    palTopology topology = {0};
    palResult result = palTopology_Init(&topology, surface, error);
    bool isOpen = false;
    for (int e = 0; e < topology.edgeCount; e++)
        isOpen = isOpen || topology.edgeKinds[e] == pal_edgeBoundary;
    palTopology_Free(&topology);
    if (result != pal_ok)
        return result;
    if (!isOpen)
    {
        palError_Set(error, pal_errorInput, "'%s' has a side, and its surface is closed",
                     object->name);
        palError_Remedy(error, "take side out: what is outside a closed surface is free");
        return palScene_At(scene, object->place, "objects", error);
    }
    for (int t = 0; t < surface->triangleCount; t++)
    {
        int* corner = surface->triangles[t];
        int second = corner[1];
        corner[1] = corner[2];
        corner[2] = second;
    }
    return pal_ok;
}

palResult palSceneObject_Surface(const palScene* scene, const palSceneObject* object,
                                 palSurface* surface, palMessages* messages, palError* error)
{
    bool isFile = object->mesh[0] != '\0';
    palResult result = isFile ? loadMesh(scene, object, surface, messages, error)
                              : makeShape(scene, object, surface, messages, error);
    if (result != pal_ok)
        return result;
    double scale = isFile ? 1.0 : object->scale;
    palSurface_Transform(surface, scale, palSceneObject_Rotation(object), object->position);
    if (object->side == pal_sideBack)
        result = turnOver(scene, object, surface, error);
    if (result == pal_ok)
        result = object->tolerance > 0.0 ? decimate(scene, object, surface, messages, error)
                                         : mergeDense(scene, object, surface, messages, error);
    if (result != pal_ok)
        palSurface_Free(surface);
    return result;
}

// A surface alone, or a volume with the surface that bounds or is embedded in it.
static palResult makeSoft(const palScene* scene, const palSceneObject* object, palSoftObject* soft,
                          palMessages* messages, palError* error)
{
    if (object->isSoft && object->partCount > 0)
    {
        palError_Set(error, pal_errorInput, "'%s' is soft and has parts", object->name);
        palError_Remedy(error, "give it one shape or mesh, or join several soft objects");
        return palScene_At(scene, object->place, "objects", error);
    }
    if (object->tolerance > 0.0 && palSceneObject_HasVolume(object))
    {
        palError_Set(error, pal_errorInput, "'%s' is a volume and has a tolerance", object->name);
        palError_Remedy(error, "give a surface, or leave the tolerance out");
        return palScene_At(scene, object->place, "objects", error);
    }
    if (palSceneObject_HasVolume(object))
        return palSoftObject_FromVolume(soft, scene, object, messages, error);
    palSurface surface = {0};
    palResult result = palSceneObject_Surface(scene, object, &surface, messages, error);
    if (result != pal_ok)
        return result;
    if (object->isSoft)
        return palSoftObject_FromSurface(soft, scene, object, &surface, messages, error);
    *soft = (palSoftObject){.scene = scene, .object = object, .surface = surface};
    return pal_ok;
}

static palResult makeObject(const palScene* scene, const palSceneObject* object,
                            palCollider* collider, palMessages* messages, palError* error)
{
    palSoftObject soft = {0};
    char key[64];
    snprintf(key, sizeof key, "objects.%d.mesh", (int)(object - scene->objects));
    palResult result = findMesh(scene, object, key, error);
    if (result == pal_ok)
        result = makeSoft(scene, object, &soft, messages, error);
    if (result == pal_ok)
        result = palCollider_Init(collider, &soft.surface, object->friction, error);
    if (result == pal_ok)
    {
        collider->points = object->representation == pal_representPoints;
        collider->loop = object->loop - 1;
    }
    if (result == pal_ok && object->isSoft)
    {
        result = palSoftObject_Bind(&soft, collider, messages, error);
        if (result != pal_ok)
            palCollider_Free(collider);
    }
    palSoftObject_Free(&soft);
    return result;
}

// A tool must hold a volume, for its mass and to know its inside from its outside.
static palResult checkTool(const palScene* scene, int hand, const palSurface* surface,
                           palError* error)
{
    char key[64];
    palTopology topology;
    palResult result = palTopology_Init(&topology, surface, error);
    if (result != pal_ok)
        return result;
    int open = 0;
    for (int i = 0; i < topology.edgeCount; i++)
        open += topology.edgeKinds[i] == pal_edgeBoundary ||
                topology.edgeKinds[i] == pal_edgeMisoriented ||
                topology.edgeKinds[i] == pal_edgeNonManifold;
    palTopology_Free(&topology);
    if (open == 0)
        return pal_ok;
    palError_Set(error, pal_errorInput,
                 "the tool's surface is not closed: %d edges do not join two triangles", open);
    palError_Remedy(error,
                    "close it; palpate mesh FILE --repair --out CLOSED does where it has holes");
    return palScene_At(scene, palScene_HandAt(scene, hand)->toolPlace,
                       palScene_HandKey(scene, hand, "tool", key), error);
}

static palResult makeTool(palSceneBodies* world, const palScene* scene, int hand,
                          palMessages* messages, palError* error)
{
    char key[64];
    const palSceneHand* given = palScene_HandAt(scene, hand);
    palSceneToolBody* tool = &world->tools[hand];
    palSceneObject object = palSceneTool_Object(&given->tool);
    object.place = given->toolPlace;
    palResult result =
        findMesh(scene, &object, palScene_HandKey(scene, hand, "tool.mesh", key), error);
    if (result == pal_ok)
        result = palSceneObject_Surface(scene, &object, &tool->surface, messages, error);
    if (result == pal_ok)
        result = checkTool(scene, hand, &tool->surface, error);
    if (result != pal_ok)
        return result;
    palMass* mass = &tool->mass;
    result = palMass_FromSurface(&tool->surface, given->tool.density, mass, error);
    if (result != pal_ok)
        return palScene_At(scene, given->toolPlace, palScene_HandKey(scene, hand, "tool", key),
                           error);
    if (isnan(given->tool.mass))
        return pal_ok;
    mass->inertia = palMat3MulAdd((palMat3){0}, given->tool.mass / mass->mass, mass->inertia);
    mass->mass = given->tool.mass;
    return pal_ok;
}

static palResult allocate(palSceneBodies* world, const palScene* scene, palError* error)
{
    *world = (palSceneBodies){0};
    size_t bytes = (size_t)(scene->objectCount + scene->wireCount + 1) * sizeof(palCollider);
    world->colliders = calloc(1, bytes);
    return world->colliders != NULL ? pal_ok
                                    : palError_Memory(error, "the objects of the scene", bytes);
}

// What needs all objects to stand.
static palResult complete(palSceneBodies* world, const palScene* scene, palMessages* messages,
                          palError* error)
{
    palResult result = pal_ok;
    for (int i = 0; i < palScene_HandCount(scene) && result == pal_ok; i++)
        if (palScene_HandAt(scene, i)->hasTool)
            result = makeTool(world, scene, i, messages, error);
    if (result == pal_ok)
        result = palSceneBodies_AddRigid(world, scene, messages, error);
    if (result == pal_ok)
        result = palSceneBodies_AddWires(world, scene, error);
    if (result == pal_ok)
        result = palSceneBodies_FindOverlaps(world, scene, messages, error);
    if (result == pal_ok)
        result = palSceneBodies_CheckFits(world, scene, messages, error);
    if (result == pal_ok)
        result = palSceneBodies_Settle(world, scene, messages, error);
    return result;
}

palResult palSceneBodies_Init(palSceneBodies* world, const palScene* scene, palMessages* messages,
                              palError* error)
{
    palResult result = allocate(world, scene, error);
    for (int i = 0; i < scene->objectCount && result == pal_ok; i++)
    {
        result =
            makeObject(scene, &scene->objects[i], &world->colliders[world->count], messages, error);
        world->count += result == pal_ok;
    }
    if (result == pal_ok)
        result = complete(world, scene, messages, error);
    if (result != pal_ok)
        palSceneBodies_Free(world);
    return result;
}

static void addFault(palMessages* messages, const palError* error)
{
    palError* fault = palMessages_Add(messages, pal_severityError, "%s", error->text);
    if (fault != NULL)
        *fault = *error;
}

void palSceneBodies_Check(const palScene* scene, palMessages* messages)
{
    palSceneBodies world;
    palError error = {0};
    palResult result = allocate(&world, scene, &error);
    bool isGood = result == pal_ok;
    for (int i = 0; i < scene->objectCount && result == pal_ok; i++)
    {
        palError own = {0};
        palCollider* collider = &world.colliders[world.count];
        if (makeObject(scene, &scene->objects[i], collider, messages, &own) == pal_ok)
            world.count++;
        else
        {
            addFault(messages, &own);
            isGood = false;
        }
    }
    if (isGood)
        result = complete(&world, scene, messages, &error);
    if (result != pal_ok)
        addFault(messages, &error);
    for (int i = 0; i < palScene_HandCount(scene); i++)
    {
        palTrajectory* trajectory;
        palError own = {0};
        bool isAimed = palScene_HandAt(scene, i)->trajectory.object >= 0;
        if (isAimed && world.count < scene->objectCount)
            continue; // at an object that may be missing
        result = palSceneBodies_MakeTrajectory(&world, scene, i, &trajectory, messages, &own);
        if (result != pal_ok)
            addFault(messages, &own);
        palTrajectory_Destroy(trajectory);
    }
    palSceneBodies_Free(&world);
}

void palSceneBodies_Free(palSceneBodies* world)
{
    for (int i = 0; i < world->count + world->wireCount; i++)
        palCollider_Free(&world->colliders[i]);
    for (int i = 0; i < world->wireCount; i++)
        palBeamModel_Destroy(world->wires[i].model);
    for (int i = 0; i < world->anchorCount; i++)
        palAnchor_Destroy(world->anchors[i]);
    free(world->colliders);
    free(world->wires);
    free(world->joints);
    free(world->anchors);
    for (int i = 0; i < pal_handsMax; i++)
        palSurface_Free(&world->tools[i].surface);
    palSceneBodies_FreeRigid(world);
    *world = (palSceneBodies){0};
}

palResult palSceneBodies_MakeTrajectory(const palSceneBodies* world, const palScene* scene,
                                        int hand, palTrajectory** trajectory, palMessages* messages,
                                        palError* error)
{
    const palSceneHand* given = palScene_HandAt(scene, hand);
    palTrajectoryDef aimed;
    char key[64];
    *trajectory = NULL;
    if (!given->hasTrajectory)
        return pal_ok;
    palResult result = palSceneBodies_Aim(world, &given->trajectory, &aimed, error);
    if (result == pal_ok && aimed.kind == pal_trajectoryFile)
        result = palScene_FindFile(scene, given->trajectory.filePlace,
                                   palScene_HandKey(scene, hand, "trajectory.file", key),
                                   aimed.file, error);
    if (result == pal_ok)
        result = palTrajectory_Create(&aimed, trajectory, error);
    if (result != pal_ok || palTrajectory_Shift(*trajectory) == 0.0)
        return result;
    palError* note = palMessages_Add(messages, pal_severityNote,
                                     "the recording begins at t = %g s: its times are shifted so "
                                     "that it begins at 0",
                                     -palTrajectory_Shift(*trajectory));
    palError_At(note, aimed.file, 0, 0);
    palError_Remedy(note, "set trajectory.time_offset to 0 to keep its times");
    return pal_ok;
}
