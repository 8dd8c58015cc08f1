// SPDX-License-Identifier: Apache-2.0
#include "touch/soft_side.h"

#include "base/error.h"
#include "collide/tube.h"

#include <stdlib.h>
#include <string.h>

enum
{
    nodeShapesMax = 512, // nodes under the vertices of a patch
    touchedNodes = 8,    // of a body, that the modes answer exactly where a point touches it,
    toolNodes = pal_responseNodesMax, // and where a tool does: those that it pushes, and
    nearestNodes = 5,                 // at least so many near by
    loadedMax = 3 * 8 * pal_softPushesMax,
    tieEntries = 48, // a row that ties bodies: two points of three vertices in eight nodes each
};

int palSoftSide_Count(const palMethodDef* def)
{
    int count = 0;
    for (int i = 0; i < palMethodDef_Surfaces(def); i++)
        count += palCollider_Yields(&def->colliders[i]);
    return count;
}

// The soft bodies in the order of the colliders, then the wires. Returns how many are soft.
static int collectBodies(palSoftSide* side, palSoftBody** bodies)
{
    int count = 0, soft = 0;
    for (int i = 0; i < side->colliderCount; i++)
    {
        bool yields = palCollider_Yields(&side->colliders[i]);
        side->softOf[i] = yields ? count : -1;
        if (!yields)
            continue;
        side->objects[count++] = i;
        if (side->colliders[i].soft != NULL)
            bodies[soft++] = side->colliders[i].soft;
    }
    return soft;
}

// The wire of a collider; NULL where it has none.
static palWireSide* wireOf(const palSoftSide* side, int object)
{
    int number = side->softOf[object] - side->islands->bodyCount;
    return number >= 0 ? &side->wires[number] : NULL;
}

// The island of a body; a wire is one of its own.
static int islandOf(const palSoftSide* side, int object)
{
    int number = side->softOf[object];
    return wireOf(side, object) != NULL ? number : side->islands->islandOf[number];
}

static palResult createWires(palSoftSide* side, const palMethodDef* def, palError* error)
{
    palResult result = pal_ok;
    if (def->wireCount == 0)
        return pal_ok;
    side->wires = calloc((size_t)def->wireCount, sizeof *side->wires);
    if (side->wires == NULL)
        return palError_Memory(error, "the contact side of wires",
                               (size_t)def->wireCount * sizeof *side->wires);
    for (int i = 0; i < def->wireCount && result == pal_ok; i++)
        result = palWireSide_Init(&side->wires[side->wireCount++], &side->world->step, i,
                                  &def->colliders[def->colliderCount + i], error);
    return result;
}

static palResult allocate(palSoftSide* side, palSoftBody* const* bodies, int count, palError* error)
{
    palResult result = palSoftPatch_Init(&side->patch, count + side->wireCount, error);
    if (result != pal_ok)
        return result;
    size_t bytes = nodeShapesMax * sizeof *side->nodeShapes;
    side->nodeShapes = calloc(nodeShapesMax, sizeof *side->nodeShapes);
    side->triangles = calloc((size_t)side->patch.faceCapacity, sizeof *side->triangles);
    side->found = calloc((size_t)side->patch.faceCapacity, sizeof *side->found);
    bool isComplete = side->nodeShapes && side->triangles && side->found;
    for (int i = 0; i < count + side->wireCount && isComplete; i++)
    {
        const palSurface* surface = &side->colliders[side->objects[i]].surface;
        size_t rows = i < count ? 3 * (size_t)bodies[i]->freeCount : 0;
        side->contacts[i] = calloc(rows + 3, sizeof(double));
        side->stamps[i] = calloc((size_t)surface->triangleCount + 1, sizeof(int));
        isComplete = side->contacts[i] && side->stamps[i];
    }
    return isComplete ? pal_ok : palError_Memory(error, "the contact side of soft bodies", bytes);
}

