// SPDX-License-Identifier: Apache-2.0
#include "render/drawing.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum
{
    actingMax = 64,
};

palResult palDrawing_Init(palDrawing* drawing, const palMethodOps* ops, palError* error)
{
    *drawing = (palDrawing){0};
    size_t contacts = (size_t)ops->contactCapacity + 1;
    size_t limited = ops->usesPatch ? pal_patchMax : 1;
    drawing->contacts = calloc(contacts, sizeof *drawing->contacts);
    drawing->limited = calloc(limited, sizeof *drawing->limited);
    if (drawing->contacts != NULL && drawing->limited != NULL)
        return pal_ok;
    palDrawing_Free(drawing);
    return palError_Memory(error, "a drawing",
                           contacts * sizeof *drawing->contacts +
                               limited * sizeof *drawing->limited);
}

void palDrawing_Free(palDrawing* drawing)
{
    free(drawing->contacts);
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

void palDrawing_Fill(palDrawing* drawing, const palMethod* method, const palSnapshot* snapshot,
                     palVec3 x)
{
    drawing->sequence = snapshot->sequence;
    drawing->time = snapshot->time;
    drawing->proxy = x;
    drawing->trustCentre = snapshot->trustCentre;
    drawing->trustRadius = snapshot->trustRadius;
    drawing->contactCount = snapshot->contactCount;
    memcpy(drawing->contacts, snapshot->contacts,
           (size_t)snapshot->contactCount * sizeof *drawing->contacts);
    fillLimited(drawing, method, snapshot, x);
}

void palDrawing_Copy(palDrawing* drawing, const palDrawing* from)
{
    palContactFrame* contacts = drawing->contacts;
    palDrawnLimited* limited = drawing->limited;
    *drawing = *from;
    drawing->contacts = contacts;
    drawing->limited = limited;
    memcpy(contacts, from->contacts, (size_t)from->contactCount * sizeof *contacts);
    memcpy(limited, from->limited, (size_t)from->limitedCount * sizeof *limited);
}
