// SPDX-License-Identifier: Apache-2.0
#include "render/shell_method.h"

#include "base/error.h"

#include <stdlib.h>

void palShellMethod_Place(palMethod* method, const palDeviceState* device, palPointState* body)
{
    palToolShell* shell = &((palShellMethod*)method)->shell;
    palHandle handle = palHandle_FromDevice(device);
    palToolShell_Place(shell, &handle);
    *body = palTool_GripPoint(shell->tool, &shell->haptic);
}

void palShellMethod_WriteState(const palMethod* method, palHapticState* state)
{
    state->tool = ((const palShellMethod*)method)->shell.haptic;
}

palResult palShellMethod_Init(palMethod* method, palError* error)
{
    palToolShell* shell = &((palShellMethod*)method)->shell;
    method->reportCapacity = pal_touchesMax;
    method->problemRows = pal_touchRowsMax;
    palResult result = palToolShell_Init(shell, &method->def, error);
    if (result == pal_ok && shell->soft != NULL)
        method->world = palSoftContact_World(shell->soft->contact);
    return result;
}

palResult palShellMethod_AddView(const palMethod* method, palSnapshot* snapshot, palError* error)
{
    snapshot->shell = calloc(1, sizeof *snapshot->shell);
    if (snapshot->shell == NULL)
        return palError_Memory(error, "what is near a tool", sizeof *snapshot->shell);
    int softCount = palSoftSide_Count(&method->def);
    return palSnapshot_AddSoft(snapshot, softCount, error);
}

void palShellMethod_Advance(palMethod* method, palLowStep* step)
{
    const palToolShell* shell = &((palShellMethod*)method)->shell;
    if (shell->soft != NULL)
        palSoftSide_Advance(&shell->soft->contact->side, step->hand);
}

void palShellMethod_MoveFreely(palMethod* method, palTick* tick)
{
    palShellMethod* tool = (palShellMethod*)method;
    palToolShell_Begin(&tool->shell, tick->snapshots[0], &tick->device);
}

void palShellMethod_Correct(palMethod* method, palTick* tick)
{
    palShellMethod* tool = (palShellMethod*)method;
    palToolShell_End(&tool->shell, tick->snapshots[0], &tick->device, tick->body, &tick->info);
}

bool palShellMethod_View(const palMethod* method, const palHapticState* hand, int index,
                         palToolView* view)
{
    const palTool* tool = method->def.tool;
    if (index > 0)
        return false;
    *view = (palToolView){.surface = &tool->surface, .orientation = pal_identityQuat};
    if (hand == NULL)
        return true;
    const palRigidState* state = &hand->tool;
    view->position = palRigid_Point(&tool->model, state, pal_zeroVec3);
    view->orientation = state->q;
    return true;
}

const palVec3* palShellMethod_Points(const palMethod* method, int* count)
{
    const palToolShell* shell = &((const palShellMethod*)method)->shell;
    *count = shell->pointCount;
    return shell->points;
}
