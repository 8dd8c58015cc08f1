// SPDX-License-Identifier: Apache-2.0
#include "collide/surface_pair.h"

#include "base/error.h"

#include <stdlib.h>

// The sine of the angle by which a feature may fail to be a local minimum: a flat side that is
// about to lie down keeps its contacts.
static const double turnSlack = 0.1;
// The way out of a body through one of its edges or vertices is longer than the shortest one, by
// 1 / sin of half the angle there: this covers angles down to 29 degrees.
static const double wayOut = 4.0;
// Directions of vectors shorter than this share of the coordinates are rounding noise.
static const double noise = 1e-10;

palResult palContactList_Init(palContactList* list, int capacity, palError* error)
{
    *list = (palContactList){.capacity = capacity};
    size_t size = ((size_t)capacity + 1) * sizeof *list->contacts;
    list->contacts = malloc(size);
    return list->contacts != NULL ? pal_ok : palError_Memory(error, "a list of contacts", size);
}

void palContactList_Free(palContactList* list)
{
    free(list->contacts);
    *list = (palContactList){0};
}

static void add(palContactList* list, const palSurfaceContact* contact)
{
    if (list->count < list->capacity)
        list->contacts[list->count++] = *contact;
    else
        list->overflow = true;
}

// A walk over the triangles of b whose boxes meet that of one triangle of a.
typedef struct Walk
{
    const palSurfacePair* pair;
    palContactList* list;
    int triangle;    // of a
    double distance; // of nearness, m
} Walk;

static palBounds sweptBox(palMovingPoint a)
{
    return palBounds_With(palMakeBounds(a.start), a.end);
}

static palSurfacePlace placeOf(int count, const int* vertices, const double* weights)
{
    palSurfacePlace place = {.count = count};
    for (int k = 0; k < 3; k++)
    {
        place.vertices[k] = vertices[k < count ? k : 0];
        place.weights[k] = k < count ? weights[k] : 0.0;
    }
    return place;
}

static void edgeOf(const palMovingSurface* moving, int triangle, int k, int ends[2])
{
    ends[0] = moving->surface.triangles[triangle][k];
    ends[1] = moving->surface.triangles[triangle][(k + 1) % 3];
}

// Completes a contact of the sweep. Features that touched from the start on have no normal of their
// own and take `usual`, that of the face or of the edge of b; where the surface of that has an
// inside, a contact against it comes from there.
static void addImpact(const Walk* walk, palSurfaceContact* contact, palVec3 usual, bool isClosed)
{
    contact->leaves = isClosed && palDot(contact->normal, usual) < 0.0;
    if (palLengthSquared(contact->normal) == 0.0)
        contact->normal = palLengthSquared(usual) > 0.0 ? usual : palMakeVec3(0, 0, 1);
    palVec3 a = palMovingSurface_At(walk->pair->a, &contact->a);
    palVec3 b = palMovingSurface_At(walk->pair->b, &contact->b);
    contact->gap = palDot(contact->normal, palSub(a, b));
    add(walk->list, contact);
}

// A vertex of one surface, corner k of triangle t, against triangle u of the other.
static void sweepVertex(const Walk* walk, bool ofA, int t, int k, int u)
{
    const palMovingSurface* one = ofA ? walk->pair->a : walk->pair->b;
    const palMovingSurface* other = ofA ? walk->pair->b : walk->pair->a;
    int vertex = one->surface.triangles[t][k];
    palMovingPoint point = palMovingSurface_Vertex(one, vertex), face[3];
    if (!palBounds_Meet(sweptBox(point), other->boxes[u]))
        return;
    for (int i = 0; i < 3; i++)
        face[i] = palMovingSurface_Vertex(other, other->surface.triangles[u][i]);
    palImpact impact;
    if (!palImpact_VertexFace(point, face, &impact))
        return;
    palSurfacePlace on = placeOf(3, other->surface.triangles[u], impact.weightsB);
    palSurfacePlace of = placeOf(1, &vertex, impact.weightsA);
    palVec3 usual = palMovingSurface_Normal(other, u, pal_featureFace);
    palSurfaceContact contact = {
        .kind = ofA ? pal_contactVertexFace : pal_contactFaceVertex,
        .a = ofA ? of : on,
        .b = ofA ? on : of,
        .normal = ofA ? impact.normal : palNeg(impact.normal),
        .t = impact.t,
    };
    addImpact(walk, &contact, ofA ? usual : palNeg(usual), other->closed);
}

