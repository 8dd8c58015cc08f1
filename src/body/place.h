// SPDX-License-Identifier: Apache-2.0
// A place: a point of any body of the world, in the coordinates that the body moves.
//
//     fixed      a point of the world, or of an object that does not move
//     surface    a point of a soft body's surface: the weighted sum of up to three vertices, or
//                the material around it (anchor.h)
//     wire       a point of an element of a wire, on its axis or beside it
//     rigid      a point in the frame of a rigid body
//
// Bodies have one id each: the objects of a scene in their order, then its wires, then what the
// hand holds.
#ifndef PAL_BODY_PLACE_H
#define PAL_BODY_PLACE_H

#include "body/beam.h"

/// A place on a surface: the weighted sum of up to three of its vertices.
typedef struct palSurfacePlace
{
    int vertices[3];   // those after `count` repeat the first
    double weights[3]; // sum 1; zero after `count`
    int count;         // 1: vertex, 2: edge, 3: triangle
} palSurfacePlace;

typedef struct palAnchor palAnchor; // body/anchor.h

typedef enum palPlaceKind
{
    pal_placeFixed,
    pal_placeSurface,
    pal_placeWire,
    pal_placeRigid,
} palPlaceKind;

typedef struct palPlace
{
    palPlaceKind kind;
    int body;                // its id; -1: the world itself
    palSurfacePlace on;      // on the surface of its body, where it has one
    const palAnchor* anchor; // borrowed; surface: what a joint holds there as a whole; NULL: the
                             // point alone
    palBeamPlace beam;       // wire
    palVec3 local;           // m; fixed: in the world; rigid: in the body's frame
    palQuat orientation;     // fixed: of the frame that a weld holds there
} palPlace;

/// Σ weights · vertices
static inline palVec3 palSurfacePlace_Point(const palSurfacePlace* place, const palVec3* vertices)
{
    palVec3 point = pal_zeroVec3;
    for (int k = 0; k < place->count; k++)
        point = palMulAdd(point, place->weights[k], vertices[place->vertices[k]]);
    return point;
}

/// The place in a triangle with those barycentric weights.
static inline palSurfacePlace palMakeTrianglePlace(const int vertices[3], const double weights[3])
{
    return (palSurfacePlace){
        .vertices = {vertices[0], vertices[1], vertices[2]},
        .weights = {weights[0], weights[1], weights[2]},
        .count = 3,
    };
}

/// A vertex of a surface.
static inline palSurfacePlace palMakeVertexPlace(int vertex)
{
    return (palSurfacePlace){
        .vertices = {vertex, vertex, vertex},
        .weights = {1.0, 0.0, 0.0},
        .count = 1,
    };
}

static inline palPlace palMakeFixedPlace(int body, palVec3 point)
{
    return (palPlace){
        .kind = pal_placeFixed,
        .body = body,
        .local = point,
        .orientation = pal_identityQuat,
    };
}

static inline palPlace palMakeWirePlace(int body, palBeamPlace beam)
{
    return (palPlace){.kind = pal_placeWire, .body = body, .beam = beam};
}

#endif
