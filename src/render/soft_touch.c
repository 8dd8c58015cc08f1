// SPDX-License-Identifier: Apache-2.0
#include "render/soft_touch.h"

#include "collide/triangle.h"

// Faces are looked at this far beyond the way, as a share of the query radius.
static const double nearShare = 0.15;
// A surface that has come over the proxy by less than this share takes it along; one that stands
// still between snapshots comes farther.
static const double overtakenShare = 0.1;
static const double overtakenFrozen = 0.5;

palResult palSoftTouch_Init(palSoftTouch* touch, palError* error)
{
    touch->point.vertices[0] = -1;
    return palPatch_Init(&touch->patch, error);
}

void palSoftTouch_Free(palSoftTouch* touch)
{
    palPatch_Free(&touch->patch);
}

// Both positions of a vertex, computed at most once a tick.
static void placeVertex(palSoftTouch* touch, const palSoftPatch* soft, const palSoftMotion* motion,
                        int vertex)
{
    if (touch->stamp[vertex] == touch->tick)
        return;
    touch->stamp[vertex] = touch->tick;
    touch->old[vertex] = palAdd(palSoftPatch_Vertex(soft, vertex, motion->state.q), motion->shift);
    touch->free[vertex] =
        palAdd(palSoftPatch_Vertex(soft, vertex, motion->free.q), motion->freeShift);
}

// How far the surface near the last point has moved since the snapshot.
static palVec3 driftOf(const palSoftTouch* touch, const palSoftPatch* soft,
                       const palSoftMotion* motion)
{
    palModeShape shape;
    if (touch->point.vertices[0] < 0 || !palSoftPatch_Shape(soft, &touch->point, &shape))
        return pal_zeroVec3;
    return palAdd(palSoftPatch_Displacement(soft, &shape, motion->state.q), motion->shift);
}

static void addSoftFace(palSoftTouch* touch, const palSoftPatch* soft, int face,
                        palLimitShape limits)
{
    const int* v = soft->faces[face].vertices;
    palLimited limited;
    if (!palLimited_FromTriangle(&limited, limits, touch->free[v[0]], touch->free[v[1]],
                                 touch->free[v[2]]))
        return;
    limited.friction = soft->friction;
    limited.object = soft->object;
    limited.triangle = soft->faces[face].triangle;
    limited.twoSided = soft->twoSided;
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

// The faces within reach of x. Where there are too many the reach is made smaller, so that the
// nearest are all among them; returned is what it is then.
static double findFaces(palSoftTouch* touch, const palSoftPatch* soft, palVec3 x, double reach)
{
    const double shrink = 0.7;
    const int shrinkingsMax = 40;
    for (int k = 0;; k++, reach *= shrink)
    {
        int count = 0;
        for (int i = 0; i < soft->faceCount && count <= pal_softNearMax; i++)
            if (isWithin(soft, &soft->faces[i], x, reach))
            {
                if (count < pal_softNearMax)
                    touch->faces[count] = i;
                count++;
            }
        if (count <= pal_softNearMax || k == shrinkingsMax)
        {
            touch->faceCount = count < pal_softNearMax ? count : pal_softNearMax;
            return reach;
        }
    }
}

// The rigid faces in the box around the way.
static void addRigidFaces(palSoftTouch* touch, const palPatch* rigid, palVec3 low, palVec3 high)
{
    int runs[pal_patchRunsMax];
    int count = palPatch_Near(rigid, low, high, runs);
    for (int i = 0; i < count; i++)
        for (int j = runs[i] * pal_patchRun; j < (runs[i] + 1) * pal_patchRun && j < rigid->count;
             j++)
            palPatch_Add(&touch->patch, &rigid->limited[j]);
}

// The point of the near faces closest to x, with the vertices at `positions`.
static double findPoint(const palSoftTouch* touch, const palSoftPatch* soft,
                        const palVec3* positions, palVec3 x, palSoftPoint* point)
{
    double least = INFINITY;
    for (int i = 0; i < touch->faceCount; i++)
    {
        const int* v = soft->faces[touch->faces[i]].vertices;
        palClosest closest =
            palClosestOnTriangle(x, positions[v[0]], positions[v[1]], positions[v[2]]);
        if (closest.distance >= least)
            continue;
        least = closest.distance;
        for (int k = 0; k < 3; k++)
        {
            point->vertices[k] = soft->surfaceVertex[v[k]];
            point->weights[k] = closest.weights[k];
        }
    }
    return least;
}

// What the modes say about the point.
static void readPoint(palSoftTouch* touch, const palSoftPatch* soft)
{
    palSoftPatch_Shape(soft, &touch->point, &touch->shape);
    touch->W = palSoftPatch_Compliance(soft, &touch->shape);
}

// The point on the free surface, and the normal there: the mean of the near faces that hold it.
static palVec3 freePoint(const palSoftTouch* touch, const palSoftPatch* soft, palVec3* normal)
{
    palVec3 p = pal_zeroVec3;
    *normal = pal_zeroVec3;
    for (int i = 0; i < touch->faceCount; i++)
    {
        const int* v = soft->faces[touch->faces[i]].vertices;
        int shared = 0;
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++)
                shared += soft->surfaceVertex[v[k]] == touch->point.vertices[j] &&
                          touch->point.weights[j] > 0.0;
        int needed = (touch->point.weights[0] > 0.0) + (touch->point.weights[1] > 0.0) +
                     (touch->point.weights[2] > 0.0);
        if (shared < needed)
            continue;
        palVec3 n = palCross(palSub(touch->free[v[1]], touch->free[v[0]]),
                             palSub(touch->free[v[2]], touch->free[v[0]]));
        *normal = palAdd(*normal, palNormalize(n));
    }
    for (int k = 0; k < 3; k++)
        p = palMulAdd(p, touch->point.weights[k],
                      touch->free[palSoftPatch_Find(soft, touch->point.vertices[k])]);
    *normal = palNormalize(*normal);
    return p;
}

