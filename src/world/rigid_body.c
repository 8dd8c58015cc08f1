// SPDX-License-Identifier: Apache-2.0
// A rigid tool, coupled to a handle, in the world step.
#include "world/body.h"

#include "base/error.h"

#include <stdlib.h>

static palWorldRigid* rigid(palWorldBody* body)
{
    return (palWorldRigid*)body;
}

static void destroy(palWorldBody* body)
{
    palWorldRigid* r = rigid(body);
    free(r->startVertices);
    free(r->rowOf);
    free(r->J);
    free(r->columns);
    palWorldBody_Free(body);
    free(r);
}

static void placeEnd(palWorldRigid* r)
{
    const palSurface* surface = &r->tool->surface;
    palRigid_Place(&r->tool->model, &r->trial, surface->vertexCount, surface->vertices,
                   r->base.end);
}

static void placeStart(palWorldRigid* r)
{
    const palSurface* surface = &r->tool->surface;
    palRigid_Place(&r->tool->model, &r->state, surface->vertexCount, surface->vertices,
                   r->startVertices);
}

static palHandle between(const palHandle* a, const palHandle* b, double share)
{
    return (palHandle){
        .x = palLerp(a->x, b->x, share),
        .q = palSlerp(a->q, b->q, share),
        .v = palLerp(a->v, b->v, share),
        .omega = palLerp(a->omega, b->omega, share),
    };
}

static bool begin(palWorldBody* body, double h, double share)
{
    palWorldRigid* r = rigid(body);
    palHandle then = between(&r->before, &r->handle, share);
    placeStart(r);
    r->step = palRigid_Free(&r->tool->model, &r->state, &then, h);
    return true;
}

static void takeRows(palWorldBody* body, const palRows* rows, const double* predicted)
{
    (void)predicted;
    palWorldRigid* r = rigid(body);
    r->rowCount = 0;
    for (int i = 0; i < rows->linkCount; i++)
        for (int e = 0; e < 2; e++)
        {
            const palLink* link = rows->links[i];
            if (link->ends[e].body != body->id)
                continue;
            palVec3 p = palRigid_Point(&r->tool->model, &r->state, link->ends[e].local);
            palVec3 lever = palSub(p, r->state.x);
            for (int k = 0; k < palLink_Rows(link); k++)
            {
                bool angular;
                palVec3 axis = palLink_Axis(link, k, &angular);
                palVec3 d = e == 0 ? axis : palNeg(axis);
                r->rowOf[r->rowCount] = rows->first[i] + k;
                r->J[r->rowCount++] =
                    angular ? (palWrench){pal_zeroVec3, d} : (palWrench){d, palCross(lever, d)};
            }
        }
}

static void fillColumns(palWorldRigid* r)
{
    size_t n = (size_t)r->rowCapacity;
    for (int i = 0; i < r->rowCount; i++)
    {
        const palVec3 f = r->J[i].force, t = r->J[i].torque;
        const double all[6] = {f.x, f.y, f.z, t.x, t.y, t.z};
        for (int c = 0; c < 6; c++)
            r->columns[(size_t)c * n + (size_t)i] = all[c];
    }
}

// to[j] += scale J_j u, with rows that follow each other; as palRowDot adds up, so that the loop
// can be one over vectors.
static void addProducts(const palWorldRigid* r, double scale, palTwist u, double* restrict to)
{
    size_t n = (size_t)r->rowCapacity;
    const double* restrict c = r->columns;
    for (size_t j = 0; j < (size_t)r->rowCount; j++)
        to[j] += scale *
                 ((c[j] * u.v.x + c[n + j] * u.v.y + c[2 * n + j] * u.v.z) +
                  (c[3 * n + j] * u.omega.x + c[4 * n + j] * u.omega.y + c[5 * n + j] * u.omega.z));
}

static void addCompliance(palWorldBody* body, palWorldRate rate, double scale, double* W,
                          size_t stride, double* velocity)
{
    (void)rate;
    palWorldRigid* r = rigid(body);
    int n = r->rowCount;
    bool inOrder = n == 0 || r->rowOf[n - 1] - r->rowOf[0] == n - 1;
    fillColumns(r);
    for (int i = 0; i < n; i++)
    {
        palTwist answer = palRigidStep_Response(&r->step, r->J[i]);
        if (velocity != NULL)
            velocity[r->rowOf[i]] += palRowDot(r->J[i], r->step.free);
        double* to = W != NULL ? W + (size_t)r->rowOf[i] * stride : NULL;
        if (to != NULL && inOrder)
            addProducts(r, scale, answer, to + r->rowOf[0]);
        for (int j = 0; j < n && to != NULL && !inOrder; j++)
            to[r->rowOf[j]] += scale * palRowDot(r->J[j], answer);
    }
}

palWrench palWorldRigid_Wrench(const palWorldRigid* r, const double* lambda)
{
    palWrench sum = {pal_zeroVec3, pal_zeroVec3};
    for (int i = 0; i < r->rowCount; i++)
    {
        double force = lambda[r->rowOf[i]];
        sum.force = palMulAdd(sum.force, force, r->J[i].force);
        sum.torque = palMulAdd(sum.torque, force, r->J[i].torque);
    }
    return sum;
}

