// SPDX-License-Identifier: Apache-2.0
// What a viewer shows of a low-rate step: limited constraints and trust region of its snapshot, and
// where soft surfaces are.
//
// The low-rate thread copies it from the snapshot while it still owns that, and only in a run that
// someone watches. All memory is allocated before.
#ifndef PAL_RENDER_DRAWING_H
#define PAL_RENDER_DRAWING_H

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
    int object; // index of the collider
    int vertexCount;
    palVec3* rest;       // owned, m, where the vertices were at first
    palVec3* vertices;   // owned, m
    float* displacement; // owned, m, from there
} palDrawnSurface;

typedef struct palDrawing
{
    uint64_t sequence;   // the snapshot's
    double time;         // s
    palVec3 proxy;       // m, for which the sets were found
    palVec3 trustCentre; // m
    double trustRadius;  // m; infinite or zero: none
    int setCount;        // convex sets that act
    int limitedCount;
    palDrawnLimited* limited; // owned, [pal_patchMax] where the method uses a patch
    int surfaceCount;
    palDrawnSurface* surfaces; // owned, one for each soft collider
} palDrawing;

/// For snapshots of a method that touches these colliders, with their surfaces as they are.
palResult palDrawing_Init(palDrawing* drawing, const palMethodOps* ops, const palMethodDef* def,
                          palError* error);
void palDrawing_Free(palDrawing* drawing);

/// Copies from the snapshot; `x` is where the proxy is. Allocates nothing.
void palDrawing_Fill(palDrawing* drawing, const palMethod* method, const palSnapshot* snapshot,
                     palVec3 x);

/// Copies one drawing onto another made for the same method and colliders.
void palDrawing_Copy(palDrawing* drawing, const palDrawing* from);

#endif