palResult palSoftSide_Init(palSoftSide* side, const palMethodDef* def, palError* error)
{
    palSoftBody* bodies[pal_surfacesMax];
    *side = (palSoftSide){
        .colliders = def->colliders,
        .colliderCount = palMethodDef_Surfaces(def),
    };
    side->dt = def->body.dt;
    side->proxy = def->body;
    side->frozen = palIsFrozen(def);
    side->isTool = def->tool != NULL;
    side->radius = def->radius;
    palSoftWorldDef world = {
        .colliders = def->colliders,
        .colliderCount = def->colliderCount,
        .factor = palMethodDef_SoftFactor(def),
        .wires = def->wires,
        .wireCount = def->wireCount,
        .joints = def->joints,
        .jointCount = def->jointCount,
        .lookAhead = def->lowDt + def->latency,
        .radius = def->radius,
    };
    palResult made = def->ties == NULL ? palSoftWorld_Create(&world, &side->world, error) : pal_ok;
    if (made != pal_ok)
        return made;
    side->ties = side->world != NULL ? &side->world->ties : def->ties;
    int count = collectBodies(side, bodies);
    palIslandsDef islands = {
        .factor = palMethodDef_SoftFactor(def),
        .bodies = bodies,
        .bodyCount = count,
        .maxRows = side->ties != NULL ? side->ties->maxRows : 0,
    };
    islands.maxEntries = tieEntries * islands.maxRows;
    if (side->isTool)
        islands.nodes = toolNodes;
    palResult result = palIslands_Create(&islands, &side->islands, error);
    if (result == pal_ok)
        result = createWires(side, def, error);
    if (result == pal_ok)
        result = allocate(side, bodies, count, error);
    if (result == pal_ok)
        result = palAbut_Init(&side->abut, def->colliders, palMethodDef_Surfaces(def), def->radius,
                              error);
    if (result != pal_ok)
        palSoftSide_Free(side);
    return result;
}

void palSoftSide_Free(palSoftSide* side)
{
    palIslands_Destroy(side->islands);
    for (int i = 0; i < side->wireCount; i++)
        palWireSide_Free(&side->wires[i]);
    free(side->wires);
    palSoftWorld_Destroy(side->world);
    palSoftPatch_Free(&side->patch);
    palAbut_Free(&side->abut);
    for (int i = 0; i < pal_surfacesMax; i++)
    {
        free(side->contacts[i]);
        free(side->stamps[i]);
    }
    free(side->nodeShapes);
    free(side->triangles);
    free(side->found);
    *side = (palSoftSide){0};
}

// ---------------------------------------------------------------------------------------------
// Motion

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

static void clearContact(palSoftSide* side, int soft)
{
    const palSoftBody* body = side->colliders[side->objects[soft]].soft;
    memset(side->contacts[soft], 0, 3 * (size_t)body->freeCount * sizeof(double));
}

// Adds a tick's forces on the bodies of an island to their vectors.
static void addForces(palSoftSide* side, int island, const palSoftForce* force)
{
    for (int i = 0; i < force->count; i++)
    {
        int object = force->pushes[i].point.object;
        if (islandOf(side, object) == island)
            addForce(&side->colliders[object], &force->pushes[i],
                     side->contacts[side->softOf[object]]);
    }
}

// The mean forces of the rows that tie an island, after its replay; contacts hold the sums of
// forces over the steps.
static void findTieForces(palSoftSide* side, int index, int steps, palIslandReplay* replay)
{
    const palIsland* island = &side->islands->islands[index];
    const double* contact[pal_surfacesMax];
    replay->seconds = steps * side->dt;
    for (int b = 0; b < island->bodyCount; b++)
    {
        int soft = island->bodies[b];
        int rows = 3 * side->colliders[side->objects[soft]].soft->freeCount;
        for (int i = 0; i < rows; i++)
            side->contacts[soft][i] /= steps;
        contact[b] = side->contacts[soft];
    }
    replay->contact = contact;
    palIslands_Reaction(side->islands, index, &side->builtTies, replay, side->ties->forces);
}

