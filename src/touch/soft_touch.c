// SPDX-License-Identifier: Apache-2.0
#include "touch/soft_touch.h"

#include "base/error.h"
#include "collide/triangle.h"

#include <stdlib.h>
#include <string.h>

// Faces are looked at this far beyond the way, as a share of the query radius.
static const double nearShare = 0.15;
// A surface that has come over the proxy by less than this share takes it along; one that stands
// still between snapshots comes farther.
static const double overtakenShare = 0.1;
static const double overtakenFrozen = 0.5;
// Faces are extended over slits up to the second share, and overlap by the first.
static const double overlapShare = 5e-4;
static const double slitShare = 0.15;

palResult palSoftTouch_Init(palSoftTouch* touch, const palMethodDef* def, palError* error)
{
    *touch = (palSoftTouch){.bodyCount = palSoftSide_Count(def)};
    palSoftPatch sizes; // of every snapshot
    palResult result = palSoftPatch_Init(&sizes, touch->bodyCount, error);
    if (result != pal_ok)
        return result;
    size_t vertices = (size_t)sizes.vertexCapacity;
    palSoftPatch_Free(&sizes);
    touch->bodies = calloc((size_t)touch->bodyCount, sizeof *touch->bodies);
    touch->old = calloc(vertices, sizeof *touch->old);
    touch->free = calloc(vertices, sizeof *touch->free);
    touch->extension = calloc(vertices, sizeof *touch->extension);
    touch->outward = calloc(vertices, sizeof *touch->outward);
    touch->stamp = calloc(vertices, sizeof *touch->stamp);
    if (!touch->bodies || !touch->old || !touch->free || !touch->extension || !touch->outward ||
        !touch->stamp)
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
    free(touch->old);
    free(touch->free);
    free(touch->extension);
    free(touch->outward);
    free(touch->stamp);
}

// ---------------------------------------------------------------------------------------------
// Faces

// Both positions of a vertex, computed at most once a tick.
static void placeVertex(palSoftTouch* touch, const palSoftPatch* soft, const palSoftMotion* motion,
                        int part, int vertex)
{
    if (touch->stamp[vertex] == touch->tick)
        return;
    touch->stamp[vertex] = touch->tick;
    touch->extension[vertex] = touch->outward[vertex] = pal_zeroVec3;
    touch->old[vertex] =
        palAdd(palSoftPatch_Vertex(soft, part, vertex, palSoftMotion_Now(motion, soft, part)),
               palSoftMotion_ShiftNow(motion, part));
    touch->free[vertex] =
        palAdd(palSoftPatch_Vertex(soft, part, vertex, palSoftMotion_Next(motion, soft, part)),
               palSoftMotion_ShiftNext(motion, part));
}

// How far the surface near the last point has moved since the snapshot.
static palVec3 driftOf(const palTouchedBody* body, const palSoftPatch* soft,
                       const palSoftMotion* motion)
{
    palModeShape shape;
    if (body->point.count == 0 || !palSoftPatch_Shape(soft, body->part, &body->point, &shape))
        return pal_zeroVec3;
    return palAdd(palSoftPatch_Displacement(palSoftPatch_Modes(soft, body->part), &shape,
                                            palSoftMotion_Now(motion, soft, body->part)),
                  palSoftMotion_ShiftNow(motion, body->part));
}

// Where the place across a slit is in free motion.
static palVec3 acrossSlit(const palSoftSlit* slit, const palSoftPatch* soft,
                          const palSoftMotion* motion)
{
    int part = slit->vertices[0] >= 0 ? palSoftPatch_Part(soft, slit->object) : -1;
    palVec3 p = pal_zeroVec3;
    if (part < 0 || slit->vertices[1] < 0 || slit->vertices[2] < 0)
        return slit->start;
    for (int k = 0; k < 3; k++)
        p = palMulAdd(p, slit->at.weights[k],
                      palSoftPatch_Vertex(soft, part, slit->vertices[k],
                                          palSoftMotion_Next(motion, soft, part)));
    return palAdd(p, palSoftMotion_ShiftNext(motion, part));
}

static palVec3 normalOf(const palSoftFace* face, const palVec3* positions)
{
    const int* v = face->vertices;
    return palNormalize(palCross(palSub(positions[v[1]], positions[v[0]]),
                                 palSub(positions[v[2]], positions[v[0]])));
}

