// SPDX-License-Identifier: Apache-2.0
// Fewer triangles for the same shape, with the deviation measured.
#ifndef PAL_COLLIDE_DECIMATE_H
#define PAL_COLLIDE_DECIMATE_H

#include "mesh/surface.h"

/// What decimation did to a surface.
typedef struct palDecimation
{
    int before, after;  // triangles
    double fromGiven;   // m: the largest distance of the given surface from the new one
    double fromReduced; // m: and of the new one from the given
} palDecimation;

/// Merges triangles where the surface moves by at most `tolerance`, m, and measures how far the two
/// are apart. Vertices that no triangle has any more are removed.
palResult palSurface_Decimate(palSurface* surface, double tolerance, palDecimation* done,
                              palError* error);

/// Merges triangles where the surface moves by at most `tolerance`, m.
palResult palSurface_Merge(palSurface* surface, double tolerance, palError* error);

#endif
