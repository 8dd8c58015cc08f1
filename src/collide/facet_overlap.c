// SPDX-License-Identifier: Apache-2.0
#include "collide/facet_overlap.h"

// Segments whose ends are apart by less than this share of their radii, across the normal, touch
// along a line and not in a point.
static const double lineShare = 0.01;

enum
{
    clipMax = 2 * pal_hullCornersMax + 2,
};

// A corner of the clipped polygon, in the plane across the normal. `line` is the edge that begins
// there: of the facet that is clipped, or -1 - edge of the one that clips.
typedef struct Corner
{
    double u, v;
    int line;
} Corner;

// The plane across the normal.
typedef struct Plane
{
    palVec3 u, v;
} Plane;

uint64_t palKey_VertexOfA(int vertex)
{
    return (uint64_t)1 << 62 | (uint64_t)vertex;
}

uint64_t palKey_VertexOfB(int vertex)
{
    return (uint64_t)2 << 62 | (uint64_t)vertex;
}

uint64_t palKey_Edges(int edgeA, int edgeB, int which)
{
    return (uint64_t)3 << 62 | (uint64_t)which << 60 | (uint64_t)edgeA << 30 | (uint64_t)edgeB;
}

void palFacetOverlap_Add(palFacetOverlap* overlap, palVec3 onA, palVec3 onB, uint64_t key)
{
    double same = 4.0 * overlap->tolerance * overlap->tolerance;
    for (int i = 0; i < overlap->count; i++)
        if (palLengthSquared(palSub(overlap->corners[i].onA, onA)) <= same)
            return;
    if (overlap->count == pal_overlapMax)
        return;
    overlap->corners[overlap->count++] = (palRigidContact){
        onA, onB, overlap->normal, palDot(overlap->normal, palSub(onA, onB)), key};
}

// The height along n of the plane of a facet over a point.
static double heightOver(const palFacet* facet, palVec3 n, palVec3 point)
{
    return palDot(facet->normal, palSub(facet->points[0], point)) / palDot(facet->normal, n);
}

void palFacetOverlap_AddOfA(palFacetOverlap* overlap, palVec3 point, uint64_t key)
{
    double height = heightOver(&overlap->b, overlap->normal, point);
    palFacetOverlap_Add(overlap, point, palMulAdd(point, height, overlap->normal), key);
}

void palFacetOverlap_AddOfB(palFacetOverlap* overlap, palVec3 point, uint64_t key)
{
    double height = heightOver(&overlap->a, overlap->normal, point);
    palFacetOverlap_Add(overlap, palMulAdd(point, height, overlap->normal), point, key);
}

// A line that clips: inside is where u x + v y >= c.
typedef struct Line
{
    double u, v, c;
} Line;

// `turn` is 1 where inside is to the left of the way from p to q.
static Line makeLine(Corner p, Corner q, double turn)
{
    double u = q.u - p.u, v = q.v - p.v, length = sqrt(u * u + v * v);
    double scale = length > 0.0 ? turn / length : 0.0;
    return (Line){-v * scale, u * scale, (u * p.v - v * p.u) * scale};
}

static double inside(Line line, Corner point)
{
    return line.u * point.u + line.v * point.v - line.c;
}

static double clampToUnit(double t)
{
    return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
}

static Corner flatten(Plane plane, palVec3 origin, palVec3 point, int line)
{
    palVec3 from = palSub(point, origin);
    return (Corner){palDot(plane.u, from), palDot(plane.v, from), line};
}

bool palFacetOverlap_IsOverPolygon(const palFacetOverlap* overlap, const palFacet* polygon,
                                   palVec3 point)
{
    // Seen along the normal, the facets of b are counterclockwise, those of a clockwise.
    double turn = polygon == &overlap->b ? 1.0 : -1.0;
    for (int i = 0; i < polygon->count; i++)
    {
        palVec3 p = polygon->points[i];
        palVec3 along = palSub(polygon->points[(i + 1) % polygon->count], p);
        palVec3 side = palCross(overlap->normal, along);
        double height = turn * palDot(side, palSub(point, p));
        if (height < 0.0 &&
            height * height > overlap->tolerance * overlap->tolerance * palLengthSquared(side))
            return false;
    }
    return true;
}

