// SPDX-License-Identifier: Apache-2.0
// A frame from a recording that anyone may have written: it is read to its end or found damaged,
// never beyond, and what comes of it is finite.
#include "target.h"

#include "live/frame_read.h"

#include <stdlib.h>
#include <string.h>

static void readBody(const palFrameReader* reader)
{
    palReadBody body;
    if (!palFrameReader_Body(reader, &body))
        return;
    require(body.id >= 0 && body.vertexCount >= 0);
    require(12 * (size_t)body.vertexCount <= reader->size);
    palVec3* vertices = malloc(((size_t)body.vertexCount + 1) * sizeof *vertices);
    float* field = malloc(((size_t)body.vertexCount + 1) * sizeof *field);
    require(vertices != NULL && field != NULL);
    bool isFinite = palReadBody_Vertices(&body, vertices);
    for (int i = 0; i < body.vertexCount && isFinite; i++)
        require(palIsFinite(vertices[i]));
    isFinite = body.field != NULL && palReadBody_Field(&body, field);
    for (int i = 0; i < body.vertexCount && isFinite; i++)
        require(isfinite(field[i]));
    free(vertices);
    free(field);
}

static void readPoses(const palFrameReader* reader)
{
    palReadPoses poses;
    if (!palFrameReader_Poses(reader, &poses))
        return;
    require(poses.id >= 0 && poses.count >= 0 && 28 * (size_t)poses.count <= reader->size);
    palVec3* positions = malloc(((size_t)poses.count + 1) * sizeof *positions);
    palQuat* rotations = malloc(((size_t)poses.count + 1) * sizeof *rotations);
    require(positions != NULL && rotations != NULL);
    bool isFinite = palReadPoses_Get(&poses, positions, rotations);
    for (int i = 0; i < poses.count && isFinite; i++)
    {
        palQuat q = rotations[i];
        require(palIsFinite(positions[i]));
        require(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-9);
    }
    free(positions);
    free(rotations);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    // A copy of its own, so that reading past its end is seen.
    unsigned char* copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    // Most of what is tried would fail at the length in the head alone.
    for (size_t i = 0; i < 4 && size >= pal_frameHeadBytes; i++)
        copy[28 + i] = (unsigned char)(size >> (8 * i));
    palFrameReader reader = palMakeFrameReader(copy, size);
    while (palFrameReader_Next(&reader))
    {
        require(reader.begin + reader.size <= copy + size);
        if (reader.kind == pal_frameBody)
            readBody(&reader);
        else if (reader.kind == pal_framePoses)
            readPoses(&reader);
    }
    free(copy);
    return 0;
}
