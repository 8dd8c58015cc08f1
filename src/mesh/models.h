// SPDX-License-Identifier: Apache-2.0
// Example solids with thin parts, holes and transitions between convex and concave, and two shaped
// like soft tissue.
#ifndef PAL_MESH_MODELS_H
#define PAL_MESH_MODELS_H

#include "mesh/solid.h"

/// Two embracing figures on a round base, similar to sculptures often used to demonstrate haptic
/// rendering. Up is +y, the bottom of the base is y = 0. The arms have a thickness of 3.6 % of the
/// height; three run from one figure to the other and one from a shoulder to the hip: genus 4.
palSolid palMakeStatue(double height);

/// A rocker arm: a curved arm with a rib between three bosses, each with a through hole: genus 3.
/// Its length is along x; the axis of the pivot is parallel to z.
palSolid palMakeRocker(double length);

/// A liver-like organ: a thick lobe that becomes thinner towards the other end, a smaller lobe
/// below, a fissure between them and a flattened underside. Its length is along x; its underside
/// faces -y.
palSolid palMakeOrgan(double length);

/// A polyp: a bulb on a stalk on a round base of the given width. Up is +y, the bottom is y = 0.
palSolid palMakePolyp(double width);

#endif
