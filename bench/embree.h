// SPDX-License-Identifier: Apache-2.0
// Embree 3 as the baseline of the proximity benchmark, single precision, one thread, used as its
// documentation recommends: rtcPointQuery with a callback that computes the distance to one
// triangle.
#ifndef PAL_BENCH_EMBREE_H
#define PAL_BENCH_EMBREE_H

#include "mesh/surface.h"

typedef struct palEmbree palEmbree;

typedef struct palEmbreeOps
{
    const char* name;
    /// Returns NULL on failure. The surface is copied.
    palEmbree* (*create)(const palSurface* surface);
    void (*destroy)(palEmbree* embree);
    void (*refit)(palEmbree* embree, const palVec3* vertices);
    /// The distance to the surface, at most maxDistance, and the closest triangle or -1.
    double (*closest)(palEmbree* embree, palVec3 point, double maxDistance, int* triangle);
    int (*within)(palEmbree* embree, palVec3 centre, double radius, int capacity, int* triangles);
} palEmbreeOps;

/// NULL if built without Embree.
const palEmbreeOps* palEmbreeBaseline(void);

#endif
