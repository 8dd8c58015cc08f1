// SPDX-License-Identifier: Apache-2.0
// Contacts of a mesh with spheres, capsules and half-spaces. A sphere is what is within its radius
// of a point, a capsule of a segment: the features of the point or the segment, its core, are
// compared with those of the mesh, and the radius is taken off the distance.
#include "collide/mesh_query.h"

typedef struct Core
{
    palMeshQuery* query;
    int count;       // 1 or 2
    palVec3 ends[2]; // m
    palVec3 along;   // from the first to the second, m; zero of a point
    double radius;   // m
    double reach;    // of the core, m
} Core;

static void addCore(const Core* core, palVec3 onCore, palVec3 onB, palVec3 n, palFeaturePair pair,
                    int a, int b)
{
    palMeshQuery_Add(core->query, palMulAdd(onCore, -core->radius, n), onB, n,
                     palMeshQuery_Key(pair, a, b));
}

// Whether end i of the core comes first in a direction.
static bool endSticksOut(const Core* core, int i, palVec3 direction, double slack)
{
    double rise = palDot(direction, i == 0 ? core->along : palNeg(core->along));
    return rise <= slack * palLength(core->along);
}

// Adds end i of the core at a distance from an edge or a vertex, at `foot`, if it is nearest there.
static void addEnd(const Core* core, int i, palVec3 foot, palFeaturePair pair, int feature,
                   const palMeshFace* face, int k)
{
    const palMeshQuery* query = core->query;
    palVec3 d = palSub(core->ends[i], foot);
    double distance = palLength(d);
    if (distance > query->distance + core->radius || distance <= query->tolerance)
        return;
    palVec3 n = palScale(1.0 / distance, d);
    if (!endSticksOut(core, i, palNeg(n), pal_directionSlack))
        return;
    if (pair == pal_pairVertexVertex)
    {
        if (!palMeshSide_SticksOut(&query->b, feature, n, pal_directionSlack))
            return;
    }
    else
    {
        palMeshEdge edge = palMeshFace_Edge(face, k);
        if (palDot(n, edge.inward[0]) > pal_directionSlack ||
            palDot(n, edge.inward[1]) > pal_directionSlack)
            return;
    }
    addCore(core, core->ends[i], foot, n, pair, i, feature);
}

static void testEnd(const Core* core, int i, const palMeshFace* face, unsigned owned)
{
    palMeshQuery* query = core->query;
    const palRigidShape* mesh = query->b.shape;
    palVec3 c = core->ends[i];
    double height = palDot(face->normal, palSub(c, face->corners[0]));
    if (height > query->distance + core->radius || height < -query->depth)
        return;
    if (palMeshQuery_IsOver(query, face, c))
    {
        palVec3 shorter;
        if (endSticksOut(core, i, palNeg(face->normal), pal_vertexSlack) &&
            (height > 0.0 ||
             palMeshQuery_WayOut(query, &query->b, c, -height, -height, &shorter) == pal_wayOut))
            addCore(core, c, palMulAdd(c, -height, face->normal), face->normal, pal_pairVertexFace,
                    i, mesh->features.patches[face->triangle]);
        return;
    }
    for (int k = 0; k < 3 && height > 0.0; k++)
    {
        if (owned >> k & 1)
            addEnd(core, i, face->corners[k], pal_pairVertexVertex,
                   mesh->surface.triangles[face->triangle][k], face, k);
        if (!(owned >> (3 + k) & 1))
            continue;
        palVec3 along = palSub(face->corners[(k + 1) % 3], face->corners[k]);
        double square = palLengthSquared(along);
        double s = palDot(palSub(c, face->corners[k]), along) / square;
        double end = query->tolerance / sqrt(square);
        if (s >= -end && s <= 1.0 + end)
            addEnd(core, i, palMulAdd(face->corners[k], s, along), pal_pairVertexEdge,
                   mesh->topology.triangleEdges[face->triangle][k], face, k);
    }
}

// The segment between the ends of the core against edge k of a face.
static void testMiddle(const Core* core, const palMeshFace* face, int k)
{
    palMeshQuery* query = core->query;
    palMeshEdge edge = palMeshFace_Edge(face, k);
    palPerpendicular found;
    if (!palMeshQuery_Perpendicular(query, core->ends, edge.ends, query->distance + core->radius,
                                    &found))
        return;
    palVec3 n = palDot(found.n, palMeshEdge_Sum(&edge)) < 0.0 ? palNeg(found.n) : found.n;
    if (!palMeshEdge_Clamp(&edge, pal_edgeSlack, &n))
        return;
    double gap = palDot(n, palSub(found.onA, found.onB)) - core->radius;
    if (gap <= query->distance && gap > -core->radius)
        addCore(core, found.onA, found.onB, n, pal_pairEdgeEdge, 0,
                query->b.shape->topology.triangleEdges[face->triangle][k]);
}

