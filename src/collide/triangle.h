// SPDX-License-Identifier: Apache-2.0
// One triangle against a point and against a segment: the arithmetic that every leaf of the
// hierarchy evaluates. bvh_scalar.c calls these functions, bvh_avx2.c repeats them operation by
// operation on four triangles at once; the two must stay the same to the last bit.
#ifndef PAL_COLLIDE_TRIANGLE_H
#define PAL_COLLIDE_TRIANGLE_H

#include "collide/bvh.h"

/// The point of one edge that is closest to the origin.
typedef struct palEdgePoint
{
    palVec3 point;   // relative to the query point, m
    double t;        // 0..1/2, from the nearer end
    bool fromSecond; // whether that end is the edge's second
    double distanceSquared;
} palEdgePoint;

/// The closest point of the edge from A to B, both relative to the query point.
///
/// It is measured from the nearer end: t = min(-A·E, B·E) / |E|², clamped to [0, 1/2], E = B - A
/// and |E|² = B·E - A·E. Exchanging A and B changes signs only, so the two triangles of an edge get
/// the same number; an end is met exactly; and the point is a sum without cancellation, so that its
/// rounding error is relative to its own size.
static inline palEdgePoint palClosestOnEdge(palVec3 A, palVec3 B)
{
    palVec3 E = palSub(B, A);
    double fromA = -palDot(A, E);
    double fromB = palDot(B, E);
    bool fromSecond = !(fromA < fromB);
    double s = fromSecond ? fromB : fromA;
    s = s > 0.0 ? s : 0.0;
    double lengthSquared = fromA + fromB;
    double t = lengthSquared > 0.0 ? s / lengthSquared : 0.0;
    t = t < 0.5 ? t : 0.5;
    palVec3 point = palMulAdd(fromSecond ? B : A, fromSecond ? -t : t, E);
    return (palEdgePoint){point, t, fromSecond, palDot(point, point)};
}

/// The point of the triangle's plane that is closest to the origin, where it lies inside.
/// weights[i] is proportional to n · (P × E) of the edge opposite to corner i, n = AB × AC; n is
/// taken out of the differences, so a far query point costs no digits. Returns the squared
/// distance, or infinity where the point is not strictly inside; a triangle without area has no
/// inside.
static inline double palClosestInFace(palVec3 A, palVec3 B, palVec3 C, double weights[3],
                                      palVec3* point)
{
    palVec3 AB = palSub(B, A);
    palVec3 BC = palSub(C, B);
    palVec3 CA = palSub(A, C);
    palVec3 n = palCross(CA, AB);
    double u = palDot(n, palCross(B, BC));
    double v = palDot(n, palCross(C, CA));
    double w = palDot(n, palCross(A, AB));
    if (!(u > 0.0 && v > 0.0 && w > 0.0))
        return INFINITY;
    double scale = 1.0 / (u + v + w);
    weights[0] = u * scale;
    weights[1] = v * scale;
    weights[2] = w * scale;
    *point = palMulAdd(palMulAdd(palScale(weights[0], A), weights[1], B), weights[2], C);
    return palDot(*point, *point);
}

/// The squared distance of a point to the triangle a b c: the least of three edges and the face.
static inline double palTriangleDistanceSquared(palVec3 point, palVec3 a, palVec3 b, palVec3 c)
{
    palVec3 A = palSub(a, point);
    palVec3 B = palSub(b, point);
    palVec3 C = palSub(c, point);
    double best = palClosestOnEdge(A, B).distanceSquared;
    double next = palClosestOnEdge(B, C).distanceSquared;
    best = next < best ? next : best;
    next = palClosestOnEdge(C, A).distanceSquared;
    best = next < best ? next : best;
    double weights[3] = {0};
    palVec3 inside = pal_zeroVec3;
    next = palClosestInFace(A, B, C, weights, &inside);
    return next < best ? next : best;
}

/// What the place of a crossing may be off by rounding, relative to the triangle's reach along the
/// segment: eight times the spacing of doubles.
static const double pal_crossingSlack = 0x1p-49;

