// SPDX-License-Identifier: Apache-2.0
// By which planes the features of a contact of two meshes are apart.
//
// A vertex is outside a ridge where it is in front of one of the two faces that meet there: either
// face alone would keep it from the other side, and both together from what is free. Which of them
// stops it changes while it slides over the ridge.
#ifndef PAL_COLLIDE_RIDGE_PLANES_H
#define PAL_COLLIDE_RIDGE_PLANES_H

#include "collide/rigid_contact.h"

enum
{
    pal_ridgePlanesMax = 16,
};

/// The end of a face where another bends away from it.
typedef struct palRidge
{
    double distance; // m, from a place on the face
    palVec3 place;   // of it, m
    int behind;      // a triangle on the other side
} palRidge;

/// Finds the ridge of a face, features.patches, that is nearest to a place, in the frame of a mesh.
/// Returns false where none is nearer than `reach`, m.
bool palRidge_Find(const palRigidShape* shape, int patch, palVec3 x, double reach, palRidge* ridge);

typedef struct palRidgePlane
{
    palVec3 normal; // unit, from b to a, world: of a face of one of them
    palVec3 onA;    // the points by which the gap is measured, m
    palVec3 onB;
    double gap; // m: normal · (onA - onB); negative where they overlap along it
    bool isOfA; // the face is one of a
} palRidgePlane;

/// The faces beside a contact of two meshes, besides the one that it is on: of its edges and
/// vertices all; of its face the one behind the nearest ridge within `reach`, m. Returns how many.
int palRigidMesh_RidgePlanes(const palRigidShape* a, palPose poseA, const palRigidShape* b,
                             palPose poseB, const palRigidContact* contact, double reach,
                             palRidgePlane planes[pal_ridgePlanesMax]);

#endif
