// SPDX-License-Identifier: Apache-2.0
// A volume mesh from a file: read, scaled to metres, repaired and checked.
#ifndef PAL_MESH_VOLUME_LOAD_H
#define PAL_MESH_VOLUME_LOAD_H

#include "mesh/volume_facts.h"
#include "mesh/volume_read.h"

/// The format of a file name's extension (.msh, .vtk, .mesh, .meshb, .node, .ele); false if it is
/// unknown.
bool palFindVolumeFormat(const char* path, palVolumeFormat* format);

/// Loads a volume; `scale` is metres per file unit. Of TetGen's pair either file may be given, the
/// other is expected in the same directory. Messages are appended to `notes` (may be NULL), `facts`
/// (may be NULL) receives the measures. A file without elements of positive volume is an error.
palResult palVolume_Load(const char* path, double scale, palVolume* volume, palVolumeFacts* facts,
                         palMessages* notes, palError* error);

/// The same from bytes in memory.
palResult palVolume_LoadBytes(const palVolumeBytes* bytes, double scale, palVolume* volume,
                              palVolumeFacts* facts, palMessages* notes, palError* error);

#endif
