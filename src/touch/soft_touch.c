// SPDX-License-Identifier: Apache-2.0
#include "touch/soft_touch.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// Faces are looked at this far beyond the way, as a share of the query radius.
static const double nearShare = 0.15;
// A surface that has come over the proxy by less than this share takes it along; one that stands
// still between snapshots comes farther.
static const double overtakenShare = 0.1;
static const double overtakenFrozen = 0.5;

palResult palSoftTouch_Init(palSoftTouch* touch, const palMethodDef* def,
                            const palSoftContact* contact, palError* error)
{
    *touch = (palSoftTouch){
        .hand = def->hand,
        .bodyCount = palSoftSide_Count(def),
        .surfaceCount = palMethodDef_Surfaces(def),
    };
    size_t vertices = (size_t)contact->side.patch.vertexCapacity; // of every snapshot
    touch->bodies = calloc((size_t)touch->bodyCount, sizeof *touch->bodies);
    touch->owners = calloc((size_t)touch->surfaceCount, sizeof *touch->owners);
    touch->old = calloc(vertices, sizeof *touch->old);
    touch->free = calloc(vertices, sizeof *touch->free);
    touch->extension = calloc(vertices, sizeof *touch->extension);
    touch->outward = calloc(vertices, sizeof *touch->outward);
    touch->stamp = calloc(vertices, sizeof *touch->stamp);
    touch->oldStamp = calloc(vertices, sizeof *touch->oldStamp);
    if (!touch->bodies || !touch->owners || !touch->old || !touch->free || !touch->extension ||
        !touch->outward || !touch->stamp || !touch->oldStamp)
        return palError_Memory(error, "touching soft bodies", vertices * sizeof *touch->old);
    for (int i = 0, k = 0; i < palMethodDef_Surfaces(def); i++)
        if (palCollider_Yields(&def->colliders[i]))
            touch->bodies[k++] = (palTouchedBody){.object = i, .part = -1};
    return palPatch_Init(&touch->patch, error);
}

void palSoftTouch_Free(palSoftTouch* touch)
{
    palPatch_Free(&touch->patch);
    free(touch->bodies);
    free(touch->owners);
    free(touch->old);
    free(touch->free);
    free(touch->extension);
    free(touch->outward);
    free(touch->stamp);
    free(touch->oldStamp);
}

void palSoftTouch_Archive(palSoftTouch* touch, palArchive* archive)
{
    for (int i = 0; i < touch->bodyCount; i++)
    {
        palTouchedBody* body = &touch->bodies[i];
        PAL_ARCHIVE(archive, body->point);
        PAL_ARCHIVE(archive, body->beyond);
        PAL_ARCHIVE(archive, body->face);
        PAL_ARCHIVE(archive, body->pushed);
    }
}

// The rigid faces in the box around the way. Returns whether there are any.
static bool addRigidFaces(palSoftTouch* touch, const palPatch* rigid, palVec3 low, palVec3 high)
{
    int runs[pal_patchRunsMax];
    int count = palPatch_Near(rigid, low, high, runs);
    for (int i = 0; i < count; i++)
        for (int j = runs[i] * pal_patchRun; j < (runs[i] + 1) * pal_patchRun && j < rigid->count;
             j++)
            palPatch_Add(&touch->patch, &rigid->limited[j]);
    return count > 0;
}

// ---------------------------------------------------------------------------------------------
// The point under the proxy

// What the modes give for the point, read where it is needed: a point may move several times in a
// tick.
static const palModeShape* readShape(palTouchedBody* body, const palSoftPatch* soft)
{
    if (!body->hasShape)
        palSoftPatch_Shape(soft, body->part, &body->point, &body->shape);
    body->hasShape = true;
    return &body->shape;
}

static void readCompliance(palTouchedBody* body, const palSoftPatch* soft)
{
    body->W = palSoftPatch_Compliance(palSoftPatch_Modes(soft, body->part), readShape(body, soft));
}

