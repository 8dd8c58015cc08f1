// SPDX-License-Identifier: Apache-2.0
#include "touch/soft_contact.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// Ticks that a jump at a new snapshot takes to fade, at least. What the hand does within fewer
// comes back to it with the next snapshots: updated every tick and one tick late, the force on a
// soft block that rubs on a wall swung by 15 %.
static const double fadeTicksMin = 5.0;

// What a tool touches is kept in place vertex by vertex (tool_soft.h).
static void keepPoints(palSoftMotion* motion, const palMethodDef* defs, int handCount)
{
    for (int i = 0; i < handCount; i++)
    {
        motion->keepsPoint[i] = defs[i].tool == NULL;
        if (motion->keepsPoint[i])
            motion->fade.ticks = (int)fmax(fadeTicksMin, round(defs[0].lowDt / defs[0].body.dt));
    }
}

palResult palSoftContact_Create(const palMethodDef* defs, int handCount, palSoftContact** contact,
                                palError* error)
{
    int bodies = palSoftSide_Count(&defs[0]);
    *contact = NULL;
    if (bodies == 0)
        return pal_ok;
    palSoftContact* created = aligned_alloc(64, (sizeof *created + 63) & ~(size_t)63);
    if (created == NULL)
        return palError_Memory(error, "contact with soft bodies", sizeof *created);
    memset(created, 0, sizeof *created);
    created->frozen = palIsFrozen(&defs[0]);
    created->handCount = handCount;
    palResult result = palSoftSide_Init(&created->side, defs, handCount, error);
    if (result == pal_ok)
        result = palSoftMotion_Init(&created->motion, palSoftPatch_Parts(bodies, defs, handCount),
                                    handCount, error);
    keepPoints(&created->motion, defs, handCount);
    if (result != pal_ok)
    {
        palSoftContact_Destroy(created);
        return result;
    }
    *contact = created;
    return pal_ok;
}

void palSoftContact_Destroy(palSoftContact* contact)
{
    if (contact == NULL)
        return;
    palSoftSide_Free(&contact->side);
    palSoftMotion_Free(&contact->motion);
    free(contact);
}

palWorldStep* palSoftContact_World(palSoftContact* contact)
{
    return contact->side.world != NULL ? &contact->side.world->step : NULL;
}

void palSoftContact_Archive(palSoftContact* contact, palArchive* archive)
{
    palSoftSide_Archive(&contact->side, archive);
    palSoftMotion_Archive(&contact->motion, archive);
}

void palSoftContact_Begin(palSoftContact* contact, const palSnapshot* snapshot)
{
    contact->force.head.count = 0;
    palSoftMotion_Begin(&contact->motion, snapshot->soft, snapshot->sequence, &contact->side.forces,
                        contact->frozen);
}

// Adds the effect of the last tick's forces of some hands to the free motion, times `sign`.
static void addLast(palSoftContact* contact, const palSoftPatch* patch, int first, int end,
                    double sign)
{
    const palTrack* given = &contact->side.forces;
    for (int i = 0; i < patch->islandCount && given->ticks > 0; i++)
    {
        double p[pal_modesMax];
        const palModes* modes = &patch->islands[i];
        if (!palSoftPatch_PushesOf(patch, i, palTrack_Tick(given, given->ticks - 1), first, end, p))
            continue;
        for (int k = 0; k < modes->count; k++)
            p[k] *= sign;
        palModes_Correct(modes, p, &contact->motion.modes.free[i]);
    }
}

void palSoftContact_BeginTurn(palSoftContact* contact, const palSoftPatch* patch, int hand)
{
    if (contact->handCount == 1)
        return;
    if (hand == 0)
        addLast(contact, patch, 1, contact->handCount, 1.0);
    else
        addLast(contact, patch, hand, hand + 1, -1.0);
}

void palSoftContact_Push(palSoftContact* contact, const palSoftPatch* patch, int hand,
                         palSoftPush* pushes, int count, const palModeShape* const* shapes)
{
    palSoftForce* force = &contact->force;
    for (int i = 0; i < count; i++)
    {
        pushes[i].hand = hand;
        contact->shapes[force->head.count] = shapes[i];
        force->pushes[force->head.count++] = pushes[i];
    }
    if (!contact->frozen)
        palSoftMotion_Push(&contact->motion, patch, pushes, count, shapes);
}

void palSoftContact_End(palSoftContact* contact, const palSnapshot* snapshot, double now)
{
    palSoftForce* force = &contact->force;
    force->head.time = now;
    force->head.sequence = snapshot->sequence;
    if (!contact->frozen)
        palSoftMotion_End(&contact->motion, snapshot->soft, force, contact->shapes);
    palTrack_Put(&contact->side.forces, &force->head);
}
