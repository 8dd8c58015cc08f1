// SPDX-License-Identifier: Apache-2.0
// The direction of least overlap of two polyhedra: that of a face of either or of a pair of edges
// (separating axes). Any direction bounds the overlap from above, and any point of the other shape
// bounds what a face can give, so that with a good start nearly all faces and edges are left out
// without a look at the other shape.
#include "collide/convex.h"

// Of the extents: what a pair of edges must gain over a face, so that faces are preferred where
// both are the same up to rounding.
static const double edgeGain = 1e-8;
// The sine of the angle below which edges are parallel.
static const double parallelSine = 1e-6;
// Of the extents: the least depth within which edges are considered.
static const double edgeDepth = 1e-6;

enum
{
    edgesMax = 256, // of each shape near the other
};

// An edge near the other shape.
typedef struct NearEdge
{
    palVec3 from, along; // along: unit
    palVec3 normals[2];  // of its faces; zero of a capsule
    palVec3 arc;         // the second × the first
} NearEdge;

// The best direction so far among those of faces and edges, and the start, which is none of them
// but tells what they must reach.
typedef struct Search
{
    palConvexGap best, start;
    palVec3 onA, onB; // points of the two cores that are deep in the other
    double slack;     // rounding of gaps, m
} Search;

static const palConvexGap* known(const Search* search)
{
    return search->best.gap > search->start.gap ? &search->best : &search->start;
}

static double leastGap(const Search* search)
{
    double start = search->start.gap - search->slack;
    return search->best.gap > start ? search->best.gap : start;
}

// Faces of `own`. `sign` is 1 where it is a: its normals then point against the common normal.
static void tryFaces(const palConvex* own, const palConvex* other, double sign, double distance,
                     Search* search)
{
    palRigidShapeKind kind = own->shape->kind;
    if (kind != pal_rigidBox && kind != pal_rigidHull)
        return;
    const palHull* hull = &own->shape->hull;
    double radius = palConvex_Radius(other);
    palVec3* point = sign > 0.0 ? &search->onB : &search->onA;
    palVec3 local = palConvex_Local(own, *point);
    for (int f = 0; f < hull->faceCount && search->best.gap <= distance; f++)
    {
        // Any point of the other bounds what this one can give.
        if (palDot(hull->normals[f], local) - hull->offsets[f] - radius <
            leastGap(search) - search->slack)
            continue;
        palVec3 normal = palMat3Apply(own->R, hull->normals[f]);
        double offset = hull->offsets[f] + palDot(normal, own->x);
        palVec3 deepest = palConvex_CoreSupport(other, palNeg(normal));
        double gap = palDot(normal, deepest) - offset - radius;
        if (gap <= search->best.gap)
            continue;
        *point = deepest;
        local = palConvex_Local(own, deepest);
        palVec3 touching = palMulAdd(deepest, -radius, normal);
        palVec3 onOwn = palMulAdd(touching, -gap, normal);
        search->best = sign > 0.0 ? (palConvexGap){onOwn, touching, palNeg(normal), gap}
                                  : (palConvexGap){touching, onOwn, normal, gap};
    }
}

// The edges that reach below `level` along d.
static int collectEdges(const palConvex* convex, palVec3 d, double level, NearEdge* edges)
{
    int count = 0, all = palConvex_EdgeCount(convex);
    palVec3 local = palConvex_Direction(convex, d);
    double limit = level - palDot(d, convex->x);
    bool isCapsule = convex->shape->kind == pal_rigidCapsule;
    const palHull* hull = &convex->shape->hull;
    for (int e = 0; e < all && count < edgesMax; e++)
    {
        if (!isCapsule && palDot(local, hull->vertices[hull->edges[e][0]]) > limit &&
            palDot(local, hull->vertices[hull->edges[e][1]]) > limit)
            continue;
        palVec3 ends[2];
        palConvex_Edge(convex, e, ends);
        NearEdge* edge = &edges[count++];
        *edge = (NearEdge){.from = ends[0], .along = palNormalize(palSub(ends[1], ends[0]))};
        if (isCapsule)
            continue;
        for (int k = 0; k < 2; k++)
            edge->normals[k] = palMat3Apply(convex->R, hull->normals[hull->edgeFaces[e][k]]);
        edge->arc = palCross(edge->normals[1], edge->normals[0]);
    }
    return count;
}

