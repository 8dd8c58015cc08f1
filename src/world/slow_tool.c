// SPDX-License-Identifier: Apache-2.0
// The tool in the hand as a slower loop sees it. It touches rigid objects and the high rate's wires
// in the first loop, a loop's soft objects and wires in that loop.
#include "base/error.h"
#include "constraint/wire_contact.h"
#include "world/hand.h"
#include "world/slow_loop.h"

#include <stdlib.h>
#include <string.h>

enum
{
    pairsMax = 8192, // of features that are near
};

static bool seesObject(const palSlowLoop* loop, int object)
{
    const palCollider* collider = &loop->def->colliders[object];
    return (collider->soft != NULL ? collider->loop : 0) == loop->index;
}

// A surface of the tool's that can be moved.
static palResult makeShape(palSlowLoop* loop, palError* error)
{
    palSurface surface;
    palResult result = palSurface_Copy(&loop->tool.tool->surface, &surface, error);
    return result == pal_ok ? palCollider_Init(&loop->toolShape, &surface, 0.0, error) : result;
}

palResult palSlowLoop_InitTool(palSlowLoop* loop, palError* error)
{
    const palMethodDef* def = loop->def;
    size_t objects = (size_t)(def->colliderCount > 0 ? def->colliderCount : 1);
    loop->tool = (palSteppedTool){
        .tool = def->tool,
        .body = def->colliderCount + def->wireCount,
    };
    loop->toolVertices = calloc((size_t)def->tool->surface.vertexCount, sizeof *loop->toolVertices);
    loop->toolOthers = calloc(objects, sizeof *loop->toolOthers);
    if (loop->toolVertices == NULL || loop->toolOthers == NULL)
        return palError_Memory(error, "the contacts of the tool",
                               objects * sizeof *loop->toolOthers);
    palResult result = palContactList_Init(&loop->toolList, pairsMax, error);
    for (int i = 0; i < def->colliderCount && result == pal_ok; i++)
        if (seesObject(loop, i))
            result = palMovingSurface_Init(&loop->toolOthers[i], &def->colliders[i].surface, error);
    if (result == pal_ok)
        result = palMovingSurface_Init(&loop->toolMoving, &def->tool->surface, error);
    return result == pal_ok ? makeShape(loop, error) : result;
}

void palSlowLoop_FreeTool(palSlowLoop* loop)
{
    if (loop->tool.tool == NULL)
        return;
    for (int i = 0; i < loop->def->colliderCount && loop->toolOthers != NULL; i++)
        if (seesObject(loop, i))
            palMovingSurface_Free(&loop->toolOthers[i]);
    palMovingSurface_Free(&loop->toolMoving);
    palContactList_Free(&loop->toolList);
    palCollider_Free(&loop->toolShape);
    free(loop->toolOthers);
    free(loop->toolVertices);
}

void palSlowLoop_ImposeTool(palSlowLoop* loop, const palHapticState* hand)
{
    const palSurface* surface = &loop->tool.tool->surface;
    loop->tool.state = hand->tool;
    loop->handle = palHandle_FromState(hand);
    palRigid_Place(&loop->tool.tool->model, &loop->tool.state, surface->vertexCount,
                   surface->vertices, loop->toolVertices);
    palMovingSurface_Move(&loop->toolMoving, loop->toolVertices, loop->toolVertices);
    palCollider_Move(&loop->toolShape, loop->toolVertices);
}

static void touchObject(palSlowLoop* loop, int object)
{
    const palToolSearch search = {
        .tool = &loop->tool,
        .vertices = loop->toolVertices,
        .other = &loop->def->colliders[object],
        .otherIndex = object,
        .moving = &loop->toolMoving,
        .still = &loop->toolOthers[object],
        .list = &loop->toolList,
        .threshold = loop->def->radius,
        .horizon = loop->h + loop->def->latency,
    };
    int room = palSlowLoop_RoomFor(loop, search.other->friction);
    room = room < pal_toolContactsMax ? room : pal_toolContactsMax;
    loop->contactCount +=
        palFindToolContacts(&search, room, loop->contacts + loop->contactCount, &loop->dropped);
}

// A wire finds the tool's surface as that of an object, and then holds on to the tool.
static void touchWire(palSlowLoop* loop, const palWireAt* wire)
{
    const palWireSearch search = {
        .wire = wire->wire,
        .body = wire->body,
        .state = wire->state,
        .collider = &loop->toolShape,
        .object = loop->tool.body,
        .threshold = loop->def->radius,
        .joints = loop->joints,
        .jointCount = loop->def->jointCount,
    };
    int room = palSlowLoop_RoomFor(loop, wire->wire->friction);
    palLink* found = loop->contacts + loop->contactCount;
    int count = palFindWireContacts(&search, room, found, &loop->dropped);
    for (int i = 0; i < count; i++)
    {
        palPlace* end = &found[i].ends[1];
        end->kind = pal_placeRigid;
        end->local = palSteppedTool_Local(&loop->tool, end->local);
    }
    loop->contactCount += count;
}

void palSlowLoop_TouchTool(palSlowLoop* loop)
{
    for (int i = 0; i < loop->def->colliderCount; i++)
        if (seesObject(loop, i))
            touchObject(loop, i);
    for (int w = 0; w < loop->seenCount; w++)
        if (loop->seen[w].wire->loop == loop->index + 1 ||
            (loop->seen[w].wire->loop == 0 && loop->index == 0))
            touchWire(loop, &loop->seen[w]);
}