// The modes of an island in steps of dt through the forces of each tick; `visit` gets those that
// act, unless it is NULL. Returns how many steps.
static int replayTicks(palSoftSide* side, const palModes* modes, int index,
                       const palSoftForce* forces, int forceCount, double until,
                       palIslandReplay* replay,
                       void (*visit)(palSoftSide* side, int index, const palSoftForce* force))
{
    int steps = (int)lround((until - side->time) / side->dt);
    int next = 0;
    palModes_Start(modes, &replay->end);
    for (int k = 1; k <= steps; k++)
    {
        double t = side->time + k * side->dt;
        while (next < forceCount && forces[next].time < t - 0.5 * side->dt)
            next++;
        bool given = next < forceCount && forces[next].time < t + 0.5 * side->dt;
        double p[pal_modesMax];
        bool acts = given && side->patchIsland[index] >= 0 &&
                    palSoftPatch_Pushes(&side->patch, side->patchIsland[index], &forces[next], p);
        palModes_Advance(modes, acts ? p : NULL, &replay->end);
        if (acts && visit != NULL)
            visit(side, index, &forces[next]);
        for (int i = 0; i < modes->count; i++)
            replay->meanPlace[i] += replay->end.q[i];
    }
    for (int i = 0; i < modes->count && steps > 0; i++)
        replay->meanPlace[i] /= steps;
    return steps;
}

static void advanceFinely(palSoftSide* side, int index, const palSoftForce* forces, int forceCount,
                          double until)
{
    const palIsland* island = &side->islands->islands[index];
    bool isTied = island->rowCount > 0 && side->ties->forces != NULL;
    palIslandReplay replay = {0};
    for (int b = 0; b < island->bodyCount && isTied; b++)
        clearContact(side, island->bodies[b]);
    int steps = replayTicks(side, &island->modes, index, forces, forceCount, until, &replay,
                            isTied ? addForces : NULL);
    if (isTied && steps > 0)
        findTieForces(side, index, steps, &replay);
    palIslands_Move(side->islands, index, &replay.end);
}

