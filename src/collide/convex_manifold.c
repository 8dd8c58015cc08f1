// SPDX-License-Identifier: Apache-2.0
#include "collide/facet_overlap.h"

// Of the smaller extent, across the normal: corners nearer to each other are one, and a corner as
// far outside the other facet counts as on it. Bodies of one size that stand on each other keep
// their contacts while they are shifted by less.
static const double sidewaysTolerance = 1e-5;
// The cosine between a facet and the normal below which it is seen edge-on.
static const double edgeOn = 0.01;

static bool isFlat(const palFacet* facet)
{
    return facet->kind == pal_facetPolygon || facet->kind == pal_facetDisc;
}

// Two unit vectors across the normal that move with a.
static void directionsOf(const palConvex* a, palVec3 n, palVec3 across[2])
{
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(palDot(n, palMat3Column(a->R, k))) <
            fabs(palDot(n, palMat3Column(a->R, least))) - 1e-6)
            least = k;
    palVec3 column = palMat3Column(a->R, least);
    across[0] = palNormalize(palMulAdd(column, -palDot(column, n), n));
    across[1] = palCross(n, across[0]);
}

static void take(palRigidContact* contacts, int* count, const palRigidContact* corner)
{
    for (int i = 0; i < *count; i++)
        if (contacts[i].key == corner->key)
            return;
    contacts[(*count)++] = *corner;
}

// Of more corners than a manifold holds: the deepest, and the outermost in as many directions as
// remain.
static int choose(const palConvex* a, const palFacetOverlap* overlap,
                  palRigidContact contacts[pal_manifoldMax])
{
    palVec3 across[2];
    directionsOf(a, overlap->normal, across);
    int count = 0, deepest = 0;
    for (int i = 1; i < overlap->count; i++)
        if (overlap->corners[i].gap < overlap->corners[deepest].gap)
            deepest = i;
    for (int k = 0; k < pal_manifoldMax; k++)
    {
        const double diagonal = 0.70710678118654752440;
        const double cosines[pal_manifoldMax] = {1,  diagonal,  0, -diagonal,
                                                 -1, -diagonal, 0, diagonal};
        palVec3 d = palAdd(palScale(cosines[k], across[0]),
                           palScale(cosines[(k + 6) % pal_manifoldMax], across[1]));
        int best = 0;
        for (int i = 1; i < overlap->count; i++)
            if (palDot(d, overlap->corners[i].onA) >
                palDot(d, overlap->corners[best].onA) + overlap->tolerance)
                best = i;
        take(contacts, &count, &overlap->corners[best]);
    }
    // Instead of the contact with the largest gap, if it is not among them.
    int largest = 0;
    for (int i = 1; i < count; i++)
        if (contacts[i].gap > contacts[largest].gap)
            largest = i;
    if (count == pal_manifoldMax)
    {
        for (int i = 0; i < count; i++)
            if (contacts[i].key == overlap->corners[deepest].key)
                return count;
        contacts[largest] = overlap->corners[deepest];
        return count;
    }
    take(contacts, &count, &overlap->corners[deepest]);
    return count;
}

static int keepNear(const palConvex* a, palFacetOverlap* overlap, double distance,
                    palRigidContact contacts[pal_manifoldMax])
{
    int kept = 0;
    for (int i = 0; i < overlap->count; i++)
        if (overlap->corners[i].gap <= distance)
            overlap->corners[kept++] = overlap->corners[i];
    overlap->count = kept;
    if (kept > pal_manifoldMax)
        return choose(a, overlap, contacts);
    for (int i = 0; i < kept; i++)
        contacts[i] = overlap->corners[i];
    return kept;
}

int palConvex_Manifold(const palConvex* a, const palConvex* b, const palConvexGap* gap,
                       double distance, palRigidContact contacts[pal_manifoldMax])
{
    palFacetOverlap overlap;
    overlap.normal = gap->normal;
    overlap.tolerance = sidewaysTolerance * fmin(a->shape->extent, b->shape->extent);
    overlap.count = 0;
    palConvex_Facet(a, palNeg(gap->normal), gap->onA, &overlap.a);
    palConvex_Facet(b, gap->normal, gap->onB, &overlap.b);
    bool steep = (isFlat(&overlap.a) && -palDot(overlap.a.normal, gap->normal) < edgeOn) ||
                 (isFlat(&overlap.b) && palDot(overlap.b.normal, gap->normal) < edgeOn);
    if (overlap.a.kind == pal_facetPoint)
        palFacetOverlap_Add(&overlap, overlap.a.points[0],
                            palMulAdd(overlap.a.points[0], -gap->gap, gap->normal),
                            palKey_VertexOfA(0));
    else if (overlap.b.kind == pal_facetPoint)
        palFacetOverlap_Add(&overlap, palMulAdd(overlap.b.points[0], gap->gap, gap->normal),
                            overlap.b.points[0], palKey_VertexOfB(0));
    else if (steep)
        palFacetOverlap_Add(&overlap, gap->onA, gap->onB, palKey_Edges(0, 0, 1));
    else if (overlap.a.kind == pal_facetDisc || overlap.b.kind == pal_facetDisc)
        palFacetOverlap_FindDiscs(&overlap);
    else
        palFacetOverlap_FindFlat(&overlap);
    return keepNear(a, &overlap, distance, contacts);
}

static void addOverPlane(palFacetOverlap* overlap, palVec3 point, double offset, int vertex)
{
    double gap = palDot(overlap->normal, point) - offset;
    palFacetOverlap_Add(overlap, point, palMulAdd(point, -gap, overlap->normal),
                        palKey_VertexOfA(vertex));
}

int palConvex_OnPlane(const palConvex* a, palVec3 normal, double offset, double distance,
                      palRigidContact contacts[pal_manifoldMax])
{
    palFacetOverlap overlap;
    overlap.normal = normal;
    overlap.tolerance = 0.0;
    overlap.count = 0;
    bool isHull = a->shape->kind == pal_rigidBox || a->shape->kind == pal_rigidHull;
    if (isHull && a->shape->hull.vertexCount <= pal_hullCornersMax)
    {
        for (int i = 0; i < a->shape->hull.vertexCount; i++)
            addOverPlane(&overlap, palConvex_Vertex(a, i), offset, i);
    }
    else
    {
        palVec3 d = palNeg(normal);
        palConvex_Facet(a, d, palConvex_CoreSupport(a, d), &overlap.a);
        for (int i = 0; i < overlap.a.count; i++)
            addOverPlane(&overlap, overlap.a.points[i], offset, overlap.a.vertices[i]);
    }
    return keepNear(a, &overlap, distance, contacts);
}