// Whether two edges can touch each other from outside: on the unit sphere, the arc between the
// normals of the one and that of the other, mirrored, cross. Arcs that meet at an end, as those of
// faces that are parallel, may count or not.
static bool canTouch(const NearEdge* a, const NearEdge* b)
{
    if (palLengthSquared(a->arc) == 0.0 || palLengthSquared(b->arc) == 0.0)
        return true;
    double c = -palDot(b->normals[0], a->arc), d = -palDot(b->normals[1], a->arc);
    if (c * d > 0.0)
        return false;
    double e = palDot(a->normals[0], b->arc), f = palDot(a->normals[1], b->arc);
    return e * f <= 0.0 && c * f >= 0.0;
}

// Where two lines are closest.
static void closestOfLines(const NearEdge* a, const NearEdge* b, palConvexGap* gap)
{
    palVec3 w = palSub(a->from, b->from);
    double c = palDot(a->along, b->along), da = palDot(a->along, w), db = palDot(b->along, w);
    double denominator = 1.0 - c * c;
    gap->onA = palMulAdd(a->from, (c * db - da) / denominator, a->along);
    gap->onB = palMulAdd(b->from, (db - c * da) / denominator, b->along);
}

static void tryEdgePair(const palConvex* a, const palConvex* b, const NearEdge* ofA,
                        const NearEdge* ofB, double gain, Search* search)
{
    palVec3 cross = palCross(ofA->along, ofB->along);
    double sine = palLength(cross), radii = palConvex_Radius(a) + palConvex_Radius(b);
    if (sine < parallelSine)
        return;
    double across = palDot(cross, palSub(ofA->from, ofB->from));
    for (int sign = -1; sign <= 1; sign += 2)
    {
        double least = fmax(search->best.gap + gain, search->start.gap - search->slack);
        if (sign * across <= (least + radii) * sine)
            continue;
        palConvexGap gap = palConvex_GapAlong(a, b, palScale(sign / sine, cross));
        // Where other edges are farther out, they give this direction.
        double own = sign * across / sine - radii;
        if (gap.gap <= least || own > gap.gap + search->slack)
            continue;
        closestOfLines(ofA, ofB, &gap);
        gap.onA = palMulAdd(gap.onA, -palConvex_Radius(a), gap.normal);
        gap.onB = palMulAdd(gap.onB, palConvex_Radius(b), gap.normal);
        search->best = gap;
    }
}

static void tryEdges(const palConvex* a, const palConvex* b, double distance, Search* search)
{
    // Where a pair of edges is the answer, its closest points are no farther from each other than
    // the depth so far, and so both near the outermost points along the best direction so far.
    double size = fmin(a->shape->extent, b->shape->extent);
    const palConvexGap* best = known(search);
    double radii = palConvex_Radius(a) + palConvex_Radius(b);
    double depth = 2.0 * fmax(fabs(best->gap), edgeDepth * size) + 2.0 * radii;
    palVec3 n = best->normal;
    NearEdge ofA[edgesMax], ofB[edgesMax];
    int countA = collectEdges(a, n, palDot(n, best->onA) + depth, ofA);
    int countB = collectEdges(b, palNeg(n), -palDot(n, best->onB) + depth, ofB);
    for (int i = 0; i < countA; i++)
        for (int k = 0; k < countB && search->best.gap <= distance; k++)
            if (canTouch(&ofA[i], &ofB[k]))
                tryEdgePair(a, b, &ofA[i], &ofB[k], edgeGain * size, search);
}

palConvexGap palConvex_SeparateFaces(const palConvex* a, const palConvex* b, double distance,
                                     palConvexGap start, palSeparation among)
{
    Search search = {.best = start, .start = start};
    search.best.gap = -INFINITY;
    search.onA = palMulAdd(start.onA, palConvex_Radius(a), start.normal);
    search.onB = palMulAdd(start.onB, -palConvex_Radius(b), start.normal);
    search.slack = 1e-13 * (a->shape->extent + b->shape->extent + palLength(palSub(a->x, b->x)));
    tryFaces(a, b, 1.0, distance, &search);
    tryFaces(b, a, -1.0, distance, &search);
    if (search.best.gap <= distance && among == pal_separateByAll)
        tryEdges(a, b, distance, &search);
    return search.best.gap >= start.gap - search.slack ? search.best : start;
}
