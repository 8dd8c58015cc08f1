// SPDX-License-Identifier: Apache-2.0
#include "touch/soft_contact.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

palResult palSoftContact_Create(const palMethodDef* def, palSoftContact** contact, palError* error)
{
    *contact = NULL;
    if (palSoftSide_Count(def) == 0)
        return pal_ok;
    palSoftContact* created = aligned_alloc(64, (sizeof *created + 63) & ~(size_t)63);
    if (created == NULL)
        return palError_Memory(error, "contact with soft bodies", sizeof *created);
    memset(created, 0, sizeof *created);
    created->frozen = palIsFrozen(def);
    palResult result = palSoftSide_Init(&created->side, def, error);
    if (result == pal_ok)
        result = palSoftMotion_Init(&created->motion, palSoftSide_Count(def), error);
    // What a tool touches is kept in place vertex by vertex (tool_soft.h).
    created->motion.shiftTicks = def->tool == NULL ? (int)round(def->lowDt / def->body.dt) : 0;
    if (result == pal_ok)
        result = palRing_Init(&created->forces, sizeof(palSoftForce), 4 * pal_softHistory, error);
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
    palRing_Free(&contact->forces);
    free(contact);
}

// Takes what the ring holds; of more than fits the oldest are dropped.
static void collect(palSoftContact* contact)
{
    palSoftForce force;
    while (palRing_Take(&contact->forces, &force))
    {
        if (contact->collectedCount == pal_softHistory)
        {
            memmove(contact->collected, contact->collected + 1,
                    (pal_softHistory - 1) * sizeof contact->collected[0]);
            contact->collectedCount--;
        }
        contact->collected[contact->collectedCount++] = force;
    }
}

palWorldStep* palSoftContact_World(palSoftContact* contact)
{
    return contact->side.world != NULL ? &contact->side.world->step : NULL;
}

void palSoftContact_Advance(palSoftContact* contact, const palHapticState* hand)
{
    collect(contact);
    int due = 0;
    double until = hand->time + 0.5 * contact->side.dt;
    while (due < contact->collectedCount && contact->collected[due].time < until)
        due++;
    palSoftSide_Advance(&contact->side, contact->collected, due, hand);
    contact->collectedCount -= due;
    memmove(contact->collected, contact->collected + due,
            (size_t)contact->collectedCount * sizeof contact->collected[0]);
}

void palSoftContact_Begin(palSoftContact* contact, const palSnapshot* snapshot, double now)
{
    palSoftMotion_Begin(&contact->motion, snapshot->soft, snapshot->sequence, now, contact->frozen);
}

void palSoftContact_End(palSoftContact* contact, const palSnapshot* snapshot, double now,
                        palSoftForce* force, const palModeShape* const* shapes)
{
    force->time = now;
    palSoftMotion_End(&contact->motion, snapshot->soft, force, shapes, contact->frozen);
    palRing_Put(&contact->forces, force);
}
