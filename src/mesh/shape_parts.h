// SPDX-License-Identifier: Apache-2.0
// What the makers of shapes share: shapes.c has the flat ones and the list of all, round_shapes.c
// those that are round.
#ifndef PAL_MESH_SHAPE_PARTS_H
#define PAL_MESH_SHAPE_PARTS_H

#include "mesh/shapes.h"

enum
{
    pal_roundMax = 256, // vertices around a peg or probe
};

/// Refuses a length that cannot be meant; `what` names it, for example "size x".
palResult palShape_CheckLength(const palShapeDef* def, const char* what, double length,
                               palError* error);

/// Cells along a side of which `resolution` would have the length `longest`; at least one.
double palShape_CellsAlong(double side, double longest, int resolution);

/// Allocates the surface, whose sizes are computed as doubles so that they cannot overflow.
palResult palShape_Init(const palShapeDef* def, double vertices, double triangles,
                        palSurface* surface, palError* error);

void palShape_SetTriangle(palSurface* surface, int t, int a, int b, int c);
/// The two triangles of a cell whose corners a, b, c, d turn counter-clockwise; returns the next
/// free triangle.
int palShape_SetCell(palSurface* surface, int t, int a, int b, int c, int d);

// The round shapes, each for its kind of palShapeDef.
palResult palMakeCylinder(const palShapeDef* def, palSurface* surface, palError* error);
palResult palMakeSphere(const palShapeDef* def, palSurface* surface, palError* error);
palResult palMakePeg(const palShapeDef* def, palSurface* surface, palError* error);
palResult palMakeProbe(const palShapeDef* def, palSurface* surface, palError* error);

#endif
