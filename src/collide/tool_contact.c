// SPDX-License-Identifier: Apache-2.0
#include "collide/tool_contact.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// The sine of the turn by which a feature may fail to be a local minimum: a flat tool that is about
// to lie down keeps its contacts.
static const double turnSlack = 0.1;
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

static void add(palContactList* list, const palToolContact* contact)
{
    if (list->count < list->capacity)
        list->contacts[list->count++] = *contact;
    else
        list->overflow = true;
}

static size_t firstCount(const palToolPair* pair)
{
    return (size_t)pair->tool.surface.vertexCount + (size_t)pair->soft.surface.vertexCount +
           (size_t)pair->soft.topology.edgeCount;
}

palResult palToolPair_Init(palToolPair* pair, const palSurface* tool, const palSurface* soft,
                           palError* error)
{
    *pair = (palToolPair){0};
    palResult result = palMovingSurface_Init(&pair->tool, tool, error);
    if (result == pal_ok)
        result = palMovingSurface_Init(&pair->soft, soft, error);
    if (result == pal_ok)
        result = palBoxTree_Init(&pair->softTree, soft->triangleCount, pair->soft.boxes, error);
    if (result == pal_ok)
    {
        size_t size = firstCount(pair) * sizeof *pair->firsts;
        pair->firsts = malloc(size);
        if (pair->firsts == NULL)
            result = palError_Memory(error, "the contacts of vertices", size);
    }
    if (result != pal_ok)
        palToolPair_Free(pair);
    return result;
}

void palToolPair_Free(palToolPair* pair)
{
    palMovingSurface_Free(&pair->tool);
    palMovingSurface_Free(&pair->soft);
    palBoxTree_Free(&pair->softTree);
    free(pair->firsts);
    *pair = (palToolPair){0};
}

void palToolPair_Move(palToolPair* pair, const palVec3* toolStart, const palVec3* toolEnd,
                      const palVec3* softStart, const palVec3* softEnd)
{
    palMovingSurface_Move(&pair->tool, toolStart, toolEnd);
    palMovingSurface_Move(&pair->soft, softStart, softEnd);
    palBoxTree_Refit(&pair->softTree, pair->soft.boxes);
}