// Clips a polygon with the half-plane inside a line, which has the number `edge`; what is within
// the tolerance stays.
static int clip(const Corner* from, int count, Line line, int edge, double tolerance, Corner* to)
{
    int kept = 0;
    double depth = count > 0 ? inside(line, from[0]) : 0.0;
    for (int i = 0; i < count && kept + 2 <= clipMax; i++)
    {
        const Corner *here = &from[i], *next = &from[i + 1 < count ? i + 1 : 0];
        double after = inside(line, *next);
        bool isIn = depth >= -tolerance, willBeIn = after >= -tolerance;
        if (isIn)
            to[kept++] = *here;
        if (isIn != willBeIn)
        {
            double t = clampToUnit(depth / (depth - after));
            to[kept++] = (Corner){here->u + t * (next->u - here->u),
                                  here->v + t * (next->v - here->v), isIn ? -1 - edge : here->line};
        }
        depth = after;
    }
    return kept;
}

// The point of an edge of a facet that a corner lies over. `flat`: the facet's points in the plane.
static palVec3 onEdge(const palFacet* facet, const Corner* flat, int edge, Corner corner)
{
    int next = edge + 1 < facet->count ? edge + 1 : 0;
    Corner p = flat[edge], q = flat[next];
    double u = q.u - p.u, v = q.v - p.v, square = u * u + v * v;
    double t = square > 0.0 ? (u * (corner.u - p.u) + v * (corner.v - p.v)) / square : 0.0;
    return palLerp(facet->points[edge], facet->points[next], clampToUnit(t));
}

// Adds the corners of the clipped polygon: vertices of the one that was clipped, vertices of the
// one that clipped, and crossings.
static void addCorners(palFacetOverlap* overlap, const palFacet* clipped, const palFacet* clipper,
                       const Corner* starts, const Corner* ends, const Corner* corners, int count)
{
    bool isA = clipped == &overlap->a;
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < count; i++)
        {
            int before = corners[i > 0 ? i - 1 : count - 1].line, line = corners[i].line;
            int foreign = (before < 0) + (line < 0);
            if (foreign == 0 && pass == 0)
            {
                palVec3 point = clipped->points[line];
                if (isA)
                    palFacetOverlap_AddOfA(overlap, point,
                                           palKey_VertexOfA(clipped->vertices[line]));
                else
                    palFacetOverlap_AddOfB(overlap, point,
                                           palKey_VertexOfB(clipped->vertices[line]));
            }
            else if (foreign == 2 && pass == 1 && clipped->kind == pal_facetPolygon)
            {
                int first = -1 - before, second = -1 - line, n = clipper->count;
                int at = (first + 1) % n == second ? second : first;
                palVec3 point = clipper->points[at];
                if (isA)
                    palFacetOverlap_AddOfB(overlap, point, palKey_VertexOfB(clipper->vertices[at]));
                else
                    palFacetOverlap_AddOfA(overlap, point, palKey_VertexOfA(clipper->vertices[at]));
            }
            else if (foreign == 1 && pass == 2)
            {
                int own = before < 0 ? line : before, other = -1 - (before < 0 ? before : line);
                palVec3 p = onEdge(clipped, starts, own, corners[i]);
                palVec3 q = onEdge(clipper, ends, other, corners[i]);
                int ownEdge = clipped->edges[own], otherEdge = clipper->edges[other];
                palFacetOverlap_Add(overlap, isA ? p : q, isA ? q : p,
                                    isA ? palKey_Edges(ownEdge, otherEdge, 0)
                                        : palKey_Edges(otherEdge, ownEdge, 0));
            }
        }
}

// A segment or a polygon against a polygon.
static void overPolygon(palFacetOverlap* overlap, const palFacet* clipped, const palFacet* clipper)
{
    Plane plane;
    palTangents(overlap->normal, &plane.u, &plane.v);
    palVec3 origin = clipper->points[0];
    Corner buffers[2][clipMax], starts[pal_hullCornersMax], ends[pal_hullCornersMax];
    int count = clipped->count, now = 0;
    for (int i = 0; i < count; i++)
        buffers[0][i] = starts[i] = flatten(plane, origin, clipped->points[i], i);
    for (int i = 0; i < clipper->count; i++)
        ends[i] = flatten(plane, origin, clipper->points[i], i);
    double turn = clipper == &overlap->b ? 1.0 : -1.0;
    for (int i = 0; i < clipper->count && count > 0; i++, now = 1 - now)
    {
        Line line = makeLine(ends[i], ends[i + 1 < clipper->count ? i + 1 : 0], turn);
        count = clip(buffers[now], count, line, i, overlap->tolerance, buffers[1 - now]);
    }
    addCorners(overlap, clipped, clipper, starts, ends, buffers[now], count);
}

