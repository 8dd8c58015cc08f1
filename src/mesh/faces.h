// SPDX-License-Identifier: Apache-2.0
// The faces of a volume's elements, sorted so that the faces shared by neighbours are adjacent.
//
// Every face is a triangle: the quads of a hex are split from their corner of lowest index, as are
// those of prisms and pyramids when they are loaded, so that both elements split a shared quad in
// the same way.
#ifndef PAL_MESH_FACES_H
#define PAL_MESH_FACES_H

#include "mesh/volume.h"

typedef struct palFace
{
    int corners[3]; // ascending
    int element;
    bool ascending; // the corners in this order are counter-clockwise from outside the element
} palFace;

typedef struct palFaces
{
    int count;
    palFace* faces; // owned, [count], sorted by corners, then element
} palFaces;

palResult palFaces_Init(palFaces* faces, const palVolume* volume, palError* error);
void palFaces_Free(palFaces* faces);

/// The number of faces from `first` on with the same corners: 1 on the boundary, 2 between
/// neighbours.
int palFaces_Group(const palFaces* faces, int first);

#endif
