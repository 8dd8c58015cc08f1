// SPDX-License-Identifier: Apache-2.0
// Making the world step: its bodies, its pairs, and everything that a step needs.
#include "world/step.h"

#include "base/error.h"

#include <stdlib.h>

enum
{
    usualContacts = 384,
    leastContacts = 48,
    foundPerContact = 32, // pairs of features that are looked at for one contact, about
    foundMin = 8192,      // and of a search alone at least
    insideVertices = 1024,
};

static const double rowMemory = 256e6;   // bytes, about, for the rows of one soft body
static const double spacingShare = 0.02; // of a body's size: between its contacts at first

static int maxInt(int a, int b)
{
    return a > b ? a : b;
}

static int minInt(int a, int b)
{
    return a < b ? a : b;
}

// The rows of a body take as much memory as they reach unknowns. Rows of `equality` pull as well as
// push: more of them hold the tissue in shapes that it would leave.
static int contactCapacity(const palWorldStepDef* def)
{
    int usual = def->law == pal_toolEquality ? leastContacts : usualContacts;
    int contacts = def->contactsMax > 0 ? def->contactsMax : usual;
    for (int i = 0; i < def->colliderCount; i++)
    {
        if (def->colliders[i].soft == NULL || def->contactsMax > 0)
            continue;
        double bytes = 3.0 * 3.0 * sizeof(double) * def->colliders[i].soft->freeCount;
        contacts = minInt(contacts, maxInt(leastContacts, (int)(rowMemory / bytes)));
    }
    return contacts;
}

static int jointRowsOn(const palWorldStepDef* def, int body)
{
    int rows = 0;
    for (int i = 0; i < def->jointCount; i++)
        for (int e = 0; e < 2; e++)
            rows += def->joints[i].ends[e].body == body ? palLink_Rows(&def->joints[i]) : 0;
    return rows;
}

// What the rows of joints on a soft body have beyond three vertices.
static int anchorEntriesOn(const palWorldStepDef* def, int body)
{
    int entries = 0;
    for (int i = 0; i < def->jointCount; i++)
        for (int e = 0; e < 2; e++)
            if (def->joints[i].ends[e].body == body && def->joints[i].ends[e].anchor != NULL)
                entries += palLink_Rows(&def->joints[i]) * def->joints[i].ends[e].anchor->count;
    return entries;
}

// The rows of a body with that many contacts.
static int rowsOn(const palWorldStep* world, int body, int contacts)
{
    return palWorldStep_IsSearch(world) ? 0 : 3 * contacts + jointRowsOn(&world->def, body);
}

static int wireRows(const palWorldStep* world, int wire)
{
    const palWorldStepDef* def = &world->def;
    return rowsOn(world, def->colliderCount + wire,
                  palWorldWire_Contacts(&def->wires[wire], world->contactsMax));
}

static palResult createWires(palWorldStep* world, palError* error)
{
    const palWorldStepDef* def = &world->def;
    int most = 1;
    palResult result = pal_ok;
    for (int i = 0; i < def->wireCount; i++)
        most = maxInt(most, wireRows(world, i));
    size_t bytes = (size_t)most * (size_t)most * sizeof *world->wireW;
    world->wireW = malloc(bytes);
    if (world->wireW == NULL)
        return palError_Memory(error, "the contacts of wires", bytes);
    for (int i = 0; i < def->wireCount && result == pal_ok; i++)
        result = palWorldWire_Create(&def->wires[i], wireRows(world, i), world->wireW,
                                     def->fastDt > 0.0, &world->bodies[world->bodyCount++], error);
    return result;
}

static palResult createObject(palWorldStep* world, int index, palWorldBody** body, palError* error)
{
    const palWorldStepDef* def = &world->def;
    palCollider* collider = &def->colliders[index];
    int rowCapacity = rowsOn(world, index, world->contactsMax);
    if (collider->soft != NULL)
        return palWorldSoft_Create(collider, rowCapacity, anchorEntriesOn(def, index), &def->factor,
                                   def->fastDt, body, error);
    if (!palWorldStepDef_Moves(def, index))
        return palWorldStatic_Create(collider, body, error);
    palResult result = palWorldRigid_Create(&def->objects[index], rowCapacity, body, error);
    if (result == pal_ok)
        (*body)->friction = collider->friction;
    return result;
}

static palResult createBodies(palWorldStep* world, palError* error)
{
    const palWorldStepDef* def = &world->def;
    palResult result = pal_ok;
    for (int i = 0; i < def->colliderCount && result == pal_ok; i++)
        result = createObject(world, i, &world->bodies[world->bodyCount++], error);
    if (result == pal_ok)
        result = createWires(world, error);
    for (int i = 0; i < def->toolCount && result == pal_ok; i++)
    {
        int rowCapacity = rowsOn(world, world->bodyCount, world->contactsMax);
        palWorldBody** body = &world->bodies[world->bodyCount++];
        result = palWorldRigid_Create(def->tools[i], rowCapacity, body, error);
        world->tools[i] = (palWorldRigid*)*body;
    }
    for (int i = 0; i < world->bodyCount && result == pal_ok; i++)
        world->bodies[i]->id = i;
    return result;
}

