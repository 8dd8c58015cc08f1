// SPDX-License-Identifier: Apache-2.0
#include "collide/mesh_query.h"

// The deepest overlap that is looked for, of the smaller body's size, 0.26 mm of a cube of 20 mm,
// or by how much more than the last one; and that of bodies that may have been put into each other.
static const double depthShare = 0.015;
static const double deeperFactor = 1.5;
static const double deepShare = 0.5;
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

// Leaves those that are in both bodies: far from the surface features of meshes may face each other
// across other parts of them.
static int keepInside(const palRigidShape* a, palPose poseA, const palRigidShape* b, palPose poseB,
                      palRigidContact* contacts, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
    {
        palVec3 middle = palLerp(contacts[i].onA, contacts[i].onB, 0.5);
        if (palLengthSquared(palRigidShape_Beyond(a, poseA, middle)) == 0.0 &&
            palLengthSquared(palRigidShape_Beyond(b, poseB, middle)) == 0.0)
            contacts[kept++] = contacts[i];
    }
    return kept;
}

// A search that looks for overlaps up to `depth`.
typedef struct Search
{
    const palRigidShape *a, *b; // borrowed
    palPose poseA, poseB;
    double size; // m, of the smaller body
    double distance, depth;
    bool slides;
} Search;

static int run(const Search* asked, int capacity, palRigidContact* contacts, int* left)
{
    // The one that is not made of triangles, if any, comes first.
    bool isSwapped = asked->b->bvh == NULL;
    const palRigidShape* one = isSwapped ? asked->b : asked->a;
    const palRigidShape* mesh = isSwapped ? asked->a : asked->b;
    palPose onePose = isSwapped ? asked->poseB : asked->poseA;
    palPose meshPose = isSwapped ? asked->poseA : asked->poseB;
    palPose pose = palPose_Between(meshPose, onePose);
    pose.q = palNormalizeQuat(pose.q);
    palMeshQuery query; // not cleared: the patches are large
    query.a = makeSide(one, pose, true);
    query.b = makeSide(mesh, pal_identityPose, false);
    query.distance = asked->distance;
    query.tolerance = toleranceShare * asked->size;
    query.depth = fmax(asked->distance, asked->depth);
    query.slides = asked->slides ? asked->distance : 0.0;
    palContactPatches_Init(&query.patches, asked->size, asked->distance, asked->slides);
    int unseen = search(&query, one, pose);
    int count = palContactPatches_Write(&query.patches, capacity, contacts);
    toWorld(contacts, count, meshPose, isSwapped);
    *left = unseen;
    return count;
}

int palRigidMesh_Contacts(const palRigidShape* a, palPose poseA, const palRigidShape* b,
                          palPose poseB, double distance, palRigidPairCache* cache, int capacity,
                          palRigidContact* contacts, int* left)
{
    double size = fmin(sizeOf(a), sizeOf(b)), last = cache != NULL ? cache->depth : 0.0;
    Search asked = {a,
                    b,
                    poseA,
                    poseB,
                    size,
                    distance,
                    depthShare * size + deeperFactor * last,
                    cache != NULL && cache->slides};
    int unfound;
    int count = run(&asked, capacity, contacts, &unfound);
    if (count == 0 && cache != NULL && !cache->isLooked)
    {
        asked.depth = deepShare * size;
        count = run(&asked, capacity, contacts, &unfound);
        count = keepInside(a, poseA, b, poseB, contacts, count);
    }
    if (cache != NULL)
    {
        cache->isLooked = true;
        cache->depth = 0.0;
        for (int i = 0; i < count; i++)
            cache->depth = fmax(cache->depth, -contacts[i].gap);
    }
    if (left != NULL)
        *left = unfound;
    return count;
}
