// SPDX-License-Identifier: Apache-2.0
// A pose: where a frame is in the world.
#ifndef PAL_MATH_POSE_H
#define PAL_MATH_POSE_H

#include "math/quat.h"

typedef struct palPose
{
    palVec3 x; // of the frame's origin, m
    palQuat q; // frame to world
} palPose;

static const palPose pal_identityPose = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

/// A point of the frame in the world.
static inline palVec3 palPose_Point(palPose pose, palVec3 local)
{
    return palAdd(pose.x, palRotate(pose.q, local));
}

/// A point of the world in the frame.
static inline palVec3 palPose_Local(palPose pose, palVec3 point)
{
    return palInvRotate(pose.q, palSub(point, pose.x));
}

/// The pose in the world of a frame that has the pose `inner` in the frame `outer`.
static inline palPose palMulPose(palPose outer, palPose inner)
{
    return (palPose){palPose_Point(outer, inner.x), palMulQuat(outer.q, inner.q)};
}

/// The pose of the frame `b` as seen from the frame `a`.
static inline palPose palPose_Between(palPose a, palPose b)
{
    return (palPose){palPose_Local(a, b.x), palMulQuat(palConjugate(a.q), b.q)};
}

#endif
