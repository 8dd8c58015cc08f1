// SPDX-License-Identifier: Apache-2.0
// A collider: a surface with its topology and its tree; and the nearest point of several of them,
// with the side on which the query point is.
#ifndef PAL_COLLIDE_COLLIDER_H
#define PAL_COLLIDE_COLLIDER_H

#include "body/skin.h"
#include "body/wire.h"
#include "collide/bvh.h"
#include "collide/placement.h"

/// Where a soft body moves the surface, vertices are read through palCollider_Vertex and its like,
/// and normals, angles and kinds of edges through palCollider_Normal and its like, below: they are
/// computed when they are asked for.
typedef struct palCollider
{
    palSurface surface;      // owned, world frame, m
    palTopology topology;    // owned
    palBvh* bvh;             // owned
    double friction;         // Coulomb's coefficient
    bool closed;             // every edge has two triangles that agree: there is an inside
    bool points;             // felt as a point shell: a contact plane a vertex
    bool inTick;             // of a rigid body that moves in the tick: searches pass it over
    palSoftBody* soft;       // owned: what moves the surface; NULL for rigid things
    palSkin skin;            // owned: how it does
    palPlacement* placement; // owned: where it is; NULL for rigid things and wires
    palBeamPlace* places;    // owned, [vertexCount]: on the wire that moves the surface; else NULL
    int loop;                // soft: which loop slower than the high rate steps it, from 0
} palCollider;

/// Takes the surface over (also on failure) and builds topology and tree.
palResult palCollider_Init(palCollider* collider, palSurface* surface, double friction,
                           palError* error);
void palCollider_Free(palCollider* collider);

/// Gives the surface to a soft body: body and skin are taken over, also on failure.
palResult palCollider_Bind(palCollider* collider, palSoftBody* soft, palSkin* skin,
                           palError* error);
/// Whether forces move the surface.
static inline bool palCollider_Yields(const palCollider* collider)
{
    return collider->soft != NULL || collider->places != NULL;
}
/// Puts surface, normals and tree where the vertices are, [vertexCount]. No allocation.
void palCollider_Move(palCollider* collider, const palVec3* vertices);
/// Puts surface, normals and tree where the soft body is: vertices, normals and boxes are computed
/// when a query or one of the functions below comes to them, by the thread that follows. No
/// allocation.
void palCollider_Follow(palCollider* collider);
/// With its soft body.
void palCollider_Archive(palCollider* collider, palArchive* archive);

static inline palVec3 palCollider_Vertex(const palCollider* collider, int vertex)
{
    return collider->placement != NULL ? palPlacement_Vertex(collider->placement, vertex)
                                       : collider->surface.vertices[vertex];
}

/// All vertices, [vertexCount].
const palVec3* palCollider_Vertices(const palCollider* collider);
/// The box around them.
palBounds palCollider_Bounds(const palCollider* collider);
/// Σ weights · vertices
palVec3 palCollider_Point(const palCollider* collider, const palSurfacePlace* place);
/// The outward unit normal of a feature of a triangle, as palTopology_Normal.
palVec3 palCollider_Normal(const palCollider* collider, int triangle, palTriangleFeature feature);
/// After these `topology` has the normals, angles and kinds of an edge and of the triangles beside
/// it; or of a vertex, of the triangles about it and of the edges that end there.
void palCollider_RenewEdge(const palCollider* collider, int edge);
void palCollider_RenewVertex(const palCollider* collider, int vertex);

typedef struct palNearest
{
    int object;         // index of the collider
    palClosest closest; // point, triangle, feature
    palVec3 normal;     // unit, away from the solid
    double gap;         // m, negative inside
} palNearest;

/// The surface point nearest to x within `radius`, over all colliders that are not `inTick`.
/// Real-time.
///
/// The side follows from the angle-weighted pseudo-normal of the closest feature, which is right at
/// edges and corners too (Bærentzen and Aanæs 2005). The normal is that of the triangle where the
/// closest point lies within one; on an edge or corner it is the direction to x, or the
/// pseudo-normal where x is so close that this direction is rounding noise.
bool palColliders_Nearest(const palCollider* colliders, int count, palVec3 x, double radius,
                          palNearest* nearest);

/// The normal of a half-space at the surface point closest to the proxy.
palVec3 palCollider_ContactNormal(const palCollider* collider, const palNearest* nearest);

/// Likewise at a corner of a triangle of a surface that yields; zero where the normals cancel.
palVec3 palCollider_CornerNormal(const palCollider* collider, int triangle, int corner);

#endif
