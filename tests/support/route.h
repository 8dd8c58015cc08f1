// SPDX-License-Identifier: Apache-2.0
// A hand that goes from point to point at constant speed, for palRigDef.path.
#ifndef PAL_TESTS_ROUTE_H
#define PAL_TESTS_ROUTE_H

#include "math/vec3.h"

typedef struct route
{
    const palVec3* points;
    int count;
    double speed; // m/s
} route;

static inline palVec3 alongRoute(const void* user, double t)
{
    const route* r = user;
    double left = fmax(0.0, t) * r->speed;
    for (int i = 1; i < r->count; i++)
    {
        double length = palDistance(r->points[i - 1], r->points[i]);
        if (left < length)
            return palLerp(r->points[i - 1], r->points[i], left / length);
        left -= length;
    }
    return r->points[r->count - 1];
}

static inline double routeSeconds(const route* r)
{
    double length = 0.0;
    for (int i = 1; i < r->count; i++)
        length += palDistance(r->points[i - 1], r->points[i]);
    return length / r->speed;
}

#endif
