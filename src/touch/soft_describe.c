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
    double distances[pal_responseNodesMax];
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

// The free nodes that a hand pushed in the last tick, and its hardest push. Returns how many.
static int findLoads(const palSoftSide* side, int object, int hand, palLoad loads[loadedMax],
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
        bool isOf = push->object == object && push->hand == hand;
        for (int k = 0; k < 3 && isOf; k++)
        {
            x = palMulAdd(x, push->at.weights[k],
                          palCollider_Vertex(collider, push->at.vertices[k]));
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
        if (!isOf || force <= most)
            continue;
        most = force;
        *hardest = x;
    }
    return count;
}

// The free nodes that the modes of a body answer exactly for a hand: those near to where the hand
// is nearest; of a tool those that it pushes hardest, and others near to its hardest push.
static int chooseNodesOf(const palSoftSide* side, int object, int hand, int room, int* nodes)
{
    const palNearPart* near = &side->nearParts[object];
    const int* triangles = side->triangles + near->first;
    palVec3 place = near->closest[hand];
    palLoad loads[loadedMax];
    int loaded = side->isTool[hand] ? findLoads(side, object, hand, loads, &place) : 0;
    int count = 0;
    int most = side->isTool[hand] ? pal_toolNodes : touchedNodes;
    if (most < loaded + nearestNodes)
        most = loaded + nearestNodes;
    if (most > room)
        most = room;
    for (; count < loaded && count < most - nearestNodes; count++)
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
    if (near->isNear[hand])
        count = addNodes(side, object, place, triangles, near->count, most - count, nodes, count);
    return count;
}

static bool isListed(const int* nodes, int count, int node)
{
    for (int i = 0; i < count; i++)
        if (nodes[i] == node)
            return true;
    return false;
}

// The radius of the circle in which a hand touches a soft body, m; 0: at a point.
static double circleOf(const palSoftSide* side, int hand, int soft)
{
    double R = side->tipRadius[hand];
    return R > 0.0 ? palTip_Radius(R, *palSoftSide_Pressed(side, hand, soft),
                                   side->colliders[side->objects[soft]].soft)
                   : 0.0;
}

// How hard the tips press, by the forces of the last tick. It follows them by half of the way in a
// step, so that the circles change little from one to the next.
static void findPressed(palSoftSide* side)
{
    const palSoftForce* last = palSoftSide_Last(side);
    for (int soft = 0; soft < side->islands->bodyCount && side->tips != NULL; soft++)
        for (int h = 0; h < side->handCount; h++)
        {
            palVec3 force = pal_zeroVec3;
            double* pressed = palSoftSide_Pressed(side, h, soft);
            for (int i = 0; i < last->head.count; i++)
                if (last->pushes[i].object == side->objects[soft] && last->pushes[i].hand == h)
                    force = palAdd(force, last->pushes[i].force);
            *pressed = 0.5 * (*pressed + palLength(force));
        }
}

