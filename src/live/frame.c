// SPDX-License-Identifier: Apache-2.0
#include "live/frame.h"

#include "live/bytes.h"

#include <stdlib.h>

enum
{
    sectionCountOffset = 6, // bytes from the start of the frame
    lengthOffset = 28,
};

void palFrame_Free(palFrame* frame)
{
    free(frame->bytes);
    *frame = (palFrame){0};
}

//--------------------------------------------------------------------------------------------------
// Numbers

static unsigned char* grow(palFrame* frame, size_t bytes)
{
    if (!frame->failed && frame->length + bytes > frame->capacity)
    {
        size_t capacity = 2 * (frame->length + bytes);
        unsigned char* grown = realloc(frame->bytes, capacity);
        frame->failed = grown == NULL;
        if (grown != NULL)
            frame->bytes = grown, frame->capacity = capacity;
    }
    if (frame->failed)
        return NULL;
    frame->length += bytes;
    return frame->bytes + frame->length - bytes;
}

static void put(palFrame* frame, uint64_t value, size_t bytes)
{
    unsigned char* at = grow(frame, bytes);
    if (at != NULL)
        palBytes_Store(at, value, bytes);
}

static void putU32(palFrame* frame, uint32_t value)
{
    put(frame, value, 4);
}

static void putF32(palFrame* frame, double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    put(frame, bits, 4);
}

static void putF64(palFrame* frame, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(frame, bits, 8);
}

static void putVec3F32(palFrame* frame, palVec3 v)
{
    putF32(frame, v.x);
    putF32(frame, v.y);
    putF32(frame, v.z);
}

static void putVec3F64(palFrame* frame, palVec3 v)
{
    putF64(frame, v.x);
    putF64(frame, v.y);
    putF64(frame, v.z);
}

static void putQuatF64(palFrame* frame, palQuat q)
{
    putF64(frame, q.w);
    putF64(frame, q.x);
    putF64(frame, q.y);
    putF64(frame, q.z);
}

static void putBytes(palFrame* frame, const void* bytes, size_t count)
{
    unsigned char* at = grow(frame, count);
    if (at != NULL && count > 0)
        memcpy(at, bytes, count);
}

//--------------------------------------------------------------------------------------------------
// Sections

void palFrame_Begin(palFrame* frame, const palFrameHead* head)
{
    frame->length = 0;
    frame->failed = false;
    putBytes(frame, "PALF", 4);
    put(frame, pal_frameVersion, 2);
    put(frame, 0, 2);
    putU32(frame, head->number);
    putU32(frame, head->epoch);
    putF64(frame, head->t);
    putU32(frame, head->stream);
    putU32(frame, (uint32_t)frame->length + 4);
}

static void beginSection(palFrame* frame, palFrameSection kind)
{
    frame->section = frame->length;
    putU32(frame, kind);
    putU32(frame, 0);
}

// Pads the section, writes its length and that of the frame, and increments the section count.
static void endSection(palFrame* frame)
{
    size_t bytes = frame->length - frame->section - 8;
    put(frame, 0, (8 - bytes % 8) % 8);
    if (frame->failed)
        return;
    palBytes_Store(frame->bytes + frame->section + 4, bytes, 4);
    palBytes_Store(frame->bytes + lengthOffset, frame->length, 4);
    unsigned char* count = frame->bytes + sectionCountOffset;
    palBytes_Store(count, (uint64_t)count[0] + ((uint64_t)count[1] << 8) + 1, 2);
}

static void putText(palFrame* frame, palFrameSection kind, const char* text)
{
    beginSection(frame, kind);
    putBytes(frame, text, strlen(text));
    endSection(frame);
}

void palFrame_Status(palFrame* frame, const char* json)
{
    putText(frame, pal_frameStatus, json);
}

void palFrame_Values(palFrame* frame, const char* json)
{
    putText(frame, pal_frameValues, json);
}

void palFrame_Body(palFrame* frame, const palFrameBody* body, bool whole)
{
    size_t name = whole ? strlen(body->name) : 0;
    beginSection(frame, pal_frameBody);
    putU32(frame, (uint32_t)body->id);
    putU32(frame, body->kind);
    putU32(frame, (uint32_t)body->vertexCount);
    putU32(frame, whole ? (uint32_t)body->triangleCount : 0);
    putU32(frame, body->fieldKind);
    putU32(frame, (uint32_t)name);
    for (int i = 0; i < body->vertexCount; i++)
        putVec3F32(frame, body->vertices[i]);
    for (int i = 0; i < body->triangleCount && whole; i++)
        for (int k = 0; k < 3; k++)
            putU32(frame, (uint32_t)body->triangles[i][k]);
    for (int i = 0; i < body->vertexCount && body->fieldKind != pal_fieldNone; i++)
        putF32(frame, body->field[i]);
    putBytes(frame, body->name, name);
    endSection(frame);
}

void palFrame_Poses(palFrame* frame, const palFramePoses* poses)
{
    beginSection(frame, pal_framePoses);
    putU32(frame, (uint32_t)poses->id);
    putU32(frame, poses->kind);
    putU32(frame, (uint32_t)poses->count);
    putF32(frame, poses->radius);
    for (int i = 0; i < poses->count; i++)
    {
        palQuat q = poses->rotations[i];
        putVec3F32(frame, poses->positions[i]);
        putF32(frame, q.w);
        putVec3F32(frame, palMakeVec3(q.x, q.y, q.z));
    }
    endSection(frame);
}

