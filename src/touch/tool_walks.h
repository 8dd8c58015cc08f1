// SPDX-License-Identifier: Apache-2.0
// The contact planes of the points of a tool, between two solves of a tick (accurate_tool.c).
//
// Each point is swept from its old position to that of the solve. One that crosses a face, or that
// has a force from the plane of a face that it has left, is walked (walk.h) with its own compliance
// and the present forces on all other points. The planes that the walk ends on are its planes in
// the next solve: the walk decides on convex sets, creases and corners, as for one point.
//
// On soft surfaces a point has a position relative to the base surface of each body that is near
// (tool_soft.h); its compliance is then that of the tool and of the surface together.
//
// A straight path may cross a ridge that the point goes over: a crossing is accepted where a walk
// leads to the same position.
#ifndef PAL_TOUCH_TOOL_WALKS_H
#define PAL_TOUCH_TOOL_WALKS_H

#include "touch/tool_shell.h"
#include "touch/walk.h"

typedef struct palToolWalks
{
    palToolShell* shell;             // borrowed
    const palHandSnapshot* snapshot; // borrowed; it has a palShellView
    int count;                       // of walks in this tick
    int examined;                    // points of the view that may touch
    palShellCandidate candidates[pal_shellPointsMax + pal_toolProbesMax]; // workspace
} palToolWalks;

/// Examines all points, and adds planes where they are needed. Returns whether contacts changed.
/// Real-time.
bool palToolWalks_Review(palToolWalks* walks);

/// Whether every point can reach its position at shell->end without crossing a rigid surface, or
/// (withSoft) any. Real-time.
bool palToolWalks_AreFree(palToolWalks* walks, bool withSoft);

#endif
