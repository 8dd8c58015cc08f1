// SPDX-License-Identifier: Apache-2.0
// The surface of a wire as a collider: a closed tube of triangles around its nodes, which moves
// with them.
#ifndef PAL_COLLIDE_TUBE_H
#define PAL_COLLIDE_TUBE_H

#include "body/wire.h"
#include "collide/collider.h"

/// At rest.
palResult palTube_Init(palCollider* tube, const palWire* wire, palError* error);
/// Puts it where the wire is. No allocation.
void palTube_Follow(palCollider* tube, const palBeamModel* model, const palBeamState* state);

/// Moves `closest`, the nearest place of the tube to x, to the place in the direction of x from the
/// wire's axis. It is where the nearest place of the round wire is, and moves continuously with x;
/// of a point inside, the nearest place of the facets jumps from one to the next. Stays as it is at
/// the flat ends and on the axis.
void palTube_PlaceRadially(const palCollider* tube, palVec3 x, palClosest* closest);

#endif