// Where the walk begins; see the header.
static palVec3 chooseStart(const palSoftTouch* touch, const palSoftContact* contact,
                           const palSnapshot* snapshot, palVec3 x, double hair)
{
    const palSoftPatch* soft = snapshot->soft;
    const palSoftMotion* motion = &contact->motion;
    double most = (contact->frozen ? overtakenFrozen : overtakenShare) * snapshot->trustRadius;
    palVec3 normal;
    palVec3 surface = freePoint(touch, soft, &normal);
    palVec3 step = palSub(palSoftPatch_Displacement(soft, &touch->shape, motion->free.q),
                          palSoftPatch_Displacement(soft, &touch->shape, motion->state.q));
    palVec3 start = palAdd(palAdd(x, step), palSub(motion->freeShift, motion->shift));
    double gap = palDot(normal, palSub(start, surface));
    bool isOvertaken = !soft->twoSided && gap < hair && gap > -most;
    return touch->pushed || isOvertaken ? palMulAdd(surface, hair, normal) : start;
}

// Whether the near faces hold the material point of the last tick.
static bool holdsPoint(const palSoftTouch* touch, const palSoftPatch* soft)
{
    for (int k = 0; k < 3; k++)
    {
        int vertex = palSoftPatch_Find(soft, touch->point.vertices[k]);
        if (vertex < 0 || touch->stamp[vertex] != touch->tick)
            return false;
    }
    return true;
}

void palSoftTouch_Find(palSoftTouch* touch, const palSoftContact* contact,
                       const palSnapshot* snapshot, palVec3 x, palVec3 goal, double hair,
                       palLimitShape limits)
{
    const palSoftPatch* soft = snapshot->soft;
    const palSoftMotion* motion = &contact->motion;
    double reach = nearShare * snapshot->trustRadius + palDistance(x, goal);
    touch->tick++;
    palPatch_Clear(&touch->patch, snapshot->trustCentre);

    // Faces around the proxy, seen from where the surface was at the snapshot.
    touch->faceCount = 0;
    touch->reach = reach;
    touch->drift = soft->object >= 0 ? driftOf(touch, soft, motion) : pal_zeroVec3;
    if (soft->object >= 0)
        touch->reach = findFaces(touch, soft, palSub(x, touch->drift), reach);
    touch->isShort = touch->reach < reach;
    for (int i = 0; i < touch->faceCount; i++)
    {
        for (int k = 0; k < 3; k++)
            placeVertex(touch, soft, motion, soft->faces[touch->faces[i]].vertices[k]);
        addSoftFace(touch, soft, touch->faces[i], limits);
    }
    palVec3 margin = {reach, reach, reach};
    addRigidFaces(touch, &snapshot->patch, palSub(palMinVec3(x, goal), margin),
                  palAdd(palMaxVec3(x, goal), margin));
    touch->isNear = touch->faceCount > 0;
    touch->start = x;
    if (!touch->isNear)
        return;
    touch->pushed = touch->pushed && holdsPoint(touch, soft);
    if (!touch->pushed)
        findPoint(touch, soft, touch->old, x, &touch->point);
    readPoint(touch, soft);
    touch->start = chooseStart(touch, contact, snapshot, x, hair);
}

bool palSoftTouch_Slide(palSoftTouch* touch, const palSnapshot* snapshot, palVec3 y)
{
    const double same = 1e-6; // of a barycentric weight
    palSoftPoint before = touch->point;
    findPoint(touch, snapshot->soft, touch->free, y, &touch->point);
    bool changed = false;
    for (int k = 0; k < 3; k++)
        changed |= before.vertices[k] != touch->point.vertices[k] ||
                   fabs(before.weights[k] - touch->point.weights[k]) > same;
    if (changed)
        readPoint(touch, snapshot->soft);
    return changed;
}

double palSoftTouch_Gap(const palSoftTouch* touch, const palSoftContact* contact,
                        const palSnapshot* snapshot, palVec3 x)
{
    if (!touch->isNear)
        return NAN;
    const double* q = contact->motion.state.q;
    palVec3 drift = palSoftPatch_Displacement(snapshot->soft, &touch->shape, q);
    return palSoftPatch_Gap(snapshot->soft, q, palSub(x, contact->motion.shift), drift);
}
