// SPDX-License-Identifier: Apache-2.0
// The readers of surface files, one per format. Each reads bytes in memory, checks every count
// against the size of the file before it allocates, and returns vertices and triangles as in the
// file; palSurface_Load (load.h) cleans and checks. The error contains the line if the format has
// lines; the caller adds the file name.
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
    const char* path; // borrowed: the file, whose directory is searched for other parts, or NULL
} palSurfaceBytes;

/// PLY 1.0: ascii and binary of both byte orders, polygons and triangle strips; other data are
/// skipped.
palResult palReadPly(const palSurfaceBytes* bytes, palSurfaceBuilder* builder, palMessages* notes,
                     palError* error);

/// OFF: ascii and binary, with or without colours, normals and texture coordinates.
palResult palReadOff(const palSurfaceBytes* bytes, palSurfaceBuilder* builder, palMessages* notes,
                     palError* error);

/// STL: ascii and binary, one or several solids. Corners become single precision.
palResult palReadStl(const palSurfaceBytes* bytes, palSurfaceBuilder* builder, palMessages* notes,
                     palError* error);

/// OBJ and glTF through Assimp, which returns positions in single precision. pal_errorUnusable
/// in a build without Assimp.
palResult palReadAssimp(const palSurfaceBytes* bytes, palSurfaceBuilder* builder,
                        palMessages* notes, palError* error);

#endif
