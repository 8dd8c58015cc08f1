// SPDX-License-Identifier: Apache-2.0
// Contacts between a moving tool and a moving soft surface: those that come about within a step,
// those that are near at its end, and vertices that are inside already.
//
// Each is between two features: a tool vertex and a soft triangle, a tool triangle and a soft
// vertex, or two edges. Every vertex and edge belongs to one of its triangles, and a pair of
// features is tested where the boxes of their two triangles meet: once (Curtis, Tamstorf and
// Manocha, "Fast collision detection for deformable models using representative-triangles", 2008).
// After Init nothing is allocated; the same input gives the same contacts in the same order.
#ifndef PAL_COLLIDE_TOOL_CONTACT_H
#define PAL_COLLIDE_TOOL_CONTACT_H

#include "collide/moving_surface.h"

typedef enum palToolContactKind
{
    pal_toolVertexFace, // a tool vertex on the soft surface; nearness also on its edges and
                        // vertices
    pal_toolFaceVertex, // a soft vertex on the tool; nearness also on its edges
    pal_toolEdgeEdge,
} palToolContactKind;

typedef struct palToolContact
{
    palToolContactKind kind;
    palSurfacePlace tool;
    palSurfacePlace soft;
    palVec3 normal; // unit, from the soft surface to the tool
    double t;       // of a sweep: when they touch, 0..1, never late. Proximity: 1
    double gap;     // m, along the normal at the end of the step; negative where they overlap
    bool leaves;    // of a sweep: they meet at the back of a closed surface's face or of its soft
                    // edge, as on the way out; where tissue is crushed it only seems so
} palToolContact;

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
    palToolContact* contacts; // owned, [capacity]
    int capacity;
    int count;
    bool overflow; // there were more than fit; those found first are kept
    bool earliest; // set by the caller, false after Init: of a sweep only the first contact of
                   // every vertex of either surface, and of every soft edge, is kept
} palContactList;

palResult palContactList_Init(palContactList* list, int capacity, palError* error);
void palContactList_Free(palContactList* list);

typedef struct palToolPair
{
    palMovingSurface tool;
    palMovingSurface soft;
    palBoxTree softTree; // owned, over soft.boxes
    int* firsts;         // owned, [vertices of both, edges of soft]: places in the list, or -1
} palToolPair;

/// Copies both surfaces and builds what the queries need.
palResult palToolPair_Init(palToolPair* pair, const palSurface* tool, const palSurface* soft,
                           palError* error);
void palToolPair_Free(palToolPair* pair);

/// Where all vertices are before and after the step, world frame, finite. Call it first.
void palToolPair_Move(palToolPair* pair, const palVec3* toolStart, const palVec3* toolEnd,
                      const palVec3* softStart, const palVec3* softEnd);

/// Every pair of features that touches within the step, at its first contact.
void palToolPair_Sweep(palToolPair* pair, palContactList* list);

/// Every pair of features whose distance at the end of the step is a local minimum, up to a small
/// turn of the surfaces, and at most `distance`. Overlap is told by the sides of closed surfaces.
void palToolPair_Near(palToolPair* pair, double distance, palContactList* list);

/// Tool vertices inside the soft body, at the end of the step and at most `depthMax` deep; at most
/// `capacity` are written. Returns how many there are. An open soft surface holds none.
int palToolPair_ToolInside(const palToolPair* pair, double depthMax, int capacity,
                           palInsideVertex* inside);
/// Soft vertices inside the tool.
int palToolPair_SoftInside(const palToolPair* pair, double depthMax, int capacity,
                           palInsideVertex* inside);

#endif
