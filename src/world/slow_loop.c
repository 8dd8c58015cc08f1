// SPDX-License-Identifier: Apache-2.0
#include "world/slow_loop.h"

#include "base/block.h"
#include "base/error.h"
#include "world/hand.h"

#include <stdlib.h>
#include <string.h>

//--------------------------------------------------------------------------------------------------
// Sizes

enum
{
    usualRows = 96,       // of a problem: what a small scene gets
    usualBodyRows = 72,   // of one body: likewise
    contactRowsMax = 768, // of all loops together
    softContactsMax = 96, // of one soft body
    pairContactsMax = 64, // of one soft body and another, or a rigid object that moves
    toolContactsMax = 32, // of a tool
};

static int atMost(int value, int most)
{
    return value < most ? value : most;
}

static int atLeast(int value, int least)
{
    return value > least ? value : least;
}

// Contact rows of the loop: three for every node of a wire that it sees, and for every vertex of a
// soft body that may rest on something.
static int countContactRows(const palSlowLoop* loop)
{
    const palMethodDef* def = loop->def;
    int wanted = 0;
    int loops = atLeast(def->loopCount, 1);
    for (int i = 0; i < def->wireCount; i++)
        if (def->wires[i].loop == 0 || def->wires[i].loop == loop->index + 1)
            wanted += 3 * def->wires[i].model->nodeCount;
    for (int i = 0; i < def->colliderCount; i++)
        if (def->colliders[i].soft != NULL && def->colliders[i].loop == loop->index)
            wanted += 3 * atMost(def->colliders[i].surface.vertexCount, pairContactsMax);
    for (int i = 0; i < loop->handCount; i++)
        wanted += def[i].tool != NULL ? 3 * toolContactsMax : 0;
    for (int i = 0; i < def->colliderCount && loop->objects != NULL; i++)
        wanted += loop->objects[i].surface.vertexCount > 0 ? 3 * pairContactsMax : 0;
    int usual = atMost((usualRows - loop->jointRows) / loops, usualBodyRows - loop->jointRows);
    return atLeast(usual, atMost(wanted, contactRowsMax / loops));
}

// Whether anything in the scene rubs.
static bool hasFriction(const palMethodDef* def)
{
    bool any = false;
    for (int i = 0; i < def->colliderCount; i++)
        any = any || def->colliders[i].friction > 0.0;
    for (int i = 0; i < def->wireCount; i++)
        any = any || def->wires[i].friction > 0.0;
    return any;
}

static palPartSize sizeOf(const palSlowLoop* loop, const palSlowBody* body, int size)
{
    const palMethodDef* def = loop->def;
    int rows = 0;
    for (int i = 0; i < def->jointCount; i++)
        for (int e = 0; e < 2; e++)
            if (palSlowBody_Has(body, &def->joints[i].ends[e]))
                rows += palLink_Rows(&def->joints[i]);
    int most = body->object >= 0
                   ? 3 * softContactsMax
                   : 3 * palWorldWire_Contacts(&def->wires[body->wire], loop->sizes.contacts);
    rows += atMost(2 * loop->contactRowsMax, atLeast(most, usualBodyRows));
    rows = atMost(rows, pal_rowSpaceRowsMax);
    int columns = atLeast(rows + pal_rowSpaceExtras, pal_rowSpaceColumns);
    return (palPartSize){.rows = rows, .modes = atMost(columns, atLeast(size, 1))};
}

//--------------------------------------------------------------------------------------------------
// Making it

