// SPDX-License-Identifier: Apache-2.0
#include "world/settle.h"

#include "base/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// The longest h, s. Of bodies that are held, for which A is h² K but for next to nothing; and where
// contacts or joints alone hold one, which h² g carries away from them before they are solved.
static const double longestHeld = 100.0, longestFree = 0.1;
static const double firstFree = 0.01;            // s: the first h of the latter
static const double shortest = 1e-4;             // s: then a step hardly moves anything
static const double shorter = 0.3, longer = 3.0; // h after a step that failed, that helped

// At rest: a step of the longest h moves no node by more than this share of the body's size; or, of
// bodies that touch, by more than the second. Which of many contacts push may change from step to
// step without end: then the step that moved them least is taken, if that was below `accepted`.
static const double tolerance = 1e-10, toleranceTouching = 1e-6, accepted = 1e-3;

// Of the usual distance between contacts: with most of them in every step, fewer come and go.
static const double spacingShare = 0.1;
// Of the friction: where a contact is near its limit a method may let it slide until it is not.
static const double frictionShare = 0.85;

enum
{
    stepsMax = 150,
    patience = 10, // steps after the one that moved the bodies least
};

typedef struct palSettling
{
    palWorldStep world; // owned
    palVec3** before;   // owned, [colliderCount][nodeCount]: where the nodes were before the step
    palVec3** best;     // owned, likewise: after the step that moved them least
    double weight;      // N, of all bodies
    bool isFree;        // contacts or joints alone hold one
} palSettling;

static palSoftBody* softOf(const palSettling* settling, int object)
{
    return settling->world.def.colliders[object].soft;
}

static void release(palSettling* settling)
{
    for (int i = 0; i < settling->world.def.colliderCount; i++)
    {
        free(settling->before != NULL ? settling->before[i] : NULL);
        free(settling->best != NULL ? settling->best[i] : NULL);
    }
    free(settling->before);
    free(settling->best);
    palWorldStep_Free(&settling->world);
}

static palResult allocate(palSettling* settling, palError* error)
{
    size_t objects = (size_t)settling->world.def.colliderCount;
    size_t bytes = 2 * objects * sizeof *settling->best;
    settling->before = calloc(objects, sizeof *settling->before);
    settling->best = calloc(objects, sizeof *settling->best);
    bool isComplete = settling->before != NULL && settling->best != NULL;
    for (size_t i = 0; i < objects && isComplete; i++)
    {
        const palSoftBody* body = softOf(settling, (int)i);
        size_t nodes = body != NULL ? (size_t)body->nodeCount : 0;
        settling->before[i] = malloc((nodes + 1) * sizeof(palVec3));
        settling->best[i] = malloc((nodes + 1) * sizeof(palVec3));
        isComplete = settling->before[i] != NULL && settling->best[i] != NULL;
        bytes += 2 * nodes * sizeof(palVec3);
    }
    return isComplete ? pal_ok : palError_Memory(error, "bringing soft bodies to rest", bytes);
}

static palResult prepare(palSettling* settling, const palWorldStepDef* def, palError* error)
{
    palWorldStep* world = &settling->world;
    palWorldStepDef own = *def;
    own.contactsMax = def->colliderCount > 1 ? 0 : 1;
    own.factor = palDefaultSoftFactorDef();
    own.factor.elementsAtOnce = INT_MAX;
    *settling = (palSettling){.isFree = def->jointCount > 0};
    palResult result = palWorldStep_Init(world, &own, error);
    if (result == pal_ok)
        result = allocate(settling, error);
    if (result != pal_ok)
        return result;
    palWorldStep_Place(world);
    for (int i = 0; i < world->pairCount; i++)
    {
        world->pairs[i].spacing *= spacingShare;
        world->pairs[i].friction *= frictionShare;
    }
    for (int i = 0; i < def->colliderCount; i++)
    {
        const palSoftBody* body = softOf(settling, i);
        if (body == NULL)
            continue;
        settling->weight += palSoftBody_Mass(body) * palLength(body->gravity);
        settling->isFree = settling->isFree || body->freeCount == body->nodeCount;
    }
    return pal_ok;
}

static void store(const palSettling* settling, palVec3** to)
{
    for (int i = 0; i < settling->world.def.colliderCount; i++)
    {
        const palSoftBody* body = softOf(settling, i);
        if (body != NULL)
            memcpy(to[i], body->x, (size_t)body->nodeCount * sizeof *body->x);
    }
}

// Puts the bodies where they were, or in their shapes without load where `from` is NULL. Contacts
// keep their forces.
static void restore(palSettling* settling, palVec3** from)
{
    palWorldStep* world = &settling->world;
    for (int i = 0; i < world->def.colliderCount; i++)
    {
        palSoftBody* body = softOf(settling, i);
        if (body == NULL)
            continue;
        memcpy(body->x, from != NULL ? from[i] : body->rest,
               (size_t)body->nodeCount * sizeof *body->x);
        palCollider_Follow(&world->def.colliders[i]);
        world->bodies[i]->ops->reset(world->bodies[i]);
    }
    palWorldStep_MoveSurfaces(world);
    palWorldStep_FindContacts(world);
}

