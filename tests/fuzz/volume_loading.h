// SPDX-License-Identifier: Apache-2.0
// What every volume must hold that loading lets pass, whatever the bytes were.
#ifndef PAL_TESTS_FUZZ_VOLUME_LOADING_H
#define PAL_TESTS_FUZZ_VOLUME_LOADING_H

#include "target.h"

#include "mesh/volume_load.h"

static inline void checkVolume(const palVolume* volume)
{
    int n = volume->vertexCount;
    mustHold(volume->tetCount + volume->hexCount > 0, "a volume without elements");
    for (int i = 0; i < n; i++)
        mustHold(palIsFinite(volume->vertices[i]), "a vertex that is not finite");
    for (int i = 0; i < volume->tetCount; i++)
    {
        mustHold(palVolume_ElementVolume(volume, i) > 0.0, "a tet without volume");
        for (int k = 0; k < 4; k++)
            mustHold(volume->tets[i][k] >= 0 && volume->tets[i][k] < n, "a tet without its vertex");
    }
    for (int i = 0; i < volume->hexCount; i++)
        for (int k = 0; k < 8; k++)
            mustHold(volume->hexes[i][k] >= 0 && volume->hexes[i][k] < n,
                     "a hex without its vertex");
    for (int s = 0; s < volume->nodeSetCount; s++)
    {
        const palNodeSet* set = &volume->nodeSets[s];
        mustHold(set->count > 0, "an empty node set");
        for (int i = 0; i < set->count; i++)
            mustHold(set->vertices[i] < n && set->vertices[i] > (i > 0 ? set->vertices[i - 1] : -1),
                     "a node set without its vertex, or out of order");
    }
}

static inline void checkVolumeLoading(const palVolumeBytes* bytes)
{
    palVolume volume;
    palVolumeFacts facts;
    palMessages notes = {0};
    palError error = {0};
    palResult result = palVolume_LoadBytes(bytes, 1.0, &volume, &facts, &notes, &error);
    if (result == pal_ok)
        checkVolume(&volume);
    else
    {
        mustHold(error.text[0] != '\0', "a failure without a message");
        mustHold(volume.vertices == NULL && volume.tets == NULL, "a failure with a volume");
    }
    palMessages_Free(&notes);
    palVolume_Free(&volume);
}

#endif
