// SPDX-License-Identifier: Apache-2.0
#include "base/archive.h"

#include <string.h>

void palArchive_Block(palArchive* archive, void* data, size_t size)
{
    size_t at = archive->used;
    archive->used += size;
    // What a driver gives beyond what was counted is left out; `used` tells it.
    if (archive->bytes == NULL || size == 0 || archive->used > archive->size)
        return;
    if (archive->isRestoring)
        memcpy(data, archive->bytes + at, size);
    else
        memcpy(archive->bytes + at, data, size);
}

bool palArchive_Restores(const palArchive* archive)
{
    return archive->isRestoring;
}

// Every step is one to one in the hash before and in the word.
uint64_t palHash(uint64_t hash, const void* bytes, size_t size)
{
    const unsigned char* at = bytes;
    for (size_t left = size; left > 0;)
    {
        uint64_t word = 0;
        size_t count = left < sizeof word ? left : sizeof word;
        memcpy(&word, at, count);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
        at += count;
        left -= count;
    }
    return (hash ^ size) * UINT64_C(0x9e3779b97f4a7c15);
}
