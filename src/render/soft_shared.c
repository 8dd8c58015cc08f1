// SPDX-License-Identifier: Apache-2.0
#include "render/soft_shared.h"

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
    palSoftContact_Destroy(((palSoftShared*)shared)->contact);
}

static palResult makeSnapshot(const palShared* shared, palSnapshot* snapshot, palError* error)
{
    return palSnapshot_AddSoft(snapshot, palSoftSide_Count(shared->defs), shared->handCount, error);
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
