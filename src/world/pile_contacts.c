// SPDX-License-Identifier: Apache-2.0
// The contacts of pairs, from step to step, and what they wake.
#include "world/pile.h"

// A pair without an awake body is as it was. A driven body that stands still wakes nothing.
static bool wakes(const palPileBody* body)
{
    return !body->isAsleep && (body->motion == pal_motionFree || body->isMoving);
}

// Whether the balls about two parts are apart by more than `reach`.
static bool areFar(const palPileItem* a, const palPileItem* b, double reach)
{
    if (a->isBoundless || b->isBoundless)
        return false;
    double sum = a->extent + b->extent + reach;
    return palLengthSquared(palSub(a->pose.x, b->pose.x)) > sum * sum;
}

// The forces of a contact that was there in the last step, along the present axes.
static void startWarm(const palPileContact* old, int oldCount, palPileContact* contact)
{
    for (int i = 0; i < oldCount; i++)
    {
        if (old[i].key != contact->key)
            continue;
        palVec3 tangential = palAdd(palScale(old[i].lambda[1], old[i].axes[1]),
                                    palScale(old[i].lambda[2], old[i].axes[2]));
        contact->lambda[0] = old[i].lambda[0];
        contact->lambda[1] = palDot(tangential, contact->axes[1]);
        contact->lambda[2] = palDot(tangential, contact->axes[2]);
        contact->isSliding = old[i].isSliding;
        return;
    }
}

static void refresh(palPile* pile, palPilePair* pair)
{
    const palPileItem *a = &pile->items[pair->items[0]], *b = &pile->items[pair->items[1]];
    palPileContact* contacts = palPile_Contacts(pile, pair);
    const double reach = palPile_Reach(pile, a, b);
    palPileContact old[pal_meshPairContactsMax];
    palRigidContact found[pal_meshPairContactsMax];
    const int oldCount = pair->count, capacity = pile->slots[pair->isMesh].size;
    pair->count = 0;
    if (areFar(a, b, reach))
        return;
    for (int i = 0; i < oldCount; i++)
        old[i] = contacts[i];
    int left = 0;
    pair->count = palRigidShapes_Contacts(a->shape, a->pose, b->shape, b->pose, reach, &pair->cache,
                                          capacity, found, &left);
    pile->info.leftOut += left;
    for (int i = 0; i < pair->count; i++)
    {
        contacts[i] = (palPileContact){
            .key = found[i].key,
            .point = palLerp(found[i].onA, found[i].onB, 0.5),
            .axes = {found[i].normal},
            .gap = found[i].gap,
            .row = -1,
        };
        palTangents(found[i].normal, &contacts[i].axes[1], &contacts[i].axes[2]);
        startWarm(old, oldCount, &contacts[i]);
        pile->info.deepest = fmax(pile->info.deepest, -found[i].gap);
    }
}

// What sleeps is woken by a contact that comes or slides faster than this, m/s, or whose force
// would give it more than this acceleration, m/s². Below, what moves finds it fixed.
static const double wakingSpeed = 0.02;
static const double wakingAcceleration = 0.5;

// Whether a body that moves wakes one that sleeps through a contact of theirs.
static bool isWoken(const palPile* pile, const palPilePair* pair, const palPileBody* sleeper,
                    const palPileBody* mover)
{
    const palPileContact* contacts = palPile_Contacts(pile, pair);
    double margin = fmin(palPileItem_Margin(&pile->items[pair->items[0]]),
                         palPileItem_Margin(&pile->items[pair->items[1]]));
    for (int i = 0; i < pair->count; i++)
    {
        palVec3 arm = palSub(contacts[i].point, mover->state.x);
        double speed = palLength(palAdd(mover->u.v, palCross(mover->u.omega, arm)));
        if (contacts[i].gap > margin + pile->h * speed)
            continue;
        if (mover->motion == pal_motionDriven || speed > wakingSpeed ||
            contacts[i].lambda[0] > wakingAcceleration * sleeper->inertia.mass)
            return true;
    }
    return false;
}

// A body that is touched takes part in this step, with all that fell asleep with it.
static void join(palPile* pile, int index)
{
    int i = index;
    do
    {
        palPileBody* body = &pile->bodies[i];
        i = body->nextInSleep;
        pile->awake[pile->awakeCount++] = (int)(body - pile->bodies);
        body->isAsleep = false;
        palPile_MoveFreely(pile, body);
        palPile_PutBody(pile, body);
    } while (i != index);
    palPile_Wake(pile, index);
    pile->awakeChanged = true; // so that they are in their order in the next step
}

static void wake(palPile* pile, const palPilePair* pair)
{
    for (int side = 0; side < 2; side++)
    {
        int index = pile->items[pair->items[side]].body;
        const palPileBody* other = &pile->bodies[pile->items[pair->items[!side]].body];
        if (pile->bodies[index].isAsleep && wakes(other) &&
            isWoken(pile, pair, &pile->bodies[index], other))
            join(pile, index);
    }
}

// All pairs of a body, unless they are seen from the other one.
static void refreshBody(palPile* pile, const palPileBody* body)
{
    for (int k = body->firstItem; k < body->firstItem + body->itemCount; k++)
    {
        for (int p = pile->items[k].firstPair; p >= 0; p = palPilePair_Next(&pile->pairs[p], k))
        {
            palPilePair* pair = &pile->pairs[p];
            if (!palPile_IsFirst(pile, pair, k))
                continue;
            refresh(pile, pair);
            wake(pile, pair);
        }
    }
}

void palPile_FindContacts(palPile* pile)
{
    pile->info.deepest = 0.0;
    // The list grows by what wakes.
    for (int i = 0; i < pile->awakeCount; i++)
        refreshBody(pile, &pile->bodies[pile->awake[i]]);
}
