// SPDX-License-Identifier: Apache-2.0
// What becomes a contact of the world step: a finder for each pair of shapes, and of surfaces the
// pairs of features that are taken.
#include "world/step.h"

#include <string.h>

enum
{
    sparserMax = 6,   // times that the spacing grows
    spacedPasses = 4, // after which contacts are added however close to another
};

static const double nearAtRest = 1e-3;   // m: contacts are known this far ahead; a tool's more
static const double sameNormal = 0.99;   // cosine: contacts that face alike keep the spacing
static const double inheritsForce = 0.9; // cosine: a contact may take the force of one that is gone

palSurfacePair palWorldStep_Surfaces(const palWorldStep* world, const palWorldPair* pair)
{
    return (palSurfacePair){&world->bodies[pair->a]->surface, &world->bodies[pair->b]->surface,
                            palWorldStep_IsSearch(world)};
}

bool palWorldStep_AreSurfaces(const palWorldStep* world, const palWorldPair* pair)
{
    return world->bodies[pair->a]->ops->shape == pal_shapeSurface &&
           world->bodies[pair->b]->ops->shape == pal_shapeSurface;
}

double palWorldStep_Gap(const palWorldStep* world, const palLink* link, bool isTrial)
{
    const palWorldBody* a = world->bodies[link->ends[0].body];
    const palWorldBody* b = world->bodies[link->ends[1].body];
    return palDot(link->axes[0], palSub(a->ops->point(a, &link->ends[0], isTrial),
                                        b->ops->point(b, &link->ends[1], isTrial)));
}

//--------------------------------------------------------------------------------------------------
// Tables: contacts by their features, and by where they are

static unsigned mix(unsigned hash, int value)
{
    return (hash ^ (unsigned)value) * 16777619u;
}

// Without faces a vertex that slides over another surface keeps its hash.
static unsigned featureHash(const palLink* link, bool withFaces)
{
    unsigned hash = 2166136261u;
    for (int e = 0; e < 2; e++)
    {
        hash = mix(hash, link->ends[e].body);
        for (int k = 0; k < 3 && (withFaces || link->ends[e].on.count < 3); k++)
            hash = mix(hash, link->ends[e].on.vertices[k]);
    }
    return hash ^ hash >> 15;
}

static bool isSame(const palLink* a, const palLink* b)
{
    return a->key == b->key && a->ends[0].body == b->ends[0].body &&
           a->ends[1].body == b->ends[1].body &&
           memcmp(a->ends[0].on.vertices, b->ends[0].on.vertices, 3 * sizeof(int)) == 0 &&
           memcmp(a->ends[1].on.vertices, b->ends[1].on.vertices, 3 * sizeof(int)) == 0;
}

// The contact between the same features, or -1.
static int findSame(const palWorldStep* world, const palLink* link)
{
    unsigned slot = (unsigned)link->key & (unsigned)(world->tableSize - 1);
    int i = world->featureHeads[slot];
    while (i >= 0 && !isSame(&world->links[i], link))
        i = world->featureNext[i];
    return i;
}

typedef struct Cell
{
    int x, y, z;
} Cell;

static Cell cellOf(palVec3 at, double spacing)
{
    return (Cell){(int)floor(at.x / spacing), (int)floor(at.y / spacing),
                  (int)floor(at.z / spacing)};
}

static unsigned cellSlot(const palWorldStep* world, Cell cell)
{
    unsigned hash = mix(mix(mix(2166136261u, cell.x), cell.y), cell.z);
    return (hash ^ hash >> 15) & (unsigned)(world->tableSize - 1);
}

static void tabulate(palWorldStep* world, int i, double spacing)
{
    unsigned slot = (unsigned)world->links[i].key & (unsigned)(world->tableSize - 1);
    world->featureNext[i] = world->featureHeads[slot];
    world->featureHeads[slot] = i;
    if (spacing > 0.0)
    {
        slot = cellSlot(world, cellOf(world->at[i], spacing));
        world->cellNext[i] = world->cellHeads[slot];
        world->cellHeads[slot] = i;
    }
}

