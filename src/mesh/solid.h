// SPDX-License-Identifier: Apache-2.0
// Solids from a short list of parts, each added to or subtracted from the previous parts with a
// smooth transition. A solid is a field (mesh/field.h) with Lipschitz constant 1: the parts are
// exact distances, and a smooth union is a convex combination of their gradients.
#ifndef PAL_MESH_SOLID_H
#define PAL_MESH_SOLID_H

#include "mesh/field.h"
#include "mesh/surface.h"

typedef enum palPartKind
{
    pal_partCone,  // balls from a to b whose radius varies linearly from `radius` to `radiusB`
    pal_partTube,  // balls of one radius along the circular arc from a through b to c
    pal_partPlate, // a bent plate: the arc from a through b to c, `radius` thick to each side in
                   // its plane and `width` to each side across it, edges rounded by `edge`
    pal_partDisc,  // a cylinder of `radius` from a to b, edges rounded by `edge`
} palPartKind;

typedef struct palPart
{
    palPartKind kind;
    bool cut; // subtracted instead of added
    palVec3 a, b, c;
    double radius;  // half the thickness, including the roundings
    double radiusB; // cone
    double width;   // plate
    double edge;    // plate, disc
    double blend;   // width of the smooth transition to the previous parts
} palPart;

enum
{
    pal_solidPartsMax = 96,
};

// The circle of an arc, with a local frame.
typedef struct palArc
{
    palVec3 centre;
    palVec3 middle;       // unit, from the centre to the middle of the arc
    palVec3 side, normal; // unit: perpendicular to it in the plane, and normal to the plane
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
    palBall balls[pal_solidPartsMax]; // bounding spheres of the parts
    palBounds bounds;                 // of the solid, m
    double scale;                     // m
} palSolid;

/// A solid of at most pal_solidPartsMax parts; lengths in `parts` and `bounds` are multiplied by
/// `scale`. The arcs must not be straight.
palSolid palMakeSolid(const palPart* parts, int count, palBounds bounds, double scale);

/// The minimum of a and b, smooth if they differ by less than `blend`.
double palSmoothMin(double a, double b, double blend);

/// The distance-like field of a solid, m. `data` is the palSolid.
double palSolid_Value(palVec3 p, const void* data);

#endif
