// SPDX-License-Identifier: Apache-2.0
// The trail (world/trail.h) of a tool that is held back: its places are poses of the tool.
#ifndef PAL_TOUCH_TOOL_TRAIL_H
#define PAL_TOUCH_TOOL_TRAIL_H

#include "touch/tool_shell.h"
#include "world/trail.h"

/// The tool at a place of the trail, with the velocities of `moving`.
static inline palRigidState palToolTrail_At(const palTrail* trail, int place,
                                            const palRigidState* moving)
{
    return (palRigidState){
        .x = trail->places[place],
        .q = trail->turns[place],
        .v = moving->v,
        .L = moving->L,
    };
}

/// The end of the trail of a tool that waits at `here`.
static inline palRigidState palToolTrail_End(const palTrail* trail, const palRigidState* here)
{
    return trail->count > 0 ? palToolTrail_At(trail, trail->count - 1, here) : *here;
}

// Low rate.

/// A copy of the tool with which the low rate tests a path, beside the one that the high rate
/// moves.
typedef struct palToolScout
{
    palToolShell shell; // a copy of what does not change; it owns nothing
    palShellView view;
} palToolScout;

palResult palToolScout_Create(const palToolShell* shell, palToolScout** scout, palError* error);

/// How many of its poses a tool at `here` reaches, in straight lines from one to the next, before
/// it meets a surface. Unless `isAllRigid`, only poses that are nearer than the nearest surface
/// count.
int palToolTrail_Clear(palToolScout* scout, const palTrail* trail, const palRigidState* here,
                       bool isAllRigid);

/// The way from `here` along the trail, after the first `clear` places, and on to `ahead`. At most
/// `most` of it, m, as palToolShell_Apart measures it. Returns its length; *end is where it ends.
double palToolTrail_Way(const palToolShell* shell, const palTrail* trail, int clear,
                        const palRigidState* here, const palRigidState* ahead, double most,
                        palRigidState* end);

#endif