// The place of two segments where they are closest as seen along the normal.
static void crossSegments(palFacetOverlap* overlap)
{
    const palVec3 *a = overlap->a.points, *b = overlap->b.points, n = overlap->normal;
    palVec3 d1 = palSub(a[1], a[0]), d2 = palSub(b[1], b[0]), w = palSub(a[0], b[0]);
    d1 = palMulAdd(d1, -palDot(d1, n), n);
    d2 = palMulAdd(d2, -palDot(d2, n), n);
    w = palMulAdd(w, -palDot(w, n), n);
    double aa = palDot(d1, d1), bb = palDot(d2, d2), ab = palDot(d1, d2);
    double aw = palDot(d1, w), bw = palDot(d2, w), determinant = aa * bb - ab * ab;
    double s = determinant > 1e-14 * aa * bb ? (ab * bw - bb * aw) / determinant : 0.5;
    s = fmin(fmax(s, 0.0), 1.0);
    double t = bb > 0.0 ? (ab * s + bw) / bb : 0.0;
    if (t < 0.0 || t > 1.0)
    {
        t = t < 0.0 ? 0.0 : 1.0;
        s = aa > 0.0 ? fmin(fmax((ab * t - aw) / aa, 0.0), 1.0) : 0.0;
    }
    palFacetOverlap_Add(overlap, palLerp(a[0], a[1], s), palLerp(b[0], b[1], t),
                        palKey_Edges(overlap->a.edges[0], overlap->b.edges[0], 0));
}

// The ends of the part in which two nearly parallel segments lie over each other. False where
// there is none, or they cross.
static bool pairSegments(palFacetOverlap* overlap, double radii)
{
    const palVec3 *a = overlap->a.points, *b = overlap->b.points, n = overlap->normal;
    palVec3 along = palSub(a[1], a[0]), other = palSub(b[1], b[0]);
    along = palMulAdd(along, -palDot(along, n), n);
    double size = palLengthSquared(along), reach = palDot(along, other);
    if (size == 0.0 || reach == 0.0)
        return false;
    int found = 0;
    struct
    {
        palVec3 onA, onB;
        uint64_t key;
    } ends[4];
    for (int k = 0; k < 4; k++)
    {
        bool ofA = k < 2;
        double s = ofA ? k : palDot(palSub(b[k - 2], a[0]), along) / size;
        double t = ofA ? palDot(palSub(a[k], b[0]), along) / reach : k - 2;
        if (s < 0.0 || s > 1.0 || t < 0.0 || t > 1.0)
            continue;
        ends[found].onA = palLerp(a[0], a[1], s);
        ends[found].onB = palLerp(b[0], b[1], t);
        ends[found].key = ofA ? palKey_VertexOfA(overlap->a.vertices[k])
                              : palKey_VertexOfB(overlap->b.vertices[k - 2]);
        palVec3 apart = palSub(ends[found].onA, ends[found].onB);
        if (palLength(palMulAdd(apart, -palDot(apart, n), n)) > lineShare * radii)
            return false;
        found++;
    }
    for (int k = 0; k < found; k++)
        palFacetOverlap_Add(overlap, ends[k].onA, ends[k].onB, ends[k].key);
    return overlap->count >= 2;
}

void palFacetOverlap_FindFlat(palFacetOverlap* overlap)
{
    const palFacet *a = &overlap->a, *b = &overlap->b;
    if (b->kind == pal_facetPolygon && a->kind != pal_facetPoint)
        overPolygon(overlap, a, b);
    else if (a->kind == pal_facetPolygon && b->kind != pal_facetPoint)
        overPolygon(overlap, b, a);
    else if (a->kind == pal_facetSegment && b->kind == pal_facetSegment)
    {
        if (!pairSegments(overlap, a->radius + b->radius))
        {
            overlap->count = 0;
            crossSegments(overlap);
        }
    }
}
