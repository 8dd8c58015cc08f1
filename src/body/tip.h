// SPDX-License-Identifier: Apache-2.0
// A round tip on a soft surface: how it spreads its force.
//
// The answer of an elastic body to a force at one point has no limit: with ever smaller elements
// the point sinks in ever deeper. A ball of radius R that presses with F touches it within a circle
// of radius a (Hertz 1881),
//
//     a³ = 3 F R / (4 E*),   E* = E / (1 - ν²),   p(r) ~ √(1 - r²/a²)
//
// So a hand with a tip touches with a point, the lowest of the ball, as one without, but its force
// acts within the circle, and what it touches is the mean of the surface there, with the same
// weights: force and motion belong to each other, and nothing that the surface does within the
// circle, where elements are pressed flat, is felt as a shape. Over the circle the ball is a²/5R
// above its lowest point in the mean, so that point is a²/5R below the mean surface. The circle is
// at most as large as the ball. Small circles are not resolved: a is at least R/3, which that of a
// ball is when it is pressed in by R/9.
//
// Which part of the surface is within the circle is determined in the rest shape, so that it does
// not change with the motion; the far side of a thin part is excluded. Integrals over it are sums
// over dots: sample points of the surface about R/9 apart, independent of its triangles, each
// weighted by the area around it.
#ifndef PAL_BODY_TIP_H
#define PAL_BODY_TIP_H

#include "body/place.h"
#include "body/skin.h"

enum
{
    pal_tipDotsMax = 1024, // within a circle
};

/// Where a place of the surface is at rest.
typedef struct palTipCentre
{
    palVec3 x;      // m
    palVec3 normal; // unit
} palTipCentre;

/// A place of the surface that stands for the area around it.
typedef struct palTipDot
{
    palTipCentre rest;
    double along; // m: rest.x along the axis of palTipDots
    double area;  // m²
    palSurfacePlace at;
} palTipDot;

/// The dots of one body.
typedef struct palTipDots
{
    const palSkin* skin;     // borrowed
    const palSoftBody* body; // borrowed
    int axis;                // by which the dots are sorted
    palTipDot* dots;         // owned, [count]
    int count;
    palTipCentre* vertices; // owned, by vertex of the surface
    int* nodes; // owned, by node of the body: of the dots that it moves the nearest; -1: none
} palTipDots;

/// A circle: dots, and the share of the force that each has; their sum is 1.
typedef struct palTipCircle
{
    int count;
    int dots[pal_tipDotsMax];
    double shares[pal_tipDotsMax];
} palTipCircle;

/// For balls of `radius` and larger. Of the surface its triangles are read.
palResult palTipDots_Init(palTipDots* dots, const palSurface* surface, const palSkin* skin,
                          const palSoftBody* body, double radius, palError* error);
void palTipDots_Free(palTipDots* dots);

/// The radius of the circle in which a ball of radius R touches that presses with `force`, N.
double palTip_Radius(double R, double force, const palSoftBody* body);
/// How far its lowest point is then below the mean of the surface in the circle, m.
double palTip_Below(double R, double force, const palSoftBody* body);

/// The circle of radius a around a place that is at `centre` at rest; of no dots where none is
/// there.
void palTipDots_Circle(const palTipDots* dots, const palTipCentre* centre, double a,
                       palTipCircle* circle);

/// Where the mean surface of a circle is around `centre`, with the vertices of the surface at these
/// places: a place of the mean motion of the circle, which turns as it does. Returns false where
/// the circle has no dots.
bool palTipDots_Place(const palTipDots* dots, const palTipCircle* circle, const palVec3* vertices,
                      const palTipCentre* centre, palVec3* now);

/// Adds a force that acts within a circle to a vector of the body's rows.
void palTipDots_AddForce(const palTipDots* dots, const palTipCircle* circle, palVec3 force,
                         double* rows);

#endif
