// SPDX-License-Identifier: Apache-2.0
#include "scene/shape_schema.h"

#include "base/schema_columns.h"
#include "scene/scene.h"

const char* palUnitNameAt(int index)
{
    static const char* const names[pal_unitCount] = {
        [pal_unitMetre] = "m",
        [pal_unitCentimetre] = "cm",
        [pal_unitMillimetre] = "mm",
        [pal_unitInch] = "in",
    };
    return nameIn(names, pal_unitCount, index);
}

static const char* shapeNameAt(int index)
{
    return index < pal_shapeKindCount ? palShapeKind_Name((palShapeKind)index) : NULL;
}

static void setShapeDefaults(int kind, void* record)
{
    *(palShapeDef*)record = palDefaultShapeDef((palShapeKind)kind);
}

static const palSchemaKey shapePointKeys[] = {
    {FIELD("at", pal_schemaVector, palShapePoint, at), RANGE(-10, 10, "m"), .required = true,
     .meaning = "where the corner is; z of an `extrusion` is not used"},
};
static const palSchemaTable shapePointTable = {
    .noun = "corner",
    .title = "objects[].shape.points: the corners of a hull or extrusion",
    .keys = shapePointKeys,
    .keyCount = COUNT(shapePointKeys),
    .size = sizeof(palShapePoint),
};

static const char* vesselNameAt(int index)
{
    static const char* const names[] = {
        [pal_vesselWall] = "wall",
        [pal_vesselLumen] = "lumen",
    };
    return nameIn(names, COUNT(names), index);
}

static const palSchemaKey vesselPointKeys[] = {
    {FIELD("at", pal_schemaVector, palVesselPoint, at), RANGE(-10, 10, "m"), .required = true,
     .meaning = "where the centreline passes, or has a corner"},
    {FIELD("radius", pal_schemaNumber, palVesselPoint, radius), RANGE(1e-4, 1, "m"),
     .unset = "the shape's",
     .meaning = "of the lumen there; between two points it changes linearly, along a bend not"},
    {FIELD("bend", pal_schemaNumber, palVesselPoint, bend), RANGE(1e-4, 10, "m"),
     .unset = "four times the radius with the wall",
     .meaning = "radius of the arc that rounds the corner"},
};
static const palSchemaTable vesselPointTable = {
    .noun = "point of the vessel",
    .title = "objects[].shape.branches[].points: a centreline",
    .keys = vesselPointKeys,
    .keyCount = COUNT(vesselPointKeys),
    .size = sizeof(palVesselPoint),
};
static const palSchemaKey vesselBranchKeys[] = {
    {FIELD("points", pal_schemaList, palVesselBranch, points),
     .count = offsetof(palVesselBranch, pointCount), .table = &vesselPointTable, .required = true,
     .meaning = "two or more, in order"},
};
static const palSchemaTable vesselBranchTable = {
    .noun = "branch",
    .title = "objects[].shape.branches: the tubes of a vessel",
    .intro = "The first stands free; another begins on the centreline of one before it that is as "
             "wide as it at least. All other ends are open.",
    .keys = vesselBranchKeys,
    .keyCount = COUNT(vesselBranchKeys),
    .size = sizeof(palVesselBranch),
};

