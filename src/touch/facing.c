// SPDX-License-Identifier: Apache-2.0
#include "touch/facing.h"

#include "collide/triangle.h"

#include <float.h>

static const double samePlane = 1e-9; // between the normals of coplanar faces, and of their gaps

enum
{
    foundMax = 128, // faces of a query
    halvingsMax = 5,
};

// A face near the place.
typedef struct Near
{
    double distance, gap; // m
    palVec3 n;
    bool ends; // it is no half-space for the place
} Near;

static Near nearOf(const palCollider* collider, int triangle, palVec3 place)
{
    const int* v = collider->surface.triangles[triangle];
    palVec3 a = palCollider_Vertex(collider, v[0]);
    Near near = {.n = collider->topology.triangleNormals[triangle]};
    near.distance = palClosestOnTriangle(place, a, palCollider_Vertex(collider, v[1]),
                                         palCollider_Vertex(collider, v[2]))
                        .distance;
    near.gap = palDot(near.n, palSub(place, a));
    near.ends = !collider->closed || near.gap <= 0.0;
    return near;
}

// Returns false where the face is in a plane that is there already.
static bool add(Near* nears, int* count, Near near)
{
    for (int i = 0; i < *count; i++)
        if (nears[i].ends == near.ends && palDistance(nears[i].n, near.n) < samePlane &&
            fabs(nears[i].gap - near.gap) <= samePlane * near.gap)
        {
            nears[i].distance = fmin(nears[i].distance, near.distance);
            nears[i].gap = fmin(nears[i].gap, near.gap);
            return false;
        }
    nears[(*count)++] = near;
    return true;
}

// The planes of all faces within `reach`; -1: they are too many.
static int findPlanes(const palCollider* colliders, int count, palVec3 place, double reach,
                      Near* nears)
{
    int found[foundMax], planes = 0, total = 0;
    for (int k = 0; k < count; k++)
    {
        if (palCollider_Yields(&colliders[k]) || colliders[k].inTick)
            continue;
        int here = palBvh_Within(colliders[k].bvh, place, reach, foundMax, found);
        total += here;
        if (total > foundMax)
            return -1;
        for (int i = 0; i < here; i++)
            add(nears, &planes, nearOf(&colliders[k], found[i], place));
    }
    return planes;
}

// Moves the nearest of the planes from `first` on to that place.
static void pickNearest(Near* nears, int count, int first)
{
    int best = first;
    for (int i = first + 1; i < count; i++)
        best = nears[i].distance < nears[best].distance ? i : best;
    Near moved = nears[best];
    nears[best] = nears[first];
    nears[first] = moved;
}

void palFacing_Find(palFacing* facing, const palCollider* colliders, int count, palVec3 place,
                    double reach)
{
    Near nears[foundMax];
    int planes = -1;
    for (int i = 0; i < halvingsMax && planes < 0; i++)
    {
        facing->reach = planes < 0 && i > 0 ? 0.5 * facing->reach : reach;
        planes = findPlanes(colliders, count, place, facing->reach, nears);
    }
    facing->count = 0;
    if (planes < 0)
        facing->reach = 0.0;
    for (int i = 0; i < planes; i++)
    {
        pickNearest(nears, planes, i);
        if (nears[i].ends || facing->count == pal_facingMax)
        {
            facing->reach = fmin(facing->reach, nears[i].distance);
            break;
        }
        float* n = facing->normals[facing->count];
        n[0] = (float)nears[i].n.x;
        n[1] = (float)nears[i].n.y;
        n[2] = (float)nears[i].n.z;
        facing->gaps[facing->count++] = (float)(nears[i].gap * (1.0 - FLT_EPSILON));
    }
}

bool palFacing_IsClear(const palFacing* facing, palVec3 start, palVec3 end, double offset)
{
    double most = fmax(palLengthSquared(start), palLengthSquared(end));
    double reach = facing->reach - offset;
    if (!(reach > 0.0) || most >= reach * reach)
        return false;
    double rounding = 2.0 * FLT_EPSILON * reach;
    for (int i = 0; i < facing->count; i++)
    {
        const float* n = facing->normals[i];
        double gap = facing->gaps[i] + n[0] * end.x + n[1] * end.y + n[2] * end.z;
        if (!(gap > offset + rounding))
            return false;
    }
    return true;
}