// Edge i of triangle t of a against edge j of triangle u of b.
static void sweepEdges(const Walk* walk, int t, int i, int u, int j)
{
    int a[2], b[2];
    edgeOf(walk->pair->a, t, i, a);
    edgeOf(walk->pair->b, u, j, b);
    palMovingPoint p[2], q[2];
    for (int k = 0; k < 2; k++)
    {
        p[k] = palMovingSurface_Vertex(walk->pair->a, a[k]);
        q[k] = palMovingSurface_Vertex(walk->pair->b, b[k]);
    }
    palImpact impact;
    if (!palBounds_Meet(palBounds_Union(sweptBox(p[0]), sweptBox(p[1])),
                        palBounds_Union(sweptBox(q[0]), sweptBox(q[1]))) ||
        !palImpact_EdgeEdge(p, q, &impact))
        return;
    palSurfaceContact contact = {
        .kind = pal_contactEdgeEdge,
        .a = placeOf(2, a, impact.weightsA),
        .b = placeOf(2, b, impact.weightsB),
        .normal = impact.normal,
        .t = impact.t,
    };
    addImpact(walk, &contact, palMovingSurface_Normal(walk->pair->b, u, pal_featureEdge0 + j),
              walk->pair->b->closed);
}

static void sweepTriangles(int u, void* data)
{
    const Walk* walk = data;
    int t = walk->triangle;
    unsigned ofA = walk->pair->a->owned[t], ofB = walk->pair->b->owned[u];
    for (int k = 0; k < 3; k++)
    {
        if (ofA >> k & 1)
            sweepVertex(walk, true, t, k, u);
        if (ofB >> k & 1)
            sweepVertex(walk, false, u, k, t);
        for (int j = 0; j < 3 && (ofA >> (3 + k) & 1); j++)
            if (ofB >> (3 + j) & 1)
                sweepEdges(walk, t, k, u, j);
    }
}

static void walkTriangles(Walk* walk, void (*visit)(int, void*))
{
    const palSurfacePair* pair = walk->pair;
    walk->list->count = 0;
    walk->list->overflow = false;
    if (!palBounds_Meet(palBounds_Grown(pair->a->bounds, walk->distance), pair->b->bounds))
        return;
    int count = pair->a->surface.triangleCount;
    const uint64_t* isNear = palMovingSurface_TrianglesNear(pair->a, pair->b, walk->distance);
    for (int t = palNextBit(isNear, 0, count); t < count; t = palNextBit(isNear, t + 1, count))
    {
        walk->triangle = t;
        palBounds box = palBounds_Grown(pair->a->boxes[t], walk->distance);
        palBoxTree_Visit(&pair->b->tree, pair->b->boxes, box, visit, walk);
    }
}

void palSurfacePair_Sweep(const palSurfacePair* pair, palContactList* list)
{
    Walk walk = {.pair = pair, .list = list};
    walkTriangles(&walk, sweepTriangles);
}

// A feature of one surface in a pair that is near.
typedef struct Feature
{
    const palMovingSurface* on;
    int triangle;
    palTriangleFeature feature;
    palSurfacePlace place;
    palVec3 x; // at the end of the step, m
} Feature;

