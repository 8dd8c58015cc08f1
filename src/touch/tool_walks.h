// SPDX-License-Identifier: Apache-2.0
// How the points of a tool find their planes, between two solves of a tick (accurate_tool.c).
//
// Each point is swept from where it was to where the solve puts it. One that crosses a face, or
// that is held by the plane of a face that it has left, is walked (walk.h): with its own
// compliance, and with the forces on all other points as they are. The planes that the walk ends on
// are its planes in the next solve: convex sets, creases and corners are the walk's to decide, as
// for one point.
//
// On soft surfaces a point is where it is on the free surface, one such place for each body that is
// near (tool_soft.h); its own compliance is then that of the tool and of the surface together.
//
// A straight way may cross a ridge that the point goes over, so that a crossing is no fault where a
// walk gets to the same place.
#ifndef PAL_TOUCH_TOOL_WALKS_H
#define PAL_TOUCH_TOOL_WALKS_H

#include "touch/tool_shell.h"
#include "touch/walk.h"

typedef struct palToolWalks
{
    palToolShell* shell;         // borrowed
    const palSnapshot* snapshot; // borrowed; its own part is a palShellView
    int count;                   // of walks in this tick
    int examined;                // points of the view that may touch
    palShellCandidate candidates[pal_shellPointsMax + pal_toolProbesMax]; // workspace
} palToolWalks;

/// Looks at all points: new planes where they are needed. Returns whether anything changed.
/// Real-time.
bool palToolWalks_Review(palToolWalks* walks);

/// Whether every point can get to where shell->end has it on rigid surfaces. Real-time.
bool palToolWalks_AreFree(palToolWalks* walks);

#endif
