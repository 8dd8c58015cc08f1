// SPDX-License-Identifier: Apache-2.0
// `standard` where the hand holds a tool: the closest half-spaces of the last low-rate query
// (tool_half_spaces.h) as constraints. The baseline of accurate_tool.c, as standard.c is of
// accurate.c.
//
// Where the surface curves the tool leaves it, and snaps back at the update; where the tool comes
// to a place that was far from everything nothing stops it.
#include "render/tool_half_spaces.h"

enum
{
    passesMax = 12,
    addedAtOnce = 4, // places that get rows in one pass
};

// H4: rows of the half-spaces that would be entered, and the forces that prevent it.
static void solve(palMethod* method, palTick* tick)
{
    palHalfSpaceTool* standard = (palHalfSpaceTool*)method;
    palToolShell* shell = &standard->base.shell;
    palHalfSpaceView view = palHalfSpaceView_Of(tick->snapshots[0]);

    bool changed = true;
    for (int pass = 0; pass < passesMax && changed; pass++)
    {
        palToolShell_Solve(shell);
        changed = palHalfSpaceTool_Review(standard, &view, shell->surfaceOffset, addedAtOnce);
    }
    tick->info.constraints = 3 * (view.shell->count + view.pairs->count);
}

const palMethodOps pal_methodStandardTool = PAL_HALF_SPACE_TOOL("standard", solve);
