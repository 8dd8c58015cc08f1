// SPDX-License-Identifier: Apache-2.0
// Properties of a surface: its measures, its topology, and the consequences for contact.
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
    double volume;        // m³, of the solid components, cavities subtracted
    double shortestEdge;  // m
    double longestEdge;   // m
    double smallestAngle; // rad, over all corners of all triangles

    bool closed;          // every edge has two triangles
    bool solid;           // closed and consistently oriented: inside and outside are defined
    int boundaryEdges;    // edges with one triangle
    int boundaryLoops;    // rings of boundary edges; rings that touch count as one
    int nonManifoldEdges; // edges with three or more triangles
    int misorientedEdges; // edges whose two triangles have inconsistent orientation
    int pinchedVertices;  // vertices where parts touch that share no edge
    int concaveEdges;     // edges of grooves
    int components;       // edge-connected parts
    int solidComponents;  // those that are solid
    int genus;            // handles of all solid components together; -1: no solid component

    int points;               // points in the file, ignored
    int lines;                // lines in the file, ignored
    palCleanReport cleaned;   // removed while loading
    palOrientReport oriented; // flipped while loading
} palSurfaceFacts;

/// Measures and checks a surface. The last four fields are set to zero; palSurface_Load fills them.
palResult palSurface_Check(const palSurface* surface, palSurfaceFacts* facts, palError* error);

/// Warns of sizes outside the range of a hand, which usually mean a wrong unit.
void palBounds_ReportSize(const palBounds* bounds, palMessages* notes);

/// Appends messages for the user: repairs, defects and their consequences for contact.
void palSurfaceFacts_Report(const palSurfaceFacts* facts, palMessages* notes);

#endif
