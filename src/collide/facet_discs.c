// SPDX-License-Identifier: Apache-2.0
// Overlaps of the ends of cylinders: points on the rim, corners of the other facet within it, and
// where the edges of the other cross it.
#include "collide/facet_overlap.h"

// Of the radius: how far discs of one size may be apart sideways and keep the same points.
static const double sameDiscs = 2e-3;
// Discs that face the normal up to a milliradian.
static const double parallelCosine = 1.0 - 5e-7;

enum
{
    crossingSteps = 12,
};

// A point moved along the normal into the plane of a disc, as coordinates in it.
static void intoDisc(const palFacet* disc, palVec3 n, palVec3 point, double place[2])
{
    palVec3 from = palSub(point, disc->centre);
    double height = palDot(disc->normal, from) / palDot(disc->normal, n);
    from = palMulAdd(from, -height, n);
    place[0] = palDot(disc->across[0], from);
    place[1] = palDot(disc->across[1], from);
}

static palVec3 onDisc(const palFacet* disc, double x, double y)
{
    return palMulAdd(palMulAdd(disc->centre, x, disc->across[0]), y, disc->across[1]);
}

static void addOf(palFacetOverlap* overlap, const palFacet* facet, palVec3 point, int vertex)
{
    if (facet == &overlap->a)
        palFacetOverlap_AddOfA(overlap, point, palKey_VertexOfA(vertex));
    else
        palFacetOverlap_AddOfB(overlap, point, palKey_VertexOfB(vertex));
}

// Adds a place of the disc and the point of the other facet that it lies over.
static void addCrossing(palFacetOverlap* overlap, const palFacet* disc, palVec3 onRim,
                        palVec3 onOther, int edge, int which)
{
    if (disc == &overlap->a)
        palFacetOverlap_Add(overlap, onRim, onOther, palKey_Edges(disc->edges[0], edge, which));
    else
        palFacetOverlap_Add(overlap, onOther, onRim, palKey_Edges(edge, disc->edges[0], which));
}

// Where an edge of the other facet crosses the rim, and its first end if that is within.
static void tryEdge(palFacetOverlap* overlap, const palFacet* disc, const palFacet* other, int i)
{
    int next = (i + 1) % other->count;
    double p[2], q[2], R = disc->radius;
    intoDisc(disc, overlap->normal, other->points[i], p);
    intoDisc(disc, overlap->normal, other->points[next], q);
    if (hypot(p[0], p[1]) <= R + overlap->tolerance)
        addOf(overlap, other, other->points[i], other->vertices[i]);
    double d[2] = {q[0] - p[0], q[1] - p[1]};
    double aa = d[0] * d[0] + d[1] * d[1], ab = p[0] * d[0] + p[1] * d[1];
    double root = ab * ab - aa * (p[0] * p[0] + p[1] * p[1] - R * R);
    if (!(root > 0.0) || aa == 0.0 || (other->kind == pal_facetSegment && i > 0))
        return;
    for (int which = 0; which < 2; which++)
    {
        double t = (-ab + (which == 0 ? -sqrt(root) : sqrt(root))) / aa;
        if (t <= 0.0 || t >= 1.0)
            continue;
        palVec3 onRim = onDisc(disc, p[0] + t * d[0], p[1] + t * d[1]);
        palVec3 onOther = palLerp(other->points[i], other->points[next], t);
        addCrossing(overlap, disc, onRim, onOther, other->edges[i], which);
    }
}

