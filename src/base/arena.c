// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include "base/assert.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// Pieces start on cache lines, which also suits every SIMD load.
static const size_t alignment = 64;

static size_t roundUp(size_t size)
{
    return (size + alignment - 1) & ~(alignment - 1);
}

palResult palArena_Init(palArena* arena, size_t capacity, palError* error)
{
    *arena = (palArena){0};
    size_t rounded = roundUp(capacity > 0 ? capacity : 1);
    arena->memory = aligned_alloc(alignment, rounded);
    if (arena->memory == NULL)
        return palError_Memory(error, "the step arena", rounded);
    // Touch every page now, so that no step meets a page fault.
    memset(arena->memory, 0, rounded);
    arena->capacity = rounded;
    return pal_ok;
}

void palArena_Free(palArena* arena)
{
    free(arena->memory);
    *arena = (palArena){0};
}

palArenaMark palArena_Mark(const palArena* arena)
{
    return arena->used;
}

void palArena_Release(palArena* arena, palArenaMark mark)
{
    PAL_ASSERT(mark <= arena->used);
    arena->used = mark;
}

void* palArena_Alloc(palArena* arena, size_t size, const char* name)
{
    size_t rounded = roundUp(size);
    bool fits = rounded >= size && rounded <= arena->capacity - arena->used;
    size_t wanted = arena->used + rounded;
    if (wanted > arena->highWater)
        arena->highWater = wanted;
    if (!fits)
    {
        arena->shortfalls++;
        return NULL;
    }
    if (rounded > arena->largestSize)
    {
        arena->largestSize = rounded;
        arena->largest = name;
    }
    void* piece = arena->memory + arena->used;
    arena->used = wanted;
    return piece;
}

double* palArena_Doubles(palArena* arena, size_t count, const char* name)
{
    return palArena_Alloc(arena, count * sizeof(double), name);
}

int* palArena_Ints(palArena* arena, size_t count, const char* name)
{
    return palArena_Alloc(arena, count * sizeof(int), name);
}
