// SPDX-License-Identifier: Apache-2.0
// Continuous collision of two moving features: a vertex and a triangle, or two edges, whose
// vertices move in straight lines through the step, t = 0..1.
//
// The time of contact is found from the safe side, by conservative advancement (Mirtich 1996) with
// separating directions in place of speeds. While two convex features are apart, the direction n
// between their closest points separates them, and n · (a - b) of every pair of vertices is linear
// in t: the first time at which one of them falls to nothing is safe, as Newton's method on the
// distance that never oversteps. Where features turn, two more proofs reach farther: a direction
// that turns evenly from one instant's to another's, whose products are quadratic in t, and the
// volume that the four vertices span, which is cubic and nowhere zero. No root of that cubic is
// computed, so coplanar, parallel, grazing and motionless features, and those without area or
// length, are no special cases.
//
// It ends where the distance is rounding noise: 32 roundings of the coordinates, measured from the
// features themselves. The time is never late, and early by what that distance takes to close.
#ifndef PAL_COLLIDE_CONTINUOUS_H
#define PAL_COLLIDE_CONTINUOUS_H

#include "math/vec3.h"

/// A vertex at the beginning and at the end of the step, m.
typedef struct palMovingPoint
{
    palVec3 start;
    palVec3 end;
} palMovingPoint;

/// The first contact of two features.
typedef struct palImpact
{
    double t;           // 0..1, never after the true contact
    double weightsA[2]; // of the first feature's vertices; {1, 0} for a single one
    double weightsB[3]; // of the second feature's vertices; {1 - s, s, 0} for an edge
    palVec3 normal;     // unit, from the second feature to the first; zero where they touched from
                        // the start on, so that no direction is known
    int iterations;
} palImpact;

/// A vertex against a triangle. Returns false where they stay apart.
bool palImpact_VertexFace(palMovingPoint vertex, const palMovingPoint face[3], palImpact* impact);

/// Two edges.
bool palImpact_EdgeEdge(const palMovingPoint a[2], const palMovingPoint b[2], palImpact* impact);

/// The closest points of the segments a and b: a[0] + s (a[1] - a[0]) and b[0] + t (b[1] - b[0]).
/// Returns the squared distance. Parallel segments and segments without length are allowed.
double palClosestOnSegments(const palVec3 a[2], const palVec3 b[2], double* s, double* t);

#endif
