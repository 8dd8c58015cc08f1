// SPDX-License-Identifier: Apache-2.0
// Contact of the hand with soft bodies, at both rates.
//
// The low rate calls palSoftSide_Advance and palSoftSide_Describe once per step; the high rate
// calls Begin, finds the contact forces on the surface after its free motion, and calls End. The
// forces go back to the low rate by a track (world/track.h).
#ifndef PAL_TOUCH_SOFT_CONTACT_H
#define PAL_TOUCH_SOFT_CONTACT_H

#include "touch/snapshot.h"
#include "touch/soft_side.h"
#include "world/def.h"

typedef struct palSoftContact
{
    palSoftSide side;     // low rate
    palSoftMotion motion; // high rate
    bool frozen;
} palSoftContact;

/// Creates it where any collider is soft; *contact is NULL otherwise.
palResult palSoftContact_Create(const palMethodDef* def, palSoftContact** contact, palError* error);
void palSoftContact_Destroy(palSoftContact* contact);

/// The world step of contact between the objects; NULL: no two of them can touch.
palWorldStep* palSoftContact_World(palSoftContact* contact);

/// High rate: the motion of the patch up to now, without a contact force in this tick.
void palSoftContact_Begin(palSoftContact* contact, const palSnapshot* snapshot);

/// High rate: this tick's contact forces; its time is filled in. shapes[i] is the shape of push i.
void palSoftContact_End(palSoftContact* contact, const palSnapshot* snapshot, double now,
                        palSoftForce* force, const palModeShape* const* shapes);

#endif
