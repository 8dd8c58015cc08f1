// SPDX-License-Identifier: Apache-2.0
#include "runtime/drawing.h"

#include "base/error.h"
#include "render/tool_world.h"

#include <stdlib.h>
#include <string.h>

enum
{
    actingMax = 64,
    stressedEach = 4096, // elements whose stress is found in one low-rate step, about a millisecond
};

//--------------------------------------------------------------------------------------------------
// Memory

static bool initSurface(palDrawnSurface* drawn, int object, int loop, int count,
                        const palVec3* vertices)
{
    size_t size = (size_t)count;
    *drawn = (palDrawnSurface){.object = object, .loop = loop, .vertexCount = count};
    drawn->rest = malloc((size + 1) * sizeof *drawn->rest);
    drawn->vertices = malloc((size + 1) * sizeof *drawn->vertices);
    drawn->displacement = calloc(size + 1, sizeof *drawn->displacement);
    drawn->stress = calloc(size + 1, sizeof *drawn->stress);
    if (drawn->rest == NULL || drawn->vertices == NULL || drawn->displacement == NULL ||
        drawn->stress == NULL)
        return false;
    memcpy(drawn->rest, vertices, size * sizeof *drawn->rest);
    memcpy(drawn->vertices, vertices, size * sizeof *drawn->vertices);
    return true;
}

static bool initSurfaces(palDrawing* drawing, const palMethodDef* def)
{
    drawing->surfaces = calloc((size_t)def->colliderCount + 1, sizeof *drawing->surfaces);
    if (drawing->surfaces == NULL)
        return false;
    for (int i = 0; i < def->colliderCount; i++)
    {
        const palCollider* collider = &def->colliders[i];
        if (collider->soft != NULL &&
            !initSurface(&drawing->surfaces[drawing->surfaceCount++], i, collider->loop,
                         collider->surface.vertexCount, palCollider_Vertices(collider)))
            return false;
    }
    return true;
}

static bool wireAt(const palShared* shared, const palHapticState* state, int index,
                   palWireView* wire)
{
    if (shared->ops->wire != NULL)
        return shared->ops->wire(shared, state, index, wire);
    return shared->world != NULL && palWorldWire_View(shared->world, index, wire);
}

static bool toolOf(const palMethod* method, const palHapticHand* hand, palToolView* tool)
{
    return method->ops->tool != NULL && method->ops->tool(method, hand, tool);
}

static bool initWire(palDrawnWire* wire, int nodeCount, double radius)
{
    size_t nodes = (size_t)nodeCount;
    *wire = (palDrawnWire){.nodeCount = nodeCount, .radius = radius};
    wire->positions = calloc(nodes + 1, sizeof *wire->positions);
    wire->rotations = calloc(nodes + 1, sizeof *wire->rotations);
    if (wire->positions == NULL || wire->rotations == NULL)
        return false;
    for (size_t k = 0; k < nodes; k++)
        wire->rotations[k] = pal_identityQuat;
    return true;
}

static bool initWires(palDrawing* drawing, const palShared* shared)
{
    palWireView view;
    int count = 0;
    while (wireAt(shared, NULL, count, &view))
        count++;
    drawing->wires = calloc((size_t)count + 1, sizeof *drawing->wires);
    if (drawing->wires == NULL)
        return false;
    for (int i = 0; i < count && wireAt(shared, NULL, i, &view); i++)
        if (!initWire(&drawing->wires[drawing->wireCount++], view.nodeCount, view.radius))
            return false;
    return true;
}

static bool initTools(palDrawing* drawing, const palHands* hands)
{
    drawing->tools = calloc((size_t)hands->count, sizeof *drawing->tools);
    if (drawing->tools == NULL)
        return false;
    palToolView view;
    for (int i = 0; i < hands->count; i++)
        if (toolOf(hands->methods[i], NULL, &view))
            drawing->tools[drawing->toolCount++] =
                (palDrawnTool){.hand = i, .surface = view.surface, .orientation = pal_identityQuat};
    return true;
}

