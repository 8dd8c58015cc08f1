// SPDX-License-Identifier: Apache-2.0
// Contacts of wires in the world step: with surfaces (constraint/wire_contact.h), with each other
// and of a wire with itself (constraint/wire_pair.h).
//
// Both finders look at one state of the wires and take what is near there. For the contacts that
// come about within a step they look at the trial state, as far as the bodies have moved; a contact
// there has its gap at the beginning of the step, along the same normal between the same places.
#include "constraint/wire_contact.h"
#include "constraint/wire_pair.h"
#include "world/step.h"

static const double nearAtRest = 1e-3;     // m: contacts are known this far ahead
static const double sameNormal = 0.99;     // cosine: a contact has not slid around an edge
static const double overlapIgnored = 0.01; // of the distance that a contact keeps
static const double overlapLeft = 0.75;    // and below which it must be there
static const double sameElements = 0.25;   // and not along its wires

enum
{
    keyLeft = -1, // of a contact that is dropped
};

static bool hasLeft(const palWorldStep* world, const palLink* link)
{
    (void)world;
    return link->key == keyLeft;
}

// One search.
typedef struct search
{
    palWorldStep* world;
    const palWorldPair* pair;
    double threshold; // m, between the surfaces
    double horizon;   // s, for which wires must know each other
    const palLink* last;
    int lastCount;
    int room;
} search;

static int endsOn(const palWorldStep* world, int body)
{
    int count = 0;
    for (int i = 0; i < world->linkCount; i++)
        count += (world->links[i].ends[0].body == body) + (world->links[i].ends[1].body == body);
    return count;
}

// Contacts that the bodies of a pair have room for.
static int roomFor(const palWorldStep* world, const palWorldPair* pair)
{
    int room = world->contactsMax - world->linkCount;
    const int bodies[2] = {pair->a, pair->b};
    for (int k = 0; k < 2; k++)
    {
        const palWorldBody* body = world->bodies[bodies[k]];
        if (body->ops->shape != pal_shapeWire)
            continue;
        const palWire* wire = ((const palWorldWire*)body)->wire;
        int own = palWorldWire_Contacts(wire, world->contactsMax) - endsOn(world, bodies[k]);
        own /= pair->a == pair->b ? 2 : 1;
        room = own < room ? own : room;
    }
    return room > 0 ? room : 0;
}

static palWireAt wireAt(const palWorldStep* world, int body)
{
    const palWorldWire* wire = (const palWorldWire*)world->bodies[body];
    return (palWireAt){wire->wire, body, &wire->trial, wire->state.x};
}

static int findPair(const search* s, palLink* links)
{
    palWorldStep* world = s->world;
    const palWirePairSearch of = {
        .wires = {wireAt(world, s->pair->a), wireAt(world, s->pair->b)},
        .threshold = s->threshold,
        .horizon = s->horizon,
        .joints = world->def.joints,
        .jointCount = world->jointCount,
        .last = s->last,
        .lastCount = s->lastCount,
    };
    return palFindWirePairContacts(&of, s->room, links, &world->leftOut);
}

// Exchanges the ends: the tool is the first of its contacts.
static void turnAround(palLink* link)
{
    palPlace first = link->ends[0];
    link->ends[0] = link->ends[1];
    link->ends[1] = first;
    for (int k = 0; k < 3; k++)
        link->axes[k] = palNeg(link->axes[k]);
}

static int findOnSurface(const search* s, palLink* links)
{
    palWorldStep* world = s->world;
    bool isFirst = world->bodies[s->pair->a]->ops->shape == pal_shapeWire;
    int wireId = isFirst ? s->pair->a : s->pair->b, other = isFirst ? s->pair->b : s->pair->a;
    const palWorldBody* body = world->bodies[other];
    palWireAt wire = wireAt(world, wireId);
    const palWireSearch of = {
        .wire = wire.wire,
        .body = wireId,
        .state = wire.state,
        .collider = body->ops->moves ? NULL : &world->def.colliders[other],
        .moving = body->ops->moves ? &body->surface : NULL,
        .object = other,
        .threshold = s->threshold,
        .joints = world->def.joints,
        .jointCount = world->jointCount,
    };
    int count = palFindWireContacts(&of, s->room, links, &world->leftOut);
    for (int i = 0; i < count; i++)
    {
        links[i].ends[1] = body->ops->place(body, &links[i].ends[1].on);
        if (!isFirst)
            turnAround(&links[i]);
    }
    return count;
}

// Writes what is near after the contacts of the world. Returns how many there are.
static int findNear(search* s)
{
    palWorldStep* world = s->world;
    s->room = roomFor(world, s->pair);
    palLink* links = world->links + world->linkCount;
    bool areWires = world->bodies[s->pair->a]->ops->shape == world->bodies[s->pair->b]->ops->shape;
    int count = areWires ? findPair(s, links) : findOnSurface(s, links);
    for (int i = 0; i < count; i++)
        links[i].friction = s->pair->friction;
    return count;
}

// How far ahead contacts are known, m.
static double nearOf(const palWorldStep* world)
{
    return palWorldStep_IsSearch(world) ? world->def.radius : nearAtRest;
}

