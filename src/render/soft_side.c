// SPDX-License-Identifier: Apache-2.0
#include "render/soft_side.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum
{
    nodeShapesMax = 512, // nodes under the vertices of a patch
    touchedNodes = 8,    // that the modes answer exactly
};

int palSoftSide_Count(const palCollider* colliders, int colliderCount)
{
    int count = 0;
    for (int i = 0; i < colliderCount; i++)
        count += colliders[i].soft != NULL;
    return count;
}

palResult palSoftSide_Init(palSoftSide* side, const palMethodDef* def, palError* error)
{
    palCollider* colliders = def->colliders;
    int colliderCount = def->colliderCount;
    *side = (palSoftSide){.colliders = colliders, .colliderCount = colliderCount};
    side->dt = def->body.dt;
    side->proxy = def->body;
    side->frozen = def->frozenResponse;
    side->radius = def->radius;
    palResponseDef response = palDefaultResponseDef();
    if (def->elementsAtOnce > 0)
        response.elementsAtOnce = def->elementsAtOnce;
    response.lowDt = def->lowDt;
    response.inRealTime = def->inRealTime;
    size_t rows = 3;
    palResult result = pal_ok;
    for (int i = 0; i < colliderCount && result == pal_ok; i++)
    {
        if (colliders[i].soft == NULL)
            continue;
        result = palResponse_Create(&response, colliders[i].soft, &side->responses[i], error);
        size_t mine = 3 * (size_t)colliders[i].soft->freeCount;
        rows = mine > rows ? mine : rows;
    }
    if (result == pal_ok)
        result =
            palSoftPatch_Init(&side->patch, palSoftSide_Count(colliders, colliderCount), error);
    side->contact = calloc(rows, sizeof *side->contact);
    side->nodeShapes = calloc(nodeShapesMax, sizeof *side->nodeShapes);
    side->triangles = calloc((size_t)side->patch.faceCapacity + 1, sizeof *side->triangles);
    if (result == pal_ok && (!side->contact || !side->nodeShapes || !side->triangles))
        result = palError_Memory(error, "the contact side of soft bodies", rows * sizeof(double));
    if (result != pal_ok)
        palSoftSide_Free(side);
    return result;
}

void palSoftSide_Free(palSoftSide* side)
{
    for (int i = 0; i < side->colliderCount; i++)
        palResponse_Destroy(side->responses[i]);
    palSoftPatch_Free(&side->patch);
    free(side->contact);
    free(side->nodeShapes);
    free(side->triangles);
    *side = (palSoftSide){0};
}

// The generalised force of a tick's contacts with the body, or NULL where there were none.
static const double* pushAt(const palSoftSide* side, int object, const palSoftForce* force,
                            double* p)
{
    int part = force != NULL ? palSoftPatch_Part(&side->patch, object) : -1;
    bool acts =
        part >= 0 && palSoftPatch_Pushes(&side->patch, side->patch.parts[part].island, force, p);
    return acts ? p : NULL;
}

// In steps of dt through the forces of each tick.
static void advanceFinely(palSoftSide* side, int object, const palSoftForce* forces, int forceCount,
                          double until)
{
    palResponse* response = side->responses[object];
    palModesState state;
    palModes_Start(&response->modes, &state);
    int steps = (int)lround((until - side->time) / side->dt);
    int next = 0;
    for (int k = 1; k <= steps; k++)
    {
        double t = side->time + k * side->dt;
        while (next < forceCount && forces[next].time < t - 0.5 * side->dt)
            next++;
        bool given = next < forceCount && forces[next].time < t + 0.5 * side->dt;
        double p[pal_modesMax];
        palModes_Advance(&response->modes, pushAt(side, object, given ? &forces[next] : NULL, p),
                         &state);
    }
    palResponse_MoveBody(response, &state);
}

