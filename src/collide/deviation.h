// SPDX-License-Identifier: Apache-2.0
// How far one surface is from another.
#ifndef PAL_COLLIDE_DEVIATION_H
#define PAL_COLLIDE_DEVIATION_H

#include "mesh/surface.h"

/// The largest distance, m, from the vertices, the middles of edges and the centres of triangles of
/// the first surface to the second.
palResult palMeasureDeviation(const palSurface* from, const palSurface* to, double* largest,
                              palError* error);

#endif
