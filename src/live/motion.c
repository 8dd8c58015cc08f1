// SPDX-License-Identifier: Apache-2.0
#include "live/motion.h"

#include "base/error.h"
#include "base/number.h"
#include "base/plain_locale.h"
#include "live/frame_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char* const fileName = "bodies.palf";
static const char* const posesName = "poses.csv";
static const double screenPeriod = 1.0 / 60.0; // s
static const double bytesPerSecond = 5e6;

enum
{
    frameBytesMax = 1 << 28, // a larger frame is invalid
};

//--------------------------------------------------------------------------------------------------
// Writing

bool palMotion_IsNeeded(const palDrawing* drawing)
{
    return drawing->surfaceCount + drawing->toolCount + drawing->wireCount + drawing->rigidCount >
           0;
}

static palResult fileError(const char* action, const char* path, int code, palError* error)
{
    palError_Set(error, pal_errorFile, "cannot %s the motion of the bodies: %s", action,
                 strerror(code));
    palError_At(error, path, 0, 0);
    return palError_Remedy(error,
                           "check that the directory exists, is writable and has free space");
}

palResult palMotionWriter_Open(palMotionWriter* writer, const char* directory, palError* error)
{
    *writer = (palMotionWriter){.next = -INFINITY};
    snprintf(writer->path, sizeof writer->path, "%s/%s", directory, fileName);
    snprintf(writer->posesPath, sizeof writer->posesPath, "%s/%s", directory, posesName);
    writer->file = fopen(writer->path, "wb");
    return writer->file != NULL ? pal_ok : fileError("record", writer->path, errno, error);
}

static void putNumber(FILE* file, double value, char end)
{
    char text[pal_numberTextMax];
    palFormatNumber(value, text);
    fprintf(file, "%s%c", text, end);
}

// A row for each rigid object that moves.
static void addPoses(palMotionWriter* writer, const palDrawing* drawing)
{
    if (drawing->rigidCount > 0 && writer->poses == NULL)
    {
        writer->poses = fopen(writer->posesPath, "w");
        if (writer->poses == NULL || fputs("t,body,x,y,z,qw,qx,qy,qz\n", writer->poses) == EOF)
        {
            writer->failure = errno;
            return;
        }
    }
    for (int i = 0; i < drawing->rigidCount; i++)
    {
        const palPose pose = drawing->rigid[i].pose;
        const double numbers[] = {pose.x.x, pose.x.y, pose.x.z, pose.q.w,
                                  pose.q.x, pose.q.y, pose.q.z};
        putNumber(writer->poses, drawing->time, ',');
        fprintf(writer->poses, "%d,", drawing->rigid[i].object);
        for (int k = 0; k < 7; k++)
            putNumber(writer->poses, numbers[k], k < 6 ? ',' : '\n');
    }
    if (writer->poses != NULL && ferror(writer->poses))
        writer->failure = errno;
}

void palMotionWriter_Add(palMotionWriter* writer, const palDrawing* drawing)
{
    if (writer->file == NULL || writer->failure != 0 || drawing->time < writer->next)
        return;
    const palFrameHead head = {.number = ++writer->count, .t = drawing->time};
    palFrame* frame = &writer->frame;
    palFrame_Begin(frame, &head);
    palFrame_Bodies(frame, drawing, pal_fieldStress);
    if (frame->failed)
        writer->failure = ENOMEM;
    else if (fwrite(frame->bytes, 1, frame->length, writer->file) != frame->length)
        writer->failure = errno;
    locale_t callers = palPlainLocale_Enter();
    if (writer->failure == 0)
        addPoses(writer, drawing);
    palPlainLocale_Leave(callers);
    writer->next = drawing->time + fmax(screenPeriod, (double)frame->length / bytesPerSecond);
}

palResult palMotionWriter_Close(palMotionWriter* writer, palError* error)
{
    if (writer->file == NULL)
        return pal_ok;
    if (fclose(writer->file) != 0 && writer->failure == 0)
        writer->failure = errno;
    if (writer->poses != NULL && fclose(writer->poses) != 0 && writer->failure == 0)
        writer->failure = errno;
    writer->file = writer->poses = NULL;
    palFrame_Free(&writer->frame);
    return writer->failure == 0 ? pal_ok
                                : fileError("record", writer->path, writer->failure, error);
}

//--------------------------------------------------------------------------------------------------
// Reading