// The direction in which the surface at a vertex goes on across a slit: within its plane, unless it
// faces the other body as in a wedge.
static palVec3 onwards(palVec3 across, palVec3 outward)
{
    const double facing = 0.7; // cosine
    palVec3 n = palNormalize(outward);
    double c = palDot(across, n);
    return fabs(c) < facing ? palScale(1.0 / (1.0 - c * c), palMulAdd(across, -c, n)) : across;
}

// How far the faces at each vertex near the proxy are extended. Where several slits meet, over all
// of them.
static void extendVertices(palSoftTouch* touch, const palSoftPatch* soft,
                           const palSoftMotion* motion, double unit)
{
    for (int i = 0; i < touch->faceCount && soft->slitCount > 0; i++)
    {
        const palSoftFace* face = &soft->faces[touch->faces[i]];
        palVec3 n = face->isCovered ? pal_zeroVec3 : normalOf(face, touch->free);
        for (int k = 0; k < 3; k++)
            touch->outward[face->vertices[k]] = palAdd(touch->outward[face->vertices[k]], n);
    }
    for (int i = 0; i < soft->slitCount; i++)
    {
        const palSoftSlit* slit = &soft->slits[i];
        if (touch->stamp[slit->vertex] != touch->tick)
            continue;
        palVec3 way = palSub(acrossSlit(slit, soft, motion), touch->free[slit->vertex]);
        double width = fmin(fmax(0.0, palDot(slit->across, way)), slitShare * unit);
        palVec3* extension = &touch->extension[slit->vertex];
        double lack = width + overlapShare * unit - palDot(slit->across, *extension);
        palVec3 direction = onwards(slit->across, touch->outward[slit->vertex]);
        *extension = palMulAdd(*extension, fmax(0.0, lack), direction);
    }
}

// The corners of a face extended over slits, of `positions` by vertex. Faces that are covered
// themselves are extended within their plane only. Returns whether it is extended.
static bool extendFace(const palSoftTouch* touch, const palSoftFace* face, const palVec3* positions,
                       palVec3 corners[3])
{
    bool isExtended = false;
    for (int k = 0; k < 3; k++)
    {
        palVec3 by = touch->extension[face->vertices[k]];
        bool isLonger = palLengthSquared(by) > 0.0;
        if (isLonger && face->isCovered)
        {
            palVec3 n = normalOf(face, positions);
            by = palMulAdd(by, -palDot(by, n), n);
        }
        corners[k] =
            isLonger ? palAdd(positions[face->vertices[k]], by) : positions[face->vertices[k]];
        isExtended = isExtended || isLonger;
    }
    return isExtended;
}

static void addSoftFace(palSoftTouch* touch, const palSoftPatch* soft, int part, int face,
                        palLimitShape limits)
{
    palVec3 corners[3];
    palLimited limited;
    extendFace(touch, &soft->faces[face], touch->free, corners);
    if (!palLimited_FromTriangle(&limited, limits, corners[0], corners[1], corners[2]))
        return;
    limited.friction = soft->parts[part].friction;
    limited.object = soft->parts[part].object;
    limited.triangle = soft->faces[face].triangle;
    limited.twoSided = soft->parts[part].twoSided;
    palPatch_Add(&touch->patch, &limited);
}

// Whether a face was within reach at the start: first by its ball, then, because long faces have
// large ones, by itself.
static bool isWithin(const palSoftPatch* soft, const palSoftFace* face, palVec3 x, double reach)
{
    if (palDistance(x, face->centre) > reach + face->radius)
        return false;
    const palVec3* v = soft->start;
    return palClosestOnTriangle(x, v[face->vertices[0]], v[face->vertices[1]], v[face->vertices[2]])
               .distance <= reach;
}

// The faces of one body within reach of x, as far as there is room; all are counted.
static int collectFaces(palSoftTouch* touch, const palSoftPatch* soft, palTouchedBody* body,
                        palVec3 x, double reach, int count)
{
    body->faceBegin = count < pal_softNearMax ? count : pal_softNearMax;
    const palSoftPart* part = body->part >= 0 ? &soft->parts[body->part] : NULL;
    for (int i = part != NULL ? part->faceBegin : 0;
         part != NULL && i < part->faceEnd && count <= pal_softNearMax; i++)
        if (isWithin(soft, &soft->faces[i], palSub(x, body->drift), reach))
        {
            if (count < pal_softNearMax)
                touch->faces[count] = i;
            count++;
        }
    body->faceEnd = count < pal_softNearMax ? count : pal_softNearMax;
    return count;
}

