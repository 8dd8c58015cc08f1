// SPDX-License-Identifier: Apache-2.0
// How deep one closed surface is in another, without any tree, sign or side of the product: whether
// a vertex is inside is counted along a ray through every triangle, and its depth is the least
// distance to all of them.
#ifndef PAL_TESTS_DEPTH_H
#define PAL_TESTS_DEPTH_H

#include "check.h"

#include "collide/box_tree.h"
#include "collide/triangle.h"
#include "math/quat.h"

// A turn that puts no edge of a shape made along the axes under a vertex of it.
static inline palVec3 askew(palVec3 p)
{
    const palQuat turn = palNormalizeQuat((palQuat){0.79, 0.31, 0.42, 0.32});
    return palRotate(turn, p);
}

// How often the ray from p along z leaves the triangles more than it enters them: the winding
// number.
static inline int windingAt(palVec3 p, int count, const palVec3 (*corners)[3])
{
    int winding = 0;
    for (int t = 0; t < count; t++)
    {
        palVec3 a = palSub(corners[t][0], p), b = palSub(corners[t][1], p);
        palVec3 c = palSub(corners[t][2], p);
        double u = b.x * c.y - b.y * c.x, v = c.x * a.y - c.y * a.x, w = a.x * b.y - a.y * b.x;
        bool leaves = u > 0.0 && v > 0.0 && w > 0.0, enters = u < 0.0 && v < 0.0 && w < 0.0;
        if ((leaves || enters) && (u * a.z + v * b.z + w * c.z) / (u + v + w) > 0.0)
            winding += leaves ? 1 : -1;
    }
    return winding;
}

// The triangles, turned, that are above or below anything in `shadow`. Returns how many.
static inline int trianglesOver(palBounds shadow, const palSurface* surface, palVec3 (*corners)[3])
{
    int count = 0;
    shadow.low.z = -INFINITY;
    shadow.high.z = INFINITY;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        palVec3* c = corners[count];
        for (int k = 0; k < 3; k++)
            c[k] = askew(surface->vertices[surface->triangles[t][k]]);
        palBounds box = palBounds_With(palBounds_With(palMakeBounds(c[0]), c[1]), c[2]);
        count += palBounds_Meet(box, shadow);
    }
    return count;
}

static inline double distanceTo(const palSurface* surface, palVec3 x)
{
    double least = INFINITY;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        const int* v = surface->triangles[t];
        const palVec3* y = surface->vertices;
        least = fmin(least, palClosestOnTriangle(x, y[v[0]], y[v[1]], y[v[2]]).distance);
    }
    return least;
}

// m: the greatest depth of any vertex of the one in the other; 0 where none is inside.
static inline double depthIn(const palSurface* one, const palSurface* other)
{
    palBounds bounds = palSurface_Bounds(other), shadow = {0};
    int near = 0;
    for (int i = 0; i < one->vertexCount; i++)
    {
        palVec3 x = one->vertices[i];
        if (palBounds_Meet(palMakeBounds(x), bounds))
            shadow = near++ == 0 ? palMakeBounds(askew(x)) : palBounds_With(shadow, askew(x));
    }
    palVec3(*corners)[3] = calloc((size_t)other->triangleCount + 1, sizeof *corners);
    assert_non_null(corners);
    int count = near > 0 ? trianglesOver(shadow, other, corners) : 0;
    double most = 0.0;
    for (int i = 0; i < one->vertexCount; i++)
    {
        palVec3 x = one->vertices[i];
        if (palBounds_Meet(palMakeBounds(x), bounds) &&
            windingAt(askew(x), count, (const palVec3(*)[3])corners) > 0)
            most = fmax(most, distanceTo(other, x));
    }
    free(corners);
    return most;
}

#endif
