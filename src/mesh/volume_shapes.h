// SPDX-License-Identifier: Apache-2.0
// Generated volume meshes for scenes, tests and benchmarks. All are centred at the origin and have
// one region (label 1, named after the shape) and node sets for their sides.
#ifndef PAL_MESH_VOLUME_SHAPES_H
#define PAL_MESH_VOLUME_SHAPES_H

#include "mesh/volume.h"

typedef enum palVolumeShapeKind
{
    pal_volumeBlock,  // a cube; node sets xmin, xmax, ymin, ymax, zmin, zmax
    pal_volumeBeam,   // long along x; the same node sets
    pal_volumeGraded, // a block whose cells become smaller towards the centre of its face zmax
    pal_volumeRod,    // a solid cylinder of tets, axis z; node sets zmin, zmax, side
    pal_volumeShapeKindCount,
} palVolumeShapeKind;

/// The subdivision of a grid cell; a rod always has three tets per prism.
typedef enum palVolumeCut
{
    pal_cutFive, // tets: one in the middle, four at corners, mirrored from cell to cell so that
                 // the faces match
    pal_cutSix,  // tets around the diagonal (Kuhn 1960), the same in every cell
    pal_cutNone, // the hex itself
    pal_volumeCutCount,
} palVolumeCut;

typedef struct palVolumeShapeDef
{
    palVolumeShapeKind kind;
    palVolumeCut cut;
    palVec3 size;   // full extents, m; of a rod: diameter, -, height
    int cells[3];   // along x, y, z; of a rod: rings, -, layers
    double grading; // graded: ratio of the longest to the shortest cell along each axis; >= 1
} palVolumeShapeDef;

/// The default dimensions of the shape; any can be overwritten.
palVolumeShapeDef palDefaultVolumeShapeDef(palVolumeShapeKind kind);

/// Sets the cells so that `resolution` of them are along the longest side (a rod: along its height)
/// and the others have about the same length.
void palVolumeShapeDef_SetResolution(palVolumeShapeDef* def, int resolution);

/// "block", "beam", "graded", "rod"; NULL for a kind that does not exist.
const char* palVolumeShapeKind_Name(palVolumeShapeKind kind);
/// "five", "six", "hex"; NULL for one that does not exist.
const char* palVolumeCut_Name(palVolumeCut cut);

/// Generates the volume. Fails with pal_errorInput, stating the allowed range, on invalid numbers.
palResult palMakeVolumeShape(const palVolumeShapeDef* def, palVolume* volume, palError* error);

#endif
