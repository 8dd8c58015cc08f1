// SPDX-License-Identifier: Apache-2.0
// A closed surface embedded in a grid of equal hexahedra: a deformable body from any surface,
// without a volume mesh of its shape.
#ifndef PAL_MESH_VOXELIZE_H
#define PAL_MESH_VOXELIZE_H

#include "mesh/embed.h"

enum
{
    pal_voxelResolutionMax = 400,
};

typedef struct palVoxelDef
{
    int resolution; // cells along the longest side of the surface, 1 and more
    int samples;    // columns along a cell's side that measure how full it is, 1..16
} palVoxelDef;

/// 16 cells, 4 samples.
palVoxelDef palDefaultVoxelDef(void);

typedef struct palVoxels
{
    palVolume volume;       // owned: the cells that the solid meets, as hexes of one region "body"
    palEmbedding embedding; // owned: each vertex of the surface in a hex, with trilinear weights
    double* fill;           // owned, [volume.hexCount]: the share of the cell that is inside, 0..1,
                            // exact along z and sampled across; 0 where it is less than a sample
    double cell;            // m, the side of a cell
    int parts;              // groups of cells that hang together over faces
    int dilated;            // cells kept only because a vertex lies in them
    int unsound;            // columns left out because rounding spoilt them
} palVoxels;

/// Makes the cells. The surface must be solid: closed and consistently oriented; cavities stay
/// empty. What is thinner than a cell is kept, and joins what it touches within a cell.
palResult palVoxels_Init(palVoxels* voxels, const palSurface* surface, const palVoxelDef* def,
                         palMessages* notes, palError* error);
void palVoxels_Free(palVoxels* voxels);

#endif
