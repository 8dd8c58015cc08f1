// SPDX-License-Identifier: Apache-2.0
#include "live/reel.h"

#include "base/error.h"
#include "live/frame_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char* const fileName = "bodies.palf";
static const double screenPeriod = 1.0 / 60.0; // s
static const double bytesPerSecond = 5e6;

enum
{
    frameBytesMax = 1 << 28, // more is no frame of ours
};

//--------------------------------------------------------------------------------------------------
// Writing

bool palReel_IsNeeded(const palDrawing* drawing)
{
    return drawing->surfaceCount + drawing->toolCount + drawing->wireCount > 0;
}

static palResult cannot(const char* what, const char* path, int trouble, palError* error)
{
    palError_Set(error, pal_errorFile, "cannot %s the motion of the bodies: %s", what,
                 strerror(trouble));
    palError_At(error, path, 0, 0);
    return palError_Remedy(error, "see that the directory is there, may be written, and has room");
}

palResult palReelWriter_Open(palReelWriter* writer, const char* directory, palError* error)
{
    *writer = (palReelWriter){.next = -INFINITY};
    snprintf(writer->path, sizeof writer->path, "%s/%s", directory, fileName);
    writer->file = fopen(writer->path, "wb");
    return writer->file != NULL ? pal_ok : cannot("record", writer->path, errno, error);
}

void palReelWriter_Add(palReelWriter* writer, const palDrawing* drawing)
{
    if (writer->file == NULL || writer->trouble != 0 || drawing->time < writer->next)
        return;
    const palFrameHead head = {.number = ++writer->count, .t = drawing->time};
    palFrame* frame = &writer->frame;
    palFrame_Begin(frame, &head);
    palFrame_Bodies(frame, drawing, pal_fieldStress);
    if (frame->failed)
        writer->trouble = ENOMEM;
    else if (fwrite(frame->bytes, 1, frame->length, writer->file) != frame->length)
        writer->trouble = errno;
    writer->next = drawing->time + fmax(screenPeriod, (double)frame->length / bytesPerSecond);
}

palResult palReelWriter_Close(palReelWriter* writer, palError* error)
{
    if (writer->file == NULL)
        return pal_ok;
    if (fclose(writer->file) != 0 && writer->trouble == 0)
        writer->trouble = errno;
    writer->file = NULL;
    palFrame_Free(&writer->frame);
    return writer->trouble == 0 ? pal_ok : cannot("record", writer->path, writer->trouble, error);
}

//--------------------------------------------------------------------------------------------------
// Reading

static bool addFrame(palReel* reel, int* capacity, palReelFrame frame)
{
    if (reel->count == *capacity)
    {
        int grown = *capacity == 0 ? 256 : 2 * *capacity;
        palReelFrame* frames = realloc(reel->frames, (size_t)grown * sizeof *frames);
        if (frames == NULL)
            return false;
        reel->frames = frames;
        *capacity = grown;
    }
    reel->frames[reel->count++] = frame;
    reel->most = frame.length > reel->most ? frame.length : reel->most;
    return true;
}

// Finds the frames, up to the first that is not whole or not in the order of time.
static bool findFrames(palReel* reel)
{
    int capacity = 0;
    fseek(reel->file, 0, SEEK_END);
    long end = ftell(reel->file);
    for (long at = 0; end - at >= pal_frameHeadBytes;)
    {
        unsigned char bytes[pal_frameHeadBytes];
        palFrameHead head;
        size_t length;
        fseek(reel->file, at, SEEK_SET);
        if (fread(bytes, 1, sizeof bytes, reel->file) != sizeof bytes ||
            !palFrameHead_Read(bytes, &head, &length) || length > frameBytesMax ||
            (long)length > end - at ||
            (reel->count > 0 && head.t < reel->frames[reel->count - 1].t))
            break;
        if (!addFrame(reel, &capacity, (palReelFrame){head.t, at, length}))
            return false;
        at += (long)length;
    }
    reel->bytes = malloc(reel->most + 1);
    return reel->bytes != NULL;
}

