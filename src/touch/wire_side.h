// SPDX-License-Identifier: Apache-2.0
// The low rate's side of a wire that a point may touch, as soft_side.h has it for soft bodies: its
// surface is a tube, its motion between two low-rate steps that of a few modes (body/row_space.h).
//
//     Build      modes for forces at the places nearest to the hands. What the wire rests on and is
//                joined to holds it there with its own stiffness, so that it is felt through the
//                wire
//     Predict    for the step that ends: the motion of the modes under the forces of the ticks, and
//                the forces of contacts and joints in it. The world step corrects both
#ifndef PAL_TOUCH_WIRE_SIDE_H
#define PAL_TOUCH_WIRE_SIDE_H

#include "body/row_space.h"
#include "touch/soft_patch.h"
#include "world/step.h"

/// Which row of the world step a tie is.
typedef struct palWireTie
{
    int link; // contact; -1 - j: joint j
    int end;
    int row;
} palWireTie;

typedef struct palWireSide
{
    palWorldStep* world;   // borrowed
    palWorldWire* wire;    // borrowed: moved by the world step
    palCollider* tube;     // borrowed
    palBeamState state;    // owned: where the modes have it
    palReducibleBeam beam; // of that state
    palRowSpace space;     // owned; its modes are those at the high rate's step
    palSparseRow* rows;    // owned: workspace, of the space
    bool isBuilt;          // there are modes of the present step
    int tieCapacity;
    palBeamTie* ties;    // owned, [tieCapacity]
    palWireTie* sources; // owned, likewise
    double* load;        // owned, [6 nodes]: forces of contacts and joints now, N
    double* balance;     // owned, [6 nodes]: that of the hand now, N
} palWireSide;

/// Where a hand may touch the wire.
typedef struct palWireTouch
{
    palVec3 nearest; // m
    bool byTool;     // at more places around it
} palWireTouch;

/// For so many hands.
palResult palWireSide_Init(palWireSide* side, palWorldStep* world, int wire, palCollider* tube,
                           int hands, palError* error);
void palWireSide_Free(palWireSide* side);

/// Between two steps, after the world.
void palWireSide_Archive(palWireSide* side, palArchive* archive);

/// Linearises the wire, which is collider `object`, where it is now and builds its modes for the
/// places that may be touched; `last` is what the hands push now, dt the high rate's step. Returns
/// false where that fails: there are no modes then.
bool palWireSide_Build(palWireSide* side, int object, const palWireTouch* touched, int count,
                       const palSoftForce* last, double dt);

/// How a vertex of the tube moves in each mode.
void palWireSide_Shape(const palWireSide* side, int vertex, palModeShape* shape);

/// Before the world step: the modes moved to `end`; `meanPlace`, [modes], is their mean over the
/// step.
void palWireSide_Predict(palWireSide* side, const palModesState* end, const double* meanPlace);

#endif