static void tabulateAll(palWorldStep* world, double spacing)
{
    size_t size = (size_t)world->tableSize * sizeof(int);
    memset(world->featureHeads, 0xff, size); // -1
    memset(world->cellHeads, 0xff, size);
    for (int i = 0; i < world->linkCount; i++)
        tabulate(world, i, spacing);
}

// Whether a contact with a similar normal of the same bodies exists within `spacing`.
static bool isCovered(const palWorldStep* world, const palLink* link, palVec3 at, double spacing)
{
    if (!(spacing > 0.0))
        return false;
    Cell centre = cellOf(at, spacing);
    for (int k = 0; k < 27; k++)
    {
        Cell cell = {centre.x + k % 3 - 1, centre.y + k / 3 % 3 - 1, centre.z + k / 9 - 1};
        for (int i = world->cellHeads[cellSlot(world, cell)]; i >= 0; i = world->cellNext[i])
        {
            const palLink* other = &world->links[i];
            if (other->ends[0].body == link->ends[0].body &&
                other->ends[1].body == link->ends[1].body &&
                palDot(other->axes[0], link->axes[0]) > sameNormal &&
                palDistance(world->at[i], at) < spacing)
                return true;
        }
    }
    return false;
}

// Whether a contact of the same bodies at this place pushes the other way. Where edges of bodies
// that abut coincide, features touch from both sides: no motion satisfies both contacts, and their
// forces grow without bound.
static bool isOpposed(const palWorldStep* world, const palLink* link, palVec3 at)
{
    const double samePlace = 3e-4; // m: what features slide by between two passes
    for (int i = 0; i < world->linkCount; i++)
    {
        const palLink* other = &world->links[i];
        if (other->ends[0].body == link->ends[0].body &&
            other->ends[1].body == link->ends[1].body &&
            palDot(other->axes[0], link->axes[0]) < -sameNormal &&
            palDistance(world->at[i], at) < samePlace)
            return true;
    }
    return false;
}

//--------------------------------------------------------------------------------------------------
// Adding contacts

palLink palWorldStep_MakeLink(const palWorldStep* world, const palWorldPair* pair,
                              const palSurfaceContact* contact)
{
    const palWorldBody* a = world->bodies[pair->a];
    const palWorldBody* b = world->bodies[pair->b];
    palLink link = {
        .kind = pal_linkContact,
        .ends = {a->ops->place(a, &contact->a), b->ops->place(b, &contact->b)},
        .axes = {contact->normal},
        .turn = pal_identityQuat,
        .distance = pair->clearance,
        .friction = pair->friction,
        .gap = contact->gap,
    };
    palTangents(link.axes[0], &link.axes[1], &link.axes[2]);
    link.key = (int)(featureHash(&link, !palWorldStep_IsSearch(world)) & 0x7fffffffu);
    return link;
}

// Where a contact is for the spacing: on body a, in its frame if it is rigid.
static palVec3 positionOf(const palWorldStep* world, const palLink* link)
{
    const palPlace* place = &link->ends[0];
    const palWorldBody* body = world->bodies[place->body];
    bool isRigid = place->kind == pal_placeFixed || place->kind == pal_placeRigid;
    return isRigid ? place->local : body->ops->point(body, place, true);
}

void palWorldStep_AddContact(palWorldStep* world, const palWorldPair* pair, const palLink* link)
{
    int i = world->linkCount++;
    world->links[i] = *link;
    world->pairOf[i] = (int)(pair - world->pairs);
    world->at[i] = positionOf(world, link);
    world->gapError[i] = 0.0;
    memset(world->predicted[i], 0, sizeof world->predicted[i]);
    world->rowsChanged = true;
}

// Before: by gap, and by place in the list where gaps are equal, to `same`.
static bool isBefore(const palContactList* list, double same, int i, int j)
{
    double a = list->contacts[i].gap, b = list->contacts[j].gap;
    if (same > 0.0)
        a = floor(a / same), b = floor(b / same);
    return a < b || (a == b && i < j);
}

static void sink(const palContactList* list, double same, int* heap, int count, int k)
{
    for (;;)
    {
        int child = 2 * k + 1;
        if (child >= count)
            return;
        if (child + 1 < count && isBefore(list, same, heap[child + 1], heap[child]))
            child++;
        if (!isBefore(list, same, heap[child], heap[k]))
            return;
        int swap = heap[k];
        heap[k] = heap[child], heap[child] = swap;
        k = child;
    }
}