// Rim points of `disc` within `other`, a disc. One that is a little outside is moved onto its rim.
// Returns how many there are.
static int addRim(palFacetOverlap* overlap, const palFacet* disc, const palFacet* other)
{
    int added = 0;
    bool parallel = fabs(palDot(disc->normal, overlap->normal)) > parallelCosine &&
                    fabs(palDot(other->normal, overlap->normal)) > parallelCosine;
    double R = other->radius;
    double slack = parallel ? sameDiscs * fmin(R, disc->radius) : overlap->tolerance;
    for (int k = 0; k < disc->count; k++)
    {
        double place[2];
        intoDisc(other, overlap->normal, disc->points[k], place);
        double distance = hypot(place[0], place[1]);
        if (distance > R + slack)
            continue;
        added++;
        if (distance <= R)
        {
            addOf(overlap, disc, disc->points[k], disc->vertices[k]);
            continue;
        }
        // Seen from the other disc: the point of its rim, with the key of this one.
        double scale = R / distance;
        palVec3 q = onDisc(other, scale * place[0], scale * place[1]);
        if (disc == &overlap->a)
            palFacetOverlap_AddOfB(overlap, q, palKey_VertexOfA(disc->vertices[k]));
        else
            palFacetOverlap_AddOfA(overlap, q, palKey_VertexOfB(disc->vertices[k]));
    }
    return added;
}

// How far a point of a's rim is outside b's.
static double outside(const palFacetOverlap* overlap, double angle, palVec3* point)
{
    double place[2];
    *point = onDisc(&overlap->a, overlap->a.radius * cos(angle), overlap->a.radius * sin(angle));
    intoDisc(&overlap->b, overlap->normal, *point, place);
    return hypot(place[0], place[1]) - overlap->b.radius;
}

// Where two rims cross: as circles in the plane of a, then by secants on a's rim for discs that are
// tilted.
static void crossRims(palFacetOverlap* overlap)
{
    const palFacet *a = &overlap->a, *b = &overlap->b;
    double c[2];
    intoDisc(a, overlap->normal, b->centre, c);
    double distance = hypot(c[0], c[1]), Ra = a->radius, Rb = b->radius;
    if (distance >= Ra + Rb || distance <= fabs(Ra - Rb) || distance == 0.0)
        return;
    double along = 0.5 * (distance + (Ra - Rb) * (Ra + Rb) / distance);
    double middle = atan2(c[1], c[0]), half = acos(fmin(fmax(along / Ra, -1.0), 1.0));
    for (int which = 0; which < 2; which++)
    {
        double angle = middle + (which == 0 ? -half : half), last = angle + 1e-4;
        palVec3 point;
        double value = outside(overlap, angle, &point), lastValue = outside(overlap, last, &point);
        for (int i = 0; i < crossingSteps && value != 0.0 && value != lastValue; i++)
        {
            double next = angle - value * (angle - last) / (value - lastValue);
            last = angle, lastValue = value;
            angle = next, value = outside(overlap, angle, &point);
        }
        value = outside(overlap, angle, &point);
        if (fabs(value) <= overlap->tolerance)
            palFacetOverlap_AddOfA(overlap, point, palKey_Edges(a->edges[0], b->edges[0], which));
    }
}

void palFacetOverlap_FindDiscs(palFacetOverlap* overlap)
{
    const palFacet *a = &overlap->a, *b = &overlap->b;
    if (a->kind == pal_facetDisc && b->kind == pal_facetDisc)
    {
        // The rim of the smaller one first: where all of it is within the larger, that is all.
        bool smallerB = b->radius < a->radius;
        if (addRim(overlap, smallerB ? b : a, smallerB ? a : b) == a->count)
            return;
        addRim(overlap, smallerB ? a : b, smallerB ? b : a);
        crossRims(overlap);
        return;
    }
    const palFacet* disc = a->kind == pal_facetDisc ? a : b;
    const palFacet* other = disc == a ? b : a;
    if (other->kind == pal_facetPolygon)
        for (int k = 0; k < disc->count; k++)
            if (palFacetOverlap_IsOverPolygon(overlap, other, disc->points[k]))
                addOf(overlap, disc, disc->points[k], disc->vertices[k]);
    for (int i = 0; i < other->count; i++)
        tryEdge(overlap, disc, other, i);
}
