// SPDX-License-Identifier: Apache-2.0
#include "render/snapshot.h"

#include "base/error.h"

#include <stdlib.h>

palResult palSnapshot_Init(palSnapshot* snapshot, int contactCapacity, bool usesPatch,
                           palError* error)
{
    *snapshot = (palSnapshot){.contactCapacity = contactCapacity};
    size_t count = contactCapacity > 0 ? (size_t)contactCapacity : 1;
    snapshot->contacts = calloc(count, sizeof *snapshot->contacts);
    if (snapshot->contacts == NULL)
        return palError_Memory(error, "the contacts of a snapshot",
                               count * sizeof *snapshot->contacts);
    return usesPatch ? palPatch_Init(&snapshot->patch, error) : pal_ok;
}

void palSnapshot_Free(palSnapshot* snapshot)
{
    palPatch_Free(&snapshot->patch);
    free(snapshot->contacts);
    *snapshot = (palSnapshot){0};
}
