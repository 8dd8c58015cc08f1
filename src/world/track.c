// SPDX-License-Identifier: Apache-2.0
#include "world/track.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double sameTime = 1e-9; // s

static size_t sizeOf(const palTrack* track, const palTickForces* forces)
{
    return sizeof *forces + (size_t)forces->count * track->forceSize;
}

palResult palTrack_Init(palTrack* track, size_t forceSize, int forces, palError* error)
{
    size_t size = sizeof(palTickForces) + (size_t)forces * forceSize;
    memset(track, 0, sizeof *track);
    track->forceSize = forceSize;
    track->recordSize = size;
    track->past = calloc(pal_trackTicks, size);
    track->given = calloc(pal_trackTicks + 1, size);
    track->last = calloc(1, size);
    if (!track->past || !track->given || !track->last)
        return palError_Memory(error, "the forces of the high rate", pal_trackTicks * size);
    return palRing_Init(&track->ring, size, 2 * pal_trackTicks, error);
}

void palTrack_Free(palTrack* track)
{
    palRing_Free(&track->ring);
    free(track->past);
    free(track->given);
    free(track->last);
    memset(track, 0, sizeof *track);
}

//--------------------------------------------------------------------------------------------------
// High rate

const palTickForces* palTrack_Tick(const palTrack* track, uint64_t tick)
{
    return (const void*)(track->past + tick % pal_trackTicks * track->recordSize);
}

void palTrack_Put(palTrack* track, const palTickForces* forces)
{
    size_t size = sizeOf(track, forces);
    memcpy(track->past + track->ticks++ % pal_trackTicks * track->recordSize, forces, size);
    palRing_PutPart(&track->ring, forces, size);
}

uint64_t palTrack_Since(const palTrack* track, double time)
{
    uint64_t oldest = track->ticks > pal_trackTicks ? track->ticks - pal_trackTicks : 0;
    uint64_t tick = track->ticks;
    while (tick > oldest && palTrack_Tick(track, tick - 1)->time > time + sameTime)
        tick--;
    return tick;
}

//--------------------------------------------------------------------------------------------------
// Slower loop

static palTickForces* givenAt(const palTrack* track, int index)
{
    size_t at = (size_t)((track->givenFirst + index) % pal_trackTicks);
    return (void*)(track->given + at * track->recordSize);
}

static void forgetFirst(palTrack* track, int count)
{
    track->givenCount -= count;
    track->givenFirst = (track->givenFirst + count) % pal_trackTicks;
}

// The high rate continues to write: at most as many records as the ring holds are read.
void palTrack_Collect(palTrack* track)
{
    palTickForces* taken = (void*)(track->given + pal_trackTicks * track->recordSize);
    for (unsigned i = 0; i < track->ring.capacity && palRing_Take(&track->ring, taken); i++)
    {
        if (track->givenCount == pal_trackTicks)
            forgetFirst(track, 1);
        memcpy(givenAt(track, track->givenCount++), taken, sizeOf(track, taken));
    }
}

const palTickForces* palTrack_Before(const palTrack* track, double t, int index)
{
    return index < track->givenCount && givenAt(track, index)->time < t ? givenAt(track, index)
                                                                        : NULL;
}

const palTickForces* palTrack_At(const palTrack* track, double t, double half, int* next)
{
    while (palTrack_Before(track, t - half, *next) != NULL)
        ++*next;
    return palTrack_Before(track, t + half, *next);
}

void palTrack_Forget(palTrack* track, double t)
{
    int due = 0;
    while (palTrack_Before(track, t, due) != NULL)
        due++;
    if (due == 0)
        return;
    const palTickForces* newest = givenAt(track, due - 1);
    memcpy(track->last, newest, sizeOf(track, newest));
    forgetFirst(track, due);
}

//--------------------------------------------------------------------------------------------------

static void archiveRecord(const palTrack* track, void* record, palArchive* archive)
{
    palTickForces* forces = record;
    PAL_ARCHIVE(archive, *forces);
    palArchive_Block(archive, forces + 1, (size_t)forces->count * track->forceSize);
}

void palTrack_Archive(palTrack* track, palArchive* archive)
{
    palRing* ring = &track->ring;
    unsigned head = atomic_load(&ring->head), tail = atomic_load(&ring->tail);
    PAL_ARCHIVE(archive, head);
    PAL_ARCHIVE(archive, tail);
    for (unsigned i = tail; i != head; i++)
        archiveRecord(track, ring->memory + (i & (ring->capacity - 1)) * ring->size, archive);
    if (archive->isRestoring)
    {
        atomic_store(&ring->head, head);
        atomic_store(&ring->tail, tail);
    }
    PAL_ARCHIVE(archive, track->ticks);
    for (uint64_t k = palTrack_Since(track, -INFINITY); k < track->ticks; k++)
        archiveRecord(track, (void*)palTrack_Tick(track, k), archive);
    PAL_ARCHIVE(archive, track->givenFirst);
    PAL_ARCHIVE(archive, track->givenCount);
    for (int i = 0; i < track->givenCount; i++)
        archiveRecord(track, givenAt(track, i), archive);
    archiveRecord(track, track->last, archive);
}