// Where the proxy copy of the low rate may touch the body: at the point nearest to where it was
// imposed (L1, L2 of the paper), whether it touched before or not. In the dimple that it makes the
// faces lean; the normals of the vertices do not.
static bool findPlane(const palSoftSide* side, int object, palModeShape* shape, palVec3* point,
                      palVec3* normal)
{
    const palCollider* collider = &side->colliders[object];
    palNearest nearest;
    int part = palSoftPatch_Part(&side->patch, object);
    if (part < 0 ||
        !palColliders_Nearest(collider, 1, side->hand.body.x, side->radius, &nearest))
        return false;
    palSoftPoint at = {.object = object};
    *point = nearest.closest.point;
    *normal = pal_zeroVec3;
    for (int k = 0; k < 3; k++)
    {
        at.vertices[k] = collider->surface.triangles[nearest.closest.triangle][k];
        at.weights[k] = nearest.closest.weights[k];
        *normal =
            palMulAdd(*normal, at.weights[k], collider->topology.vertexNormals[at.vertices[k]]);
    }
    *normal = palNormalize(*normal);
    return palLengthSquared(*normal) > 0.0 && palSoftPatch_Shape(&side->patch, part, &at, shape);
}

// The contact force of the low rate's own step h, as a generalised force on the modes: the proxy
// copy, tied to the device as it was at the start, against the body, which has moved freely to
// `state`. Both give way: δ = n·(x_free - c_free) + n·(W_proxy + W_soft) n λ.
static bool solveContact(const palSoftSide* side, int object, const palModes* modes, double h,
                         const palModesState* state, double* p)
{
    palModeShape shape;
    palVec3 c, n;
    if (!findPlane(side, object, &shape, &c, &n))
        return false;
    palPointModel model = side->proxy;
    model.dt = h;
    palPointFree free =
        palPoint_FreeMotion(&model, &side->hand.body, side->hand.device, pal_zeroVec3);
    palVec3 moved = pal_zeroVec3;
    double W = free.compliance;
    for (int i = 0; i < modes->count; i++)
    {
        palVec3 b = {shape.b[0][i], shape.b[1][i], shape.b[2][i]};
        moved = palMulAdd(moved, state->q[i], b);
        W += h * h * modes->a[i] * palDot(n, b) * palDot(n, b);
    }
    double gap = palDot(n, palSub(free.x, palAdd(c, moved)));
    double lambda = fmax(0.0, -gap / W);
    for (int i = 0; i < modes->count; i++)
        p[i] = -lambda * (n.x * shape.b[0][i] + n.y * shape.b[1][i] + n.z * shape.b[2][i]);
    return lambda > 0.0;
}

// The frozen form's step, that of Dervaux et al.: free motion over the whole time at once, contact
// with a copy of the proxy, correction.
static void advanceAtOnce(palSoftSide* side, int object, double until)
{
    palResponse* response = side->responses[object];
    palModes modes = response->modes;
    palModesState state;
    double h = until - side->time;
    if (!(h > 0.0))
        return;
    palModes_Start(&modes, &state);
    palModes_SetStep(&modes, h, response->body->alpha, response->body->beta);
    palModes_Advance(&modes, NULL, &state);
    double p[pal_modesMax];
    if (solveContact(side, object, &modes, h, &state, p))
        palModes_Correct(&modes, p, &state);
    palResponse_MoveBody(response, &state);
}

void palSoftSide_Advance(palSoftSide* side, const palSoftForce* forces, int forceCount,
                         const palHapticState* hand)
{
    for (int i = 0; i < side->colliderCount; i++)
    {
        if (side->responses[i] == NULL)
            continue;
        if (side->frozen)
            advanceAtOnce(side, i, hand->time);
        else
            advanceFinely(side, i, forces, forceCount, hand->time);
        palCollider_Follow(&side->colliders[i]);
    }
    if (forceCount > 0)
        side->last = forces[forceCount - 1];
    side->time = hand->time;
    side->hand = *hand;
}

// The free nodes nearest to a surface point among those under the faces.
static int chooseNodes(const palSoftSide* side, int object, palVec3 point, const int* triangles,
                       int triangleCount, int* nodes)
{
    const palCollider* collider = &side->colliders[object];
    double distances[touchedNodes];
    int count = 0;
    for (int t = 0; t < triangleCount; t++)
        for (int k = 0; k < 3; k++)
        {
            int vertex = collider->surface.triangles[triangles[t]][k];
            for (int j = 0; j < collider->skin.nodesEach; j++)
            {
                int node = collider->skin.nodes[vertex * collider->skin.nodesEach + j];
                double d = palDistance(collider->soft->x[node], point);
                bool known = collider->soft->freeIndex[node] < 0 ||
                             collider->skin.weights[vertex * collider->skin.nodesEach + j] == 0.0;
                for (int i = 0; i < count && !known; i++)
                    known = nodes[i] == node;
                if (known || (count == touchedNodes && d >= distances[count - 1]))
                    continue;
                int i = count < touchedNodes ? count++ : count - 1;
                for (; i > 0 && distances[i - 1] > d; i--)
                    distances[i] = distances[i - 1], nodes[i] = nodes[i - 1];
                distances[i] = d;
                nodes[i] = node;
            }
        }
    return count;
}

