// SPDX-License-Identifier: Apache-2.0
#include "collide/convex.h"

// Of a shape's extent: a point this near to a face's plane is on the face.
static const double onFace = 1e-7;
enum
{
    rimPoints = 8,
    // Numbers of a cylinder's points: the ends of its side line are 0 and 1.
    firstRimVertex = 2,
    firstRollingVertex = firstRimVertex + 2 * rimPoints,
    firstRimEdge = 1,
};

palConvex palMakeConvex(const palRigidShape* shape, palPose pose, palVec3 origin)
{
    return (palConvex){shape, palMakeMat3Quat(pose.q), palSub(pose.x, origin)};
}

static int farthestVertex(const palHull* hull, palVec3 d)
{
    int best = 0;
    double most = palDot(d, hull->vertices[0]);
    for (int i = 1; i < hull->vertexCount; i++)
    {
        double other = palDot(d, hull->vertices[i]);
        if (other > most)
            most = other, best = i;
    }
    return best;
}

palVec3 palConvex_CoreSupport(const palConvex* convex, palVec3 d)
{
    const palRigidShape* shape = convex->shape;
    palVec3 local = palConvex_Direction(convex, d), point = pal_zeroVec3;
    switch (shape->kind)
    {
    case pal_rigidCapsule:
        point.z = copysign(shape->halfHeight, local.z);
        break;
    case pal_rigidBox:
        point =
            palMakeVec3(copysign(shape->halfSize.x, local.x), copysign(shape->halfSize.y, local.y),
                        copysign(shape->halfSize.z, local.z));
        break;
    case pal_rigidCylinder:
    {
        double across = sqrt(local.x * local.x + local.y * local.y);
        double scale = across > 0.0 ? shape->radius / across : 0.0;
        point = palMakeVec3(scale * local.x, scale * local.y, copysign(shape->halfHeight, local.z));
        break;
    }
    case pal_rigidHull:
        point = shape->hull.vertices[farthestVertex(&shape->hull, local)];
        break;
    default:
        break;
    }
    return palConvex_Point(convex, point);
}

int palConvex_VertexCount(const palConvex* convex)
{
    palRigidShapeKind kind = convex->shape->kind;
    return kind == pal_rigidSphere    ? 1
           : kind == pal_rigidCapsule ? 2
                                      : convex->shape->hull.vertexCount;
}

palVec3 palConvex_Vertex(const palConvex* convex, int vertex)
{
    const palRigidShape* shape = convex->shape;
    if (shape->kind == pal_rigidSphere)
        return convex->x;
    if (shape->kind == pal_rigidCapsule)
        return palMulAdd(convex->x, vertex == 0 ? -shape->halfHeight : shape->halfHeight,
                         palConvex_Axis(convex));
    return palConvex_Point(convex, shape->hull.vertices[vertex]);
}

int palConvex_EdgeCount(const palConvex* convex)
{
    palRigidShapeKind kind = convex->shape->kind;
    return kind == pal_rigidSphere    ? 0
           : kind == pal_rigidCapsule ? 1
                                      : convex->shape->hull.edgeCount;
}

void palConvex_Edge(const palConvex* convex, int edge, palVec3 ends[2])
{
    bool isCapsule = convex->shape->kind == pal_rigidCapsule;
    for (int k = 0; k < 2; k++)
        ends[k] = palConvex_Vertex(convex, isCapsule ? k : convex->shape->hull.edges[edge][k]);
}

palConvexGap palConvex_GapAlong(const palConvex* a, const palConvex* b, palVec3 normal)
{
    palVec3 onA = palConvex_CoreSupport(a, palNeg(normal)), onB = palConvex_CoreSupport(b, normal);
    onA = palMulAdd(onA, -palConvex_Radius(a), normal);
    onB = palMulAdd(onB, palConvex_Radius(b), normal);
    return (palConvexGap){onA, onB, normal, palDot(normal, palSub(onA, onB))};
}

