// SPDX-License-Identifier: Apache-2.0
#include "collide/first_contact.h"

enum
{
    stepsMax = 64,
    contactsMax = 16, // the smallest gap comes first
    parts = 16,       // a query looks as far as this part of the motion
};

// The gap may be this share of the margin larger than it.
static const double arrivedShare = 0.1;

palPose palMovingShape_Pose(const palMovingShape* moving, double time)
{
    return (palPose){palLerp(moving->start.x, moving->end.x, time),
                     palSlerp(moving->start.q, moving->end.q, time)};
}

// How far rotation takes the points of a shape in the whole time, at most.
static double turnLength(const palMovingShape* moving)
{
    palQuat q = palMulQuat(moving->end.q, palConjugate(moving->start.q));
    double angle = palLength(palRotationVector(palNormalizeQuat(q)));
    return angle > 0.0 ? angle * moving->shape->extent : 0.0;
}

static double gapAt(const palMovingShape* a, const palMovingShape* b, double time, double distance)
{
    palRigidContact contacts[contactsMax];
    palRigidPairCache cache = {0};
    int count = palRigidShapes_Contacts(a->shape, palMovingShape_Pose(a, time), b->shape,
                                        palMovingShape_Pose(b, time), distance, &cache, contactsMax,
                                        contacts, NULL);
    double gap = distance;
    for (int i = 0; i < count; i++)
        gap = fmin(gap, contacts[i].gap);
    return gap;
}

bool palRigidShapes_FirstContact(const palMovingShape* a, const palMovingShape* b, double margin,
                                 double* time)
{
    palVec3 moveA = palSub(a->end.x, a->start.x), moveB = palSub(b->end.x, b->start.x);
    double length = palDistance(moveA, moveB) + turnLength(a) + turnLength(b);
    double distance = fmax(2.0 * margin, length / parts);
    *time = 0.0;
    for (int i = 0; i < stepsMax; i++)
    {
        double gap = gapAt(a, b, *time, distance);
        if (gap <= (1.0 + arrivedShare) * margin)
            return true;
        double step = gap - margin;
        if (step >= length * (1.0 - *time))
            return false;
        *time += step / length;
    }
    return true;
}