// Adds a force at a point of the body's surface to a vector of its rows.
static void addForce(const palCollider* collider, const palSoftPush* push, double* rows)
{
    const palSkin* skin = &collider->skin;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < skin->nodesEach; j++)
        {
            int entry = push->point.vertices[k] * skin->nodesEach + j;
            int row = collider->soft->freeIndex[skin->nodes[entry]];
            double weight = push->point.weights[k] * skin->weights[entry];
            if (row < 0)
                continue;
            rows[3 * row] += weight * push->force.x;
            rows[3 * row + 1] += weight * push->force.y;
            rows[3 * row + 2] += weight * push->force.z;
        }
}

// The force that acts on the body now, as a vector of its rows; NULL: none.
static const double* contactVector(palSoftSide* side, int object)
{
    const palCollider* collider = &side->colliders[object];
    const double* acting = NULL;
    memset(side->contact, 0, 3 * (size_t)collider->soft->freeCount * sizeof *side->contact);
    for (int i = 0; i < side->last.count; i++)
    {
        if (side->last.pushes[i].point.object != object)
            continue;
        addForce(collider, &side->last.pushes[i], side->contact);
        acting = side->contact;
    }
    return acting;
}

// Adds a vertex of the surface to the last part; its shape is filled later.
static int addVertex(palSoftPatch* patch, const palCollider* collider, int surfaceVertex)
{
    palSoftPart* part = &patch->parts[patch->partCount - 1];
    int found = palSoftPatch_Find(patch, patch->partCount - 1, surfaceVertex);
    if (found >= 0 || patch->vertexCount == patch->vertexCapacity)
        return found;
    patch->start[patch->vertexCount] = collider->surface.vertices[surfaceVertex];
    patch->surfaceVertex[patch->vertexCount] = surfaceVertex;
    part->vertexEnd++;
    return patch->vertexCount++;
}

// The ball around a face at the start.
static void placeFace(const palSoftPatch* patch, palSoftFace* face)
{
    palVec3 centre = pal_zeroVec3;
    for (int k = 0; k < 3; k++)
        centre = palMulAdd(centre, 1.0 / 3.0, patch->start[face->vertices[k]]);
    face->centre = centre;
    face->radius = 0.0;
    for (int k = 0; k < 3; k++)
        face->radius = fmax(face->radius, palDistance(centre, patch->start[face->vertices[k]]));
}

static void addFaces(palSoftPatch* patch, const palCollider* collider, const int* triangles,
                     int count)
{
    for (int t = 0; t < count && patch->faceCount < patch->faceCapacity; t++)
    {
        palSoftFace face = {.triangle = triangles[t]};
        bool complete = true;
        for (int k = 0; k < 3; k++)
        {
            int vertex = collider->surface.triangles[triangles[t]][k];
            face.vertices[k] = addVertex(patch, collider, vertex);
            complete = complete && face.vertices[k] >= 0;
        }
        if (!complete)
            continue;
        placeFace(patch, &face);
        patch->faces[patch->faceCount++] = face;
        patch->parts[patch->partCount - 1].faceEnd++;
    }
}

// The displacement of every vertex of the last part in each mode, from those of the nodes under it.
static void fillShapes(palSoftSide* side, palSoftPatch* patch, int object)
{
    const palCollider* collider = &side->colliders[object];
    const palResponse* response = side->responses[object];
    const palSoftPart* part = &patch->parts[patch->partCount - 1];
    int known[nodeShapesMax];
    int knownCount = 0;
    int modes = patch->islands[part->island].count;
    palModeShape* shapes = side->nodeShapes;
    for (int v = part->vertexBegin; v < part->vertexEnd; v++)
    {
        for (int c = 0; c < 3; c++)
            memset(patch->shapes[v].b[c], 0, (size_t)modes * sizeof(double));
        for (int j = 0; j < collider->skin.nodesEach; j++)
        {
            int entry = patch->surfaceVertex[v] * collider->skin.nodesEach + j;
            int node = collider->skin.nodes[entry];
            double weight = collider->skin.weights[entry];
            int i = 0;
            while (i < knownCount && known[i] != node)
                i++;
            if (weight == 0.0 || i == nodeShapesMax)
                continue;
            if (i == knownCount)
            {
                known[knownCount++] = node;
                palResponse_NodeShape(response, node, &shapes[i]);
            }
            for (int c = 0; c < 3; c++)
                for (int m = 0; m < modes; m++)
                    patch->shapes[v].b[c][m] += weight * shapes[i].b[c][m];
        }
    }
}