static palResult initBody(palSlowLoop* loop, palSlowBody* body, palError* error)
{
    const palMethodDef* def = loop->def;
    bool isSoft = body->object >= 0;
    palSoftFactorDef factor = palMethodDef_SoftFactor(def);
    factor.lowDt = loop->h;
    palResult result = pal_ok;
    if (isSoft)
        result =
            palReducibleSoft_Init(&body->soft, def->colliders[body->object].soft, &factor, error);
    else
    {
        palWorldWire* wire = palWorldStep_Wire(&loop->world, body->wire);
        body->beam = (palReducibleBeam){
            .model = wire->wire->model,
            .state = &wire->trial,
            .work = &wire->work,
        };
    }
    if (result != pal_ok)
        return result;
    palReducible ops =
        isSoft ? palReducibleSoft_Ops(&body->soft) : palReducibleBeam_Ops(&body->beam);
    palPartSize size = sizeOf(loop, body, ops.size);
    loop->partSizes[body - loop->bodies] = size;
    result = palRowSpace_Init(&body->space, &ops, size.rows, error);
    if (result == pal_ok)
        result = palSlowPart_Create(size, &body->part, error);
    size_t rows = (size_t)pal_rowSetsMax * (size_t)size.rows;
    body->rows = calloc(rows, sizeof *body->rows);
    body->balance = calloc((size_t)(ops.size > 0 ? ops.size : 1), sizeof *body->balance);
    if (result == pal_ok && (!body->rows || !body->balance))
        result = palError_Memory(error, "the links of a body", rows * sizeof *body->rows);
    return result;
}

static void freeBody(palSlowBody* body)
{
    palRowSpace_Free(&body->space);
    palReducibleSoft_Free(&body->soft);
    free(body->rows);
    free(body->part);
    free(body->balance);
}

static palResult addBody(palSlowLoop* loop, int wire, int object, palError* error)
{
    palSlowBody* body = &loop->bodies[loop->bodyCount++];
    body->id = wire >= 0 ? loop->def->colliderCount + wire : object;
    body->wire = wire;
    body->object = object;
    return initBody(loop, body, error);
}

// The bodies of this loop, and for `response: frozen` copies of the wires of the high rate.
static palResult findBodies(palSlowLoop* loop, palError* error)
{
    const palMethodDef* def = loop->def;
    palResult result = pal_ok;
    for (int i = 0; i < def->wireCount && result == pal_ok; i++)
    {
        if (def->wires[i].loop == 0 && palIsFrozen(def))
            result = palSteppedWire_Init(&loop->wires[loop->wireCount++], &def->wires[i],
                                         def->colliderCount + i, 2 * loop->sizes.rows, error);
        else if (def->wires[i].loop == loop->index + 1)
            result = addBody(loop, i, -1, error);
    }
    for (int i = 0; i < def->colliderCount && result == pal_ok; i++)
        if (def->colliders[i].soft != NULL && def->colliders[i].loop == loop->index)
            result = addBody(loop, -1, i, error);
    return result;
}

static void numberJoints(palSlowLoop* loop)
{
    const palMethodDef* def = loop->def;
    for (int i = 0; i < def->jointCount; i++)
    {
        loop->joints[i] = def->joints[i];
        loop->jointFirst[i] = loop->jointRows;
        loop->jointRows += palLink_Rows(&def->joints[i]);
    }
}

static palResult allocate(palSlowLoop* loop, palError* error)
{
    const palMethodDef* def = loop->def;
    size_t joints = (size_t)atLeast(def->jointCount, 1);
    size_t bodies = (size_t)atLeast(def->wireCount + def->colliderCount, 1);
    loop->joints = calloc(joints, sizeof *loop->joints);
    loop->jointFirst = calloc(joints, sizeof *loop->jointFirst);
    loop->bodies = calloc(bodies, sizeof *loop->bodies);
    loop->partSizes = calloc(bodies, sizeof *loop->partSizes);
    loop->wires = calloc((size_t)atLeast(def->wireCount, 1), sizeof *loop->wires);
    if (!loop->joints || !loop->jointFirst || !loop->bodies || !loop->partSizes || !loop->wires)
        return palError_Memory(error, "a slower loop", bodies * sizeof *loop->bodies);
    numberJoints(loop);
    loop->contactRowsMax = countContactRows(loop);
    loop->sizes = (palSlowSizes){
        .joints = def->jointCount,
        .jointRows = loop->jointRows,
        .contacts = loop->contactRowsMax / (hasFriction(def) ? 3 : 1),
        .rows = loop->jointRows + loop->contactRowsMax,
        .parts = loop->partSizes,
    };
    size_t jointRows = (size_t)atLeast(2 * loop->jointRows, 1);
    loop->beamRows = calloc(jointRows, sizeof *loop->beamRows);
    loop->beamLambda = calloc(jointRows, sizeof *loop->beamLambda);
    if (!loop->beamRows || !loop->beamLambda)
        return palError_Memory(error, "a slower loop", jointRows * sizeof *loop->beamRows);
    palResult result = palTrack_Init(&loop->forces, sizeof(double), loop->sizes.rows, error);
    if (result == pal_ok && palIsFrozen(def))
        result = palRows_Create(loop->sizes.rows, &loop->rows, error);
    return result;
}