// Where the walk begins; see the header.
static palVec3 chooseStart(const palSoftTouch* touch, const palSoftContact* contact,
                           const palHandSnapshot* snapshot, const palTouchedBody* body, palVec3 x,
                           double offset)
{
    const palSoftPatch* soft = snapshot->whole->soft;
    const palSoftMotion* motion = &contact->motion;
    const palModes* modes = palSoftPatch_Modes(soft, body->part);
    double most = (contact->frozen ? overtakenFrozen : overtakenShare) * snapshot->trustRadius;
    palVec3 normal;
    palVec3 surface = palSoftTouch_FreePoint(touch, soft, body, &normal);
    palVec3 step = palSub(palSoftPatch_Displacement(modes, &body->shape,
                                                    palSoftMotion_Next(motion, soft, body->part)),
                          palSoftPatch_Displacement(modes, &body->shape,
                                                    palSoftMotion_Now(motion, soft, body->part)));
    palVec3 shift = palSub(palSoftMotion_ShiftNext(motion, touch->hand, body->part),
                           palSoftMotion_ShiftNow(motion, touch->hand, body->part));
    palVec3 start = palAdd(palAdd(x, step), shift);
    double gap = palDot(normal, palSub(start, surface));
    bool isOvertaken = !soft->parts[body->part].twoSided && gap < offset && gap > -most;
    return body->pushed || isOvertaken ? palMulAdd(surface, offset, normal) : start;
}

// The body at its place in this tick. Returns how far x is from its point, m; negative: it is at
// it.
static double placeBody(palSoftTouch* touch, const palSoftContact* contact,
                        const palHandSnapshot* snapshot, palTouchedBody* body, palVec3 x,
                        double offset)
{
    const palSoftPatch* soft = snapshot->whole->soft;
    double distance = -1.0;
    body->pushed = body->pushed && palSoftTouch_HoldsPoint(touch, soft, body);
    if (!body->pushed)
    {
        palSoftTouch_PlaceOld(touch, soft, &contact->motion, body);
        distance = palSoftTouch_FindPoint(touch, soft, body, touch->old, x);
        body->hasShape = false;
    }
    readShape(body, soft);
    body->start = chooseStart(touch, contact, snapshot, body, x, offset);
    body->normal = palSoftTouch_SmoothNormal(touch, soft, body);
    return distance;
}

// Inserts a body into the list of the nearest, which is sorted by distance and has room for
// pal_planeBodiesMax.
static void insertNear(palSoftTouch* touch, int body, double distance, double* distances,
                       int* nearCount)
{
    int at = *nearCount;
    if (at == pal_planeBodiesMax && distances[at - 1] <= distance)
        return;
    if (at == pal_planeBodiesMax)
        at--;
    else
        (*nearCount)++;
    for (; at > 0 && distances[at - 1] > distance; at--)
    {
        distances[at] = distances[at - 1];
        touch->near[at] = touch->near[at - 1];
    }
    distances[at] = distance;
    touch->near[at] = body;
}

// The slots of the walk: the nearest body first, the rigid faces last. Of more than there is room
// for the farthest are left out.
static void fillSlots(palSoftTouch* touch, int nearCount, bool hasRigid)
{
    int room = pal_planeBodiesMax - hasRigid;
    touch->seen.count = nearCount < room ? nearCount : room;
    for (int s = 0; s < touch->seen.count; s++)
        touch->bodies[touch->near[s]].slot = s;
    if (hasRigid)
        touch->near[touch->seen.count++] = -1;
    memset(touch->owners, touch->seen.count - 1, (size_t)touch->surfaceCount);
    for (int s = 0; s < touch->seen.count; s++)
        if (touch->near[s] >= 0)
            touch->owners[touch->bodies[touch->near[s]].object] = (int8_t)s;
}

