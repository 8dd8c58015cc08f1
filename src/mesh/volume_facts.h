// SPDX-License-Identifier: Apache-2.0
// Properties of a volume mesh: its measures, element quality, and the consequences for simulation.
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
    int components;      // face-connected parts
    int foldedFaces;     // faces with both elements on the same side: the mesh overlaps itself
    int crowdedFaces;    // faces with three or more elements
    int mixedFaces;      // triangles between a tet and a hex

    palSurfaceFacts surface;  // of the boundary
    palVolumeRepairs repairs; // made while loading
} palVolumeFacts;

/// Measures and checks a volume. The repairs are set to zero; palVolume_Load fills them.
palResult palVolume_Check(const palVolume* volume, palVolumeFacts* facts, palError* error);

/// Appends messages for the user: repairs, defects and their consequences for a deformable body.
void palVolumeFacts_Report(const palVolumeFacts* facts, palMessages* notes);

#endif
