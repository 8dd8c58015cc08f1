// SPDX-License-Identifier: Apache-2.0
// Where two facets overlap as seen along a common normal: the corners of the overlap, each with its
// points on both facets. The corners are vertices of either facet and crossings of their edges,
// whichever of the two the normal belongs to, so that they keep their keys when it changes a
// little.
#ifndef PAL_COLLIDE_FACET_OVERLAP_H
#define PAL_COLLIDE_FACET_OVERLAP_H

#include "collide/convex.h"

enum
{
    pal_overlapMax = 4 * pal_hullCornersMax,
};

typedef struct palFacetOverlap
{
    palFacet a, b;
    palVec3 normal;   // unit, from b to a
    double tolerance; // m, across the normal: nearer is the same
    int count;
    palRigidContact corners[pal_overlapMax];
} palFacetOverlap;

/// Which features meet in a corner.
uint64_t palKey_VertexOfA(int vertex);
uint64_t palKey_VertexOfB(int vertex);
/// `which`: 0 or 1, where two edges meet twice.
uint64_t palKey_Edges(int edgeA, int edgeB, int which);

/// Adds a corner, unless there is one at the same place.
void palFacetOverlap_Add(palFacetOverlap* overlap, palVec3 onA, palVec3 onB, uint64_t key);

/// Adds the corner of a point of one facet and the place on the plane of the other, a polygon or a
/// disc, that it faces.
void palFacetOverlap_AddOfA(palFacetOverlap* overlap, palVec3 point, uint64_t key);
void palFacetOverlap_AddOfB(palFacetOverlap* overlap, palVec3 point, uint64_t key);

/// Finds the corners where both facets are points, segments or polygons.
void palFacetOverlap_FindFlat(palFacetOverlap* overlap);
/// The same where at least one is a disc and none is a point.
void palFacetOverlap_FindDiscs(palFacetOverlap* overlap);

/// Whether a point is within a polygon as seen along the normal.
bool palFacetOverlap_IsOverPolygon(const palFacetOverlap* overlap, const palFacet* polygon,
                                   palVec3 point);

#endif
