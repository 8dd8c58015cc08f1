// SPDX-License-Identifier: Apache-2.0
// Collection of data from a run by the live thread, and its encoding for readers.
#include "base/clock.h"
#include "live/state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const double watchPeriod = 1.0 / 120.0; // s: twice the screen rate
static const double stressTimeout = 3.0;       // s after the last request for the stress

void palLive_Changed(palLive* live)
{
    live->version++;
    pthread_cond_broadcast(&live->changed);
}

//--------------------------------------------------------------------------------------------------
// From the session

// Contacts among objects are in the first record after an update of the low rate only, and are
// shown until the next; those of the hands are in every record. Returns how many are shown.
static int takeContacts(palLive* live, const palTickRecord* record, bool isUpdate)
{
    int kept = 0;
    for (int i = 0; !isUpdate && i < live->newest.contactCount; i++)
        if (live->newestContacts[i].hand < 0)
            live->newestContacts[kept++] = live->newestContacts[i];
    for (int i = 0; i < record->contactCount && kept < pal_liveContactsMax; i++)
        if (isUpdate || record->contacts[i].hand >= 0)
            live->newestContacts[kept++] = record->contacts[i];
    return kept;
}

static void watchTick(void* user, const palTickRecord* record, const double* energy)
{
    palLive* live = user;
    palLiveStatistics* statistics = live->statistics;
    palHistogram_Add(&statistics->high.stepTime, 1e-6 * record->stepUs);
    palHistogram_Add(&statistics->snapshotAge, 1e-3 * record->snapshotAgeMs);
    statistics->high.steps++;
    pthread_mutex_lock(&live->lock);
    palHistory_Put(&live->history, record, energy);
    bool isUpdate = record->snapshotAgeMs < live->newest.snapshotAgeMs;
    int shown = takeContacts(live, record, isUpdate || !live->hasNewest);
    live->newest = *record;
    live->newest.contacts = live->newestContacts;
    live->newest.contactCount = shown;
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
    live->drawingVersion++;
    pthread_mutex_unlock(&live->lock);
    palMotionWriter_Add(&live->motionWriter, drawing);
}

palSessionWatch palLive_Watch(palLive* live)
{
    // A run that the mouse takes part in has no end; a trajectory ends with the scene.
    return (palSessionWatch){
        .tick = watchTick,
        .low = watchLow,
        .drawing = watchDrawing,
        .user = live,
        .every = watchPeriod,
        .isEndless = palSession_HasMouse(live->session),
    };
}

void palLive_ClearStatistics(palLive* live)
{
    memset(live->statistics, 0, sizeof *live->statistics);
}

// During a run the low-rate loop computes the stress; while paused, this thread does.
void palLive_UpdateStress(palLive* live)
{
    pthread_mutex_lock(&live->lock);
    bool isWanted = live->stressWantedAt != 0 &&
                    1e-9 * (double)(palClock_Now() - live->stressWantedAt) < stressTimeout;
    pthread_mutex_unlock(&live->lock);
    if (live->session == NULL)
        return;
    palSession_DrawStress(live->session, isWanted);
    bool isIdle = live->mode == pal_livePaused || live->mode == pal_liveEnded;
    if (!isWanted || !isIdle || !live->hasDrawing)
        return;
    pthread_mutex_lock(&live->lock);
    palSession_AddStress(live->session, &live->drawing);
    live->drawingVersion++;
    palLive_Changed(live);
    pthread_mutex_unlock(&live->lock);
}

//--------------------------------------------------------------------------------------------------
// To the readers

bool palLive_Wait(palLive* live, const palLiveReader* reader, double seconds)
{
    struct timespec until = palClock_After(seconds);
    pthread_mutex_lock(&live->lock);
    int late = 0;
    while (live->version == reader->version && !live->quit && late != ETIMEDOUT)
        late = pthread_cond_timedwait(&live->changed, &live->lock, &until);
    bool isNew = live->version != reader->version;
    pthread_mutex_unlock(&live->lock);
    return isNew;
}

static void encodeWhole(palFrame* frame, palBodyKind kind, int id, const char* name,
                        const palSurface* surface, const palVec3* vertices)
{
    const palFrameBody body = {
        .kind = kind,
        .id = id,
        .name = name,
        .vertices = vertices,
        .vertexCount = surface->vertexCount,
        .triangles = (const int(*)[3])surface->triangles,
        .triangleCount = surface->triangleCount,
    };
    palFrame_Body(frame, &body, true);
}

// Soft bodies are taken from the drawing, because the low-rate loop moves the collider's surface.
static void encodeBodies(const palLive* live, palFrame* frame)
{
    const palSceneBodies* world = palSession_Bodies(live->session);
    const palScene* scene = palSession_Scene(live->session);
    const palDrawing* drawing = &live->drawing;
    for (int i = 0; i < world->count; i++)
        if (world->colliders[i].soft == NULL)
            encodeWhole(frame, pal_bodyRigidSurface, i, scene->objects[i].name,
                        &world->colliders[i].surface, world->colliders[i].surface.vertices);
    for (int i = 0; i < drawing->surfaceCount; i++)
    {
        int object = drawing->surfaces[i].object;
        encodeWhole(frame, pal_bodySoftSurface, object, scene->objects[object].name,
                    &world->colliders[object].surface, drawing->surfaces[i].vertices);
    }
    for (int i = 0; i < drawing->toolCount; i++)
    {
        const palDrawnTool* tool = &drawing->tools[i];
        char name[16] = "tool";
        if (tool->hand > 0)
            snprintf(name, sizeof name, "tool%d", tool->hand);
        encodeWhole(frame, pal_bodyTool, drawing->colliderCount + i, name, tool->surface,
                    tool->surface->vertices);
    }
}

// Encodes the moved bodies if the reader does not have them, or has them with another field.
static void encodeDrawing(palLive* live, palLiveReader* reader, palFrame* frame)
{
    if (reader->field == pal_fieldStress)
        live->stressWantedAt = palClock_Now();
    bool isNew = reader->drawing != live->drawingVersion || reader->shown != reader->field;
    if (!live->hasDrawing || !isNew)
        return;
    palFrame_Drawing(frame, &live->drawing);
    palFrame_Bodies(frame, &live->drawing, reader->field);
    reader->drawing = live->drawingVersion;
    reader->shown = reader->field;
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
        palFrame_Hands(frame, &live->newest);
        palFrame_Contacts(frame, &live->newest);
        palFrame_Ticks(frame, &live->history, &reader->cursor, (int)live->history.capacity);
    }
    if (live->session != NULL)
        encodeDrawing(live, reader, frame);
    reader->epoch = live->epoch;
    reader->status = live->statusVersion;
    reader->values = live->valuesVersion;
    reader->version = live->version;
    pthread_mutex_unlock(&live->lock);
}
