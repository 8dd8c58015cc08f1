// SPDX-License-Identifier: Apache-2.0
#include "world/soft_world.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// Friction holds below this share of its limit.
static const double stickingShare = 0.95;
// Bodies of which nothing holds one may slide where friction, or what the hand does to them, is
// above this share of the limit of all their contacts: it may double before the next step.
static const double slidingShare = 0.5;

// The load L of a contact that may slide, its friction in the next prediction, follows the friction
// λ that the step found,
//
//     L' = L + r (s λ - L),   |L'| <= s μ λn
//
// THE SHARE s is below stickingShare. A body that needs the friction F to stay is predicted to move
// by γ W (F - L), with W its compliance in one step and γ from 1/2 (inertia) to 1 (at rest) for a
// prediction in many small ones. The correction that puts it back finds λ = (1 - γ) L + γ F. With
// |L| <= s μ λn a contact that needs less than s μ λn is found with less, and is tied in the next
// step; a larger L could by itself keep λ above stickingShare, and where pressed bodies come to
// rest would depend on the steps on the way. With s = 0.95 that is so by 10 % of the force, in the
// corner of tests/scene/test_corner.c. What L leaves out, 1 - s of the friction, acts at updates
// only: with s = 0.5, 0.85 and 0.95 the force in tests/scene/test_contact_friction.c changes from
// tick to tick by 1.0, 0.3 and 0.1 % with updates every 10 ms.
//
// THE RENEWAL r. What puts a body back by d within a step h also gives it the velocity -d/h, of
// which the next prediction makes the displacement -β d; β, 0..1, is how much of a velocity is left
// after a step. With s taken as 1, e = F - L and δ = d/W
//
//     δ' = γ e - β δ,   e' = e - r δ',   so that z² - (1 - r γ - β) z - β = 0
//
// whose root near -1, a friction that alternates from step to step, is inside the unit circle where
// r γ < 2 (1 - β). r = 0.1 is stable for every γ <= 1 where a velocity loses 5 % in a step. With
// r = 1 friction alternates in that test: the force changes by 6 to 18 %.
static const double loadShare = 0.85;
static const double loadRenewal = 0.1;
// m: bodies farther apart than this over the whole step do not touch in it.
static const double margin = 1e-3;

enum
{
    entriesMax = 2 * 3 * pal_skinNodesMax, // of one row without anchors
    rowEntriesMax = pal_anchorNodesMax,    // of one end of any row
};

//--------------------------------------------------------------------------------------------------
// Memory

static palResult allocateMotion(palSoftMotionEnds* motion, const palSoftBody* body, palError* error)
{
    size_t nodes = (size_t)body->nodeCount + 1;
    motion->startX = calloc(nodes, sizeof *motion->startX);
    motion->startV = calloc(nodes, sizeof *motion->startV);
    motion->endX = calloc(nodes, sizeof *motion->endX);
    motion->endV = calloc(3 * nodes, sizeof *motion->endV);
    if (motion->startX && motion->startV && motion->endX && motion->endV)
        return pal_ok;
    return palError_Memory(error, "the motion of a soft body", 4 * nodes * sizeof *motion->startX);
}

static palResult allocate(palSoftWorld* world, palError* error)
{
    size_t objects = (size_t)world->colliderCount;
    size_t rows = 3 * (size_t)world->step.contactsMax + (size_t)world->step.jointRows;
    size_t entries = rows * entriesMax + 2 * (size_t)world->step.jointRows * pal_anchorNodesMax;
    world->softOf = calloc(objects + 1, sizeof *world->softOf);
    world->motions = calloc(objects + 1, sizeof *world->motions);
    world->start = calloc(rows + 1, sizeof *world->start);
    world->bodies = calloc(entries, sizeof *world->bodies);
    world->nodes = calloc(entries, sizeof *world->nodes);
    world->values = calloc(entries, sizeof *world->values);
    world->linkOf = calloc(rows, sizeof *world->linkOf);
    world->axisOf = calloc(rows, sizeof *world->axisOf);
    world->forces = calloc(rows, sizeof *world->forces);
    if (!world->softOf || !world->motions || !world->start || !world->bodies || !world->nodes ||
        !world->values || !world->linkOf || !world->axisOf || !world->forces)
        return palError_Memory(error, "the contact of soft bodies",
                               entries * sizeof *world->values);
    world->ties = (palTies){
        .maxRows = (int)rows,
        .maxEntries = (int)entries,
        .rows = {0, world->start, world->bodies, world->nodes, world->values},
        .forces = world->forces,
    };
    palResult result =
        palSoftRubs_Init(&world->rubs, world->step.contactsMax, world->step.pairCount, error);
    for (int i = 0, count = 0; i < world->colliderCount && result == pal_ok; i++)
    {
        const palSoftBody* body = world->colliders[i].soft;
        world->softOf[i] = body != NULL ? count++ : -1;
        if (body != NULL)
            result = allocateMotion(&world->motions[i], body, error);
    }
    return result;
}

