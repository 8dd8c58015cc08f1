// SPDX-License-Identifier: Apache-2.0
// A convex rigid shape at a place, and the parts of it that a search for contacts asks for.
//
// Sphere and capsule are a core, a point or a segment, with a radius around it; the core of the
// others is all of them. A core that is not a cylinder is a polyhedron, if of one or two vertices.
//
// A pair is searched in a frame that has the axes of the world and its origin in a, so that digits
// are not lost far from the origin of the world.
#ifndef PAL_COLLIDE_CONVEX_H
#define PAL_COLLIDE_CONVEX_H

#include "collide/rigid_contact.h"

typedef struct palConvex
{
    const palRigidShape* shape; // borrowed
    palMat3 R;                  // of the shape's frame
    palVec3 x;                  // its origin, m
} palConvex;

/// The sine of the tilt of a cylinder up to which it stands: the contact points on its rim are then
/// fixed to it. The round rim is at most 0.08 of the radius times this below those eight points.
static const double pal_standingTilt = 1e-3;

/// The two closest points of a pair, or those that are deepest in the other along the normal.
typedef struct palConvexGap
{
    palVec3 onA, onB; // m
    palVec3 normal;   // unit, from b to a
    double gap;       // m, normal · (onA - onB)
} palConvexGap;

/// What faces the other shape.
typedef enum palFacetKind
{
    pal_facetPoint,
    pal_facetSegment,
    pal_facetPolygon,
    pal_facetDisc, // the end of a cylinder
} palFacetKind;

/// Points in counterclockwise order as seen from outside. Of a disc the points are eight on its
/// rim: fixed to the cylinder while it stands on the other, else the first is the lowest.
typedef struct palFacet
{
    palFacetKind kind;
    int count;
    palVec3 points[pal_hullCornersMax];
    int vertices[pal_hullCornersMax]; // numbers of the points, the same from step to step
    int edges[pal_hullCornersMax];    // numbers of the edges to the next points
    palVec3 normal;                   // polygon, disc: unit, outward
    palVec3 centre;                   // disc
    palVec3 across[2];                // disc: unit vectors in its plane
    double radius;                    // disc; segment: of the round surface that it is on
} palFacet;

static inline palVec3 palConvex_Direction(const palConvex* convex, palVec3 d)
{
    const palMat3* R = &convex->R;
    return (palVec3){R->m[0][0] * d.x + R->m[1][0] * d.y + R->m[2][0] * d.z,
                     R->m[0][1] * d.x + R->m[1][1] * d.y + R->m[2][1] * d.z,
                     R->m[0][2] * d.x + R->m[1][2] * d.y + R->m[2][2] * d.z};
}

static inline palVec3 palConvex_Point(const palConvex* convex, palVec3 local)
{
    return palAdd(convex->x, palMat3Apply(convex->R, local));
}

static inline palVec3 palConvex_Local(const palConvex* convex, palVec3 point)
{
    return palConvex_Direction(convex, palSub(point, convex->x));
}

/// The radius around the core.
static inline double palConvex_Radius(const palConvex* convex)
{
    palRigidShapeKind kind = convex->shape->kind;
    return kind == pal_rigidSphere || kind == pal_rigidCapsule ? convex->shape->radius : 0.0;
}

static inline palVec3 palConvex_Axis(const palConvex* convex)
{
    return palMat3Column(convex->R, 2);
}

palConvex palMakeConvex(const palRigidShape* shape, palPose pose, palVec3 origin);

/// The point of the core that is farthest along d, which need not be of unit length.
palVec3 palConvex_CoreSupport(const palConvex* convex, palVec3 d);

/// The core as a polyhedron; not of a cylinder.
int palConvex_VertexCount(const palConvex* convex);
palVec3 palConvex_Vertex(const palConvex* convex, int vertex);
int palConvex_EdgeCount(const palConvex* convex);
void palConvex_Edge(const palConvex* convex, int edge, palVec3 ends[2]);

/// The distance along a unit normal from b to a by which the shapes are apart, or overlap where it
/// is negative, and the outermost points.
palConvexGap palConvex_GapAlong(const palConvex* a, const palConvex* b, palVec3 normal);

/// The part of the surface that faces along d and holds the point `touch` of the core's surface.
void palConvex_Facet(const palConvex* convex, palVec3 d, palVec3 touch, palFacet* facet);

/// The closest points of two cores that are apart. False where they overlap, or touch up to
/// rounding.
bool palConvex_Distance(const palConvex* a, const palConvex* b, palVec3 start, palConvexGap* gap);

/// Which directions are tried.
typedef enum palSeparation
{
    pal_separateByFaces, // normals of faces only: quick, and mostly the answer
    pal_separateByAll,
} palSeparation;

/// The direction along which two shapes that overlap are separated by the shortest way: among the
/// normals of faces and of pairs of edges. Where they are apart, one of those along which they are
/// farthest apart, which need not be that of the closest points. For shapes without a cylinder.
/// `start`: any direction with its gap. Ends early at a gap above `distance`.
palConvexGap palConvex_SeparateFaces(const palConvex* a, const palConvex* b, double distance,
                                     palConvexGap start, palSeparation among);

/// The same for two boxes.
palConvexGap palConvex_SeparateBoxes(const palConvex* a, const palConvex* b, double distance);

/// The same where a is a cylinder; the direction is that of the closest points where they are
/// apart.
palConvexGap palConvex_SeparateCylinder(const palConvex* a, const palConvex* b, double distance,
                                        palConvexGap start, palSeparation among);

/// The contacts of two shapes along the normal of `gap`: where their facets overlap as seen along
/// it. Gaps above `distance` are left out. At most pal_manifoldMax; returns how many.
int palConvex_Manifold(const palConvex* a, const palConvex* b, const palConvexGap* gap,
                       double distance, palRigidContact contacts[pal_manifoldMax]);

/// The same on a half-space with the given outward unit normal and normal · x of its plane: all
/// vertices of a polyhedron that are near enough.
int palConvex_OnPlane(const palConvex* a, palVec3 normal, double offset, double distance,
                      palRigidContact contacts[pal_manifoldMax]);

#endif
