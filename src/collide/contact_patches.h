// SPDX-License-Identifier: Apache-2.0
// The contacts of two meshes, reduced while they are found.
//
// Contacts with nearly the same normal are one patch. Whatever forces act at its contacts, the same
// force and torque come from its outermost ones, so only these are kept: the farthest in eight
// directions across the normal, the farthest in eight more where a contact counts for less the
// wider its gap is, and the one with the smallest gap. Where there are more patches than fit,
// patches are joined: the difference up to which normals count as the same grows.
//
// Of what is kept so, those are written that stop every small motion of the bodies, by translation
// or rotation, nearly as soon as all would: always the one that could overlap most if it were left
// out, among them open ones that may close.
//
// Contacts of bodies that slide until the next search end at ridges. So the farthest are kept in
// eight directions more where one counts for more the farther it is from a ridge, up to 20 µm, and
// in eight more up to 100 µm; and what is left out may be covered by one that ends sooner for as
// long as that one lasts.
//
// Any number of contacts may be added. The same contacts in the same order give the same result.
#ifndef PAL_COLLIDE_CONTACT_PATCHES_H
#define PAL_COLLIDE_CONTACT_PATCHES_H

#include "collide/rigid_contact.h"

enum
{
    pal_patchesMax = 48,
    pal_patchDirections = 8,
    pal_patchContacts = 2 * pal_patchDirections + 1,
    pal_patchSlots = pal_patchContacts + 2 * pal_patchDirections,
};

typedef struct palContactPatch
{
    palVec3 normal; // of its first contact
    palVec3 along;  // two unit vectors across it
    palVec3 across;
    double scores[pal_patchSlots];
    palRigidContact contacts[pal_patchSlots]; // the 17th has the smallest gap
    double holds[pal_patchSlots];             // m, of these contacts
} palContactPatch;

typedef struct palContactPatches
{
    double size;      // of the smaller body, m
    double distance;  // of the query, m
    double sameChord; // normals that differ by less are the same
    int slots;        // contacts of a patch: with regard to where they end all, else 17
    int count;
    int last; // the patch of the last contact
    palContactPatch patches[pal_patchesMax];
} palContactPatches;

/// `slides`: contacts are told with how far they are from a ridge.
void palContactPatches_Init(palContactPatches* patches, double size, double distance, bool slides);

/// `hold`: m, by which the bodies may slide before the contact ends.
void palContactPatches_Add(palContactPatches* patches, const palRigidContact* contact, double hold);

/// Writes what was kept, at most `capacity`, each contact once: first the smallest gaps of patches,
/// then the others, both by gap. Returns how many were written.
int palContactPatches_Write(const palContactPatches* patches, int capacity,
                            palRigidContact* contacts);

#endif
