// SPDX-License-Identifier: Apache-2.0
// A rigid tool, coupled to a handle, as a body of the world step.
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

// Moves the vertices to the trial state.
static void placeEnd(palWorldRigid* r)
{
    const palSurface* surface = &r->tool->surface;
    palRigid_Place(&r->tool->model, &r->trial, surface->vertexCount, surface->vertices,
                   r->base.end);
}

// Moves the vertices to the state at the beginning of the step.
static void placeStart(palWorldRigid* r)
{
    const palSurface* surface = &r->tool->surface;
    palRigid_Place(&r->tool->model, &r->state, surface->vertexCount, surface->vertices,
                   r->startVertices);
}

static bool begin(palWorldBody* body, double h, double share)
{
    palWorldRigid* r = rigid(body);
    palHandle handle = palHandle_Between(&r->before, &r->handle, share);
    placeStart(r);
    r->step = palRigid_Free(&r->tool->model, &r->state, &handle, h);
    r->step.free = palRigidStep_Correct(&r->step, r->load);
    return true;
}

static void takeRows(palWorldBody* body, const palRows* rows, const double* predicted)
{
    (void)predicted;
    palWorldRigid* r = rigid(body);
    r->rowCount = 0;
    for (palBodyRow at = PAL_BEFORE_FIRST_ROW; palWorldBody_NextRow(body, rows, &at);)
    {
        palVec3 p = palRigid_Point(&r->tool->model, &r->state, at.link->ends[at.end].local);
        palVec3 lever = palSub(p, r->state.x);
        r->rowOf[r->rowCount] = at.row;
        r->J[r->rowCount++] = at.isAngular ? (palWrench){pal_zeroVec3, at.axis}
                                           : (palWrench){at.axis, palCross(lever, at.axis)};
    }
}

// Copies J to `columns`, component by component.
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

// to[j] += scale J_j u for consecutive rows of the problem: palRowDot with the same order of
// additions, as a loop that the compiler vectorises.
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
    bool isConsecutive = n == 0 || r->rowOf[n - 1] - r->rowOf[0] == n - 1;
    fillColumns(r);
    for (int i = 0; i < n; i++)
    {
        palTwist response = palRigidStep_Response(&r->step, r->J[i]);
        if (velocity != NULL)
            velocity[r->rowOf[i]] += palRowDot(r->J[i], r->step.free);
        double* to = W != NULL ? W + (size_t)r->rowOf[i] * stride : NULL;
        if (to != NULL && isConsecutive)
            addProducts(r, scale, response, to + r->rowOf[0]);
        for (int j = 0; j < n && to != NULL && !isConsecutive; j++)
            to[r->rowOf[j]] += scale * palRowDot(r->J[j], response);
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

void palWorldRigid_SetTrial(palWorldRigid* r, const palRigidState* state)
{
    r->trial = *state;
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

// The tool is translated as a whole, by the push of its deepest place.
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
    (void)frame; // the handle holds the tool, so that its group has no free momentum
    palWorldRigid* r = rigid(body);
    r->trial = (palRigidState){
        .x = palLerp(r->state.x, r->trial.x, share),
        .q = palSlerp(r->state.q, r->trial.q, share),
        .v = palScale(share, r->trial.v),
        .L = palScale(share, r->trial.L),
    };
    placeEnd(r);
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

static void archiveBody(palWorldBody* body, palArchive* archive)
{
    palWorldRigid* r = rigid(body);
    palWorldBody_Archive(body, archive);
    PAL_ARCHIVE(archive, r->own.model);
    PAL_ARCHIVE(archive, r->state);
    PAL_ARCHIVE(archive, r->trial);
    PAL_ARCHIVE(archive, r->before);
    PAL_ARCHIVE(archive, r->handle);
    PAL_ARCHIVE(archive, r->load);
    if (archive->isRestoring)
        placeStart(r);
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
    .momentum = palWorldBody_HeldMomentum,
    .commit = commit,
    .reset = reset,
    .archive = archiveBody,
    .destroy = destroy,
};

palResult palWorldRigid_Create(const palTool* tool, int rowCapacity, palWorldBody** body,
                               palError* error)
{
    palWorldRigid* r = calloc(1, sizeof *r);
    *body = (palWorldBody*)r;
    if (r == NULL)
        return palError_Memory(error, "a tool in contact", sizeof *r);
    r->own = *tool;
    r->tool = &r->own;
    r->base.friction = -1.0;
    palResult result = palWorldBody_Init(&r->base, &rigidOps, &tool->surface, error);
    if (result == pal_ok)
        result = palWorldBody_MakeSolid(&r->base, &tool->surface, error);
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
