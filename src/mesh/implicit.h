// SPDX-License-Identifier: Apache-2.0
// A surface from a field: the zero set of a signed distance, or of anything like one.
//
// The space is cut into cubes and each cube into six tetrahedra (Freudenthal's cut, in which
// neighbours share whole faces); a tetrahedron with corners on both sides gives one or two
// triangles. Two tetrahedra cut their common face alike, and about an edge of the lattice they
// follow one another in a ring: the surface is closed and a manifold whatever the field. The
// remesher then makes its triangles near-equilateral and puts the vertices onto the zero set.
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
    palField field;   // continuous; smooth near its zero set, for sharp edges come out chamfered
    palBounds bounds; // holds the whole surface
    int cells;        // along the longest side of bounds; a cell is also the length of an edge.
                      // What is thinner than two cells may be missed
    double lipschitz; // |f(a) - f(b)| <= lipschitz |a - b|; 1 for distances and their unions
} palImplicitDef;

/// 100 cells, Lipschitz constant 1; the field and its bounds are to be set.
palImplicitDef palDefaultImplicitDef(void);

/// Makes the surface. Fails with pal_errorInput where a number is out of range, the field is not
/// finite, the surface leaves the bounds, or there is none.
palResult palMakeImplicitSurface(const palImplicitDef* def, palSurface* surface, palError* error);

#endif
