// SPDX-License-Identifier: Apache-2.0
// Where a circle in the plane z = 0 about the origin is closest to lines and other circles.
#ifndef PAL_COLLIDE_CIRCLE_H
#define PAL_COLLIDE_CIRCLE_H

#include "math/vec3.h"

enum
{
    pal_circleMinima = 4, // at most that many are found
};

typedef struct palCirclePoint
{
    double cosine, sine;
} palCirclePoint;

/// The local minima of the distance to the line through p along the unit vector d. Returns their
/// number, at most two.
int palCircle_NearestToLine(double radius, palVec3 p, palVec3 d,
                            palCirclePoint places[pal_circleMinima]);

/// A circle and another one about `centre`, in the plane across the unit vector `axis`.
typedef struct palCirclePair
{
    double radius, other; // m
    palVec3 centre, axis;
} palCirclePair;

/// The unit vectors from the circle to the other where their distance has a local minimum; across
/// both where they cross, to the outside of the first. Returns their number.
int palCirclePair_Nearest(const palCirclePair* pair, palVec3 ways[pal_circleMinima]);

#endif
