// SPDX-License-Identifier: Apache-2.0
// The surface of a wire as something that can be touched: a closed tube of triangles around its
// nodes, which moves with them.
#ifndef PAL_COLLIDE_TUBE_H
#define PAL_COLLIDE_TUBE_H

#include "body/wire.h"
#include "collide/collider.h"

/// At rest.
palResult palTube_Init(palCollider* tube, const palWire* wire, palError* error);
/// Puts it where the wire is. No allocation.
void palTube_Follow(palCollider* tube, const palBeamModel* model, const palBeamState* state);

#endif
