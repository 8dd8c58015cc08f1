// SPDX-License-Identifier: Apache-2.0
#include "live/frame_read.h"

#include <string.h>

static uint64_t load(const unsigned char* at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static uint32_t loadU32(const unsigned char* at)
{
    return (uint32_t)load(at, 4);
}

static float loadF32(const unsigned char* at)
{
    uint32_t bits = loadU32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool palFrameHead_Read(const unsigned char bytes[pal_frameHeadBytes], palFrameHead* head,
                       size_t* length)
{
    uint64_t t = load(bytes + 16, 8);
    *head = (palFrameHead){
        .number = loadU32(bytes + 8), .epoch = loadU32(bytes + 12), .stream = loadU32(bytes + 24)};
    memcpy(&head->t, &t, sizeof head->t);
    *length = loadU32(bytes + 28);
    return memcmp(bytes, "PALF", 4) == 0 && load(bytes + 4, 2) == pal_frameVersion &&
           *length >= pal_frameHeadBytes && *length % 8 == 0 && isfinite(head->t);
}

palFrameReader palMakeFrameReader(const unsigned char* bytes, size_t length)
{
    palFrameHead head;
    size_t told = 0;
    palFrameReader reader = {.bytes = bytes, .length = length, .at = pal_frameHeadBytes};
    reader.failed =
        length < pal_frameHeadBytes || !palFrameHead_Read(bytes, &head, &told) || told != length;
    reader.left = reader.failed ? 0 : (unsigned)load(bytes + 6, 2);
    return reader;
}

bool palFrameReader_Next(palFrameReader* reader)
{
    if (reader->left == 0 || reader->failed)
        return false;
    size_t rest = reader->length - reader->at;
    size_t size = rest >= 8 ? loadU32(reader->bytes + reader->at + 4) : 0;
    size_t padded = (size + 7) / 8 * 8;
    reader->failed = rest < 8 || padded > rest - 8;
    if (reader->failed)
        return false;
    reader->kind = (palFrameSection)loadU32(reader->bytes + reader->at);
    reader->begin = reader->bytes + reader->at + 8;
    reader->size = size;
    reader->at += 8 + padded;
    reader->left--;
    return true;
}

bool palFrameReader_Body(const palFrameReader* reader, palReadBody* body)
{
    const unsigned char* at = reader->begin;
    if (reader->size < 24)
        return false;
    uint64_t vertices = loadU32(at + 8);
    uint64_t triangles = loadU32(at + 12);
    uint32_t field = loadU32(at + 16);
    uint64_t needed =
        24 + 12 * vertices + 12 * triangles + (field != 0 ? 4 * vertices : 0) + loadU32(at + 20);
    if (needed != reader->size || field > pal_fieldStress || loadU32(at) > INT32_MAX)
        return false;
    *body = (palReadBody){
        .id = (int)loadU32(at),
        .kind = (palBodyKind)loadU32(at + 4),
        .vertexCount = (int)vertices,
        .fieldKind = (palFrameField)field,
        .vertices = at + 24,
        .field = field != 0 ? at + 24 + 12 * (vertices + triangles) : NULL,
    };
    return true;
}

// Returns false where one is not finite.
static bool loadVec3(const unsigned char* at, palVec3* v)
{
    *v = palMakeVec3(loadF32(at), loadF32(at + 4), loadF32(at + 8));
    return isfinite(v->x) && isfinite(v->y) && isfinite(v->z);
}

bool palReadBody_Vertices(const palReadBody* body, palVec3* vertices)
{
    bool isFinite = true;
    for (int i = 0; i < body->vertexCount; i++)
        isFinite = loadVec3(body->vertices + 12 * (size_t)i, &vertices[i]) && isFinite;
    return isFinite;
}

bool palReadBody_Field(const palReadBody* body, float* field)
{
    bool isFinite = true;
    for (int i = 0; i < body->vertexCount; i++)
    {
        field[i] = loadF32(body->field + 4 * (size_t)i);
        isFinite = isFinite && isfinite(field[i]);
    }
    return isFinite;
}

bool palFrameReader_Poses(const palFrameReader* reader, palReadPoses* poses)
{
    const unsigned char* at = reader->begin;
    if (reader->size < 16)
        return false;
    uint64_t count = loadU32(at + 8);
    if (16 + 28 * count != reader->size || loadU32(at) > INT32_MAX)
        return false;
    *poses = (palReadPoses){
        .id = (int)loadU32(at),
        .kind = (palBodyKind)loadU32(at + 4),
        .count = (int)count,
        .radius = loadF32(at + 12),
        .rows = at + 16,
    };
    return isfinite(poses->radius);
}

bool palReadPoses_Get(const palReadPoses* poses, palVec3* positions, palQuat* rotations)
{
    bool isFinite = true;
    for (int i = 0; i < poses->count; i++)
    {
        const unsigned char* at = poses->rows + 28 * (size_t)i;
        palVec3 vector;
        bool hasVector = loadVec3(at + 16, &vector);
        isFinite = loadVec3(at, &positions[i]) && hasVector && isFinite;
        rotations[i] = palNormalizeQuat((palQuat){loadF32(at + 12), vector.x, vector.y, vector.z});
    }
    return isFinite;
}
