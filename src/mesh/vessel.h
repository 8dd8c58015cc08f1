// SPDX-License-Identifier: Apache-2.0
// Blood vessels for wires and catheters: tubes along a centreline that branches.
//
// A branch is a polyline whose corners are rounded: straight pieces, along which the radius of the
// lumen changes linearly, and arcs of circles, of one radius. One branch is swept: rings of
// vertices at equal angles, at distances along the centreline at which the facets deviate no more
// from it than they do around. Of several the wall is a field, a smooth union of the branches'
// tubes, and is polygonised (mesh/implicit.h).
#ifndef PAL_MESH_VESSEL_H
#define PAL_MESH_VESSEL_H

#include "mesh/shapes.h"

enum
{
    pal_vesselSidesMax = 256, // facets around the lumen
};

/// A piece of a centreline.
typedef struct palVesselPiece
{
    bool isArc;
    palVec3 start, end; // m
    double radii[2];    // of the lumen at both, m
    // Arcs.
    palVec3 corner; // where the tangents of its ends meet, m
    palVec3 centre; // m
    palVec3 axis;   // unit: right-handed from start to end
    double bend;    // radius of the centreline, m
    double angle;   // rad
} palVesselPiece;

/// The pieces of a branch, at most twice as many as it has points. Fails where a bend does not fit
/// between its neighbours or is narrower than the vessel.
palResult palVessel_Pieces(const palShapeDef* def, int branch, palVesselPiece* pieces, int* count,
                           palError* error);

/// The unit tangent of a piece at its start or its end.
palVec3 palVesselPiece_Tangent(const palVesselPiece* piece, bool atEnd);

/// The branches of a definition; where it has none, one of two straight pieces and a bend between.
int palVessel_Branches(const palShapeDef* def, const palVesselBranch** branches);

palResult palMakeVessel(const palShapeDef* def, palSurface* surface, palError* error);
/// Of several branches.
palResult palMakeVesselTree(const palShapeDef* def, palSurface* surface, palError* error);

#endif
