// SPDX-License-Identifier: Apache-2.0
#include "collide/mesh_query.h"

#include "collide/ridge_planes.h"

// A way out counts as the shortest one if no other is shorter than this share of it.
static const double shortestShare = 0.75;
// A direction that was turned into the cone of an edge leads beside the body, by less than this
// share of the depth.
static const double besideShare = 0.03;
// Beyond a groove a point still counts as over a face if it is no farther beyond than this times
// its depth behind the other face.
static const double grooveReach = 4.0;

palMeshFace palMeshSide_Face(const palMeshSide* side, int triangle)
{
    const palRigidShape* shape = side->shape;
    palMeshFace face = {.side = side, .triangle = triangle};
    for (int k = 0; k < 3; k++)
    {
        palVec3 corner = shape->surface.vertices[shape->surface.triangles[triangle][k]];
        face.corners[k] = palMeshSide_Point(side, corner);
    }
    face.normal = palMeshSide_Direction(side, shape->topology.triangleNormals[triangle]);
    return face;
}

int palMeshQuery_Triangles(palMeshQuery* query, int leaf, int triangles[pal_bvhWidth])
{
    if (query->leavesLeft-- <= 0)
        return -1;
    const int32_t* lanes = query->b.shape->bvh->leaves[leaf].triangle;
    int count = 0;
    // Lanes that are not used repeat the last triangle.
    while (count < pal_bvhWidth && (count == 0 || lanes[count] != lanes[count - 1]))
        triangles[count] = lanes[count], count++;
    return count;
}

palMeshEdge palMeshFace_Edge(const palMeshFace* face, int k)
{
    const palTopology* topology = &face->side->shape->topology;
    const int* sides = topology->edgeTriangles[topology->triangleEdges[face->triangle][k]];
    palVec3 beyond = topology->triangleNormals[sides[0] == face->triangle ? sides[1] : sides[0]];
    palMeshEdge edge = {
        .ends = {face->corners[k], face->corners[(k + 1) % 3]},
        .normals = {face->normal, palMeshSide_Direction(face->side, beyond)},
    };
    edge.along = palNormalize(palSub(edge.ends[1], edge.ends[0]));
    edge.inward[0] = palCross(edge.normals[0], edge.along);
    edge.inward[1] = palCross(edge.along, edge.normals[1]);
    return edge;
}

bool palMeshSide_SticksOut(const palMeshSide* side, int vertex, palVec3 direction, double slack)
{
    return palMeshFeatures_SticksOut(&side->shape->features, &side->shape->surface, vertex,
                                     palMeshSide_LocalDirection(side, direction), slack);
}

// Whether a point that is beyond edge k of a face is so because it is inside, behind the other face
// of a groove.
static bool isBehindGroove(const palMeshQuery* query, const palMeshFace* face, int k, palVec3 point,
                           double beyond)
{
    const palTopology* topology = &face->side->shape->topology;
    int edge = topology->triangleEdges[face->triangle][k];
    if (topology->edgeKinds[edge] != pal_edgeConcave || beyond > query->depth)
        return false;
    const int* sides = topology->edgeTriangles[edge];
    palVec3 other = topology->triangleNormals[sides[0] == face->triangle ? sides[1] : sides[0]];
    double behind =
        -palDot(palMeshSide_Direction(face->side, other), palSub(point, face->corners[k]));
    return behind <= query->depth && beyond <= grooveReach * behind + query->tolerance;
}

bool palMeshQuery_IsOver(const palMeshQuery* query, const palMeshFace* face, palVec3 point)
{
    if (palLengthSquared(face->normal) == 0.0)
        return false; // a triangle without area
    for (int k = 0; k < 3; k++)
    {
        palVec3 along = palSub(face->corners[(k + 1) % 3], face->corners[k]);
        palVec3 outward = palCross(along, face->normal);
        double beyond = palDot(outward, palSub(point, face->corners[k]));
        if (beyond <= 0.0)
            continue;
        double square = palLengthSquared(along);
        if (beyond * beyond <= query->tolerance * query->tolerance * square)
            continue;
        if (!isBehindGroove(query, face, k, point, beyond / sqrt(square)))
            return false;
    }
    return true;
}

bool palMeshEdge_Clamp(const palMeshEdge* edge, double slack, palVec3* direction)
{
    double beyond0 = palDot(*direction, edge->inward[0]);
    double beyond1 = palDot(*direction, edge->inward[1]);
    if (beyond0 > slack || beyond1 > slack)
        return false;
    if (beyond0 > 0.0 && beyond0 >= beyond1)
        *direction = edge->normals[0];
    else if (beyond1 > 0.0)
        *direction = edge->normals[1];
    return true;
}

