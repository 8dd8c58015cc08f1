// SPDX-License-Identifier: Apache-2.0
// Oscillation of the force on the hand along the direction of the stroke.
#ifndef PAL_APP_SIDEWAYS_H
#define PAL_APP_SIDEWAYS_H

#include "recorded.h"

/// RMS, N, of the force along `axis`, 0..2, above 5 Hz, over the steps in contact in which the hand
/// moves along the axis at 1 mm/s or more. 0 without such steps; NAN if out of memory.
double palSidewaysRms(const palRecorded* recorded, int axis);

#endif
