// SPDX-License-Identifier: Apache-2.0
#include "collide/mesh_query.h"

// The deepest overlap that still counts as contact, of the smaller body's size: 0.26 mm of a cube
// of 20 mm.
static const double depthShare = 0.015;
static const double toleranceShare = 1e-7;

// Half the diagonal of a shape's box, m.
static double sizeOf(const palRigidShape* shape)
{
    return shape->kind == pal_rigidHalfSpace
               ? INFINITY
               : 0.5 * palDistance(shape->bounds.low, shape->bounds.high);
}

static palMeshSide makeSide(const palRigidShape* shape, palPose pose, bool isTurned)
{
    return (palMeshSide){shape, palMakeMat3Quat(pose.q), pose.x, isTurned};
}

// Takes the contacts from the frame of one body to the world.
static void toWorld(palRigidContact* contacts, int count, palPose pose, bool isSwapped)
{
    for (int i = 0; i < count; i++)
    {
        palRigidContact local = contacts[i];
        palVec3 onA = palPose_Point(pose, local.onA), onB = palPose_Point(pose, local.onB);
        palVec3 normal = palNormalize(palRotate(pose.q, local.normal));
        contacts[i].onA = isSwapped ? onB : onA;
        contacts[i].onB = isSwapped ? onA : onB;
        contacts[i].normal = isSwapped ? palNeg(normal) : normal;
        contacts[i].gap = palDot(contacts[i].normal, palSub(contacts[i].onA, contacts[i].onB));
    }
}

// Returns how many leaves were not looked at.
static int search(palMeshQuery* query, const palRigidShape* shape, palPose pose)
{
    if (shape->bvh != NULL)
        return palMeshQuery_Polyhedra(query);
    if (shape->kind == pal_rigidHalfSpace)
        return palMeshQuery_HalfSpace(query, pose);
    if (shape->kind == pal_rigidCylinder)
        return palMeshQuery_Cylinder(query, shape, pose);
    return palMeshQuery_Round(query, shape, pose);
}

int palRigidMesh_Contacts(const palRigidShape* a, palPose poseA, const palRigidShape* b,
                          palPose poseB, double distance, int capacity, palRigidContact* contacts,
                          int* left)
{
    // The one that is not made of triangles, if any, comes first.
    bool isSwapped = b->bvh == NULL;
    const palRigidShape *one = isSwapped ? b : a, *mesh = isSwapped ? a : b;
    palPose onePose = isSwapped ? poseB : poseA, meshPose = isSwapped ? poseA : poseB;
    palPose pose = palPose_Between(meshPose, onePose);
    pose.q = palNormalizeQuat(pose.q);
    double size = fmin(sizeOf(one), sizeOf(mesh));
    palMeshQuery query; // not cleared: the patches are large
    query.a = makeSide(one, pose, true);
    query.b = makeSide(mesh, pal_identityPose, false);
    query.distance = distance;
    query.tolerance = toleranceShare * size;
    query.depth = fmax(distance, depthShare * size);
    palContactPatches_Init(&query.patches, size, distance);
    int unseen = search(&query, one, pose);
    int omitted;
    int count = palContactPatches_Write(&query.patches, capacity, contacts, &omitted);
    toWorld(contacts, count, meshPose, isSwapped);
    if (left != NULL)
        *left = omitted + unseen;
    return count;
}