static void advanceWire(palSoftSide* side, int index, const palSoftForce* forces, int forceCount,
                        double until)
{
    palWireSide* wire = &side->wires[index];
    palIslandReplay replay = {0};
    bool isPushed = false;
    for (int k = 0; k < forceCount; k++)
        for (int i = 0; i < forces[k].count; i++)
            isPushed = isPushed || wireOf(side, forces[k].pushes[i].point.object) == wire;
    // What the hand does not touch is stepped by the world in full.
    if (!isPushed)
        return;
    if (replayTicks(side, &wire->reduction.modes, side->islands->bodyCount + index, forces,
                    forceCount, until, &replay, NULL) > 0)
        palWireSide_Predict(wire, &replay.end, replay.meanPlace);
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
    if (part < 0 || !palColliders_Nearest(collider, 1, side->hand.body.x, side->radius, &nearest))
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
static void advanceAtOnce(palSoftSide* side, int index, double until)
{
    const palIsland* island = &side->islands->islands[index];
    palModes modes = island->modes;
    palModesState state;
    double h = until - side->time;
    if (!(h > 0.0))
        return;
    palModes_Start(&modes, &state);
    palModes_SetTime(&modes, h);
    palModes_Advance(&modes, NULL, &state);
    double p[pal_modesMax];
    for (int b = 0; b < island->bodyCount; b++)
        if (solveContact(side, side->objects[island->bodies[b]], &modes, h, &state, p))
            palModes_Correct(&modes, p, &state);
    palIslands_Move(side->islands, index, &state);
}

void palSoftSide_Advance(palSoftSide* side, const palSoftForce* forces, int forceCount,
                         const palHapticState* hand)
{
    if (side->world != NULL)
        palSoftWorld_Begin(side->world);
    for (int i = 0; i < side->islands->islandCount; i++)
    {
        if (side->frozen)
            advanceAtOnce(side, i, hand->time);
        else
            advanceFinely(side, i, forces, forceCount, hand->time);
    }
    for (int i = 0; i < side->wireCount; i++)
        if (side->wires[i].isBuilt)
            advanceWire(side, i, forces, forceCount, hand->time);
    if (forceCount > 0)
        side->last = forces[forceCount - 1];
    palVec3 pushes[pal_surfacesMax] = {0};
    for (int i = 0; i < side->last.count; i++)
    {
        palVec3* push = &pushes[side->last.pushes[i].point.object];
        *push = palAdd(*push, side->last.pushes[i].force);
    }
    if (side->world != NULL)
        palSoftWorld_Correct(side->world, hand->time - side->time, pushes, &side->stepInfo);
    for (int i = 0; i < side->wireCount; i++)
        palTube_Follow(side->wires[i].tube, side->wires[i].beam.model, &side->wires[i].wire->state);
    if (side->world == NULL)
        for (int i = 0; i < side->islands->bodyCount; i++)
            palCollider_Follow(&side->colliders[side->objects[i]]);
    side->time = hand->time;
    side->hand = *hand;
}

// ---------------------------------------------------------------------------------------------
// Description

// Adds the `most` free nodes nearest to a surface point, among those under the faces, to the
// `chosen` first ones. Returns how many there are then.
static int addNodes(const palSoftSide* side, int object, palVec3 point, const int* triangles,
                    int triangleCount, int most, int* nodes, int chosen)
{
    const palCollider* collider = &side->colliders[object];
    double distances[toolNodes];
    int count = chosen;
    most += chosen;
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
                if (known || (count == most && d >= distances[count - 1]))
                    continue;
                int i = count < most ? count++ : count - 1;
                for (; i > chosen && distances[i - 1] > d; i--)
                    distances[i] = distances[i - 1], nodes[i] = nodes[i - 1];
                distances[i] = d;
                nodes[i] = node;
            }
        }
    return count;
}

// What is near of one body.
typedef struct palNearPart
{
    int count;       // triangles within the ball
    int first;       // of them in side->triangles
    palVec3 closest; // the surface point nearest to the centre, m
} palNearPart;

// How hard the last tick pushed a node of a body.
typedef struct palLoad
{
    int node;
    double force; // N
} palLoad;

// The free nodes that the last tick pushed, and its hardest push. Returns how many.
static int findLoads(const palSoftSide* side, int object, palLoad loads[loadedMax],
                     palVec3* hardest)
{
    const palCollider* collider = &side->colliders[object];
    const palSkin* skin = &collider->skin;
    double most = 0.0;
    int count = 0;
    for (int i = 0; i < side->last.count; i++)
    {
        const palSoftPush* push = &side->last.pushes[i];
        double force = palLength(push->force);
        palVec3 x = pal_zeroVec3;
        for (int k = 0; k < 3 && push->point.object == object; k++)
        {
            x = palMulAdd(x, push->point.weights[k],
                          collider->surface.vertices[push->point.vertices[k]]);
            for (int j = 0; j < skin->nodesEach; j++)
            {
                int entry = push->point.vertices[k] * skin->nodesEach + j;
                double load = push->point.weights[k] * skin->weights[entry] * force;
                int node = skin->nodes[entry], n = 0;
                while (n < count && loads[n].node != node)
                    n++;
                if (!(load > 0.0) || collider->soft->freeIndex[node] < 0 || n == loadedMax)
                    continue;
                if (n == count)
                    loads[count++] = (palLoad){.node = node};
                loads[n].force += load;
            }
        }
        if (push->point.object != object || force <= most)
            continue;
        most = force;
        *hardest = x;
    }
    return count;
}