static const palSchemaKey shapeKeys[] = {
    {FIELD("kind", pal_schemaChoice, palShapeDef, kind), .nameAt = shapeNameAt, .required = true,
     .meaning = "which of the shapes below"},
    {FIELD("size", pal_schemaVector, palShapeDef, size), RANGE(0, 10, "m"),
     .kinds = KIND(pal_shapePlane) | KIND(pal_shapeSine) | KIND(pal_shapeSineBlock) |
              KIND(pal_shapeBox) | KIND(pal_shapeStatue) | KIND(pal_shapeRocker) |
              KIND(pal_shapeOrgan) | KIND(pal_shapePolyp) | KIND(pal_shapeHalfSpace) |
              KIND(pal_shapeSleeve),
     .meaning = "full extents: `plane`, `half-space` x, y; `sine` x, z; `sine-block` x, depth, z; "
                "`box` all; "
                "`statue` height, `rocker` and `organ` length, `polyp` width, "
                "`sleeve` outer diameter, from the largest"},
    {FIELD("radius", pal_schemaNumber, palShapeDef, radius), RANGE(1e-4, 10, "m"),
     .kinds = KIND(pal_shapeCylinder) | KIND(pal_shapeSphere) | KIND(pal_shapePeg) |
              KIND(pal_shapeProbe) | KIND(pal_shapeCapsule) | KIND(pal_shapeSleeve) |
              KIND(pal_shapeVessel),
     .meaning = "of the circle; `sleeve`: of the hole; `vessel`: of the lumen"},
    {FIELD("height", pal_schemaNumber, palShapeDef, height), RANGE(1e-4, 10, "m"),
     .kinds = KIND(pal_shapeCylinder) | KIND(pal_shapePeg) | KIND(pal_shapeProbe) |
              KIND(pal_shapeCapsule) | KIND(pal_shapeExtrusion) | KIND(pal_shapeSleeve),
     .meaning = "along the axis"},
    {FIELD("points", pal_schemaList, palShapeDef, points),
     .count = offsetof(palShapeDef, pointCount), .table = &shapePointTable, .required = true,
     .kinds = KIND(pal_shapeHull) | KIND(pal_shapeExtrusion),
     .meaning = "`hull`: its corners, four or more; `extrusion`: those of the polygon, in order"},
    {FIELD("branches", pal_schemaList, palShapeDef, branches),
     .count = offsetof(palShapeDef, branchCount), .table = &vesselBranchTable,
     .kinds = KIND(pal_shapeVessel),
     .meaning = "its tubes; none: one that goes along x, is bent by 90° and goes along y"},
    {FIELD("wall", pal_schemaNumber, palShapeDef, wall), RANGE(1e-5, 1, "m"),
     .kinds = KIND(pal_shapeVessel), .meaning = "thickness of the wall"},
    {FIELD("surface", pal_schemaChoice, palShapeDef, vessel), .nameAt = vesselNameAt,
     .kinds = KIND(pal_shapeVessel),
     .meaning = "`wall`: the closed surface of the wall; `lumen`: the open one of the lumen, whose "
                "outside is within the vessel"},
    {FIELD("amplitude", pal_schemaNumber, palShapeDef, amplitude), RANGE(0, 1, "m"),
     .kinds = KIND(pal_shapeSine) | KIND(pal_shapeSineBlock), .meaning = "of the wave"},
    {FIELD("wavelength", pal_schemaNumber, palShapeDef, wavelength), RANGE(1e-4, 10, "m"),
     .kinds = KIND(pal_shapeSine) | KIND(pal_shapeSineBlock), .meaning = "of the wave"},
    {FIELD("resolution", pal_schemaWhole, palShapeDef, resolution), RANGE(0, 20000, NULL),
     .meaning = "cells along the longest side, `sine` and `sine-block` along x, or triangles "
                "around; 0: the "
                "shape's own"},
};
const palSchemaTable pal_shapeTable = {
    .noun = "shape",
    .title = "objects[].shape: a surface from a few numbers",
    .intro =
        "`plane`: a sheet in z = 0, outside is +z. `sine`: the sheet y = amplitude sin(2π x / "
        "wavelength), outside is +y; `sine-block`: the same wave as the top of a block. "
        "`box`, `cylinder` (axis z) and `sphere` are closed and "
        "centred at the origin. `statue`: two figures with thin arms on a base, which stands "
        "on y = 0. `rocker`: a mechanical part with holes and fillets, long along x. `peg`: a "
        "cylinder of few triangles, 160 by default; `probe` and `capsule`: a rod with round "
        "ends, `height` with them; all along z. `organ`: like a liver, long along x. `polyp`: a "
        "bulb on a stalk on a base, "
        "which stands on y = 0. `half-space`: to rigid objects that move, and all of `impulse`, "
        "everything below z = 0, without end; it is drawn, and touched by everything else, as "
        "the `plane` of its size, by what the hand holds under `accurate`, `standard` and "
        "`penalty` too. `hull`: a convex polyhedron; `extrusion`: a polygon in x and "
        "y, along z, centred in z. `sleeve`: a tube along z. "
        "`vessel`: tubes along centrelines that branch, by `branches`. "
        "Rigid objects that move meet each other, what is fixed, and "
        "what the hand holds as exactly a `box`, `sphere`, `cylinder`, `peg`, `probe`, `capsule`, "
        "`hull` or "
        "`extrusion`, whatever its resolution; soft objects and wires meet their triangles.",
    .keys = shapeKeys,
    .keyCount = COUNT(shapeKeys),
    .size = sizeof(palShapeDef),
    .byKind = true,
    .setDefaults = setShapeDefaults,
};

enum
{
    surfaceGroup = 1,
};
static const palSchemaKey partKeys[] = {
    {FIELD("mesh", pal_schemaPath, palScenePart, mesh), BYTES(palScenePart, mesh),
     .place = offsetof(palScenePart, meshPlace), .group = surfaceGroup,
     .meaning = "a closed surface: OBJ, STL, PLY, OFF or glTF"},
    {FIELD("shape", pal_schemaMap, palScenePart, shape), .table = &pal_shapeTable,
     .group = surfaceGroup, .meaning = "a closed surface from a few numbers"},
    {FIELD("unit", pal_schemaChoice, palScenePart, unit), .nameAt = palUnitNameAt, .fallback = "m",
     .needs = "mesh", .meaning = "unit of length in the mesh file"},
    {FIELD("scale", pal_schemaNumber, palScenePart, scale), RANGE(1e-6, 1e6, NULL), .fallback = "1",
     .meaning = "enlarges, after the unit"},
    {FIELD("tolerance", pal_schemaNumber, palScenePart, tolerance), RANGE(0, 0.01, "m"),
     .fallback = "0",
     .meaning = "triangles are merged into larger ones where the surface moves by no more than "
                "this; 0: never"},
    {FIELD("position", pal_schemaVector, palScenePart, position), RANGE(-100, 100, "m"),
     .fallback = "[0, 0, 0]", .meaning = "where the part's origin is in the object's frame"},
    {FIELD("rotation", pal_schemaVector, palScenePart, rotation), RANGE(-360, 360, "deg"),
     .fallback = "[0, 0, 0]", .meaning = "how the part is turned in it, as a rotation vector"},
    {FIELD("density", pal_schemaNumber, palScenePart, density), RANGE(1, 1e5, "kg/m³"),
     .unset = "the object's", .meaning = "of an object with `motion: free`"},
};
const palSchemaTable pal_partTable = {
    .noun = "part",
    .title = "objects[].parts[]: several shapes as one rigid body",
    .intro = "Mass, centre and inertia are those of all parts together; where two overlap both "
             "count. `scale` of the object enlarges all of them, with their positions.",
    .keys = partKeys,
    .keyCount = COUNT(partKeys),
    .size = sizeof(palScenePart),
    .placed = true,
};
