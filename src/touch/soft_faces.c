// SPDX-License-Identifier: Apache-2.0
// The faces of soft surfaces near the proxy, extended over slits, and points on them.
#include "collide/triangle.h"
#include "touch/soft_touch.h"

// Faces are extended over slits up to the second share, and overlap by the first.
static const double overlapShare = 5e-4;
static const double slitShare = 0.15;

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

// Whether a face was within reach at the start: first by its ball, then, because long faces have
// large ones, by itself.
static bool isWithin(const palSoftPatch* soft, const palSoftFace* face, palVec3 x, double reach)
{
    if (palDistance(x, face->centre) > reach + face->radius)
        return false;
    palVec3 a = soft->start[face->vertices[0]], b = soft->start[face->vertices[1]];
    palVec3 c = soft->start[face->vertices[2]];
    return !palTriangleIsBeyond(x, a, b, c, reach) &&
           palClosestOnTriangle(x, a, b, c).distance <= reach;
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

void palSoftTouch_AddFaces(palSoftTouch* touch, const palSoftPatch* soft,
                           const palTouchedBody* body, palLimitShape limits)
{
    const palSoftPart* part = &soft->parts[body->part];
    for (int i = body->faceBegin; i < body->faceEnd; i++)
    {
        const palSoftFace* face = &soft->faces[touch->faces[i]];
        palVec3 corners[3];
        palLimited limited;
        extendFace(touch, face, touch->free, corners);
        if (!palLimited_FromTriangle(&limited, limits, corners[0], corners[1], corners[2]))
            continue;
        limited.friction = part->friction;
        limited.object = part->object;
        limited.triangle = face->triangle;
        limited.twoSided = part->twoSided;
        palPatch_Add(&touch->patch, &limited);
    }
}

// Where the vertices of all near faces are.
static void placeFaces(palSoftTouch* touch, const palSoftPatch* soft, const palSoftMotion* motion)
{
    for (int b = 0; b < touch->bodyCount; b++)
        for (int i = touch->bodies[b].faceBegin; i < touch->bodies[b].faceEnd; i++)
            for (int k = 0; k < 3; k++)
                placeVertex(touch, soft, motion, touch->bodies[b].part,
                            soft->faces[touch->faces[i]].vertices[k]);
}

void palSoftTouch_FindFaces(palSoftTouch* touch, const palSoftPatch* soft,
                            const palSoftMotion* motion, palVec3 x, double reach, double unit)
{
    for (int b = 0; b < touch->bodyCount; b++)
    {
        palTouchedBody* body = &touch->bodies[b];
        body->slot = -1;
        body->part = palSoftPatch_Part(soft, body->object);
        body->drift = body->part >= 0 ? driftOf(body, soft, motion) : pal_zeroVec3;
    }
    touch->tick++;
    touch->reach = findFaces(touch, soft, x, reach);
    touch->isShort = touch->reach < reach;
    placeFaces(touch, soft, motion);
    extendVertices(touch, soft, motion, unit);
}

// ---------------------------------------------------------------------------------------------
// The point under the proxy

double palSoftTouch_FindPoint(const palSoftTouch* touch, const palSoftPatch* soft,
                              palTouchedBody* body, const palVec3* positions, palVec3 x)
{
    double least = INFINITY;
    for (int i = body->faceBegin; i < body->faceEnd; i++)
    {
        const palSoftFace* face = &soft->faces[touch->faces[i]];
        const int* v = face->vertices;
        palVec3 c[3];
        bool isExtended = extendFace(touch, face, positions, c);
        if (palTriangleIsBeyond(x, c[0], c[1], c[2], least))
            continue;
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
        if (palTriangleIsBeyond(x, c[0], c[1], c[2], least))
            continue;
        palClosest closest = palClosestOnTriangle(x, c[0], c[1], c[2]);
        if (closest.distance >= least)
            continue;
        least = closest.distance;
        nearest = closest.point;
    }
    return nearest;
}

palVec3 palSoftTouch_FreePoint(const palSoftTouch* touch, const palSoftPatch* soft,
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

bool palSoftTouch_HoldsPoint(const palSoftTouch* touch, const palSoftPatch* soft,
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

palVec3 palSoftTouch_SmoothNormal(const palSoftTouch* touch, const palSoftPatch* soft,
                                  const palTouchedBody* body)
{
    const palSoftFace* face = body->pushed ? faceOf(touch, soft, body) : NULL;
    palVec3 sum = pal_zeroVec3;
    for (int k = 0; face != NULL && k < 3; k++)
        sum = palMulAdd(sum, body->point.weights[k], face->normals[k]);
    return palNormalize(sum);
}
