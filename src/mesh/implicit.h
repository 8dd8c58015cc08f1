// SPDX-License-Identifier: Apache-2.0
// Polygonises the zero set of a field: a signed distance or a similar function.
//
// Space is divided into cubes and each cube into six tetrahedra (Freudenthal's subdivision, in
// which neighbours share whole faces); a tetrahedron with corners on both sides gives one or two
// triangles. Two tetrahedra intersect their common face in the same segment, and the tetrahedra
// around a lattice edge form a ring: the surface is a closed manifold for any field. The remesher
// then makes its triangles near-equilateral and projects the vertices onto the zero set.
#ifndef PAL_MESH_IMPLICIT_H
#define PAL_MESH_IMPLICIT_H

#include "mesh/field.h"
#include "mesh/surface.h"

enum
{
    pal_implicitCellsMin = 8,
    pal_implicitCellsMax = 1024,
};

typedef struct palImplicitDef
{
    palField field;   // continuous; smooth near its zero set, otherwise edges are chamfered
    palBounds bounds; // contains the whole surface
    int cells;        // along the longest side of bounds; also sets the edge length. Features
                      // thinner than two cells may be missed
    double lipschitz; // |f(a) - f(b)| <= lipschitz |a - b|; 1 for distances and their unions
} palImplicitDef;

/// 100 cells, Lipschitz constant 1; the field and its bounds must be set.
palImplicitDef palDefaultImplicitDef(void);

/// Creates the surface. Fails with pal_errorInput if a number is out of range, the field is not
/// finite, the surface extends beyond the bounds, or there is no surface.
palResult palMakeImplicitSurface(const palImplicitDef* def, palSurface* surface, palError* error);

#endif
