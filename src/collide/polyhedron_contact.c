// SPDX-License-Identifier: Apache-2.0
// Contacts of two meshes or polyhedra: vertices on faces and edges on edges, and while they are
// apart also vertices near edges and vertices.
#include "collide/mesh_query.h"

enum
{
    leavesKept = 32, // of each side, a power of two
};

// An overlap is left along an edge if that is shorter than this share of the way across.
static const double shorterShare = 0.75;

// The triangles of a leaf in the frame of the query.
typedef struct Leaf
{
    int leaf; // -1: none
    int count;
    int vertexCount;                   // of those that its triangles own
    uint8_t lanes[3 * pal_bvhWidth];   // [vertexCount]: the triangle that owns each,
    uint8_t corners[3 * pal_bvhWidth]; // and which of its corners it is
    unsigned edgeLanes;                // the triangles that own edges
    uint8_t owned[pal_bvhWidth];
    palBounds all;   // the boxes of all, m
    palBounds edges; // of those that own edges
    palBounds boxes[pal_bvhWidth];
    palMeshFace faces[pal_bvhWidth];
} Leaf;

typedef struct Walk
{
    palMeshQuery* query;
    double reach; // m
    Leaf leavesA[leavesKept];
    Leaf leavesB[leavesKept];
} Walk;

static const palBounds noBox = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

