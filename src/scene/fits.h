// SPDX-License-Identifier: Apache-2.0
// Fits of round shafts in round holes.
#ifndef PAL_SCENE_FITS_H
#define PAL_SCENE_FITS_H

#include "scene/bodies.h"

/// Warns of a shaft that has less play in a hole of another object than the facets of either are
/// high: a polygon goes in, or rattles, as it is turned.
palResult palSceneBodies_CheckFits(const palSceneBodies* world, const palScene* scene,
                                   palMessages* messages, palError* error);

#endif
