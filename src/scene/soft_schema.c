// SPDX-License-Identifier: Apache-2.0
#include "scene/soft_schema.h"

#include "base/schema_columns.h"
#include "mesh/voxelize.h"
#include "scene/scene.h"

static const char* elementsNameAt(int index)
{
    static const char* const names[] = {
        [pal_elementsHexes] = "hexes",
        [pal_elementsTets] = "tets",
    };
    return nameIn(names, COUNT(names), index);
}

static const char* startNameAt(int index)
{
    static const char* const names[] = {
        [pal_startSettled] = "settled",
        [pal_startUnloaded] = "unloaded",
    };
    return nameIn(names, COUNT(names), index);
}

static const palSchemaKey sphereKeys[] = {
    {FIELD("centre", pal_schemaVector, palSceneSphere, centre), RANGE(-100, 100, "m"),
     .required = true, .meaning = "its middle"},
    {FIELD("radius", pal_schemaNumber, palSceneSphere, radius), RANGE(1e-6, 100, "m"),
     .required = true, .meaning = "what is nearer to the middle is held"},
};
static const palSchemaTable sphereTable = {
    .noun = "sphere",
    .title = "objects[].soft.fixed[].sphere: a ball of held nodes",
    .keys = sphereKeys,
    .keyCount = COUNT(sphereKeys),
    .size = sizeof(palSceneSphere),
};

static const palSchemaKey planeKeys[] = {
    {FIELD("point", pal_schemaVector, palScenePlane, point), RANGE(-100, 100, "m"),
     .required = true, .meaning = "any point of the plane"},
    {FIELD("normal", pal_schemaVector, palScenePlane, normal), RANGE(-1e3, 1e3, NULL),
     .nonZero = true, .required = true, .meaning = "any length; what is on the other side is held"},
};
static const palSchemaTable planeTable = {
    .noun = "plane",
    .title = "objects[].soft.fixed[].plane: the nodes behind a plane",
    .keys = planeKeys,
    .keyCount = COUNT(planeKeys),
    .size = sizeof(palScenePlane),
};

enum
{
    fixedGroup = 1,
    regionGroup = 1,
};
static const palSchemaKey fixedKeys[] = {
    {FIELD("box", pal_schemaBox, palSceneFixed, box), RANGE(-100, 100, "m"), .group = fixedGroup,
     .given = offsetof(palSceneFixed, isBox),
     .meaning = "two opposite corners: nodes within are held"},
    {FIELD("sphere", pal_schemaMap, palSceneFixed, sphere), .table = &sphereTable,
     .group = fixedGroup, .given = offsetof(palSceneFixed, isSphere),
     .meaning = "nodes within are held"},
    {FIELD("plane", pal_schemaMap, palSceneFixed, plane), .table = &planeTable, .group = fixedGroup,
     .given = offsetof(palSceneFixed, isPlane), .meaning = "nodes behind it are held"},
    {FIELD("nodes", pal_schemaText, palSceneFixed, nodes), BYTES(palSceneFixed, nodes),
     .group = fixedGroup,
     .meaning = "a node set of the volume mesh; with `elements: tets` a box has `xmin`, `xmax`, "
                "`ymin`, `ymax`, `zmin`, `zmax`, a cylinder `zmin`, `zmax`, `side`"},
};
static const palSchemaTable fixedTable = {
    .noun = "fixed",
    .title = "objects[].soft.fixed[]: what does not move",
    .intro = "Each entry has one of these; a node that any of them holds is held. Positions are in "
             "the scene's frame, with the object where it stands at the start.",
    .keys = fixedKeys,
    .keyCount = COUNT(fixedKeys),
    .size = sizeof(palSceneFixed),
    .placed = true,
};

static const palSchemaKey regionKeys[] = {
    {FIELD("region", pal_schemaText, palSceneRegion, region), BYTES(palSceneRegion, region),
     .group = regionGroup, .meaning = "a region of the volume mesh, by its name or number"},
    {FIELD("box", pal_schemaBox, palSceneRegion, box), RANGE(-100, 100, "m"), .group = regionGroup,
     .given = offsetof(palSceneRegion, isBox),
     .meaning = "two opposite corners: the elements whose middle is within"},
    {FIELD("young", pal_schemaNumber, palSceneRegion, young), RANGE(1, 1e9, "Pa"), .required = true,
     .meaning = "Young's modulus there"},
};
static const palSchemaTable regionTable = {
    .noun = "region",
    .title = "objects[].soft.regions[]: stiffer and softer parts",
    .intro = "Where two of them overlap the later one counts.",
    .keys = regionKeys,
    .keyCount = COUNT(regionKeys),
    .size = sizeof(palSceneRegion),
    .placed = true,
};

