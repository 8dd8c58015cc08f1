// SPDX-License-Identifier: Apache-2.0
// The readers of volume files, one per format. Each reads bytes in memory, allocates only while it
// reads, and passes every cell to the builder; palVolume_Load (volume_load.h) finishes and checks.
// The error contains the line of a text file or the byte of a binary file; the caller adds the file
// name.
#ifndef PAL_MESH_VOLUME_READ_H
#define PAL_MESH_VOLUME_READ_H

#include "mesh/volume_builder.h"

typedef enum palVolumeFormat
{
    pal_volumeMsh,    // Gmsh
    pal_volumeVtk,    // legacy
    pal_volumeMedit,  // .mesh and .meshb
    pal_volumeTetgen, // .node and .ele
    pal_volumeFormatCount,
} palVolumeFormat;

typedef struct palVolumeBytes
{
    palVolumeFormat format;
    const unsigned char* data; // borrowed; of TetGen the .node file
    size_t size;
    const unsigned char* elements; // borrowed: TetGen's .ele file
    size_t elementsSize;
    const char* path;         // borrowed: the file of `data`, or NULL
    const char* elementsPath; // borrowed: the file of `elements`, or NULL
} palVolumeBytes;

/// Gmsh 1, 2.x and 4.1: ascii and binary of both byte orders. Physical groups become regions and
/// node sets.
palResult palReadMsh(const palVolumeBytes* bytes, palVolumeBuilder* builder, palError* error);

/// Legacy VTK up to 5.1, an unstructured grid, ascii and binary. An integer cell array with a
/// common name (region, label, material, ...) gives the regions, point arrays named node_set_NAME
/// the node sets.
palResult palReadVtk(const palVolumeBytes* bytes, palVolumeBuilder* builder, palError* error);

/// Medit, ascii and binary (versions 1 to 4, both byte orders). References become regions and node
/// sets.
palResult palReadMedit(const palVolumeBytes* bytes, palVolumeBuilder* builder, palError* error);

/// TetGen's .node and .ele, numbered from 0 or 1. The first attribute of a tetrahedron is its
/// region, the marker of a node its node set.
palResult palReadTetgen(const palVolumeBytes* bytes, palVolumeBuilder* builder, palError* error);

#endif
