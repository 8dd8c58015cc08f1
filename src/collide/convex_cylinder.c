// SPDX-License-Identifier: Apache-2.0
// The direction in which a cylinder is closest to another convex shape, or is separated from it by
// the shortest way. Every direction m gives a bound: the gap along it. The largest one is that of
// the answer, which is among few: the axis of the cylinder; normals of the other's faces; across
// the axis, towards a vertex of the other or across one of its edges; from the rim to a vertex or
// an edge of the other, where that distance is least. Trying them all needs no cases for shapes
// that are apart, touch or overlap.
#include "collide/circle.h"
#include "collide/convex.h"

// A sine below this has no direction.
static const double parallelSine = 1e-9;

// In the frame of the cylinder a. m points from a to b.
typedef struct Search
{
    const palConvex *a, *b;
    double radius, half; // of the cylinder
    double around;       // the radius around the core of b
    palMat3 R;           // of b's frame
    palVec3 x;           // b's origin
    palVec3 best;        // direction
    double gap;          // along it
    palVec3 touch;       // the point of b's core that is nearest along it
} Search;

static palVec3 toCylinder(const Search* search, palVec3 point)
{
    return palConvex_Local(search->a, point);
}

// The reach of the cylinder along m.
static double reach(const Search* search, palVec3 m)
{
    return search->radius * sqrt(m.x * m.x + m.y * m.y) + search->half * fabs(m.z);
}

static void tryGap(Search* search, palVec3 m, double gap, palVec3 touch)
{
    if (gap > search->gap)
        search->gap = gap, search->best = m, search->touch = touch;
}

// A direction that is zero, since it had none, is no bound.
static void tryDirection(Search* search, palVec3 m)
{
    if (!(palLengthSquared(m) > 0.5))
        return;
    palVec3 world = palMat3Apply(search->a->R, m);
    palVec3 nearest = toCylinder(search, palConvex_CoreSupport(search->b, palNeg(world)));
    tryGap(search, m, palDot(m, nearest) - search->around - reach(search, m), nearest);
}

// The same, if the point p of b's core does not show that it cannot be the best.
static void tryTowards(Search* search, palVec3 m, palVec3 p)
{
    double bound = palDot(m, p) - search->around - reach(search, m);
    if (!(bound > search->gap))
        return;
    tryDirection(search, m);
    if (palDistance(search->best, m) == 0.0 && bound <= search->gap + 1e-12 * search->radius)
        search->touch = p;
}

static void tryFaces(Search* search)
{
    const palRigidShape* shape = search->b->shape;
    if (shape->kind != pal_rigidBox && shape->kind != pal_rigidHull)
        return;
    for (int f = 0; f < shape->hull.faceCount; f++)
    {
        palVec3 m = palNeg(palMat3Apply(search->R, shape->hull.normals[f]));
        int corner = shape->hull.faceVertices[shape->hull.faceStarts[f]];
        tryGap(search, m, palDot(m, search->x) - shape->hull.offsets[f] - reach(search, m),
               toCylinder(search, palConvex_Vertex(search->b, corner)));
    }
}

static void tryVertex(Search* search, palVec3 p)
{
    double across = hypot(p.x, p.y);
    if (across < parallelSine * search->radius)
        return;
    palVec3 out = {p.x / across, p.y / across, 0.0};
    tryTowards(search, out, p);
    if (across <= search->radius || fabs(p.z) <= search->half)
        return;
    palVec3 rim = {search->radius * out.x, search->radius * out.y, copysign(search->half, p.z)};
    tryTowards(search, palNormalize(palSub(p, rim)), p);
}

// The direction from the rim at `place` to the line through p along d.
static palVec3 fromRim(palCirclePoint place, palVec3 d, palVec3 towards, double size)
{
    palVec3 m = palNormalize(towards);
    palVec3 cross = palNormalize(palCross(d, palMakeVec3(-place.sine, place.cosine, 0.0)));
    // The common normal of the two lines; near a crossing the way from one to the other has lost
    // its digits.
    if (palLength(towards) < 1e-4 * size && palLengthSquared(cross) > 0.0)
        m = palScale(palDot(cross, palMakeVec3(place.cosine, place.sine, 0.0)) < 0.0 ? -1.0 : 1.0,
                     cross);
    return m;
}

// The rim at height z against an edge. `limit`: a distance beyond which nothing is of interest.
static void tryRim(Search* search, double z, palVec3 p, palVec3 q, double limit)
{
    double R = search->radius + limit;
    if (fmin(p.z, q.z) > z + limit || fmax(p.z, q.z) < z - limit || fmin(p.x, q.x) > R ||
        fmax(p.x, q.x) < -R || fmin(p.y, q.y) > R || fmax(p.y, q.y) < -R)
        return;
    palVec3 d = palNormalize(palSub(q, p)), from = palSub(p, palMakeVec3(0, 0, z));
    palCirclePoint places[pal_circleMinima];
    int count = palCircle_NearestToLine(search->radius, from, d, places);
    for (int i = 0; i < count; i++)
    {
        palVec3 rim = {search->radius * places[i].cosine, search->radius * places[i].sine, 0.0};
        double t = palDot(d, palSub(rim, from));
        if (t < 0.0 || t > palDistance(p, q))
            continue;
        palVec3 nearest = palMulAdd(from, t, d);
        palVec3 m = fromRim(places[i], d, palSub(nearest, rim), search->radius);
        nearest.z += z;
        tryTowards(search, m, nearest);
        tryTowards(search, palNeg(m), nearest);
    }
}