palResult palSlowLoop_Create(const palMethodDef* def, int handCount, const palTool* objects,
                             int index, palSlowLoop** loop, palError* error)
{
    *loop = NULL;
    palSlowLoop* created = aligned_alloc(64, (sizeof *created + 63) & ~(size_t)63);
    if (created == NULL)
        return palError_Memory(error, "a slower loop", sizeof *created);
    memset(created, 0, sizeof *created);
    created->def = def;
    created->handCount = handCount;
    created->objects = objects;
    created->index = index;
    created->h = index == 0 ? def->lowDt : def->loopDt[index];
    created->sequence = 1;
    created->tool = (palSteppedTool){.tool = def->tool, .body = palMethodDef_HandBody(def)};
    palResult result = allocate(created, error);
    if (result == pal_ok)
        result = palSlowLoop_InitTouch(created, error);
    if (result == pal_ok && def->tool != NULL)
        created->tool.tool = created->world.tools[0]->tool;
    if (result == pal_ok)
        result = findBodies(created, error);
    if (result != pal_ok)
    {
        palSlowLoop_Destroy(created);
        return result;
    }
    created->sizes.bodies = created->bodyCount;
    for (int i = 0; i < created->bodyCount; i++)
        if (created->bodies[i].wire >= 0)
            created->sizes.nodes += created->bodies[i].beam.model->nodeCount;
    *loop = created;
    return pal_ok;
}

void palSlowLoop_Destroy(palSlowLoop* loop)
{
    if (loop == NULL)
        return;
    for (int i = 0; i < loop->bodyCount; i++)
        freeBody(&loop->bodies[i]);
    for (int i = 0; i < loop->wireCount; i++)
        palSteppedWire_Free(&loop->wires[i]);
    palWorldStep_Free(&loop->world);
    palTrack_Free(&loop->forces);
    palRows_Destroy(loop->rows);
    void* const owned[] = {
        loop->bodies,   loop->partSizes,  loop->joints, loop->jointFirst,
        loop->beamRows, loop->beamLambda, loop->wires,
    };
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(loop);
}

static void archiveBody(palSlowBody* body, palArchive* archive)
{
    if (body->object >= 0)
        palSoftFactor_Archive(body->soft.factor, archive);
    palRowSpace_Archive(&body->space, archive);
    palSlowPart_Archive(body->part, archive);
    for (int s = 0; s < pal_rowSetsMax; s++)
        for (int r = 0; r < body->part->sets[s].count; r++)
        {
            palSparseRow* row = palSlowBody_Rows(body, &body->part->sets[s]) + r;
            PAL_ARCHIVE(archive, row->count);
            PAL_ARCHIVE_ARRAY(archive, row->index, row->count);
            PAL_ARCHIVE_ARRAY(archive, row->value, row->count);
        }
}

