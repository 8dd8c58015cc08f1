// SPDX-License-Identifier: Apache-2.0
// How deep a tool that touches with points is inside: the least gap of any of its points to the
// true surfaces, whatever the method believes. For measurements; not for the loops.
//
// A gap changes by no more than the point moves, so that a point is only looked at again when the
// tool has moved so far that it could be the one.
#ifndef PAL_RUNTIME_TOOL_GAP_H
#define PAL_RUNTIME_TOOL_GAP_H

#include "collide/collider.h"
#include "runtime/record.h"

typedef struct palToolGap
{
    const palCollider* colliders; // borrowed
    int colliderCount;
    const palVec3* points; // borrowed, [count], from the device point, in the tool's frame, m
    int count;
    double extent; // m: the farthest of them
    double moved;  // m: how far any point can have moved so far
    double* least; // owned, [count], m: the gap found last plus `moved` then
    int nearest;   // the point that it was last
    palVec3 proxy; // of the last record
    palQuat turn;
} palToolGap;

palResult palToolGap_Init(palToolGap* gap, const palCollider* colliders, int colliderCount,
                          const palVec3* points, int count, palError* error);
void palToolGap_Free(palToolGap* gap);

/// The least gap with the tool where the record has it, m, negative inside; infinite where there is
/// nothing. Soft surfaces do not count.
double palToolGap_Find(palToolGap* gap, const palHandRecord* record);

#endif
