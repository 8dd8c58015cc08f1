// SPDX-License-Identifier: Apache-2.0
// A closed surface embedded in a grid of equal hexahedra: a deformable body from any surface,
// without a volume mesh that conforms to it.
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
    int samples;    // sampling columns along a cell's side for its fill, 1..16
} palVoxelDef;

/// 16 cells, 4 samples.
palVoxelDef palDefaultVoxelDef(void);

typedef struct palVoxels
{
    palVolume volume;       // owned: the cells that the solid overlaps, hexes of one region "body"
    palEmbedding embedding; // owned: each vertex of the surface in a hex, with trilinear weights
    double* fill;           // owned, [volume.hexCount]: the inside fraction of the cell, 0..1,
                            // exact along z, sampled along x and y; 0 if no sample is inside
    double cell;            // m, the side of a cell
    double inside;          // m³, of the solid: exact where it is one part, else as sampled
    int parts;              // face-connected groups of cells
    int dilated;            // cells kept only because a vertex lies in them
    int skippedColumns;     // inconsistent columns (rounding errors)
} palVoxels;

/// Creates the cells. The surface must be solid: closed and consistently oriented; cavities stay
/// empty. Parts thinner than a cell are kept, and parts in one cell are connected.
palResult palVoxels_Init(palVoxels* voxels, const palSurface* surface, const palVoxelDef* def,
                         palMessages* notes, palError* error);
void palVoxels_Free(palVoxels* voxels);

#endif
