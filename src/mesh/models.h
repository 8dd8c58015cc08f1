// SPDX-License-Identifier: Apache-2.0
// Solids to touch: with thin parts, holes, and transitions between convex and concave; and two that
// are soft in life.
#ifndef PAL_MESH_MODELS_H
#define PAL_MESH_MODELS_H

#include "mesh/solid.h"

/// Two figures on a round base who hold one another, after the kind of sculpture that haptic
/// rendering is often shown with. Up is +y, the bottom of the base is y = 0. The arms are 3.6 % of
/// the height thick; three run from one figure to the other and one from a shoulder to the hip:
/// genus 4.
palSolid palMakeStatue(double height);

/// A rocker arm: a curved arm with a rib between three bosses, each with a through hole: genus 3.
/// It is `length` long along x; the axis of the pivot is parallel to z.
palSolid palMakeRocker(double length);

/// A liver-like organ: a thick lobe that thins out to the other end, a smaller lobe below, a
/// fissure between them and a flattened underside. It is `length` long along x; its underside faces
/// -y.
palSolid palMakeOrgan(double length);

/// A growth: a bulb on a stalk on a round base, `width` wide. Up is +y, the bottom is y = 0.
palSolid palMakePolyp(double width);

#endif