static void faceFacet(const palConvex* convex, palVec3 d, palVec3 touch, palFacet* facet)
{
    const palHull* hull = &convex->shape->hull;
    palVec3 local = palConvex_Direction(convex, d), point = palConvex_Local(convex, touch);
    double tolerance = onFace * convex->shape->extent, most = -INFINITY;
    int face = 0;
    for (int f = 0; f < hull->faceCount; f++)
    {
        double facing = palDot(hull->normals[f], local);
        if (facing > most && hull->offsets[f] - palDot(hull->normals[f], point) <= tolerance)
            most = facing, face = f;
    }
    facet->kind = pal_facetPolygon;
    facet->count = 0;
    facet->normal = palMat3Apply(convex->R, hull->normals[face]);
    for (int i = hull->faceStarts[face]; i < hull->faceStarts[face + 1]; i++)
    {
        facet->points[facet->count] =
            palConvex_Point(convex, hull->vertices[hull->faceVertices[i]]);
        facet->vertices[facet->count] = hull->faceVertices[i];
        facet->edges[facet->count++] = hull->faceEdges[i];
    }
}

static void setSegment(palFacet* facet, palVec3 from, palVec3 to, double radius)
{
    facet->kind = pal_facetSegment;
    facet->radius = radius;
    facet->count = 2;
    facet->points[0] = from, facet->points[1] = to;
    facet->vertices[0] = 0, facet->vertices[1] = 1;
    facet->edges[0] = facet->edges[1] = 0;
}

// The cap of a cylinder that faces along d, `local` in its frame; `across`: the part of it along
// the cap.
static void capFacet(const palConvex* convex, palVec3 local, double across, palFacet* facet)
{
    const palRigidShape* shape = convex->shape;
    int cap = local.z > 0.0;
    double z = cap ? shape->halfHeight : -shape->halfHeight;
    bool standing = across <= pal_standingTilt;
    palVec3 first =
        standing ? palMakeVec3(1, 0, 0) : palMakeVec3(local.x / across, local.y / across, 0.0);
    palVec3 second = palMakeVec3(cap ? -first.y : first.y, cap ? first.x : -first.x, 0.0);
    facet->kind = pal_facetDisc;
    facet->normal = palScale(cap ? 1.0 : -1.0, palConvex_Axis(convex));
    facet->centre = palMulAdd(convex->x, z, palConvex_Axis(convex));
    facet->across[0] = palMat3Apply(convex->R, first);
    facet->across[1] = palMat3Apply(convex->R, second);
    facet->radius = shape->radius;
    facet->count = rimPoints;
    const double diagonal = 0.70710678118654752440;
    const double angles[rimPoints][2] = {
        {1, 0},  {diagonal, diagonal},   {0, 1},  {-diagonal, diagonal},
        {-1, 0}, {-diagonal, -diagonal}, {0, -1}, {diagonal, -diagonal}};
    for (int k = 0; k < rimPoints; k++)
    {
        palVec3 p = palMulAdd(facet->centre, angles[k][0] * shape->radius, facet->across[0]);
        facet->points[k] = palMulAdd(p, angles[k][1] * shape->radius, facet->across[1]);
        facet->vertices[k] = (standing ? firstRimVertex : firstRollingVertex) + cap * rimPoints + k;
        facet->edges[k] = firstRimEdge + cap;
    }
}

static void cylinderFacet(const palConvex* convex, palVec3 d, palFacet* facet)
{
    palVec3 local = palConvex_Direction(convex, d);
    double across = hypot(local.x, local.y);
    if (fabs(local.z) > across)
    {
        capFacet(convex, local, across, facet);
        return;
    }
    double scale = convex->shape->radius / across, h = convex->shape->halfHeight;
    palVec3 low = {scale * local.x, scale * local.y, -h}, high = {low.x, low.y, h};
    setSegment(facet, palConvex_Point(convex, low), palConvex_Point(convex, high),
               convex->shape->radius);
}

void palConvex_Facet(const palConvex* convex, palVec3 d, palVec3 touch, palFacet* facet)
{
    const palRigidShape* shape = convex->shape;
    switch (shape->kind)
    {
    case pal_rigidSphere:
        facet->kind = pal_facetPoint;
        facet->count = 1;
        facet->points[0] = palMulAdd(convex->x, shape->radius, d);
        facet->vertices[0] = 0;
        facet->edges[0] = 0;
        break;
    case pal_rigidCapsule:
        setSegment(facet, palMulAdd(palConvex_Vertex(convex, 0), shape->radius, d),
                   palMulAdd(palConvex_Vertex(convex, 1), shape->radius, d), shape->radius);
        break;
    case pal_rigidCylinder:
        cylinderFacet(convex, d, facet);
        break;
    default:
        faceFacet(convex, d, touch, facet);
    }
}