void palSlowLoop_Archive(palSlowLoop* loop, palArchive* archive)
{
    palWorldStep_Archive(&loop->world, archive);
    for (int i = 0; i < loop->bodyCount; i++)
        archiveBody(&loop->bodies[i], archive);
    for (int i = 0; i < loop->def->jointCount; i++)
        palLink_Archive(&loop->joints[i], archive);
    palTrack_Archive(&loop->forces, archive);
    PAL_ARCHIVE(archive, loop->time);
    PAL_ARCHIVE(archive, loop->sequence);
    PAL_ARCHIVE(archive, loop->hands);
    PAL_ARCHIVE(archive, loop->failures);
    for (int i = 0; i < loop->wireCount; i++)
        palSteppedWire_Archive(&loop->wires[i], archive);
    if (loop->rows != NULL)
        palRows_Archive(loop->rows, archive);
}

//--------------------------------------------------------------------------------------------------
// The high rate as this loop sees it

// Nodes of the wires at the high rate, or in slower loops.
static size_t nodesOf(const palMethodDef* def, bool isSlow)
{
    size_t nodes = 0;
    for (int i = 0; i < def->wireCount; i++)
        if ((def->wires[i].loop > 0) == isSlow)
            nodes += (size_t)def->wires[i].model->nodeCount;
    return nodes;
}

static size_t layStates(palWireStates* states, const palMethodDef* def)
{
    size_t nodes[2] = {nodesOf(def, false), nodesOf(def, true)};
    palBlock block = {.memory = (unsigned char*)states};
    palBlock_Take(&block, sizeof *states);
    palWireStates laid = {.nodeCount = (int)nodes[0]};
    laid.x = palBlock_Take(&block, nodes[0] * sizeof(palVec3));
    laid.v = palBlock_Take(&block, nodes[0] * sizeof(palVec3));
    laid.w = palBlock_Take(&block, nodes[0] * sizeof(palVec3));
    laid.q = palBlock_Take(&block, nodes[0] * sizeof(palQuat));
    laid.tension = palBlock_Take(&block, nodes[0] * sizeof(double));
    laid.rings = palBlock_Take(&block, (size_t)def->jointCount * sizeof(palBeamPlace));
    laid.slowX = palBlock_Take(&block, nodes[1] * sizeof(palVec3));
    laid.slowQ = palBlock_Take(&block, nodes[1] * sizeof(palQuat));
    if (states != NULL)
        *states = laid;
    return block.used;
}

palResult palWireStates_Create(const palMethodDef* def, palWireStates** states, palError* error)
{
    size_t size = layStates(NULL, def);
    *states = calloc(1, size);
    if (*states == NULL)
        return palError_Memory(error, "the states of wires", size);
    layStates(*states, def);
    return pal_ok;
}

void palWireStates_Archive(palWireStates* states, const palMethodDef* def, palArchive* archive)
{
    PAL_ARCHIVE_ARRAY(archive, states->x, states->nodeCount);
    PAL_ARCHIVE_ARRAY(archive, states->v, states->nodeCount);
    PAL_ARCHIVE_ARRAY(archive, states->w, states->nodeCount);
    PAL_ARCHIVE_ARRAY(archive, states->q, states->nodeCount);
    PAL_ARCHIVE_ARRAY(archive, states->tension, states->nodeCount);
    PAL_ARCHIVE_ARRAY(archive, states->rings, def->jointCount);
    PAL_ARCHIVE(archive, states->hands);
    PAL_ARCHIVE_ARRAY(archive, states->slowX, nodesOf(def, true));
    PAL_ARCHIVE_ARRAY(archive, states->slowQ, nodesOf(def, true));
}

void palSlowLoop_PlaceObject(palSlowLoop* loop, int object, palPose pose, palTwist velocity)
{
    palWorldRigid* rigid = palWorldStep_Object(&loop->world, object);
    const palMass* mass = &rigid->own.model.def.mass;
    rigid->state = (palRigidState){
        .x = palPose_Point(pose, mass->centre),
        .q = pose.q,
        .v = velocity.v,
        .L = palMat3Apply(palTurnedMat3(pose.q, mass->inertia), velocity.omega),
    };
}