static void putHand(palFrame* frame, const palTickRecord* record, int index)
{
    const palHandRecord* hand = &record->hands[index];
    beginSection(frame, index == 0 ? pal_frameHand : pal_frameNextHand);
    putVec3F64(frame, hand->device);
    putVec3F64(frame, hand->proxy);
    putVec3F64(frame, hand->force);
    putVec3F64(frame, hand->torque);
    putVec3F64(frame, hand->out);
    putQuatF64(frame, hand->deviceTurn);
    putU32(frame, (uint32_t)hand->active);
    putU32(frame, (uint32_t)hand->constraints);
    putU32(frame, (uint32_t)hand->iterations);
    putU32(frame, hand->held);
    putU32(frame, (uint32_t)record->contactCount);
    putU32(frame, 0);
    putQuatF64(frame, hand->proxyTurn);
    endSection(frame);
}

void palFrame_Hands(palFrame* frame, const palTickRecord* record)
{
    for (int i = 0; i < record->handCount; i++)
        putHand(frame, record, i);
}

void palFrame_Ticks(palFrame* frame, const palHistory* history, palHistoryCursor* cursor,
                    int countMax)
{
    uint64_t from;
    bool restart;
    int count = palHistory_Unseen(history, cursor, countMax, &from, &restart);
    int hand = cursor->hand < history->handCount ? cursor->hand : 0;
    double t0 = count > 0 ? palHistory_At(history, from, hand)->t : 0.0;
    beginSection(frame, pal_frameTicks);
    putU32(frame, (uint32_t)count);
    putU32(frame, pal_historyColumns);
    putU32(frame, restart);
    putU32(frame, 0);
    putF64(frame, t0);
    for (uint64_t i = from; i < from + (uint64_t)count; i++)
    {
        const palTickSample* sample = palHistory_At(history, i, hand);
        putF32(frame, sample->t - t0);
        for (int k = 0; k < pal_historyColumns; k++)
            putF32(frame, sample->values[k]);
    }
    endSection(frame);
    *cursor = (palHistoryCursor){history->stream, from + (uint64_t)count, cursor->hand};
}

void palFrame_Contacts(palFrame* frame, const palTickRecord* record)
{
    beginSection(frame, pal_frameContacts);
    putU32(frame, (uint32_t)record->contactCount);
    putU32(frame, 0);
    for (int i = 0; i < record->contactCount; i++)
    {
        putVec3F32(frame, record->contacts[i].point);
        putVec3F32(frame, record->contacts[i].normal);
        putVec3F32(frame, record->contacts[i].force);
        putF32(frame, record->contacts[i].gap);
    }
    endSection(frame);
}

static void putLimited(palFrame* frame, const palDrawing* drawing)
{
    beginSection(frame, pal_frameLimited);
    putU32(frame, (uint32_t)drawing->limitedCount);
    putU32(frame, (uint32_t)drawing->setCount);
    for (int i = 0; i < drawing->limitedCount; i++)
    {
        const palDrawnLimited* limited = &drawing->limited[i];
        putU32(frame, (uint32_t)limited->triangle);
        put(frame, (uint16_t)limited->object, 2);
        put(frame, (uint8_t)limited->set, 1);
        put(frame, limited->kind, 1);
    }
    endSection(frame);
}

void palFrame_Drawing(palFrame* frame, const palDrawing* drawing)
{
    putLimited(frame, drawing);
    beginSection(frame, pal_frameTrust);
    for (int i = 0; i < drawing->handCount; i++)
    {
        putVec3F32(frame, drawing->hands[i].trustCentre);
        putF32(frame, drawing->hands[i].trustRadius);
    }
    endSection(frame);
}

const float* palDrawnField(const palDrawnSurface* drawn, palFrameField* field)
{
    if (*field == pal_fieldStress && !drawn->hasStress)
        *field = pal_fieldNone;
    return *field == pal_fieldStress         ? drawn->stress
           : *field == pal_fieldDisplacement ? drawn->displacement
                                             : NULL;
}

static void putSurface(palFrame* frame, const palDrawnSurface* drawn, palFrameField field)
{
    palFrameBody body = {
        .kind = pal_bodySoftSurface,
        .id = drawn->object,
        .vertices = drawn->vertices,
        .vertexCount = drawn->vertexCount,
        .fieldKind = field,
    };
    body.field = palDrawnField(drawn, &body.fieldKind);
    palFrame_Body(frame, &body, false);
}

void palFrame_Bodies(palFrame* frame, const palDrawing* drawing, palFrameField field)
{
    int id = drawing->colliderCount;
    for (int i = 0; i < drawing->surfaceCount; i++)
        putSurface(frame, &drawing->surfaces[i], field);
    for (int i = 0; i < drawing->rigidCount; i++)
        palFrame_Poses(frame, &(palFramePoses){.kind = pal_bodyRigidSurface,
                                               .id = drawing->rigid[i].object,
                                               .count = 1,
                                               .radius = drawing->rigid[i].isAsleep ? 1.0 : 0.0,
                                               .positions = &drawing->rigid[i].moved.x,
                                               .rotations = &drawing->rigid[i].moved.q});
    for (int i = 0; i < drawing->toolCount; i++)
        palFrame_Poses(frame, &(palFramePoses){.kind = pal_bodyTool,
                                               .id = id++,
                                               .count = 1,
                                               .positions = &drawing->tools[i].position,
                                               .rotations = &drawing->tools[i].orientation});
    for (int i = 0; i < drawing->wireCount; i++)
        palFrame_Poses(frame, &(palFramePoses){.kind = pal_bodyWire,
                                               .id = id++,
                                               .count = drawing->wires[i].nodeCount,
                                               .radius = drawing->wires[i].radius,
                                               .positions = drawing->wires[i].positions,
                                               .rotations = drawing->wires[i].rotations});
}
