// SPDX-License-Identifier: Apache-2.0
// Contacts between two moving surfaces a and b of any bodies: those that come about within a step,
// those that are near at its end, and vertices of the one that are inside the other.
//
// Each is between two features: a vertex of a and a triangle of b, a triangle of a and a vertex of
// b, or two edges. Every vertex and edge belongs to one of its triangles, and a pair of features is
// tested where the boxes of their two triangles meet: once (Curtis, Tamstorf and Manocha, "Fast
// collision detection for deformable models using representative-triangles", 2008).
//
// A pair only refers to its surfaces: a body moves its surface once a step (moving_surface.h), for
// all pairs. Pairs whose swept bounds do not meet cost one comparison. Nothing is allocated; the
// same input gives the same contacts in the same order.
#ifndef PAL_COLLIDE_SURFACE_PAIR_H
#define PAL_COLLIDE_SURFACE_PAIR_H

#include "collide/moving_surface.h"

typedef enum palContactKind
{
    pal_contactVertexFace, // a vertex of a on b; nearness also on edges and vertices of b
    pal_contactFaceVertex, // a vertex of b on a; nearness also on edges of a
    pal_contactEdgeEdge,
} palContactKind;

typedef struct palSurfaceContact
{
    palContactKind kind;
    palSurfacePlace a;
    palSurfacePlace b;
    palVec3 normal; // unit, from b to a
    double t;       // of a sweep: when they touch, 0..1, never late. Proximity: 1
    double gap;     // m, along the normal at the end of the step; negative where they overlap
    bool leaves;    // of a sweep: they meet at the back of a closed surface's face or of an edge of
                    // b, as on the way out; where tissue is crushed it only seems so
} palSurfaceContact;

/// A vertex of one body inside the other.
typedef struct palInsideVertex
{
    int vertex;
    palSurfacePlace place; // the nearest on the other surface
    palVec3 normal;        // unit, out of the other body there
    double depth;          // m, > 0
} palInsideVertex;

typedef struct palContactList
{
    palSurfaceContact* contacts; // owned, [capacity]
    int capacity;
    int count;
    bool overflow; // there were more than fit; those found first are kept
} palContactList;

palResult palContactList_Init(palContactList* list, int capacity, palError* error);
void palContactList_Free(palContactList* list);

/// Two surfaces, moved by their bodies before each query.
typedef struct palSurfacePair
{
    const palMovingSurface* a; // borrowed
    const palMovingSurface* b; // borrowed
    bool hasFront; // nearness: where b is open, what is behind its triangles has passed through it;
                   // false: the side follows from a
} palSurfacePair;

/// Every pair of features that touches within the step, at its first contact.
void palSurfacePair_Sweep(const palSurfacePair* pair, palContactList* list);

/// Every pair of features whose distance at the end of the step is a local minimum, up to a small
/// rotation of the surfaces, and at most `distance`. Overlap follows from the sides of closed
/// surfaces.
void palSurfacePair_Near(const palSurfacePair* pair, double distance, palContactList* list);

/// Vertices of a inside b, or of b inside a, at the end of the step and at most `depthMax` deep; at
/// most `capacity` are written. Returns how many there are. An open surface holds none.
int palSurfacePair_Inside(const palSurfacePair* pair, bool ofA, double depthMax, int capacity,
                          palInsideVertex* inside);

#endif