void palSoftWorld_Destroy(palSoftWorld* world)
{
    if (world == NULL)
        return;
    palWorldStep_Free(&world->step);
    palSoftRubs_Free(&world->rubs);
    for (int i = 0; i < world->colliderCount && world->motions != NULL; i++)
    {
        free(world->motions[i].startX);
        free(world->motions[i].startV);
        free(world->motions[i].endX);
        free(world->motions[i].endV);
    }
    void* const owned[] = {
        world->softOf, world->motions, world->start,  world->bodies, world->nodes,
        world->values, world->linkOf,  world->axisOf, world->forces,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(world);
}

//--------------------------------------------------------------------------------------------------
// The predicted motion

void palSoftWorld_Begin(palSoftWorld* world)
{
    for (int i = 0; i < world->colliderCount; i++)
    {
        const palSoftBody* body = world->colliders[i].soft;
        if (body == NULL)
            continue;
        size_t bytes = (size_t)body->nodeCount * sizeof(palVec3);
        memcpy(world->motions[i].startX, body->x, bytes);
        memcpy(world->motions[i].startV, body->v, bytes);
    }
}

// The box that an object sweeps: its surface is where it was at the beginning, its nodes where they
// are predicted.
static palBounds sweptBounds(const palCollider* collider)
{
    palBounds bounds = palBvh_Bounds(collider->bvh);
    for (int i = 0; collider->soft != NULL && i < collider->soft->nodeCount; i++)
        bounds = palBounds_With(bounds, collider->soft->x[i]);
    return palBounds_Grown(bounds, margin);
}

// Whether any two bodies may touch within the step.
static bool mayTouch(const palSoftWorld* world)
{
    if (world->step.linkCount > 0 || world->step.jointCount > 0 || world->step.def.wireCount > 0)
        return true;
    for (int i = 0; i < world->step.pairCount; i++)
    {
        const palWorldPair* pair = &world->step.pairs[i];
        if (!pair->isIgnored && palBounds_Meet(sweptBounds(&world->colliders[pair->a]),
                                               sweptBounds(&world->colliders[pair->b])))
            return true;
    }
    return false;
}

// The forces of a link, by rows, that are a load on a soft body at that end: all of those of wires,
// of other contacts friction that no tie gives. Returns false where there are none.
static bool findLoad(const palLink* link, int end, const double* lambda,
                     double load[pal_linkRowsMax])
{
    bool isSurface = link->ends[end].kind == pal_placeSurface;
    bool isWires = link->ends[1 - end].kind == pal_placeWire;
    for (int r = 0; r < pal_linkRowsMax; r++)
        load[r] = isWires ? lambda[r] : 0.0;
    for (int r = 1; r < palLink_Rows(link) && link->kind == pal_linkContact && !isWires; r++)
        load[r] = palDot(link->load, link->axes[r]);
    return isSurface && (isWires || palLengthSquared(link->load) > 0.0);
}

// Rows of rotation are multiplied by the size of what is held, so that they are lengths as all
// others: islands leave out rows that are small beside others.
static double tieScale(const palLink* link, int r)
{
    for (int e = 0; e < 2 && r >= 3; e++)
        if (link->ends[e].anchor != NULL)
            return link->ends[e].anchor->size;
    return 1.0;
}

// The bodies go back to the beginning; where they were moved to is what the step begins with.
static void takePrediction(palSoftWorld* world)
{
    for (int i = 0; i < world->colliderCount; i++)
    {
        palSoftBody* body = world->colliders[i].soft;
        palSoftMotionEnds* motion = &world->motions[i];
        if (body == NULL)
            continue;
        size_t bytes = (size_t)body->nodeCount * sizeof(palVec3);
        memcpy(motion->endX, body->x, bytes);
        palSoftBody_Velocities(body, motion->endV);
        memcpy(body->x, motion->startX, bytes);
        memcpy(body->v, motion->startV, bytes);
        palWorldStep_Predict(&world->step, i, motion->endX, motion->endV);
    }
    palWorldStep* step = &world->step;
    double load[pal_linkRowsMax];
    for (int i = 0; i < 2 * step->linkCount; i++)
        if (findLoad(&step->links[i / 2], i % 2, step->links[i / 2].lambda, load))
            memcpy(step->predicted[i / 2][i % 2], load, 3 * sizeof *load);
    for (int i = 0; i < step->linkCount; i++)
        for (int e = 0; e < 2; e++)
            palSoftRubs_Predicted(&world->rubs, i, &step->links[i], step->predicted[i][e]);
    for (int i = 0; i < 2 * step->jointCount; i++)
        if (findLoad(&step->joints[i / 2].link, i % 2, step->joints[i / 2].lambda, load))
            memcpy(step->joints[i / 2].predicted[i % 2], load, sizeof load);
    // The forces that the ties gave belong to the contacts that they were made of.
    for (int r = 0; r < world->ties.rows.count; r++)
        for (int e = 0; e < 2; e++)
        {
            int link = world->linkOf[r], row = world->axisOf[r];
            if (link < 0)
                step->joints[-1 - link].predicted[e][row] =
                    tieScale(&step->joints[-1 - link].link, row) * world->forces[r];
            else
                step->predicted[link][e][row] = world->forces[r];
        }
}

//--------------------------------------------------------------------------------------------------
// Ties

// Adds the entries of one end of a row.
static int addEntries(const palSoftWorld* world, const palPlace* end, palVec3 axis, bool angular,
                      int entry)
{
    if (end->kind != pal_placeSurface)
        return entry;
    const palCollider* collider = &world->colliders[end->body];
    int first = entry;
    int count = palSoftPlace_Row(end, &collider->skin, collider->soft->x, axis, angular,
                                 world->nodes + first, world->values + first);
    for (int k = first; k < first + count; k++)
    {
        if (collider->soft->freeIndex[world->nodes[k]] < 0)
            continue;
        world->bodies[entry] = world->softOf[end->body];
        world->nodes[entry] = world->nodes[k];
        world->values[entry++] = world->values[k];
    }
    return entry;
}

static void addTie(palSoftWorld* world, const palLink* link, int index, int r, double force)
{
    int row = world->ties.rows.count;
    int first = world->start[row];
    bool angular;
    double scale = tieScale(link, r);
    palVec3 axis = palScale(scale, palLink_Axis(link, r, &angular));
    int entry = addEntries(world, &link->ends[0], axis, angular, first);
    entry = addEntries(world, &link->ends[1], palNeg(axis), angular, entry);
    if (entry == first)
        return;
    world->linkOf[row] = index;
    world->axisOf[row] = r;
    world->forces[row] = force / scale;
    world->start[row + 1] = entry;
    world->ties.rows.count = row + 1;
}

// What wires and friction push and pull nodes with.
static void addLoad(palSoftWorld* world, const palLink* link, int end, const double* lambda)
{
    double load[pal_linkRowsMax];
    if (!findLoad(link, end, lambda, load))
        return;
    const palCollider* collider = &world->colliders[link->ends[end].body];
    palSoftBody* body = collider->soft;
    for (int r = 0; r < palLink_Rows(link); r++)
    {
        if (load[r] == 0.0)
            continue;
        int nodes[rowEntriesMax];
        palVec3 values[rowEntriesMax];
        bool angular;
        palVec3 axis = palLink_Axis(link, r, &angular);
        int count = palSoftPlace_Row(&link->ends[end], &collider->skin, body->x, axis, angular,
                                     nodes, values);
        for (int k = 0; k < count; k++)
            body->load[nodes[k]] =
                palMulAdd(body->load[nodes[k]], end == 0 ? load[r] : -load[r], values[k]);
    }
}

// Writes them for the next step; what that predicts is not known yet.
static void loadBodies(palSoftWorld* world)
{
    palWorldStep* step = &world->step;
    for (int i = 0; i < world->colliderCount; i++)
    {
        palSoftBody* body = world->colliders[i].soft;
        if (body != NULL)
            memset(body->load, 0, (size_t)body->nodeCount * sizeof *body->load);
    }
    for (int i = 0; i < step->linkCount; i++)
        for (int e = 0; e < 2; e++)
            addLoad(world, &step->links[i], e, step->links[i].lambda);
    for (int i = 0; i < step->jointCount; i++)
    {
        memset(step->joints[i].predicted, 0, sizeof step->joints[i].predicted);
        for (int e = 0; e < 2; e++)
            addLoad(world, &step->joints[i].link, e, step->joints[i].lambda);
    }
}

static void tieJoints(palSoftWorld* world)
{
    for (int i = 0; i < world->step.jointCount; i++)
    {
        const palWorldJoint* joint = &world->step.joints[i];
        for (int r = 0; r < palLink_Rows(&joint->link) && !palWorldStep_IsWires(&joint->link); r++)
            addTie(world, &joint->link, -1 - i, r, joint->lambda[r]);
    }
}

// Whether something holds both bodies of a contact: one that is free would be carried off by the
// friction of a contact that opens or sticks before the next step.
static bool isHeld(const palSoftWorld* world, const palLink* link)
{
    bool held = true;
    for (int e = 0; e < 2; e++)
    {
        const palSoftBody* body = world->colliders[link->ends[e].body].soft;
        held = held && (body == NULL || body->freeCount < body->nodeCount);
    }
    return held;
}

// Whether two bodies may begin to slide on each other before the next step, or do.
static bool maySlide(const palSoftWorld* world, int index, const palVec3* pushes)
{
    const palWorldStep* step = &world->step;
    palVec3 friction = pal_zeroVec3, normal = pal_zeroVec3;
    double load = 0.0, across = 0.0;
    for (int i = 0; i < step->linkCount; i++)
    {
        const palLink* link = &step->links[i];
        if (step->pairOf[i] != step->pairOf[index])
            continue;
        load += link->friction * link->lambda[0];
        normal = palMulAdd(normal, link->lambda[0], link->axes[0]);
        for (int r = 1; r < palLink_Rows(link); r++)
            friction = palMulAdd(friction, link->lambda[r], link->axes[r]);
    }
    normal = palNormalize(normal);
    for (int e = 0; e < 2; e++)
    {
        palVec3 push = pushes != NULL ? pushes[step->links[index].ends[e].body] : pal_zeroVec3;
        double along = palDot(push, normal);
        across = fmax(across, palLength(palMulAdd(push, -along, normal)));
    }
    return fmax(across, palLength(friction)) > slidingShare * load;
}

// Whether friction holds a contact, and all of its pair could hold what the hand does to one of the
// two bodies: it may do that from now on without the other.
static bool sticks(const palSoftWorld* world, int index, const palVec3* pushes)
{
    const palLink* link = &world->step.links[index];
    double load = 0.0, across = 0.0;
    for (int i = 0; i < world->step.linkCount; i++)
        if (world->step.pairOf[i] == world->step.pairOf[index])
            load += world->step.links[i].lambda[0];
    for (int e = 0; e < 2; e++)
    {
        palVec3 push = pushes != NULL ? pushes[link->ends[e].body] : pal_zeroVec3;
        double along = palDot(push, link->axes[0]);
        across = fmax(across, palLength(palMulAdd(push, -along, link->axes[0])));
    }
    return link->friction > 0.0 && across <= link->friction * load &&
           hypot(link->lambda[1], link->lambda[2]) <
               stickingShare * link->friction * link->lambda[0];
}

// The load of a contact in the next prediction, N, where no tie holds it across: friction follows
// slowly, within the present limit, and is forgotten where the contact has turned around.
static palVec3 nextLoad(const palLink* link)
{
    palVec3 friction = pal_zeroVec3;
    for (int r = 1; r < palLink_Rows(link); r++)
        friction = palMulAdd(friction, link->lambda[r], link->axes[r]);
    palVec3 before = palDot(friction, link->load) < 0.0 ? pal_zeroVec3 : link->load;
    palVec3 load = palLerp(before, palScale(loadShare, friction), loadRenewal);
    double limit = loadShare * link->friction * link->lambda[0], size = palLength(load);
    return size > limit ? palScale(limit / size, load) : load;
}

// Contacts that are closed, by more than the clearance, tie the bodies: along the normal, and where
// friction holds across it. A body that nothing holds and that may slide rubs instead, as far as
// all its contacts push.
static void tieClosed(palSoftWorld* world, const palVec3* pushes)
{
    world->ties.rows.count = 0;
    world->start[0] = 0;
    for (int i = 0; i < world->step.linkCount; i++)
    {
        palLink* link = &world->step.links[i];
        bool isClosed = link->lambda[0] > 0.0 && world->step.isPressed[i];
        bool isTied = isClosed && !palWorldStep_IsWires(link);
        bool held = isHeld(world, link);
        bool rubs = !held && !palWorldStep_IsWires(link) && link->lambda[0] > 0.0 &&
                    link->friction > 0.0 && maySlide(world, i, pushes);
        bool isSticking = isTied && !rubs && sticks(world, i, pushes);
        link->load = isTied && held && !isSticking ? nextLoad(link) : pal_zeroVec3;
        world->rubs.of[i] = rubs ? pal_rubPending : pal_rubNone;
        if (!isTied)
            continue;
        for (int axis = 0; axis < (isSticking ? 3 : 1); axis++)
            addTie(world, link, i, axis, link->lambda[axis]);
    }
    palRubbing rubbing = {
        .colliders = world->colliders,
        .softOf = world->softOf,
        .links = world->step.links,
        .pairOf = world->step.pairOf,
        .at = world->step.at,
        .linkCount = world->step.linkCount,
    };
    palSoftRubs_Find(&world->rubs, &rubbing);
    tieJoints(world);
    loadBodies(world);
}

palResult palSoftWorld_Create(const palSoftWorldDef* def, palSoftWorld** world, palError* error)
{
    bool isAnySoft = false;
    *world = NULL;
    for (int i = 0; i < def->colliderCount; i++)
        isAnySoft = isAnySoft || def->colliders[i].soft != NULL;
    bool mayTouch = isAnySoft && def->colliderCount > 1;
    if (!mayTouch && def->wireCount == 0 && def->jointCount == 0)
        return pal_ok;
    palSoftWorld* created = calloc(1, sizeof *created);
    if (created == NULL)
        return palError_Memory(error, "the contact of soft bodies", sizeof *created);
    created->colliders = def->colliders;
    created->colliderCount = def->colliderCount;
    palWorldStepDef step = {
        .colliders = def->colliders,
        .colliderCount = def->colliderCount,
        .factor = def->factor,
        .wires = def->wires,
        .wireCount = def->wireCount,
        .joints = def->joints,
        .jointCount = def->jointCount,
        .lookAhead = def->lookAhead,
        .radius = def->radius,
    };
    palResult result = palWorldStep_Init(&created->step, &step, error);
    if (result == pal_ok)
        result = allocate(created, error);
    if (result != pal_ok)
    {
        palSoftWorld_Destroy(created);
        return result;
    }
    palWorldStep_Place(&created->step);
    palWorldStep_FindForces(&created->step, def->factor.h);
    tieClosed(created, NULL);
    *world = created;
    return pal_ok;
}

void palSoftWorld_Correct(palSoftWorld* world, double h, const palVec3* pushes,
                          palWorldStepInfo* info)
{
    *info = (palWorldStepInfo){0};
    if (!(h > 0.0))
        return;
    if (mayTouch(world))
    {
        takePrediction(world);
        palWorldStep_Advance(&world->step, h, info);
        world->corrected++;
    }
    else
        for (int i = 0; i < world->colliderCount; i++)
            if (world->colliders[i].soft != NULL)
                palCollider_Follow(&world->colliders[i]);
    tieClosed(world, pushes);
}

void palSoftWorld_Archive(palSoftWorld* world, palArchive* archive)
{
    int* rows = &world->ties.rows.count;
    palWorldStep_Archive(&world->step, archive);
    PAL_ARCHIVE(archive, *rows);
    PAL_ARCHIVE_ARRAY(archive, world->start, *rows + 1);
    PAL_ARCHIVE_ARRAY(archive, world->bodies, world->start[*rows]);
    PAL_ARCHIVE_ARRAY(archive, world->nodes, world->start[*rows]);
    PAL_ARCHIVE_ARRAY(archive, world->values, world->start[*rows]);
    PAL_ARCHIVE_ARRAY(archive, world->linkOf, *rows);
    PAL_ARCHIVE_ARRAY(archive, world->axisOf, *rows);
    PAL_ARCHIVE_ARRAY(archive, world->forces, *rows);
    palSoftRubs_Archive(&world->rubs, world->step.linkCount, archive);
    PAL_ARCHIVE(archive, world->corrected);
}