// A walk over the soft triangles whose boxes meet that of one tool triangle.
typedef struct Walk
{
    const palToolPair* pair;
    palContactList* list;
    int triangle;    // of the tool
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

// Adds a contact, or puts it in the place of a later one of the same feature.
static void addFirst(const Walk* walk, const palToolContact* contact, int feature)
{
    palContactList* list = walk->list;
    int* first = &walk->pair->firsts[feature];
    if (!list->earliest || *first < 0)
    {
        *first = list->count < list->capacity ? list->count : -1;
        add(list, contact);
    }
    else if (contact->t < list->contacts[*first].t)
        list->contacts[*first] = *contact;
}

// Completes a contact of the sweep. Features that touched from the start on have no normal of their
// own and take `usual`, that of a face or of the soft edge; where the surface of that has an
// inside, a contact against it comes from there.
static void addImpact(const Walk* walk, palToolContact* contact, int feature, palVec3 usual,
                      bool isClosed)
{
    contact->leaves = isClosed && palDot(contact->normal, usual) < 0.0;
    if (palLengthSquared(contact->normal) == 0.0)
        contact->normal = palLengthSquared(usual) > 0.0 ? usual : palMakeVec3(0, 0, 1);
    palVec3 tool = palMovingSurface_At(&walk->pair->tool, &contact->tool);
    palVec3 soft = palMovingSurface_At(&walk->pair->soft, &contact->soft);
    contact->gap = palDot(contact->normal, palSub(tool, soft));
    addFirst(walk, contact, feature);
}

// A vertex of one surface, corner k of triangle t, against triangle u of the other.
static void sweepVertex(const Walk* walk, bool ofTool, int t, int k, int u)
{
    const palMovingSurface* one = ofTool ? &walk->pair->tool : &walk->pair->soft;
    const palMovingSurface* other = ofTool ? &walk->pair->soft : &walk->pair->tool;
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
    palToolContact contact = {
        .kind = ofTool ? pal_toolVertexFace : pal_toolFaceVertex,
        .tool = ofTool ? of : on,
        .soft = ofTool ? on : of,
        .normal = ofTool ? impact.normal : palNeg(impact.normal),
        .t = impact.t,
    };
    int feature = ofTool ? vertex : walk->pair->tool.surface.vertexCount + vertex;
    addImpact(walk, &contact, feature, ofTool ? usual : palNeg(usual), other->closed);
}

// Edge i of tool triangle t against edge j of soft triangle u.
static void sweepEdges(const Walk* walk, int t, int i, int u, int j)
{
    int a[2], b[2];
    edgeOf(&walk->pair->tool, t, i, a);
    edgeOf(&walk->pair->soft, u, j, b);
    palMovingPoint p[2], q[2];
    for (int k = 0; k < 2; k++)
    {
        p[k] = palMovingSurface_Vertex(&walk->pair->tool, a[k]);
        q[k] = palMovingSurface_Vertex(&walk->pair->soft, b[k]);
    }
    palImpact impact;
    if (!palBounds_Meet(palBounds_Union(sweptBox(p[0]), sweptBox(p[1])),
                        palBounds_Union(sweptBox(q[0]), sweptBox(q[1]))) ||
        !palImpact_EdgeEdge(p, q, &impact))
        return;
    palToolContact contact = {
        .kind = pal_toolEdgeEdge,
        .tool = placeOf(2, a, impact.weightsA),
        .soft = placeOf(2, b, impact.weightsB),
        .normal = impact.normal,
        .t = impact.t,
    };
    const palMovingSurface* softSurface = &walk->pair->soft;
    int feature = walk->pair->tool.surface.vertexCount + softSurface->surface.vertexCount +
                  softSurface->topology.triangleEdges[u][j];
    addImpact(walk, &contact, feature,
              palMovingSurface_Normal(softSurface, u, pal_featureEdge0 + j), softSurface->closed);
}

static void sweepTriangles(int u, void* data)
{
    const Walk* walk = data;
    int t = walk->triangle;
    unsigned tool = walk->pair->tool.owned[t], soft = walk->pair->soft.owned[u];
    for (int k = 0; k < 3; k++)
    {
        if (tool >> k & 1)
            sweepVertex(walk, true, t, k, u);
        if (soft >> k & 1)
            sweepVertex(walk, false, u, k, t);
        for (int j = 0; j < 3 && (tool >> (3 + k) & 1); j++)
            if (soft >> (3 + j) & 1)
                sweepEdges(walk, t, k, u, j);
    }
}

static void walkTriangles(Walk* walk, void (*visit)(int, void*))
{
    const palToolPair* pair = walk->pair;
    walk->list->count = 0;
    walk->list->overflow = false;
    for (int t = 0; t < pair->tool.surface.triangleCount; t++)
    {
        walk->triangle = t;
        palBounds box = palBounds_Grown(pair->tool.boxes[t], walk->distance);
        palBoxTree_Visit(&pair->softTree, pair->soft.boxes, box, visit, walk);
    }
}

void palToolPair_Sweep(palToolPair* pair, palContactList* list)
{
    Walk walk = {.pair = pair, .list = list};
    memset(pair->firsts, 0xff, firstCount(pair) * sizeof *pair->firsts); // -1
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

static bool isInside(const palMovingSurface* moving, palVec3 x)
{
    palClosest closest;
    double distance;
    return palMovingSurface_Nearest(moving, x, INFINITY, &closest, &distance) && distance < 0.0;
}

// Adds the pair where the two features face one another. d, from the soft feature to the tool's,
// is the normal while they are apart and its opposite where they overlap. On a surface with an
// inside the sides tell which; overlap that only seems so, through the back of a thin part, is left
// out.
static void addNear(const Walk* walk, palToolContactKind kind, const Feature* tool,
                    const Feature* soft)
{
    palVec3 toolNormal = palMovingSurface_Normal(tool->on, tool->triangle, tool->feature);
    palVec3 softNormal = palMovingSurface_Normal(soft->on, soft->triangle, soft->feature);
    palVec3 d = palSub(tool->x, soft->x);
    double distance = palLength(d);
    bool clear = distance > noise * (palLength(tool->x) + palLength(soft->x));
    palVec3 n = clear ? palScale(1.0 / distance, d) : softNormal;
    double gap = distance;
    bool bySoft = soft->on->closed;
    bool behind =
        bySoft ? palDot(n, softNormal) < 0.0 : tool->on->closed && palDot(n, toolNormal) > 0.0;
    if (behind)
    {
        if (!(bySoft ? isInside(soft->on, tool->x) : isInside(tool->on, soft->x)))
            return;
        n = palNeg(n);
        gap = -distance;
    }
    bool facing = (!soft->on->closed || palDot(n, softNormal) > 0.0) &&
                  (!tool->on->closed || palDot(n, toolNormal) < 0.0);
    if (!facing ||
        !palMovingSurface_SticksOut(tool->on, tool->triangle, tool->feature, tool->x, n,
                                    turnSlack) ||
        !palMovingSurface_SticksOut(soft->on, soft->triangle, soft->feature, soft->x, palNeg(n),
                                    turnSlack))
        return;
    palToolContact contact = {
        .kind = kind,
        .tool = tool->place,
        .soft = soft->place,
        .normal = n,
        .t = 1.0,
        .gap = gap,
    };
    add(walk->list, &contact);
}

// A vertex of one surface near triangle u of the other. Where the closest point is on an edge or a
// vertex, the triangle that owns that one speaks for it.
static void nearVertex(const Walk* walk, bool ofTool, int t, int k, int u)
{
    const palMovingSurface* one = ofTool ? &walk->pair->tool : &walk->pair->soft;
    const palMovingSurface* other = ofTool ? &walk->pair->soft : &walk->pair->tool;
    int vertex = one->surface.triangles[t][k];
    palBounds point = palMakeBounds(one->surface.vertices[vertex]);
    if (!palBounds_Meet(palBounds_Grown(point, walk->distance), other->boxes[u]))
        return;
    const int* v = other->surface.triangles[u];
    const palVec3* y = other->surface.vertices;
    const double whole = 1.0;
    Feature of = {one, t, pal_featureVertex0 + k, placeOf(1, &vertex, &whole),
                  one->surface.vertices[vertex]};
    palClosest closest = palClosestOnTriangle(of.x, y[v[0]], y[v[1]], y[v[2]]);
    closest.triangle = u;
    if (closest.distance > walk->distance)
        return;
    if (closest.feature >= pal_featureVertex0 &&
        (!ofTool || !(other->owned[u] >> (closest.feature - pal_featureVertex0) & 1)))
        return; // two vertices are the tool vertex's case
    if (closest.feature >= pal_featureEdge0 && closest.feature < pal_featureVertex0 &&
        !(other->owned[u] >> (3 + closest.feature - pal_featureEdge0) & 1))
        return;
    if (!palMovingSurface_IsNearest(other, u, closest.feature, closest.point, of.x))
        return;
    Feature on = {other, u, closest.feature, palMovingSurface_Place(other, &closest),
                  closest.point};
    if (ofTool)
        addNear(walk, pal_toolVertexFace, &of, &on);
    else
        addNear(walk, pal_toolFaceVertex, &on, &of);
}

// Two edges that are nearest within both.
static void nearEdges(const Walk* walk, int t, int i, int u, int j)
{
    int a[2], b[2];
    edgeOf(&walk->pair->tool, t, i, a);
    edgeOf(&walk->pair->soft, u, j, b);
    const palVec3* x = walk->pair->tool.surface.vertices;
    const palVec3* y = walk->pair->soft.surface.vertices;
    const palVec3 p[2] = {x[a[0]], x[a[1]]}, q[2] = {y[b[0]], y[b[1]]};
    palBounds toolBox = palBounds_With(palMakeBounds(p[0]), p[1]);
    palBounds softBox = palBounds_With(palMakeBounds(q[0]), q[1]);
    if (!palBounds_Meet(palBounds_Grown(toolBox, walk->distance), softBox))
        return;
    double s, r;
    double square = palClosestOnSegments(p, q, &s, &r);
    if (square > walk->distance * walk->distance || !(s > 0.0 && s < 1.0 && r > 0.0 && r < 1.0))
        return;
    const double ws[2] = {1.0 - s, s}, wr[2] = {1.0 - r, r};
    Feature tool = {&walk->pair->tool, t, pal_featureEdge0 + i, placeOf(2, a, ws),
                    palLerp(p[0], p[1], s)};
    Feature soft = {&walk->pair->soft, u, pal_featureEdge0 + j, placeOf(2, b, wr),
                    palLerp(q[0], q[1], r)};
    addNear(walk, pal_toolEdgeEdge, &tool, &soft);
}

static void nearTriangles(int u, void* data)
{
    const Walk* walk = data;
    int t = walk->triangle;
    unsigned tool = walk->pair->tool.owned[t], soft = walk->pair->soft.owned[u];
    for (int k = 0; k < 3; k++)
    {
        if (tool >> k & 1)
            nearVertex(walk, true, t, k, u);
        if (soft >> k & 1)
            nearVertex(walk, false, u, k, t);
        for (int j = 0; j < 3 && (tool >> (3 + k) & 1); j++)
            if (soft >> (3 + j) & 1)
                nearEdges(walk, t, k, u, j);
    }
}

void palToolPair_Near(palToolPair* pair, double distance, palContactList* list)
{
    Walk walk = {.pair = pair, .list = list, .distance = distance};
    walkTriangles(&walk, nearTriangles);
}

static int findInside(const palMovingSurface* of, const palMovingSurface* in, double depthMax,
                      int capacity, palInsideVertex* inside)
{
    if (!in->closed)
        return 0;
    palBounds bounds = palSurface_Bounds(&in->surface);
    int count = 0;
    for (int v = 0; v < of->surface.vertexCount; v++)
    {
        palVec3 x = of->surface.vertices[v];
        palClosest closest;
        double distance;
        if (!palBounds_Meet(palMakeBounds(x), bounds) ||
            !palMovingSurface_Nearest(in, x, depthMax, &closest, &distance) || !(distance < 0.0) ||
            palMovingSurface_Winding(in, x) < 0.5)
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

int palToolPair_ToolInside(const palToolPair* pair, double depthMax, int capacity,
                           palInsideVertex* inside)
{
    return findInside(&pair->tool, &pair->soft, depthMax, capacity, inside);
}

int palToolPair_SoftInside(const palToolPair* pair, double depthMax, int capacity,
                           palInsideVertex* inside)
{
    return findInside(&pair->soft, &pair->tool, depthMax, capacity, inside);
}
