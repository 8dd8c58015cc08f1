// SPDX-License-Identifier: Apache-2.0
// The faces of a volume's elements, filed so that those of neighbours lie side by side.
//
// Every face is a triangle: a hex's quads are cut from their corner of lowest index, as prisms and
// pyramids are when they are loaded, so that all elements cut a shared quad alike.
#ifndef PAL_MESH_FACES_H
#define PAL_MESH_FACES_H

#include "mesh/volume.h"

typedef struct palFace
{
    int corners[3]; // ascending
    int element;
    bool ascending; // the corners, in this order, turn counter-clockwise from outside the element
} palFace;

typedef struct palFaces
{
    int count;
    palFace* faces; // owned, [count], sorted by corners, then element
} palFaces;

palResult palFaces_Init(palFaces* faces, const palVolume* volume, palError* error);
void palFaces_Free(palFaces* faces);

/// How many faces from `first` on have the same corners: 1 on the boundary, 2 between neighbours.
int palFaces_Group(const palFaces* faces, int first);

#endif