static void tryEdge(Search* search, int edge, double distance)
{
    palVec3 ends[2];
    palConvex_Edge(search->b, edge, ends);
    palVec3 p = toCylinder(search, ends[0]), q = toCylinder(search, ends[1]);
    palVec3 d = palSub(q, p);
    double across = hypot(d.x, d.y);
    if (across > parallelSine * palLength(d))
    {
        palVec3 m = {d.y / across, -d.x / across, 0.0};
        tryTowards(search, m, p);
        tryTowards(search, palNeg(m), p);
    }
    double limit = fmax(fabs(search->gap), distance) + search->around;
    tryRim(search, search->half, p, q, limit);
    tryRim(search, -search->half, p, q, limit);
}

// Whether two circles can be nearer than a limit: as seen along the axis of either.
static bool areNear(const palCirclePair* rims, double limit)
{
    double sine = hypot(rims->axis.x, rims->axis.y);
    return fabs(rims->centre.z) <= rims->other * sine + limit &&
           fabs(palDot(rims->centre, rims->axis)) <= rims->radius * sine + limit &&
           palLength(rims->centre) <= rims->radius + rims->other + limit;
}

// The rims of both, and the axis of each against the rims of the other.
static void tryRims(Search* search, double limit)
{
    const palConvex* pair[2] = {search->a, search->b};
    palCirclePair rims;
    for (int k = 0; k < 4; k++)
    {
        double z = k & 1 ? search->half : -search->half;
        double zB = k & 2 ? search->b->shape->halfHeight : -search->b->shape->halfHeight;
        rims = (palCirclePair){
            .radius = search->radius,
            .other = search->b->shape->radius,
            .centre =
                palSub(palMulAdd(search->x, zB, palMat3Column(search->R, 2)), palMakeVec3(0, 0, z)),
            .axis = palMat3Column(search->R, 2),
        };
        palVec3 ways[pal_circleMinima];
        int count = areNear(&rims, limit) ? palCirclePair_Nearest(&rims, ways) : 0;
        for (int i = 0; i < count; i++)
        {
            tryDirection(search, ways[i]);
            tryDirection(search, palNeg(ways[i]));
        }
    }
    for (int side = 0; side < 2; side++)
    {
        const palConvex *round = pair[side], *line = pair[1 - side];
        palVec3 d = palConvex_Direction(round, palConvex_Axis(line));
        palVec3 centre = palConvex_Local(round, line->x);
        for (int k = 0; k < 2; k++)
        {
            double z = k == 0 ? -round->shape->halfHeight : round->shape->halfHeight;
            palVec3 from = palSub(centre, palMakeVec3(0, 0, z));
            palCirclePoint places[pal_circleMinima];
            int count = palCircle_NearestToLine(round->shape->radius, from, d, places);
            for (int i = 0; i < count; i++)
            {
                palVec3 rim = {round->shape->radius * places[i].cosine,
                               round->shape->radius * places[i].sine, 0.0};
                palVec3 nearest = palMulAdd(from, palDot(d, palSub(rim, from)), d);
                palVec3 way = palMat3Apply(round->R, palNormalize(palSub(nearest, rim)));
                palVec3 m = palConvex_Direction(search->a, way);
                tryDirection(search, side == 0 ? m : palNeg(m));
            }
        }
    }
}

static void tryCylinder(Search* search, double distance)
{
    palVec3 axis = palMat3Column(search->R, 2);
    palVec3 cross = palCross(axis, palMakeVec3(0, 0, 1));
    if (palLength(cross) > parallelSine)
    {
        tryDirection(search, palNormalize(cross));
        tryDirection(search, palNeg(palNormalize(cross)));
    }
    double across = hypot(search->x.x, search->x.y);
    if (across > 0.0)
        tryDirection(search, palMakeVec3(search->x.x / across, search->x.y / across, 0.0));
    tryRims(search, fmax(fabs(search->gap), distance));
}

palConvexGap palConvex_SeparateCylinder(const palConvex* a, const palConvex* b, double distance,
                                        palConvexGap start, palSeparation among)
{
    Search search = {
        .a = a,
        .b = b,
        .radius = a->shape->radius,
        .half = a->shape->halfHeight,
        .around = palConvex_Radius(b),
        .R = palMat3Mul(palMat3Transpose(a->R), b->R),
        .x = palConvex_Local(a, b->x),
        .best = palNeg(palConvex_Direction(a, start.normal)),
        .gap = start.gap,
        .touch = palConvex_Local(a, palMulAdd(start.onB, -palConvex_Radius(b), start.normal)),
    };
    // The start is no answer: what is as good up to rounding replaces it.
    search.gap -= 1e-12 * (a->shape->extent + fabs(start.gap));
    tryDirection(&search, palMakeVec3(0, 0, 1));
    tryDirection(&search, palMakeVec3(0, 0, -1));
    tryFaces(&search);
    bool cylinders = b->shape->kind == pal_rigidCylinder;
    if (cylinders)
    {
        tryDirection(&search, palMat3Column(search.R, 2));
        tryDirection(&search, palNeg(palMat3Column(search.R, 2)));
    }
    if (among == pal_separateByAll && cylinders)
        tryCylinder(&search, distance);
    else if (among == pal_separateByAll)
    {
        for (int i = 0; i < palConvex_VertexCount(b) && search.gap <= distance; i++)
            tryVertex(&search, toCylinder(&search, palConvex_Vertex(b, i)));
        for (int e = 0; e < palConvex_EdgeCount(b) && search.gap <= distance; e++)
            tryEdge(&search, e, distance);
    }
    palVec3 normal = palNeg(palNormalize(palMat3Apply(a->R, search.best)));
    palConvexGap gap = palConvex_GapAlong(a, b, normal);
    gap.onB = palMulAdd(palConvex_Point(a, search.touch), search.around, normal);
    gap.onA = palMulAdd(gap.onB, gap.gap, normal);
    return gap;
}
