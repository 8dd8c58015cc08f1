// SPDX-License-Identifier: Apache-2.0
// Writing a surface to a file.
#ifndef PAL_MESH_WRITE_H
#define PAL_MESH_WRITE_H

#include "mesh/surface.h"

/// Writes in the format of the path's extension: .ply (binary, double precision: reads back the
/// same), .obj and .off (text, 17 digits), .stl (binary, single precision). Values are as they are
/// in the surface, metres. The file is written whole or not at all (a temporary file renamed).
palResult palSurface_Write(const palSurface* surface, const char* path, palError* error);

#endif