// The same against a vertex of the mesh.
static void testMiddleVertex(const Core* core, const palMeshFace* face, int k)
{
    palMeshQuery* query = core->query;
    palVec3 v = face->corners[k];
    int vertex = query->b.shape->surface.triangles[face->triangle][k];
    double square = palLengthSquared(core->along);
    double s = palDot(palSub(v, core->ends[0]), core->along) / square;
    if (!(s > 0.0 && s < 1.0))
        return;
    palVec3 onCore = palMulAdd(core->ends[0], s, core->along), d = palSub(onCore, v);
    double distance = palLength(d);
    if (distance > query->distance + core->radius || distance <= query->tolerance)
        return;
    palVec3 n = palScale(1.0 / distance, d);
    if (palMeshSide_SticksOut(&query->b, vertex, n, pal_directionSlack))
        addCore(core, onCore, v, n, pal_pairEdgeVertex, 0, vertex);
}

// The square of the distance from a point to the box of a triangle.
static double boxSquare(const palMeshFace* face, palVec3 x)
{
    const palVec3* c = face->corners;
    const double p[3] = {x.x, x.y, x.z};
    const double a[3] = {c[0].x, c[0].y, c[0].z}, b[3] = {c[1].x, c[1].y, c[1].z};
    const double d[3] = {c[2].x, c[2].y, c[2].z};
    double square = 0.0;
    for (int k = 0; k < 3; k++)
    {
        double beyond = palOutsideRange(p[k], a[k], b[k], d[k]);
        square += beyond * beyond;
    }
    return square;
}

static bool testLeaf(int leaf, void* data)
{
    const Core* core = data;
    palMeshQuery* query = core->query;
    int triangles[pal_bvhWidth];
    int count = palMeshQuery_Triangles(query, leaf, triangles);
    for (int t = 0; t < count; t++)
    {
        palMeshFace face = palMeshSide_Face(&query->b, triangles[t]);
        unsigned owned = query->b.shape->features.owned[triangles[t]];
        for (int i = 0; i < core->count; i++)
            if (boxSquare(&face, core->ends[i]) <= core->reach * core->reach)
                testEnd(core, i, &face, owned);
        for (int k = 0; k < 3 && core->count == 2; k++)
        {
            if (owned >> (3 + k) & 1)
                testMiddle(core, &face, k);
            if (owned >> k & 1)
                testMiddleVertex(core, &face, k);
        }
    }
    return count >= 0;
}

int palMeshQuery_Round(palMeshQuery* query, const palRigidShape* shape, palPose pose)
{
    bool isSphere = shape->kind == pal_rigidSphere;
    double half = isSphere ? 0.0 : shape->halfHeight;
    Core core = {.query = query, .count = isSphere ? 1 : 2, .radius = shape->radius};
    for (int i = 0; i < 2; i++)
        core.ends[i] = palPose_Point(pose, palMakeVec3(0, 0, i == 0 ? -half : half));
    core.along = isSphere ? pal_zeroVec3 : palSub(core.ends[1], core.ends[0]);
    core.reach = fmax(query->distance + core.radius, query->depth) + query->tolerance;
    palVec3 grow = palMakeVec3(core.reach, core.reach, core.reach);
    palBounds box = {palSub(palMinVec3(core.ends[0], core.ends[1]), grow),
                     palAdd(palMaxVec3(core.ends[0], core.ends[1]), grow)};
    query->leavesLeft = pal_meshLeavesMax;
    return palBvh_VisitBox(query->b.shape->bvh, box, testLeaf, &core);
}

// A half-space in the frame of the mesh.
typedef struct Plane
{
    palMeshQuery* query;
    palVec3 normal; // unit, out of it
    double offset;  // m
} Plane;

static bool testBelow(int leaf, void* data)
{
    const Plane* plane = data;
    palMeshQuery* query = plane->query;
    const palRigidShape* mesh = query->b.shape;
    int triangles[pal_bvhWidth];
    int count = palMeshQuery_Triangles(query, leaf, triangles);
    for (int t = 0; t < count; t++)
        for (int k = 0; k < 3; k++)
        {
            if (!(mesh->features.owned[triangles[t]] >> k & 1))
                continue;
            int vertex = mesh->surface.triangles[triangles[t]][k];
            palVec3 v = mesh->surface.vertices[vertex];
            double height = palDot(plane->normal, v) - plane->offset;
            palVec3 down = palNeg(plane->normal);
            if (height <= query->distance &&
                palMeshSide_SticksOut(&query->b, vertex, down, pal_vertexSlack))
                palMeshQuery_Add(query, palMulAdd(v, height, down), v, down,
                                 palMeshQuery_Key(pal_pairFaceVertex, 0, vertex));
        }
    return count >= 0;
}

int palMeshQuery_HalfSpace(palMeshQuery* query, palPose pose)
{
    Plane plane = {.query = query, .normal = palRotate(pose.q, palMakeVec3(0, 0, 1))};
    plane.offset = palDot(plane.normal, pose.x);
    const palRigidShape* mesh = query->b.shape;
    const palBvhSide side = {mesh->bvh, mesh->features.below};
    query->leavesLeft = pal_meshLeavesMax;
    return palBvh_VisitBelow(&side, plane.normal, plane.offset + query->distance, testBelow,
                             &plane);
}
