// SPDX-License-Identifier: Apache-2.0
// Contact and joints among soft objects, static ones and wires, where the motion of the soft ones
// over a low-rate step is predicted from the forces of the high rate (body/island.h).
//
//     Begin      stores the states of the bodies
//                (the caller moves them: the predicted motion)
//     Correct    collisions of the predicted motion are resolved by contact forces over the step
//                (world/step.h), in addition to the forces that it contains already
//     ties       contacts that are closed then become rows that tie the bodies in the islands of
//                the next step: the normal, and where friction holds, also with the force of the
//                hand added, the tangents. Joints tie likewise
//     rubs       friction of bodies that slide, where nothing holds one of them, acts at the high
//                rate (world/soft_rubs.h)
//     loads      forces of wires, which are in no island, and friction of contacts that may slide
//                between bodies that are held, are constant over the next step. Without its
//                friction a pressed body would slide on in every prediction, and be put back by
//                every correction
//
// Between two low-rate steps closed contacts therefore stay closed and transmit forces at the high
// rate too; opening, closing and sliding are decided here.
#ifndef PAL_WORLD_SOFT_WORLD_H
#define PAL_WORLD_SOFT_WORLD_H

#include "world/soft_rubs.h"
#include "world/step.h"

/// The states of one soft body before and after its predicted motion.
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
    int* softOf;                // owned, [colliderCount]: index among the soft ones, or -1
    palSoftMotionEnds* motions; // owned, [colliderCount]
    palTies ties;               // for the islands; its arrays are those below
    int* start;                 // owned, [maxRows + 1]
    int* bodies;                // owned, [maxEntries]
    int* nodes;                 // owned, [maxEntries]
    palVec3* values;            // owned, [maxEntries]
    int* linkOf;                // owned, [maxRows]: contact of each row; -1 - j: joint j
    int* axisOf;                // owned, [maxRows]: axis of the contact or joint
    double* forces;             // owned, [maxRows]: λ of each row, N
    palSoftRubs rubs;           // pairs that slide, of which one is free
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

/// Between two steps, after the colliders.
void palSoftWorld_Archive(palSoftWorld* world, palArchive* archive);

/// Call it before the bodies are moved over the step.
void palSoftWorld_Begin(palSoftWorld* world);
/// Call it after that: corrects their motion over h, s, and writes the ties of the next step.
/// pushes[i] is the force of the hand on object i, N.
void palSoftWorld_Correct(palSoftWorld* world, double h, const palVec3* pushes,
                          palWorldStepInfo* info);

#endif