palResult palDrawing_Init(palDrawing* drawing, const palHands* hands, palError* error)
{
    const palMethodDef* def = &hands->defs[0];
    size_t count = (size_t)hands->count * pal_patchMax;
    *drawing = (palDrawing){.colliderCount = def->colliderCount,
                            .handCount = hands->count,
                            .limitedCapacity = (int)count};
    drawing->limited = calloc(count, sizeof *drawing->limited);
    drawing->rigid = calloc((size_t)def->colliderCount + 1, sizeof *drawing->rigid);
    if (drawing->limited != NULL && drawing->rigid != NULL && initSurfaces(drawing, def) &&
        initWires(drawing, hands->shared) && initTools(drawing, hands))
        return pal_ok;
    palDrawing_Free(drawing);
    return palError_Memory(error, "a drawing", count * sizeof *drawing->limited);
}

static bool allocateAs(palDrawing* drawing, const palDrawing* from)
{
    drawing->limited = calloc((size_t)from->limitedCapacity, sizeof *drawing->limited);
    drawing->surfaces = calloc((size_t)from->surfaceCount + 1, sizeof *drawing->surfaces);
    drawing->wires = calloc((size_t)from->wireCount + 1, sizeof *drawing->wires);
    drawing->tools = calloc((size_t)from->toolCount + 1, sizeof *drawing->tools);
    drawing->rigid = calloc((size_t)from->colliderCount + 1, sizeof *drawing->rigid);
    if (!drawing->limited || !drawing->surfaces || !drawing->wires || !drawing->tools ||
        !drawing->rigid)
        return false;
    for (int i = 0; i < from->surfaceCount; i++)
    {
        const palDrawnSurface* as = &from->surfaces[i];
        if (!initSurface(&drawing->surfaces[drawing->surfaceCount++], as->object, as->loop,
                         as->vertexCount, as->rest))
            return false;
    }
    for (int i = 0; i < from->wireCount; i++)
        if (!initWire(&drawing->wires[drawing->wireCount++], from->wires[i].nodeCount,
                      from->wires[i].radius))
            return false;
    return true;
}

palResult palDrawing_InitAs(palDrawing* drawing, const palDrawing* from, palError* error)
{
    *drawing = (palDrawing){0};
    if (allocateAs(drawing, from))
    {
        palDrawing_Copy(drawing, from);
        return pal_ok;
    }
    palDrawing_Free(drawing);
    return palError_Memory(error, "a drawing",
                           (size_t)from->limitedCapacity * sizeof *drawing->limited);
}

void palDrawing_Free(palDrawing* drawing)
{
    for (int i = 0; i < drawing->surfaceCount; i++)
    {
        free(drawing->surfaces[i].rest);
        free(drawing->surfaces[i].vertices);
        free(drawing->surfaces[i].displacement);
        free(drawing->surfaces[i].stress);
    }
    for (int i = 0; i < drawing->wireCount; i++)
    {
        free(drawing->wires[i].positions);
        free(drawing->wires[i].rotations);
    }
    free(drawing->surfaces);
    free(drawing->wires);
    free(drawing->rigid);
    free(drawing->tools);
    free(drawing->limited);
    *drawing = (palDrawing){0};
}

palResult palDrawingWork_Init(palDrawingWork* work, const palHands* hands, palError* error)
{
    const palMethodDef* def = &hands->defs[0];
    size_t count = (size_t)def->colliderCount;
    *work = (palDrawingWork){.stresses = calloc(count + 1, sizeof *work->stresses)};
    if (work->stresses == NULL)
        return palError_Memory(error, "a drawing", count * sizeof *work->stresses);
    palResult result = pal_ok;
    for (int i = 0; i < def->colliderCount && result == pal_ok; i++)
        if (def->colliders[i].soft != NULL)
            result = palStress_Init(&work->stresses[work->count++], def->colliders[i].soft, error);
    if (result != pal_ok)
        palDrawingWork_Free(work);
    return result;
}

void palDrawingWork_Free(palDrawingWork* work)
{
    for (int i = 0; i < work->count; i++)
        palStress_Free(&work->stresses[i]);
    free(work->stresses);
    *work = (palDrawingWork){0};
}