// The free nodes that the modes of a body answer exactly: those near to where the hand is nearest;
// of a tool those that it pushes hardest, and others near to its hardest push.
static int chooseNodes(const palSoftSide* side, int object, const palNearPart* near, int* nodes)
{
    const int* triangles = side->triangles + near->first;
    palVec3 place = near->closest;
    palLoad loads[loadedMax];
    int loaded = side->isTool ? findLoads(side, object, loads, &place) : 0;
    int count = 0;
    for (; count < loaded && count < toolNodes - nearestNodes; count++)
    {
        int best = count;
        for (int i = count + 1; i < loaded; i++)
            if (loads[i].force > loads[best].force)
                best = i;
        palLoad taken = loads[best];
        loads[best] = loads[count];
        loads[count] = taken;
        nodes[count] = taken.node;
    }
    int most = side->isTool ? toolNodes : touchedNodes;
    return addNodes(side, object, place, triangles, near->count, most - count, nodes, count);
}

// The force that acts on the body now, as a vector of its rows; NULL: none.
static const double* contactVector(palSoftSide* side, int soft)
{
    const double* acting = NULL;
    clearContact(side, soft);
    for (int i = 0; i < side->last.count; i++)
    {
        if (side->last.pushes[i].point.object != side->objects[soft])
            continue;
        addForce(&side->colliders[side->objects[soft]], &side->last.pushes[i],
                 side->contacts[soft]);
        acting = side->contacts[soft];
    }
    return acting;
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

// The slit at a covered vertex, towards where the face looks; once for all faces that look there.
static void addSlit(const palSoftSide* side, palSoftPatch* patch, int vertex, palVec3 across,
                    const palNearest* nearest)
{
    const double same = 0.95; // cosine
    for (int i = 0; i < patch->slitCount; i++)
        if (patch->slits[i].vertex == vertex && palDot(patch->slits[i].across, across) > same)
            return;
    if (patch->slitCount == patch->vertexCapacity)
        return;
    palSoftSlit slit = {.vertex = vertex, .across = across, .start = nearest->closest.point};
    slit.point.object = nearest->object;
    for (int k = 0; k < 3; k++)
    {
        const palSurface* surface = &side->colliders[nearest->object].surface;
        slit.point.vertices[k] = surface->triangles[nearest->closest.triangle][k];
        slit.point.weights[k] = nearest->closest.weights[k];
    }
    patch->slits[patch->slitCount++] = slit;
}

// The vertices of the patch across each slit, once all parts are there.
static void joinSlits(palSoftPatch* patch)
{
    for (int i = 0; i < patch->slitCount; i++)
    {
        palSoftSlit* slit = &patch->slits[i];
        int part = palSoftPatch_Part(patch, slit->point.object);
        for (int k = 0; k < 3; k++)
            slit->vertices[k] =
                part >= 0 ? palSoftPatch_Find(patch, part, slit->point.vertices[k]) : -1;
    }
}

// Where other bodies cover the triangles of the last part.
static void findSlits(palSoftSide* side, palSoftPatch* patch, int object, const int* triangles,
                      int count)
{
    const palCollider* collider = &side->colliders[object];
    for (int t = 0; t < count; t++)
    {
        palNearest across[3];
        int covered = palAbut_Look(&side->abut, object, triangles[t], across);
        for (int k = 0; k < 3; k++)
        {
            if (!(covered >> k & 1))
                continue;
            int corner = collider->surface.triangles[triangles[t]][k];
            int vertex = palSoftPatch_AddVertex(patch, corner, collider->surface.vertices[corner]);
            if (vertex >= 0)
                addSlit(side, patch, vertex, collider->topology.triangleNormals[triangles[t]],
                        &across[k]);
        }
    }
}

// Between bodies whose nodes are tied nothing comes: faces that are covered are left out.
static void addFaces(palSoftSide* side, palSoftPatch* patch, int object, const int* triangles,
                     int count)
{
    const palCollider* collider = &side->colliders[object];
    bool isTied = side->world == NULL && side->ties != NULL;
    findSlits(side, patch, object, triangles, count);
    for (int t = 0; t < count && patch->faceCount < patch->faceCapacity; t++)
    {
        int covered = palAbut_Covered(&side->abut, object, triangles[t]);
        palSoftFace face = {.triangle = triangles[t], .isCovered = covered != 0};
        bool complete = !(isTied && (covered & pal_coversAll));
        for (int k = 0; k < 3 && complete; k++)
        {
            int vertex = collider->surface.triangles[triangles[t]][k];
            face.vertices[k] =
                palSoftPatch_AddVertex(patch, vertex, collider->surface.vertices[vertex]);
            complete = complete && face.vertices[k] >= 0;
        }
        if (!complete)
            continue;
        for (int k = 0; k < 3; k++)
            face.normals[k] = palCollider_CornerNormal(collider, triangles[t], k);
        placeFace(patch, &face);
        patch->faces[patch->faceCount++] = face;
        patch->parts[patch->partCount - 1].faceEnd++;
    }
}

// The displacement of every vertex of the last part in each mode, from those of the nodes under it.
static void fillShapes(palSoftSide* side, palSoftPatch* patch, int object)
{
    const palCollider* collider = &side->colliders[object];
    const palSoftPart* part = &patch->parts[patch->partCount - 1];
    int known[nodeShapesMax];
    int knownCount = 0;
    int modes = patch->islands[part->island].count;
    palModeShape* shapes = side->nodeShapes;
    const palWireSide* wire = wireOf(side, object);
    for (int v = part->vertexBegin; v < part->vertexEnd && wire != NULL; v++)
        palWireSide_Shape(wire, patch->surfaceVertex[v], &patch->shapes[v]);
    if (wire != NULL)
        return;
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
                palIslands_NodeShape(side->islands, side->softOf[object], node, &shapes[i]);
            }
            for (int c = 0; c < 3; c++)
                for (int m = 0; m < modes; m++)
                    patch->shapes[v].b[c][m] += weight * shapes[i].b[c][m];
        }
    }
}

