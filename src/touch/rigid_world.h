// SPDX-License-Identifier: Apache-2.0
// The rigid bodies that a method moves in the tick: a pile of all objects of the scene and of what
// the hands hold (world/pile.h).
//
// Method `impulse` leaves all of it to the pile: what a hand holds hangs on a handle, and joints
// are the pile's. Method `compliance` solves for the pile together with wires and soft bodies: what
// a hand holds is moved by it (palPile_Hold), and joints are links. Methods that find the contacts
// of a hand with what stands still themselves solve in turns with the pile (render/rigid_hands.h).
#ifndef PAL_TOUCH_RIGID_WORLD_H
#define PAL_TOUCH_RIGID_WORLD_H

#include "world/def.h"
#include "world/hand.h"

typedef struct palRigidWorld
{
    const palMethodDef* defs; // borrowed, [handCount]: of the hands
    int handCount;
    palPile* pile;                      // owned; NULL: there are no rigid bodies
    palRigidShape shapes[pal_handsMax]; // owned: of what the hands hold, where the scene has none
    int objectCount;                    // its first bodies: the objects, as the scene numbers them
    int hands[pal_handsMax];            // the bodies of the hands; -1: it holds a wire
    int firstHandle;                    // the joint of the first hand, the others follow
    int firstTie;                       // likewise: of what it picks up
    palPose* starts;                    // owned, [bodies]: where they were at first
    uint64_t sequence;                  // of the snapshot at which all contacts were reported last
    palContactMaterial law; // of contacts with what hands hold, with pal_tieTurns. Set before Init
} palRigidWorld;

typedef enum palHandTie
{
    pal_tieHandles, // hands hold by handles of the pile, and its joints are those of the scene
    pal_tieOutside, // the method moves what hands hold, and solves the joints
    pal_tieTurns,   // the method moves what hands hold, and finds what stops it
} palHandTie;

/// Of the scene and the hands of a method.
palResult palRigidWorld_Init(palRigidWorld* world, const palMethodDef* defs, int handCount,
                             palHandTie tie, palError* error);
void palRigidWorld_Free(palRigidWorld* world);

/// Contacts that Report reports with the first step after an update, at most.
int palRigidWorld_UpdateContacts(const palRigidWorld* world);
/// palSharedOps.rigid and totals.
bool palRigidWorld_View(const palRigidWorld* world, int object, palRigidView* view);
palRigidTotals palRigidWorld_Totals(const palRigidWorld* world);
/// palSharedOps.makeState and archiveState of what moves, and H6: where it is.
palResult palRigidWorld_MakeState(const palRigidWorld* world, palHapticState* state,
                                  palError* error);
void palRigidWorld_ArchiveState(palHapticState* state, palArchive* archive);
void palRigidWorld_WriteState(const palRigidWorld* world, palHapticState* state);
/// rigid_pick.c: before a tick: while the button is down that palMethodDef.pick names, the hand
/// holds the free object that what is in it touched then. Real-time.
void palRigidWorld_Pick(palRigidWorld* world, const palMethodDef* def,
                        const palDeviceState* device);
/// What changes in a run.
void palRigidWorld_Archive(palRigidWorld* world, palArchive* archive);

/// Reports the contacts of a hand in every tick; with the first hand, and a snapshot of another
/// number than in its last tick, all others too.
void palRigidWorld_Report(palRigidWorld* world, int hand, uint64_t sequence,
                          palContactReport* report);

#endif