// How far p is outside the range of three numbers.
static inline double palOutsideRange(double p, double a, double b, double c)
{
    double low = a < b ? a : b, high = a < b ? b : a;
    low = c < low ? c : low;
    high = c > high ? c : high;
    return p < low ? low - p : p > high ? p - high : 0.0;
}

/// Whether a triangle is surely farther away than a distance: its box is, by more than rounding.
static inline bool palTriangleIsBeyond(palVec3 point, palVec3 a, palVec3 b, palVec3 c,
                                       double distance)
{
    const double rounding = 1e-12; // m
    double x = palOutsideRange(point.x, a.x, b.x, c.x);
    double y = palOutsideRange(point.y, a.y, b.y, c.y);
    double z = palOutsideRange(point.z, a.z, b.z, c.z);
    double least = distance + rounding;
    return x * x + y * y + z * z > least * least;
}

/// A segment made ready for crossing tests.
typedef struct palSegment
{
    double origin[3];    // its start, m
    double direction[3]; // end minus start, m
    int x, y, z;         // axes: z is the one along which the segment is longest
    double shearX;       // direction[x] / direction[z]
    double shearY;
    double scaleZ; // 1 / direction[z]
} palSegment;

/// Returns false where the two ends are the same or not finite.
bool palMakeSegment(palVec3 a, palVec3 b, palSegment* segment);

/// A corner relative to the segment's start, sheared so that the segment runs along z.
static inline palVec3 palShearCorner(const palSegment* s, palVec3 corner)
{
    const double c[3] = {corner.x, corner.y, corner.z};
    double z = c[s->z] - s->origin[s->z];
    double x = c[s->x] - s->origin[s->x] - s->shearX * z;
    double y = c[s->y] - s->origin[s->y] - s->shearY * z;
    return (palVec3){x, y, z};
}

/// a b - c d with the right sign. Rounding is monotone, so the difference of the rounded products
/// has the right sign or is zero; where it is zero, what they were rounded by decides.
static inline double palMulSub(double a, double b, double c, double d)
{
    double ab = a * b;
    double cd = c * d;
    double difference = ab - cd;
    return difference != 0.0 ? difference : fma(a, b, -ab) - fma(c, d, -cd);
}

/// Where along the segment, 0..1, it crosses the triangle; infinity where it does not.
///
/// Seen along the sheared z it crosses where the origin of the x, y plane lies in the triangle,
/// that is, where U, V and W have one sign. Woop, Benthin and Wald, "Watertight ray/triangle
/// intersection", JCGT 2013. An edge seen from its other triangle gives the same number negated and
/// zero counts as inside: nothing slips between triangles that share an edge or a vertex. A
/// triangle seen edge-on is left to its neighbours. An end that lies on the triangle up to rounding
/// counts as well, so that nothing slips between a segment and the one that continues it.
static inline double palSegmentCrossing(const palSegment* s, palVec3 a, palVec3 b, palVec3 c)
{
    palVec3 A = palShearCorner(s, a);
    palVec3 B = palShearCorner(s, b);
    palVec3 C = palShearCorner(s, c);
    double U = palMulSub(C.x, B.y, C.y, B.x);
    double V = palMulSub(A.x, C.y, A.y, C.x);
    double W = palMulSub(B.x, A.y, B.y, A.x);
    bool inside = (U >= 0.0 && V >= 0.0 && W >= 0.0) || (U <= 0.0 && V <= 0.0 && W <= 0.0);
    double determinant = U + V + W;
    double t = (U * A.z + V * B.z + W * C.z) * s->scaleZ / determinant;
    double reach = fabs(A.z) > fabs(B.z) ? fabs(A.z) : fabs(B.z);
    reach = reach > fabs(C.z) ? reach : fabs(C.z);
    double slack = pal_crossingSlack * reach * fabs(s->scaleZ);
    if (!(inside && determinant != 0.0 && t >= -slack && t <= 1.0 + slack))
        return INFINITY;
    t = t > 0.0 ? t : 0.0;
    return t < 1.0 ? t : 1.0;
}

#endif
