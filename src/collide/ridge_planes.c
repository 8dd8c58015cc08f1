// SPDX-License-Identifier: Apache-2.0
#include "collide/ridge_planes.h"

#include "collide/mesh_query.h"

enum
{
    nearbyMax = 128, // triangles of a face that are looked at for its nearest ridge
};

typedef struct Planes
{
    const palRigidShape* shapes[2]; // a, b; borrowed
    palPose poses[2];
    const palRigidContact* contact; // borrowed
    palRidgePlane* planes;
    int count;
} Planes;

static palVec3 vertexOf(const Planes* p, int side, int vertex)
{
    return palPose_Point(p->poses[side], p->shapes[side]->surface.vertices[vertex]);
}

// Adds the plane of a triangle of one side at a place of it, with the deepest of some points of the
// other.
static void add(Planes* p, int side, int triangle, palVec3 place, const palVec3* points, int count)
{
    if (p->count == pal_ridgePlanesMax)
        return;
    palVec3 n = palRotate(p->poses[side].q, p->shapes[side]->topology.triangleNormals[triangle]);
    int deepest = 0;
    for (int i = 1; i < count; i++)
        if (palDot(n, points[i]) < palDot(n, points[deepest]))
            deepest = i;
    palRidgePlane plane = {
        .normal = side == 0 ? palNeg(n) : n,
        .onA = side == 0 ? place : points[deepest],
        .onB = side == 0 ? points[deepest] : place,
        .isOfA = side == 0,
    };
    plane.gap = palDot(plane.normal, palSub(plane.onA, plane.onB));
    if (palLengthSquared(n) > 0.5)
        p->planes[p->count++] = plane;
}

static palVec3 placeOn(const Planes* p, int side)
{
    return side == 0 ? p->contact->onA : p->contact->onB;
}

// Both faces of an edge.
static void addEdge(Planes* p, int side, int edge, const palVec3* points, int count)
{
    const int* sides = p->shapes[side]->topology.edgeTriangles[edge];
    for (int k = 0; k < 2 && sides[k] >= 0; k++)
        add(p, side, sides[k], placeOn(p, side), points, count);
}

static void findEnds(const Planes* p, int side, int edge, palVec3 ends[2])
{
    const palTopology* topology = &p->shapes[side]->topology;
    int triangle = topology->edgeTriangles[edge][0];
    const int* corners = p->shapes[side]->surface.triangles[triangle];
    for (int k = 0; k < 3; k++)
        if (topology->triangleEdges[triangle][k] == edge)
        {
            ends[0] = vertexOf(p, side, corners[k]);
            ends[1] = vertexOf(p, side, corners[(k + 1) % 3]);
        }
}

static void addVertex(Planes* p, int side, int vertex)
{
    const palTopology* topology = &p->shapes[side]->topology;
    palVec3 other = placeOn(p, 1 - side);
    for (int i = topology->starStarts[vertex]; i < topology->starStarts[vertex + 1]; i++)
        add(p, side, topology->star[i], placeOn(p, side), &other, 1);
}

static double distanceToEdge(palVec3 x, palVec3 from, palVec3 to)
{
    palVec3 along = palSub(to, from);
    double t = palDot(palSub(x, from), along) / palLengthSquared(along);
    return palDistance(x, palMulAdd(from, fmin(fmax(t, 0.0), 1.0), along));
}

bool palRidge_Find(const palRigidShape* shape, int patch, palVec3 x, double reach, palRidge* ridge)
{
    const palTopology* topology = &shape->topology;
    int nearby[nearbyMax];
    int count = palBvh_Within(shape->bvh, x, reach, nearbyMax, nearby);
    *ridge = (palRidge){.distance = reach, .behind = -1};
    for (int i = 0; i < count && i < nearbyMax; i++)
        for (int k = 0; k < 3 && shape->features.patches[nearby[i]] == patch; k++)
        {
            int edge = topology->triangleEdges[nearby[i]][k];
            const int* sides = topology->edgeTriangles[edge];
            const int* corners = shape->surface.triangles[nearby[i]];
            palVec3 from = shape->surface.vertices[corners[k]];
            palVec3 to = shape->surface.vertices[corners[(k + 1) % 3]];
            if (topology->edgeKinds[edge] != pal_edgeConvex)
                continue;
            double distance = distanceToEdge(x, from, to);
            if (distance < ridge->distance)
                *ridge = (palRidge){distance, from, sides[0] == nearby[i] ? sides[1] : sides[0]};
        }
    return ridge->behind >= 0;
}

// What is behind the nearest ridge of a face.
static void addBehind(Planes* p, int side, int patch, double reach)
{
    palRidge ridge;
    palVec3 x = palPose_Local(p->poses[side], placeOn(p, side)), other = placeOn(p, 1 - side);
    if (palRidge_Find(p->shapes[side], patch, x, reach, &ridge))
        add(p, side, ridge.behind, palPose_Point(p->poses[side], ridge.place), &other, 1);
}

int palRigidMesh_RidgePlanes(const palRigidShape* a, palPose poseA, const palRigidShape* b,
                             palPose poseB, const palRigidContact* contact, double reach,
                             palRidgePlane planes[pal_ridgePlanesMax])
{
    Planes p = {{a, b}, {poseA, poseB}, contact, planes, 0};
    int ofA = palMeshQuery_KeyOfA(contact->key), ofB = palMeshQuery_KeyOfB(contact->key);
    palVec3 ends[2];
    switch (palMeshQuery_Pair(contact->key))
    {
    case pal_pairVertexFace:
        addBehind(&p, 1, ofB, reach);
        break;
    case pal_pairFaceVertex:
        addBehind(&p, 0, ofA, reach);
        break;
    case pal_pairEdgeEdge:
        findEnds(&p, 0, ofA, ends);
        addEdge(&p, 1, ofB, ends, 2);
        findEnds(&p, 1, ofB, ends);
        addEdge(&p, 0, ofA, ends, 2);
        break;
    case pal_pairVertexEdge:
        addEdge(&p, 1, ofB, &contact->onA, 1);
        break;
    case pal_pairEdgeVertex:
        addEdge(&p, 0, ofA, &contact->onB, 1);
        break;
    case pal_pairVertexVertex:
        addVertex(&p, 1, ofB);
        addVertex(&p, 0, ofA);
        break;
    }
    return p.count;
}