// A body in the hand takes the friction of what it touches; of two others the larger counts.
static double pairFriction(const palWorldStep* world, const palWorldBody* a, const palWorldBody* b)
{
    bool isTools = a->friction < 0.0 || b->friction < 0.0;
    return isTools && world->def.law == pal_toolEquality ? 0.0 : fmax(a->friction, b->friction);
}

void palWorldStep_SetFriction(palWorldStep* world, int body, double friction)
{
    world->bodies[body]->friction = friction;
    for (int i = 0; i < world->pairCount; i++)
    {
        palWorldPair* pair = &world->pairs[i];
        if (pair->a == body || pair->b == body)
            pair->friction = pairFriction(world, world->bodies[pair->a], world->bodies[pair->b]);
    }
}

// Of surfaces in proportion to the smaller one; a wire's contacts have distances of their own.
static double pairClearance(const palWorldBody* a, const palWorldBody* b)
{
    bool isWires = a->ops->shape == pal_shapeWire || b->ops->shape == pal_shapeWire;
    double share = PAL_CONTACT_CLEARANCE_SHARE * fmin(a->size, b->size);
    return isWires ? PAL_CONTACT_CLEARANCE : fmin(share, PAL_CONTACT_CLEARANCE);
}

// Of a rigid body that the tick moves.
static bool movesInTick(const palWorldStep* world, int body)
{
    return body < world->def.colliderCount && world->def.colliders[body].inTick;
}

void palWorldStep_AddPair(palWorldStep* world, int a, int b)
{
    const palWorldBody* bodyA = world->bodies[a];
    const palWorldBody* bodyB = world->bodies[b];
    if ((!bodyA->ops->moves && !bodyB->ops->moves) ||
        (palWorldStep_Tool(world, a) != NULL && palWorldStep_Tool(world, b) != NULL) ||
        movesInTick(world, a) || movesInTick(world, b))
        return;
    bool isTools = palWorldStep_Tool(world, a) != NULL;
    palWorldPair* pair = &world->pairs[world->pairCount++];
    double clearance = pairClearance(bodyA, bodyB);
    *pair = (palWorldPair){
        .a = a,
        .b = b,
        .spacing = spacingShare * (isTools ? bodyA->size : fmin(bodyA->size, bodyB->size)),
        .usualClearance = clearance,
        .clearance = clearance,
        .tolerance = fmin(PAL_PENETRATION_TOLERANCE, clearance),
        .depthMax = INFINITY,
        .friction = pairFriction(world, bodyA, bodyB),
    };
    pair->isSolid = palWorldStep_AreSolid(world, pair);
    if (pair->isSolid)
    {
        pair->clearance = 0.0;
        pair->usualClearance = pair->tolerance = clearance = PAL_RIGID_ACCURACY;
    }
    world->clearance = fmin(world->clearance, fmax(clearance, 1e-5));
}

static void addPairs(palWorldStep* world)
{
    for (int a = world->bodyCount - 1; a >= 0; a--)
    {
        for (int b = 0; b < a; b++)
            palWorldStep_AddPair(world, a, b);
        if (world->bodies[a]->ops->shape == pal_shapeWire)
            palWorldStep_AddPair(world, a, a);
    }
}

static palResult allocate(palWorldStep* world, palError* error)
{
    size_t contacts = (size_t)world->contactsMax;
    size_t bodies = (size_t)world->bodyCount;
    size_t rows = 3 * contacts + (size_t)world->jointRows;
    bool isSearch = palWorldStep_IsSearch(world);
    int found = maxInt(foundPerContact * world->contactsMax, isSearch ? foundMin : 0);
    world->tableSize = 1;
    while (world->tableSize < 4 * world->contactsMax)
        world->tableSize *= 2;
    world->insideMax = insideVertices;
    world->pairs = calloc(bodies * (bodies + 1) + 1, sizeof *world->pairs);
    world->links = calloc(contacts, sizeof *world->links);
    world->pairOf = calloc(contacts, sizeof *world->pairOf);
    world->at = calloc(contacts, sizeof *world->at);
    world->gapError = calloc(contacts, sizeof *world->gapError);
    world->predicted = calloc(contacts, sizeof *world->predicted);
    world->velocity = calloc(rows, sizeof *world->velocity);
    world->lambdaInside = calloc(2 * rows, sizeof *world->lambdaInside);
    world->factor = calloc(contacts * contacts, sizeof *world->factor);
    world->order = calloc(contacts, sizeof *world->order);
    world->right = calloc(contacts, sizeof *world->right);
    world->heap = calloc((size_t)found, sizeof *world->heap);
    world->featureHeads = calloc((size_t)world->tableSize, sizeof *world->featureHeads);
    world->featureNext = calloc(contacts, sizeof *world->featureNext);
    world->cellHeads = calloc((size_t)world->tableSize, sizeof *world->cellHeads);
    world->cellNext = calloc(contacts, sizeof *world->cellNext);
    world->old = calloc(contacts, sizeof *world->old);
    world->oldAt = calloc(contacts, sizeof *world->oldAt);
    world->isPressed = calloc(contacts, sizeof *world->isPressed);
    world->wasPressed = calloc(contacts, sizeof *world->wasPressed);
    world->inside = calloc(insideVertices, sizeof *world->inside);
    world->shares = calloc(bodies + 1, sizeof *world->shares);
    world->groups = calloc(bodies + 1, sizeof *world->groups);
    if (!world->pairs || !world->links || !world->pairOf || !world->at || !world->gapError ||
        !world->predicted || !world->velocity || !world->lambdaInside || !world->factor ||
        !world->order || !world->right || !world->heap || !world->featureHeads ||
        !world->featureNext || !world->cellHeads || !world->cellNext || !world->old ||
        !world->oldAt || !world->isPressed || !world->wasPressed || !world->inside ||
        !world->shares || !world->groups)
        return palError_Memory(error, "the contacts of the world",
                               contacts * contacts * sizeof *world->factor);
    palResult result = palContactList_Init(&world->found, found, error);
    if (result == pal_ok && !isSearch)
    {
        palRowsDef def = {.rowCapacity = (int)rows, .withSolver = true};
        result = palRows_CreateFor(&def, &world->rows, error);
    }
    return result;
}

