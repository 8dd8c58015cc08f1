// SPDX-License-Identifier: Apache-2.0
// Where bodies abut: places of a face that a face of another body covers, one of the two being
// soft. A slit between two such faces is bridged: a hand has a size, and does not come between
// bodies that touch, or nearly so, even where a point could.
//
// The other face is nearer than `narrow` and looks the other way. A corner that was covered once
// counts as covered until the slit there is wider than `wide`: bodies that touch part a little
// where one of them is pressed.
#ifndef PAL_TOUCH_ABUT_H
#define PAL_TOUCH_ABUT_H

#include "collide/collider.h"

/// What of a triangle is covered; bit k: corner k.
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
    double inset;        // m: places are looked at so far from edges and corners
    uint8_t** covered;   // owned, [count][triangles]: palAbutCover when last looked at
} palAbut;

/// `radius` is that of the proximity query, m: lengths are shares of it.
palResult palAbut_Init(palAbut* abut, const palCollider* colliders, int count, double radius,
                       palError* error);
void palAbut_Free(palAbut* abut);

/// Whether another body covers a place on a triangle; `across` is the nearest place of that body.
bool palAbut_CoversPlace(const palAbut* abut, int object, int triangle, palVec3 place,
                         palNearest* across);

/// Looks at a triangle and remembers what of it is covered, which is returned; across[k] is the
/// place that covers corner k.
int palAbut_Look(palAbut* abut, int object, int triangle, palNearest across[3]);

/// What was covered when it was last looked at.
static inline int palAbut_Covered(const palAbut* abut, int object, int triangle)
{
    return abut->count > 1 ? abut->covered[object][triangle] : 0;
}

#endif
