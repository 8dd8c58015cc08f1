// SPDX-License-Identifier: Apache-2.0
// Solids from a short list of parts, each joined to, or cut from, the parts before it with a
// smooth transition. A solid is a field (mesh/field.h) with Lipschitz constant 1: the parts are
// exact distances, and a smooth union weighs their gradients with shares that add up to 1.
#ifndef PAL_MESH_SOLID_H
#define PAL_MESH_SOLID_H

#include "mesh/field.h"
#include "mesh/surface.h"

typedef enum palPartKind
{
    pal_partCone,  // balls whose radius goes from `radius` at a to `radiusB` at b, and all between
    pal_partTube,  // balls of one radius along the circular arc from a through b to c
    pal_partPlate, // a bent plate: the arc from a through b to c, `radius` thick to each side in
                   // its plane and `width` to each side across it, edges rounded by `edge`
    pal_partDisc,  // a cylinder of `radius` from a to b, edges rounded by `edge`
} palPartKind;

typedef struct palPart
{
    palPartKind kind;
    bool cut; // taken away instead of added
    palVec3 a, b, c;
    double radius;  // half the thickness, the roundings within
    double radiusB; // cone
    double width;   // plate
    double edge;    // plate, disc
    double blend;   // width of the band in which the transition to the parts before it is smooth
} palPart;

enum
{
    pal_solidPartsMax = 32,
};

// The circle that an arc is part of, in the arc's own frame.
typedef struct palArc
{
    palVec3 centre;
    palVec3 middle;       // unit, from the centre to the middle of the arc
    palVec3 side, normal; // unit: across it in the plane, and normal to the plane
    double radius;
    double cosine, sine; // of half the arc's angle
} palArc;

typedef struct palBall
{
    palVec3 centre;
    double radius;
} palBall;

typedef struct palSolid
{
    int count;
    const palPart* parts;             // borrowed, [count], lengths in units of `scale`
    palArc arcs[pal_solidPartsMax];   // of the tubes and plates
    palBall balls[pal_solidPartsMax]; // that hold the parts
    palBounds bounds;                 // hold the solid, m
    double scale;                     // m
} palSolid;

/// A solid of at most pal_solidPartsMax parts; lengths in `parts` and `bounds` are multiplied by
/// `scale`. The arcs must not be straight.
palSolid palMakeSolid(const palPart* parts, int count, palBounds bounds, double scale);

/// The distance-like field of a solid, m. `data` is the palSolid.
double palSolid_Value(palVec3 p, const void* data);

#endif
