// SPDX-License-Identifier: Apache-2.0
// A recording read back: what pictures are drawn from.
#ifndef PAL_APP_RECORDED_H
#define PAL_APP_RECORDED_H

#include "math/vec3.h"

/// One high-rate step.
typedef struct palRecordedStep
{
    double t;       // s
    palVec3 device; // m
    palVec3 proxy;  // m
    palVec3 force;  // on the hand, N
    int active;     // rows that push
} palRecordedStep;

typedef struct palRecorded
{
    palRecordedStep* steps; // owned, [count]
    int count;
} palRecorded;

/// Reads DIRECTORY/haptic.csv.
palResult palRecorded_Load(palRecorded* recorded, const char* directory, palError* error);
void palRecorded_Free(palRecorded* recorded);

#endif
