// SPDX-License-Identifier: Apache-2.0
// What a slower loop finds in contact (L3). Each pair of things is looked at by one loop:
//
//     two wires of the high rate, or one and a rigid object         the first loop
//     a wire of the high rate and a body of a loop                   that loop
//     two bodies of one loop, or one and a rigid object              that loop
//
// Bodies of two different slower loops meet at the high rate only, where nothing is sought: they
// touch through joints alone.
#include "constraint/rest_contact.h"
#include "constraint/wire_contact.h"
#include "world/slow_loop.h"

#include <string.h>

static int rowsOf(const palLink* links, int count)
{
    int rows = 0;
    for (int i = 0; i < count; i++)
        rows += palLink_Rows(&links[i]);
    return rows;
}

int palSlowLoop_RoomFor(const palSlowLoop* loop, double friction)
{
    int used = rowsOf(loop->contacts, loop->contactCount);
    int room = (loop->contactRowsMax - used) / (friction > 0.0 ? 3 : 1);
    int links = loop->sizes.contacts - loop->contactCount;
    return room < links ? room : links;
}

static bool isOwn(const palSlowLoop* loop, const palWireAt* wire)
{
    return wire->wire->loop == loop->index + 1;
}

// Whether this loop looks for contacts of a wire with an object.
static bool seesObject(const palSlowLoop* loop, const palWireAt* wire, int object)
{
    const palCollider* collider = &loop->def->colliders[object];
    if (collider->soft != NULL)
        return collider->loop == loop->index;
    return isOwn(loop, wire) || loop->index == 0;
}

static void touchObject(palSlowLoop* loop, const palWireAt* wire, int object)
{
    const palWireSearch search = {
        .wire = wire->wire,
        .body = wire->body,
        .state = wire->state,
        .collider = &loop->def->colliders[object],
        .object = object,
        .threshold = loop->def->radius,
        .joints = loop->joints,
        .jointCount = loop->def->jointCount,
    };
    int room = palSlowLoop_RoomFor(loop, fmax(wire->wire->friction, search.collider->friction));
    loop->contactCount +=
        palFindWireContacts(&search, room, loop->contacts + loop->contactCount, &loop->dropped);
}

static void touchObjects(palSlowLoop* loop, bool own)
{
    for (int o = 0; o < loop->def->colliderCount; o++)
        for (int w = 0; w < loop->seenCount; w++)
            if (isOwn(loop, &loop->seen[w]) == own && seesObject(loop, &loop->seen[w], o))
                touchObject(loop, &loop->seen[w], o);
}

static void touchWires(palSlowLoop* loop, const palWireAt* a, const palWireAt* b)
{
    const palWirePairSearch search = {
        .wires = {*a, *b},
        .threshold = loop->def->radius,
        .horizon = loop->h + loop->def->latency,
        .joints = loop->joints,
        .jointCount = loop->def->jointCount,
        .last = loop->lastContacts,
        .lastCount = loop->lastContactCount,
    };
    int room = palSlowLoop_RoomFor(loop, fmax(a->wire->friction, b->wire->friction));
    loop->contactCount +=
        palFindWirePairContacts(&search, room, loop->contacts + loop->contactCount, &loop->dropped);
}

static void touchEachOther(palSlowLoop* loop)
{
    for (int a = 0; a < loop->seenCount; a++)
        for (int b = a; b < loop->seenCount; b++)
            if (isOwn(loop, &loop->seen[a]) || isOwn(loop, &loop->seen[b]) || loop->index == 0)
                touchWires(loop, &loop->seen[a], &loop->seen[b]);
}

// The vertices of one soft object on another object.
static void rest(palSlowLoop* loop, int soft, int other)
{
    const palCollider* colliders = loop->def->colliders;
    const palRestSearch search = {
        .soft = &colliders[soft],
        .softIndex = soft,
        .other = &colliders[other],
        .otherIndex = other,
        .threshold = loop->def->radius,
        .horizon = loop->h + loop->def->latency,
        .joints = loop->joints,
        .jointCount = loop->def->jointCount,
    };
    int room = palSlowLoop_RoomFor(loop, fmax(search.soft->friction, search.other->friction));
    room = room < pal_restContactsMax ? room : pal_restContactsMax;
    loop->contactCount +=
        palFindRestContacts(&search, room, loop->contacts + loop->contactCount, &loop->dropped);
}

// Soft objects on rigid ones, then on each other, both ways.
static void touchSoft(palSlowLoop* loop)
{
    const palCollider* colliders = loop->def->colliders;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < loop->bodyCount; i++)
        {
            int soft = loop->bodies[i].object;
            for (int o = 0; o < loop->def->colliderCount && soft >= 0; o++)
            {
                bool isSoft = colliders[o].soft != NULL;
                if (isSoft == (pass == 1) && o != soft &&
                    (!isSoft || colliders[o].loop == loop->index))
                    rest(loop, soft, o);
            }
        }
}

// Keeps where the wires are, for the next step.
static void keepWires(palSlowLoop* loop)
{
    palVec3* at = loop->before;
    for (int w = 0; w < loop->seenCount; w++)
    {
        const palBeamState* state = loop->seen[w].state;
        memcpy(at, state->x, (size_t)state->nodeCount * sizeof *at);
        loop->seen[w].before = at;
        at += state->nodeCount;
    }
}

// Whether the bodies at both ends have room for the rows of a contact; takes it if so.
static bool takeRoom(palSlowLoop* loop, const palLink* link)
{
    int needed = palLink_Rows(link);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < loop->bodyCount; i++)
        {
            palSlowBody* body = &loop->bodies[i];
            int rows = needed * (palSlowBody_Has(body, &link->ends[0]) +
                                 palSlowBody_Has(body, &link->ends[1]));
            if (pass == 0 && body->usedRows + rows > body->part->capacity.rows)
                return false;
            body->usedRows += pass == 1 ? rows : 0;
        }
    return true;
}

// Drops the contacts for which a body has no room.
static void dropOverfull(palSlowLoop* loop)
{
    int kept = 0;
    for (int i = 0; i < loop->bodyCount; i++)
        loop->bodies[i].usedRows = 0;
    for (int i = 0; i < loop->def->jointCount; i++)
        takeRoom(loop, &loop->joints[i]);
    for (int i = 0; i < loop->contactCount; i++)
        if (takeRoom(loop, &loop->contacts[i]))
            loop->contacts[kept++] = loop->contacts[i];
    loop->dropped += loop->contactCount - kept;
    loop->contactCount = kept;
}

void palSlowLoop_Touch(palSlowLoop* loop)
{
    memcpy(loop->lastContacts, loop->contacts,
           (size_t)loop->contactCount * sizeof loop->contacts[0]);
    loop->lastContactCount = loop->contactCount;
    loop->contactCount = 0;
    loop->dropped = 0;
    if (loop->tool.tool != NULL)
        palSlowLoop_TouchTool(loop);
    touchObjects(loop, false);
    touchEachOther(loop);
    touchObjects(loop, true);
    touchSoft(loop);
    dropOverfull(loop);
    keepWires(loop);
}
