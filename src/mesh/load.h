// SPDX-License-Identifier: Apache-2.0
// A surface from a file: read, scaled to metres, cleaned, oriented and checked.
#ifndef PAL_MESH_LOAD_H
#define PAL_MESH_LOAD_H

#include "mesh/facts.h"
#include "mesh/read.h"

/// A larger file holds tens of millions of triangles: more than contact can use. Bytes.
static const size_t pal_meshBytesMax = (size_t)2 << 30;

typedef struct palLoadDef
{
    double scale;         // metres a unit of the file: 1, 0.001 for millimetres, 0.0254 for inches
    double weldTolerance; // vertices nearer than this times the diagonal become one; 0: equal ones
    bool orient;          // turn triangles so that neighbours agree and closed parts face outward
} palLoadDef;

palLoadDef palDefaultLoadDef(void);

/// The format that a file name's extension stands for; false where it stands for none.
bool palFindSurfaceFormat(const char* path, palSurfaceFormat* format);

/// Loads a surface. Findings that matter for contact are appended to `notes` (may be NULL), numbers
/// go to `facts` (may be NULL). A file without a single usable triangle is an error.
palResult palSurface_Load(const char* path, const palLoadDef* def, palSurface* surface,
                          palSurfaceFacts* facts, palMessages* notes, palError* error);

/// The same from bytes in memory; `path` in them may be NULL.
palResult palSurface_LoadBytes(const palSurfaceBytes* bytes, const palLoadDef* def,
                               palSurface* surface, palSurfaceFacts* facts, palMessages* notes,
                               palError* error);

#endif