// The energy of all bodies, J, which stand still.
static double energyOf(const palSettling* settling)
{
    double energy = 0.0;
    for (int i = 0; i < settling->world.def.colliderCount; i++)
        if (softOf(settling, i) != NULL)
            energy += palSoftBody_Energy(softOf(settling, i));
    return energy;
}

// One step of h; it ends with v = 0. Returns how far it moved a node at most, as a share of the
// size of its body, and whose; NaN where a system could not be factored.
static double step(palSettling* settling, double h, int* object)
{
    palWorldStep* world = &settling->world;
    palWorldStepInfo info;
    int failures = world->failures;
    double most = -1.0;
    store(settling, settling->before);
    palWorldStep_Advance(world, h, &info);
    for (int i = 0; i < world->def.colliderCount; i++)
    {
        palSoftBody* body = softOf(settling, i);
        for (int k = 0; body != NULL && k < body->nodeCount; k++)
        {
            double moved = palDistance(body->x[k], settling->before[i][k]) / world->bodies[i]->size;
            body->v[k] = pal_zeroVec3;
            if (moved > most || isnan(moved))
            {
                most = moved;
                *object = i;
            }
        }
    }
    return world->failures > failures ? NAN : most;
}

// How far a surface reaches in that direction, m.
static double reach(const palCollider* collider, palVec3 direction)
{
    const palVec3* vertices = palCollider_Vertices(collider);
    double most = -INFINITY;
    for (int i = 0; i < collider->surface.vertexCount; i++)
        most = fmax(most, palDot(direction, vertices[i]));
    return most;
}

// Whether nothing holds a body and everything else is above it.
static bool fallsPast(const palWorldStep* world, int object)
{
    const palCollider* colliders = world->def.colliders;
    const palSoftBody* body = colliders[object].soft;
    bool isHeld = body->freeCount < body->nodeCount;
    for (int i = 0; i < 2 * world->jointCount; i++)
        isHeld = isHeld || world->joints[i / 2].link.ends[i % 2].body == object;
    double top = -reach(&colliders[object], palNeg(body->gravity));
    for (int i = 0; i < world->def.colliderCount && !isHeld; i++)
        isHeld = i != object && reach(&colliders[i], body->gravity) >= top;
    return !isHeld;
}

// The steps. Returns whether they led to rest.
static bool settle(palSettling* settling, palSettleInfo* info)
{
    const palWorldStep* world = &settling->world;
    double longest = settling->isFree ? longestFree : longestHeld;
    double h = settling->isFree ? firstFree : longestHeld;
    double moved = INFINITY, energy = INFINITY, least = accepted;
    int since = 0; // steps after the one that moved the bodies least
    for (int k = 1; k <= stepsMax && h >= shortest && since < patience; k++)
    {
        info->steps = k;
        double movedNow = step(settling, h, &info->object);
        double energyNow = energyOf(settling);
        bool touches = world->linkCount > 0 || world->jointCount > 0;
        if (h == longest && movedNow <= (touches ? toleranceTouching : tolerance))
            return true;
        // Contacts that come about lift what is nearer than their clearance.
        double slack = touches ? settling->weight * world->clearance : 0.0;
        if (!(movedNow < moved || energyNow < energy + slack))
        {
            restore(settling, settling->before);
            h *= shorter;
            continue;
        }
        moved = movedNow;
        energy = energyNow;
        info->falls = fallsPast(world, info->object);
        if (info->falls)
            return false;
        since += least < accepted;
        if (touches && h == longest && moved < least)
        {
            least = moved;
            since = 0;
            store(settling, settling->best);
        }
        h = fmin(longest, h * longer);
    }
    if (least < accepted)
        restore(settling, settling->best);
    return least < accepted;
}

// Linearises the bodies. Returns how many elements of the first that has any are inverted.
static int findInverted(const palSettling* settling, int* object)
{
    int inverted = 0;
    for (int i = 0; i < settling->world.def.colliderCount; i++)
    {
        palSoftBody* body = softOf(settling, i);
        if (body == NULL)
            continue;
        palSoftBody_Linearise(body, pal_tangentExact);
        *object = inverted == 0 && body->invertedCount > 0 ? i : *object;
        inverted = inverted == 0 ? body->invertedCount : inverted;
    }
    return inverted;
}

palResult palSettle(const palWorldStepDef* def, palSettleInfo* info, palError* error)
{
    bool isAnySoft = false;
    *info = (palSettleInfo){0};
    for (int i = 0; i < def->colliderCount; i++)
        isAnySoft = isAnySoft || def->colliders[i].soft != NULL;
    if (!isAnySoft)
        return pal_ok;
    palSettling settling;
    palResult result = prepare(&settling, def, error);
    if (result == pal_ok)
    {
        bool isAtRest = settle(&settling, info);
        int inverted = info->falls ? 0 : findInverted(&settling, &info->object);
        if (inverted > 0)
            result =
                palError_Set(error, pal_errorRun, "gravity turns %d elements inside out", inverted);
        else if (!isAtRest)
            result = palError_Set(error, pal_errorRun,
                                  "found no shape in which gravity is balanced, in %d steps",
                                  info->steps);
    }
    if (result == pal_errorRun)
    {
        restore(&settling, NULL);
        findInverted(&settling, &info->object);
    }
    release(&settling);
    for (int i = 0; i < def->colliderCount; i++)
        palCollider_Vertices(&def->colliders[i]);
    return result;
}
