// SPDX-License-Identifier: Apache-2.0
// The low rate's side of a wire that a point may touch, as soft_side.h has it for soft bodies: its
// surface is a tube, its motion between two low-rate steps that of a few modes (body/row_space.h).
//
//     Load     of the step that ends: the mean of the forces that the hand gave, for the world step
//     Build    modes for forces at the place nearest to the hand. What the wire rests on and is
//              joined to holds it there with its own stiffness, so that it is felt through the wire
#ifndef PAL_RENDER_WIRE_SIDE_H
#define PAL_RENDER_WIRE_SIDE_H

#include "body/reducible.h"
#include "render/soft_patch.h"
#include "world/step.h"

typedef struct palWireSide
{
    const palWorldStep* world; // borrowed
    palWorldWire* wire;        // borrowed: moved by the world step
    palCollider* tube;         // borrowed
    palReducibleBeam beam;     // owned
    palRowSpace reduction;     // owned; its modes are those at the high rate's step
    palBeamTie* ties;          // owned, [tieCapacity]
    int tieCapacity;
    double* balance; // owned, [6 nodes]: forces that act on the wire now, N
} palWireSide;

palResult palWireSide_Init(palWireSide* side, const palWorldStep* world, int wire,
                           palCollider* tube, palError* error);
void palWireSide_Free(palWireSide* side);

/// Of the forces on the wire, which is collider `object`: their mean over `ticks` steps.
void palWireSide_Load(palWireSide* side, int object, const palSoftForce* forces, int forceCount,
                      int ticks);

/// Linearises the wire where it is now and builds its modes; `last` is what the hand pushes now, dt
/// the high rate's step. Returns false where that fails: there are no modes then.
bool palWireSide_Build(palWireSide* side, int object, palVec3 nearest, const palSoftForce* last,
                       double dt);

/// How a vertex of the tube moves in each mode.
void palWireSide_Shape(const palWireSide* side, int vertex, palModeShape* shape);

#endif