// What is near of one body.
typedef struct palNearPart
{
    int count;       // triangles within the ball
    int first;       // of them in side->triangles
    palVec3 closest; // the surface point nearest to the centre, m
} palNearPart;

// The soft faces within `covered`, which is made smaller until the patch can hold them, but not so
// small that the nearest is lost: where too many meet in one point, some of those are left out.
static void findFaces(palSoftSide* side, palVec3 centre, double* covered, palNearPart* parts)
{
    const double shrink = 0.9;
    const palSoftPatch* patch = &side->patch;
    double nearest = INFINITY;
    for (int i = 0; i < side->colliderCount; i++)
    {
        palNearest found;
        parts[i] = (palNearPart){0};
        if (side->responses[i] == NULL ||
            !palColliders_Nearest(&side->colliders[i], 1, centre, *covered, &found))
            continue;
        parts[i].closest = found.closest.point;
        nearest = fmin(nearest, found.closest.distance);
    }
    for (;;)
    {
        int total = 0;
        for (int i = 0; i < side->colliderCount; i++)
        {
            if (side->responses[i] == NULL)
                continue;
            int room = patch->faceCapacity > total ? patch->faceCapacity - total : 0;
            parts[i].first = total;
            parts[i].count = palBvh_Within(side->colliders[i].bvh, centre, *covered, room,
                                           side->triangles + (room > 0 ? total : 0));
            total += parts[i].count;
            if (parts[i].count > room)
                parts[i].count = room;
        }
        if (total <= patch->vertexCapacity || shrink * *covered <= nearest)
            return;
        *covered *= shrink;
    }
}

// The part of one body, after its modes are made.
static void addPart(palSoftSide* side, palSoftPatch* patch, int object, const palNearPart* near)
{
    const palCollider* collider = &side->colliders[object];
    int island = patch->islandCount++;
    patch->islands[island] = side->responses[object]->modes;
    patch->parts[patch->partCount++] = (palSoftPart){
        .object = object,
        .island = island,
        .friction = collider->friction,
        .twoSided = !collider->closed,
        .vertexBegin = patch->vertexCount,
        .vertexEnd = patch->vertexCount,
        .faceBegin = patch->faceCount,
        .faceEnd = patch->faceCount,
    };
    addFaces(patch, collider, side->triangles + near->first, near->count);
    fillShapes(side, patch, object);
}

double palSoftSide_Describe(palSoftSide* side, palVec3 centre, double radius, palSoftPatch* patch)
{
    palSoftPatch* mine = &side->patch;
    palNearPart near[pal_collidersMax];
    double covered = radius;
    findFaces(side, centre, &covered, near);
    mine->time = side->time;
    mine->partCount = mine->islandCount = mine->vertexCount = mine->faceCount = 0;
    for (int i = 0; i < side->colliderCount; i++)
    {
        palResponse* response = side->responses[i];
        if (response == NULL)
            continue;
        int nodes[touchedNodes];
        int nodeCount = chooseNodes(side, i, near[i].closest, side->triangles + near[i].first,
                                    near[i].count, nodes);
        response->now = side->time;
        side->failures += !palResponse_Build(response, nodes, nodeCount, contactVector(side, i),
                                             side->dt);
        if (near[i].count > 0)
            addPart(side, mine, i, &near[i]);
    }
    palSoftPatch_Copy(patch, mine);
    return covered;
}

void palSoftSide_Tell(const palSoftSide* side, palLowInfo* info)
{
    info->failures = side->failures;
    for (int i = 0; i < side->colliderCount; i++)
    {
        const palResponse* response = side->responses[i];
        if (response == NULL || response->worker == NULL)
            continue;
        info->isLarge = true;
        info->iterations = response->info.iterations > info->iterations ? response->info.iterations
                                                                        : info->iterations;
        info->factorAge = fmax(info->factorAge, response->info.factorAge);
        info->factorTime = fmax(info->factorTime, response->info.factorTime);
        info->elsewhere += response->info.elsewhere;
    }
}
