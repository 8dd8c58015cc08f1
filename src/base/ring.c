// SPDX-License-Identifier: Apache-2.0
#include "base/ring.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

palResult palRing_Init(palRing* ring, size_t size, unsigned capacity, palError* error)
{
    memset(ring, 0, sizeof *ring);
    ring->size = size;
    ring->capacity = 1;
    while (ring->capacity < capacity)
        ring->capacity *= 2;
    ring->memory = malloc(size * ring->capacity);
    if (ring->memory == NULL)
        return palError_Memory(error, "a ring of records", size * ring->capacity);
    // Touch every page now, so that no page fault occurs in a step.
    memset(ring->memory, 0, size * ring->capacity);
    return pal_ok;
}

void palRing_Free(palRing* ring)
{
    free(ring->memory);
    ring->memory = NULL;
}

bool palRing_Put(palRing* ring, const void* record)
{
    return palRing_PutPart(ring, record, ring->size);
}

bool palRing_PutPart(palRing* ring, const void* record, size_t bytes)
{
    unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed); // written here only
    // Acquire: the consumer has finished reading the slots that it released.
    unsigned tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (head - tail == ring->capacity)
    {
        atomic_fetch_add_explicit(&ring->dropped, 1, memory_order_relaxed);
        return false;
    }
    memcpy(ring->memory + (head & (ring->capacity - 1)) * ring->size, record, bytes);
    // Release: the record is complete before the consumer sees the new head.
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    return true;
}

bool palRing_Take(palRing* ring, void* record)
{
    unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed); // written here only
    // Acquire: the record is complete.
    unsigned head = atomic_load_explicit(&ring->head, memory_order_acquire);
    if (head == tail)
        return false;
    memcpy(record, ring->memory + (tail & (ring->capacity - 1)) * ring->size, ring->size);
    // Release: the record is copied before the producer may overwrite it.
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    return true;
}