bool palMeshQuery_Perpendicular(const palMeshQuery* query, const palVec3 a[2], const palVec3 b[2],
                                double reach, palPerpendicular* found)
{
    palVec3 alongA = palSub(a[1], a[0]), alongB = palSub(b[1], b[0]), r = palSub(b[0], a[0]);
    palVec3 N = palCross(alongA, alongB);
    double square = palLengthSquared(N), apart = palDot(r, N);
    double squareA = palLengthSquared(alongA), squareB = palLengthSquared(alongB);
    if (!(square > 1e-12 * squareA * squareB) || apart * apart > reach * reach * square)
        return false;
    double s = palDot(palCross(r, alongB), N), endA = query->tolerance * square / sqrt(squareA);
    if (s < -endA || s > square + endA)
        return false;
    double t = palDot(palCross(r, alongA), N), endB = query->tolerance * square / sqrt(squareB);
    if (t < -endB || t > square + endB)
        return false;
    found->onA = palMulAdd(a[0], s / square, alongA);
    found->onB = palMulAdd(b[0], t / square, alongB);
    found->n = palScale(1.0 / sqrt(square), N);
    return true;
}

// The signed distance of a point, negative inside, and the outward normal at the nearest place;
// false where that is farther than `reach`.
static bool findNearest(const palMeshSide* side, palVec3 point, double reach, double* distance,
                        palVec3* normal)
{
    const palRigidShape* shape = side->shape;
    palClosest closest;
    palVec3 x = palMeshSide_LocalPoint(side, point);
    if (!palBvh_Closest(shape->bvh, x, reach, &closest))
        return false;
    palVec3 n =
        palTopology_Normal(&shape->topology, &shape->surface, closest.triangle, closest.feature);
    *normal = palMeshSide_Direction(side, n);
    *distance = palDot(palSub(x, closest.point), n) > 0.0 ? closest.distance : -closest.distance;
    return true;
}

palWayOut palMeshQuery_WayOut(const palMeshQuery* query, const palMeshSide* side, palVec3 point,
                              double reach, double depth, palVec3* normal)
{
    double distance;
    if (!findNearest(side, point, reach + query->tolerance, &distance, normal))
    {
        // Beyond a groove the face is not the nearest. Beyond the tip of a narrow face it is not
        // even that: two of its edges may be grooves, and the point far beyond where they meet.
        double farthest = reach + query->depth;
        return palMeshQuery_IsInside(query, side, point, farthest) ? pal_wayOut : pal_notInside;
    }
    if (distance > query->tolerance + besideShare * reach)
        return pal_notInside;
    return -distance >= shortestShare * depth - query->tolerance ? pal_wayOut : pal_shorterWayOut;
}

bool palMeshQuery_IsInside(const palMeshQuery* query, const palMeshSide* side, palVec3 point,
                           double reach)
{
    double distance;
    palVec3 normal;
    return findNearest(side, point, reach, &distance, &normal) && distance < -query->tolerance;
}

// How far the bodies may slide before a contact of a vertex and a face ends at a ridge of the face.
static double holdOf(const palMeshQuery* query, const palRigidContact* contact)
{
    palFeaturePair pair = palMeshQuery_Pair(contact->key);
    bool isOfA = pair == pal_pairFaceVertex;
    if (!(query->slides > 0.0) || (!isOfA && pair != pal_pairVertexFace))
        return 0.0;
    const palMeshSide* side = isOfA ? &query->a : &query->b;
    int patch = isOfA ? palMeshQuery_KeyOfA(contact->key) : palMeshQuery_KeyOfB(contact->key);
    palVec3 x = palMeshSide_LocalPoint(side, isOfA ? contact->onA : contact->onB);
    palRidge ridge;
    return palRidge_Find(side->shape, patch, x, query->slides, &ridge) ? ridge.distance
                                                                       : query->slides;
}

void palMeshQuery_Add(palMeshQuery* query, palVec3 onA, palVec3 onB, palVec3 n, uint64_t key)
{
    palRigidContact contact = {
        .onA = onA,
        .onB = onB,
        .normal = n,
        .gap = palDot(n, palSub(onA, onB)),
        .key = key,
    };
    palContactPatches_Add(&query->patches, &contact, holdOf(query, &contact));
}
