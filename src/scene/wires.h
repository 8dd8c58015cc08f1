// SPDX-License-Identifier: Apache-2.0
// The wires and joints of a scene.
#ifndef PAL_SCENE_WIRES_H
#define PAL_SCENE_WIRES_H

#include "scene/bodies.h"

/// The spring and damper of a grip: stiffness in N/m and damping in N·s/m along every axis, and
/// about them what fingers have that hold a centimetre away.
palBeamCoupling palMakeWireCoupling(int node, double stiffness, double damping);

/// Makes the wires and joints of a world whose objects stand. What was made is freed with the
/// world, also on failure.
palResult palSceneBodies_AddWires(palSceneBodies* world, const palScene* scene, palError* error);

/// The joints of a world whose wires stand, for palSceneBodies_AddWires.
palResult palSceneBodies_AddJoints(palSceneBodies* world, const palScene* scene, palError* error);

#endif
