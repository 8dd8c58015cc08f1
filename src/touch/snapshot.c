// SPDX-License-Identifier: Apache-2.0
#include "touch/snapshot.h"

#include "base/error.h"

#include <stdlib.h>

palResult palSnapshot_AddContacts(palSnapshot* snapshot, int capacity, palError* error)
{
    size_t size = (size_t)capacity * sizeof *snapshot->contacts;
    snapshot->contacts = calloc(1, size);
    snapshot->contactCapacity = capacity;
    return snapshot->contacts != NULL ? pal_ok
                                      : palError_Memory(error, "the contacts of a snapshot", size);
}

palResult palSnapshot_AddSoft(palSnapshot* snapshot, int softCount, palError* error)
{
    if (softCount == 0)
        return pal_ok;
    snapshot->soft = calloc(1, sizeof *snapshot->soft);
    if (snapshot->soft == NULL)
        return palError_Memory(error, "the soft part of a snapshot", sizeof *snapshot->soft);
    return palSoftPatch_Init(snapshot->soft, softCount, error);
}

void palSnapshot_Free(palSnapshot* snapshot)
{
    palPatch_Free(&snapshot->patch);
    if (snapshot->soft != NULL)
        palSoftPatch_Free(snapshot->soft);
    void* const owned[] = {
        snapshot->soft,  snapshot->contacts, snapshot->shell, snapshot->pairs,
        snapshot->model, snapshot->visual,   snapshot->slow,  snapshot->resting.items,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    *snapshot = (palSnapshot){0};
}
