// SPDX-License-Identifier: Apache-2.0
// Surfaces made from a few numbers, for scenes, tests and benchmarks.
#ifndef PAL_MESH_SHAPES_H
#define PAL_MESH_SHAPES_H

#include "mesh/surface.h"

typedef enum palShapeKind
{
    pal_shapePlane,    // open sheet in z = 0, normal +z
    pal_shapeSine,     // open sheet y = amplitude sin(2 pi x / wavelength), normal +y side is outside
    pal_shapeBox,      // closed, centred at the origin
    pal_shapeCylinder, // closed, axis z, centred at the origin
    pal_shapeSphere,   // closed, centred at the origin
    pal_shapeStatue,   // closed, implicit: thin arms and handles on a base, genus >= 2
    pal_shapeRocker,   // closed, implicit: a mechanical part with holes and fillets
    pal_shapeKindCount,
} palShapeKind;

typedef struct palShapeDef
{
    palShapeKind kind;
    palVec3 size;      // full extents, m: plane (x, y), sine (x, -, z), box (x, y, z), statue, rocker (largest)
    double radius;     // cylinder, sphere, m
    double height;     // cylinder, m
    double amplitude;  // sine, m
    double wavelength; // sine, m
    int resolution;    // triangles along the longest side or around the circumference; statue and
                       // rocker: cells of the polygoniser along the longest side
} palShapeDef;

/// The shape's usual dimensions; any can be overwritten. Resolution 0 means the shape's own default.
palShapeDef palDefaultShapeDef(palShapeKind kind);

/// "plane", "sine", ...; NULL for a kind that does not exist.
const char* palShapeKind_Name(palShapeKind kind);

/// Makes the surface. Fails with pal_errorInput and the allowed range on impossible dimensions.
palResult palMakeShape(const palShapeDef* def, palSurface* surface, palError* error);

#endif