palResult palWorldStep_Init(palWorldStep* world, const palWorldStepDef* def, palError* error)
{
    *world = (palWorldStep){
        .def = *def, .parts = 1, .h = def->horizon, .clearance = PAL_CONTACT_CLEARANCE};
    if (!(def->factor.h > 0.0))
        world->def.factor = palDefaultSoftFactorDef();
    world->contactsMax = contactCapacity(def);
    size_t bodies = (size_t)(def->colliderCount + def->wireCount + def->toolCount) + 1;
    world->bodies = calloc(bodies, sizeof *world->bodies);
    if (world->bodies == NULL)
        return palError_Memory(error, "the bodies of the world", bodies * sizeof *world->bodies);
    palResult result = palWorldStep_InitJoints(world, error);
    if (result == pal_ok)
        result = createBodies(world, error);
    if (result == pal_ok)
        result = allocate(world, error);
    if (result != pal_ok)
    {
        palWorldStep_Free(world);
        return result;
    }
    if (!palWorldStep_IsSearch(world))
        addPairs(world);
    return pal_ok;
}

void palWorldStep_Free(palWorldStep* world)
{
    for (int i = 0; i < world->bodyCount; i++)
        if (world->bodies[i] != NULL)
            world->bodies[i]->ops->destroy(world->bodies[i]);
    palContactList_Free(&world->found);
    palRows_Destroy(world->rows);
    void* const owned[] = {
        world->bodies,       world->pairs,        world->links,       world->pairOf,
        world->at,           world->gapError,     world->predicted,   world->velocity,
        world->lambdaInside, world->factor,       world->order,       world->right,
        world->heap,         world->featureHeads, world->featureNext, world->cellHeads,
        world->cellNext,     world->old,          world->oldAt,       world->inside,
        world->shares,       world->groups,       world->joints,      world->wireW,
        world->isPressed,    world->wasPressed,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    *world = (palWorldStep){0};
}

palWorldSoft* palWorldStep_Soft(const palWorldStep* world, int body)
{
    bool isSoft = body < world->def.colliderCount && world->def.colliders[body].soft != NULL;
    return isSoft ? (palWorldSoft*)world->bodies[body] : NULL;
}

void palWorldStep_Archive(palWorldStep* world, palArchive* archive)
{
    for (int i = 0; i < world->bodyCount; i++)
        world->bodies[i]->ops->archive(world->bodies[i], archive);
    PAL_ARCHIVE_ARRAY(archive, world->pairs, world->pairCount);
    for (int i = 0; i < world->jointCount; i++)
    {
        palWorldJoint* joint = &world->joints[i];
        palLink_Archive(&joint->link, archive);
        PAL_ARCHIVE(archive, joint->stop);
        PAL_ARCHIVE(archive, joint->lambda);
        PAL_ARCHIVE(archive, joint->predicted);
    }
    PAL_ARCHIVE(archive, world->linkCount);
    PAL_ARCHIVE_ARRAY(archive, world->links, world->linkCount);
    PAL_ARCHIVE_ARRAY(archive, world->pairOf, world->linkCount);
    PAL_ARCHIVE_ARRAY(archive, world->at, world->linkCount);
    PAL_ARCHIVE_ARRAY(archive, world->isPressed, world->linkCount);
    PAL_ARCHIVE_ARRAY(archive, world->predicted, world->linkCount);
    PAL_ARCHIVE(archive, world->h);
    PAL_ARCHIVE(archive, world->parts);
    PAL_ARCHIVE(archive, world->cleanSteps);
    PAL_ARCHIVE(archive, world->overflow);
    PAL_ARCHIVE(archive, world->failures);
    if (world->rows != NULL)
        palRows_Archive(world->rows, archive);
}
