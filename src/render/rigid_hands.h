// SPDX-License-Identifier: Apache-2.0
// Rigid bodies that move, with methods that find the contacts of a hand with what stands still
// themselves: all but `impulse` and `compliance`.
//
// A pile (world/pile.h) has all objects; what a hand holds is one of its bodies, which it moves as
// the method says, with the method's A⁻¹, so that the coupling to the device is in the problem. The
// pile finds the contacts of hands with bodies that move, of these with each other and with all
// else, in every tick at their present poses. The method's contacts with what stands still are
// further rows of that problem, its stops. Both solve in turns:
//
//     1  the pile with the stops that the method knows: those of its last solve
//     2  the method, pushed by what the moving bodies then do to the hand
//     3  again, where the force that the stops had in 1 and what the method found in 2 differ
//
// The bodies get the opposite of what the hand was given. What stands still stops the hand as the
// method has it, whatever the pile does.
#ifndef PAL_RENDER_RIGID_HANDS_H
#define PAL_RENDER_RIGID_HANDS_H

#include "render/method.h"
#include "touch/rigid_world.h"

/// What such a method adds to its palMethodOps.
struct palRigidHandOps
{
    /// What the hand holds at the start of the tick, its free motion and A⁻¹; after findGaps.
    palRigidStep (*motion)(const palMethod* method, const palTick* tick);
    /// Before another `solve`: moving bodies push with a wrench about its centre of mass.
    void (*push)(palMethod* method, palTick* tick, palWrench wrench);
    /// Gives the pile the contacts with what stands still. Returns the force of all of them on the
    /// hand as the last `solve` found it, N.
    palVec3 (*stop)(const palMethod* method, const palTick* tick, palPile* pile, int body);
};

typedef struct palRigidHands
{
    palRigidWorld world; // its pile is NULL where nothing moves

    // The tick under way.
    int rows[pal_handsMax];           // of each hand with bodies that move
    int active[pal_handsMax];         // of them, with a force
    palWrench wrenches[pal_handsMax]; // on each hand
} palRigidHands;

/// Whether a scene has them.
bool palRigidHands_AreNeeded(const palMethodDef* def);
/// `law`: of contacts with what the hands hold. The surfaces of bodies that move are no longer
/// found by searches for what stands still (palCollider.inTick).
palResult palRigidHands_Init(palRigidHands* hands, palShared* shared, const palContactMaterial* law,
                             palError* error);
void palRigidHands_Free(palRigidHands* hands, const palShared* shared);

/// H4: what moves, and the `solve` of all hands. Real-time, as all that follows.
void palRigidHands_Solve(palRigidHands* hands, palShared* shared, palTick* ticks);
/// A point as such a body, with its free motion from where it is.
palRigidStep palRigidHands_PointStep(const palPointState* point, const palPointFree* free,
                                     double h);
/// H5, after the method's own: adds the contacts with what moves to its report and its rows.
void palRigidHands_Report(palMethod* method, palTick* tick);
/// What changes in a run.
void palRigidHands_Archive(palRigidHands* hands, palArchive* archive);
/// Whether moving bodies push the hand.
bool palRigidHands_ArePushing(const palMethod* method);
/// Whether no moving body is near the way of a hand from one place to another, which reaches
/// `extent` about them, m.
bool palRigidHands_IsClear(const palMethod* method, palVec3 from, palVec3 to, double extent);

#endif
