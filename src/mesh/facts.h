// SPDX-License-Identifier: Apache-2.0
// What a surface is: its measures, whether it has an inside, and what that means for contact.
#ifndef PAL_MESH_FACTS_H
#define PAL_MESH_FACTS_H

#include "mesh/clean.h"
#include "mesh/orient.h"

typedef struct palSurfaceFacts
{
    int vertexCount;
    int triangleCount;
    int edgeCount;
    palBounds bounds;     // m
    double area;          // m²
    double volume;        // m³, of the components that are solid, cavities subtracted
    double shortestEdge;  // m
    double longestEdge;   // m
    double smallestAngle; // rad, of any triangle's corner

    bool closed;          // every edge has two triangles
    bool solid;           // closed, and neighbours agree: every point is inside or outside
    int boundaryEdges;    // with one triangle
    int boundaryLoops;    // rings of them; rings that touch count as one
    int nonManifoldEdges; // with three triangles or more
    int misorientedEdges; // whose two triangles disagree
    int pinchedVertices;  // where parts touch that share no edge
    int concaveEdges;     // grooves
    int components;       // parts that hang together over edges
    int solidComponents;  // of them
    int genus;            // handles, of all solid components together; -1 where there are none

    int points;               // in the file, no surface
    int lines;                // in the file, no surface
    palCleanReport cleaned;   // what loading removed
    palOrientReport oriented; // what loading turned
} palSurfaceFacts;

/// Measures and checks a surface. The last four are set to zero; palSurface_Load fills them.
palResult palSurface_Check(const palSurface* surface, palSurfaceFacts* facts, palError* error);

/// Warns of sizes outside what a hand can feel: they are almost always a wrong unit.
void palBounds_TellSize(const palBounds* bounds, palMessages* notes);

/// Appends what a person should know: what was found and what it means for contact.
void palSurfaceFacts_Tell(const palSurfaceFacts* facts, palMessages* notes);

#endif
