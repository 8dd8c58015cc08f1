// SPDX-License-Identifier: Apache-2.0
// What a run is judged by, gathered record by record outside the loops: of one hand, and with the
// first what is the same for all.
#ifndef PAL_RUNTIME_MEASURE_H
#define PAL_RUNTIME_MEASURE_H

#include "base/histogram.h"
#include "base/json.h"
#include "collide/collider.h"
#include "runtime/record.h"
#include "runtime/tool_gap.h"

/// What one object was pushed with over a run.
typedef struct palBodyTotal
{
    uint64_t steps;  // with contact
    palVec3 sum;     // of the force on it over these steps, N
    double largest;  // N
    palVec3 present; // N, of the step that is being added
} palBodyTotal;

typedef struct palMeasure
{
    int hand;                     // whose steps count
    const palCollider* colliders; // borrowed
    int colliderCount;
    palToolGap* toolGap; // borrowed: the proxy is a tool that touches with points; NULL: a point

    // Distribution over low-rate steps.
    palHistogram described; // contacts that a snapshot describes, where there are any

    // Distributions over high-rate steps.
    palHistogram constraints;     // rows that could act, steps in which there are any
    palHistogram iterations;      // steps with constraints
    palHistogram residual;        // m, steps with constraints
    palHistogram force;           // |F| on the hand before the safety layer, N
    palHistogram forceJump;       // |F(k+1) - F(k)|, N; not across held steps
    palHistogram forceTurn;       // angle between successive forces above 0.05 N, rad; likewise
    palHistogram surfaceDistance; // |proxy to surface| at steps with contact force, m; not held
    palHistogram penetration;     // depth of the proxy inside, >= 0, m; of a tool its deepest point
    uint64_t ticks;
    uint64_t contactSteps;  // steps with contact force
    uint64_t heldSteps;     // trust region binding
    uint64_t unconverged;   // steps whose solver did not reach its tolerance
    uint64_t notFinite;     // steps whose force or proxy was not finite
    uint64_t unexplained;   // steps at rest whose force contacts and weight do not explain
    double unexplainedMost; // N, the largest such difference in any step at rest

    // Work of the force on the device: sum of out · dx, J. What overcomes the friction of the
    // mechanism counts, so that it is not what the hand received.
    double energy;
    double energyLow, energyHigh; // its range over the run

    // What the hand received, J, and the most that it had received at any time; NAN: the device
    // cannot tell.
    double handEnergy;
    double handEnergyLargest;

    palBodyTotal* bodies; // borrowed, [colliderCount]; NULL: another hand's measure has them

    palHandRecord last; // the step before; valid if ticks > 0
} palMeasure;

/// For a hand. `bodies`, [colliderCount], are cleared; NULL: they are not measured.
void palMeasure_Init(palMeasure* measure, int hand, const palCollider* colliders, int colliderCount,
                     palBodyTotal* bodies);
void palMeasure_Tick(palMeasure* measure, const palTickRecord* record);

void palMeasure_Low(palMeasure* measure, const palLowRecord* record);

/// The measured quantities as members of the open object.
void palMeasure_Write(const palMeasure* measure, palJson* json);

#endif
