// SPDX-License-Identifier: Apache-2.0
// Writing a volume mesh to a file.
#ifndef PAL_MESH_VOLUME_WRITE_H
#define PAL_MESH_VOLUME_WRITE_H

#include "mesh/volume.h"

typedef enum palMshVersion
{
    pal_msh22, // 2.2, read by most programs
    pal_msh41, // 4.1, a node in several sets is one point
} palMshVersion;

/// Writes text with 17 digits in the format of the path's extension: .msh (of the given version) or
/// .vtk (legacy 3.0), in metres. Regions are written as physical volumes or as the cell array
/// "region", node sets as physical points or as point arrays "node_set_NAME"; palVolume_Load reads
/// back the same, except for the names of regions in VTK. The file is written completely or not at
/// all.
palResult palVolume_Write(const palVolume* volume, const char* path, palMshVersion version,
                          palError* error);

#endif
