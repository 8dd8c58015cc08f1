// SPDX-License-Identifier: Apache-2.0
// The faces of soft surfaces near the proxy, extended over slits, and points on them.
#include "collide/triangle.h"
#include "touch/soft_touch.h"

// Faces are extended over slits by so many times their width and the first share of the query
// radius more: in a tick the sides of a slit part by what each body gives way. Of the width the
// second share counts at most.
static const double extensionRatio = 1.5;
static const double overlapShare = 1e-2;
static const double slitShare = 0.15;

// Where a vertex would be without contact, computed at most once a tick.
static void placeVertex(palSoftTouch* touch, const palSoftPatch* soft, const palSoftMotion* motion,
                        int part, int vertex)
{
    if (touch->stamp[vertex] == touch->tick)
        return;
    touch->stamp[vertex] = touch->tick;
    touch->extension[vertex] = touch->outward[vertex] = pal_zeroVec3;
    touch->free[vertex] =
        palAdd(palSoftPatch_Vertex(soft, part, vertex, palSoftMotion_Next(motion, soft, part)),
               palSoftMotion_ShiftNext(motion, touch->hand, part));
}

// Where a vertex was at the end of the last tick, likewise.
static void placeOldVertex(palSoftTouch* touch, const palSoftPatch* soft,
                           const palSoftMotion* motion, int part, int vertex)
{
    if (touch->oldStamp[vertex] == touch->tick)
        return;
    touch->oldStamp[vertex] = touch->tick;
    touch->old[vertex] =
        palAdd(palSoftPatch_Vertex(soft, part, vertex, palSoftMotion_Now(motion, soft, part)),
               palSoftMotion_ShiftNow(motion, touch->hand, part));
}

// How far the surface near the last point has moved since the snapshot. Reads the shape of the
// point.
static palVec3 driftOf(const palSoftTouch* touch, palTouchedBody* body, const palSoftPatch* soft,
                       const palSoftMotion* motion)
{
    body->hasShape =
        body->point.count > 0 && palSoftPatch_Shape(soft, body->part, &body->point, &body->shape);
    if (!body->hasShape)
        return pal_zeroVec3;
    return palAdd(palSoftPatch_Displacement(palSoftPatch_Modes(soft, body->part), &body->shape,
                                            palSoftMotion_Now(motion, soft, body->part)),
                  palSoftMotion_ShiftNow(motion, touch->hand, body->part));
}

// Where the place across a slit is in free motion.
static palVec3 acrossSlit(const palSoftTouch* touch, const palSoftSlit* slit,
                          const palSoftPatch* soft, const palSoftMotion* motion)
{
    int part = slit->vertices[0] >= 0 ? palSoftPatch_Part(soft, slit->object, slit->hand) : -1;
    palVec3 p = pal_zeroVec3;
    if (part < 0 || slit->vertices[1] < 0 || slit->vertices[2] < 0)
        return slit->start;
    for (int k = 0; k < 3; k++)
        p = palMulAdd(p, slit->at.weights[k],
                      palSoftPatch_Vertex(soft, part, slit->vertices[k],
                                          palSoftMotion_Next(motion, soft, part)));
    return palAdd(p, palSoftMotion_ShiftNext(motion, touch->hand, part));
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
    touch->isExtended = soft->slitCount > 0;
    for (int i = 0; i < touch->faceCount && touch->isExtended; i++)
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
        palVec3 way = palSub(acrossSlit(touch, slit, soft, motion), touch->free[slit->vertex]);
        double width = fmin(fmax(0.0, palDot(slit->across, way)), slitShare * unit);
        palVec3* extension = &touch->extension[slit->vertex];
        double lack =
            extensionRatio * width + overlapShare * unit - palDot(slit->across, *extension);
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
    for (int k = 0; k < 3 && !touch->isExtended; k++)
        corners[k] = positions[face->vertices[k]];
    for (int k = 0; k < 3 && touch->isExtended; k++)
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

// Whether a face was within reach at the start: first by its ball, then by its corners, and then,
// because long faces have large balls, by itself.
static bool isWithin(const palSoftPatch* soft, const palSoftFace* face, palVec3 x, double reach)
{
    if (palDistance(x, face->centre) > reach + face->radius)
        return false;
    palVec3 a = soft->start[face->vertices[0]], b = soft->start[face->vertices[1]];
    palVec3 c = soft->start[face->vertices[2]];
    double square = reach * reach;
    return palLengthSquared(palSub(x, a)) < square || palLengthSquared(palSub(x, b)) < square ||
           palLengthSquared(palSub(x, c)) < square ||
           (!palTriangleIsBeyond(x, a, b, c, reach) &&
            palClosestOnTriangle(x, a, b, c).distance <= reach);
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
        limited.isCovered = face->isCovered;
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
        body->hasShape = false;
        body->part = palSoftPatch_Part(soft, body->object, touch->hand);
        body->drift = body->part >= 0 ? driftOf(touch, body, soft, motion) : pal_zeroVec3;
    }
    touch->tick++;
    touch->reach = findFaces(touch, soft, x, reach);
    touch->isShort = touch->reach < reach;
    placeFaces(touch, soft, motion);
    extendVertices(touch, soft, motion, unit);
}

