// SPDX-License-Identifier: Apache-2.0
// A soft body of the world step.
#include "world/body.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double initialMobility = 1e-3; // m/N: before the first contact; above a tool's

static palWorldSoft* soft(palWorldBody* body)
{
    return (palWorldSoft*)body;
}

static void destroy(palWorldBody* body)
{
    palWorldSoft* s = soft(body);
    palSoftStep_Destroy(s->step);
    palSoftStep_Destroy(s->fast);
    void* const owned[] = {s->rowOf,   s->entryStart, s->nodes,    s->values,
                           s->W,       s->vector,     s->present,  s->pushes,
                           s->weights, s->predicted,  s->isAngular};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    palWorldBody_Free(body);
    free(s);
}

static bool begin(palWorldBody* body, double h, double share)
{
    (void)share;
    palWorldSoft* s = soft(body);
    bool made = s->predictedX != NULL ? palSoftStep_BeginPredicted(s->step, h, s->isLinear,
                                                                   s->predictedX, s->predictedV)
                                      : palSoftStep_Begin(s->step, h, s->isLinear);
    s->isLinear = false;
    return made;
}

bool palWorldSoft_BeginFast(palWorldSoft* s, double dt)
{
    s->fast->factor->now = s->step->factor->now;
    bool made = palSoftStep_Begin(s->fast, dt, false);
    s->isLinear = s->fast->factored;
    return made;
}

// One row, on the free nodes of the place.
static void addRow(palWorldSoft* s, int row, const palPlace* place, palVec3 axis, bool angular)
{
    const palSoftBody* body = s->collider->soft;
    int first = s->entryStart[s->rowCount], entry = first;
    int count = palSoftPlace_Row(place, &s->collider->skin, body->x, axis, angular,
                                 s->nodes + first, s->values + first);
    for (int k = first; k < first + count; k++)
    {
        int node = body->freeIndex[s->nodes[k]];
        if (node < 0)
            continue;
        s->nodes[entry] = node;
        s->values[entry++] = s->values[k];
    }
    s->rowOf[s->rowCount] = row;
    s->isAngular[s->rowCount] = angular;
    s->entryStart[++s->rowCount] = entry;
}

static void takeRows(palWorldBody* body, const palRows* rows, const double* predicted)
{
    palWorldSoft* s = soft(body);
    s->rowCount = 0;
    s->entryStart[0] = 0;
    for (int i = 0; i < rows->linkCount; i++)
        for (int e = 0; e < 2; e++)
        {
            const palLink* link = rows->links[i];
            if (link->ends[e].body != body->id)
                continue;
            for (int k = 0; k < palLink_Rows(link) && s->rowCount < s->rowCapacity; k++)
            {
                int row = rows->first[i] + k;
                bool isInside = s->predictedX != NULL && predicted != NULL;
                s->present[s->rowCount] = link->lambda[k];
                s->predicted[s->rowCount] = isInside ? predicted[e * rows->rowCapacity + row] : 0.0;
                bool angular;
                palVec3 axis = palLink_Axis(link, k, &angular);
                addRow(s, row, &link->ends[e], e == 0 ? axis : palNeg(axis), angular);
            }
        }
    s->problemRows = rows->count;
    s->sparse = (palSparseRows){s->rowCount, s->entryStart, s->nodes, s->values};
}

// A large body predicts its own motion, under the forces of the last step, unless the caller did.
static void predictOwn(palWorldSoft* s, palSoftStep* step)
{
    if (!palSoftFactor_IsLarge(step->factor) || s->predictedX != NULL)
        return;
    memcpy(s->predicted, s->present, (size_t)s->rowCount * sizeof *s->predicted);
    palSoftStep_PredictOwn(step, &s->sparse, s->predicted);
}

