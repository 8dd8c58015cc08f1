// SPDX-License-Identifier: Apache-2.0
// Conversions between the device and a tool: the handle at either rate, and what is reported of the
// tool as the haptic body.
#ifndef PAL_WORLD_HAND_H
#define PAL_WORLD_HAND_H

#include "world/def.h"

#include <palpate/device.h>

/// The end of the coupling that the hand moves, at the low rate.
static inline palHandle palHandle_FromState(const palHapticHand* hand)
{
    return (palHandle){
        .x = hand->device,
        .q = hand->deviceTurn,
        .v = hand->deviceSpeed,
        .omega = hand->deviceSpin,
    };
}

/// The same at the high rate.
static inline palHandle palHandle_FromDevice(const palDeviceState* device)
{
    return (palHandle){
        .x = device->position,
        .q = device->orientation,
        .v = device->velocity,
        .omega = device->angularVelocity,
    };
}

/// The grip of a tool as the point of the haptic body.
static inline palPointState palTool_GripPoint(const palTool* tool, const palRigidState* state)
{
    palHandle grip = palTool_Grip(tool, state);
    return (palPointState){.x = grip.x, .v = grip.v};
}

/// H5: writes the grip to `body`, and the force and torque of the coupling on the hand to `info`.
static inline void palTool_HandForce(const palTool* tool, const palRigidState* state,
                                     const palHandle* handle, palPointState* body,
                                     palHighInfo* info)
{
    palWrench hand = palRigid_HandWrench(&tool->model, state, handle);
    *body = palTool_GripPoint(tool, state);
    info->force = hand.force;
    info->torque = hand.torque;
    info->turn = state->q;
}

#endif
