// SPDX-License-Identifier: Apache-2.0
// Where bodies abut: places of a face that are covered by a face of another body, at least one of
// the two being soft. The slit between two such faces is bridged: a finger has a size, and does not
// enter between bodies that touch or nearly touch, even where a point could.
//
// A covering face is closer than `narrow` and has an opposite normal. A corner that was covered
// stays so until the slit there is wider than `wide`: bodies that touch separate a little where one
// of them is pressed.
#ifndef PAL_TOUCH_ABUT_H
#define PAL_TOUCH_ABUT_H

#include "collide/collider.h"

/// The covered parts of a triangle; bit k: corner k.
typedef enum palAbutCover
{
    pal_coversCorners = 7,
    pal_coversMiddle = 8,
    pal_coversAll = 16, // by less than `narrow`
} palAbutCover;

typedef struct palAbut
{
    const palCollider* colliders; // borrowed, [count]
    int count;
    double narrow, wide; // m
    double inset;        // m: distance of the tested places from edges and corners
    uint8_t** covered;   // owned, [count][triangles]: palAbutCover of the last palAbut_Look
} palAbut;

/// `radius` is that of the proximity query, m: lengths are shares of it.
palResult palAbut_Init(palAbut* abut, const palCollider* colliders, int count, double radius,
                       palError* error);
void palAbut_Free(palAbut* abut);

void palAbut_Archive(palAbut* abut, palArchive* archive);

/// Whether another body covers a place on a triangle; `across` is the closest place of that body.
bool palAbut_CoversPlace(const palAbut* abut, int object, int triangle, palVec3 place,
                         palNearest* across);

/// Determines, stores and returns the covered parts of a triangle; across[k] is the place that
/// covers corner k.
int palAbut_Look(palAbut* abut, int object, int triangle, palNearest across[3]);

/// Takes a corner of those that were found as not covered.
static inline void palAbut_Uncover(palAbut* abut, int object, int triangle, int corner)
{
    abut->covered[object][triangle] &= (uint8_t) ~((1 << corner) | pal_coversAll);
}

/// The covered parts at the last palAbut_Look.
static inline int palAbut_Covered(const palAbut* abut, int object, int triangle)
{
    return abut->count > 1 ? abut->covered[object][triangle] : 0;
}

#endif
