// SPDX-License-Identifier: Apache-2.0
// Writing a surface to a file.
#ifndef PAL_MESH_WRITE_H
#define PAL_MESH_WRITE_H

#include "mesh/surface.h"

/// Writes in the format of the path's extension: .ply (binary, double precision: read back
/// exactly), .obj and .off (text, 17 digits), .stl (binary, single precision), in metres. The file
/// is written completely or not at all (a temporary file is renamed).
palResult palSurface_Write(const palSurface* surface, const char* path, palError* error);

#endif
