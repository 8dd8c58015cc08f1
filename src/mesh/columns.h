// SPDX-License-Identifier: Apache-2.0
// The inside of a closed surface along parallel lines: the crossings of columns in the z direction.
//
// A column crosses a triangle if its point in the xy plane lies in the triangle's projection. The
// side of an edge is always computed from its vertex of lower index, so that both triangles of the
// edge get the same result, and a point on an edge is treated as shifted by (e, e²) with an
// infinitesimal e: each column enters a closed surface as often as it leaves it. Rounding can
// violate this if a column passes a vertex at less than 1e-15 of the part's size; such a column is
// detected and skipped.
#ifndef PAL_MESH_COLUMNS_H
#define PAL_MESH_COLUMNS_H

#include "mesh/surface.h"

typedef struct palColumnsDef
{
    double x, y;    // m, position of column (0, 0)
    double spacing; // m
    int nx, ny;
} palColumnsDef;

typedef struct palCrossing
{
    double z; // m
    int step; // +1: the column enters the solid (upwards), -1: it leaves
} palCrossing;

typedef struct palColumns
{
    palColumnsDef def;
    int* start;             // owned, [nx ny + 2]: column (i, j) has the crossings
                            // start[i + nx j] .. start[i + nx j + 1] - 1
    palCrossing* crossings; // owned, ascending z in each column
} palColumns;

palResult palColumns_Init(palColumns* columns, const palSurface* surface, const palColumnsDef* def,
                          palError* error);
void palColumns_Free(palColumns* columns);

/// Whether the column enters the solid as often as it leaves it.
bool palColumns_IsConsistent(const palColumns* columns, int column);

#endif
