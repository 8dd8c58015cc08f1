// SPDX-License-Identifier: Apache-2.0
// What is remembered of each step.
//
// A loop puts one record a step into its ring (base/ring.h); whoever records (a file writer, a
// viewer) takes them out in another thread, or between steps in lockstep.
#ifndef PAL_RUNTIME_RECORD_H
#define PAL_RUNTIME_RECORD_H

#include "base/ring.h"
#include "constraint/contact.h"
#include "math/quat.h"

#include <stddef.h>

/// One hand in a high-rate step.
typedef struct palHandRecord
{
    palVec3 device; // m
    palVec3 proxy;  // m
    palQuat deviceTurn;
    palQuat proxyTurn; // identity where the haptic body is a point
    palVec3 force;     // on the hand, before the safety layer, N
    palVec3 torque;    // N·m
    palVec3 out;       // on the hand, after the safety layer, N
    double handEnergy; // that the hand has received, J; NAN: the device cannot tell
    int constraints;   // rows that could act: of what is near the proxy
    int active;        // rows that did
    int iterations;
    double residual;    // m
    double surfaceGap;  // m, to the nearest soft surface, negative inside; NAN: none is near
    double unexplained; // N, of the force at rest, by contacts and weight; NAN: not judged
    bool held;          // the trust region held the proxy back
    bool impulse;       // a collision impulse
    bool converged;     // the solver reached its tolerance
    uint32_t buttons;   // of the device that are down
} palHandRecord;

/// One high-rate step; a row of haptic.csv.
typedef struct palTickRecord
{
    double t;                        // s
    double stepUs;                   // the tick's own time, µs
    double snapshotAgeMs;            // ms
    int contactCount;                // contacts that push
    const palContactForce* contacts; // borrowed, [contactCount]: until the next tick, or the next
                                     // record that is taken
    int handCount;
    palHandRecord hands[pal_handsMax]; // [handCount]: only these go into a ring
} palTickRecord;

/// The bytes of a record of so many hands.
static inline size_t palTickRecord_Size(int hands)
{
    return offsetof(palTickRecord, hands) + (size_t)hands * sizeof(palHandRecord);
}

/// One low-rate step; a row of low.csv.
typedef struct palLowRecord
{
    double t; // s
    double stepMs, freeMs, collideMs, complianceMs, solveMs;
    int contacts;    // that the snapshot describes; `accurate`: limited constraints
    int constraints; // their rows
    int iterations;
    double residual; // m
    int loop;        // which of the loops slower than the high rate, from 0
} palLowRecord;

#endif