// J dx/h - W λ/h of a predicted motion dx with the forces λ in it.
static void addPredicted(const palWorldSoft* s, const palSoftStep* step, double* velocity)
{
    const palSoftBody* body = s->collider->soft;
    double h = step->factor->h;
    for (int i = 0; i < body->nodeCount; i++)
        if (body->freeIndex[i] >= 0)
            s->pushes[body->freeIndex[i]] = palSub(step->predictedX[i], body->x[i]);
    for (int r = 0; r < s->rowCount; r++)
    {
        double moved = 0.0;
        for (int e = s->entryStart[r]; e < s->entryStart[r + 1]; e++)
            moved += palDot(s->values[e], s->pushes[s->nodes[e]]);
        for (int j = 0; j < s->rowCount; j++)
            moved -= s->W[(size_t)r * (size_t)s->rowCount + (size_t)j] * s->predicted[j];
        velocity[s->rowOf[r]] += moved / h;
    }
    memset(s->pushes, 0, (size_t)body->nodeCount * sizeof *s->pushes);
}

// Whether nothing was added to the rows yet, and all of them are this body's, in their order.
static bool isAlone(const palWorldSoft* s, const double* W, size_t stride)
{
    for (int i = 0; i < s->rowCount; i++)
        if (s->rowOf[i] != i || W[(size_t)i * stride + (size_t)i] != 0.0)
            return false;
    return s->rowCount == s->problemRows;
}

// Adds the body's part of W, through its own matrix unless the whole of W is that. Returns the mean
// compliance of its rows that are not of rotation.
static double addOwn(palWorldSoft* s, palSoftStep* step, double scale, double* W, size_t stride)
{
    size_t n = (size_t)s->rowCount;
    bool isDirect = step->predictedX == NULL && isAlone(s, W, stride);
    double sum = 0.0, linear = 0.0;
    palSoftStep_Compliance(step, scale, isDirect ? W : s->W, isDirect ? stride : n);
    for (size_t i = 0; i < n; i++)
    {
        double* to = W + (size_t)s->rowOf[i] * stride;
        const double* from = s->W + i * n;
        for (size_t j = 0; j < n && !isDirect; j++)
            to[s->rowOf[j]] += from[j];
        linear += s->isAngular[i] ? 0.0 : 1.0;
        sum += s->isAngular[i] ? 0.0 : isDirect ? to[i] : from[i];
    }
    return linear > 0.0 ? sum / linear : 0.0;
}

static void addCompliance(palWorldBody* body, palWorldRate rate, double scale, double* W,
                          size_t stride, double* velocity)
{
    palWorldSoft* s = soft(body);
    palSoftStep* step = rate == pal_rateFast ? s->fast : s->step;
    int n = s->rowCount;
    if (velocity != NULL)
        predictOwn(s, step);
    if (n == 0 || !palSoftStep_Rows(step, &s->sparse))
        return;
    double mean = W != NULL ? addOwn(s, step, scale, W, stride) : 0.0;
    if (mean > 0.0 && rate == pal_rateStep)
        body->mobility = mean;
    if (velocity != NULL && step->predictedX != NULL)
        addPredicted(s, step, velocity);
    else if (velocity != NULL)
    {
        palSoftStep_FreeVelocity(step, s->vector);
        for (int i = 0; i < n; i++)
            velocity[s->rowOf[i]] += s->vector[i];
    }
}

static void evaluateTrial(palWorldBody* body, const double* lambda)
{
    palWorldSoft* s = soft(body);
    s->isFree = s->predictedX == NULL;
    for (int r = 0; r < s->rowCount; r++)
    {
        s->vector[r] = lambda[s->rowOf[r]] - s->predicted[r];
        s->isFree = s->isFree && lambda[s->rowOf[r]] == 0.0;
    }
    palSoftStep_EvaluateTrial(s->step, s->rowCount > 0 ? s->vector : NULL);
}

static palPlace place(const palWorldBody* body, const palSurfacePlace* on)
{
    return (palPlace){.kind = pal_placeSurface, .body = body->id, .on = *on};
}

static const palVec3* nodesOf(const palWorldBody* body, bool isTrial)
{
    const palWorldSoft* s = (const palWorldSoft*)body;
    return isTrial && s->step != NULL ? s->step->x : s->collider->soft->x;
}