// The triangles of a body within a distance of any of the places, as many as there is room for.
// Returns how many there are.
static int findWithin(palSoftSide* side, int object, const palVec3* places, int count,
                      double distance, int room, int* triangles)
{
    const palBvh* bvh = side->colliders[object].bvh;
    int* stamps = side->stamps[side->softOf[object]];
    if (count == 1)
        return palBvh_Within(bvh, places[0], distance, room, triangles);
    int total = 0;
    side->query++;
    for (int p = 0; p < count && total <= room; p++)
    {
        int found = palBvh_Within(bvh, places[p], distance, side->patch.faceCapacity, side->found);
        if (found > side->patch.faceCapacity)
            return found;
        for (int i = 0; i < found; i++)
        {
            if (stamps[side->found[i]] == side->query)
                continue;
            stamps[side->found[i]] = side->query;
            if (total < room)
                triangles[total] = side->found[i];
            total++;
        }
    }
    return total;
}

// The surface point of each soft body nearest to any of the places. Returns the distance of the
// nearest, m.
static double findClosest(const palSoftSide* side, const palVec3* places, int count,
                          double distance, palNearPart* parts)
{
    double nearest = INFINITY;
    for (int i = 0; i < side->colliderCount; i++)
    {
        double least = distance;
        parts[i] = (palNearPart){0};
        for (int p = 0; p < count && side->softOf[i] >= 0; p++)
        {
            palNearest found;
            if (!palColliders_Nearest(&side->colliders[i], 1, places[p], least, &found))
                continue;
            parts[i].closest = found.closest.point;
            least = found.closest.distance;
            nearest = fmin(nearest, least);
        }
    }
    return nearest;
}

