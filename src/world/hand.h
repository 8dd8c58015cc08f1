// SPDX-License-Identifier: Apache-2.0
// Between the device and a tool: the handle as either rate knows it, and the tool as the haptic
// body that is reported.
#ifndef PAL_WORLD_HAND_H
#define PAL_WORLD_HAND_H

#include "world/def.h"

#include <palpate/device.h>

/// The end of the coupling that the hand moves, as the low rate knows it.
static inline palHandle palHandle_FromState(const palHapticState* hand)
{
    return (palHandle){
        .x = hand->device,
        .q = hand->deviceTurn,
        .v = hand->deviceSpeed,
        .omega = hand->deviceSpin,
    };
}

/// And as the high rate does.
static inline palHandle palHandle_FromDevice(const palDeviceState* device)
{
    return (palHandle){
        .x = device->position,
        .q = device->orientation,
        .v = device->velocity,
        .omega = device->angularVelocity,
    };
}

/// Where a tool is held, as the point of the haptic body.
static inline palPointState palTool_GripPoint(const palTool* tool, const palRigidState* state)
{
    palHandle grip = palTool_Grip(tool, state);
    return (palPointState){.x = grip.x, .v = grip.v};
}

/// H5: where a tool is held, and what its coupling does to the hand.
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
