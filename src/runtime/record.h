// SPDX-License-Identifier: Apache-2.0
// What is remembered of each step, and the wait-free ring that carries it out of the loops.
//
// A loop puts one record a step into its ring; whoever records (a file writer, a viewer) takes them
// out in another thread, or between steps in lockstep. A full ring never blocks the loop: the
// record is dropped and counted.
#ifndef PAL_RUNTIME_RECORD_H
#define PAL_RUNTIME_RECORD_H

#include "math/vec3.h"

#include <stdatomic.h>

/// One high-rate step; a row of haptic.csv.
typedef struct palTickRecord
{
    double t;        // s
    palVec3 device;  // m
    palVec3 proxy;   // m
    palVec3 force;   // on the hand, before the safety layer, N
    palVec3 torque;  // N·m
    palVec3 out;     // on the hand, after the safety layer, N
    int constraints; // rows that could act
    int active;      // rows that did
    int iterations;
    double residual;      // m
    double stepUs;        // the tick's own time, µs
    double snapshotAgeMs; // ms
    bool held;            // the trust region held the proxy back
    bool impulse;         // a collision impulse
    bool converged;       // the solver reached its tolerance
} palTickRecord;

/// One low-rate step; a row of low.csv.
typedef struct palLowRecord
{
    double t; // s
    double stepMs, freeMs, collideMs, complianceMs, solveMs;
    int contacts;
    int constraints;
    int iterations;
    double residual; // m
} palLowRecord;

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

/// Producer. Real-time.
void palRing_Put(palRing* ring, const void* record);
/// Consumer. Returns false where the ring is empty.
bool palRing_Take(palRing* ring, void* record);

#endif
