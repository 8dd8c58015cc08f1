// SPDX-License-Identifier: Apache-2.0
#include "body/anchor.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double facesAlike = 0.7; // cosine: what is around a corner is not held
static const double thinnest = 1e-6;  // of the width of an anchor to its length

//--------------------------------------------------------------------------------------------------
// Making

// Twice the area of a triangle, along its normal.
static palVec3 areaOf(const palVec3* v, const int* corners)
{
    return palCross(palSub(v[corners[1]], v[corners[0]]), palSub(v[corners[2]], v[corners[0]]));
}

// The area of the triangles around each vertex that face as the place does, m²; of vertices that
// are left out 0.
static void weighVertices(const palSurface* surface, const palSurfacePlace* on, double radius,
                          double* areas)
{
    const palVec3* v = surface->vertices;
    palVec3 at = palSurfacePlace_Point(on, v), normal = palNormalize(areaOf(v, on->vertices));
    for (int t = 0; t < surface->triangleCount; t++)
    {
        const int* corners = surface->triangles[t];
        double area = 0.5 * palDot(normal, areaOf(v, corners));
        if (area < 0.5 * facesAlike * palLength(areaOf(v, corners)))
            continue;
        for (int c = 0; c < 3; c++)
        {
            bool isCorner = corners[c] == on->vertices[0] || corners[c] == on->vertices[1] ||
                            corners[c] == on->vertices[2];
            if (isCorner || palDistance(v[corners[c]], at) <= radius * (1.0 + 1e-9))
                areas[corners[c]] += area / 3.0;
        }
    }
}

static palResult takeVertices(palAnchor* anchor, const palSurface* surface, const double* areas,
                              palError* error)
{
    anchor->vertices = malloc((size_t)surface->vertexCount * sizeof *anchor->vertices);
    if (anchor->vertices == NULL)
        return palError_Memory(error, "the material of a joint",
                               (size_t)surface->vertexCount * sizeof *anchor->vertices);
    for (int i = 0; i < surface->vertexCount; i++)
        if (areas[i] > 0.0)
            anchor->vertices[anchor->vertexCount++] = i;
    return pal_ok;
}

// The node farthest from all that were taken; at first the one that weighs most.
static int farthestNode(const palAnchor* anchor, const palVec3* x, const double* weights, int count)
{
    int best = -1;
    double most = 0.0;
    for (int i = 0; i < count; i++)
    {
        double apart = weights[i];
        for (int k = 0; k < anchor->count && apart > 0.0; k++)
        {
            double distance = palDistance(x[i], x[anchor->nodes[k]]);
            apart = k == 0 ? distance : fmin(apart, distance);
        }
        if (apart > most)
        {
            most = apart;
            best = i;
        }
    }
    return best;
}

// Each node gives its weight to the nearest that was taken.
static void takeNodes(palAnchor* anchor, const palVec3* x, const double* weights, int count)
{
    for (int node = 0; node >= 0 && anchor->count < pal_anchorNodesMax;)
    {
        node = farthestNode(anchor, x, weights, count);
        if (node >= 0)
            anchor->nodes[anchor->count++] = node;
    }
    double sum = 0.0;
    for (int i = 0; i < count; i++)
    {
        int nearest = 0;
        for (int k = 1; k < anchor->count && weights[i] > 0.0; k++)
            if (palDistance(x[i], x[anchor->nodes[k]]) <
                palDistance(x[i], x[anchor->nodes[nearest]]))
                nearest = k;
        anchor->weights[nearest] += weights[i];
        sum += weights[i];
    }
    for (int k = 0; k < anchor->count; k++)
        anchor->weights[k] /= sum;
}

// Where the place is at rest.
static palVec3 restPoint(const palSoftBody* body, const palSkin* skin, const palSurfacePlace* on)
{
    int nodes[3 * pal_skinNodesMax];
    palVec3 values[3 * pal_skinNodesMax], sum = pal_zeroVec3;
    palPlace place = {.kind = pal_placeSurface, .on = *on};
    int count =
        palSoftPlace_Row(&place, skin, body->rest, palMakeVec3(1, 0, 0), false, nodes, values);
    for (int k = 0; k < count; k++)
        sum = palMulAdd(sum, values[k].x, body->rest[nodes[k]]);
    return sum;
}

// Offsets and arm at rest. Returns whether the nodes determine a rotation.
static bool measure(palAnchor* anchor, const palVec3* x, palVec3 at)
{
    palVec3 centroid = pal_zeroVec3;
    palMat3 spread = {0}, U, V;
    double s[3];
    for (int k = 0; k < anchor->count; k++)
        centroid = palMulAdd(centroid, anchor->weights[k], x[anchor->nodes[k]]);
    for (int k = 0; k < anchor->count; k++)
    {
        anchor->offsets[k] = palSub(x[anchor->nodes[k]], centroid);
        spread = palMat3MulAdd(spread, anchor->weights[k],
                               palOuter(anchor->offsets[k], anchor->offsets[k]));
    }
    anchor->arm = palSub(at, centroid);
    palMat3Svd(spread, &U, s, &V);
    anchor->size = sqrt(s[0] + s[1] + s[2]);
    return s[1] > thinnest * thinnest * s[0];
}

