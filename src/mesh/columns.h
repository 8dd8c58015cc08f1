// SPDX-License-Identifier: Apache-2.0
// The inside of a closed surface along parallel lines: where columns in the z direction enter and
// leave it.
//
// A column crosses a triangle where its point in the xy plane lies in the triangle's projection.
// The side of an edge is always computed from its vertex of lower index, so that the two triangles
// at the edge agree, and a point on an edge counts as moved by (e, e²), e infinitesimally small:
// each column crosses a closed surface as often upwards as downwards, wherever it hits. Rounding
// can break this where a column passes a vertex at less than 1e-15 of the part's size; the column
// is then marked and left out.
#ifndef PAL_MESH_COLUMNS_H
#define PAL_MESH_COLUMNS_H

#include "mesh/surface.h"

typedef struct palColumnsDef
{
    double x, y;    // m, of column (0, 0)
    double spacing; // m
    int nx, ny;
} palColumnsDef;

typedef struct palCrossing
{
    double z; // m
    int step; // +1 where the column, going up, enters, -1 where it leaves
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

/// Whether the column enters as often as it leaves.
bool palColumns_IsSound(const palColumns* columns, int column);

#endif