static bool addFrame(palMotion* motion, int* capacity, palMotionFrame frame)
{
    if (motion->count == *capacity)
    {
        int grown = *capacity == 0 ? 256 : 2 * *capacity;
        palMotionFrame* frames = realloc(motion->frames, (size_t)grown * sizeof *frames);
        if (frames == NULL)
            return false;
        motion->frames = frames;
        *capacity = grown;
    }
    motion->frames[motion->count++] = frame;
    motion->lengthMax = frame.length > motion->lengthMax ? frame.length : motion->lengthMax;
    return true;
}

// Finds the frames, up to the first that is incomplete or out of chronological order.
static bool findFrames(palMotion* motion)
{
    int capacity = 0;
    fseek(motion->file, 0, SEEK_END);
    long end = ftell(motion->file);
    for (long at = 0; end - at >= pal_frameHeadBytes;)
    {
        unsigned char bytes[pal_frameHeadBytes];
        palFrameHead head;
        size_t length;
        fseek(motion->file, at, SEEK_SET);
        if (fread(bytes, 1, sizeof bytes, motion->file) != sizeof bytes ||
            !palFrameHead_Read(bytes, &head, &length) || length > frameBytesMax ||
            (long)length > end - at ||
            (motion->count > 0 && head.t < motion->frames[motion->count - 1].t))
            break;
        if (!addFrame(motion, &capacity, (palMotionFrame){head.t, at, length}))
            return false;
        at += (long)length;
    }
    motion->bytes = malloc(motion->lengthMax + 1);
    return motion->bytes != NULL;
}

palResult palMotion_Open(palMotion* motion, const char* directory, palError* error)
{
    *motion = (palMotion){0};
    snprintf(motion->path, sizeof motion->path, "%s/%s", directory, fileName);
    motion->file = fopen(motion->path, "rb");
    if (motion->file == NULL && errno == ENOENT)
        return pal_ok;
    if (motion->file == NULL)
        return fileError("read", motion->path, errno, error);
    if (findFrames(motion))
        return pal_ok;
    size_t bytes = motion->lengthMax;
    palMotion_Close(motion);
    return palError_Memory(error, "the motion of the bodies", bytes);
}

void palMotion_Close(palMotion* motion)
{
    if (motion->file != NULL)
        fclose(motion->file);
    free(motion->frames);
    free(motion->bytes);
    *motion = (palMotion){0};
}

int palMotion_FrameAt(const palMotion* motion, double t)
{
    int low = 0, high = motion->count; // frames[low].t <= t < frames[high].t
    while (high - low > 1)
    {
        int middle = low + (high - low) / 2;
        if (motion->frames[middle].t <= t)
            low = middle;
        else
            high = middle;
    }
    return motion->count > 0 ? low : -1;
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

static bool showRigid(const palReadPoses* poses, palDrawing* drawing)
{
    int i = 0;
    while (i < drawing->rigidCount && drawing->rigid[i].object != poses->id)
        i++;
    if (poses->id < 0 || poses->id >= drawing->colliderCount || i >= drawing->colliderCount)
        return false;
    drawing->rigidCount = i < drawing->rigidCount ? drawing->rigidCount : i + 1;
    palRigidView* rigid = &drawing->rigid[i];
    rigid->object = poses->id;
    rigid->isAsleep = poses->radius > 0.0;
    return poses->count == 1 && palReadPoses_Get(poses, &rigid->moved.x, &rigid->moved.q);
}

static bool showPoses(const palFrameReader* reader, palDrawing* drawing)
{
    palReadPoses poses;
    if (!palFrameReader_Poses(reader, &poses))
        return false;
    if (poses.kind == pal_bodyRigidSurface)
        return showRigid(&poses, drawing);
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

palResult palMotion_Show(palMotion* motion, int index, palDrawing* drawing, palError* error)
{
    const palMotionFrame* frame = &motion->frames[index];
    bool isValid = fseek(motion->file, frame->offset, SEEK_SET) == 0 &&
                   fread(motion->bytes, 1, frame->length, motion->file) == frame->length;
    palFrameReader reader = palMakeFrameReader(motion->bytes, isValid ? frame->length : 0);
    while (isValid && palFrameReader_Next(&reader))
        isValid = showSection(&reader, drawing);
    drawing->time = frame->t;
    if (isValid && !reader.failed)
        return pal_ok;
    palError_Set(error, pal_errorInput,
                 "the motion of the bodies at %.3f s is damaged or belongs to another scene",
                 frame->t);
    palError_At(error, motion->path, 0, 0);
    return palError_Remedy(error, "open the scene that was recorded, with the same --set");
}
