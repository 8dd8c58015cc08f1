// SPDX-License-Identifier: Apache-2.0
// The surface of a volume, with the way back: what a deformable body shows and is touched on.
#ifndef PAL_MESH_EXTRACT_H
#define PAL_MESH_EXTRACT_H

#include "mesh/faces.h"

typedef struct palVolumeSurface
{
    palSurface surface; // owned: the faces that one element has alone, outward
    int* vertices;      // owned, [surface.vertexCount]: the volume's vertex of each, ascending
    int* elements;      // owned, [surface.triangleCount]: the element behind each triangle
} palVolumeSurface;

/// Extracts the boundary. A hex's quads give two triangles each.
palResult palVolumeSurface_Init(palVolumeSurface* skin, const palVolume* volume, palError* error);
/// The same from faces that are filed already.
palResult palVolumeSurface_InitFaces(palVolumeSurface* skin, const palVolume* volume,
                                     const palFaces* faces, palError* error);
void palVolumeSurface_Free(palVolumeSurface* skin);

/// Sets the surface's vertices from moved ones of the volume. Allocates nothing.
void palVolumeSurface_Follow(palVolumeSurface* skin, const palVec3* vertices);

#endif