void palSlowLoop_Impose(palSlowLoop* loop, const palHapticState* haptic)
{
    const palWireStates* states = haptic->wires;
    int at = 0;
    for (int i = 0; i < loop->def->wireCount; i++)
    {
        palBeamState* state = &palWorldStep_Wire(&loop->world, i)->trial;
        if (loop->def->wires[i].loop > 0)
            continue;
        size_t count = (size_t)state->nodeCount;
        memcpy(state->x, states->x + at, count * sizeof *state->x);
        memcpy(state->q, states->q + at, count * sizeof *state->q);
        memcpy(state->v, states->v + at, count * sizeof *state->v);
        memcpy(state->w, states->w + at, count * sizeof *state->w);
        memcpy(state->tension, states->tension + at, (count - 1) * sizeof *state->tension);
        at += state->nodeCount;
    }
    memcpy(loop->hands, states->hands, sizeof loop->hands);
    for (int i = 0; i < loop->handCount; i++)
    {
        palWorldRigid* tool = loop->world.tools[loop->def[i].rank];
        if (loop->def[i].tool == NULL)
            continue;
        palRigidModel_SetCoupling(&tool->own.model, &haptic->hands[i].coupling,
                                  haptic->hands[i].gravity);
        tool->state = haptic->hands[i].tool;
        tool->handle = palHandle_FromState(&haptic->hands[i]);
    }
    for (int i = 0; i < haptic->rigidCount; i++)
    {
        const palRigidView* view = &haptic->rigid[i];
        palSlowLoop_PlaceObject(loop, view->object, view->pose, (palTwist){view->v, view->omega});
    }
    for (int i = 0; i < loop->def->jointCount; i++)
        if (loop->joints[i].kind == pal_linkRing)
            loop->joints[i].ends[0].beam = states->rings[i];
}

//--------------------------------------------------------------------------------------------------
// Through the forces of the high rate

// The momentum that a body has after the forces of so many ticks, kg·m/s, if nothing holds it.
static palVec3 pushedMomentum(const palSlowLoop* loop, const palSlowBody* body, palVec3 before,
                              int steps)
{
    const palSoftBody* soft = body->soft.body;
    double dt = loop->def->body.dt, kept = 1.0 / (1.0 + dt * soft->alpha);
    palVec3 weight = palScale(palSoftBody_Mass(soft), soft->gravity);
    int next = 0;
    for (int k = 1; k <= steps; k++)
    {
        const palTickForces* forces =
            palTrack_At(&loop->forces, loop->time + k * dt, 0.5 * dt, &next);
        const palRowSet* set =
            forces != NULL ? palSlowPart_Set(body->part, forces->sequence) : NULL;
        double sum[3] = {weight.x, weight.y, weight.z};
        for (int r = 0; set != NULL && r < set->count; r++)
        {
            const palSparseRow* row = palSlowBody_Rows(body, set) + r;
            double lambda = ((const palLinkForces*)forces)->lambda[set->row[r]];
            for (int c = 0; c < row->count; c++)
                sum[row->index[c] % 3] += lambda * row->value[c];
        }
        before = palScale(kept, palMulAdd(before, dt, palMakeVec3(sum[0], sum[1], sum[2])));
    }
    return before;
}

// A soft body goes through the forces in its modes.
static void advanceSoft(palSlowLoop* loop, palSlowBody* body, double until)
{
    palReplay replay = {
        .modes = &body->part->modes,
        .from = loop->time,
        .until = until,
        .dt = loop->def->body.dt,
    };
    palSoftBody* soft = loop->def->colliders[body->object].soft;
    palMomenta before = palSoftBody_Momenta(soft);
    palTrack_Replay(&loop->forces, &replay, body->part, 0, palSlowPart_Pushes, NULL);
    palReduction_Move(&body->space.reduction, &replay.end);
    if (!replay.isPushed)
        palSoftBody_KeepMomenta(soft, before, replay.dt, replay.steps);
    // Beside rigid objects that move, so that what both have together is kept.
    else if (loop->objects != NULL && soft->freeCount == soft->nodeCount)
        palSoftBody_SetMomentum(soft, pushedMomentum(loop, body, before.linear, replay.steps));
}