// Surfaces and wires whose boxes are farther apart have nothing to look for.
static bool areApart(const palWorldStep* world, const palWorldPair* pair, double reach)
{
    palBounds boxes[2];
    const int bodies[2] = {pair->a, pair->b};
    for (int k = 0; k < 2; k++)
    {
        const palWorldBody* body = world->bodies[bodies[k]];
        double wide = 0.5 * reach;
        if (body->ops->shape == pal_shapeSurface)
            boxes[k] = body->surface.bounds;
        else
        {
            const palWire* wire = ((const palWorldWire*)body)->wire;
            boxes[k] = (palBounds){body->end[0], body->end[0]};
            for (int i = 1; i < body->pointCount; i++)
                boxes[k] = palBounds_With(boxes[k], body->end[i]);
            wide += wire->radius + wire->model->elements[0].length;
        }
        boxes[k] = palBounds_Grown(boxes[k], wide);
    }
    return !palBounds_Meet(boxes[0], boxes[1]);
}

// How far the wires of a pair may come nearer to each other, m.
static double approach(const palWorldStep* world, const palWorldPair* pair)
{
    const int bodies[2] = {pair->a, pair->b};
    double sum = 0.0;
    for (int k = 0; k < 2; k++)
    {
        if (world->bodies[bodies[k]]->ops->shape != pal_shapeWire)
            return 0.0; // a surface is known by the threshold alone
        const palBeamState* state = &((const palWorldWire*)world->bodies[bodies[k]])->trial;
        double most = 0.0;
        for (int i = 0; i < state->nodeCount; i++)
            most = fmax(most, palLengthSquared(state->v[i]));
        sum += sqrt(most) * world->h;
    }
    return sum;
}

void palWorldStep_FindWire(palWorldStep* world, palWorldPair* pair)
{
    search s = {world, pair, nearOf(world), world->h, world->old, world->oldCount, 0};
    if (areApart(world, pair, s.threshold + approach(world, pair)))
        return;
    int first = world->linkCount, count = findNear(&s);
    for (int i = first; i < first + count; i++)
    {
        palLink link = world->links[i];
        palWorldStep_AddContact(world, pair, &link);
    }
}

static palLink* findSame(const palWorldStep* world, const palLink* link)
{
    for (int i = 0; i < world->linkCount; i++)
        if (palWorldStep_IsWires(&world->links[i]) && palLink_IsSame(&world->links[i], link))
            return &world->links[i];
    return NULL;
}

static bool hasSlid(const palLink* from, const palLink* to)
{
    double along = 0.0;
    for (int e = 0; e < 2; e++)
        if (to->ends[e].kind == pal_placeWire)
            along = fmax(along, fabs(to->ends[e].beam.element + to->ends[e].beam.s -
                                     from->ends[e].beam.element - from->ends[e].beam.s));
    return along > sameElements || palDot(from->axes[0], to->axes[0]) < sameNormal;
}

// A contact that has slid along its wires or around an edge goes to where it collides.
static void slide(palWorldStep* world, palLink* link, const palLink* to)
{
    palLink from = *link;
    *link = *to;
    for (int k = 0; k < 3; k++)
        link->lambda[k] = from.lambda[k];
    link->gap = palWorldStep_Gap(world, link, false);
    world->gapError[link - world->links] = 0.0;
    world->rowsChanged = true;
}

// Drops contacts of a pair that are closed too far but were not found where the bodies are: they
// have left each other there. `count` found ones stand after the others.
static void dropLeft(palWorldStep* world, const palWorldPair* pair, int count)
{
    const palLink* found = world->links + world->linkCount;
    bool any = false;
    for (int i = 0; i < world->linkCount; i++)
    {
        palLink* link = &world->links[i];
        bool isThere = &world->pairs[world->pairOf[i]] != pair ||
                       palWorldStep_Gap(world, link, true) > overlapLeft * link->distance;
        for (int k = 0; k < count && !isThere; k++)
            isThere = palLink_IsSame(link, &found[k]);
        if (!isThere)
            link->key = keyLeft;
        any = any || !isThere;
    }
    if (any)
        palWorldStep_Drop(world, hasLeft);
}

bool palWorldStep_CollideWire(palWorldStep* world, palWorldPair* pair, double spacing)
{
    (void)spacing;
    double moved = world->bodies[pair->a]->travel + world->bodies[pair->b]->travel;
    bool areWires = world->bodies[pair->a]->ops->shape == world->bodies[pair->b]->ops->shape;
    bool any = false;
    if (areApart(world, pair, moved))
    {
        dropLeft(world, pair, 0);
        return false;
    }
    if (2 * world->linkCount > world->contactsMax)
        palWorldStep_Drop(world, palWorldStep_IsIdle);
    search s = {world, pair, areWires ? 0.0 : moved, 0.0, world->links, world->linkCount, 0};
    int first = world->linkCount, count = findNear(&s);
    dropLeft(world, pair, count);
    for (int i = first; i < first + count; i++)
    {
        palLink link = world->links[i];
        palLink* same = findSame(world, &link);
        bool isDeep = link.gap - link.distance < -overlapIgnored * link.distance;
        if (!isDeep || (same != NULL && !hasSlid(same, &link)))
            continue;
        any = true;
        if (same != NULL)
        {
            slide(world, same, &link);
            continue;
        }
        link.gap = palWorldStep_Gap(world, &link, false);
        palWorldStep_AddContact(world, pair, &link);
    }
    return any;
}
