// SPDX-License-Identifier: Apache-2.0
// What a volume mesh is: its measures, the shape of its elements, and what that means for a body.
#ifndef PAL_MESH_VOLUME_FACTS_H
#define PAL_MESH_VOLUME_FACTS_H

#include "mesh/facts.h"
#include "mesh/volume_builder.h"

typedef struct palVolumeFacts
{
    int vertexCount;
    int tetCount;
    int hexCount;
    int regionCount;
    int nodeSetCount;
    palBounds bounds;    // m
    double volume;       // m³
    double shortestEdge; // m
    double longestEdge;  // m
    double worstTet;     // the lowest palTetQuality; 1 without tets
    double worstHex;     // the lowest palHexQuality; 1 without hexes
    int worstTetElement; // -1 without tets
    int worstHexElement; // -1 without hexes
    int inverted;        // elements with a negative Jacobian at a corner
    int components;      // parts that hang together over faces
    int foldedFaces;     // whose two elements lie on the same side: the mesh overlaps itself
    int crowdedFaces;    // with three elements or more
    int mixedFaces;      // triangles where a tet meets a hex

    palSurfaceFacts surface;  // of the boundary
    palVolumeRepairs repairs; // what loading did
} palVolumeFacts;

/// Measures and checks a volume. The repairs are set to zero; palVolume_Load fills them.
palResult palVolume_Check(const palVolume* volume, palVolumeFacts* facts, palError* error);

/// Appends what a person should know: what was found and what it means for a deformable body.
void palVolumeFacts_Tell(const palVolumeFacts* facts, palMessages* notes);

#endif
