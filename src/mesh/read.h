// SPDX-License-Identifier: Apache-2.0
// The readers of surface files, one a format. Each reads bytes in memory, checks every count
// against the bytes that are there before it allocates, and leaves the vertices and triangles as
// the file has them; palSurface_Load (load.h) cleans and checks. The error has the line where the
// format has lines; the caller adds the file.
#ifndef PAL_MESH_READ_H
#define PAL_MESH_READ_H

#include "mesh/builder.h"

typedef enum palSurfaceFormat
{
    pal_surfacePly,
    pal_surfaceOff,
    pal_surfaceObj,
    pal_surfaceStl,
    pal_surfaceGltf, // JSON text
    pal_surfaceGlb,  // the same in one binary file
    pal_surfaceFormatCount,
} palSurfaceFormat;

typedef struct palSurfaceBytes
{
    palSurfaceFormat format;
    const unsigned char* data; // borrowed
    size_t size;
    const char* path; // borrowed: where the bytes come from and neighbours are found, or NULL
} palSurfaceBytes;

/// PLY 1.0: ascii and binary of both byte orders, polygons and triangle strips; what a surface has
/// no use for is skipped.
palResult palReadPly(const palSurfaceBytes* bytes, palSurfaceBuilder* builder, palMessages* notes,
                     palError* error);

/// OFF: ascii and binary, with or without colours, normals and texture coordinates.
palResult palReadOff(const palSurfaceBytes* bytes, palSurfaceBuilder* builder, palMessages* notes,
                     palError* error);

/// OBJ, STL and glTF through Assimp, which gives positions in single precision. pal_errorUnusable
/// in a build without it.
palResult palReadAssimp(const palSurfaceBytes* bytes, palSurfaceBuilder* builder,
                        palMessages* notes, palError* error);

#endif
