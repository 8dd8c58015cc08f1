// SPDX-License-Identifier: Apache-2.0
// Closing the holes of a surface, as scans have them.
//
// A hole is a ring of edges with one triangle each. It is closed by triangles between its vertices,
// no new ones, so that their area is least (G. Barequet and M. Sharir, "Filling gaps in the
// boundary of a polyhedron", CAGD 12, 1995): a flat hole becomes flat.
#ifndef PAL_MESH_HOLES_H
#define PAL_MESH_HOLES_H

#include "mesh/surface.h"

enum
{
    pal_holeEdgesMax = 2000, // of one hole: some seconds
};

typedef struct palHolesReport
{
    int holes;     // that were closed
    int triangles; // added
    double widest; // m, diagonal of the widest hole's bounding box
    double area;   // m², of all
} palHolesReport;

/// Closes all holes of a surface whose edges have one or two triangles that agree in orientation.
palResult palSurface_FillHoles(palSurface* surface, palHolesReport* report, palError* error);

#endif
