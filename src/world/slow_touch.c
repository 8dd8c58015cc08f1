// SPDX-License-Identifier: Apache-2.0
// What a slower loop finds in contact (L3): a search alone of world/step.h over the bodies that it
// sees. Each pair of things is looked at by one loop:
//
//     two wires of the high rate, or the tool and a rigid object            the first loop
//     a wire of the high rate and a rigid object or the tool (frozen: as    none: the high rate
//     above)                                                                itself
//     a wire of the high rate, or the tool, and a body of a loop            that loop
//     two bodies of one loop, or one and a rigid object                     that loop
//     rigid objects that move, and the tool, with each other and with       none: the high rate
//     rigid objects, where any object moves                                 itself (world/pile.h)
//
// Bodies of two different slower loops meet at the high rate only, where nothing is sought: they
// touch through joints alone.
#include "world/slow_loop.h"

// Where a body is stepped, as the rule above needs it.
typedef enum where
{
    nowhere, // it is rigid
    atHighRate,
    inLoop,
    inAnother,
} where;

static where whereIs(const palSlowLoop* loop, int id)
{
    const palMethodDef* def = loop->def;
    if (id >= def->colliderCount + def->wireCount)
        return atHighRate;
    bool isOfWire = id >= def->colliderCount;
    if (palWorldStep_Object(&loop->world, id) != NULL)
        return atHighRate;
    if (!isOfWire && def->colliders[id].soft == NULL)
        return nowhere;
    int of = isOfWire ? palMethodDef_Wire(def, id)->loop - 1 : def->colliders[id].loop;
    return of == loop->index ? inLoop : of < 0 ? atHighRate : inAnother;
}

static bool isInHand(const palMethodDef* def, int id)
{
    bool isOfWire = id >= def->colliderCount && id < def->colliderCount + def->wireCount;
    return isOfWire && palMethodDef_Wire(def, id)->handNode >= 0;
}

static bool isRigid(const palSlowLoop* loop, int id)
{
    const palMethodDef* def = loop->def;
    return id >= def->colliderCount + def->wireCount ||
           (id < def->colliderCount && def->colliders[id].soft == NULL);
}

static bool isWire(const palSlowLoop* loop, int id)
{
    return id >= loop->def->colliderCount && id < loop->def->colliderCount + loop->def->wireCount;
}

// Whether the high rate finds the contacts of a wire with what is rigid.
static bool isOfTick(const palSlowLoop* loop, int a, int b)
{
    int wire = isWire(loop, a) ? a : b, other = wire == a ? b : a;
    return !palIsFrozen(loop->def) && isWire(loop, wire) && !isWire(loop, other) &&
           whereIs(loop, wire) == atHighRate && isRigid(loop, other);
}

// What the hand holds is the first of its pairs, and what moves as a whole, else, the second.
static void addPair(palSlowLoop* loop, int a, int b)
{
    where one = whereIs(loop, a), other = whereIs(loop, b);
    bool isSeen = one == inLoop || other == inLoop || loop->index == 0;
    bool isOfPile = loop->objects != NULL && isRigid(loop, a) && isRigid(loop, b);
    bool isTurned = isInHand(loop->def, b) || palWorldStep_Object(&loop->world, a) != NULL;
    if (isSeen && !isOfPile && !isOfTick(loop, a, b) && one != inAnother && other != inAnother)
        palWorldStep_AddPair(&loop->world, isTurned ? b : a, isTurned ? a : b);
}

// Of more contacts than fit those of the first pairs are kept: of the tools, of the wires with each
// other and with objects, and then of objects.
static void addPairs(palSlowLoop* loop)
{
    int objects = loop->def->colliderCount, count = loop->world.bodyCount;
    int tool = count - loop->world.def.toolCount;
    for (int a = tool; a < count; a++)
        for (int b = 0; b < a; b++)
            addPair(loop, a, b);
    for (int a = objects; a < tool; a++)
    {
        for (int b = a; b < tool; b++)
            addPair(loop, a, b);
        for (int b = 0; b < objects; b++)
            addPair(loop, a, b);
    }
    for (int a = 0; a < objects; a++)
        for (int b = 0; b < a; b++)
            addPair(loop, a, b);
}

// Puts the surfaces that this loop sees where they are now; wires have where they were besides.
static void placeBodies(palSlowLoop* loop)
{
    palWorldStep* world = &loop->world;
    for (int i = 0; i < world->bodyCount; i++)
    {
        palWorldBody* body = world->bodies[i];
        if (whereIs(loop, i) == inAnother)
            continue;
        if (body->ops->shape == pal_shapeSurface)
            body->ops->reset(body);
        palWorldBody_MoveSurface(body);
    }
}

palResult palSlowLoop_InitTouch(palSlowLoop* loop, palError* error)
{
    const palMethodDef* def = loop->def;
    palWorldStepDef search = {
        .colliders = def->colliders,
        .colliderCount = def->colliderCount,
        .wires = def->wires,
        .wireCount = def->wireCount,
        .joints = loop->joints,
        .jointCount = def->jointCount,
        .objects = loop->objects,
        .contactsMax = loop->sizes.contacts,
        .radius = def->radius,
        .horizon = loop->h + def->latency,
    };
    for (int i = 0; i < loop->handCount; i++)
        if (def[i].tool != NULL)
            search.tools[search.toolCount++] = def[i].tool;
    palResult result = palWorldStep_Init(&loop->world, &search, error);
    if (result != pal_ok)
        return result;
    for (int i = 0; i < def->colliderCount; i++)
        if (palWorldStep_Object(&loop->world, i) != NULL)
            palSlowLoop_PlaceObject(loop, i, def->pile->bodies[i].pose, (palTwist){0});
    addPairs(loop);
    placeBodies(loop);
    palWorldStep_ChooseClearances(&loop->world);
    return pal_ok;
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
    palWorldStep* world = &loop->world;
    int kept = 0;
    for (int i = 0; i < loop->bodyCount; i++)
        loop->bodies[i].usedRows = 0;
    for (int i = 0; i < loop->def->jointCount; i++)
        takeRoom(loop, &loop->joints[i]);
    for (int i = 0; i < world->linkCount; i++)
        if (takeRoom(loop, &world->links[i]))
            world->links[kept++] = world->links[i];
    loop->dropped = world->leftOut + world->linkCount - kept;
    world->linkCount = kept;
}

void palSlowLoop_Touch(palSlowLoop* loop)
{
    palWorldStep* world = &loop->world;
    placeBodies(loop);
    palWorldStep_FindContacts(world);
    dropOverfull(loop);
    for (int i = 0; i < world->bodyCount; i++)
        if (world->bodies[i]->ops->shape == pal_shapeWire)
            world->bodies[i]->ops->commit(world->bodies[i]);
    // What is reported is where the other body was touched.
    for (int i = 0; i < world->linkCount; i++)
    {
        palPlace* end = &world->links[i].ends[1];
        if (end->kind != pal_placeRigid)
            end->local = world->bodies[end->body]->ops->point(world->bodies[end->body], end, false);
    }
}
