// SPDX-License-Identifier: Apache-2.0
// Generated surfaces for scenes, tests and benchmarks.
#ifndef PAL_MESH_SHAPES_H
#define PAL_MESH_SHAPES_H

#include "mesh/surface.h"

typedef enum palShapeKind
{
    pal_shapePlane, // open sheet in z = 0, normal +z, centred at the origin
    pal_shapeSine,  // open sheet y = amplitude sin(2 pi x / wavelength), x and z from -size/2 to
                    // size/2, +y is outside
    pal_shapeSineBlock, // closed: a block with that wave on top and its bottom at y = -size
    pal_shapeBox,       // closed, centred at the origin
    pal_shapeCylinder,  // closed, axis z, centred at the origin
    pal_shapeSphere,    // closed, centred at the origin
    pal_shapeStatue,    // closed, genus 4: two figures with thin arms, standing on y = 0
    pal_shapeRocker,    // closed, genus 3: a mechanical part with holes and fillets, long along x
    pal_shapePeg,       // closed, axis z, centred at the origin: a cylinder with few triangles
    pal_shapeProbe,     // closed, axis z, centred at the origin: a rod with round ends
    pal_shapeOrgan,     // closed, genus 0: a liver-like organ, long along x
    pal_shapePolyp,     // closed, genus 0: a bulb on a stalk on a flat base, standing on y = 0
    pal_shapeHalfSpace, // open: as plane; to rigid bodies that move everything below z = 0
    pal_shapeCapsule,   // as probe
    pal_shapeHull,      // closed: the convex hull of `points`
    pal_shapeExtrusion, // closed: the polygon of `points` in x, y, along z, centred in z
    pal_shapeSleeve,    // closed, genus 1, axis z, centred at the origin: a tube
    pal_shapeVessel,    // tubes along centrelines that branch: closed, the wall; or open, the
                        // lumen's surface, which faces into it (mesh/vessel.h)
    pal_shapeKindCount,
} palShapeKind;

/// A corner of a shape.
typedef struct palShapePoint
{
    palVec3 at; // m; of an extrusion x and y
} palShapePoint;

// Meaning of the resolution:
//   plane, box,   cells (of two triangles) along the longest side; cells along the other sides have
//   half-space    about the same length
//   sine          cells along x, at least 8 per wavelength; along z a cell is four times as long.
//                 The default has 4800 triangles, 20 cells per wavelength
//   sine-block    cells along x, at least 8 per wavelength; along y a cell is four times, along z
//                 16 times as long
//   cylinder      triangles around the circumference, rounded up to a multiple of six
//   sphere        triangles around a great circle, rounded up to a multiple of six (approximately:
//                 an icosahedron with each edge divided into a sixth of that number)
//   peg           vertices around, rounded up to a multiple of four, and a quarter as many rows;
//                 the ends are fans. The default, 16, has 160 triangles
//   sleeve        vertices around, and a quarter as many rows, within and without
//   vessel        facets around the lumen, of several branches around the narrowest
//   probe,        vertices around, rounded up to a multiple of four; along the axis a cell is twice
//   capsule       as long
//   statue,       cells of the polygoniser along the longest side, which also sets the edge length;
//   rocker,       the defaults of statue and rocker have more than 30,000 triangles
//   organ, polyp
//   hull,         not used
//   extrusion
/// A point of a vessel's centreline.
typedef struct palVesselPoint
{
    palVec3 at;    // m
    double radius; // of the lumen there, m; NaN: the shape's
    double bend;   // radius of the arc that rounds the corner there, m; NaN: four outer radii
} palVesselPoint;

/// A branch: the first stands free, another begins in the lumen of those before it.
typedef struct palVesselBranch
{
    palVesselPoint* points; // borrowed, [pointCount]
    int pointCount;
} palVesselBranch;

/// What of a vessel is a surface.
typedef enum palVesselSurface
{
    pal_vesselWall,  // closed
    pal_vesselLumen, // open, facing into the lumen
} palVesselSurface;

typedef struct palShapeDef
{
    palShapeKind kind;
    palVec3 size;      // full extents, m: plane, half-space (x, y), sine (x, -, z), box (x, y, z),
                       // sine-block (x, depth below y = 0, z); statue, rocker, organ, polyp: the
                       // largest of them is the height, the length, or the width of the base;
                       // sleeve: the largest is the outer diameter
    double radius;     // cylinder, sphere, peg, probe, capsule; sleeve, vessel: of the hole, m
    double height;     // cylinder, peg, sleeve, extrusion, probe and capsule with their ends, m
    double amplitude;  // sine, sine-block, m
    double wavelength; // sine, sine-block, m
    int resolution;    // see above; 0: the default of the shape
    palShapePoint* points; // borrowed, [pointCount]: corners of hull and extrusion
    int pointCount;
    palVesselBranch* branches; // borrowed, [branchCount]: of a vessel; none: one, of 167 mm, with
                               // a bend of 90°
    int branchCount;
    double wall;             // of a vessel: its thickness, m
    palVesselSurface vessel; // of a vessel
} palShapeDef;

/// The default dimensions of the shape; any can be overwritten.
palShapeDef palDefaultShapeDef(palShapeKind kind);

/// "plane", "sine", ...; NULL for a kind that does not exist.
const char* palShapeKind_Name(palShapeKind kind);

/// Generates the surface. Fails with pal_errorInput, stating the allowed range, on invalid
/// dimensions.
palResult palMakeShape(const palShapeDef* def, palSurface* surface, palError* error);

#endif
