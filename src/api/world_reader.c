// SPDX-License-Identifier: Apache-2.0
#include "api/world_state.h"

#include "base/error.h"

#include <string.h>

palResult palWorld_OpenReader(palWorld* world, palWorldReader** reader, palError* error)
{
    palError own;
    palReader* opened = NULL;
    palResult result = palWorld_CheckPrepared(world, &own);
    if (result == pal_ok && reader == NULL)
        result = palIsNull("the place for the reader", &own);
    if (result == pal_ok)
        result = palEngine_OpenReader(world->engine, false, &opened, &own);
    if (result == pal_ok)
    {
        *reader = &world->readers[opened - world->engine->readers.readers];
        **reader = (palWorldReader){.world = world, .reader = opened};
        return pal_ok;
    }
    if (reader != NULL)
        *reader = NULL;
    if (error != NULL)
        *error = own;
    return result;
}

void palWorld_CloseReader(palWorldReader* reader)
{
    if (reader != NULL)
        palEngine_CloseReader(reader->world->engine, reader->reader);
}

bool palWorldReader_Update(palWorldReader* reader)
{
    bool isTickNew = false, isDrawingNew = false;
    if (reader == NULL)
        return false;
    reader->tick = palReader_Tick(reader->reader, &isTickNew);
    reader->drawing = palReader_Drawing(reader->reader, &isDrawingNew);
    return isTickNew || isDrawingNew;
}

double palWorldReader_Time(const palWorldReader* reader)
{
    return reader != NULL && reader->tick != NULL ? reader->tick->record.t : -1.0;
}

bool palWorldReader_Hand(const palWorldReader* reader, palHandId hand, palHandState* state)
{
    int place = reader != NULL ? palWorld_HandPlace(reader->world, hand) : -1;
    if (place < 0 || reader->tick == NULL || place >= reader->world->handCount)
        return false;
    if (state != NULL)
        palHandState_Fill(state, &reader->tick->record.hands[place]);
    return true;
}

//--------------------------------------------------------------------------------------------------
// Shapes

// As much as the caller's struct has room for.
static bool give(void* to, const void* from, size_t size)
{
    if (to == NULL)
        return true;
    size_t room = *(const size_t*)to;
    if (room > sizeof room)
        memcpy((char*)to + sizeof room, (const char*)from + sizeof room,
               (room < size ? room : size) - sizeof room);
    return true;
}

// A view of a surface with the vertices given.
static palShapeView viewOf(const palSurface* surface, const palVec3* vertices, double time)
{
    return (palShapeView){
        .vertices = vertices,
        .triangles = &surface->triangles[0][0],
        .vertexCount = surface->vertexCount,
        .triangleCount = surface->triangleCount,
        .orientation = pal_identityQuat,
        .time = time,
    };
}

// A rigid object that moves, as the low rate saw it; NULL: it does not, or was not seen yet.
static const palRigidView* findRigid(const palWorldReader* reader, int object)
{
    const palDrawing* drawing = reader->drawing;
    for (int i = 0; drawing != NULL && i < drawing->rigidCount; i++)
        if (drawing->rigid[i].object == object)
            return &drawing->rigid[i];
    return NULL;
}

static bool viewObject(const palWorldReader* reader, int object, palShapeView* view)
{
    const palSceneBodies* bodies = &reader->world->bodies;
    if (object >= bodies->count)
        return false;
    const palSurface* surface = &bodies->colliders[object].surface;
    if (bodies->colliders[object].soft == NULL)
    {
        const palRigidView* moving = findRigid(reader, object);
        palShapeView rigid = viewOf(surface, surface->vertices, 0.0);
        if (moving != NULL)
        {
            rigid.position = moving->moved.x;
            rigid.orientation = moving->moved.q;
            rigid.time = reader->drawing->time;
        }
        return give(view, &rigid, sizeof rigid);
    }
    for (int i = 0; reader->drawing != NULL && i < reader->drawing->surfaceCount; i++)
    {
        const palDrawnSurface* drawn = &reader->drawing->surfaces[i];
        palShapeView moved = viewOf(surface, drawn->vertices, drawn->time);
        if (drawn->object == object)
            return give(view, &moved, sizeof moved);
    }
    return false;
}

bool palWorldReader_Body(const palWorldReader* reader, palBodyId body, palShapeView* view)
{
    int place = reader != NULL ? palWorld_BodyPlace(reader->world, body) : -1;
    if (place < 0)
        return false;
    if (!palBodyId_IsWire(body))
        return viewObject(reader, place, view);
    if (reader->drawing == NULL || place >= reader->drawing->wireCount)
        return false;
    const palDrawnWire* drawn = &reader->drawing->wires[place];
    const palShapeView wire = {
        .vertices = drawn->positions,
        .vertexCount = drawn->nodeCount,
        .orientation = pal_identityQuat,
        .time = reader->drawing->time,
        .radius = drawn->radius,
    };
    return give(view, &wire, sizeof wire);
}