//--------------------------------------------------------------------------------------------------
// Filling

// Numbers above this share the last set's colour.
static signed char setNumber(int set)
{
    return (signed char)(set < INT8_MAX ? set : INT8_MAX);
}

// Appends the limited constraints of one hand, whose proxy is at x.
static void addLimited(palDrawing* drawing, const palMethod* method,
                       const palHandSnapshot* snapshot, palVec3 x)
{
    const palPatch* patch = &snapshot->patch;
    palDrawnLimited* limited = drawing->limited + drawing->limitedCount;
    drawing->limitedCount += patch->count;
    for (int i = 0; i < patch->count; i++)
        limited[i] = (palDrawnLimited){
            .triangle = patch->limited[i].triangle,
            .object = (short)patch->limited[i].object,
            .set = -1,
            .kind = (unsigned char)patch->limited[i].kind,
        };
    int acting[actingMax], set[actingMax];
    int count = 0;
    if (method->ops->actingSets != NULL)
        count = method->ops->actingSets(method, snapshot, x, actingMax, acting, set);
    for (int i = 0; i < count; i++)
    {
        limited[acting[i]].set = setNumber(set[i]);
        drawing->setCount = set[i] + 1 > drawing->setCount ? set[i] + 1 : drawing->setCount;
    }
}

void palDrawnSurface_Measure(palDrawnSurface* drawn)
{
    for (int i = 0; i < drawn->vertexCount; i++)
        drawn->displacement[i] = (float)palDistance(drawn->vertices[i], drawn->rest[i]);
}

static void fillSurface(palDrawnSurface* drawn, const palCollider* collider)
{
    memcpy(drawn->vertices, palCollider_Vertices(collider),
           (size_t)drawn->vertexCount * sizeof *drawn->vertices);
    palDrawnSurface_Measure(drawn);
}

static void fillWires(palDrawing* drawing, const palShared* shared, const palHapticState* state)
{
    palWireView view;
    for (int i = 0; i < drawing->wireCount && wireAt(shared, state, i, &view); i++)
    {
        palDrawnWire* wire = &drawing->wires[i];
        size_t nodes = (size_t)wire->nodeCount;
        memcpy(wire->positions, view.positions, nodes * sizeof *wire->positions);
        memcpy(wire->rotations, view.rotations, nodes * sizeof *wire->rotations);
    }
}

static void fillTools(palDrawing* drawing, const palHands* hands, const palHapticState* state)
{
    palToolView view;
    for (int i = 0, k = 0; i < hands->count; i++)
    {
        if (!toolOf(hands->methods[i], &state->hands[i], &view))
            continue;
        drawing->tools[k].position = view.position;
        drawing->tools[k++].orientation = view.orientation;
    }
}

void palDrawing_Fill(palDrawing* drawing, const palHands* hands, const palSnapshot* snapshot,
                     const palHapticState* state)
{
    drawing->sequence = snapshot->sequence;
    drawing->loop = snapshot->loop;
    drawing->time = snapshot->time;
    drawing->limitedCount = drawing->setCount = 0;
    for (int i = 0; i < hands->count; i++)
    {
        const palHandSnapshot* hand = &snapshot->hands[i];
        drawing->hands[i] =
            (palDrawnHand){state->hands[i].body.x, hand->trustCentre, hand->trustRadius};
        addLimited(drawing, hands->methods[i], hand, state->hands[i].body.x);
    }
    const palCollider* colliders = hands->defs[0].colliders;
    for (int i = 0; i < drawing->surfaceCount; i++)
        if (drawing->surfaces[i].loop == drawing->loop)
        {
            fillSurface(&drawing->surfaces[i], &colliders[drawing->surfaces[i].object]);
            drawing->surfaces[i].time = snapshot->time;
        }
    fillWires(drawing, hands->shared, state);
    fillTools(drawing, hands, state);
    drawing->rigidCount = state->rigidCount;
    for (int i = 0; i < state->rigidCount; i++)
        drawing->rigid[i] = state->rigid[i];
}