// The rows of the joints on a wire as it is now, with their forces. Returns how many.
static int rowsOnWire(const palSlowLoop* loop, const palSlowBody* body, const palTickForces* forces,
                      palBeamRow* rows, double* lambda)
{
    const palLinkForces* along = (const palLinkForces*)forces;
    int count = 0;
    for (int i = 0; i < loop->def->jointCount && forces != NULL; i++)
        for (int e = 0; e < 2; e++)
        {
            const palLink* joint = &loop->joints[i];
            const palPlace* end = &joint->ends[e];
            if (!palSlowBody_Has(body, end))
                continue;
            for (int r = 0; r < palLink_Rows(joint); r++)
            {
                bool angular;
                palVec3 axis = palLink_Axis(joint, r, &angular);
                rows[count] =
                    angular
                        ? palBeam_RotationRow(body->beam.model, body->beam.work, end->beam, axis)
                        : palBeam_PointRow(body->beam.model, body->beam.work, end->beam, axis);
                lambda[count++] = (e == 0 ? 1.0 : -1.0) * along->lambda[loop->jointFirst[i] + r];
            }
        }
    return count;
}

// The forces of the contacts on a wire, along the rows of the snapshot in which they were found.
static void addContactForces(const palSlowLoop* loop, const palSlowBody* body,
                             const palTickForces* forces, double* external)
{
    memset(external, 0, (size_t)body->space.body.ops.size * sizeof *external);
    const palRowSet* set = forces != NULL ? palSlowPart_Set(body->part, forces->sequence) : NULL;
    if (set == NULL)
        return;
    const palSparseRow* rows = palSlowBody_Rows(body, set);
    for (int r = 0; r < set->count; r++)
        if (set->row[r] >= loop->jointRows)
            palSparseRow_Add(&rows[r], ((const palLinkForces*)forces)->lambda[set->row[r]],
                             external);
}

// A wire is stepped in full, which costs little: in its modes a turning wire would grow longer, and
// wires resist that with a thousand times the stiffness of their bending.
static void advanceWire(palSlowLoop* loop, palSlowBody* body, int steps)
{
    const palBeamModel* model = body->beam.model;
    palBeamWork* work = body->beam.work;
    double dt = loop->def->body.dt;
    int next = 0;
    for (int k = 1; k <= steps; k++)
    {
        const palTickForces* forces =
            palTrack_At(&loop->forces, loop->time + k * dt, 0.5 * dt, &next);
        palBeam_Linearise(model, body->beam.state, work);
        if (!palBeam_Factor(model, dt, work))
        {
            loop->failures++;
            return;
        }
        addContactForces(loop, body, forces, work->external);
        palBeam_FreeMotion(model, body->beam.state, NULL, work);
        int count = rowsOnWire(loop, body, forces, loop->beamRows, loop->beamLambda);
        palBeam_Correct(work, loop->beamRows, loop->beamLambda, count);
        palBeam_Integrate(model, work, body->beam.state);
    }
}

static void followSurfaces(palSlowLoop* loop)
{
    for (int i = 0; i < loop->bodyCount; i++)
        if (loop->bodies[i].object >= 0)
            palCollider_Follow(&loop->def->colliders[loop->bodies[i].object]);
}

void palSlowLoop_Advance(palSlowLoop* loop, double time)
{
    palTrack_Collect(&loop->forces);
    int steps = (int)lround((time - loop->time) / loop->def->body.dt);
    for (int i = 0; i < loop->bodyCount; i++)
    {
        if (loop->bodies[i].object >= 0)
            advanceSoft(loop, &loop->bodies[i], time);
        else
            advanceWire(loop, &loop->bodies[i], steps);
    }
    palTrack_Forget(&loop->forces, time + 0.5 * loop->def->body.dt);
    loop->time = time;
    followSurfaces(loop);
}

//--------------------------------------------------------------------------------------------------
// Rows and modes

