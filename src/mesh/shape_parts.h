// SPDX-License-Identifier: Apache-2.0
// Functions shared by the shape generators: shapes.c has the flat shapes and the table of all
// shapes, round_shapes.c the round ones.
#ifndef PAL_MESH_SHAPE_PARTS_H
#define PAL_MESH_SHAPE_PARTS_H

#include "mesh/shapes.h"

enum
{
    pal_roundMax = 256,   // vertices around a peg or probe
    pal_sleeveMax = 1024, // and around a sleeve
};

/// Rejects a length outside the allowed range; `what` names it, for example "size x".
palResult palShape_CheckLength(const palShapeDef* def, const char* what, double length,
                               palError* error);

/// The number of cells along `side` for a cell size of longest / resolution; at least one.
double palShape_CellsAlong(double side, double longest, int resolution);

/// Allocates the surface. The sizes are passed as doubles so that they cannot overflow.
palResult palShape_Init(const palShapeDef* def, double vertices, double triangles,
                        palSurface* surface, palError* error);

void palShape_SetTriangle(palSurface* surface, int t, int a, int b, int c);
/// Sets the two triangles of a cell with the counter-clockwise corners a, b, c, d; returns the next
/// triangle index.
int palShape_SetCell(palSurface* surface, int t, int a, int b, int c, int d);

// The generators of the round shapes.
palResult palMakeCylinder(const palShapeDef* def, palSurface* surface, palError* error);
palResult palMakeSphere(const palShapeDef* def, palSurface* surface, palError* error);
palResult palMakePeg(const palShapeDef* def, palSurface* surface, palError* error);
palResult palMakeSleeve(const palShapeDef* def, palSurface* surface, palError* error);
palResult palMakeProbe(const palShapeDef* def, palSurface* surface, palError* error);

#endif
