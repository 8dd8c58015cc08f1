// SPDX-License-Identifier: Apache-2.0
#include "touch/snapshot.h"

#include "base/error.h"

#include <stdlib.h>

void palSnapshot_Init(palSnapshot* snapshot, int loop)
{
    *snapshot = (palSnapshot){.loop = loop};
    for (int i = 0; i < pal_handsMax; i++)
        snapshot->hands[i].whole = snapshot;
}

palResult palHandSnapshot_AddContacts(palHandSnapshot* snapshot, int capacity, palError* error)
{
    size_t size = (size_t)capacity * sizeof *snapshot->contacts;
    snapshot->contacts = calloc(1, size);
    snapshot->extents = calloc((size_t)capacity, sizeof *snapshot->extents);
    snapshot->contactCapacity = capacity;
    return snapshot->contacts != NULL && snapshot->extents != NULL
               ? pal_ok
               : palError_Memory(error, "the contacts of a snapshot", size);
}

palResult palSnapshot_AddSoft(palSnapshot* snapshot, int softCount, const palMethodDef* defs,
                              int hands, palError* error)
{
    if (softCount == 0)
        return pal_ok;
    snapshot->soft = calloc(1, sizeof *snapshot->soft);
    if (snapshot->soft == NULL)
        return palError_Memory(error, "the soft part of a snapshot", sizeof *snapshot->soft);
    return palSoftPatch_Init(snapshot->soft, softCount, defs, hands, error);
}

static void freeHand(palHandSnapshot* snapshot)
{
    palPatch_Free(&snapshot->patch);
    free(snapshot->contacts);
    free(snapshot->extents);
    free(snapshot->shell);
    free(snapshot->pairs);
    free(snapshot->model);
    free(snapshot->visual);
}

void palSnapshot_Free(palSnapshot* snapshot)
{
    for (int i = 0; i < pal_handsMax; i++)
        freeHand(&snapshot->hands[i]);
    if (snapshot->soft != NULL)
        palSoftPatch_Free(snapshot->soft);
    free(snapshot->soft);
    free(snapshot->slow);
    free(snapshot->resting.items);
    *snapshot = (palSnapshot){0};
}

static void archiveHand(palHandSnapshot* snapshot, palArchive* archive)
{
    PAL_ARCHIVE(archive, snapshot->proxy);
    PAL_ARCHIVE(archive, snapshot->contactCount);
    PAL_ARCHIVE_ARRAY(archive, snapshot->contacts, snapshot->contactCount);
    PAL_ARCHIVE_ARRAY(archive, snapshot->extents, snapshot->contactCount);
    palPatch_Archive(&snapshot->patch, archive);
    PAL_ARCHIVE(archive, snapshot->trustCentre);
    PAL_ARCHIVE(archive, snapshot->trustRadius);
    PAL_ARCHIVE(archive, snapshot->clearUntil);
    PAL_ARCHIVE(archive, snapshot->error);
    PAL_ARCHIVE(archive, snapshot->shrunk);
}

void palSnapshot_Archive(palSnapshot* snapshot, palArchive* archive)
{
    PAL_ARCHIVE(archive, snapshot->sequence);
    PAL_ARCHIVE(archive, snapshot->time);
    PAL_ARCHIVE(archive, snapshot->resting.count);
    PAL_ARCHIVE(archive, snapshot->resting.dropped);
    PAL_ARCHIVE_ARRAY(archive, snapshot->resting.items, snapshot->resting.count);
    for (int i = 0; i < pal_handsMax; i++)
        archiveHand(&snapshot->hands[i], archive);
}