static palSparseRow makeRow(const palSlowLoop* loop, const palSlowBody* body, const palPlace* end,
                            palVec3 axis, bool angular)
{
    if (body->object < 0)
        return palReducibleBeam_Row(&body->beam, end->beam, axis, angular);
    const palSkin* skin = &loop->def->colliders[body->object].skin;
    return palReducibleSoft_Row(body->soft.body, skin, end, axis, angular);
}

// The rows of one link that move the body.
static void addLink(const palSlowLoop* loop, palSlowBody* body, const palLink* link, int first)
{
    palRowSet* set = &body->part->sets[0];
    for (int e = 0; e < 2; e++)
    {
        if (!palSlowBody_Has(body, &link->ends[e]))
            continue;
        for (int r = 0; r < palLink_Rows(link) && set->count < body->part->capacity.rows; r++)
        {
            bool angular;
            palVec3 axis = palLink_Axis(link, r, &angular);
            palVec3 signedAxis = e == 0 ? axis : palNeg(axis);
            body->rows[set->count] = makeRow(loop, body, &link->ends[e], signedAxis, angular);
            set->row[set->count++] = first + r;
        }
    }
}

// Makes room for the rows of a new snapshot; those of the oldest are forgotten.
static void shiftSets(palSlowBody* body)
{
    for (int i = pal_rowSetsMax - 1; i > 0; i--)
    {
        palRowSet* to = &body->part->sets[i];
        const palRowSet* from = &body->part->sets[i - 1];
        to->sequence = from->sequence;
        to->count = from->count;
        memcpy(to->row, from->row, (size_t)from->count * sizeof *to->row);
        memcpy(palSlowBody_Rows(body, to), palSlowBody_Rows(body, from),
               (size_t)from->count * sizeof body->rows[0]);
    }
}

// The forces that act on the body now, along the rows on which they were given.
static void findBalance(const palSlowLoop* loop, palSlowBody* body)
{
    memset(body->balance, 0, (size_t)body->space.body.ops.size * sizeof *body->balance);
    const palLinkForces* last = (const palLinkForces*)loop->forces.last;
    const palRowSet* set = palSlowPart_Set(body->part, last->head.sequence);
    if (set == NULL)
        return;
    const palSparseRow* rows = palSlowBody_Rows(body, set);
    for (int r = 0; r < set->count; r++)
        palSparseRow_Add(&rows[r], last->lambda[set->row[r]], body->balance);
}

static void reduceBody(palSlowLoop* loop, palSlowBody* body)
{
    palSlowPart* part = body->part;
    findBalance(loop, body);
    shiftSets(body);
    part->sets[0].sequence = loop->sequence;
    part->sets[0].count = 0;
    if (body->object < 0)
        palBeam_Linearise(body->beam.model, body->beam.state, body->beam.work);
    else
        body->soft.factor->now = loop->time;
    for (int i = 0; i < loop->def->jointCount; i++)
        addLink(loop, body, &loop->joints[i], loop->jointFirst[i]);
    int first = loop->jointRows;
    for (int i = 0; i < loop->world.linkCount; i++)
    {
        addLink(loop, body, &loop->world.links[i], first);
        first += palLink_Rows(&loop->world.links[i]);
    }
    if (!palRowSpace_Build(&body->space, body->rows, part->sets[0].count, body->balance,
                           loop->def->body.dt))
        loop->failures++;
    part->modes = body->space.reduction.modes;
    part->width = (part->modes.count + 3) & ~3;
    for (int s = 0; s < pal_rowSetsMax; s++)
        for (int r = 0; r < part->sets[s].count; r++)
            palReduction_Project(&body->space.reduction, 0,
                                 palSlowBody_Rows(body, &part->sets[s]) + r,
                                 palSlowPart_B(part, &part->sets[s], r));
}

void palSlowLoop_Reduce(palSlowLoop* loop)
{
    for (int i = 0; i < loop->def->jointCount; i++)
        palWorldStep_AimJoint(&loop->world, &loop->joints[i]);
    for (int i = 0; i < loop->bodyCount; i++)
        reduceBody(loop, &loop->bodies[i]);
    loop->sequence++;
}
