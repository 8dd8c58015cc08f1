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
    palVec3 A = palSub(a, point);
    palVec3 B = palSub(b, point);
    palVec3 C = palSub(c, point);
    palEdgePoint edges[3] = {palClosestOnEdge(A, B), palClosestOnEdge(B, C),
                             palClosestOnEdge(C, A)};
    int nearest = edges[1].distanceSquared < edges[0].distanceSquared ? 1 : 0;
    nearest = edges[2].distanceSquared < edges[nearest].distanceSquared ? 2 : nearest;
    double best = edges[nearest].distanceSquared;
    palClosest closest = {.triangle = 0};
    palVec3 inside = pal_zeroVec3;
    double inFace = palClosestInFace(A, B, C, closest.weights, &inside);
    if (inFace < best)
    {
        closest.feature = pal_featureFace;
        closest.point = palAdd(point, inside);
        closest.distance = sqrt(inFace);
        return closest;
    }
    setEdge(&closest, nearest, &edges[nearest]);
    closest.point = closest.feature == pal_featureVertex0   ? a
                    : closest.feature == pal_featureVertex1 ? b
                    : closest.feature == pal_featureVertex2 ? c
                                                            : palAdd(point, edges[nearest].point);
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
