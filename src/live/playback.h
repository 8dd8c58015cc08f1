// SPDX-License-Identifier: Apache-2.0
// A recording (haptic.csv) loaded for replay.
#ifndef PAL_LIVE_PLAYBACK_H
#define PAL_LIVE_PLAYBACK_H

#include "runtime/record.h"

typedef struct palPlayback
{
    palTickRecord* rows;            // owned, [count], t increasing
    double (*energy)[pal_handsMax]; // owned, [count], J, by hand: work of the force since the first
                                    // row
    int count;                      // at least 1 after a successful load
} palPlayback;

/// Columns are found by name, those of the hands after the first by their prefix; t, dev, proxy and
/// force are required, missing others are zero.
palResult palPlayback_Load(const char* path, palPlayback* playback, palError* error);
void palPlayback_Free(palPlayback* playback);

/// The last row at or before `t`, or the first. `t` is relative to the first row, s.
int palPlayback_RowAt(const palPlayback* playback, double t);
/// From the first row to the last, s.
double palPlayback_Seconds(const palPlayback* playback);

#endif