// The drift of the body under the proxy, or of one that is described.
static palVec3 driftBelow(const palSoftTouch* touch)
{
    if (touch->isNear)
        return touch->bodies[touch->near[0]].drift;
    for (int b = 0; b < touch->bodyCount; b++)
        if (touch->bodies[b].part >= 0)
            return touch->bodies[b].drift;
    return pal_zeroVec3;
}

void palSoftTouch_Find(palSoftTouch* touch, const palSoftContact* contact,
                       const palHandSnapshot* snapshot, palVec3 x, palVec3 goal, double offset,
                       palLimitShape limits)
{
    const palSoftPatch* soft = snapshot->whole->soft;
    double reach = nearShare * snapshot->trustRadius + palDistance(x, goal);
    palPatch_Clear(&touch->patch, snapshot->trustCentre);
    palSoftTouch_FindFaces(touch, soft, &contact->motion, x, reach, offset / PAL_SURFACE_OFFSET);

    // Each of the bodies that have some.
    double distances[pal_planeBodiesMax];
    int nearCount = 0;
    for (int b = 0; b < touch->bodyCount; b++)
    {
        palTouchedBody* body = &touch->bodies[b];
        if (body->faceBegin == body->faceEnd)
            continue;
        palSoftTouch_AddFaces(touch, soft, body, limits);
        double distance = placeBody(touch, contact, snapshot, body, x, offset);
        insertNear(touch, b, distance, distances, &nearCount);
    }
    palVec3 margin = {reach, reach, reach};
    bool hasRigid = addRigidFaces(touch, &snapshot->patch, palSub(palMinVec3(x, goal), margin),
                                  palAdd(palMaxVec3(x, goal), margin));
    touch->isNear = nearCount > 0;
    fillSlots(touch, nearCount, hasRigid || nearCount == 0);
    touch->drift = driftBelow(touch);
    touch->rigidStart = x;
}

void palSoftTouch_Release(palSoftTouch* touch)
{
    for (int b = 0; b < touch->bodyCount; b++)
        touch->bodies[b].pushed = false;
}

// ---------------------------------------------------------------------------------------------
// The walk

// W between the bodies of one island: a force on the one moves the other within the tick.
static bool fillCross(palSoftTouch* touch, const palSoftPatch* soft)
{
    int count = touch->seen.count;
    bool isAny = false;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
        {
            palMat3* W = &touch->cross[i * count + j];
            *W = (palMat3){0};
            if (i == j || touch->near[i] < 0 || touch->near[j] < 0)
                continue;
            const palTouchedBody* a = &touch->bodies[touch->near[i]];
            const palTouchedBody* b = &touch->bodies[touch->near[j]];
            if (soft->parts[a->part].island != soft->parts[b->part].island)
                continue;
            *W = palSoftPatch_SharedCompliance(palSoftPatch_Modes(soft, a->part), &a->shape,
                                               &b->shape);
            isAny = true;
        }
    return isAny;
}

void palSoftTouch_Begin(palSoftTouch* touch, const palHandSnapshot* snapshot, double w,
                        palWalk* walk)
{
    const palMat3 rigid = {0};
    for (int s = 0; s < touch->seen.count; s++)
    {
        int b = touch->near[s];
        if (b >= 0)
            readCompliance(&touch->bodies[b], snapshot->whole->soft);
        palPlaneBody_Set(&touch->slots[s], w, b >= 0 ? &touch->bodies[b].W : &rigid);
        touch->slots[s].x = b >= 0 ? touch->bodies[b].start : touch->rigidStart;
    }
    bool isCrossed = touch->seen.count > 1 && fillCross(touch, snapshot->whole->soft);
    touch->seen.w = w;
    touch->seen.bodies = touch->slots;
    touch->seen.cross = isCrossed ? touch->cross : NULL;
    walk->patch = &touch->patch;
    walk->bodies = touch->seen.count > 1 ? &touch->seen : NULL;
    walk->owners = touch->owners;
    walk->W = touch->slots[0].whole;
    walk->stiffness = touch->slots[0].stiffness;
    walk->x = touch->slots[0].x;
}

