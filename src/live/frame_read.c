// SPDX-License-Identifier: Apache-2.0
#include "live/frame_read.h"

#include "live/bytes.h"

bool palFrameHead_Read(const unsigned char bytes[pal_frameHeadBytes], palFrameHead* head,
                       size_t* length)
{
    *head = (palFrameHead){
        .number = palBytes_LoadU32(bytes + 8),
        .epoch = palBytes_LoadU32(bytes + 12),
        .stream = palBytes_LoadU32(bytes + 24),
        .t = palBytes_LoadF64(bytes + 16),
    };
    *length = palBytes_LoadU32(bytes + 28);
    return memcmp(bytes, "PALF", 4) == 0 && palBytes_Load(bytes + 4, 2) == pal_frameVersion &&
           *length >= pal_frameHeadBytes && *length % 8 == 0 && isfinite(head->t);
}

palFrameReader palMakeFrameReader(const unsigned char* bytes, size_t length)
{
    palFrameHead head;
    size_t declaredLength = 0;
    palFrameReader reader = {.bytes = bytes, .length = length, .at = pal_frameHeadBytes};
    reader.failed = length < pal_frameHeadBytes ||
                    !palFrameHead_Read(bytes, &head, &declaredLength) || declaredLength != length;
    reader.sectionsLeft = reader.failed ? 0 : (unsigned)palBytes_Load(bytes + 6, 2);
    return reader;
}

bool palFrameReader_Next(palFrameReader* reader)
{
    if (reader->sectionsLeft == 0 || reader->failed)
        return false;
    size_t rest = reader->length - reader->at;
    size_t size = rest >= 8 ? palBytes_LoadU32(reader->bytes + reader->at + 4) : 0;
    size_t padded = (size + 7) / 8 * 8;
    reader->failed = rest < 8 || padded > rest - 8;
    if (reader->failed)
        return false;
    reader->kind = (palFrameSection)palBytes_LoadU32(reader->bytes + reader->at);
    reader->begin = reader->bytes + reader->at + 8;
    reader->size = size;
    reader->at += 8 + padded;
    reader->sectionsLeft--;
    return true;
}

bool palFrameReader_Body(const palFrameReader* reader, palReadBody* body)
{
    const unsigned char* at = reader->begin;
    if (reader->size < 24)
        return false;
    uint64_t vertices = palBytes_LoadU32(at + 8);
    uint64_t triangles = palBytes_LoadU32(at + 12);
    uint32_t field = palBytes_LoadU32(at + 16);
    uint64_t needed = 24 + 12 * vertices + 12 * triangles + (field != 0 ? 4 * vertices : 0) +
                      palBytes_LoadU32(at + 20);
    if (needed != reader->size || field > pal_fieldStress || palBytes_LoadU32(at) > INT32_MAX)
        return false;
    *body = (palReadBody){
        .id = (int)palBytes_LoadU32(at),
        .kind = (palBodyKind)palBytes_LoadU32(at + 4),
        .vertexCount = (int)vertices,
        .fieldKind = (palFrameField)field,
        .vertices = at + 24,
        .field = field != 0 ? at + 24 + 12 * (vertices + triangles) : NULL,
    };
    return true;
}

// Returns false if a component is not finite.
static bool loadVec3(const unsigned char* at, palVec3* v)
{
    *v = palMakeVec3(palBytes_LoadF32(at), palBytes_LoadF32(at + 4), palBytes_LoadF32(at + 8));
    return palIsFinite(*v);
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
        field[i] = palBytes_LoadF32(body->field + 4 * (size_t)i);
        isFinite = isFinite && isfinite(field[i]);
    }
    return isFinite;
}

bool palFrameReader_Poses(const palFrameReader* reader, palReadPoses* poses)
{
    const unsigned char* at = reader->begin;
    if (reader->size < 16)
        return false;
    uint64_t count = palBytes_LoadU32(at + 8);
    if (16 + 28 * count != reader->size || palBytes_LoadU32(at) > INT32_MAX)
        return false;
    *poses = (palReadPoses){
        .id = (int)palBytes_LoadU32(at),
        .kind = (palBodyKind)palBytes_LoadU32(at + 4),
        .count = (int)count,
        .radius = palBytes_LoadF32(at + 12),
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
        rotations[i] =
            palNormalizeQuat((palQuat){palBytes_LoadF32(at + 12), vector.x, vector.y, vector.z});
    }
    return isFinite;
}