// The faces within reach of x. Where there are too many the reach is made smaller, so that the
// nearest are all among them; returned is what it is then.
static double findFaces(palSoftTouch* touch, const palSoftPatch* soft, palVec3 x, double reach)
{
    const double shrink = 0.7;
    const int shrinkingsMax = 40;
    for (int k = 0;; k++, reach *= shrink)
    {
        int count = 0;
        for (int b = 0; b < touch->bodyCount; b++)
            count = collectFaces(touch, soft, &touch->bodies[b], x, reach, count);
        if (count <= pal_softNearMax || k == shrinkingsMax)
        {
            touch->faceCount = count < pal_softNearMax ? count : pal_softNearMax;
            return reach;
        }
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

// The point of the near faces of a body closest to x, with the vertices at `positions`. Over a slit
// that is the material point nearest to it, and how far beyond it is.
static double findPoint(const palSoftTouch* touch, const palSoftPatch* soft, palTouchedBody* body,
                        const palVec3* positions, palVec3 x)
{
    double least = INFINITY;
    for (int i = body->faceBegin; i < body->faceEnd; i++)
    {
        const palSoftFace* face = &soft->faces[touch->faces[i]];
        const int* v = face->vertices;
        palVec3 c[3];
        bool isExtended = extendFace(touch, face, positions, c);
        palClosest closest = palClosestOnTriangle(x, c[0], c[1], c[2]);
        if (closest.distance >= least)
            continue;
        least = closest.distance;
        body->beyond = pal_zeroVec3;
        if (isExtended)
        {
            palVec3 at = closest.point;
            closest = palClosestOnTriangle(at, positions[v[0]], positions[v[1]], positions[v[2]]);
            body->beyond = palSub(at, closest.point);
        }
        const int on[3] = {soft->surfaceVertex[v[0]], soft->surfaceVertex[v[1]],
                           soft->surfaceVertex[v[2]]};
        body->point = palMakeTrianglePlace(on, closest.weights);
    }
    return least;
}

// What the modes give for the point.
static void readPoint(palTouchedBody* body, const palSoftPatch* soft)
{
    palSoftPatch_Shape(soft, body->part, &body->point, &body->shape);
    body->W = palSoftPatch_Compliance(palSoftPatch_Modes(soft, body->part), &body->shape);
}

// The place nearest to x on the free faces of a body, extended over slits.
static palVec3 nearestExtended(const palSoftTouch* touch, const palSoftPatch* soft,
                               const palTouchedBody* body, palVec3 x)
{
    double least = INFINITY;
    palVec3 nearest = x;
    for (int i = body->faceBegin; i < body->faceEnd; i++)
    {
        palVec3 c[3];
        extendFace(touch, &soft->faces[touch->faces[i]], touch->free, c);
        palClosest closest = palClosestOnTriangle(x, c[0], c[1], c[2]);
        if (closest.distance >= least)
            continue;
        least = closest.distance;
        nearest = closest.point;
    }
    return nearest;
}

// The point on the free surface, and the normal there: the mean of the near faces that hold it, of
// those that are not covered if there are any.
static palVec3 freePoint(const palSoftTouch* touch, const palSoftPatch* soft,
                         const palTouchedBody* body, palVec3* normal)
{
    const palSurfacePlace* point = &body->point;
    bool isCovered = true, isExtended = false; // the faces taken so far
    palVec3 p = body->beyond;
    *normal = pal_zeroVec3;
    for (int i = body->faceBegin; i < body->faceEnd; i++)
    {
        const palSoftFace* face = &soft->faces[touch->faces[i]];
        const int* v = face->vertices;
        int shared = 0;
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++)
                shared +=
                    soft->surfaceVertex[v[k]] == point->vertices[j] && point->weights[j] > 0.0;
        int needed =
            (point->weights[0] > 0.0) + (point->weights[1] > 0.0) + (point->weights[2] > 0.0);
        if (shared < needed || face->isCovered > isCovered)
            continue;
        *normal = palAdd(isCovered > face->isCovered ? pal_zeroVec3 : *normal,
                         normalOf(face, touch->free));
        isCovered = face->isCovered;
        for (int k = 0; k < 3; k++)
            isExtended = isExtended || palLengthSquared(touch->extension[v[k]]) > 0.0;
    }
    for (int k = 0; k < 3; k++)
        p = palMulAdd(p, point->weights[k],
                      touch->free[palSoftPatch_Find(soft, body->part, point->vertices[k])]);
    *normal = palNormalize(*normal);
    return isExtended ? nearestExtended(touch, soft, body, p) : p;
}

// Where the walk begins; see the header.
static palVec3 chooseStart(const palSoftTouch* touch, const palSoftContact* contact,
                           const palSnapshot* snapshot, const palTouchedBody* body, palVec3 x,
                           double offset)
{
    const palSoftPatch* soft = snapshot->soft;
    const palSoftMotion* motion = &contact->motion;
    const palModes* modes = palSoftPatch_Modes(soft, body->part);
    double most = (contact->frozen ? overtakenFrozen : overtakenShare) * snapshot->trustRadius;
    palVec3 normal;
    palVec3 surface = freePoint(touch, soft, body, &normal);
    palVec3 step = palSub(palSoftPatch_Displacement(modes, &body->shape,
                                                    palSoftMotion_Next(motion, soft, body->part)),
                          palSoftPatch_Displacement(modes, &body->shape,
                                                    palSoftMotion_Now(motion, soft, body->part)));
    palVec3 shift = palSub(palSoftMotion_ShiftNext(motion, body->part),
                           palSoftMotion_ShiftNow(motion, body->part));
    palVec3 start = palAdd(palAdd(x, step), shift);
    double gap = palDot(normal, palSub(start, surface));
    bool isOvertaken = !soft->parts[body->part].twoSided && gap < offset && gap > -most;
    return body->pushed || isOvertaken ? palMulAdd(surface, offset, normal) : start;
}

// Whether the near faces hold the material point of the last tick.
static bool holdsPoint(const palSoftTouch* touch, const palSoftPatch* soft,
                       const palTouchedBody* body)
{
    for (int k = 0; k < 3; k++)
    {
        int vertex = palSoftPatch_Find(soft, body->part, body->point.vertices[k]);
        if (vertex < 0 || touch->stamp[vertex] != touch->tick)
            return false;
    }
    return true;
}

// The face that holds the point; NULL: it is over a slit, or covered.
static const palSoftFace* faceOf(const palSoftTouch* touch, const palSoftPatch* soft,
                                 const palTouchedBody* body)
{
    for (int i = body->faceBegin; i < body->faceEnd; i++)
    {
        const palSoftFace* face = &soft->faces[touch->faces[i]];
        int same = 0;
        for (int k = 0; k < 3; k++)
            same += soft->surfaceVertex[face->vertices[k]] == body->point.vertices[k];
        if (same == 3)
            return face->isCovered || palLengthSquared(body->beyond) > 0.0 ? NULL : face;
    }
    return NULL;
}

static palVec3 smoothNormal(const palSoftTouch* touch, const palSoftPatch* soft,
                            const palTouchedBody* body)
{
    const palSoftFace* face = body->pushed ? faceOf(touch, soft, body) : NULL;
    palVec3 sum = pal_zeroVec3;
    for (int k = 0; face != NULL && k < 3; k++)
        sum = palMulAdd(sum, body->point.weights[k], face->normals[k]);
    return palNormalize(sum);
}

// The body at its place in this tick. Returns how far x is from its point, m; negative: it is at
// it.
static double placeBody(palSoftTouch* touch, const palSoftContact* contact,
                        const palSnapshot* snapshot, palTouchedBody* body, palVec3 x, double offset)
{
    const palSoftPatch* soft = snapshot->soft;
    double distance = -1.0;
    body->pushed = body->pushed && holdsPoint(touch, soft, body);
    if (!body->pushed)
        distance = findPoint(touch, soft, body, touch->old, x);
    readPoint(body, soft);
    body->start = chooseStart(touch, contact, snapshot, body, x, offset);
    body->normal = smoothNormal(touch, soft, body);
    return distance;
}

// The slots of the walk: the nearest body first, the rigid faces last. Of more than there is room
// for the farthest are left out.
static void fillSlots(palSoftTouch* touch, const double* distances, const int* near, int nearCount,
                      bool hasRigid)
{
    int room = pal_planeBodiesMax - hasRigid;
    bool taken[pal_surfacesMax] = {0};
    touch->seen.count = 0;
    for (int s = 0; s < room && s < nearCount; s++)
    {
        int best = -1;
        for (int i = 0; i < nearCount; i++)
            if (!taken[i] && (best < 0 || distances[i] < distances[best]))
                best = i;
        taken[best] = true;
        touch->near[s] = near[best];
        touch->bodies[near[best]].slot = s;
        touch->seen.count++;
    }
    if (hasRigid)
        touch->near[touch->seen.count++] = -1;
    memset(touch->owners, touch->seen.count - 1, sizeof touch->owners);
    for (int s = 0; s < touch->seen.count; s++)
        if (touch->near[s] >= 0)
            touch->owners[touch->bodies[touch->near[s]].object] = (int8_t)s;
}

// Where the vertices of all near faces are.
static void placeFaces(palSoftTouch* touch, const palSoftContact* contact,
                       const palSnapshot* snapshot)
{
    const palSoftPatch* soft = snapshot->soft;
    for (int b = 0; b < touch->bodyCount; b++)
        for (int i = touch->bodies[b].faceBegin; i < touch->bodies[b].faceEnd; i++)
            for (int k = 0; k < 3; k++)
                placeVertex(touch, soft, &contact->motion, touch->bodies[b].part,
                            soft->faces[touch->faces[i]].vertices[k]);
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
                       const palSnapshot* snapshot, palVec3 x, palVec3 goal, double offset,
                       palLimitShape limits)
{
    const palSoftPatch* soft = snapshot->soft;
    double reach = nearShare * snapshot->trustRadius + palDistance(x, goal);
    touch->tick++;
    palPatch_Clear(&touch->patch, snapshot->trustCentre);

    // Faces around the proxy, seen from where each surface was at the snapshot.
    for (int b = 0; b < touch->bodyCount; b++)
    {
        palTouchedBody* body = &touch->bodies[b];
        body->slot = -1;
        body->part = palSoftPatch_Part(soft, body->object);
        body->drift = body->part >= 0 ? driftOf(body, soft, &contact->motion) : pal_zeroVec3;
    }
    touch->reach = findFaces(touch, soft, x, reach);
    touch->isShort = touch->reach < reach;

    placeFaces(touch, contact, snapshot);
    extendVertices(touch, soft, &contact->motion, offset / PAL_SURFACE_OFFSET);

    // Each of the bodies that have some.
    double distances[pal_surfacesMax];
    int near[pal_surfacesMax];
    int nearCount = 0;
    for (int b = 0; b < touch->bodyCount; b++)
    {
        palTouchedBody* body = &touch->bodies[b];
        if (body->faceBegin == body->faceEnd)
            continue;
        for (int i = body->faceBegin; i < body->faceEnd; i++)
            addSoftFace(touch, soft, body->part, touch->faces[i], limits);
        distances[nearCount] = placeBody(touch, contact, snapshot, body, x, offset);
        near[nearCount++] = b;
    }
    palVec3 margin = {reach, reach, reach};
    bool hasRigid = addRigidFaces(touch, &snapshot->patch, palSub(palMinVec3(x, goal), margin),
                                  palAdd(palMaxVec3(x, goal), margin));
    touch->isNear = nearCount > 0;
    fillSlots(touch, distances, near, nearCount, hasRigid || nearCount == 0);
    touch->drift = driftBelow(touch);
    touch->rigidStart = x;
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

void palSoftTouch_Begin(palSoftTouch* touch, const palSnapshot* snapshot, double w, palWalk* walk)
{
    const palMat3 rigid = {0};
    for (int s = 0; s < touch->seen.count; s++)
    {
        int b = touch->near[s];
        palPlaneBody_Set(&touch->slots[s], w, b >= 0 ? &touch->bodies[b].W : &rigid);
        touch->slots[s].x = b >= 0 ? touch->bodies[b].start : touch->rigidStart;
    }
    bool isCrossed = touch->seen.count > 1 && fillCross(touch, snapshot->soft);
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
    findPoint(touch, soft, body, touch->free, y);
    bool changed = false;
    for (int k = 0; k < 3; k++)
        changed |= before.vertices[k] != body->point.vertices[k] ||
                   fabs(before.weights[k] - body->point.weights[k]) > same;
    if (changed)
        readPoint(body, soft);
    return changed;
}

bool palSoftTouch_Slide(palSoftTouch* touch, const palSnapshot* snapshot, const palWalk* walk)
{
    bool changed = false;
    for (int s = 0; s < touch->seen.count; s++)
    {
        if (touch->near[s] < 0)
            continue;
        palVec3 y = walk->bodies != NULL ? touch->slots[s].x : walk->x;
        bool depends = walk->bodies == NULL || isPushed(walk, s);
        changed |= depends && slideBody(touch, snapshot->soft, &touch->bodies[touch->near[s]], y);
    }
    return changed;
}

// Moves y along n onto the faces of a body, and finds the point there. Returns false where they
// lean too much.
static bool putOnFaces(const palSoftTouch* touch, const palSoftPatch* soft, palVec3 n,
                       palTouchedBody* body, palVec3* y)
{
    const double leastCosine = 0.3;
    palVec3 faceNormal;
    findPoint(touch, soft, body, touch->free, *y);
    palVec3 p = freePoint(touch, soft, body, &faceNormal);
    double cosine = palDot(faceNormal, n);
    if (cosine < leastCosine || palLengthSquared(body->beyond) > 0.0)
        return false;
    *y = palMulAdd(*y, palDot(faceNormal, palSub(p, *y)) / cosine, n);
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
    palTouchedBody moved = *body;
    palVec3 y = result.y;
    if (result.count == 0 || palDistance(y, body->start) > farthestShare * touch->reach ||
        !putOnFaces(touch, soft, plane.n, &moved, &y))
        return false;
    y = palMulAdd(y, PAL_SURFACE_OFFSET * walk->unit, plane.n);
    if (walk->bodies == NULL)
        walk->x = y;
    else if (!palWalk_PushFrom(walk, slot, palMat3Apply(both->stiffness, palSub(y, walk->goal))))
        return false;
    plane.d = palDot(plane.n, y); // that which the result is on
    palProblemCopy_TakePlanes(info->problem, &plane, 1, body->start, walk->goal, &both->whole);
    body->point = moved.point;
    readPoint(body, soft);
    return true;
}

void palSoftTouch_Smooth(palSoftTouch* touch, const palSnapshot* snapshot, palWalk* walk,
                         palHighInfo* info)
{
    const int passes = 2;
    palPushes pushes = palWalk_Pushes(walk);
    int slot = pushes.bodies[0];
    if (!touch->isNear || info->active == 0 || info->held || pushes.count != 1 ||
        touch->near[slot] < 0)
        return;
    const palTouchedBody* body = &touch->bodies[touch->near[slot]];
    bool isKnown = palLengthSquared(body->normal) > 0.0;
    for (int pass = 0; pass < passes && isKnown; pass++)
    {
        if (!slideSmoothly(touch, snapshot->soft, slot, walk, info))
            return;
        // Where it is now the body gives way differently.
        palPlaneBody_Set(&touch->slots[slot], touch->seen.w, &body->W);
        if (slot == 0)
        {
            walk->W = touch->slots[0].whole;
            walk->stiffness = touch->slots[0].stiffness;
        }
    }
}

palVec3 palSoftTouch_Forces(palSoftTouch* touch, const palWalk* walk, bool isActive,
                            palSoftForce* force, const palModeShape** shapes)
{
    palPushes pushes = palWalk_Pushes(walk);
    palVec3 lambda = pal_zeroVec3;
    for (int b = 0; b < touch->bodyCount; b++)
        touch->bodies[b].pushed = false;
    force->head.count = 0;
    for (int i = 0; i < pushes.count; i++)
    {
        lambda = i == 0 ? pushes.forces[0] : palAdd(lambda, pushes.forces[i]);
        int near = touch->near[pushes.bodies[i]];
        if (near < 0 || !isActive)
            continue;
        palTouchedBody* body = &touch->bodies[near];
        body->pushed = true;
        shapes[force->head.count] = &body->shape;
        force->pushes[force->head.count++] =
            (palSoftPush){body->object, body->point, palNeg(pushes.forces[i])};
    }
    return lambda;
}

double palSoftTouch_Gap(const palSoftTouch* touch, const palSoftContact* contact,
                        const palSnapshot* snapshot, palVec3 x)
{
    const palSoftPatch* soft = snapshot->soft;
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
            soft, body->part, q, palSub(x, palSoftMotion_ShiftNext(motion, body->part)), drift);
        if (!(fabs(gap) >= fabs(nearest)))
            nearest = gap;
    }
    return nearest;
}
