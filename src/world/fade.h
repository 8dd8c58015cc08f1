// SPDX-License-Identifier: Apache-2.0
// Blends the jump of position at a new snapshot.
//
// A new snapshot has the bodies in slightly different positions than the high rate, because their
// motion is not linear. Corrected within one tick that would be a jump of force: a coupling damper
// of 0.8 N·s/m turns 20 µm per tick into 16 mN. Therefore the touched parts stay where they were,
// offset from the new snapshot, and the offset fades linearly to zero within one ΔT. At rest there
// is no jump.
#ifndef PAL_WORLD_FADE_H
#define PAL_WORLD_FADE_H

typedef struct palFade
{
    int ticks;   // duration; 0: no blending
    int left;    // ticks until the end
    double now;  // share of the offset at the start of the tick
    double next; // share of the offset at the end of the tick
} palFade;

/// Starts the fade of an offset with the next tick.
static inline void palFade_Start(palFade* fade)
{
    fade->left = fade->ticks;
}

/// Advances by one tick. Real-time.
static inline void palFade_Advance(palFade* fade)
{
    double all = fade->ticks > 0 ? fade->ticks : 1.0;
    fade->now = fade->left / all;
    fade->left -= fade->left > 0;
    fade->next = fade->left / all;
}

#endif
