// SPDX-License-Identifier: Apache-2.0
// What the two baselines share where the hand holds a tool: for each of its points that is near a
// surface the closest half-space of the last low-rate query, kept until the next; and likewise for
// each near pair of edges, or of a vertex and a face, a half-space at the closest place of the
// tool. A tool that touches nothing meets a half-space only where the surface is (touch/extent.h).
#ifndef PAL_RENDER_TOOL_HALF_SPACES_H
#define PAL_RENDER_TOOL_HALF_SPACES_H

#include "render/common.h"
#include "world/trail.h"

/// A method of half-spaces begins with this.
typedef struct palHalfSpaceTool
{
    palShellMethod base;
    palTrail recent;  // high rate: poses since the time of the last snapshot
    palRigidState at; // likewise: that at this time
    double lastTouch; // likewise: s, when something pushed it last
    bool isInTouch;   // likewise: since the snapshot was made
    bool isTouched;   // likewise: something pushed it in the last tick
    palMeeting meetings[pal_shellPointsMax + pal_shellPairsMax]; // likewise, as half-spaces of it
    palShellCandidate candidates[pal_shellPointsMax + pal_shellPairsMax]; // high rate
} palHalfSpaceTool;

/// What such a method finds in a snapshot.
typedef struct palHalfSpaceView
{
    const palShellView* shell;
    const palPairView* pairs;
} palHalfSpaceView;

static inline palHalfSpaceView palHalfSpaceView_Of(const palHandSnapshot* snapshot)
{
    return (palHalfSpaceView){snapshot->shell, snapshot->pairs};
}

palResult palHalfSpaceTool_Init(palMethod* method, palError* error);
void palHalfSpaceTool_Free(palMethod* method);
void palHalfSpaceTool_WriteState(const palMethod* method, palHapticHand* state);
void palHalfSpaceTool_Archive(palMethod* method, palArchive* archive);
palResult palHalfSpaceTool_MakeSnapshot(const palMethod* method, palHandSnapshot* snapshot,
                                        palError* error);

/// L3 to L5 of such a method, and H3: the half-spaces of the newest snapshot for the contacts of
/// the last tick.
palLowStage palHalfSpaceTool_Find, palHalfSpaceTool_Describe;
palTickStage palHalfSpaceTool_FindGaps;
/// H5.
palTickStage palHalfSpaceTool_Correct;

/// The table of such a method: its name, what its hands share, and its H4.
#define PAL_HALF_SPACE_TOOL(called, common, forces)                                                \
    {                                                                                              \
        PAL_SHELL_METHOD(common, palHalfSpaceTool_WriteState),                                     \
            .name = called, .rigidHand = &pal_shellRigidHand, .size = sizeof(palHalfSpaceTool),    \
            .trustShare = PAL_BOX_SHARE, .init = palHalfSpaceTool_Init,                            \
            .free = palHalfSpaceTool_Free, .makeSnapshot = palHalfSpaceTool_MakeSnapshot,          \
            .find = palHalfSpaceTool_Find, .describe = palHalfSpaceTool_Describe,                  \
            .findGaps = palHalfSpaceTool_FindGaps, .moveFreely = palShellMethod_MoveFreely,        \
            .solve = forces, .correct = palHalfSpaceTool_Correct,                                  \
            .archive = palHalfSpaceTool_Archive,                                                   \
    }

/// Rows for at most `most` of the places that would end behind their half-space by more than
/// `depth`, m, deep ones and far apart. Returns whether there are any. Real-time.
bool palHalfSpaceTool_Review(palHalfSpaceTool* tool, const palHalfSpaceView* view, double depth,
                             int most);

#endif
