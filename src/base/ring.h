// SPDX-License-Identifier: Apache-2.0
// A wait-free ring that carries records from one thread to another. A full ring never blocks its
// producer: the record is dropped and counted.
#ifndef PAL_BASE_RING_H
#define PAL_BASE_RING_H

#include <palpate/base.h>

#include <stdatomic.h>

/// A ring of records of one size: one producer, one consumer.
typedef struct palRing
{
    unsigned char* memory;              // owned, [capacity * size]
    size_t size;                        // bytes of a record
    unsigned capacity;                  // a power of two
    _Alignas(64) _Atomic unsigned head; // next to be written, modulo 2^32; the producer's
    _Atomic uint64_t dropped;           // records that found the ring full
    _Alignas(64) _Atomic unsigned tail; // next to be read; the consumer's
} palRing;

/// `capacity` is rounded up to a power of two.
palResult palRing_Init(palRing* ring, size_t size, unsigned capacity, palError* error);
void palRing_Free(palRing* ring);

/// Producer. Real-time. Returns false where the ring was full: the record is then dropped.
bool palRing_Put(palRing* ring, const void* record);
/// Consumer. Real-time. Returns false where the ring is empty.
bool palRing_Take(palRing* ring, void* record);

#endif
