// SPDX-License-Identifier: Apache-2.0
// Shared declarations of the Gmsh reader: msh.c reads the sections of every version, msh4.c the
// entity blocks of version 4.1.
#ifndef PAL_MESH_MSH_H
#define PAL_MESH_MSH_H

#include "mesh/cursor.h"
#include "mesh/volume_builder.h"

/// A point, curve, surface or volume of the model (4.1), with its physical groups.
typedef struct palMshEntity
{
    int dimension;
    int tag;
    int labelCount;
    int firstLabel; // in palMsh.labels
} palMshEntity;

typedef struct palMsh
{
    palCursor cursor;
    palVolumeBuilder* builder; // borrowed
    palEncoding body;          // encoding of the sections that may be binary
    palScalar size;            // type of a count or tag in 4.1
    int version;               // 1, 2 or 4; 0: not yet known
    palMshEntity* entities;    // owned, sorted by dimension and tag
    int entityCount;
    int entityCapacity;
    int* labels; // owned
    int labelCount;
    int labelCapacity;
} palMsh;

/// The cell kind of a Gmsh element type and its number of nodes in the file. An unknown type is an
/// error.
palResult palMsh_CellType(const palMsh* msh, int type, palCellKind* kind, int* nodes);

/// Reads the nodes of a cell and adds it.
palResult palMsh_ReadCell(palMsh* msh, palCellKind kind, int nodes, palScalar scalar,
                          const int* labels, int labelCount);

/// The sections $Entities, $Nodes and $Elements of version 4.1.
palResult palMsh_ReadEntities(palMsh* msh);
palResult palMsh_ReadNodeBlocks(palMsh* msh);
palResult palMsh_ReadElementBlocks(palMsh* msh);

#endif
