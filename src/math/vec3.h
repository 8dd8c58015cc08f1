// SPDX-License-Identifier: Apache-2.0
// Vectors of three doubles, by value.
#ifndef PAL_MATH_VEC3_H
#define PAL_MATH_VEC3_H

#include <palpate/base.h>

#include <math.h>

#define PAL_PI 3.14159265358979323846

static const palVec3 pal_zeroVec3 = {0.0, 0.0, 0.0};

static inline palVec3 palMakeVec3(double x, double y, double z)
{
    return (palVec3){x, y, z};
}

static inline palVec3 palAdd(palVec3 a, palVec3 b)
{
    return (palVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline palVec3 palSub(palVec3 a, palVec3 b)
{
    return (palVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline palVec3 palNeg(palVec3 a)
{
    return (palVec3){-a.x, -a.y, -a.z};
}

/// s a
static inline palVec3 palScale(double s, palVec3 a)
{
    return (palVec3){s * a.x, s * a.y, s * a.z};
}

/// a + s b
static inline palVec3 palMulAdd(palVec3 a, double s, palVec3 b)
{
    return (palVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/// a + t (b - a)
static inline palVec3 palLerp(palVec3 a, palVec3 b, double t)
{
    return palMulAdd(a, t, palSub(b, a));
}

static inline double palDot(palVec3 a, palVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline palVec3 palCross(palVec3 a, palVec3 b)
{
    return (palVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double palLengthSquared(palVec3 a)
{
    return palDot(a, a);
}

static inline double palLength(palVec3 a)
{
    return sqrt(palDot(a, a));
}

static inline double palDistance(palVec3 a, palVec3 b)
{
    return palLength(palSub(a, b));
}

/// a / |a|, or the zero vector if |a| is zero or not finite.
static inline palVec3 palNormalize(palVec3 a)
{
    double length = palLength(a);
    return length > 0.0 && isfinite(length) ? palScale(1.0 / length, a) : pal_zeroVec3;
}

static inline palVec3 palMinVec3(palVec3 a, palVec3 b)
{
    return (palVec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

static inline palVec3 palMaxVec3(palVec3 a, palVec3 b)
{
    return (palVec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

static inline bool palIsFinite(palVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/// Two unit vectors that complete the unit vector n to a right-handed frame (t1, t2, n).
/// Source: Duff et al., "Building an orthonormal basis, revisited", JCGT 2017.
static inline void palTangents(palVec3 n, palVec3* t1, palVec3* t2)
{
    double sign = copysign(1.0, n.z);
    double a = -1.0 / (sign + n.z);
    double b = n.x * n.y * a;
    *t1 = (palVec3){1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *t2 = (palVec3){b, sign + n.y * n.y * a, -n.y};
}

#endif
