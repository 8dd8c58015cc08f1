// SPDX-License-Identifier: Apache-2.0
#include "render/common.h"

#include "base/error.h"

#include <stdlib.h>

//--------------------------------------------------------------------------------------------------
// What the hands share

static palResult initWith(palShared* shared, const palContactMaterial* law, palError* error)
{
    palSoftShared* soft = (palSoftShared*)shared;
    palResult result =
        palSoftContact_Create(shared->defs, shared->handCount, &soft->contact, error);
    if (soft->contact != NULL)
        shared->world = palSoftContact_World(soft->contact);
    if (result != pal_ok || !palRigidHands_AreNeeded(shared->defs))
        return result;
    shared->rigid = &soft->rigid;
    return palRigidHands_Init(&soft->rigid, shared, law, error);
}

static palResult init(palShared* shared, palError* error)
{
    const palContactMaterial law = {.law = pal_contactRigid};
    return initWith(shared, &law, error);
}

static palResult initYielding(palShared* shared, palError* error)
{
    const palContactMaterial law = {
        .law = pal_contactStiff,
        .stiffness = shared->defs->settings.penalty.stiffness,
        .damping = shared->defs->settings.penalty.damping,
    };
    return initWith(shared, &law, error);
}

static void release(palShared* shared)
{
    palSoftShared* soft = (palSoftShared*)shared;
    palSoftContact_Destroy(soft->contact);
    palRigidHands_Free(&soft->rigid, shared);
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
    if (shared->rigid != NULL)
        palRigidHands_Solve(shared->rigid, shared, ticks);
    if (contact != NULL)
        palSoftContact_End(contact, ticks[0].snapshots[0], ticks[0].device.time);
}

static palResult makeState(const palShared* shared, palHapticState* state, palError* error)
{
    const palRigidHands* rigid = shared->rigid;
    return rigid != NULL ? palRigidWorld_MakeState(&rigid->world, state, error) : pal_ok;
}

// H6: where the rigid bodies are.
static void writeState(const palShared* shared, palHapticState* state)
{
    if (shared->rigid != NULL)
        palRigidWorld_WriteState(&shared->rigid->world, state);
}

static bool rigid(const palShared* shared, int object, palRigidView* view)
{
    return shared->rigid != NULL && palRigidWorld_View(&shared->rigid->world, object, view);
}

static palRigidTotals totals(const palShared* shared)
{
    return shared->rigid != NULL ? palRigidWorld_Totals(&shared->rigid->world)
                                 : (palRigidTotals){0};
}

static void setFriction(palShared* shared, int object, double friction)
{
    if (shared->rigid != NULL)
        palPile_SetFriction(shared->rigid->world.pile, object, friction);
}

static void archiveShared(palShared* shared, palArchive* archive)
{
    palSoftContact* contact = ((palSoftShared*)shared)->contact;
    if (contact != NULL)
        palSoftContact_Archive(contact, archive);
    if (shared->rigid != NULL)
        palRigidHands_Archive(shared->rigid, archive);
}

static void archiveState(const palShared* shared, palHapticState* state, palArchive* archive)
{
    if (shared->rigid != NULL)
        palRigidWorld_ArchiveState(state, archive);
}

static void archiveSnapshot(const palShared* shared, palSnapshot* snapshot, palArchive* archive)
{
    (void)shared;
    if (snapshot->soft != NULL)
        palSoftPatch_Archive(snapshot->soft, archive);
}

#define PAL_SOFT_SHARED(prepare)                                                                   \
    {                                                                                              \
        .size = sizeof(palSoftShared), .init = (prepare), .free = release,                         \
        .makeSnapshot = makeSnapshot, .makeState = makeState, .advance = advance,                  \
        .describe = describe, .moveFreely = moveFreely, .solve = solve, .writeState = writeState,  \
        .rigid = rigid, .totals = totals, .setFriction = setFriction, .archive = archiveShared,    \
        .archiveSnapshot = archiveSnapshot, .archiveState = archiveState,                          \
    }

const palSharedOps pal_sharedSoft = PAL_SOFT_SHARED(init);
const palSharedOps pal_sharedYielding = PAL_SOFT_SHARED(initYielding);

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
    palRigidHands_Report(method, tick);
}

static palRigidStep motion(const palMethod* method, const palTick* tick)
{
    (void)tick;
    return palToolShell_Motion(&((const palShellMethod*)method)->shell);
}

static void push(palMethod* method, palTick* tick, palWrench wrench)
{
    (void)tick;
    palToolShell_PushFrom(&((palShellMethod*)method)->shell, wrench);
}

palVec3 palShellMethod_Stop(const palMethod* method, const palTick* tick, palPile* pile, int body)
{
    (void)tick;
    const palToolShell* shell = &((const palShellMethod*)method)->shell;
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < shell->contactCount; i++)
    {
        palPileStop stop = palToolShell_Stop(shell, i);
        stop.body = body;
        palPile_Stop(pile, &stop);
        for (int k = 0; k < 3; k++)
            sum = palMulAdd(sum, stop.lambda[k], stop.axes[k]);
    }
    return sum;
}

const palRigidHandOps pal_shellRigidHand = {
    .motion = motion,
    .push = push,
    .stop = palShellMethod_Stop,
};

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
