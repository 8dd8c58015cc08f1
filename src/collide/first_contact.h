// SPDX-License-Identifier: Apache-2.0
// When two rigid shapes that move through a step first come near each other, so that no body passes
// a thin wall between two steps.
#ifndef PAL_COLLIDE_FIRST_CONTACT_H
#define PAL_COLLIDE_FIRST_CONTACT_H

#include "collide/rigid_contact.h"

/// A shape and its motion: its origin along a straight line, turning at a constant rate.
typedef struct palMovingShape
{
    const palRigidShape* shape; // borrowed
    palPose start;
    palPose end;
} palMovingShape;

/// Where a shape is at a time from 0 to 1.
palPose palMovingShape_Pose(const palMovingShape* moving, double time);

/// Whether the two come as near as `margin`, > 0, and when: never late, and with a gap of at most
/// 1.1 margins then, unless 64 steps of the search did not get there. Zero where they are as near
/// from the start on.
///
/// Conservative advancement: while the gap is larger than the margin, the bodies may go on for as
/// long as their fastest points need for the difference. Allocates nothing, in bounded time.
bool palRigidShapes_FirstContact(const palMovingShape* a, const palMovingShape* b, double margin,
                                 double* time);

#endif
