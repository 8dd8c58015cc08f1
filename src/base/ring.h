// SPDX-License-Identifier: Apache-2.0
// A wait-free ring buffer that passes records from one thread to another. The producer never
// blocks: when the ring is full, the record is dropped and counted.
#ifndef PAL_BASE_RING_H
#define PAL_BASE_RING_H

#include <palpate/base.h>

#include <stdatomic.h>

/// A ring buffer of records of equal size: one producer, one consumer.
typedef struct palRing
{
    unsigned char* memory;              // owned, [capacity * size]
    size_t size;                        // bytes of a record
    unsigned capacity;                  // a power of two
    _Alignas(64) _Atomic unsigned head; // next index to write, modulo 2^32; set by the producer
    _Atomic uint64_t dropped;           // records dropped because the ring was full
    _Alignas(64) _Atomic unsigned tail; // next index to read; set by the consumer
} palRing;

/// `capacity` is rounded up to a power of two.
palResult palRing_Init(palRing* ring, size_t size, unsigned capacity, palError* error);
void palRing_Free(palRing* ring);

/// Producer. Real-time. Returns false if the ring was full: the record is then dropped.
bool palRing_Put(palRing* ring, const void* record);
/// The same of a record of which only the first bytes are used.
bool palRing_PutPart(palRing* ring, const void* record, size_t bytes);
/// Consumer. Real-time. Returns false if the ring is empty.
bool palRing_Take(palRing* ring, void* record);

#endif
