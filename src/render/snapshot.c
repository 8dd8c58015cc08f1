// SPDX-License-Identifier: Apache-2.0
#include "render/snapshot.h"

#include "base/error.h"

#include <stdlib.h>

static palResult allocate(palSnapshot* snapshot, const palSnapshotDef* def, palError* error)
{
    size_t count = def->contactCapacity > 0 ? (size_t)def->contactCapacity : 1;
    snapshot->contacts = calloc(count, sizeof *snapshot->contacts);
    if (snapshot->contacts == NULL)
        return palError_Memory(error, "the contacts of a snapshot",
                               count * sizeof *snapshot->contacts);
    if (def->ownSize > 0)
    {
        snapshot->own = calloc(1, def->ownSize);
        if (snapshot->own == NULL)
            return palError_Memory(error, "a method's part of a snapshot", def->ownSize);
    }
    if (def->softCount > 0)
    {
        snapshot->soft = calloc(1, sizeof *snapshot->soft);
        if (snapshot->soft == NULL)
            return palError_Memory(error, "the soft part of a snapshot", sizeof *snapshot->soft);
        palResult result = palSoftPatch_Init(snapshot->soft, def->softCount, error);
        if (result != pal_ok)
            return result;
    }
    return def->usesPatch ? palPatch_Init(&snapshot->patch, error) : pal_ok;
}

palResult palSnapshot_Init(palSnapshot* snapshot, const palSnapshotDef* def, palError* error)
{
    *snapshot = (palSnapshot){.contactCapacity = def->contactCapacity};
    palResult result = allocate(snapshot, def, error);
    if (result != pal_ok)
        palSnapshot_Free(snapshot);
    return result;
}

void palSnapshot_Free(palSnapshot* snapshot)
{
    palPatch_Free(&snapshot->patch);
    if (snapshot->soft != NULL)
        palSoftPatch_Free(snapshot->soft);
    free(snapshot->soft);
    free(snapshot->own);
    free(snapshot->contacts);
    *snapshot = (palSnapshot){0};
}
