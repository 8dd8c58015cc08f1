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

#endif