// Objects that abut have many contacts with nearly the same gap: which of them are taken must not
// change from step to step.
static double sameGap(const palWorldPair* pair)
{
    return pair->clearance < pair->usualClearance ? pair->usualClearance : 0.0;
}

// The contacts that can be, as a heap with the least gap on top. Returns how many.
static int fillHeap(palWorldStep* world, const palWorldPair* pair)
{
    const palContactList* list = &world->found;
    int count = 0;
    for (int i = 0; i < list->count; i++)
    {
        const palSurfaceContact* contact = &list->contacts[i];
        if (palLengthSquared(contact->normal) > 0.5 && contact->gap > -pair->depthMax &&
            !contact->leaves)
            world->heap[count++] = i;
    }
    for (int k = count / 2 - 1; k >= 0; k--)
        sink(list, sameGap(pair), world->heap, count, k);
    return count;
}

// Adds contacts for those in `found`, the ones with the least gap first, `spacing` apart. Returns
// how many.
static int addContacts(palWorldStep* world, const palWorldPair* pair, double spacing)
{
    int added = 0;
    int waiting = fillHeap(world, pair);
    world->overflow = world->overflow || world->found.overflow;
    tabulateAll(world, spacing);
    while (waiting > 0 && world->linkCount < world->contactsMax)
    {
        int next = world->heap[0];
        world->heap[0] = world->heap[--waiting];
        sink(&world->found, sameGap(pair), world->heap, waiting, 0);
        palLink link = palWorldStep_MakeLink(world, pair, &world->found.contacts[next]);
        palVec3 at = positionOf(world, &link);
        if (findSame(world, &link) >= 0 || isCovered(world, &link, at, spacing) ||
            isOpposed(world, &link, at) ||
            palWorldStep_IsJoined(world, pair, &link.ends[0].on, &link.ends[1].on))
            continue;
        palWorldStep_AddContact(world, pair, &link);
        tabulate(world, world->linkCount - 1, spacing);
        added++;
    }
    world->waiting = waiting;
    return added;
}

// Adds the force of another contact of the same bodies. The tangents of two normals that are nearly
// equal need not be: it is taken along as a vector.
static void addForce(palLink* link, const palLink* from)
{
    palVec3 force = palLink_Force(from, from->lambda);
    for (int k = 0; k < palLink_Rows(link); k++)
        link->lambda[k] += palDot(force, link->axes[k]);
    link->load = palAdd(link->load, from->load);
}

// A contact between the features of a collision that ends inside has slid along a surface that
// bends or rotates: it goes to where they collide.
static void slide(palWorldStep* world, const palLink* to)
{
    int i = findSame(world, to);
    if (i < 0)
        return;
    palLink* link = &world->links[i];
    palLink before = *link;
    *link = *to;
    addForce(link, &before);
    world->at[i] = positionOf(world, link);
    world->gapError[i] = 0.0;
    world->rowsChanged = true;
}

void palWorldStep_PutContact(palWorldStep* world, const palWorldPair* pair, palLink* link)
{
    tabulateAll(world, 0.0);
    link->gap = palWorldStep_Gap(world, link, false);
    if (findSame(world, link) >= 0)
        slide(world, link);
    else if (world->linkCount < world->contactsMax)
        palWorldStep_AddContact(world, pair, link);
}

bool palWorldStep_IsIdle(const palWorldStep* world, const palLink* link)
{
    double closed = palWorldStep_IsWires(link) ? link->distance : 0.0;
    return link->lambda[0] == 0.0 && palWorldStep_Gap(world, link, true) > closed;
}

void palWorldStep_Drop(palWorldStep* world,
                       bool (*isDropped)(const palWorldStep* world, const palLink* link))
{
    int kept = 0;
    for (int i = 0; i < world->linkCount; i++)
    {
        if (isDropped(world, &world->links[i]))
            continue;
        world->gapError[kept] = world->gapError[i];
        world->at[kept] = world->at[i];
        world->pairOf[kept] = world->pairOf[i];
        memcpy(world->predicted[kept], world->predicted[i], sizeof world->predicted[i]);
        world->links[kept++] = world->links[i];
    }
    world->rowsChanged = world->rowsChanged || kept < world->linkCount;
    world->linkCount = kept;
}

