// SPDX-License-Identifier: Apache-2.0
// Whether the force on a hand at rest is explained: the coupling carries the contact forces on what
// the hand holds, as they are reported, its weight, and what its joints and the objects picked up
// pull with. For measurements.
#ifndef PAL_RUNTIME_BALANCE_H
#define PAL_RUNTIME_BALANCE_H

#include "world/def.h"

/// N: a force that is off by more is not explained.
#define PAL_UNEXPLAINED_FORCE 0.05

/// Since when a hand is at rest, and where.
typedef struct palBalance
{
    palVec3 device, proxy; // m
    palVec3 force;         // N
    double since;          // s
    bool hasBegun;
} palBalance;

/// The hand at the end of a tick.
typedef struct palBalanceTick
{
    double t; // s
    int hand;
    palVec3 device, proxy;   // m
    const palHighInfo* info; // borrowed
    bool reports;            // its contacts are those of this tick
} palBalanceTick;

/// By how much the force differs from what explains it, N; NAN while the hand moves, and where that
/// is not known. Real-time.
double palBalance_Judge(palBalance* balance, const palBalanceTick* tick);

#endif