static bool isPushed(const palWalk* walk, int slot)
{
    palPushes pushes = palWalk_Pushes(walk);
    for (int i = 0; i < pushes.count; i++)
        if (pushes.bodies[i] == slot)
            return true;
    return false;
}

// Moves the point of one body to that under y. Returns whether it changed.
static bool slideBody(palSoftTouch* touch, const palSoftPatch* soft, palTouchedBody* body,
                      palVec3 y)
{
    const double same = 1e-6; // of a barycentric weight
    palSurfacePlace before = body->point;
    palSoftTouch_FindPoint(touch, soft, body, touch->free, y);
    bool changed = false;
    for (int k = 0; k < 3; k++)
        changed |= before.vertices[k] != body->point.vertices[k] ||
                   fabs(before.weights[k] - body->point.weights[k]) > same;
    body->hasShape = body->hasShape && !changed;
    return changed;
}

bool palSoftTouch_Slide(palSoftTouch* touch, const palHandSnapshot* snapshot, const palWalk* walk)
{
    bool changed = false;
    for (int s = 0; s < touch->seen.count; s++)
    {
        if (touch->near[s] < 0)
            continue;
        palVec3 y = walk->bodies != NULL ? touch->slots[s].x : walk->x;
        bool depends = walk->bodies == NULL || isPushed(walk, s);
        changed |=
            depends && slideBody(touch, snapshot->whole->soft, &touch->bodies[touch->near[s]], y);
    }
    return changed;
}

// Moves y along n onto the faces of a body, and finds the point there, again until that is y: the
// face closest to a y far above them may be another one, and gives way differently. Returns false
// where they lean too much.
static bool putOnFaces(const palSoftTouch* touch, const palSoftPatch* soft, palVec3 n,
                       palTouchedBody* body, palVec3* y)
{
    const double leastCosine = 0.3, tolerance = 1e-6; // m
    const int stepsMax = 4;
    double height = INFINITY;
    for (int i = 0; i < stepsMax && fabs(height) > tolerance; i++)
    {
        palVec3 faceNormal;
        palSoftTouch_FindPoint(touch, soft, body, touch->free, *y);
        palVec3 p = palSoftTouch_FreePoint(touch, soft, body, &faceNormal);
        double cosine = palDot(faceNormal, n);
        if (cosine < leastCosine || palLengthSquared(body->beyond) > 0.0)
            return false;
        height = palDot(faceNormal, palSub(p, *y)) / cosine;
        *y = palMulAdd(*y, height, n);
    }
    return true;
}

// One step on the smooth surface of a body, the only one that pushes. Returns whether the point
// moved, so that the body's compliance there is another.
static bool slideSmoothly(palSoftTouch* touch, const palSoftPatch* soft, int slot, palWalk* walk,
                          palHighInfo* info)
{
    const double farthestShare = 0.25; // of the reach
    const double tolerance = 1e-12;    // m
    palTouchedBody* body = &touch->bodies[touch->near[slot]];
    const palPlaneBody* both = &touch->slots[slot];
    double friction = soft->parts[body->part].friction;
    palPlane plane = {body->normal, palDot(body->normal, body->start), friction};
    palPlanesResult result =
        palSolvePlanes(&plane, 1, body->start, walk->goal, &both->whole, tolerance);
    palSurfacePlace before = body->point;
    palVec3 beyondBefore = body->beyond;
    palVec3 y = result.y;
    if (result.count == 0 || palDistance(y, body->start) > farthestShare * touch->reach)
        return false;
    bool isOn = putOnFaces(touch, soft, plane.n, body, &y);
    y = palMulAdd(y, PAL_SURFACE_OFFSET * walk->unit, plane.n);
    palVec3 force = palMat3Apply(both->stiffness, palSub(y, walk->goal));
    body->beyond = beyondBefore;
    if (!isOn || (walk->bodies != NULL && !palWalk_PushFrom(walk, slot, force)))
    {
        body->point = before;
        return false;
    }
    if (walk->bodies == NULL)
        walk->x = walk->aim = y;
    plane.d = palDot(plane.n, y); // that which the result is on
    result.lambda[0] = palDot(plane.n, force);
    palProblemCopy_TakeOwnPlanes(info->problem, &plane, 1, body->start, walk->goal, &both->whole,
                                 &result, force);
    body->hasShape = false;
    return true;
}