static palVec3 point(const palWorldBody* body, const palPlace* at, bool isTrial)
{
    if (at->anchor != NULL)
        return palAnchor_State(at->anchor, nodesOf(body, isTrial)).point;
    return isTrial ? palMovingSurface_At(&body->surface, &at->on)
                   : palCollider_Point(((const palWorldSoft*)body)->collider, &at->on);
}

static palQuat orientation(const palWorldBody* body, const palPlace* at, bool isTrial)
{
    if (at->anchor == NULL)
        return pal_identityQuat; // only joints that hold material turn it
    return palAnchor_Orientation(at->anchor, nodesOf(body, isTrial));
}

static bool velocity(const palWorldBody* body, const palSurfacePlace* on, palVec3* v)
{
    const palWorldSoft* s = (const palWorldSoft*)body;
    const palSkin* skin = &s->collider->skin;
    const palSoftBody* model = s->collider->soft;
    bool canMove = false;
    *v = pal_zeroVec3;
    for (int k = 0; k < on->count; k++)
        for (int j = 0; j < skin->nodesEach; j++)
        {
            int entry = on->vertices[k] * skin->nodesEach + j;
            double weight = on->weights[k] * skin->weights[entry];
            *v = palMulAdd(*v, weight, model->v[skin->nodes[entry]]);
            canMove = canMove || (weight != 0.0 && model->freeIndex[skin->nodes[entry]] >= 0);
        }
    return canMove;
}

static void push(palWorldBody* body, const palSurfacePlace* at, palVec3 d, double depth)
{
    (void)depth;
    palWorldSoft* s = soft(body);
    const palSkin* skin = &s->collider->skin;
    s->isFree = false;
    for (int k = 0; k < at->count; k++)
        for (int j = 0; j < skin->nodesEach; j++)
        {
            int entry = at->vertices[k] * skin->nodesEach + j;
            int node = skin->nodes[entry];
            double weight = at->weights[k] * skin->weights[entry];
            if (s->collider->soft->freeIndex[node] < 0 || weight == 0.0)
                continue;
            s->pushes[node] = palMulAdd(s->pushes[node], weight, d);
            s->weights[node] += weight;
        }
}

// Nodes move by the weighted means of the pushes, so that a place that is pushed alone moves by
// exactly its push.
static void movePushed(palWorldBody* body)
{
    palWorldSoft* s = soft(body);
    for (int i = 0; i < s->collider->soft->nodeCount; i++)
    {
        if (s->weights[i] > 0.0)
            s->step->x[i] = palMulAdd(s->step->x[i], 1.0 / s->weights[i], s->pushes[i]);
        s->pushes[i] = pal_zeroVec3;
        s->weights[i] = 0.0;
    }
}

static void shorten(palWorldBody* body, double share, palVec3 frame)
{
    palWorldSoft* s = soft(body);
    const palSoftBody* model = s->collider->soft;
    const double still[3] = {frame.x, frame.y, frame.z};
    s->isFree = false;
    for (int k = 0; k < model->nodeCount; k++)
        s->step->x[k] = palLerp(model->x[k], s->step->x[k], share);
    for (int k = 0; k < 3 * model->freeCount; k++)
        s->step->velocity[k] = still[k % 3] + share * (s->step->velocity[k] - still[k % 3]);
}

static double momentum(const palWorldBody* body, palVec3* sum)
{
    const palWorldSoft* s = (const palWorldSoft*)body;
    const palSoftBody* model = s->collider->soft;
    double mass = 0.0;
    *sum = pal_zeroVec3;
    if (model->freeCount < model->nodeCount)
        return 0.0;
    for (int i = 0; i < model->nodeCount; i++)
    {
        const double* v = s->step->velocity + 3 * model->freeIndex[i];
        *sum = palMulAdd(*sum, model->mass[i], palMakeVec3(v[0], v[1], v[2]));
        mass += model->mass[i];
    }
    return mass;
}

