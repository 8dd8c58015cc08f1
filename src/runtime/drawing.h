// SPDX-License-Identifier: Apache-2.0
// What is seen of a low-rate step: limited constraints and trust region of its snapshot, where soft
// surfaces are, and the wires and tools that the methods move.
//
// The low-rate thread copies it from the snapshot, the bodies and the method while it still owns
// them, for each reader that is open (runtime/reader.h). All memory is allocated before.
#ifndef PAL_RUNTIME_DRAWING_H
#define PAL_RUNTIME_DRAWING_H

#include "body/stress.h"
#include "render/method.h"

/// A limited constraint. At an edge or point the triangle is one that it belongs to.
typedef struct palDrawnLimited
{
    int triangle;       // index in the object's surface
    short object;       // index of the collider
    signed char set;    // convex set, from 0, where it acts; -1 where it does not
    unsigned char kind; // palLimitedKind
} palDrawnLimited;

/// A soft body's surface as it is now.
typedef struct palDrawnSurface
{
    int object;  // index of the collider
    int loop;    // which of the loops slower than the high rate moves it
    double time; // s, of the step that left it here
    int vertexCount;
    palVec3* rest;       // owned, m, where the vertices were at first
    palVec3* vertices;   // owned, m
    float* displacement; // owned, m, from there
    float* stress;       // owned, Pa, von Mises
    bool hasStress;      // someone asked for it, and it is there
} palDrawnSurface;

/// A wire as it is now.
typedef struct palDrawnWire
{
    int nodeCount;
    double radius;      // m
    palVec3* positions; // owned, m
    palQuat* rotations; // owned
} palDrawnWire;

/// A tool where it is now.
typedef struct palDrawnTool
{
    int hand;                  // that holds it
    const palSurface* surface; // borrowed, in its own frame, m
    palVec3 position;          // m
    palQuat orientation;
} palDrawnTool;

/// A hand in the snapshot.
typedef struct palDrawnHand
{
    palVec3 proxy;       // m
    palVec3 trustCentre; // m
    double trustRadius;  // m; infinite or zero: none
} palDrawnHand;

typedef struct palDrawing
{
    uint64_t sequence; // the snapshot's
    int loop;          // the snapshot's: only the surfaces of that loop are filled
    double time;       // s
    int handCount;
    palDrawnHand hands[pal_handsMax];
    int setCount; // convex sets that act on any hand
    int limitedCount, limitedCapacity;
    palDrawnLimited* limited; // owned, [limitedCapacity]: one hand's after the other's
    int colliderCount; // whose indices the surfaces bear; tools and wires count on from there
    int surfaceCount;
    palDrawnSurface* surfaces; // owned, one for each soft collider
    int wireCount;
    palDrawnWire* wires; // owned
    int toolCount;
    palDrawnTool* tools; // owned
    int rigidCount;
    palRigidView* rigid; // owned, one for each collider: those that move in the tick
} palDrawing;

/// What the low rate keeps from one drawing to the next.
typedef struct palDrawingWork
{
    palStress* stresses; // owned, one for each surface of a drawing
    int count;
} palDrawingWork;

/// For the methods of the hands and the colliders that they touch, with their surfaces as they are.
palResult palDrawing_Init(palDrawing* drawing, const palHands* hands, palError* error);
/// For the same as another, and with its contents: reads nothing that a loop moves.
palResult palDrawing_InitAs(palDrawing* drawing, const palDrawing* from, palError* error);
void palDrawing_Free(palDrawing* drawing);

palResult palDrawingWork_Init(palDrawingWork* work, const palHands* hands, palError* error);
void palDrawingWork_Free(palDrawingWork* work);

/// Copies from the snapshot, the soft bodies and the methods; `state` is that which the snapshot
/// was made for. Allocates nothing.
void palDrawing_Fill(palDrawing* drawing, const palHands* hands, const palSnapshot* snapshot,
                     const palHapticState* state);
/// Adds the stress: a bounded part of it each time, so that a large body's appears some steps
/// later. With `wanted` false it is left out and begins anew.
void palDrawing_FillStress(palDrawing* drawing, palDrawingWork* work, const palHands* hands,
                           bool wanted);

/// Takes the surfaces that another loop has filled.
void palDrawing_Take(palDrawing* drawing, const palDrawing* from);
/// Copies one drawing onto another made for the same methods and colliders.
void palDrawing_Copy(palDrawing* drawing, const palDrawing* from);
/// Soft surfaces at rest, and nothing that acts. Wires and tools stay.
void palDrawing_Rest(palDrawing* drawing);
/// The displacement of a surface whose vertices were set.
void palDrawnSurface_Measure(palDrawnSurface* drawn);

#endif