// The soft faces within `covered`, which is made smaller until the patch can hold them, but not so
// small that the nearest is lost: where too many meet in one point, some of those are left out.
static void findFaces(palSoftSide* side, const palVec3* places, int count, double* covered,
                      palNearPart* parts)
{
    const double shrink = 0.9;
    const palSoftPatch* patch = &side->patch;
    double nearest = findClosest(side, places, count, *covered, parts);
    for (;;)
    {
        int total = 0;
        for (int i = 0; i < side->colliderCount; i++)
        {
            if (side->softOf[i] < 0)
                continue;
            int room = patch->faceCapacity > total ? patch->faceCapacity - total : 0;
            parts[i].first = total;
            parts[i].count = findWithin(side, i, places, count, *covered, room,
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

// Which of the patch's islands that of a body is; it is added if it is not there yet.
static int patchIslandOf(palSoftSide* side, palSoftPatch* patch, int object)
{
    int island = islandOf(side, object);
    const palWireSide* wire = wireOf(side, object);
    if (side->patchIsland[island] < 0)
    {
        side->patchIsland[island] = patch->islandCount;
        patch->islands[patch->islandCount++] =
            wire != NULL ? wire->reduction.modes : side->islands->islands[island].modes;
    }
    return side->patchIsland[island];
}

// The part of one body, after its modes are made.
static void addPart(palSoftSide* side, palSoftPatch* patch, int object, const palNearPart* near)
{
    const palCollider* collider = &side->colliders[object];
    patch->parts[patch->partCount] = (palSoftPart){
        .object = object,
        .island = patchIslandOf(side, patch, object),
        .friction = collider->friction,
        .twoSided = !collider->closed,
        .vertexBegin = patch->vertexCount,
        .vertexEnd = patch->vertexCount,
        .faceBegin = patch->faceCount,
        .faceEnd = patch->faceCount,
    };
    patch->partCount++;
    addFaces(side, patch, object, side->triangles + near->first, near->count);
    fillShapes(side, patch, object);
}

// The modes of all soft bodies, for forces near where each is nearest to the centre.
static void buildIslands(palSoftSide* side, const palNearPart* near)
{
    int nodes[pal_surfacesMax][toolNodes];
    palTouchedNodes touched[pal_surfacesMax];
    for (int i = 0; i < side->islands->bodyCount; i++)
    {
        int object = side->objects[i];
        const palNearPart* part = &near[object];
        touched[i] = (palTouchedNodes){
            .nodes = nodes[i],
            .count = chooseNodes(side, object, part, nodes[i]),
            .contact = contactVector(side, i),
        };
    }
    if (side->ties != NULL)
        side->builtTies = side->ties->rows;
    side->failures +=
        palIslands_Build(side->islands, touched, &side->builtTies, side->dt, side->time);
    for (int i = 0; i < side->wireCount; i++)
    {
        int object = side->objects[side->islands->bodyCount + i];
        if (near[object].count > 0)
            side->failures += !palWireSide_Build(&side->wires[i], object, near[object].closest,
                                                 side->isTool, &side->last, side->dt);
    }
}

double palSoftSide_Describe(palSoftSide* side, const palVec3* places, int count, double radius,
                            palSoftPatch* patch)
{
    palSoftPatch* mine = &side->patch;
    palNearPart near[pal_surfacesMax];
    double covered = radius;
    findFaces(side, places, count, &covered, near);
    buildIslands(side, near);
    palSoftPatch_Clear(mine, side->time);
    for (int i = 0; i < pal_surfacesMax; i++)
        side->patchIsland[i] = -1;
    for (int i = 0; i < side->colliderCount; i++)
        if (near[i].count > 0)
            addPart(side, mine, i, &near[i]);
    joinSlits(mine);
    palSoftPatch_Copy(patch, mine);
    return covered;
}

void palSoftSide_AddInfo(const palSoftSide* side, palLowInfo* info)
{
    info->failures = side->failures;
    for (int i = 0; i < side->islands->bodyCount; i++)
        palLowInfo_AddFactor(info, side->islands->parts[i]->factor);
    if (side->world != NULL)
        palLowInfo_AddWorld(info, &side->world->step);
}