// Surfaces: what they touch with on the way to the end.
static bool collideSurfaces(palWorldStep* world, palWorldPair* pair, double spacing)
{
    bool any = false;
    if (pair->isSolid)
        return palWorldStep_CollideSolids(world, pair, spacing);
    palSurfacePair surfaces = palWorldStep_Surfaces(world, pair);
    palSurfacePair_Sweep(&surfaces, &world->found);
    if (world->found.count == 0)
        return false;
    if (world->linkCount + world->found.count > world->contactsMax)
        palWorldStep_Drop(world, palWorldStep_IsIdle);
    int before = world->linkCount;
    tabulateAll(world, 0.0);
    for (int k = 0; k < world->found.count; k++)
    {
        const palSurfaceContact* contact = &world->found.contacts[k];
        if (contact->leaves || contact->gap > -pair->tolerance)
            continue;
        palLink link = palWorldStep_MakeLink(world, pair, contact);
        if (palWorldStep_IsJoined(world, pair, &link.ends[0].on, &link.ends[1].on))
            continue;
        link.gap = palWorldStep_Gap(world, &link, false);
        slide(world, &link);
        any = true;
    }
    any = addContacts(world, pair, spacing) > 0 || any;
    for (int k = before; k < world->linkCount; k++)
        world->links[k].gap = palWorldStep_Gap(world, &world->links[k], false);
    return any;
}

//--------------------------------------------------------------------------------------------------
// The contacts of a state

// How far ahead the contacts of a pair are known, m: for a tool by its speed.
static double nearDistance(const palWorldStep* world, const palWorldPair* pair)
{
    const palWorldRigid* tool = palWorldStep_Tool(world, pair->a);
    if (tool == NULL)
        return nearAtRest;
    const palRigidState* state = &tool->state;
    palVec3 omega = palRigid_Omega(&tool->tool->model, state);
    double speed = palLength(state->v) + 0.5 * palLength(omega) * tool->base.size;
    return fmin(nearAtRest + speed * world->def.lookAhead, fmax(world->def.radius, nearAtRest));
}

// Gives the force of a contact that is gone to the nearest with a similar normal.
static void inheritForce(palWorldStep* world, int index)
{
    const palLink* old = &world->old[index];
    palVec3 at = world->oldAt[index];
    int nearest = findSame(world, old);
    double least = INFINITY;
    for (int i = 0; i < world->linkCount && (nearest < 0 || least < INFINITY); i++)
    {
        const palLink* link = &world->links[i];
        double distance = palDistance(world->at[i], at);
        if (link->ends[0].body == old->ends[0].body && link->ends[1].body == old->ends[1].body &&
            palDot(link->axes[0], old->axes[0]) > inheritsForce && distance < least)
        {
            least = distance;
            nearest = i;
        }
    }
    if (nearest < 0)
        return;
    addForce(&world->links[nearest], old);
    world->isPressed[nearest] = world->isPressed[nearest] || world->wasPressed[index];
}

// Surfaces: further apart where they would be too many.
static void findSurfaces(palWorldStep* world, palWorldPair* pair)
{
    int before = world->linkCount;
    double spacing = pair->spacing;
    if (palWorldStep_IsSearch(world))
    {
        palWorldStep_FindAhead(world, pair);
        return;
    }
    if (pair->isSolid)
    {
        palWorldStep_FindSolids(world, pair, nearDistance(world, pair));
        return;
    }
    palSurfacePair surfaces = palWorldStep_Surfaces(world, pair);
    palSurfacePair_Near(&surfaces, nearDistance(world, pair), &world->found);
    if (world->found.count == 0)
        return;
    addContacts(world, pair, spacing);
    for (int k = 0; k < sparserMax && world->linkCount == world->contactsMax; k++)
    {
        world->linkCount = before;
        addContacts(world, pair, spacing *= 1.5);
    }
    if (world->linkCount == world->contactsMax)
        world->leftOut += world->waiting;
}

//--------------------------------------------------------------------------------------------------
// The finders

// How the contacts of two shapes are found.
typedef struct finder
{
    void (*find)(palWorldStep* world, palWorldPair* pair);
    bool (*collide)(palWorldStep* world, palWorldPair* pair, double spacing);
} finder;