static palResult fill(palAnchor* anchor, const palSoftBody* body, const palSkin* skin,
                      const palSurface* surface, double* areas, double* weights, palError* error)
{
    for (int v = 0; v < surface->vertexCount; v++)
        for (int j = 0; j < skin->nodesEach && areas[v] > 0.0; j++)
        {
            int entry = v * skin->nodesEach + j;
            weights[skin->nodes[entry]] += areas[v] * skin->weights[entry];
        }
    takeNodes(anchor, body->rest, weights, body->nodeCount);
    return takeVertices(anchor, surface, areas, error);
}

palResult palAnchor_Create(const palSoftBody* body, const palSkin* skin, const palSurface* surface,
                           const palSurfacePlace* on, double radius, palAnchor** anchor,
                           palError* error)
{
    palAnchor* created = calloc(1, sizeof *created);
    double* areas = calloc((size_t)surface->vertexCount, sizeof *areas);
    double* weights = calloc((size_t)body->nodeCount, sizeof *weights);
    palResult result = pal_ok;
    if (created == NULL || areas == NULL || weights == NULL)
        result = palError_Memory(error, "the material of a joint",
                                 (size_t)body->nodeCount * sizeof *weights);
    if (result == pal_ok)
    {
        weighVertices(surface, on, radius, areas);
        result = fill(created, body, skin, surface, areas, weights, error);
    }
    if (result == pal_ok && !measure(created, body->rest, restPoint(body, skin, on)))
        result = palError_Set(error, pal_errorInput, "the nodes that a joint holds are on a line");
    free(areas);
    free(weights);
    *anchor = created;
    if (result != pal_ok)
    {
        palAnchor_Destroy(created);
        *anchor = NULL;
    }
    return result;
}

void palAnchor_Destroy(palAnchor* anchor)
{
    if (anchor == NULL)
        return;
    free(anchor->vertices);
    free(anchor);
}

//--------------------------------------------------------------------------------------------------
// Motion

palAnchorState palAnchor_State(const palAnchor* anchor, const palVec3* x)
{
    palVec3 centroid = pal_zeroVec3;
    palMat3 moved = {0}, stretch;
    palAnchorState state;
    for (int k = 0; k < anchor->count; k++)
        centroid = palMulAdd(centroid, anchor->weights[k], x[anchor->nodes[k]]);
    for (int k = 0; k < anchor->count; k++)
        moved = palMat3MulAdd(moved, anchor->weights[k],
                              palOuter(palSub(x[anchor->nodes[k]], centroid), anchor->offsets[k]));
    palMat3Polar(moved, &state.rotation, &stretch);
    palMat3 S = palMat3Mul(moved, palMat3Transpose(state.rotation));
    double trace = S.m[0][0] + S.m[1][1] + S.m[2][2];
    palMat3 G = palMat3MulAdd(palMakeMat3Scale(trace), -1.0, S);
    palMat3Inverse(G, &state.toTurning);
    state.point = palAdd(centroid, palMat3Apply(state.rotation, anchor->arm));
    return state;
}

palQuat palAnchor_Orientation(const palAnchor* anchor, const palVec3* x)
{
    return palMakeQuatMat3(palAnchor_State(anchor, x).rotation);
}

// The row of an anchor. The point moves with the centroid and, on its arm, by the turning.
static int anchorRow(const palAnchor* anchor, const palVec3* x, palVec3 axis, bool angular,
                     int* nodes, palVec3* values)
{
    palAnchorState state = palAnchor_State(anchor, x);
    palVec3 arm = palMat3Apply(state.rotation, anchor->arm);
    palVec3 about = palMat3Apply(state.toTurning, angular ? axis : palCross(arm, axis));
    for (int k = 0; k < anchor->count; k++)
    {
        palVec3 offset = palMat3Apply(state.rotation, anchor->offsets[k]);
        palVec3 value = palCross(about, offset);
        nodes[k] = anchor->nodes[k];
        values[k] = palScale(anchor->weights[k], angular ? value : palAdd(axis, value));
    }
    return anchor->count;
}

int palSoftPlace_Row(const palPlace* place, const palSkin* skin, const palVec3* x, palVec3 axis,
                     bool angular, int* nodes, palVec3* values)
{
    if (place->anchor != NULL)
        return anchorRow(place->anchor, x, axis, angular, nodes, values);
    int count = 0;
    for (int k = 0; k < place->on.count && !angular; k++)
        for (int j = 0; j < skin->nodesEach; j++)
        {
            int entry = place->on.vertices[k] * skin->nodesEach + j;
            double weight = place->on.weights[k] * skin->weights[entry];
            if (weight == 0.0)
                continue;
            nodes[count] = skin->nodes[entry];
            values[count++] = palScale(weight, axis);
        }
    return count;
}

int palSoftPlace_Entries(const palPlace* place, const palSkin* skin)
{
    return place->anchor != NULL ? place->anchor->count : 3 * skin->nodesEach;
}
