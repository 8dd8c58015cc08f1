// SPDX-License-Identifier: Apache-2.0
// How a new snapshot is blended in.
//
// It has the bodies a little off from where the high rate had them, by what is not linear in their
// motion. Taken at once that would be made up for within one tick, which is a blow: a coupling's
// damper of 0.8 N·s/m makes 16 mN of 20 µm in a tick. So whatever was touched stays where it was,
// and what it is off by fades: linearly, to nothing within one ΔT. At rest there is no jump.
#ifndef PAL_WORLD_FADE_H
#define PAL_WORLD_FADE_H

typedef struct palFade
{
    int ticks;   // that it takes; 0: nothing is blended
    int left;    // until it is over
    double now;  // the share of the jump that is left at the start of the tick
    double next; // and at its end
} palFade;

/// A jump that begins with the next tick.
static inline void palFade_Start(palFade* fade)
{
    fade->left = fade->ticks;
}

/// One tick. Real-time.
static inline void palFade_Advance(palFade* fade)
{
    double all = fade->ticks > 0 ? fade->ticks : 1.0;
    fade->now = fade->left / all;
    fade->left -= fade->left > 0;
    fade->next = fade->left / all;
}

#endif
