// SPDX-License-Identifier: Apache-2.0
// What the live thread gathers from a run, and what readers get of it.
#include "base/clock.h"
#include "live/state.h"

#include <errno.h>
#include <string.h>

static const double lookEvery = 1.0 / 120.0; // s: twice a screen's rate

void palLive_Changed(palLive* live)
{
    live->version++;
    pthread_cond_broadcast(&live->changed);
}

//--------------------------------------------------------------------------------------------------
// From the session

static void watchTick(void* user, const palTickRecord* record, double energy)
{
    palLive* live = user;
    palLiveStatistics* statistics = live->statistics;
    palHistogram_Add(&statistics->high.stepTime, 1e-6 * record->stepUs);
    palHistogram_Add(&statistics->snapshotAge, 1e-3 * record->snapshotAgeMs);
    statistics->high.steps++;
    pthread_mutex_lock(&live->lock);
    palHistory_Put(&live->history, record, energy);
    live->newest = *record;
    live->hasNewest = true;
    pthread_mutex_unlock(&live->lock);
}

static void watchLow(void* user, const palLowRecord* record)
{
    palLive* live = user;
    palHistogram_Add(&live->statistics->low.stepTime, 1e-3 * record->stepMs);
    live->statistics->low.steps++;
}

static void watchDrawing(void* user, const palDrawing* drawing)
{
    palLive* live = user;
    pthread_mutex_lock(&live->lock);
    palDrawing_Copy(&live->drawing, drawing);
    live->hasDrawing = true;
    pthread_mutex_unlock(&live->lock);
}

palSessionWatch palLive_Watch(palLive* live)
{
    // A hand in a browser has no end; a trajectory has the scene's.
    return (palSessionWatch){
        .tick = watchTick,
        .low = watchLow,
        .drawing = watchDrawing,
        .user = live,
        .every = lookEvery,
        .isEndless = palSession_BrowserDevice(live->session) != NULL,
    };
}

void palLive_ClearStatistics(palLive* live)
{
    memset(live->statistics, 0, sizeof *live->statistics);
}

//--------------------------------------------------------------------------------------------------
// To the readers

static struct timespec after(double seconds)
{
    int64_t when = palClock_Now() + (int64_t)(1e9 * seconds);
    return (struct timespec){.tv_sec = when / 1000000000, .tv_nsec = when % 1000000000};
}

bool palLive_Wait(palLive* live, const palLiveReader* reader, double seconds)
{
    struct timespec until = after(seconds);
    pthread_mutex_lock(&live->lock);
    int late = 0;
    while (live->version == reader->version && !live->quit && late != ETIMEDOUT)
        late = pthread_cond_timedwait(&live->changed, &live->lock, &until);
    bool isNew = live->version != reader->version;
    pthread_mutex_unlock(&live->lock);
    return isNew;
}

// A soft body where the drawing has it: the low rate moves the collider's own surface.
static void encodeSoft(const palLive* live, palFrame* frame, const palDrawnSurface* drawn,
                       bool whole)
{
    const palSurface* surface = &palSession_World(live->session)->colliders[drawn->object].surface;
    const palFrameBody body = {
        .kind = pal_bodySoftSurface,
        .id = drawn->object,
        .name = palSession_Scene(live->session)->objects[drawn->object].name,
        .vertices = drawn->vertices,
        .vertexCount = drawn->vertexCount,
        .triangles = (const int(*)[3])surface->triangles,
        .triangleCount = surface->triangleCount,
        .field = drawn->displacement,
    };
    palFrame_Body(frame, &body, whole);
}

static void encodeRigid(const palLive* live, palFrame* frame, int object)
{
    const palSurface* surface = &palSession_World(live->session)->colliders[object].surface;
    const palFrameBody body = {
        .kind = pal_bodyRigidSurface,
        .id = object,
        .name = palSession_Scene(live->session)->objects[object].name,
        .vertices = surface->vertices,
        .vertexCount = surface->vertexCount,
        .triangles = (const int(*)[3])surface->triangles,
        .triangleCount = surface->triangleCount,
    };
    palFrame_Body(frame, &body, true);
}

static void encodeBodies(const palLive* live, palFrame* frame)
{
    const palWorld* world = palSession_World(live->session);
    for (int i = 0; i < world->count; i++)
        if (world->colliders[i].soft == NULL)
            encodeRigid(live, frame, i);
    for (int i = 0; i < live->drawing.surfaceCount; i++)
        encodeSoft(live, frame, &live->drawing.surfaces[i], true);
}

static void encodeDrawing(const palLive* live, palFrame* frame)
{
    palFrame_Drawing(frame, &live->drawing);
    for (int i = 0; i < live->drawing.surfaceCount; i++)
        encodeSoft(live, frame, &live->drawing.surfaces[i], false);
}

void palLive_Encode(palLive* live, palLiveReader* reader, palFrame* frame)
{
    pthread_mutex_lock(&live->lock);
    const palFrameHead head = {
        .number = ++reader->number,
        .epoch = live->epoch,
        .stream = live->history.stream,
        .t = live->newest.t,
    };
    palFrame_Begin(frame, &head);
    if (reader->epoch != live->epoch && live->session != NULL)
        encodeBodies(live, frame);
    if (reader->epoch != live->epoch)
        reader->drawing = 0;
    if (reader->values != live->valuesVersion)
        palFrame_Values(frame, live->values);
    if (reader->status != live->statusVersion && live->status != NULL)
        palFrame_Status(frame, live->status);
    if (live->hasNewest)
    {
        palFrame_Hand(frame, &live->newest, live->orientation);
        palFrame_Contacts(frame, &live->newest);
        palFrame_Ticks(frame, &live->history, &reader->cursor, (int)live->history.capacity);
    }
    if (live->hasDrawing && reader->drawing != live->drawing.sequence)
    {
        encodeDrawing(live, frame);
        reader->drawing = live->drawing.sequence;
    }
    reader->epoch = live->epoch;
    reader->status = live->statusVersion;
    reader->values = live->valuesVersion;
    reader->version = live->version;
    pthread_mutex_unlock(&live->lock);
}
