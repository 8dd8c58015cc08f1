// SPDX-License-Identifier: Apache-2.0
// A surface from a file: read, scaled to metres, cleaned, oriented and checked.
#ifndef PAL_MESH_LOAD_H
#define PAL_MESH_LOAD_H

#include "mesh/facts.h"
#include "mesh/read.h"

/// The size limit of a mesh file, bytes: tens of millions of triangles.
static const size_t pal_meshBytesMax = (size_t)2 << 30;

typedef struct palLoadDef
{
    double scale;         // metres per file unit: 1, 0.001 for millimetres, 0.0254 for inches
    double weldTolerance; // welding distance, relative to the diagonal; 0: only equal vertices
    bool orient;          // orient triangles consistently and closed parts outward
} palLoadDef;

palLoadDef palDefaultLoadDef(void);

/// The format of a file name's extension; false if it is unknown.
bool palFindSurfaceFormat(const char* path, palSurfaceFormat* format);

/// Loads a surface. Messages about defects and repairs are appended to `notes` (may be NULL),
/// `facts` (may be NULL) receives the measures. A file without usable triangles is an error.
palResult palSurface_Load(const char* path, const palLoadDef* def, palSurface* surface,
                          palSurfaceFacts* facts, palMessages* notes, palError* error);

/// The same from bytes in memory; `bytes->path` may be NULL.
palResult palSurface_LoadBytes(const palSurfaceBytes* bytes, const palLoadDef* def,
                               palSurface* surface, palSurfaceFacts* facts, palMessages* notes,
                               palError* error);

/// The same from a surface in memory, which is copied; its triangles name vertices that it has.
palResult palSurface_LoadCopy(const palSurface* from, const palLoadDef* def, palSurface* surface,
                              palSurfaceFacts* facts, palMessages* notes, palError* error);

#endif
