// SPDX-License-Identifier: Apache-2.0
// The tool that the hand holds: a rigid surface in the frame of the handle, and its body.
#ifndef PAL_BODY_TOOL_H
#define PAL_BODY_TOOL_H

#include "body/rigid.h"
#include "mesh/surface.h"

typedef struct palTool
{
    palSurface surface;  // arrays borrowed; closed; the handle is its origin and has its axes, m
    palRigidModel model; // its body, and the coupling to the device
} palTool;

/// Where the tool is held, and how that point moves.
static inline palHandle palTool_Grip(const palTool* tool, const palRigidState* state)
{
    const palRigidModel* model = &tool->model;
    palVec3 r = palRotate(state->q, model->grip);
    palVec3 omega = palRigid_Omega(model, state);
    return (palHandle){
        .x = palAdd(state->x, r),
        .q = palMulQuat(state->q, model->def.gripOrientation),
        .v = palAdd(state->v, palCross(omega, r)),
        .omega = omega,
    };
}

#endif
