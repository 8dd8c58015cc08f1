// SPDX-License-Identifier: Apache-2.0
// What the two baselines share: one half-space at the surface point closest to where the proxy
// goes, made at the low rate.
#ifndef PAL_RENDER_HALF_SPACE_H
#define PAL_RENDER_HALF_SPACE_H

#include "render/method.h"

/// L3..L5 of a method whose snapshot is the closest contact only.
void palHalfSpace_Find(const palMethodDef* def, const palHapticState* hand, palSnapshot* snapshot,
                       palLowInfo* info);

/// Reports the contact that pushed the proxy, now at x and the body with id `hand`, with `force`.
/// The surface has moved by `moved` since the plane was found.
void palHalfSpace_Report(const palContactFrame* contact, palVec3 moved, palVec3 x, palVec3 force,
                         int hand, palHighInfo* info);

#endif
