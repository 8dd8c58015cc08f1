// SPDX-License-Identifier: Apache-2.0
#include "render/common.h"

#include "base/error.h"

#include <stdlib.h>

//--------------------------------------------------------------------------------------------------
// What the hands share

static palResult init(palShared* shared, palError* error)
{
    palSoftShared* soft = (palSoftShared*)shared;
    palResult result =
        palSoftContact_Create(shared->defs, shared->handCount, &soft->contact, error);
    if (soft->contact != NULL)
        shared->world = palSoftContact_World(soft->contact);
    return result;
}

static void release(palShared* shared)
{
    palSoftShared* soft = (palSoftShared*)shared;
    palSoftContact_Destroy(soft->contact);
    for (int i = 0; i < shared->defs[0].colliderCount && soft->merged != NULL; i++)
        palMerged_Free(&soft->merged[i]);
    free(soft->merged);
}

palResult palSoftShared_Merge(const palMethod* method, const palMerged** merged, palError* error)
{
    palSoftShared* soft = (palSoftShared*)method->shared;
    const palMethodDef* def = &method->def;
    size_t count = (size_t)def->colliderCount + 1;
    palResult result = pal_ok;
    if (soft->merged == NULL)
    {
        soft->merged = calloc(count, sizeof *soft->merged);
        if (soft->merged == NULL)
            return palError_Memory(error, "merged surfaces", count * sizeof *soft->merged);
        for (int i = 0; i < def->colliderCount && result == pal_ok; i++)
            result = palMerged_Init(&soft->merged[i], &def->colliders[i],
                                    def->settings.accurate.tolerance, error);
    }
    *merged = soft->merged;
    return result;
}

static palResult makeSnapshot(const palShared* shared, palSnapshot* snapshot, palError* error)
{
    return palSnapshot_AddSoft(snapshot, palSoftSide_Count(shared->defs), shared->defs,
                               shared->handCount, error);
}

// L6 of the last step: soft bodies through the forces that were felt since.
static void advance(palShared* shared, palLowStep* step)
{
    palSoftContact* contact = ((palSoftShared*)shared)->contact;
    if (contact != NULL)
        palSoftSide_Advance(&contact->side, step->state);
}

// L1, L5: linearise and factor the soft bodies, and reduce the motion of the faces near the hands.
static void describe(palShared* shared, palLowStep* step)
{
    palSoftContact* contact = ((palSoftShared*)shared)->contact;
    if (contact == NULL)
        return;
    palSoftSide_Describe(&contact->side, step->snapshot->soft);
    palSoftSide_AddInfo(&contact->side, &step->info);
}

// H2: without contact.
static void moveFreely(palShared* shared, palTick* ticks)
{
    palSoftContact* contact = ((palSoftShared*)shared)->contact;
    if (contact != NULL)
        palSoftContact_Begin(contact, ticks[0].snapshots[0]);
}

// H4: the motion under the forces of all hands.
static void solve(palShared* shared, palTick* ticks)
{
    palSoftContact* contact = ((palSoftShared*)shared)->contact;
    if (contact != NULL)
        palSoftContact_End(contact, ticks[0].snapshots[0], ticks[0].device.time);
}

static void archiveShared(palShared* shared, palArchive* archive)
{
    palSoftContact* contact = ((palSoftShared*)shared)->contact;
    if (contact != NULL)
        palSoftContact_Archive(contact, archive);
}

static void archiveSnapshot(const palShared* shared, palSnapshot* snapshot, palArchive* archive)
{
    (void)shared;
    if (snapshot->soft != NULL)
        palSoftPatch_Archive(snapshot->soft, archive);
}

const palSharedOps pal_sharedSoft = {
    .size = sizeof(palSoftShared),
    .init = init,
    .free = release,
    .makeSnapshot = makeSnapshot,
    .advance = advance,
    .describe = describe,
    .moveFreely = moveFreely,
    .solve = solve,
    .archive = archiveShared,
    .archiveSnapshot = archiveSnapshot,
};

//--------------------------------------------------------------------------------------------------
// Tools

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
    palHandle handle = palHandle_FromDevice(&tick->device);
    palToolShell_MoveFreely(&((palShellMethod*)method)->shell, &handle);
}

void palShellMethod_Correct(palMethod* method, palTick* tick)
{
    palHandle handle = palHandle_FromDevice(&tick->device);
    palToolShell_End(&((palShellMethod*)method)->shell, &handle, tick->body, &tick->info);
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
