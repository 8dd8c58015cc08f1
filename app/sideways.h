// SPDX-License-Identifier: Apache-2.0
// How much the force on the hand oscillates along the way that the hand strokes.
#ifndef PAL_APP_SIDEWAYS_H
#define PAL_APP_SIDEWAYS_H

#include "recorded.h"

/// RMS, N, of the part above 5 Hz of the force along `axis`, 0..2, over the steps in which the hand
/// moves along it, touching, at 1 mm/s or more. 0 where it never does; NAN where there is no
/// memory.
double palSidewaysRms(const palRecorded* recorded, int axis);

#endif
