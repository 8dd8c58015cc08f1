// SPDX-License-Identifier: Apache-2.0
#include "render/shell_method.h"

#include "base/error.h"

#include <stdlib.h>

void palShellMethod_Place(palMethod* method, const palDeviceState* device)
{
    palHandle handle = palHandle_FromDevice(device);
    palToolShell_Place(&((palShellMethod*)method)->shell, &handle);
}

palPointState palShellMethod_Point(const palMethod* method)
{
    const palSteppedTool* tool = &((const palShellMethod*)method)->shell.tool;
    return palTool_GripPoint(tool->tool, &tool->state);
}

void palShellMethod_WriteState(const palMethod* method, palHapticHand* state)
{
    state->tool = ((const palShellMethod*)method)->shell.tool.state;
}

palResult palShellMethod_Init(palMethod* method, palError* error)
{
    method->reportCapacity = pal_shellContactsMax;
    method->problemRows = 3 * pal_shellContactsMax;
    return palToolShell_Init(&((palShellMethod*)method)->shell, &method->def,
                             palSoftShared_Contact(method), error);
}

palResult palShellMethod_AddView(palHandSnapshot* snapshot, palError* error)
{
    snapshot->shell = calloc(1, sizeof *snapshot->shell);
    return snapshot->shell != NULL
               ? pal_ok
               : palError_Memory(error, "what is near a tool", sizeof *snapshot->shell);
}

void palShellMethod_MoveFreely(palMethod* method, palTick* tick)
{
    palToolShell_MoveFreely(&((palShellMethod*)method)->shell, &tick->device);
}

void palShellMethod_Correct(palMethod* method, palTick* tick)
{
    palToolShell_End(&((palShellMethod*)method)->shell, &tick->device, tick->body, &tick->info);
}

bool palShellMethod_View(const palMethod* method, const palHapticHand* hand, palToolView* view)
{
    const palTool* tool = method->def.tool;
    *view = (palToolView){.surface = &tool->surface, .orientation = pal_identityQuat};
    if (hand == NULL)
        return true;
    view->position = palRigid_Point(&tool->model, &hand->tool, pal_zeroVec3);
    view->orientation = hand->tool.q;
    return true;
}

const palVec3* palShellMethod_Points(const palMethod* method, int* count)
{
    const palToolShell* shell = &((const palShellMethod*)method)->shell;
    *count = shell->pointCount;
    return shell->points;
}

void palShellMethod_Archive(palMethod* method, palArchive* archive)
{
    palToolShell_Archive(&((palShellMethod*)method)->shell, archive);
}

void palShellMethod_ArchiveSnapshot(const palMethod* method, palHandSnapshot* snapshot,
                                    palArchive* archive)
{
    (void)method;
    palShellView_Archive(snapshot->shell, archive);
    if (snapshot->pairs == NULL)
        return;
    PAL_ARCHIVE(archive, snapshot->pairs->count);
    PAL_ARCHIVE_ARRAY(archive, snapshot->pairs->near, snapshot->pairs->count);
}
