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
    created->motion.fade.ticks = def->tool == NULL ? (int)round(def->lowDt / def->body.dt) : 0;
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

void palSoftContact_Begin(palSoftContact* contact, const palSnapshot* snapshot)
{
    palSoftMotion_Begin(&contact->motion, snapshot->soft, snapshot->sequence, &contact->side.forces,
                        contact->frozen);
}

void palSoftContact_End(palSoftContact* contact, const palSnapshot* snapshot, double now,
                        palSoftForce* force, const palModeShape* const* shapes)
{
    force->head.time = now;
    force->head.sequence = snapshot->sequence;
    palSoftMotion_End(&contact->motion, snapshot->soft, force, shapes, contact->frozen);
    palTrack_Put(&contact->side.forces, &force->head);
}