static const finder* finderOf(const palWorldStep* world, const palWorldPair* pair)
{
    static const finder finders[pal_shapeCount][pal_shapeCount] = {
        [pal_shapeSurface][pal_shapeSurface] = {findSurfaces, collideSurfaces},
        [pal_shapeSurface][pal_shapeWire] = {palWorldStep_FindWire, palWorldStep_CollideWire},
        [pal_shapeWire][pal_shapeSurface] = {palWorldStep_FindWire, palWorldStep_CollideWire},
        [pal_shapeWire][pal_shapeWire] = {palWorldStep_FindWire, palWorldStep_CollideWire},
    };
    return &finders[world->bodies[pair->a]->ops->shape][world->bodies[pair->b]->ops->shape];
}

bool palWorldStep_AddCollisions(palWorldStep* world, int pass)
{
    bool again = false;
    for (int i = 0; i < world->pairCount; i++)
    {
        palWorldPair* pair = &world->pairs[i];
        double spacing = pass < spacedPasses ? ldexp(pair->spacing, -pass) : 0.0;
        if (!pair->isIgnored)
            again = finderOf(world, pair)->collide(world, pair, spacing) || again;
    }
    return again;
}

void palWorldStep_FindContacts(palWorldStep* world)
{
    int oldCount = world->oldCount = world->linkCount;
    memcpy(world->old, world->links, (size_t)oldCount * sizeof *world->old);
    memcpy(world->oldAt, world->at, (size_t)oldCount * sizeof *world->oldAt);
    memcpy(world->wasPressed, world->isPressed, (size_t)oldCount * sizeof *world->wasPressed);
    memset(world->isPressed, 0, (size_t)world->contactsMax * sizeof *world->isPressed);
    world->linkCount = 0;
    world->leftOut = 0;
    for (int i = 0; i < world->pairCount; i++)
        if (!world->pairs[i].isIgnored)
            finderOf(world, &world->pairs[i])->find(world, &world->pairs[i]);
    tabulateAll(world, 0.0);
    for (int k = 0; k < oldCount; k++)
        if (world->old[k].lambda[0] != 0.0)
            inheritForce(world, k);
}

//--------------------------------------------------------------------------------------------------

static void exchange(palWorldStep* world, int i, int j)
{
    if (i == j)
        return;
    palLink link = world->links[i];
    world->links[i] = world->links[j], world->links[j] = link;
    palVec3 at = world->at[i];
    world->at[i] = world->at[j], world->at[j] = at;
    for (int k = 0; k < 6; k++)
    {
        double *a = &world->predicted[i][k / 3][k % 3], *b = &world->predicted[j][k / 3][k % 3];
        double force = *a;
        *a = *b, *b = force;
    }
    int pair = world->pairOf[i];
    world->pairOf[i] = world->pairOf[j], world->pairOf[j] = pair;
}

int palWorldStep_PutActingFirst(palWorldStep* world, const palWorldRigid* tool, int* count)
{
    int acting = 0;
    *count = 0;
    for (int i = 0; i < world->linkCount; i++)
    {
        if (world->links[i].ends[0].body != tool->base.id)
            continue;
        exchange(world, i, *count);
        if (world->links[*count].lambda[0] != 0.0)
            exchange(world, *count, acting++);
        ++*count;
    }
    return acting;
}

bool palWorldStep_PutNextFirst(palWorldStep* world, const palWorldRigid* tool, int count)
{
    const palRigidModel* model = &tool->tool->model;
    const palRigidState* state = &tool->state;
    palVec3 omega = palRigid_Omega(model, state);
    int next = -1;
    double least = 0.0;
    for (int i = 0; i < count; i++)
    {
        const palLink* link = &world->links[i];
        palVec3 lever = palSub(palRigid_Point(model, state, link->ends[0].local), state->x);
        double speed = palDot(link->axes[0], palAdd(state->v, palCross(omega, lever)));
        double gap = link->gap - link->distance + world->def.lookAhead * speed;
        if (gap < least)
            least = gap, next = i;
    }
    if (next > 0)
        exchange(world, next, 0);
    return next >= 0;
}
