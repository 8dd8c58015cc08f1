// SPDX-License-Identifier: Apache-2.0
// A measured indentation: force over depth, from a CSV with the columns depth_m and force_N.
#ifndef PAL_APP_MEASURED_H
#define PAL_APP_MEASURED_H

#include <palpate/base.h>

enum
{
    pal_measuredMax = 1000, // points
};

typedef struct palMeasured
{
    double* depth; // owned, [count], m: increasing, the same depth several times is allowed
    double* force; // owned, [count], N
    int count;
} palMeasured;

/// Rows may stand in any order. Fails where one is not a number, or above the surface.
palResult palMeasured_Load(palMeasured* measured, const char* path, palError* error);
void palMeasured_Free(palMeasured* measured);

#endif
