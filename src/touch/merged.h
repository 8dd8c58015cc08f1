// SPDX-License-Identifier: Apache-2.0
// Coarser copies of a surface that has more triangles than a patch holds: each within a distance of
// it, the first within the tolerance of the scene, the next within twice that, and so on. Where the
// triangles in reach of a hand are too many, the finest copy is described that has few enough.
#ifndef PAL_TOUCH_MERGED_H
#define PAL_TOUCH_MERGED_H

#include "collide/collider.h"

enum
{
    pal_mergedMax = 5, // copies
};

typedef struct palMerged
{
    int count;
    palCollider copies[pal_mergedMax]; // owned, from the finest
    int* origins[pal_mergedMax];       // owned, by triangle: one of the surface's near it
} palMerged;

/// Makes copies until one fits into a patch, at most pal_mergedMax; none of a surface that fits
/// itself, that moves, or that is felt as points.
palResult palMerged_Init(palMerged* merged, const palCollider* collider, double tolerance,
                         palError* error);
void palMerged_Free(palMerged* merged);

/// The largest distance of copy number `level` from the surface, m; level 0 is the surface itself.
static inline double palMerged_Error(double tolerance, int level)
{
    return level > 0 ? tolerance * (double)(1 << (level - 1)) : 0.0;
}

#endif