// Whether x is inside, and a feature at that distance is near its shortest way out.
static bool isWayOut(const palMovingSurface* moving, palVec3 x, double length)
{
    palClosest closest;
    double distance;
    return palMovingSurface_Nearest(moving, x, INFINITY, &closest, &distance) && distance < 0.0 &&
           length <= wayOut * -distance;
}

// Adds the pair where the two features face one another. d, from the feature of b to that of a, is
// the normal while they are apart and its opposite where they overlap. On a surface with an
// inside the side of each feature decides which; apparent overlap, through the back of a thin part
// or far along a side, is left out.
static void addNear(const Walk* walk, palContactKind kind, const Feature* a, const Feature* b)
{
    palVec3 normalA = palMovingSurface_Normal(a->on, a->triangle, a->feature);
    palVec3 normalB = palMovingSurface_Normal(b->on, b->triangle, b->feature);
    palVec3 d = palSub(a->x, b->x);
    double distance = palLength(d);
    bool clear = distance > noise * (palLength(a->x) + palLength(b->x));
    palVec3 n = clear ? palScale(1.0 / distance, d) : normalB;
    double gap = distance;
    bool byB = b->on->closed;
    bool behind = byB ? palDot(n, normalB) < 0.0 : a->on->closed && palDot(n, normalA) > 0.0;
    if (behind)
    {
        bool overlaps = byB                    ? isWayOut(b->on, a->x, distance)
                        : walk->pair->hasFront ? palDot(n, normalB) < 0.0
                                               : isWayOut(a->on, b->x, distance);
        if (!overlaps)
            return;
        n = palNeg(n);
        gap = -distance;
    }
    bool facing = (!b->on->closed || palDot(n, normalB) > 0.0) &&
                  (!a->on->closed || palDot(n, normalA) < 0.0);
    if (!facing ||
        !palMovingSurface_SticksOut(a->on, a->triangle, a->feature, a->x, n, turnSlack) ||
        !palMovingSurface_SticksOut(b->on, b->triangle, b->feature, b->x, palNeg(n), turnSlack))
        return;
    palSurfaceContact contact = {
        .kind = kind,
        .a = a->place,
        .b = b->place,
        .normal = n,
        .t = 1.0,
        .gap = gap,
    };
    add(walk->list, &contact);
}

// A vertex of one surface near triangle u of the other. Where the closest point is on an edge or a
// vertex, only the triangle that owns it adds the contact.
static void nearVertex(const Walk* walk, bool ofA, int t, int k, int u)
{
    const palMovingSurface* one = ofA ? walk->pair->a : walk->pair->b;
    const palMovingSurface* other = ofA ? walk->pair->b : walk->pair->a;
    int vertex = one->surface.triangles[t][k];
    palVec3 x = palMovingSurface_End(one, vertex);
    if (!palBounds_Meet(palBounds_Grown(palMakeBounds(x), walk->distance), other->boxes[u]))
        return;
    const int* v = other->surface.triangles[u];
    const double whole = 1.0;
    Feature of = {one, t, pal_featureVertex0 + k, placeOf(1, &vertex, &whole), x};
    palClosest closest =
        palClosestOnTriangle(x, palMovingSurface_End(other, v[0]),
                             palMovingSurface_End(other, v[1]), palMovingSurface_End(other, v[2]));
    closest.triangle = u;
    if (closest.distance > walk->distance)
        return;
    if (closest.feature >= pal_featureVertex0 &&
        (!ofA || !(other->owned[u] >> (closest.feature - pal_featureVertex0) & 1)))
        return; // two vertices are the case of the vertex of a
    if (closest.feature >= pal_featureEdge0 && closest.feature < pal_featureVertex0 &&
        !(other->owned[u] >> (3 + closest.feature - pal_featureEdge0) & 1))
        return;
    if (!palMovingSurface_IsNearest(other, u, closest.feature, closest.point, of.x))
        return;
    Feature on = {other, u, closest.feature, palMovingSurface_Place(other, &closest),
                  closest.point};
    if (ofA)
        addNear(walk, pal_contactVertexFace, &of, &on);
    else
        addNear(walk, pal_contactFaceVertex, &on, &of);
}

