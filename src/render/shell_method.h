// SPDX-License-Identifier: Apache-2.0
// What the methods share that touch with the points and edges of a tool (touch/tool_shell.h).
#ifndef PAL_RENDER_SHELL_METHOD_H
#define PAL_RENDER_SHELL_METHOD_H

#include "render/method.h"
#include "touch/tool_shell.h"

/// A method that moves a tool by its points begins with this.
typedef struct palShellMethod
{
    palMethod method;
    palToolShell shell;
} palShellMethod;

// Operations of such a method, see palMethodOps.
palResult palShellMethod_Init(palMethod* method, palError* error);
void palShellMethod_Place(palMethod* method, const palDeviceState* device, palPointState* body);
void palShellMethod_WriteState(const palMethod* method, palHapticState* state);
/// The view of a snapshot, and room for soft surfaces.
palResult palShellMethod_AddView(const palMethod* method, palSnapshot* snapshot, palError* error);
/// L6 of the last step: soft bodies through the forces that were felt since.
palLowStage palShellMethod_Advance;
bool palShellMethod_View(const palMethod* method, const palHapticState* hand, int index,
                         palToolView* view);
/// H2: coupling force and free motion of the tool, and of soft surfaces. H5: their motion, and what
/// the hand feels.
palTickStage palShellMethod_MoveFreely, palShellMethod_Correct;
const palVec3* palShellMethod_Points(const palMethod* method, int* count);

/// What the tables of such methods have in common.
#define PAL_SHELL_METHOD                                                                           \
    .hand = pal_handTool,                                                                          \
    .accepts = PAL_ACCEPTS(pal_partStatic) | PAL_ACCEPTS(pal_partSoft) |                           \
               PAL_ACCEPTS(pal_partWire) | PAL_ACCEPTS(pal_partJoint),                             \
    .isNeverFrozen = true, .place = palShellMethod_Place, .writeState = palShellMethod_WriteState, \
    .advance = palShellMethod_Advance, .moveFreely = palShellMethod_MoveFreely,                    \
    .correct = palShellMethod_Correct, .tool = palShellMethod_View,                                \
    .points = palShellMethod_Points

#endif
