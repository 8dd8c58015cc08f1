// SPDX-License-Identifier: Apache-2.0
// Unit quaternions as rotations, by value. q rotates body coordinates into world coordinates.
#ifndef PAL_MATH_QUAT_H
#define PAL_MATH_QUAT_H

#include "math/vec3.h"

static const palQuat pal_identityQuat = {1.0, 0.0, 0.0, 0.0};

/// First b, then a.
static inline palQuat palMulQuat(palQuat a, palQuat b)
{
    return (palQuat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    };
}

/// The inverse of a unit quaternion.
static inline palQuat palConjugate(palQuat q)
{
    return (palQuat){q.w, -q.x, -q.y, -q.z};
}

/// q / |q|, or the identity if |q| is zero or not finite.
static inline palQuat palNormalizeQuat(palQuat q)
{
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(length > 0.0) || !isfinite(length))
        return pal_identityQuat;
    return (palQuat){q.w / length, q.x / length, q.y / length, q.z / length};
}

static inline palVec3 palRotate(palQuat q, palVec3 a)
{
    // a + 2 u × (u × a + w a), u the vector part.
    palVec3 u = {q.x, q.y, q.z};
    palVec3 inner = palMulAdd(palCross(u, a), q.w, a);
    return palMulAdd(a, 2.0, palCross(u, inner));
}

static inline palVec3 palInvRotate(palQuat q, palVec3 a)
{
    return palRotate(palConjugate(q), a);
}

/// The rotation by |r| radians about r.
static inline palQuat palMakeQuatRotationVector(palVec3 r)
{
    double angle = palLength(r);
    // sin(x/2)/x by its series for angles at which the quotient loses digits.
    double s = angle > 1e-6 ? sin(0.5 * angle) / angle : 0.5 - angle * angle / 48.0;
    return palNormalizeQuat((palQuat){cos(0.5 * angle), s * r.x, s * r.y, s * r.z});
}

/// The rotation vector of q, of length 0..pi.
static inline palVec3 palRotationVector(palQuat q)
{
    if (q.w < 0.0)
        q = (palQuat){-q.w, -q.x, -q.y, -q.z};
    palVec3 u = {q.x, q.y, q.z};
    double s = palLength(u);
    double scale = s > 1e-9 ? 2.0 * atan2(s, q.w) / s : 2.0;
    return palScale(scale, u);
}

/// Spherical interpolation between a (t = 0) and b (t = 1) along the shorter arc.
static inline palQuat palSlerp(palQuat a, palQuat b, double t)
{
    palQuat rotation = palMulQuat(b, palConjugate(a));
    palVec3 r = palRotationVector(rotation);
    return palNormalizeQuat(palMulQuat(palMakeQuatRotationVector(palScale(t, r)), a));
}

#endif
