// SPDX-License-Identifier: Apache-2.0
// Contact of the hands with soft bodies, at both rates.
//
// The low rate calls palSoftSide_Advance and palSoftSide_Describe once per step. A tick of the high
// rate begins with Begin; then each hand in its turn finds the contact forces on the surface after
// its free motion, and pushes. A hand meets the bodies as the other hands push them: with their
// forces of this tick where they had their turn already, else with those of the last tick. All
// forces go back to the low rate by a track (world/track.h), one record per tick.
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
    int handCount;

    // The tick under way: the pushes of the hands that had their turn, and their shapes.
    palSoftForce force;
    const palModeShape* shapes[pal_softForcesMax];
} palSoftContact;

/// Creates it where any collider is soft, for hands with these definitions; *contact is NULL
/// otherwise.
palResult palSoftContact_Create(const palMethodDef* defs, int handCount, palSoftContact** contact,
                                palError* error);
void palSoftContact_Destroy(palSoftContact* contact);

/// The world step of contact between the objects; NULL: no two of them can touch.
palWorldStep* palSoftContact_World(palSoftContact* contact);

/// Both sides, between two ticks, after the colliders.
void palSoftContact_Archive(palSoftContact* contact, palArchive* archive);

// High rate. Real-time.

/// The motion of the patch up to now, without a contact force in this tick.
void palSoftContact_Begin(palSoftContact* contact, const palSnapshot* snapshot);

/// The turn of a hand: from now on the free motion includes the forces of the others. In the order
/// of the hands.
void palSoftContact_BeginTurn(palSoftContact* contact, const palSoftPatch* patch, int hand);

/// The end of its turn: its contact forces; their hand is filled in. shapes[i] is the shape of push
/// i; it must stay until End.
void palSoftContact_Push(palSoftContact* contact, const palSoftPatch* patch, int hand,
                         palSoftPush* pushes, int count, const palModeShape* const* shapes);

/// After the turns of all hands, at the time `now`.
void palSoftContact_End(palSoftContact* contact, const palSnapshot* snapshot, double now);

#endif
