// SPDX-License-Identifier: Apache-2.0
// The boundary surface of a volume, with the map back to it: the surface of a deformable body, for
// display and contact.
#ifndef PAL_MESH_EXTRACT_H
#define PAL_MESH_EXTRACT_H

#include "mesh/faces.h"

typedef struct palVolumeSurface
{
    palSurface surface; // owned: the faces that belong to one element only, facing outward
    int* vertices;      // owned, [surface.vertexCount]: the volume's vertex, ascending
    int* elements;      // owned, [surface.triangleCount]: the element behind each triangle
} palVolumeSurface;

/// Extracts the boundary. The quads of a hex become two triangles each.
palResult palVolumeSurface_Init(palVolumeSurface* skin, const palVolume* volume, palError* error);
/// The same from faces that have been computed before.
palResult palVolumeSurface_InitFaces(palVolumeSurface* skin, const palVolume* volume,
                                     const palFaces* faces, palError* error);
void palVolumeSurface_Free(palVolumeSurface* skin);

/// Sets the surface's vertices from the moved vertices of the volume. Does not allocate.
void palVolumeSurface_Follow(palVolumeSurface* skin, const palVec3* vertices);

#endif
