// SPDX-License-Identifier: Apache-2.0
// A wait-free triple buffer: one writer, one reader, always the newest, never a lock.
//
// Three slots belong to the caller; this keeps which is whose. The writer fills slot `back` and
// exchanges it with the middle; the reader exchanges its `front` with the middle when the middle
// is newer. Neither ever waits for the other, and a slot is never written while it is read.
#ifndef PAL_RUNTIME_TRIPLE_BUFFER_H
#define PAL_RUNTIME_TRIPLE_BUFFER_H

#include <stdatomic.h>
#include <stdbool.h>

enum
{
    pal_tripleFresh = 4, // bit of `middle`: published and not yet taken
    pal_tripleIndex = 3, // bits of `middle`: the slot
};

typedef struct palTripleBuffer
{
    // A cache line each, so that the two threads do not slow each other down.
    _Alignas(64) _Atomic unsigned middle;
    _Alignas(64) unsigned back;  // the writer's slot
    _Alignas(64) unsigned front; // the reader's slot
} palTripleBuffer;

static inline void palTripleBuffer_Init(palTripleBuffer* buffer)
{
    atomic_init(&buffer->middle, 1);
    buffer->back = 0;
    buffer->front = 2;
}

/// Writer: the slot to fill.
static inline unsigned palTripleBuffer_Back(const palTripleBuffer* buffer)
{
    return buffer->back;
}

/// Writer: makes the filled slot the newest. Release: what was written to the slot is visible to a
/// reader that takes it; acquire: the slot that comes back is really no longer read.
static inline void palTripleBuffer_Publish(palTripleBuffer* buffer)
{
    unsigned offered = buffer->back | pal_tripleFresh;
    unsigned taken = atomic_exchange_explicit(&buffer->middle, offered, memory_order_acq_rel);
    buffer->back = taken & pal_tripleIndex;
}

/// Reader: the newest slot; *isNew says whether it was not seen before. The relaxed load is only a
/// hint; the exchange orders the slot's contents (acquire) and hands back the old one (release).
static inline unsigned palTripleBuffer_Newest(palTripleBuffer* buffer, bool* isNew)
{
    *isNew = false;
    if (atomic_load_explicit(&buffer->middle, memory_order_relaxed) & pal_tripleFresh)
    {
        unsigned taken =
            atomic_exchange_explicit(&buffer->middle, buffer->front, memory_order_acq_rel);
        buffer->front = taken & pal_tripleIndex;
        *isNew = true;
    }
    return buffer->front;
}

#endif