// ---------------------------------------------------------------------------------------------
// The point under the proxy

void palSoftTouch_PlaceOld(palSoftTouch* touch, const palSoftPatch* soft,
                           const palSoftMotion* motion, const palTouchedBody* body)
{
    for (int i = body->faceBegin; i < body->faceEnd; i++)
        for (int k = 0; k < 3; k++)
            placeOldVertex(touch, soft, motion, body->part,
                           soft->faces[touch->faces[i]].vertices[k]);
}

// The place nearest to x on one near face.
static palClosest closestOnFace(const palSoftTouch* touch, const palSoftPatch* soft, int i,
                                const palVec3* positions, palVec3 x)
{
    palVec3 c[3];
    extendFace(touch, &soft->faces[touch->faces[i]], positions, c);
    return palClosestOnTriangle(x, c[0], c[1], c[2]);
}

double palSoftTouch_FindPoint(const palSoftTouch* touch, const palSoftPatch* soft,
                              palTouchedBody* body, const palVec3* positions, palVec3 x)
{
    // An extended face leans a little from the one it is of: only what is beside that is beyond it.
    const double leaning = 0.7; // cosine
    if (body->faceBegin == body->faceEnd)
        return INFINITY;
    // The distance to one face, best to that found last, bounds what is looked for.
    bool isAmong = body->face >= body->faceBegin && body->face < body->faceEnd;
    int first = isAmong ? body->face : body->faceBegin;
    palClosest onFirst = closestOnFace(touch, soft, first, positions, x);
    double bound = onFirst.distance;
    double least = INFINITY;
    for (int i = body->faceBegin; i < body->faceEnd; i++)
    {
        const palSoftFace* face = &soft->faces[touch->faces[i]];
        const int* v = face->vertices;
        palVec3 c[3];
        bool isExtended = extendFace(touch, face, positions, c);
        if (palTriangleIsBeyond(x, c[0], c[1], c[2], bound))
            continue;
        palClosest closest = i == first ? onFirst : palClosestOnTriangle(x, c[0], c[1], c[2]);
        if (closest.distance >= least)
            continue;
        least = closest.distance;
        bound = least < bound ? least : bound;
        body->face = i;
        body->beyond = pal_zeroVec3;
        if (isExtended)
        {
            palVec3 at = closest.point;
            closest = palClosestOnTriangle(at, positions[v[0]], positions[v[1]], positions[v[2]]);
            palVec3 beyond = palSub(at, closest.point);
            if (fabs(palDot(normalOf(face, positions), beyond)) < leaning * palLength(beyond))
                body->beyond = beyond;
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

// Whether a face has all the vertices on which the point depends.
static bool holdsPoint(const palSoftFace* face, const int* vertices, const double* weights)
{
    const int* v = face->vertices;
    bool holds = true;
    for (int k = 0; k < 3; k++)
        holds = holds && (!(weights[k] > 0.0) || v[0] == vertices[k] || v[1] == vertices[k] ||
                          v[2] == vertices[k]);
    return holds;
}

palVec3 palSoftTouch_FreePoint(const palSoftTouch* touch, const palSoftPatch* soft,
                               const palTouchedBody* body, palVec3* normal)
{
    const palSurfacePlace* point = &body->point;
    bool isCovered = true, isExtended = false; // the faces taken so far
    palVec3 p = body->beyond;
    int vertices[3]; // those of the point
    for (int k = 0; k < 3; k++)
        vertices[k] = palSoftPatch_Find(soft, body->part, point->vertices[k]);
    *normal = pal_zeroVec3;
    for (int i = body->faceBegin; i < body->faceEnd; i++)
    {
        const palSoftFace* face = &soft->faces[touch->faces[i]];
        const int* v = face->vertices;
        if (!holdsPoint(face, vertices, point->weights) || face->isCovered > isCovered)
            continue;
        *normal = palAdd(isCovered > face->isCovered ? pal_zeroVec3 : *normal,
                         normalOf(face, touch->free));
        isCovered = face->isCovered;
        for (int k = 0; k < 3; k++)
            isExtended = isExtended || palLengthSquared(touch->extension[v[k]]) > 0.0;
    }
    for (int k = 0; k < 3; k++)
        p = palMulAdd(p, point->weights[k], touch->free[vertices[k]]);
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