palResult palReel_Open(palReel* reel, const char* directory, palError* error)
{
    *reel = (palReel){0};
    snprintf(reel->path, sizeof reel->path, "%s/%s", directory, fileName);
    reel->file = fopen(reel->path, "rb");
    if (reel->file == NULL && errno == ENOENT)
        return pal_ok;
    if (reel->file == NULL)
        return cannot("read", reel->path, errno, error);
    if (findFrames(reel))
        return pal_ok;
    size_t bytes = reel->most;
    palReel_Close(reel);
    return palError_Memory(error, "the motion of the bodies", bytes);
}

void palReel_Close(palReel* reel)
{
    if (reel->file != NULL)
        fclose(reel->file);
    free(reel->frames);
    free(reel->bytes);
    *reel = (palReel){0};
}

int palReel_FrameAt(const palReel* reel, double t)
{
    int low = 0, high = reel->count; // frames[low] is not after t, frames[high] is
    while (high - low > 1)
    {
        int middle = low + (high - low) / 2;
        if (reel->frames[middle].t <= t)
            low = middle;
        else
            high = middle;
    }
    return reel->count > 0 ? low : -1;
}

static bool showSurface(const palFrameReader* reader, palDrawing* drawing)
{
    palReadBody body;
    if (!palFrameReader_Body(reader, &body))
        return false;
    for (int i = 0; i < drawing->surfaceCount; i++)
    {
        palDrawnSurface* drawn = &drawing->surfaces[i];
        if (drawn->object != body.id)
            continue;
        if (drawn->vertexCount != body.vertexCount || !palReadBody_Vertices(&body, drawn->vertices))
            return false;
        palDrawnSurface_Measure(drawn);
        drawn->hasStress =
            body.fieldKind == pal_fieldStress && palReadBody_Field(&body, drawn->stress);
        return true;
    }
    return false;
}

static bool showPoses(const palFrameReader* reader, palDrawing* drawing)
{
    palReadPoses poses;
    if (!palFrameReader_Poses(reader, &poses))
        return false;
    int tool = poses.id - drawing->colliderCount;
    int wire = tool - drawing->toolCount;
    if (poses.kind == pal_bodyTool && tool >= 0 && tool < drawing->toolCount && poses.count == 1)
        return palReadPoses_Get(&poses, &drawing->tools[tool].position,
                                &drawing->tools[tool].orientation);
    return poses.kind == pal_bodyWire && wire >= 0 && wire < drawing->wireCount &&
           poses.count == drawing->wires[wire].nodeCount &&
           palReadPoses_Get(&poses, drawing->wires[wire].positions, drawing->wires[wire].rotations);
}

static bool showSection(const palFrameReader* reader, palDrawing* drawing)
{
    return reader->kind == pal_frameBody    ? showSurface(reader, drawing)
           : reader->kind == pal_framePoses ? showPoses(reader, drawing)
                                            : true;
}

palResult palReel_Show(palReel* reel, int index, palDrawing* drawing, palError* error)
{
    const palReelFrame* frame = &reel->frames[index];
    bool isGood = fseek(reel->file, frame->offset, SEEK_SET) == 0 &&
                  fread(reel->bytes, 1, frame->length, reel->file) == frame->length;
    palFrameReader reader = palMakeFrameReader(reel->bytes, isGood ? frame->length : 0);
    while (isGood && palFrameReader_Next(&reader))
        isGood = showSection(&reader, drawing);
    drawing->time = frame->t;
    if (isGood && !reader.failed)
        return pal_ok;
    palError_Set(error, pal_errorInput,
                 "the motion of the bodies at %.3f s is damaged, or of another scene", frame->t);
    palError_At(error, reel->path, 0, 0);
    return palError_Remedy(error, "open the scene that was recorded, with the same --set");
}