// The same for all hands, in turn: of more than there is room for every hand has some.
static int chooseNodes(const palSoftSide* side, int object, int* nodes, double* radii)
{
    int lists[pal_handsMax][pal_responseNodesMax], counts[pal_handsMax];
    int count = 0, longest = 0;
    for (int h = 0; h < side->handCount; h++)
    {
        counts[h] =
            chooseNodesOf(side, object, h, pal_responseNodesMax / side->handCount, lists[h]);
        longest = counts[h] > longest ? counts[h] : longest;
    }
    for (int k = 0; k < longest; k++)
        for (int h = 0; h < side->handCount; h++)
            if (k < counts[h] && !isListed(nodes, count, lists[h][k]))
            {
                radii[count] = circleOf(side, h, side->softOf[object]);
                nodes[count++] = lists[h][k];
            }
    return count;
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
        palSoftSide_AddForce(side, &last->pushes[i], side->contacts[soft]);
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

static const double sameDirection = 0.95; // cosine

// The slit at a covered vertex, towards where the face looks; once for all faces that look there.
static void addSlit(const palSoftSide* side, palSoftPatch* patch, int vertex, palVec3 across,
                    const palNearest* nearest)
{
    const palCollider* other = &side->colliders[nearest->object];
    palSoftSlit slit = {
        .vertex = vertex,
        .hand = patch->parts[patch->partCount - 1].hand,
        .across = across,
        .facing = palDot(
            across, palCollider_Normal(other, nearest->closest.triangle, nearest->closest.feature)),
        .object = nearest->object,
        .start = nearest->closest.point,
    };
    slit.at = palMakeTrianglePlace(other->surface.triangles[nearest->closest.triangle],
                                   nearest->closest.weights);
    for (int i = 0; i < patch->slitCount; i++)
        if (patch->slits[i].vertex == vertex &&
            palDot(patch->slits[i].across, across) > sameDirection)
            return;
    if (patch->slitCount < patch->vertexCapacity)
        patch->slits[patch->slitCount++] = slit;
}

// Of the faces at a vertex that look at the same body some do so only at a slant: the upper side of
// a body that is pressed at its edge. Those that face it best are the sides of the slit.
static void dropSlantedSlits(palSoftPatch* patch, int first)
{
    const double better = 0.15; // cosine
    int count = first;
    for (int i = first; i < patch->slitCount; i++)
    {
        const palSoftSlit* slit = &patch->slits[i];
        double best = slit->facing;
        for (int j = first; j < patch->slitCount; j++)
            if (patch->slits[j].vertex == slit->vertex && patch->slits[j].object == slit->object)
                best = fmin(best, patch->slits[j].facing);
        patch->slits[i].isSlanted = slit->facing > best + better;
    }
    for (int i = first; i < patch->slitCount; i++)
        if (!patch->slits[i].isSlanted)
            patch->slits[count++] = patch->slits[i];
    patch->slitCount = count;
}

// Whether a face of the last part is the side of a slit at a corner.
static bool isAtSlit(const palSoftPatch* patch, int first, int vertex, palVec3 normal)
{
    for (int i = first; i < patch->slitCount; i++)
        if (patch->slits[i].vertex == vertex &&
            palDot(patch->slits[i].across, normal) > sameDirection)
            return true;
    return false;
}

// The vertices of the patch across each slit, once all parts are there.
static void joinSlits(palSoftPatch* patch)
{
    for (int i = 0; i < patch->slitCount; i++)
    {
        palSoftSlit* slit = &patch->slits[i];
        int part = palSoftPatch_Part(patch, slit->object, slit->hand);
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
    int first = patch->slitCount;
    for (int t = 0; t < count; t++)
    {
        palNearest across[3];
        int covered = palAbut_Look(&side->abut, object, triangles[t], across);
        for (int k = 0; k < 3; k++)
        {
            if (!(covered >> k & 1))
                continue;
            int corner = collider->surface.triangles[triangles[t]][k];
            int vertex =
                palSoftPatch_AddVertex(patch, corner, palCollider_Vertex(collider, corner));
            if (vertex >= 0)
                addSlit(side, patch, vertex,
                        palCollider_Normal(collider, triangles[t], pal_featureFace), &across[k]);
        }
    }
    dropSlantedSlits(patch, first);
    for (int t = 0; t < count; t++)
    {
        int covered = palAbut_Covered(&side->abut, object, triangles[t]);
        palVec3 normal = palCollider_Normal(collider, triangles[t], pal_featureFace);
        for (int k = 0; k < 3; k++)
        {
            int corner = collider->surface.triangles[triangles[t]][k];
            int vertex =
                covered >> k & 1 ? palSoftPatch_Find(patch, patch->partCount - 1, corner) : -1;
            if (vertex >= 0 && !isAtSlit(patch, first, vertex, normal))
                palAbut_Uncover(&side->abut, object, triangles[t], k);
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
                palSoftPatch_AddVertex(patch, vertex, palCollider_Vertex(collider, vertex));
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

// The shapes of nodes of one body, each made once.
typedef struct palNodeShapes
{
    palSoftSide* side;
    int soft;  // the body
    int modes; // of its island
    int known[pal_nodeShapesMax];
    int count;
} palNodeShapes;

// Of more nodes than there is room for each is made whenever it is asked for.
static const palModeShape* nodeShape(palNodeShapes* of, int node)
{
    palSoftSide* side = of->side;
    int slot = side->nodeSlots[node];
    if (slot >= 0)
        return &side->nodeShapes[slot];
    slot = of->count;
    if (of->count < pal_nodeShapesMax)
    {
        of->known[of->count++] = node;
        side->nodeSlots[node] = slot;
    }
    palIslands_NodeShape(side->islands, of->soft, node, &side->nodeShapes[slot]);
    return &side->nodeShapes[slot];
}

static void forgetNodes(palNodeShapes* of)
{
    for (int i = 0; i < of->count; i++)
        of->side->nodeSlots[of->known[i]] = -1;
}

static void addShape(palNodeShapes* of, int node, double weight, palModeShape* shape)
{
    const palModeShape* added = nodeShape(of, node);
    for (int c = 0; c < 3; c++)
        for (int m = 0; m < of->modes; m++)
            shape->b[c][m] += weight * added->b[c][m];
}

static void clearShape(const palNodeShapes* of, palModeShape* shape)
{
    for (int c = 0; c < 3; c++)
        memset(shape->b[c], 0, (size_t)of->modes * sizeof(double));
}

// The shape of a vertex for forces within a circle: the mean of those of all nodes below its dots.
static void fillSpread(palNodeShapes* of, const palTipCircle* circle, palModeShape* shape)
{
    palSoftSide* side = of->side;
    const palTipDots* tip = &side->tips[of->soft];
    const palSkin* skin = tip->skin;
    int count = 0;
    for (int i = 0; i < circle->count; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < skin->nodesEach; j++)
            {
                const palSurfacePlace* at = &tip->dots[circle->dots[i]].at;
                int entry = at->vertices[k] * skin->nodesEach + j;
                int node = skin->nodes[entry];
                double share = circle->shares[i] * at->weights[k] * skin->weights[entry];
                if (!(share > 0.0))
                    continue;
                if (side->spreadShares[node] == 0.0)
                    side->spreadNodes[count++] = node;
                side->spreadShares[node] += share;
            }
    clearShape(of, shape);
    for (int i = 0; i < count; i++)
    {
        int node = side->spreadNodes[i];
        addShape(of, node, side->spreadShares[node], shape);
        side->spreadShares[node] = 0.0;
    }
}

// A vertex of the part of a hand with a tip: the mean surface around it, and its motion. Returns
// false where the tip touches it as a point does.
static bool fillMean(palNodeShapes* of, palSoftPatch* patch, int hand, int v)
{
    const palSoftSide* side = of->side;
    const palTipDots* tip = &side->tips[of->soft];
    const palCollider* collider = &side->colliders[side->objects[of->soft]];
    palVec3 now;
    palTipCircle circle;
    palSoftSide_Circle(side, hand, of->soft, patch->surfaceVertex[v], &circle);
    for (int i = 0; i < 3 * circle.count; i++)
        palCollider_Vertex(collider, tip->dots[circle.dots[i / 3]].at.vertices[i % 3]);
    if (!palTipDots_Place(tip, &circle, collider->surface.vertices,
                          &tip->vertices[patch->surfaceVertex[v]], &now))
        return false;
    fillSpread(of, &circle, &patch->shapes[v]);
    patch->start[v] = now;
    return true;
}

// The displacement of a vertex of the patch in each mode, from those of the nodes under it.
static void fillVertex(palNodeShapes* of, palSoftPatch* patch, const palSkin* skin, int v)
{
    clearShape(of, &patch->shapes[v]);
    for (int j = 0; j < skin->nodesEach; j++)
    {
        int entry = patch->surfaceVertex[v] * skin->nodesEach + j;
        if (skin->weights[entry] != 0.0)
            addShape(of, skin->nodes[entry], skin->weights[entry], &patch->shapes[v]);
    }
}

// Twice the area of a face, as a vector.
static palVec3 twiceArea(const palSoftPatch* patch, const palSoftFace* face)
{
    palVec3 a = patch->start[face->vertices[0]];
    return palCross(palSub(patch->start[face->vertices[1]], a),
                    palSub(patch->start[face->vertices[2]], a));
}

// Whether a corner of a face is not at a ridge of the surface at rest.
static bool isSmoothAt(const palSoftPatch* patch, const palSoftFace* face, int corner,
                       const palTipDots* tip)
{
    const double smooth = 0.82; // cosine: at a right angle the mean is at 45 degrees to both
    const palTipCentre* rest[3];
    for (int k = 0; k < 3; k++)
        rest[k] = &tip->vertices[patch->surfaceVertex[face->vertices[k]]];
    palVec3 own = palCross(palSub(rest[1]->x, rest[0]->x), palSub(rest[2]->x, rest[0]->x));
    return palDot(rest[corner]->normal, palNormalize(own)) > smooth;
}

// The faces of the mean surface, once its vertices are placed: `below` it is where the lowest point
// of the tip touches. The normal at a corner is the mean of those of the faces there, but for
// ridges.
static void placeMeanFaces(palSoftPatch* patch, const palSoftPart* part, const palTipDots* tip,
                           double below, palVec3* normals)
{
    for (int v = part->vertexBegin; v < part->vertexEnd; v++)
        normals[v] = pal_zeroVec3;
    for (int f = part->faceBegin; f < part->faceEnd; f++)
        for (int k = 0; k < 3; k++)
        {
            palVec3* normal = &normals[patch->faces[f].vertices[k]];
            *normal = palAdd(*normal, twiceArea(patch, &patch->faces[f]));
        }
    for (int v = part->vertexBegin; v < part->vertexEnd; v++)
    {
        normals[v] = palNormalize(normals[v]);
        patch->start[v] = palMulAdd(patch->start[v], -below, normals[v]);
    }
    for (int f = part->faceBegin; f < part->faceEnd; f++)
    {
        palSoftFace* face = &patch->faces[f];
        palVec3 own = palNormalize(twiceArea(patch, face));
        for (int k = 0; k < 3; k++)
            face->normals[k] = isSmoothAt(patch, face, k, tip) ? normals[face->vertices[k]] : own;
        placeFace(patch, face);
    }
}

// The shapes of all vertices of the last part.
static void fillShapes(palSoftSide* side, palSoftPatch* patch, int object)
{
    const palSoftPart* part = &patch->parts[patch->partCount - 1];
    const palWireSide* wire = palSoftSide_Wire(side, object);
    for (int v = part->vertexBegin; v < part->vertexEnd && wire != NULL; v++)
        palWireSide_Shape(wire, patch->surfaceVertex[v], &patch->shapes[v]);
    if (wire != NULL)
        return;
    palNodeShapes of = {side, side->softOf[object], patch->islands[part->island].count, .count = 0};
    for (int v = part->vertexBegin; v < part->vertexEnd; v++)
        if (part->hand < 0 || !fillMean(&of, patch, part->hand, v))
            fillVertex(&of, patch, &side->colliders[object].skin, v);
    forgetNodes(&of);
    if (part->hand >= 0)
        placeMeanFaces(patch, part, &side->tips[of.soft],
                       palTip_Below(side->tipRadius[part->hand],
                                    *palSoftSide_Pressed(side, part->hand, of.soft),
                                    side->colliders[object].soft),
                       side->meanNormals);
}

// The triangles of a body around one of a hand's places, besides those found before. Returns how
// many there are then.
static int addWithin(palSoftSide* side, int object, int hand, palVec3 place, int room,
                     int* triangles, int total)
{
    int* stamps = side->stamps[side->softOf[object]];
    int found = palBvh_Within(side->colliders[object].bvh, place, side->near[hand].radius,
                              side->patch.faceCapacity, side->found);
    if (found > side->patch.faceCapacity)
        return found;
    side->nearParts[object].isNear[hand] |= found > 0;
    for (int i = 0; i < found; i++)
    {
        if (stamps[side->found[i]] == side->query)
            continue;
        stamps[side->found[i]] = side->query;
        if (total < room)
            triangles[total] = side->found[i];
        total++;
    }
    return total;
}

// The triangles of a body around any of the hands' places, as many as there is room for. Returns
// how many there are.
static int findWithin(palSoftSide* side, int object, int room, int* triangles)
{
    palNearPart* part = &side->nearParts[object];
    const palHandPlaces* hands = side->near;
    int total = 0;
    side->query++;
    for (int h = 0; h < side->handCount; h++)
        part->isNear[h] = false;
    if (side->handCount == 1 && hands[0].count == 1)
    {
        total = palBvh_Within(side->colliders[object].bvh, hands[0].places[0], hands[0].radius,
                              room, triangles);
        part->isNear[0] = total > 0;
        return total;
    }
    for (int h = 0; h < side->handCount; h++)
        for (int p = 0; p < hands[h].count && total <= room; p++)
            total = addWithin(side, object, h, hands[h].places[p], room, triangles, total);
    return total;
}

// The surface point of each soft body nearest to any of a hand's places. Returns the distance of
// the nearest, m.
static double findClosest(const palSoftSide* side, int hand, palNearPart* parts)
{
    const palHandPlaces* near = &side->near[hand];
    double nearest = INFINITY;
    for (int i = 0; i < side->colliderCount; i++)
    {
        double least = near->radius;
        parts[i].closest[hand] = pal_zeroVec3;
        for (int p = 0; p < near->count && side->softOf[i] >= 0; p++)
        {
            palNearest found;
            if (!palColliders_Nearest(&side->colliders[i], 1, near->places[p], least, &found))
                continue;
            parts[i].closest[hand] = found.closest.point;
            least = found.closest.distance;
            nearest = fmin(nearest, least);
        }
    }
    return nearest;
}

// Makes the balls of the hands smaller, but not so small that the nearest of one is lost. Returns
// false where that cannot be.
static bool shrinkBalls(palSoftSide* side, const double* nearest)
{
    const double shrink = 0.9;
    bool isDone = false;
    for (int h = 0; h < side->handCount; h++)
    {
        if (shrink * side->near[h].radius <= nearest[h])
            continue;
        side->near[h].radius *= shrink;
        isDone = true;
    }
    return isDone;
}

// The soft faces around the places, within balls that are made smaller until the patch can hold
// them; where too many meet in one point, some of those are left out.
static void findFaces(palSoftSide* side)
{
    const palSoftPatch* patch = &side->patch;
    palNearPart* parts = side->nearParts;
    double nearest[pal_handsMax];
    for (int h = 0; h < side->handCount; h++)
        nearest[h] = findClosest(side, h, parts);
    for (;;)
    {
        int total = 0;
        for (int i = 0; i < side->colliderCount; i++)
        {
            parts[i].first = parts[i].count = 0;
            if (side->softOf[i] < 0)
                continue;
            int room = patch->faceCapacity > total ? patch->faceCapacity - total : 0;
            parts[i].first = total;
            parts[i].count = findWithin(side, i, room, side->triangles + (room > 0 ? total : 0));
            total += parts[i].count;
            if (parts[i].count > room)
                parts[i].count = room;
        }
        if (total <= patch->vertexCapacity || !shrinkBalls(side, nearest))
            return;
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

// A part of one body, after its modes are made: that of a hand with a tip, or of all without (-1).
static void addPart(palSoftSide* side, palSoftPatch* patch, int object, int hand)
{
    const palNearPart* near = &side->nearParts[object];
    const palCollider* collider = &side->colliders[object];
    patch->parts[patch->partCount] = (palSoftPart){
        .object = object,
        .hand = hand,
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

static void addParts(palSoftSide* side, palSoftPatch* patch, int object)
{
    bool isAnyWithout = false;
    for (int h = 0; h < side->handCount; h++)
        isAnyWithout = isAnyWithout || !patch->hasTip[h];
    if (isAnyWithout)
        addPart(side, patch, object, -1);
    for (int h = 0; h < side->handCount; h++)
        if (patch->hasTip[h])
            addPart(side, patch, object, h);
}

// The modes of a wire that a hand is near to, for forces at its nearest place.
static void buildWire(palSoftSide* side, int index)
{
    int object = side->objects[side->islands->bodyCount + index];
    const palNearPart* near = &side->nearParts[object];
    palWireTouch touched[pal_handsMax];
    int count = 0;
    for (int h = 0; h < side->handCount; h++)
        if (near->isNear[h])
            touched[count++] = (palWireTouch){near->closest[h], side->isTool[h]};
    if (count > 0)
        side->failures += !palWireSide_Build(&side->wires[index], object, touched, count,
                                             palSoftSide_Last(side), side->dt);
}

// The modes of all soft bodies, for forces near where each is nearest to a hand.
static void buildIslands(palSoftSide* side)
{
    findPressed(side);
    for (int i = 0; i < side->islands->bodyCount; i++)
    {
        side->touched[i] = (palTouchedNodes){
            .nodes = side->nodes[i],
            .count = chooseNodes(side, side->objects[i], side->nodes[i], side->radii[i]),
            .contact = contactVector(side, i),
            .tip = side->tips != NULL ? &side->tips[i] : NULL,
            .radii = side->radii[i],
        };
    }
    if (side->ties != NULL)
        side->builtTies = side->ties->rows;
    side->failures +=
        palIslands_Build(side->islands, side->touched, &side->builtTies, side->dt, side->time);
    if (side->world != NULL && !side->frozen)
    {
        palRubs rubs = palSoftRubs_Rows(&side->world->rubs);
        palIslands_AddRubs(side->islands, &rubs);
    }
    for (int i = 0; i < side->wireCount; i++)
        buildWire(side, i);
}

void palSoftSide_Describe(palSoftSide* side, palSoftPatch* patch)
{
    palSoftPatch* mine = &side->patch;
    const palNearPart* near = side->nearParts;
    findFaces(side);
    buildIslands(side);
    palSoftPatch_Clear(mine, side->time);
    for (int i = 0; i < side->colliderCount; i++)
        side->patchIsland[i] = -1;
    for (int i = 0; i < side->colliderCount; i++)
        if (near[i].count > 0)
            addParts(side, mine, i);
    joinSlits(mine);
    palSoftPatch_Copy(patch, mine);
}
