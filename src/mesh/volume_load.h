// SPDX-License-Identifier: Apache-2.0
// A volume mesh from a file: read, scaled to metres, repaired and checked.
#ifndef PAL_MESH_VOLUME_LOAD_H
#define PAL_MESH_VOLUME_LOAD_H

#include "mesh/volume_facts.h"
#include "mesh/volume_read.h"

/// The format that a file name's extension stands for (.msh, .vtk, .mesh, .meshb, .node, .ele);
/// false where it stands for none.
bool palFindVolumeFormat(const char* path, palVolumeFormat* format);

/// Loads a volume; `scale` is metres a unit of the file. Of TetGen's pair either file may be given,
/// the other one is found beside it. Findings are appended to `notes` (may be NULL), numbers go to
/// `facts` (may be NULL). A file without a single element that has volume is an error.
palResult palVolume_Load(const char* path, double scale, palVolume* volume, palVolumeFacts* facts,
                         palMessages* notes, palError* error);

/// The same from bytes in memory.
palResult palVolume_LoadBytes(const palVolumeBytes* bytes, double scale, palVolume* volume,
                              palVolumeFacts* facts, palMessages* notes, palError* error);

#endif