// Two edges that are nearest within both.
static void nearEdges(const Walk* walk, int t, int i, int u, int j)
{
    int a[2], b[2];
    edgeOf(walk->pair->a, t, i, a);
    edgeOf(walk->pair->b, u, j, b);
    const palMovingSurface *x = walk->pair->a, *y = walk->pair->b;
    const palVec3 p[2] = {palMovingSurface_End(x, a[0]), palMovingSurface_End(x, a[1])};
    const palVec3 q[2] = {palMovingSurface_End(y, b[0]), palMovingSurface_End(y, b[1])};
    palBounds boxA = palBounds_With(palMakeBounds(p[0]), p[1]);
    palBounds boxB = palBounds_With(palMakeBounds(q[0]), q[1]);
    if (!palBounds_Meet(palBounds_Grown(boxA, walk->distance), boxB))
        return;
    double s, r;
    double square = palClosestOnSegments(p, q, &s, &r);
    if (square > walk->distance * walk->distance || !(s > 0.0 && s < 1.0 && r > 0.0 && r < 1.0))
        return;
    const double ws[2] = {1.0 - s, s}, wr[2] = {1.0 - r, r};
    Feature onA = {walk->pair->a, t, pal_featureEdge0 + i, placeOf(2, a, ws),
                   palLerp(p[0], p[1], s)};
    Feature onB = {walk->pair->b, u, pal_featureEdge0 + j, placeOf(2, b, wr),
                   palLerp(q[0], q[1], r)};
    addNear(walk, pal_contactEdgeEdge, &onA, &onB);
}

static void nearTriangles(int u, void* data)
{
    const Walk* walk = data;
    int t = walk->triangle;
    unsigned ofA = walk->pair->a->owned[t], ofB = walk->pair->b->owned[u];
    for (int k = 0; k < 3; k++)
    {
        if (ofA >> k & 1)
            nearVertex(walk, true, t, k, u);
        if (ofB >> k & 1)
            nearVertex(walk, false, u, k, t);
        for (int j = 0; j < 3 && (ofA >> (3 + k) & 1); j++)
            if (ofB >> (3 + j) & 1)
                nearEdges(walk, t, k, u, j);
    }
}

void palSurfacePair_Near(const palSurfacePair* pair, double distance, palContactList* list)
{
    Walk walk = {.pair = pair, .list = list, .distance = distance};
    walkTriangles(&walk, nearTriangles);
}

int palSurfacePair_Inside(const palSurfacePair* pair, bool ofA, double depthMax, int capacity,
                          palInsideVertex* inside)
{
    const palMovingSurface* of = ofA ? pair->a : pair->b;
    const palMovingSurface* in = ofA ? pair->b : pair->a;
    if (!in->closed || !palBounds_Meet(of->bounds, in->bounds))
        return 0;
    int count = 0, vertices = of->surface.vertexCount;
    const uint64_t* isNear = palMovingSurface_VerticesNear(of, in, depthMax);
    for (int v = palNextBit(isNear, 0, vertices); v < vertices;
         v = palNextBit(isNear, v + 1, vertices))
    {
        palVec3 x = palMovingSurface_End(of, v);
        palClosest closest;
        double distance;
        if (!palBounds_Meet(palMakeBounds(x), in->bounds) ||
            !palMovingSurface_Nearest(in, x, depthMax, &closest, &distance) || !(distance < 0.0) ||
            palMovingSurface_Winding(in, x) < 1)
            continue;
        if (count++ >= capacity)
            continue;
        palVec3 normal = palMovingSurface_Normal(in, closest.triangle, closest.feature);
        inside[count - 1] = (palInsideVertex){
            .vertex = v,
            .place = palMovingSurface_Place(in, &closest),
            .normal = normal,
            .depth = -distance,
        };
    }
    return count;
}
