// SPDX-License-Identifier: Apache-2.0
// What all kinds of bodies share, and static bodies.
#include "world/body.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

palResult palWorldBody_Init(palWorldBody* body, const palWorldBodyOps* ops,
                            const palSurface* surface, palError* error)
{
    palBounds bounds = palSurface_Bounds(surface);
    body->ops = ops;
    body->size = palDistance(bounds.low, bounds.high);
    body->pointCount = surface->vertexCount;
    palResult result = palMovingSurface_Init(&body->surface, surface, error);
    if (result == pal_ok && ops->moves && ops->nodes == NULL)
    {
        size_t size = (size_t)surface->vertexCount * sizeof *body->end;
        body->end = malloc(size);
        if (body->end == NULL)
            return palError_Memory(error, "the surface of a body", size);
        memcpy(body->end, surface->vertices, size);
    }
    return result;
}

void palWorldBody_Free(palWorldBody* body)
{
    palMovingSurface_Free(&body->surface);
    if (body->solid != NULL)
        palRigidShape_Free(body->solid);
    free(body->solid);
    free(body->end);
}

palResult palWorldBody_MakeSolid(palWorldBody* body, const palSurface* surface, palError* error)
{
    if (!body->surface.closed)
        return pal_ok;
    body->solid = calloc(1, sizeof *body->solid);
    if (body->solid == NULL)
        return palError_Memory(error, "the shape of a body", sizeof *body->solid);
    palError unfit;
    palResult result = palRigidShape_InitMesh(body->solid, surface, &unfit);
    if (result == pal_ok)
        return pal_ok;
    free(body->solid);
    body->solid = NULL;
    if (result == pal_errorInput) // inside out: it is met as a sheet
        return pal_ok;
    *error = unfit;
    return result;
}

palPose palWorldBody_Pose(const palWorldBody* body, bool isTrial)
{
    if (!body->ops->moves)
        return pal_identityPose;
    const palWorldRigid* rigid = (const palWorldRigid*)body;
    const palRigidState* state = isTrial ? &rigid->trial : &rigid->state;
    return (palPose){palRigid_Point(&rigid->tool->model, state, pal_zeroVec3), state->q};
}

void palWorldBody_MoveSurface(palWorldBody* body)
{
    if (!body->ops->moves)
        return;
    if (body->ops->nodes != NULL)
    {
        body->travel = palMovingSurface_MoveNodes(&body->surface, body->ops->nodes(body, false),
                                                  body->ops->nodes(body, true));
        return;
    }
    double most = 0.0;
    for (int i = 0; i < body->pointCount; i++)
        most = fmax(most, palLengthSquared(palSub(body->start[i], body->end[i])));
    body->travel = sqrt(most);
    if (body->ops->shape == pal_shapeSurface)
        palMovingSurface_Move(&body->surface, body->start, body->end);
}

void palWorldBody_Archive(palWorldBody* body, palArchive* archive)
{
    PAL_ARCHIVE(archive, body->friction);
    PAL_ARCHIVE(archive, body->mobility);
    PAL_ARCHIVE(archive, body->travel);
    if (!body->ops->moves || body->ops->shape != pal_shapeSurface)
        return;
    if (body->end != NULL)
        PAL_ARCHIVE_ARRAY(archive, body->end, body->pointCount);
    palMovingSurface_Archive(&body->surface, archive);
}

double palWorldBody_HeldMomentum(const palWorldBody* body, palVec3* sum)
{
    (void)body;
    *sum = pal_zeroVec3;
    return 0.0;
}

bool palWorldBody_NextRow(const palWorldBody* body, const palRows* rows, palBodyRow* at)
{
    if (at->position >= 0 && at->k + 1 < palLink_Rows(at->link))
        at->k++;
    else
    {
        do
            at->position++;
        while (at->position < 2 * rows->linkCount &&
               rows->links[at->position / 2]->ends[at->position % 2].body != body->id);
        if (at->position >= 2 * rows->linkCount)
            return false;
        at->link = rows->links[at->position / 2];
        at->end = at->position % 2;
        at->k = 0;
    }
    palVec3 axis = palLink_Axis(at->link, at->k, &at->isAngular);
    at->axis = at->end == 0 ? axis : palNeg(axis);
    at->row = rows->first[at->position / 2] + at->k;
    return true;
}

//--------------------------------------------------------------------------------------------------
// Static bodies

static bool begin(palWorldBody* body, double h, double share)
{
    (void)body, (void)h, (void)share;
    return true;
}

static void takeRows(palWorldBody* body, const palRows* rows, const double* predicted)
{
    (void)body, (void)rows, (void)predicted;
}

static void addCompliance(palWorldBody* body, palWorldRate rate, double scale, double* W,
                          size_t stride, double* velocity)
{
    (void)body, (void)rate, (void)scale, (void)W, (void)stride, (void)velocity;
}

static void evaluateTrial(palWorldBody* body, const double* lambda)
{
    (void)body, (void)lambda;
}

static palPlace place(const palWorldBody* body, const palSurfacePlace* on)
{
    palPlace made =
        palMakeFixedPlace(body->id, palSurfacePlace_Point(on, body->surface.surface.vertices));
    made.on = *on;
    return made;
}

static palVec3 point(const palWorldBody* body, const palPlace* at, bool isTrial)
{
    (void)body, (void)isTrial;
    return at->local;
}

static palQuat orientation(const palWorldBody* body, const palPlace* at, bool isTrial)
{
    (void)body, (void)isTrial;
    return at->orientation;
}

static bool velocity(const palWorldBody* body, const palSurfacePlace* on, palVec3* v)
{
    (void)body, (void)on;
    *v = pal_zeroVec3;
    return false;
}

static void push(palWorldBody* body, const palSurfacePlace* at, palVec3 d, double depth)
{
    (void)body, (void)at, (void)d, (void)depth;
}

static void nothing(palWorldBody* body)
{
    (void)body;
}

static void shorten(palWorldBody* body, double share, palVec3 frame)
{
    (void)body, (void)share, (void)frame;
}

static void destroy(palWorldBody* body)
{
    palWorldBody_Free(body);
    free(body);
}

static const palWorldBodyOps staticOps = {
    .moves = false,
    .begin = begin,
    .takeRows = takeRows,
    .addCompliance = addCompliance,
    .evaluateTrial = evaluateTrial,
    .place = place,
    .point = point,
    .orientation = orientation,
    .velocity = velocity,
    .push = push,
    .movePushed = nothing,
    .shorten = shorten,
    .momentum = palWorldBody_HeldMomentum,
    .commit = nothing,
    .reset = nothing,
    .archive = palWorldBody_Archive,
    .destroy = destroy,
};

palResult palWorldStatic_Create(const palCollider* collider, palWorldBody** body, palError* error)
{
    palWorldBody* created = calloc(1, sizeof *created);
    *body = created;
    if (created == NULL)
        return palError_Memory(error, "a body", sizeof *created);
    created->friction = collider->friction;
    palResult result = palWorldBody_Init(created, &staticOps, &collider->surface, error);
    return result == pal_ok && !collider->points
               ? palWorldBody_MakeSolid(created, &collider->surface, error)
               : result;
}