void palSoftTouch_Smooth(palSoftTouch* touch, const palHandSnapshot* snapshot, palWalk* walk,
                         palHighInfo* info)
{
    const int passes = 2;
    palPushes pushes = palWalk_Pushes(walk);
    int slot = pushes.bodies[0];
    if (!touch->isNear || info->active == 0 || info->held || pushes.count != 1 ||
        touch->near[slot] < 0)
        return;
    palTouchedBody* body = &touch->bodies[touch->near[slot]];
    bool isKnown = palLengthSquared(body->normal) > 0.0;
    for (int pass = 0; pass < passes && isKnown; pass++)
    {
        if (!slideSmoothly(touch, snapshot->whole->soft, slot, walk, info))
            return;
        // Where it is now the body gives way differently.
        readCompliance(body, snapshot->whole->soft);
        palPlaneBody_Set(&touch->slots[slot], touch->seen.w, &body->W);
        if (slot == 0)
        {
            walk->W = touch->slots[0].whole;
            walk->stiffness = touch->slots[0].stiffness;
        }
    }
}

palVec3 palSoftTouch_Push(palSoftTouch* touch, palSoftContact* contact,
                          const palHandSnapshot* snapshot, const palWalk* walk, bool isActive)
{
    palPushes pushes = palWalk_Pushes(walk);
    palVec3 lambda = pal_zeroVec3;
    palSoftPush given[pal_planesPushedMax];
    const palModeShape* shapes[pal_planesPushedMax];
    int count = 0;
    palSoftTouch_Release(touch);
    for (int s = 0; s < touch->seen.count; s++)
        if (touch->near[s] >= 0)
            readShape(&touch->bodies[touch->near[s]], snapshot->whole->soft);
    for (int i = 0; i < pushes.count; i++)
    {
        lambda = i == 0 ? pushes.forces[0] : palAdd(lambda, pushes.forces[i]);
        int near = touch->near[pushes.bodies[i]];
        if (near < 0 || !isActive)
            continue;
        palTouchedBody* body = &touch->bodies[near];
        body->pushed = true;
        shapes[count] = &body->shape;
        given[count++] = (palSoftPush){
            .object = body->object, .at = body->point, .force = palNeg(pushes.forces[i])};
    }
    palSoftContact_Push(contact, snapshot->whole->soft, touch->hand, given, count, shapes);
    return lambda;
}

double palSoftTouch_Gap(const palSoftTouch* touch, const palSoftContact* contact,
                        const palHandSnapshot* snapshot, palVec3 x)
{
    const palSoftPatch* soft = snapshot->whole->soft;
    const palSoftMotion* motion = &contact->motion;
    double nearest = NAN;
    for (int s = 0; s < touch->seen.count && touch->isNear; s++)
    {
        if (touch->near[s] < 0)
            continue;
        const palTouchedBody* body = &touch->bodies[touch->near[s]];
        const double* q = palSoftMotion_Now(motion, soft, body->part);
        palVec3 drift =
            palSoftPatch_Displacement(palSoftPatch_Modes(soft, body->part), &body->shape, q);
        double gap = palSoftPatch_Gap(
            soft, body->part, q,
            palSub(x, palSoftMotion_ShiftNext(motion, touch->hand, body->part)), drift);
        if (!(fabs(gap) >= fabs(nearest)))
            nearest = gap;
    }
    return nearest;
}