bool palWorldReader_Tool(const palWorldReader* reader, palHandId hand, palShapeView* view)
{
    int place = reader != NULL ? palWorld_HandPlace(reader->world, hand) : -1;
    if (place < 0 || reader->drawing == NULL || reader->tick == NULL ||
        place >= reader->world->handCount ||
        !palScene_HandAt(&reader->world->scene, place)->hasTool)
        return false;
    const palHandRecord* record = &reader->tick->record.hands[place];
    const palSurface* surface = &reader->world->hands[place].tool.surface;
    palShapeView tool = viewOf(surface, surface->vertices, reader->tick->record.t);
    tool.position = record->proxy;
    tool.orientation = record->proxyTurn;
    return give(view, &tool, sizeof tool);
}

bool palWorldReader_Motion(const palWorldReader* reader, palBodyId body, palBodyState* state)
{
    int place = reader != NULL ? palWorld_BodyPlace(reader->world, body) : -1;
    if (place < 0 || palBodyId_IsWire(body) || state == NULL || reader->drawing == NULL)
        return false;
    return palWorld_FillBody(reader->world, place, findRigid(reader, place), reader->drawing->time,
                             state);
}

void palShapeView_Normals(const palShapeView* view, palVec3* normals, int count)
{
    if (view == NULL || normals == NULL)
        return;
    memset(normals, 0, (size_t)(count > 0 ? count : 0) * sizeof *normals);
    for (int t = 0; t < view->triangleCount; t++)
    {
        const int* corner = &view->triangles[3 * (size_t)t];
        const palVec3* x = view->vertices;
        palVec3 area =
            palCross(palSub(x[corner[1]], x[corner[0]]), palSub(x[corner[2]], x[corner[0]]));
        for (int k = 0; k < 3; k++)
            if (corner[k] < count)
                normals[corner[k]] = palAdd(normals[corner[k]], area);
    }
    for (int i = 0; i < count; i++)
        if (palLength(normals[i]) > 0.0)
            normals[i] = palNormalize(normals[i]);
}

//--------------------------------------------------------------------------------------------------
// Contacts and statistics

// The public id of a body of the engine's numbering: zero for what a hand has.
static palBodyId idOf(const palWorld* world, int body)
{
    if (body >= 0 && body < world->bodies.count)
        return palWorld_BodyId(world, body, false);
    body -= world->bodies.count;
    bool isWire = body >= 0 && body < world->bodies.wireCount;
    return isWire ? palWorld_BodyId(world, body, true) : (palBodyId){0};
}

// The contact of that index: of the high rate, then those that a slower loop alone has.
static const palContactForce* contactAt(const palWorldReader* reader, int index)
{
    if (reader == NULL || reader->tick == NULL || index < 0)
        return NULL;
    if (index < reader->tick->record.contactCount)
        return &reader->tick->record.contacts[index];
    index -= reader->tick->record.contactCount;
    for (int loop = 0; loop < reader->world->engine->loopCount; loop++)
    {
        const palLowReading* low = palReader_Low(reader->reader, loop);
        if (low == NULL)
            continue;
        if (index < low->resting.count)
            return &low->resting.items[index];
        index -= low->resting.count;
    }
    return NULL;
}

bool palWorldReader_Contact(const palWorldReader* reader, int index, palContact* contact)
{
    const palContactForce* found = contactAt(reader, index);
    if (found == NULL)
        return false;
    const palContact given = {
        .body = idOf(reader->world, found->object),
        .other = idOf(reader->world, found->other),
        .hand = found->hand >= 0 ? palWorld_HandId(reader->world, found->hand) : (palHandId){0},
        .point = found->point,
        .normal = found->normal,
        .gap = found->gap,
        .force = found->force,
    };
    return give(contact, &given, sizeof given);
}

bool palWorldReader_Statistics(const palWorldReader* reader, palWorldStatistics* statistics)
{
    const palTickReading* tick = reader != NULL ? reader->tick : NULL;
    if (tick == NULL)
        return false;
    const palLowReading* low = palReader_Low(reader->reader, 0);
    const palWorldStatistics now = {
        .time = tick->record.t,
        .longestStep = 1e-6 * tick->longestUs,
        .steps = tick->steps,
        .deadlineMisses = tick->deadlineMisses,
        .unconverged = tick->unconverged,
        .lowSteps = low != NULL ? low->steps : 0,
        .lowDeadlineMisses = low != NULL ? low->deadlineMisses : 0,
    };
    return give(statistics, &now, sizeof now);
}
