// SPDX-License-Identifier: Apache-2.0
#include "render/drawing.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum
{
    actingMax = 64,
};

static bool initSurface(palDrawnSurface* drawn, const palCollider* collider, int object)
{
    size_t count = (size_t)collider->surface.vertexCount;
    *drawn = (palDrawnSurface){.object = object, .vertexCount = (int)count};
    drawn->rest = malloc((count + 1) * sizeof *drawn->rest);
    drawn->vertices = malloc((count + 1) * sizeof *drawn->vertices);
    drawn->displacement = calloc(count + 1, sizeof *drawn->displacement);
    if (drawn->rest == NULL || drawn->vertices == NULL || drawn->displacement == NULL)
        return false;
    memcpy(drawn->rest, collider->surface.vertices, count * sizeof *drawn->rest);
    memcpy(drawn->vertices, collider->surface.vertices, count * sizeof *drawn->vertices);
    return true;
}

static bool initSurfaces(palDrawing* drawing, const palMethodDef* def)
{
    drawing->surfaces = calloc((size_t)def->colliderCount + 1, sizeof *drawing->surfaces);
    if (drawing->surfaces == NULL)
        return false;
    for (int i = 0; i < def->colliderCount; i++)
        if (def->colliders[i].soft != NULL &&
            !initSurface(&drawing->surfaces[drawing->surfaceCount++], &def->colliders[i], i))
            return false;
    return true;
}

palResult palDrawing_Init(palDrawing* drawing, const palMethodOps* ops, const palMethodDef* def,
                          palError* error)
{
    *drawing = (palDrawing){0};
    size_t count = ops->usesPatch ? pal_patchMax : 1;
    drawing->limited = calloc(count, sizeof *drawing->limited);
    if (drawing->limited != NULL && initSurfaces(drawing, def))
        return pal_ok;
    palDrawing_Free(drawing);
    return palError_Memory(error, "a drawing", count * sizeof *drawing->limited);
}

void palDrawing_Free(palDrawing* drawing)
{
    for (int i = 0; i < drawing->surfaceCount; i++)
    {
        free(drawing->surfaces[i].rest);
        free(drawing->surfaces[i].vertices);
        free(drawing->surfaces[i].displacement);
    }
    free(drawing->surfaces);
    free(drawing->limited);
    *drawing = (palDrawing){0};
}

// Numbers above this share the last set's colour.
static signed char setNumber(int set)
{
    return (signed char)(set < INT8_MAX ? set : INT8_MAX);
}

static void fillLimited(palDrawing* drawing, const palMethod* method, const palSnapshot* snapshot,
                        palVec3 x)
{
    const palPatch* patch = &snapshot->patch;
    drawing->limitedCount = patch->count;
    for (int i = 0; i < patch->count; i++)
        drawing->limited[i] = (palDrawnLimited){
            .triangle = patch->limited[i].triangle,
            .object = (short)patch->limited[i].object,
            .set = -1,
            .kind = (unsigned char)patch->limited[i].kind,
        };
    int acting[actingMax], set[actingMax];
    int count = 0;
    if (method->ops->actingSets != NULL)
        count = method->ops->actingSets(method, snapshot, x, actingMax, acting, set);
    drawing->setCount = 0;
    for (int i = 0; i < count; i++)
    {
        drawing->limited[acting[i]].set = setNumber(set[i]);
        drawing->setCount = set[i] + 1 > drawing->setCount ? set[i] + 1 : drawing->setCount;
    }
}

static void fillSurface(palDrawnSurface* drawn, const palCollider* collider)
{
    for (int i = 0; i < drawn->vertexCount; i++)
    {
        drawn->vertices[i] = collider->surface.vertices[i];
        drawn->displacement[i] = (float)palDistance(drawn->vertices[i], drawn->rest[i]);
    }
}

void palDrawing_Fill(palDrawing* drawing, const palMethod* method, const palSnapshot* snapshot,
                     palVec3 x)
{
    drawing->sequence = snapshot->sequence;
    drawing->time = snapshot->time;
    drawing->proxy = x;
    drawing->trustCentre = snapshot->trustCentre;
    drawing->trustRadius = snapshot->trustRadius;
    fillLimited(drawing, method, snapshot, x);
    for (int i = 0; i < drawing->surfaceCount; i++)
        fillSurface(&drawing->surfaces[i], &method->def.colliders[drawing->surfaces[i].object]);
}

static void copySurface(palDrawnSurface* drawn, const palDrawnSurface* from)
{
    size_t count = (size_t)from->vertexCount;
    memcpy(drawn->vertices, from->vertices, count * sizeof *drawn->vertices);
    memcpy(drawn->displacement, from->displacement, count * sizeof *drawn->displacement);
}

void palDrawing_Copy(palDrawing* drawing, const palDrawing* from)
{
    palDrawnLimited* limited = drawing->limited;
    palDrawnSurface* surfaces = drawing->surfaces;
    *drawing = *from;
    drawing->limited = limited;
    drawing->surfaces = surfaces;
    memcpy(limited, from->limited, (size_t)from->limitedCount * sizeof *limited);
    for (int i = 0; i < from->surfaceCount; i++)
        copySurface(&surfaces[i], &from->surfaces[i]);
}
