// SPDX-License-Identifier: Apache-2.0
// What of soft bodies and wires may be touched next: their faces around the hand, the slits
// between bodies that abut, and the modes that move them.
#include "touch/soft_side.h"

#include <string.h>

enum
{
    touchedNodes = 8, // of a body, that the modes answer exactly where a point touches it;
    nearestNodes = 5, // where a tool does: those that it pushes, and at least so many near by
    loadedMax = 3 * 8 * pal_softPushesMax,
};

// Adds the `most` free nodes nearest to a surface point, among those under the faces, to the
// `chosen` first ones. Returns how many there are then.
static int addNodes(const palSoftSide* side, int object, palVec3 point, const int* triangles,
                    int triangleCount, int most, int* nodes, int chosen)
{
    const palCollider* collider = &side->colliders[object];
    double distances[pal_toolNodes];
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
    const palSoftForce* last = palSoftSide_Last(side);
    double most = 0.0;
    int count = 0;
    for (int i = 0; i < last->head.count; i++)
    {
        const palSoftPush* push = &last->pushes[i];
        double force = palLength(push->force);
        palVec3 x = pal_zeroVec3;
        for (int k = 0; k < 3 && push->object == object; k++)
        {
            x = palMulAdd(x, push->at.weights[k], collider->surface.vertices[push->at.vertices[k]]);
            for (int j = 0; j < skin->nodesEach; j++)
            {
                int entry = push->at.vertices[k] * skin->nodesEach + j;
                double load = push->at.weights[k] * skin->weights[entry] * force;
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
        if (push->object != object || force <= most)
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
    for (; count < loaded && count < pal_toolNodes - nearestNodes; count++)
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
    int most = side->isTool ? pal_toolNodes : touchedNodes;
    return addNodes(side, object, place, triangles, near->count, most - count, nodes, count);
}

// The force that acts on the body now, as a vector of its rows; NULL: none.
static const double* contactVector(palSoftSide* side, int soft)
{
    const palSoftForce* last = palSoftSide_Last(side);
    const double* acting = NULL;
    palSoftSide_ClearContact(side, soft);
    for (int i = 0; i < last->head.count; i++)
    {
        if (last->pushes[i].object != side->objects[soft])
            continue;
        palSoftSide_AddForce(&side->colliders[side->objects[soft]], &last->pushes[i],
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
    const palSurface* surface = &side->colliders[nearest->object].surface;
    slit.object = nearest->object;
    slit.at = palMakeTrianglePlace(surface->triangles[nearest->closest.triangle],
                                   nearest->closest.weights);
    patch->slits[patch->slitCount++] = slit;
}

// The vertices of the patch across each slit, once all parts are there.
static void joinSlits(palSoftPatch* patch)
{
    for (int i = 0; i < patch->slitCount; i++)
    {
        palSoftSlit* slit = &patch->slits[i];
        int part = palSoftPatch_Part(patch, slit->object);
        for (int k = 0; k < 3; k++)
            slit->vertices[k] =
                part >= 0 ? palSoftPatch_Find(patch, part, slit->at.vertices[k]) : -1;
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
    int known[pal_nodeShapesMax];
    int knownCount = 0;
    int modes = patch->islands[part->island].count;
    palModeShape* shapes = side->nodeShapes;
    const palWireSide* wire = palSoftSide_Wire(side, object);
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
            if (weight == 0.0 || i == pal_nodeShapesMax)
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
    int island = palSoftSide_Island(side, object);
    const palWireSide* wire = palSoftSide_Wire(side, object);
    if (side->patchIsland[island] < 0)
    {
        side->patchIsland[island] = patch->islandCount;
        patch->islands[patch->islandCount++] = wire != NULL
                                                   ? wire->space.reduction.modes
                                                   : side->islands->islands[island].reduction.modes;
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
    for (int i = 0; i < side->islands->bodyCount; i++)
    {
        int object = side->objects[i];
        const palNearPart* part = &near[object];
        side->touched[i] = (palTouchedNodes){
            .nodes = side->nodes[i],
            .count = chooseNodes(side, object, part, side->nodes[i]),
            .contact = contactVector(side, i),
        };
    }
    if (side->ties != NULL)
        side->builtTies = side->ties->rows;
    side->failures +=
        palIslands_Build(side->islands, side->touched, &side->builtTies, side->dt, side->time);
    for (int i = 0; i < side->wireCount; i++)
    {
        int object = side->objects[side->islands->bodyCount + i];
        if (near[object].count > 0)
            side->failures += !palWireSide_Build(&side->wires[i], object, near[object].closest,
                                                 side->isTool, palSoftSide_Last(side), side->dt);
    }
}

double palSoftSide_Describe(palSoftSide* side, const palVec3* places, int count, double radius,
                            palSoftPatch* patch)
{
    palSoftPatch* mine = &side->patch;
    palNearPart* near = side->nearParts;
    double covered = radius;
    findFaces(side, places, count, &covered, near);
    buildIslands(side, near);
    palSoftPatch_Clear(mine, side->time);
    for (int i = 0; i < side->colliderCount; i++)
        side->patchIsland[i] = -1;
    for (int i = 0; i < side->colliderCount; i++)
        if (near[i].count > 0)
            addPart(side, mine, i, &near[i]);
    joinSlits(mine);
    palSoftPatch_Copy(patch, mine);
    return covered;
}
