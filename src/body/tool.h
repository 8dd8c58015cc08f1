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
    double spacing;      // m, of the points that it touches with, if so; 0: by its size
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

/// A point of the world in the frame of a tool at that state.
static inline palVec3 palTool_Local(const palTool* tool, const palRigidState* state, palVec3 point)
{
    palVec3 arm = palRotate(palConjugate(state->q), palSub(point, state->x));
    return palAdd(tool->model.def.mass.centre, arm);
}

/// A tool with its state at one rate.
typedef struct palSteppedTool
{
    const palTool* tool; // borrowed; NULL: the hand holds something else
    int body;            // its id
    palRigidState state;
    palRigidStep step; // of its free motion
} palSteppedTool;

/// Free motion over h, with the handle as it is at the end.
static inline void palSteppedTool_Move(palSteppedTool* stepped, double h, const palHandle* handle)
{
    stepped->step = palRigid_Free(&stepped->tool->model, &stepped->state, handle, h);
}

/// A point of the world in the tool's frame.
static inline palVec3 palSteppedTool_Local(const palSteppedTool* stepped, palVec3 point)
{
    return palTool_Local(stepped->tool, &stepped->state, point);
}

/// The velocity of a point of the world that moves with the tool, m/s.
static inline palVec3 palSteppedTool_Velocity(const palSteppedTool* stepped, palVec3 point)
{
    palVec3 omega = palRigid_Omega(&stepped->tool->model, &stepped->state);
    return palAdd(stepped->state.v, palCross(omega, palSub(point, stepped->state.x)));
}

#endif
