// SPDX-License-Identifier: Apache-2.0
// A recording loaded for plots.
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
    int active;     // active constraint rows
} palRecordedStep;

/// One low-rate step, ms.
typedef struct palRecordedLow
{
    double t;     // s
    double step;  // the whole step
    double solve; // collision, compliance and solution: the part for contact
} palRecordedLow;

typedef struct palRecorded
{
    palRecordedStep* steps; // owned, [count]
    int count;
    palRecordedLow* lows; // owned, [lowCount]
    int lowCount;
} palRecorded;

/// Reads DIRECTORY/haptic.csv and low.csv.
palResult palRecorded_Load(palRecorded* recorded, const char* directory, palError* error);
void palRecorded_Free(palRecorded* recorded);

#endif
