// SPDX-License-Identifier: Apache-2.0
// Values that may change while a run lasts: friction and Young's modulus of objects, gravity, and
// the couplings of the hands. Nothing is made anew, and what touches stays in touch.
//
// Whoever sets a value publishes all of them to every loop through a triple buffer; of several
// values the last counts. A loop goes from what it has to the newest in equal parts, the slower
// ones one at each of the next pal_changeSteps steps, the high rate one at each tick of the same
// time: a force then changes by the same parts, not in one step.
//
// Each loop has the values to itself: a slower loop those of its bodies and pairs, the high rate
// the coupling and the weight of what the hand holds. The low rate learns of these from the haptic
// state.
#ifndef PAL_RUNTIME_CHANGES_H
#define PAL_RUNTIME_CHANGES_H

#include "base/messages.h"
#include "render/method.h"
#include "runtime/triple_buffer.h"

#include <pthread.h>

enum
{
    pal_changeSteps = 8, // of a slower loop, from one value to the next
};

typedef struct palObjectValues
{
    double friction;   // Coulomb's coefficient
    double young;      // Pa; 0: the object is not soft
    double stiffening; // b of body/stiffening.h
} palObjectValues;

typedef struct palValues
{
    palVec3 gravity; // m/s²
    palCouplingValues couplings[pal_handsMax];
    palObjectValues* objects; // borrowed from palRunChanges, [objectCount]
} palValues;

/// One loop on its way to the newest values.
typedef struct palFollower
{
    palTripleBuffer buffer; // from those who set
    palValues slots[3];
    palValues now; // as the loop has them
    int steps;     // of the whole way
    int stepsLeft;
} palFollower;

typedef struct palRunChanges
{
    pthread_mutex_t lock; // among those who set; no loop takes it
    palValues wanted;     // the newest
    palFollower loops[pal_loopsMax];
    palFollower high;
    palTool tools[pal_handsMax]; // the high rate's own, where a hand holds one; surfaces borrowed
    int objectCount;
    palObjectValues* memory;              // owned: of all the above
    palDeviceLimits limits[pal_handsMax]; // that the couplings keep
    bool canRub;                          // there is room for rows of friction
} palRunChanges;

struct palEngine;

/// Before the methods are created, which then get the tools of `changes`. Part of palEngine_Create.
palResult palRunChanges_Init(palRunChanges* changes, struct palEngine* engine, palError* error);
void palRunChanges_Free(palRunChanges* changes);

/// A slower loop, between `advance`, which ends the step with the values that it began with, and
/// the description of what comes next.
void palRunChanges_ApplyLow(struct palEngine* engine, int loop);
/// The high rate, before a tick. Real-time.
void palRunChanges_ApplyTick(struct palEngine* engine);
/// H6: what the low rate must know of a hand.
void palRunChanges_WriteState(const palMethod* method, palHapticHand* hand);

// Any thread; at rest, the next steps apply it. They may wait for each other for a moment, never
// for a loop, and no loop for them.

palResult palEngine_SetFriction(struct palEngine* engine, int object, double friction,
                                palError* error);
/// Young's modulus of a soft object, Pa. Regions of another stiffness are scaled with it.
palResult palEngine_SetYoung(struct palEngine* engine, int object, double young, palError* error);
palResult palEngine_SetStiffening(struct palEngine* engine, int object, double stiffening,
                                  palError* error);
/// Of bodies, wires and what the hand holds, m/s².
palResult palEngine_SetGravity(struct palEngine* engine, palVec3 gravity, palError* error);
/// Cut to what the device renders stably, with messages (may be NULL); NAN: the default.
palResult palEngine_SetCoupling(struct palEngine* engine, int hand, const palCouplingValues* wanted,
                                palMessages* messages, palError* error);

#endif