static void evaluateTrial(palWorldBody* body, const double* lambda)
{
    palWorldRigid* r = rigid(body);
    palTwist u = palRigidStep_Correct(&r->step, palWorldRigid_Wrench(r, lambda));
    r->trial = palRigidStep_Integrate(&r->step, &r->tool->model, u);
    placeEnd(r);
}

static palPlace place(const palWorldBody* body, const palSurfacePlace* on)
{
    const palWorldRigid* r = (const palWorldRigid*)body;
    return (palPlace){
        .kind = pal_placeRigid,
        .body = body->id,
        .on = *on,
        .local = palSurfacePlace_Point(on, r->tool->surface.vertices),
    };
}

static palVec3 point(const palWorldBody* body, const palPlace* at, bool isTrial)
{
    const palWorldRigid* r = (const palWorldRigid*)body;
    return palRigid_Point(&r->tool->model, isTrial ? &r->trial : &r->state, at->local);
}

static palQuat orientation(const palWorldBody* body, const palPlace* at, bool isTrial)
{
    (void)at;
    const palWorldRigid* r = (const palWorldRigid*)body;
    return isTrial ? r->trial.q : r->state.q;
}

static bool velocity(const palWorldBody* body, const palSurfacePlace* on, palVec3* v)
{
    const palWorldRigid* r = (const palWorldRigid*)body;
    palVec3 arm = palSub(palSurfacePlace_Point(on, body->end), r->state.x);
    *v = palAdd(r->state.v, palCross(palRigid_Omega(&r->tool->model, &r->state), arm));
    return true;
}

// As a whole, by its deepest place.
static void push(palWorldBody* body, const palSurfacePlace* at, palVec3 d, double depth)
{
    (void)at;
    palWorldRigid* r = rigid(body);
    if (depth > r->moveDepth)
        r->move = d;
    r->moveDepth = fmax(r->moveDepth, depth);
}

static void movePushed(palWorldBody* body)
{
    palWorldRigid* r = rigid(body);
    r->trial.x = palAdd(r->trial.x, r->move);
    r->move = pal_zeroVec3;
    r->moveDepth = 0.0;
    placeEnd(r);
}

static void shorten(palWorldBody* body, double share, palVec3 frame)
{
    (void)frame; // its handle holds it
    palWorldRigid* r = rigid(body);
    r->trial = (palRigidState){
        .x = palLerp(r->state.x, r->trial.x, share),
        .q = palSlerp(r->state.q, r->trial.q, share),
        .v = palScale(share, r->trial.v),
        .L = palScale(share, r->trial.L),
    };
    placeEnd(r);
}

static double momentum(const palWorldBody* body, palVec3* sum)
{
    (void)body;
    *sum = pal_zeroVec3;
    return 0.0;
}

static void commit(palWorldBody* body)
{
    palWorldRigid* r = rigid(body);
    r->state = r->trial;
    placeStart(r);
}

static void reset(palWorldBody* body)
{
    palWorldRigid* r = rigid(body);
    r->trial = r->state;
    placeStart(r);
    placeEnd(r);
}

static const palWorldBodyOps rigidOps = {
    .moves = true,
    .begin = begin,
    .takeRows = takeRows,
    .addCompliance = addCompliance,
    .evaluateTrial = evaluateTrial,
    .place = place,
    .point = point,
    .orientation = orientation,
    .velocity = velocity,
    .push = push,
    .movePushed = movePushed,
    .shorten = shorten,
    .momentum = momentum,
    .commit = commit,
    .reset = reset,
    .destroy = destroy,
};

palResult palWorldRigid_Create(const palTool* tool, int rowCapacity, palWorldBody** body,
                               palError* error)
{
    palWorldRigid* r = calloc(1, sizeof *r);
    *body = (palWorldBody*)r;
    if (r == NULL)
        return palError_Memory(error, "a tool in contact", sizeof *r);
    r->tool = tool;
    r->base.friction = -1.0;
    palResult result = palWorldBody_Init(&r->base, &rigidOps, &tool->surface, error);
    if (result != pal_ok)
        return result;
    r->startVertices = calloc((size_t)tool->surface.vertexCount, sizeof *r->startVertices);
    r->rowOf = calloc((size_t)rowCapacity + 1, sizeof *r->rowOf);
    r->J = calloc((size_t)rowCapacity + 1, sizeof *r->J);
    r->columns = calloc(6 * (size_t)rowCapacity + 1, sizeof *r->columns);
    r->rowCapacity = rowCapacity;
    r->base.start = r->startVertices;
    if (r->startVertices == NULL || r->rowOf == NULL || r->J == NULL || r->columns == NULL)
        return palError_Memory(error, "a tool in contact", (size_t)rowCapacity * sizeof *r->J);
    return pal_ok;
}