static const palSchemaKey dampingKeys[] = {
    {FIELD("mass", pal_schemaNumber, palSceneDamping, mass), RANGE(0, 1e4, "1/s"), .fallback = "0",
     .meaning = "slows every motion, as in a thick fluid"},
    {FIELD("stiffness", pal_schemaNumber, palSceneDamping, stiffness), RANGE(0, 10, "s"),
     .fallback = "0.005", .meaning = "slows deformation"},
};
static const palSchemaTable dampingTable = {
    .noun = "damping",
    .title = "objects[].soft.damping: Rayleigh's constants",
    .keys = dampingKeys,
    .keyCount = COUNT(dampingKeys),
    .size = sizeof(palSceneDamping),
};

static const palSchemaKey softKeys[] = {
    {FIELD("young", pal_schemaNumber, palSceneSoft, young), RANGE(1, 1e9, "Pa"),
     .fallback = "10000", .meaning = "Young's modulus: organs have some kilopascals"},
    {FIELD("poisson", pal_schemaNumber, palSceneSoft, poisson), RANGE(0, 0.5, NULL),
     .fallback = "0.4", .meaning = "Poisson's ratio, at most 0.49: beyond it these elements lock"},
    {FIELD("stiffening", pal_schemaNumber, palSceneSoft, stiffening), RANGE(0, 100, NULL),
     .fallback = "0",
     .meaning = "how much stiffer it gets with strain: pulled or pressed along one axis by the "
                "strain ε, the force over the area at rest is E ε exp(b ε²) with this b, up to 20 "
                "times E ε. 0 is linear; where an element is pressed below half of its volume, it "
                "resists being turned inside out whatever this is; organs have 1 to 20"},
    {FIELD("density", pal_schemaNumber, palSceneSoft, density), RANGE(1, 1e5, "kg/m³"),
     .fallback = "1000", .meaning = "of the material"},
    {FIELD("elements", pal_schemaChoice, palSceneSoft, elements), .nameAt = elementsNameAt,
     .fallback = "hexes",
     .meaning = "`hexes`: a grid that holds the closed surface, whatever it is; `tets`: a `box` or "
                "`cylinder` of tetrahedra. A volume mesh has its own"},
    {FIELD("resolution", pal_schemaWhole, palSceneSoft, resolution),
     RANGE(1, pal_voxelResolutionMax, NULL), .fallback = "10",
     .meaning = "cells along the longest side; not used by volume meshes"},
    {FIELD("start", pal_schemaChoice, palSceneSoft, start), .nameAt = startNameAt,
     .fallback = "settled",
     .meaning = "where there is gravity: `settled` at rest under it, together with all others and "
                "on what it lies on or hangs from, without the hand; or `unloaded` in the shape of "
                "the mesh, from which the object sags, swings or falls"},
    {FIELD("damping", pal_schemaMap, palSceneSoft, damping), .table = &dampingTable,
     .meaning = "how motion dies away"},
    {FIELD("fixed", pal_schemaList, palSceneSoft, fixed),
     .count = offsetof(palSceneSoft, fixedCount), .table = &fixedTable,
     .meaning = "what does not move; without, it falls under gravity until it lies on something"},
    {FIELD("regions", pal_schemaList, palSceneSoft, regions),
     .count = offsetof(palSceneSoft, regionCount), .table = &regionTable,
     .meaning = "parts with a stiffness of their own"},
};
const palSchemaTable pal_softTable = {
    .noun = "soft",
    .title = "objects[].soft: a deformable object",
    .intro = "Corotational finite elements with lumped mass. A closed surface, from a file or a "
             "`shape`, is embedded in a grid of hexahedra; a volume mesh is used as it is. "
             "`soft: {}` takes every default.",
    .keys = softKeys,
    .keyCount = COUNT(softKeys),
    .size = sizeof(palSceneSoft),
};
