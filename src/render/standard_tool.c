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

static void high(palMethod* method, const palSnapshot* snapshot, const palDeviceState* device,
                 palPointState* body, palHighInfo* info)
{
    palHalfSpaceTool* standard = (palHalfSpaceTool*)method;
    palToolShell* shell = &standard->base.shell;
    const palHalfSpaceView* view = snapshot->own;

    // H2: coupling force and free motion of the tool, and of soft surfaces.
    palHalfSpaceTool_Begin(standard, snapshot, device);

    // H3, H4: rows of the half-spaces that would be entered, and the forces that prevent it.
    bool changed = true;
    for (int pass = 0; pass < passesMax && changed; pass++)
    {
        palToolShell_Solve(shell);
        changed = palHalfSpaceTool_Review(standard, view, shell->surfaceOffset, addedAtOnce);
    }

    // H5.
    palToolShell_End(shell, snapshot, device, body, info);
    info->constraints = 3 * (view->shell.count + view->pairs.count);
}

const palMethodOps pal_methodStandardTool = {
    .name = "standard",
    .hand = pal_handTool,
    .accepts = PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partSoft),
    .size = sizeof(palHalfSpaceTool),
    .snapshotSize = sizeof(palHalfSpaceView),
    .stateSize = sizeof(palRigidState),
    .init = palHalfSpaceTool_Init,
    .free = palHalfSpaceTool_Free,
    .place = palShellMethod_Place,
    .tell = palShellMethod_WriteState,
    .low = palHalfSpaceTool_Low,
    .high = high,
    .tool = palShellMethod_View,
    .points = palShellMethod_Points,
};