// Minimum and maximum of numbers that are finite or infinite, without a call.
static palVec3 lower(palVec3 a, palVec3 b)
{
    return palMakeVec3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static palVec3 upper(palVec3 a, palVec3 b)
{
    return palMakeVec3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static void addTriangle(Leaf* leaf, const palMeshSide* side, int triangle, double grow)
{
    int lane = leaf->count++;
    palMeshFace* face = &leaf->faces[lane];
    *face = palMeshSide_Face(side, triangle);
    const palVec3* x = face->corners;
    palVec3 margin = {grow, grow, grow};
    palBounds box = {palSub(lower(lower(x[0], x[1]), x[2]), margin),
                     palAdd(upper(upper(x[0], x[1]), x[2]), margin)};
    unsigned owned = side->shape->features.owned[triangle];
    leaf->owned[lane] = (uint8_t)owned;
    leaf->boxes[lane] = box;
    leaf->all = (palBounds){lower(leaf->all.low, box.low), upper(leaf->all.high, box.high)};
    for (int k = 0; k < 3; k++)
    {
        if (!(owned >> k & 1))
            continue;
        leaf->lanes[leaf->vertexCount] = (uint8_t)lane;
        leaf->corners[leaf->vertexCount++] = (uint8_t)k;
    }
    if (owned >> 3 == 0)
        return;
    leaf->edgeLanes |= 1u << lane;
    leaf->edges = (palBounds){lower(leaf->edges.low, box.low), upper(leaf->edges.high, box.high)};
}

static const Leaf* lookUp(Leaf* kept, const palMeshSide* side, int leaf, double grow)
{
    Leaf* place = &kept[leaf & (leavesKept - 1)];
    if (place->leaf == leaf)
        return place;
    place->leaf = leaf;
    place->count = place->vertexCount = 0;
    place->edgeLanes = 0;
    place->all = place->edges = noBox;
    const int32_t* triangles = side->shape->bvh->leaves[leaf].triangle;
    for (int i = 0; i < pal_bvhWidth; i++)
    {
        if (i > 0 && triangles[i] == triangles[i - 1])
            break; // lanes left over repeat the last triangle
        addTriangle(place, side, triangles[i], grow);
    }
    return place;
}

static int vertexOf(const palMeshFace* face, int corner)
{
    return face->side->shape->surface.triangles[face->triangle][corner];
}

static int edgeOf(const palMeshFace* face, int k)
{
    return face->side->shape->topology.triangleEdges[face->triangle][k];
}

// A vertex of one body and a feature of the other, at `foot`; n from the other body to the vertex.
static void addVertex(palMeshQuery* query, palVec3 v, palVec3 foot, palVec3 n, uint64_t key,
                      bool ofA)
{
    if (ofA)
        palMeshQuery_Add(query, v, foot, n, key);
    else
        palMeshQuery_Add(query, foot, v, palNeg(n), key);
}

// Whether a vertex that is `depth` behind a face is inside the body there, and has no shorter way
// out on which it would come first.
static bool isInside(const palMeshQuery* query, const palMeshFace* of, int corner,
                     const palMeshFace* on, double depth)
{
    palVec3 shorter;
    palWayOut way =
        palMeshQuery_WayOut(query, on->side, of->corners[corner], depth, depth, &shorter);
    if (way == pal_shorterWayOut)
        return !palMeshSide_SticksOut(of->side, vertexOf(of, corner), palNeg(shorter),
                                      pal_vertexSlack);
    return way == pal_wayOut;
}

// A vertex that is over no face, near edge k of a triangle that owns it.
static void nearEdge(palMeshQuery* query, const palMeshFace* of, int corner, const palMeshFace* on,
                     int k, bool ofA)
{
    palVec3 v = of->corners[corner], along = palSub(on->corners[(k + 1) % 3], on->corners[k]);
    palVec3 from = palSub(v, on->corners[k]);
    double square = palLengthSquared(along), s = palDot(from, along);
    double end = query->tolerance * sqrt(square);
    if (s < -end || s > square + end)
        return;
    palVec3 d = palMulAdd(from, -s / square, along);
    double distance = palLength(d);
    if (distance > query->distance || distance <= query->tolerance)
        return;
    palVec3 n = palScale(1.0 / distance, d);
    palMeshEdge edge = palMeshFace_Edge(on, k);
    if (palDot(n, edge.inward[0]) > pal_directionSlack ||
        palDot(n, edge.inward[1]) > pal_directionSlack ||
        !palMeshSide_SticksOut(of->side, vertexOf(of, corner), palNeg(n), pal_directionSlack))
        return;
    uint64_t key = ofA ? palMeshQuery_Key(pal_pairVertexEdge, vertexOf(of, corner), edgeOf(on, k))
                       : palMeshQuery_Key(pal_pairEdgeVertex, edgeOf(on, k), vertexOf(of, corner));
    addVertex(query, v, palSub(v, d), n, key, ofA);
}

// A vertex of a near one of b.
static void nearVertex(palMeshQuery* query, const palMeshFace* of, int corner,
                       const palMeshFace* on, int k)
{
    palVec3 v = of->corners[corner], d = palSub(v, on->corners[k]);
    double distance = palLength(d);
    if (distance > query->distance || distance <= query->tolerance)
        return;
    palVec3 n = palScale(1.0 / distance, d);
    int a = vertexOf(of, corner), b = vertexOf(on, k);
    if (palMeshSide_SticksOut(on->side, b, n, pal_directionSlack) &&
        palMeshSide_SticksOut(of->side, a, palNeg(n), pal_directionSlack))
        palMeshQuery_Add(query, v, on->corners[k], n, palMeshQuery_Key(pal_pairVertexVertex, a, b));
}

static void testVertex(palMeshQuery* query, const palMeshFace* of, int corner,
                       const palMeshFace* on, unsigned owned, bool ofA)
{
    palVec3 v = of->corners[corner];
    double height = palDot(on->normal, palSub(v, on->corners[0]));
    if (height > query->distance || height < -query->depth)
        return;
    int vertex = vertexOf(of, corner);
    if (palMeshQuery_IsOver(query, on, v))
    {
        if (!palMeshSide_SticksOut(of->side, vertex, palNeg(on->normal), pal_vertexSlack) ||
            (height < -query->tolerance && !isInside(query, of, corner, on, -height)))
            return;
        int patch = on->side->shape->features.patches[on->triangle];
        uint64_t key = ofA ? palMeshQuery_Key(pal_pairVertexFace, vertex, patch)
                           : palMeshQuery_Key(pal_pairFaceVertex, patch, vertex);
        addVertex(query, v, palMulAdd(v, -height, on->normal), on->normal, key, ofA);
        return;
    }
    if (height < -query->tolerance)
        return;
    for (int k = 0; k < 3; k++)
    {
        if (owned >> (3 + k) & 1)
            nearEdge(query, of, corner, on, k, ofA);
        if (ofA && owned >> k & 1)
            nearVertex(query, of, corner, on, k);
    }
}

// Whether an edge comes first in a direction, up to the usual slack of a vertex.
static bool edgeSticksOut(const palMeshEdge* edge, palVec3 direction)
{
    return fabs(palDot(direction, edge->along)) <= pal_vertexSlack &&
           palDot(direction, edge->inward[0]) <= pal_vertexSlack &&
           palDot(direction, edge->inward[1]) <= pal_vertexSlack &&
           palDot(direction, palMeshEdge_Sum(edge)) > 0.0;
}

// Turns a common perpendicular into the cones of both edges; false where it is too far out of them.
static bool turnIntoCones(const palMeshEdge* a, const palMeshEdge* b, palVec3* n)
{
    if (palDot(*n, palMeshEdge_Sum(b)) < 0.0)
        *n = palNeg(*n);
    palVec3 fromB = *n, fromA = palNeg(*n);
    if (palDot(fromA, palMeshEdge_Sum(a)) <= 0.0 || !palMeshEdge_Clamp(b, pal_edgeSlack, &fromB) ||
        !palMeshEdge_Clamp(a, pal_edgeSlack, &fromA))
        return false;
    bool changed = palDistance(fromB, *n) > 0.0;
    *n = changed ? fromB : palNeg(fromA);
    return true;
}

// Whether the point of an edge of a that is below one of b is inside b there, and has no shorter
// way out on which the edge would come first.
static bool isEdgeInside(const palMeshQuery* query, const palPerpendicular* found,
                         const palMeshEdge* a, const palMeshEdge* b, const palMeshSide* side)
{
    double reach = palDistance(found->onA, found->onB);
    double depth = reach * fmin(palDot(found->n, b->normals[0]), palDot(found->n, b->normals[1]));
    palVec3 shorter;
    palWayOut way = palMeshQuery_WayOut(query, side, found->onA, reach, depth, &shorter);
    return way == pal_wayOut || (way == pal_shorterWayOut && !edgeSticksOut(a, palNeg(shorter)));
}

// Whether edge k of a face ends in a corner that is inside the other body and nearer than the
// overlap is deep: then the way out is along the edge.
static bool endsSooner(const palMeshQuery* query, const palMeshFace* face, int k, palVec3 x,
                       double depth, const palMeshSide* other)
{
    for (int i = 0; i < 2; i++)
    {
        int corner = (k + i) % 3;
        palVec3 end = face->corners[corner];
        palVec3 along = palNormalize(palSub(end, face->corners[(k + 1 - i) % 3]));
        if (palDistance(end, x) < shorterShare * depth &&
            palMeshSide_SticksOut(face->side, vertexOf(face, corner), along, pal_vertexSlack) &&
            palMeshQuery_IsInside(query, other, end, 2.0 * depth))
            return true;
    }
    return false;
}

static void testEdges(palMeshQuery* query, const palMeshFace* onA, int i, const palMeshFace* onB,
                      int j, double reach)
{
    const palVec3 endsA[2] = {onA->corners[i], onA->corners[(i + 1) % 3]};
    const palVec3 endsB[2] = {onB->corners[j], onB->corners[(j + 1) % 3]};
    palPerpendicular found;
    if (!palMeshQuery_Perpendicular(query, endsA, endsB, reach, &found))
        return;
    palMeshEdge a = palMeshFace_Edge(onA, i), b = palMeshFace_Edge(onB, j);
    if (!turnIntoCones(&a, &b, &found.n))
        return;
    double gap = palDot(found.n, palSub(found.onA, found.onB));
    if (gap > query->distance || gap < -query->depth)
        return;
    if (gap < -query->tolerance && (!isEdgeInside(query, &found, &a, &b, onB->side) ||
                                    endsSooner(query, onA, i, found.onA, -gap, onB->side) ||
                                    endsSooner(query, onB, j, found.onB, -gap, onA->side)))
        return;
    palMeshQuery_Add(query, found.onA, found.onB, found.n,
                     palMeshQuery_Key(pal_pairEdgeEdge, edgeOf(onA, i), edgeOf(onB, j)));
}

static bool boxHolds(const palBounds* box, palVec3 x, double grow)
{
    return x.x >= box->low.x - grow && x.x <= box->high.x + grow && x.y >= box->low.y - grow &&
           x.y <= box->high.y + grow && x.z >= box->low.z - grow && x.z <= box->high.z + grow;
}

static bool boxesMeet(const palBounds* a, const palBounds* b)
{
    return a->low.x <= b->high.x && a->high.x >= b->low.x && a->low.y <= b->high.y &&
           a->high.y >= b->low.y && a->low.z <= b->high.z && a->high.z >= b->low.z;
}

// The vertices of one leaf against the triangles of the other.
static void testVertices(palMeshQuery* query, const Leaf* of, const Leaf* on, double grow, bool ofA)
{
    for (int i = 0; i < of->vertexCount; i++)
    {
        const palMeshFace* face = &of->faces[of->lanes[i]];
        palVec3 x = face->corners[of->corners[i]];
        if (!boxHolds(&on->all, x, grow))
            continue;
        for (int j = 0; j < on->count; j++)
            if (boxHolds(&on->boxes[j], x, grow))
                testVertex(query, face, of->corners[i], &on->faces[j], on->owned[j], ofA);
    }
}

// The edges that two triangles own against each other.
static void testTriangles(const Walk* walk, const Leaf* a, int i, const Leaf* b, int j)
{
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3 && (a->owned[i] >> (3 + k) & 1); m++)
            if (b->owned[j] >> (3 + m) & 1)
                testEdges(walk->query, &a->faces[i], k, &b->faces[j], m, walk->reach);
}

// Whether a leaf of b that owns nothing has a vertex of a near its box.
static bool isNearVertex(const Walk* walk, const Leaf* a, palBvhChild child)
{
    const palBvh* bvh = walk->query->b.shape->bvh;
    const palBvhNode* node = &bvh->nodes[child.node];
    palVec3 low = {node->low[0][child.lane], node->low[1][child.lane], node->low[2][child.lane]};
    palVec3 high = {node->high[0][child.lane], node->high[1][child.lane],
                    node->high[2][child.lane]};
    palBounds box = {palAdd(bvh->origin, low), palAdd(bvh->origin, high)};
    bool isNear = false;
    for (int i = 0; i < a->vertexCount && !isNear; i++)
        isNear = boxHolds(&box, a->faces[a->lanes[i]].corners[a->corners[i]],
                          walk->reach + walk->query->tolerance);
    return isNear;
}

static int leafOf(const palMeshSide* side, palBvhChild child)
{
    return ~side->shape->bvh->nodes[child.node].child[child.lane];
}

// The boxes of a are grown by the reach.
static bool testLeaves(palBvhChild leafA, palBvhChild leafB, void* data)
{
    Walk* walk = data;
    palMeshQuery* query = walk->query;
    if (query->leavesLeft-- <= 0)
        return false;
    const Leaf* a = lookUp(walk->leavesA, &query->a, leafOf(&query->a, leafA), walk->reach);
    unsigned below = query->b.shape->features.below[pal_bvhWidth * leafB.node + leafB.lane];
    if (below == 0 && !isNearVertex(walk, a, leafB))
        return true;
    const Leaf* b = lookUp(walk->leavesB, &query->b, leafOf(&query->b, leafB), 0.0);
    testVertices(query, a, b, walk->reach, true);
    testVertices(query, b, a, 0.0, false);
    if (a->edgeLanes == 0 || b->edgeLanes == 0 || !boxesMeet(&a->edges, &b->edges))
        return true;
    for (unsigned m = a->edgeLanes; m != 0; m &= m - 1)
    {
        int i = __builtin_ctz(m);
        if (!boxesMeet(&a->boxes[i], &b->edges))
            continue;
        for (unsigned n = b->edgeLanes; n != 0; n &= n - 1)
            if (boxesMeet(&a->boxes[i], &b->boxes[__builtin_ctz(n)]))
                testTriangles(walk, a, i, b, __builtin_ctz(n));
    }
    return true;
}

int palMeshQuery_Polyhedra(palMeshQuery* query)
{
    Walk walk;
    walk.query = query;
    walk.reach = fmax(query->distance, query->depth);
    for (int i = 0; i < leavesKept; i++)
        walk.leavesA[i].leaf = walk.leavesB[i].leaf = -1;
    const palRigidShape *a = query->a.shape, *b = query->b.shape;
    const palBvhSide sideA = {a->bvh, a->features.below}, sideB = {b->bvh, b->features.below};
    query->leavesLeft = pal_meshLeafPairsMax;
    return palBvhPair_Visit(&sideA, &sideB, &query->a.R, query->a.x, walk.reach, testLeaves, &walk);
}
