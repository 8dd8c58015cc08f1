// SPDX-License-Identifier: Apache-2.0
// Contact and joints among soft objects, static ones and wires, where the motion of the soft ones
// over a low-rate step comes from the forces that the high rate gave (body/island.h).
//
//     Begin      remembers where the bodies are
//                (the caller moves them: the predicted motion)
//     Correct    what the predicted motion lets collide is kept apart by contact forces over the
//                step (world/step.h), on top of the forces that it contains already
//     ties       contacts that are closed then, as rows that tie the bodies in the islands of the
//                next step: the normal, and where friction holds the tangents as well. Joints
//                tie likewise
//     loads      forces of wires, which no island holds, last over the next step
//
// Between two low-rate steps closed contacts therefore stay closed and carry what is pressed, at
// the high rate too; opening, closing and sliding are decided here.
#ifndef PAL_WORLD_SOFT_WORLD_H
#define PAL_WORLD_SOFT_WORLD_H

#include "body/glue.h"
#include "world/step.h"

/// What is kept of one soft body while it is moved.
typedef struct palSoftMotionEnds
{
    palVec3* startX; // owned, [nodes], m
    palVec3* startV; // owned, [nodes], m/s
    palVec3* endX;   // owned, [nodes], m: predicted
    double* endV;    // owned, [3 freeCount], m/s: predicted
} palSoftMotionEnds;

typedef struct palSoftWorld
{
    palWorldStep step;
    palCollider* colliders; // borrowed, [colliderCount]
    int colliderCount;
    int* softOf;                // owned, [colliderCount]: number among the soft ones, or -1
    palSoftMotionEnds* motions; // owned, [colliderCount]
    palTies ties;               // for the islands; arrays below
    int* start;                 // owned, [maxRows + 1]
    int* bodies;                // owned, [maxEntries]
    int* nodes;                 // owned, [maxEntries]
    palVec3* values;            // owned, [maxEntries]
    int* linkOf;                // owned, [maxRows]: contact of each row; -1 - j: joint j
    int* axisOf;                // owned, [maxRows]: and its axis
    double* forces;             // owned, [maxRows], N
    int corrected;              // steps with contact so far
} palSoftWorld;

typedef struct palSoftWorldDef
{
    palCollider* colliders; // borrowed, [colliderCount]
    int colliderCount;
    palSoftFactorDef factor;
    const palWire* wires; // borrowed, [wireCount]
    int wireCount;
    const palLink* joints; // borrowed, [jointCount]
    int jointCount;
    double lookAhead; // s
    double radius;    // m
} palSoftWorldDef;

/// *world is NULL where there are no wires, no joints and no two bodies of which one is soft.
palResult palSoftWorld_Create(const palSoftWorldDef* def, palSoftWorld** world, palError* error);
void palSoftWorld_Destroy(palSoftWorld* world);

/// Before the bodies are moved over the step.
void palSoftWorld_Begin(palSoftWorld* world);
/// After that: corrects their motion over h, s, and writes the ties of the next step.
void palSoftWorld_Correct(palSoftWorld* world, double h, palWorldStepInfo* info);

#endif
