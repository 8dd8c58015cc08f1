// SPDX-License-Identifier: Apache-2.0
#include "collide/triangle.h"

// Writes the edge from corner i to corner i+1 as the place of the closest point.
static void setEdge(palClosest* closest, int i, const palEdgePoint* edge)
{
    int first = i;
    int second = (i + 1) % 3;
    int near = edge->fromSecond ? second : first;
    int far = edge->fromSecond ? first : second;
    closest->feature = edge->t > 0.0 ? pal_featureEdge0 + i : pal_featureVertex0 + near;
    closest->weights[near] = 1.0 - edge->t;
    closest->weights[far] = edge->t;
    closest->weights[3 - near - far] = 0.0;
}

palClosest palClosestOnTriangle(palVec3 point, palVec3 a, palVec3 b, palVec3 c)
{
    // The same candidates in the same order as palTriangleDistanceSquared.
    palVec3 corners[3] = {palSub(a, point), palSub(b, point), palSub(c, point)};
    palEdgePoint edge = palClosestOnEdge(corners[0], corners[1]);
    palClosest closest = {.triangle = 0};
    setEdge(&closest, 0, &edge);
    double best = edge.distanceSquared;
    palVec3 offset = edge.point;
    for (int i = 1; i < 3; i++)
    {
        edge = palClosestOnEdge(corners[i], corners[(i + 1) % 3]);
        if (!(edge.distanceSquared < best))
            continue;
        setEdge(&closest, i, &edge);
        best = edge.distanceSquared;
        offset = edge.point;
    }
    double weights[3] = {0};
    palVec3 inside = pal_zeroVec3;
    if (palClosestInFace(corners[0], corners[1], corners[2], weights, &inside) < best)
    {
        closest.feature = pal_featureFace;
        for (int i = 0; i < 3; i++)
            closest.weights[i] = weights[i];
        best = palDot(inside, inside);
        offset = inside;
    }
    closest.point = closest.feature == pal_featureVertex0   ? a
                    : closest.feature == pal_featureVertex1 ? b
                    : closest.feature == pal_featureVertex2 ? c
                                                            : palAdd(point, offset);
    closest.distance = sqrt(best);
    return closest;
}

bool palMakeSegment(palVec3 a, palVec3 b, palSegment* segment)
{
    palVec3 d = palSub(b, a);
    *segment = (palSegment){.origin = {a.x, a.y, a.z}, .direction = {d.x, d.y, d.z}};
    int z = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(segment->direction[i]) > fabs(segment->direction[z]))
            z = i;
    segment->x = (z + 1) % 3;
    segment->y = (z + 2) % 3;
    segment->z = z;
    segment->scaleZ = 1.0 / segment->direction[z];
    segment->shearX = segment->direction[segment->x] / segment->direction[z];
    segment->shearY = segment->direction[segment->y] / segment->direction[z];
    return palIsFinite(d) && palIsFinite(a) && isfinite(segment->scaleZ);
}