static void commit(palWorldBody* body)
{
    palWorldSoft* s = soft(body);
    palSoftBody* model = s->collider->soft;
    palMomenta before = palSoftBody_Momenta(model);
    palSoftStep_Commit(s->step);
    if (s->isFree && s->step->factored)
        palSoftBody_KeepMomenta(model, before, s->step->factor->h, 1);
    palCollider_Follow(s->collider);
    s->predictedX = NULL;
    s->predictedV = NULL;
}

static void reset(palWorldBody* body)
{
    palWorldSoft* s = soft(body);
    if (s->step != NULL)
        palSoftStep_Reset(s->step);
}

static void archiveBody(palWorldBody* body, palArchive* archive)
{
    palWorldSoft* s = soft(body);
    palWorldBody_Archive(body, archive);
    PAL_ARCHIVE(archive, s->isLinear);
    if (s->step != NULL)
        palSoftStep_Archive(s->step, archive);
    if (s->fast != NULL)
        palSoftStep_Archive(s->fast, archive);
}

static const palWorldBodyOps softOps = {
    .moves = true,
    .begin = begin,
    .takeRows = takeRows,
    .addCompliance = addCompliance,
    .evaluateTrial = evaluateTrial,
    .place = place,
    .point = point,
    .orientation = orientation,
    .nodes = nodesOf,
    .velocity = velocity,
    .push = push,
    .movePushed = movePushed,
    .shorten = shorten,
    .momentum = momentum,
    .commit = commit,
    .reset = reset,
    .archive = archiveBody,
    .destroy = destroy,
};

static palResult allocate(palWorldSoft* s, int entries, palError* error)
{
    size_t rows = (size_t)s->rowCapacity;
    size_t nodes = (size_t)s->collider->soft->nodeCount;
    s->rowOf = calloc(rows, sizeof *s->rowOf);
    s->entryStart = calloc(rows + 1, sizeof *s->entryStart);
    s->isAngular = calloc(rows, sizeof *s->isAngular);
    s->nodes = calloc((size_t)entries, sizeof *s->nodes);
    s->values = calloc((size_t)entries, sizeof *s->values);
    s->W = calloc(rows * rows, sizeof *s->W);
    s->vector = calloc(rows, sizeof *s->vector);
    s->predicted = calloc(rows, sizeof *s->predicted);
    s->present = calloc(rows, sizeof *s->present);
    s->pushes = calloc(nodes, sizeof *s->pushes);
    s->weights = calloc(nodes, sizeof *s->weights);
    if (!s->rowOf || !s->entryStart || !s->nodes || !s->values || !s->W || !s->vector ||
        !s->isAngular || !s->predicted || !s->present || !s->pushes || !s->weights)
        return palError_Memory(error, "the contacts of a soft body", rows * rows * sizeof *s->W);
    return pal_ok;
}

palResult palWorldSoft_Create(palCollider* collider, int rowCapacity, int anchorEntries,
                              const palSoftFactorDef* def, double fastDt, palWorldBody** body,
                              palError* error)
{
    palWorldSoft* s = calloc(1, sizeof *s);
    *body = (palWorldBody*)s;
    if (s == NULL)
        return palError_Memory(error, "a soft body in contact", sizeof *s);
    s->collider = collider;
    s->rowCapacity = rowCapacity;
    int entries = rowCapacity * 3 * collider->skin.nodesEach + anchorEntries;
    palResult result = palWorldBody_Init(&s->base, &softOps, &collider->surface, error);
    if (result == pal_ok)
        result = palMovingSurface_Bind(&s->base.surface, &collider->skin, collider->soft->nodeCount,
                                       error);
    s->base.friction = collider->friction;
    s->base.mobility = initialMobility;
    if (result != pal_ok || rowCapacity == 0)
        return result;
    result = allocate(s, entries, error);
    if (result == pal_ok)
        result = palSoftStep_Create(collider->soft, rowCapacity, entries, def, &s->step, error);
    palSoftFactorDef fast = *def;
    fast.h = fastDt;
    fast.singlePrecision = true;
    if (result == pal_ok && fastDt > 0.0)
        result = palSoftStep_Create(collider->soft, rowCapacity, entries, &fast, &s->fast, error);
    return result;
}