// From the nodes to the vertices, as the skin has it.
static void spreadStress(palDrawnSurface* drawn, const palSkin* skin, const palStress* stress)
{
    for (int i = 0; i < drawn->vertexCount; i++)
    {
        double sum = 0.0;
        for (int j = 0; j < skin->nodesEach; j++)
            sum += skin->weights[i * skin->nodesEach + j] *
                   stress->nodes[skin->nodes[i * skin->nodesEach + j]];
        drawn->stress[i] = (float)fmax(sum, 0.0);
    }
}

void palDrawing_FillStress(palDrawing* drawing, palDrawingWork* work, const palHands* hands,
                           bool wanted)
{
    int left = stressedEach;
    for (int i = 0; i < drawing->surfaceCount; i++)
    {
        palDrawnSurface* drawn = &drawing->surfaces[i];
        palStress* stress = &work->stresses[i];
        if (drawn->loop != drawing->loop)
            continue;
        if (!wanted && (stress->isWhole || stress->next > 0))
            palStress_Restart(stress);
        if (wanted)
            left -= palStress_Advance(stress, left);
        drawn->hasStress = wanted && stress->isWhole;
        if (drawn->hasStress)
            spreadStress(drawn, &hands->defs[0].colliders[drawn->object].skin, stress);
    }
}

//--------------------------------------------------------------------------------------------------
// Copies

static void copySurface(palDrawnSurface* drawn, const palDrawnSurface* from)
{
    size_t count = (size_t)from->vertexCount;
    memcpy(drawn->vertices, from->vertices, count * sizeof *drawn->vertices);
    memcpy(drawn->displacement, from->displacement, count * sizeof *drawn->displacement);
    drawn->time = from->time;
    drawn->hasStress = from->hasStress;
    if (from->hasStress)
        memcpy(drawn->stress, from->stress, count * sizeof *drawn->stress);
}

static void copyWire(palDrawnWire* wire, const palDrawnWire* from)
{
    size_t count = (size_t)from->nodeCount;
    memcpy(wire->positions, from->positions, count * sizeof *wire->positions);
    memcpy(wire->rotations, from->rotations, count * sizeof *wire->rotations);
}

void palDrawing_Copy(palDrawing* drawing, const palDrawing* from)
{
    palDrawing kept = *drawing;
    *drawing = *from;
    drawing->limited = kept.limited;
    drawing->surfaces = kept.surfaces;
    drawing->wires = kept.wires;
    drawing->tools = kept.tools;
    drawing->rigid = kept.rigid;
    memcpy(drawing->rigid, from->rigid, (size_t)from->rigidCount * sizeof *from->rigid);
    memcpy(drawing->limited, from->limited, (size_t)from->limitedCount * sizeof *from->limited);
    memcpy(drawing->tools, from->tools, (size_t)from->toolCount * sizeof *from->tools);
    for (int i = 0; i < from->surfaceCount; i++)
        copySurface(&drawing->surfaces[i], &from->surfaces[i]);
    for (int i = 0; i < from->wireCount; i++)
        copyWire(&drawing->wires[i], &from->wires[i]);
}

void palDrawing_Take(palDrawing* drawing, const palDrawing* from)
{
    for (int i = 0; i < from->surfaceCount; i++)
        if (from->surfaces[i].loop == from->loop)
            copySurface(&drawing->surfaces[i], &from->surfaces[i]);
}

void palDrawing_Rest(palDrawing* drawing)
{
    drawing->limitedCount = drawing->setCount = 0;
    for (int i = 0; i < drawing->rigidCount; i++)
        drawing->rigid[i].moved = pal_identityPose;
    for (int i = 0; i < drawing->handCount; i++)
        drawing->hands[i].trustRadius = 0.0;
    for (int i = 0; i < drawing->surfaceCount; i++)
    {
        palDrawnSurface* drawn = &drawing->surfaces[i];
        memcpy(drawn->vertices, drawn->rest, (size_t)drawn->vertexCount * sizeof *drawn->vertices);
        palDrawnSurface_Measure(drawn);
        drawn->hasStress = false;
    }
}
