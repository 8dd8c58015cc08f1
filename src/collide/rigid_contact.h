// SPDX-License-Identifier: Apache-2.0
// Contacts between two rigid shapes at given poses.
//
// The contacts of a pair are those places where the distance, measured along a common normal, is
// at most `distance`: also where the shapes are still apart, so that a step can close the gap
// exactly, and also where they overlap. The set is the same on both sides of touching: 10 µm apart
// and 10 µm inside each other the same features are in contact.
//
// Convex against convex: one normal for all, at most eight points, the corners of where the two
// facing faces overlap. Meshes: vertices on faces and edges on edges where the distance is a local
// minimum, each with its own normal.
//
// Nothing is allocated, and the same input gives the same contacts in the same order.
#ifndef PAL_COLLIDE_RIGID_CONTACT_H
#define PAL_COLLIDE_RIGID_CONTACT_H

#include "collide/rigid_shape.h"

enum
{
    pal_manifoldMax = 8, // contacts of two convex shapes
};

typedef struct palRigidContact
{
    palVec3 onA;    // the point of a's surface, world, m
    palVec3 onB;    // and of b's
    palVec3 normal; // unit, from b to a, world
    double gap;     // m: normal · (onA - onB); negative where they overlap
    uint64_t key;   // which features touch: the same from step to step, different within the pair
} palRigidContact;

/// What a search remembers of a pair from step to step, to start from; zeros at first.
typedef struct palRigidPairCache
{
    palVec3 axis;  // unit, the last normal or separating direction, frame of a; zero: none
    double depth;  // meshes: the deepest overlap of the last search, m
    bool isLooked; // meshes: whether there was one
    bool slides;   // meshes: contacts are to last while the pair slides by the distance of a
                   // search; set by the caller
} palRigidPairCache;

/// Finds the contacts of a and b, neither a half-space against a half-space. At most `capacity` are
/// written: of convex shapes those with the smallest gaps, of meshes those that stop the motions of
/// the pair first (contact_patches.h). Returns how many were written. `left`, may be NULL, receives
/// how many contacts of convex shapes did not fit, or how much of meshes was not searched.
int palRigidShapes_Contacts(const palRigidShape* a, palPose poseA, const palRigidShape* b,
                            palPose poseB, double distance, palRigidPairCache* cache, int capacity,
                            palRigidContact* contacts, int* left);

/// The same where at least one of the two is a mesh; what palRigidShapes_Contacts calls then. What
/// overlaps by more than 1.5 % of half the diagonal of the smaller one is found where it did so the
/// last time, and in the first search with a cache; `cache` may be NULL.
int palRigidMesh_Contacts(const palRigidShape* a, palPose poseA, const palRigidShape* b,
                          palPose poseB, double distance, palRigidPairCache* cache, int capacity,
                          palRigidContact* contacts, int* left);

#endif
