// SPDX-License-Identifier: Apache-2.0
// Distances between two wires: the closest places of the curves of two elements, and bounds that
// rule out most pairs of elements and of wires beforehand.
//
// The curve of an element is cubic. Its closest places are found on chords of the curve, refined
// around the best pair of chords, and then by Gauss-Newton steps on
//
//     p0'(s) · (p0(s) - p1(t)) = 0,   p1'(t) · (p0(s) - p1(t)) = 0
//
// unless the curves are nearly parallel there, where that system is singular.
#ifndef PAL_CONSTRAINT_WIRE_DISTANCE_H
#define PAL_CONSTRAINT_WIRE_DISTANCE_H

#include "body/wire.h"
#include "collide/box_tree.h"

/// Cosine of the angle between tangents above which wires count as parallel.
#define PAL_PARALLEL_WIRES 0.95

/// A wire and its state.
typedef struct palWireAt
{
    const palWire* wire;       // borrowed
    int body;                  // its id
    const palBeamState* state; // borrowed
    const palVec3* before;     // borrowed, [nodes]: positions one step before, m; NULL: not known
} palWireAt;

/// A place on each of two wires.
typedef struct palWirePlaces
{
    palBeamPlace place[2];
    palVec3 point[2]; // m
    double distance;  // m, between the points
} palWirePlaces;

/// The arc coordinate of a place, in elements.
static inline double palWire_Along(palBeamPlace place)
{
    return place.element + place.s;
}

/// The rest length of an element, m.
static inline double palWireAt_Length(const palWireAt* at, int element)
{
    return at->wire->model->elements[element].length;
}

/// The unit tangent of the curve.
palVec3 palWireAt_Tangent(const palWireAt* at, palBeamPlace place);
/// m/s, linear between the nodes.
palVec3 palWireAt_Velocity(const palWireAt* at, palBeamPlace place);

/// The places at parameters s of an element of each wire.
palWirePlaces palMakeWirePlaces(const palWireAt wires[2], const int element[2], const double s[2]);
/// The closest places of two elements.
palWirePlaces palClosestOnWires(const palWireAt wires[2], int element0, int element1);
/// The parameter s of the place of an element that is closest to a point.
double palClosestOnWire(const palWireAt* at, int element, palVec3 x);

/// Whether two elements may come within `reach`, m, of each other.
bool palWireElements_AreNear(const palWireAt wires[2], int element0, int element1, double reach);
/// Whether the boxes that two wires sweep from the state before, grown by `reach`, m, are disjoint.
bool palWires_AreApart(const palWireAt wires[2], double reach);
/// The box that the chord of an element sweeps from the state before, which must be known.
palBounds palWireAt_SweptBox(const palWireAt* at, int element);
/// An upper bound of the speed at which places of two wires approach each other, m/s.
double palWires_ApproachSpeed(const palBeamState* a, const palBeamState* b);

#endif
