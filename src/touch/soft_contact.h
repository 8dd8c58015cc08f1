// SPDX-License-Identifier: Apache-2.0
// Touching soft bodies: both sides of it, for the methods that can.
//
// The low rate calls Advance and palSoftSide_Describe once a step; the high rate calls Begin, finds
// its contact forces on the surface as it would be without them, and calls End. Forces go back to
// the low rate through a ring, one record a tick.
#ifndef PAL_TOUCH_SOFT_CONTACT_H
#define PAL_TOUCH_SOFT_CONTACT_H

#include "base/ring.h"
#include "touch/snapshot.h"
#include "touch/soft_side.h"
#include "world/def.h"

typedef struct palSoftContact
{
    palSoftSide side;                        // low rate
    palSoftForce collected[pal_softHistory]; // low rate: taken from the ring, in order
    int collectedCount;
    palRing forces;       // high -> low
    palSoftMotion motion; // high rate
    bool frozen;
} palSoftContact;

/// Creates it where any collider is soft; *contact is NULL otherwise.
palResult palSoftContact_Create(const palMethodDef* def, palSoftContact** contact, palError* error);
void palSoftContact_Destroy(palSoftContact* contact);

/// Where the objects touch each other; NULL: they cannot.
palWorldStep* palSoftContact_World(palSoftContact* contact);

/// Low rate, L6 of the last step: brings the bodies to the time of the haptic state.
void palSoftContact_Advance(palSoftContact* contact, const palHapticState* hand);
/// High rate: the motion of the patch up to now, without a contact force in this tick.
void palSoftContact_Begin(palSoftContact* contact, const palSnapshot* snapshot, double now);

/// High rate: this tick's contact forces; its time is filled in. shapes[i] is the shape of push i.
void palSoftContact_End(palSoftContact* contact, const palSnapshot* snapshot, double now,
                        palSoftForce* force, const palModeShape* const* shapes);

#endif
