// SPDX-License-Identifier: Apache-2.0
// Surfaces made from a few numbers, for scenes, tests and benchmarks.
#ifndef PAL_MESH_SHAPES_H
#define PAL_MESH_SHAPES_H

#include "mesh/surface.h"

typedef enum palShapeKind
{
    pal_shapePlane, // open sheet in z = 0, normal +z, centred at the origin
    pal_shapeSine,  // open sheet y = amplitude sin(2 pi x / wavelength), x and z from -size/2 to
                    // size/2, +y is outside
    pal_shapeSineBlock, // closed: a block whose upper side is that wave, from y = -size down there
    pal_shapeBox,       // closed, centred at the origin
    pal_shapeCylinder,  // closed, axis z, centred at the origin
    pal_shapeSphere,    // closed, centred at the origin
    pal_shapeStatue,    // closed, genus 4: two figures with thin arms, standing on y = 0
    pal_shapeRocker,    // closed, genus 3: a mechanical part with holes and fillets, long along x
    pal_shapePeg,       // closed, axis z, centred at the origin: a cylinder of few triangles
    pal_shapeProbe,     // closed, axis z, centred at the origin: a rod with round ends
    pal_shapeOrgan,     // closed, genus 0: a liver-like organ, long along x
    pal_shapePolyp,     // closed, genus 0: a bulb on a stalk on a flat base, standing on y = 0
    pal_shapeKindCount,
} palShapeKind;

// What the resolution counts:
//   plane, box    cells (of two triangles) along the longest side; the others have cells of that
//                 length
//   sine          cells along x, at least 8 a wavelength; across, along its straight lines, a cell
//                 is four times as long. The default has 4800 triangles, 20 cells a wavelength
//   sine-block    cells along x, at least 8 a wavelength; down its sides a cell is four times,
//                 across 16 times as long
//   cylinder      triangles around the circumference, rounded up to a multiple of six
//   sphere        triangles around a great circle, rounded up to a multiple of six (roughly: an
//                 icosahedron with every edge cut into a sixth of that number)
//   peg           vertices around, rounded up to a multiple of four, and a quarter as many rows;
//   the
//                 ends are fans. The default, 16, has 160 triangles
//   probe         vertices around, rounded up to a multiple of four; along the rod a cell is twice
//   as
//                 long
//   statue,       cells of the polygoniser, and so the length of a triangle's edge, along the
//   rocker,       longest side; the defaults of statue and rocker have more than 30,000 triangles
//   organ, polyp
typedef struct palShapeDef
{
    palShapeKind kind;
    palVec3 size;      // full extents, m: plane (x, y), sine (x, -, z), box (x, y, z),
                       // sine-block (x, depth below y = 0, z); statue, rocker, organ, polyp: the
                       // largest of them is the height, the length, or the width of the base
    double radius;     // cylinder, sphere, peg, probe, m
    double height;     // cylinder, peg, probe with its ends, m
    double amplitude;  // sine, sine-block, m
    double wavelength; // sine, sine-block, m
    int resolution;    // see above; 0: the shape's own default
} palShapeDef;

/// The shape's usual dimensions; any can be overwritten.
palShapeDef palDefaultShapeDef(palShapeKind kind);

/// "plane", "sine", ...; NULL for a kind that does not exist.
const char* palShapeKind_Name(palShapeKind kind);

/// Makes the surface. Fails with pal_errorInput and the allowed range on impossible dimensions.
palResult palMakeShape(const palShapeDef* def, palSurface* surface, palError* error);

#endif
