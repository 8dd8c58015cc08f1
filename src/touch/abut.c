// SPDX-License-Identifier: Apache-2.0
#include "touch/abut.h"

#include "base/error.h"

#include <stdlib.h>

// Shares of the query radius.
static const double narrowShare = 0.02;
static const double wideShare = 0.1;
static const double insetShare = 2.5e-3;

static const double opposing = -0.5; // cosine between normals of faces that face each other
static const double ahead = 0.7;     // cosine between a normal and the direction to such a face

palResult palAbut_Init(palAbut* abut, const palCollider* colliders, int count, double radius,
                       palError* error)
{
    *abut = (palAbut){
        .colliders = colliders,
        .count = count,
        .narrow = narrowShare * radius,
        .wide = wideShare * radius,
        .inset = insetShare * radius,
    };
    abut->covered = calloc((size_t)count + 1, sizeof *abut->covered);
    if (abut->covered == NULL)
        return palError_Memory(error, "faces of bodies that abut", (size_t)count);
    for (int i = 0; i < count && count > 1; i++)
    {
        size_t bytes = (size_t)colliders[i].surface.triangleCount + 1;
        abut->covered[i] = calloc(bytes, 1);
        if (abut->covered[i] == NULL)
            return palError_Memory(error, "faces of bodies that abut", bytes);
    }
    return pal_ok;
}

void palAbut_Free(palAbut* abut)
{
    for (int i = 0; i < abut->count && abut->covered != NULL; i++)
        free(abut->covered[i]);
    free(abut->covered);
    *abut = (palAbut){0};
}

void palAbut_Archive(palAbut* abut, palArchive* archive)
{
    for (int i = 0; i < abut->count && abut->count > 1; i++)
        PAL_ARCHIVE_ARRAY(archive, abut->covered[i], abut->colliders[i].surface.triangleCount);
}

static palVec3 middleOf(const palCollider* collider, int triangle)
{
    const int* corner = collider->surface.triangles[triangle];
    palVec3 middle = pal_zeroVec3;
    for (int k = 0; k < 3; k++)
        middle = palMulAdd(middle, 1.0 / 3.0, palCollider_Vertex(collider, corner[k]));
    return middle;
}

// The nearest place of another body within `distance` that faces the triangle, across the slit from
// a place that is `inset` towards the triangle's middle.
static bool findFrom(const palAbut* abut, int object, int triangle, palVec3 place, double inset,
                     double distance, palNearest* across)
{
    const palCollider* collider = &abut->colliders[object];
    palVec3 normal = palCollider_Normal(collider, triangle, pal_featureFace);
    palVec3 inward = palSub(middleOf(collider, triangle), place);
    double length = palLength(inward);
    palVec3 x = length > inset ? palMulAdd(place, inset / length, inward) : place;
    bool found = false;
    for (int i = 0; i < abut->count; i++)
    {
        const palCollider* other = &abut->colliders[i];
        palNearest nearest;
        if (i == object || (collider->soft == NULL && other->soft == NULL) ||
            !palColliders_Nearest(other, 1, x, distance, &nearest))
            continue;
        palVec3 facing =
            palCollider_Normal(other, nearest.closest.triangle, nearest.closest.feature);
        palVec3 toward = palSub(nearest.closest.point, x);
        bool isAhead = nearest.closest.distance < abut->inset ||
                       palDot(toward, normal) > ahead * nearest.closest.distance;
        if (palDot(facing, normal) > opposing || !isAhead)
            continue;
        distance = nearest.closest.distance;
        *across = nearest;
        across->object = i;
        found = true;
    }
    return found;
}

// The same beside a place. At an edge that stands a little above that of the other body, what is
// nearest is the other's upper side: there it is what covers the triangle farther down.
static bool findAcross(const palAbut* abut, int object, int triangle, palVec3 place,
                       double distance, palNearest* across)
{
    return findFrom(abut, object, triangle, place, abut->inset, distance, across) ||
           findFrom(abut, object, triangle, place, abut->narrow, distance, across);
}

bool palAbut_CoversPlace(const palAbut* abut, int object, int triangle, palVec3 place,
                         palNearest* across)
{
    if (abut->count < 2)
        return false;
    double most = palAbut_Covered(abut, object, triangle) != 0 ? abut->wide : abut->narrow;
    return findAcross(abut, object, triangle, place, most, across);
}

int palAbut_Look(palAbut* abut, int object, int triangle, palNearest across[3])
{
    if (abut->count < 2)
        return 0;
    const palCollider* collider = &abut->colliders[object];
    uint8_t* covered = &abut->covered[object][triangle];
    palNearest middle;
    int found = 0;
    bool isClosed =
        findAcross(abut, object, triangle, middleOf(collider, triangle), abut->narrow, &middle);
    if (isClosed)
        found |= pal_coversMiddle;
    for (int k = 0; k < 3; k++)
    {
        palVec3 corner = palCollider_Vertex(collider, collider->surface.triangles[triangle][k]);
        double most = *covered >> k & 1 ? abut->wide : abut->narrow;
        bool isCovered = findAcross(abut, object, triangle, corner, most, &across[k]);
        isClosed = isClosed && isCovered && across[k].closest.distance < abut->narrow;
        found |= isCovered << k;
    }
    if (isClosed)
        found |= pal_coversAll;
    *covered = (uint8_t)found;
    return found;
}
