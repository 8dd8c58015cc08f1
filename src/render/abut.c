// SPDX-License-Identifier: Apache-2.0
#include "render/abut.h"

static const double inward = 0.05;   // places are looked at so far from the edge to the middle
static const double opposing = -0.7; // cosine of normals that look at each other

static palVec3 middleOf(const palCollider* collider, int triangle)
{
    const int* corner = collider->surface.triangles[triangle];
    palVec3 middle = pal_zeroVec3;
    for (int k = 0; k < 3; k++)
        middle = palMulAdd(middle, 1.0 / 3.0, collider->surface.vertices[corner[k]]);
    return middle;
}

bool palAbut_CoversPlace(const palCollider* colliders, int count, const int* groups, int object,
                         int triangle, palVec3 place, double distance)
{
    const palCollider* collider = &colliders[object];
    palVec3 x = palLerp(place, middleOf(collider, triangle), inward);
    for (int i = 0; i < count; i++)
    {
        palNearest other;
        if (i == object || (collider->soft == NULL && colliders[i].soft == NULL) ||
            (groups != NULL && groups[i] != groups[object]) ||
            !palColliders_Nearest(&colliders[i], 1, x, distance, &other))
            continue;
        palVec3 facing = colliders[i].topology.triangleNormals[other.closest.triangle];
        if (palDot(facing, collider->topology.triangleNormals[triangle]) < opposing)
            return true;
    }
    return false;
}

bool palAbut_CoversTriangle(const palCollider* colliders, int count, const int* groups, int object,
                            int triangle, double distance)
{
    const palCollider* collider = &colliders[object];
    if (count < 2 || !palAbut_CoversPlace(colliders, count, groups, object, triangle,
                                          middleOf(collider, triangle), distance))
        return false;
    for (int k = 0; k < 3; k++)
    {
        palVec3 corner = collider->surface.vertices[collider->surface.triangles[triangle][k]];
        if (!palAbut_CoversPlace(colliders, count, groups, object, triangle, corner, distance))
            return false;
    }
    return true;
}
