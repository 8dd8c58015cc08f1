// SPDX-License-Identifier: Apache-2.0
// Isotropic remeshing after Botsch and Kobbelt, "A remeshing approach to multiresolution modeling",
// SGP 2004: collapse short edges, flip, smooth in the tangent plane, project; without splits.
//
// Every edit is accepted or rejected by the quality of the triangles with respect to the normal n
// of the field:
//
//     q = 2 sqrt(3) ((b - a) x (c - a)) . n / (|ab|² + |bc|² + |ca|²)
//
// 1 for an equilateral triangle with normal n, 0 for a sliver or a triangle perpendicular to the
// surface, negative for an inverted one. An edit that lowers the worst q below a threshold is
// rejected, so no edit inverts a triangle.
#include "mesh/remesh.h"

#include "base/error.h"
#include "mesh/halfedge.h"

#include <stdlib.h>

// Fractions of the target length: shorter edges are collapsed, and no longer edge is created. The
// values of Botsch and Kobbelt, for which a collapse never creates an edge to be split again.
static const double shortEdge = 4.0 / 5.0;
static const double longEdge = 4.0 / 3.0;

// Minimum quality after an edit: a collapse requires usable triangles, smoothing good ones.
static const double usableQuality = 0.1;
static const double goodQuality = 0.75;

// Allowed distance of a vertex from the zero set, as a fraction of the edge length.
static const double projectionTolerance = 1e-7;

// Smoothing steps below this fraction of the edge length are skipped.
static const double stepMin = 0.02;

enum
{
    rounds = 3,          // of merging, flipping and smoothing
    smoothingPasses = 3, // per round
    passLimit = 12,      // of merging or flipping within a round; typically five are needed
};

typedef struct remesher
{
    palHalfEdges h;
    palVec3* x; // borrowed, [vertexCount], m
    palVec3* n; // owned, [vertexCount], outward unit normals of the field
    palField field;
    double edge; // m
} remesher;

// A proposed vertex move, for evaluating the quality before it is accepted.
typedef struct proposal
{
    int a, b; // both vertices are at x with the normal n; b may be -1
    palVec3 x, n;
} proposal;

static palVec3 positionOf(const remesher* r, const proposal* p, int v)
{
    return p != NULL && (v == p->a || v == p->b) ? p->x : r->x[v];
}

static palVec3 normalOf(const remesher* r, const proposal* p, int v)
{
    return p != NULL && (v == p->a || v == p->b) ? p->n : r->n[v];
}

static double quality(const remesher* r, const proposal* p, int u, int v, int w)
{
    palVec3 a = positionOf(r, p, u), b = positionOf(r, p, v), c = positionOf(r, p, w);
    palVec3 ab = palSub(b, a), bc = palSub(c, b), ca = palSub(a, c);
    palVec3 n = palAdd(normalOf(r, p, u), palAdd(normalOf(r, p, v), normalOf(r, p, w)));
    double facing = palDot(palCross(ab, palNeg(ca)), palNormalize(n));
    double squares = palLengthSquared(ab) + palLengthSquared(bc) + palLengthSquared(ca);
    return squares > 0.0 ? 2.0 * sqrt(3.0) * facing / squares : 0.0;
}

// The worst quality of the triangles around vertex v. Triangles that contain both a and b of the
// proposal are removed by the merge and do not count.
static double worstQuality(const remesher* r, const proposal* p, int v)
{
    double worst = 1.0;
    int e = r->h.out[v];
    do
    {
        int target = palHalfEdges_Target(&r->h, e);
        int apex = palHalfEdges_Apex(&r->h, e);
        int partner = p == NULL || p->b < 0 ? -1 : v == p->a ? p->b : p->a;
        if (partner < 0 || (target != partner && apex != partner))
            worst = fmin(worst, quality(r, p, v, target, apex));
    } while ((e = palHalfEdges_NextAround(&r->h, e)) != r->h.out[v]);
    return worst;
}

static double longestEdge(const remesher* r, palVec3 x, int v)
{
    double longest = 0.0;
    int e = r->h.out[v];
    do
        longest = fmax(longest, palDistance(x, r->x[palHalfEdges_Target(&r->h, e)]));
    while ((e = palHalfEdges_NextAround(&r->h, e)) != r->h.out[v]);
    return longest;
}

static bool project(const remesher* r, proposal* p)
{
    return palField_Project(r->field, 0.5 * r->edge, projectionTolerance * r->edge, &p->x, &p->n);
}

static void accept(remesher* r, const proposal* p)
{
    r->x[p->a] = p->x;
    r->n[p->a] = p->n;
}

// Collapses a short edge to a point of the surface near its midpoint. Returns whether it did.
static bool mergeEdge(remesher* r, int e)
{
    int a = palHalfEdges_Origin(&r->h, e);
    int b = palHalfEdges_Target(&r->h, e);
    proposal p = {.a = a, .b = b, .x = palLerp(r->x[a], r->x[b], 0.5)};
    if (palDistance(r->x[a], r->x[b]) >= shortEdge * r->edge)
        return false;
    if (fmax(longestEdge(r, p.x, a), longestEdge(r, p.x, b)) > longEdge * r->edge)
        return false;
    if (!palHalfEdges_CanCollapse(&r->h, e) || !project(r, &p))
        return false;
    double before = fmin(worstQuality(r, NULL, a), worstQuality(r, NULL, b));
    double after = fmin(worstQuality(r, &p, a), worstQuality(r, &p, b));
    if (after < fmin(before, usableQuality))
        return false;
    palHalfEdges_Collapse(&r->h, e);
    accept(r, &p);
    return true;
}

// Flips the edge if that improves the worse of its two triangles. Each flip increases the sorted
// list of qualities lexicographically, so that flipping terminates. Returns whether it flipped.
static bool flipEdge(remesher* r, int e)
{
    int a = palHalfEdges_Origin(&r->h, e);
    int b = palHalfEdges_Target(&r->h, e);
    int c = palHalfEdges_Apex(&r->h, e);
    int d = palHalfEdges_Apex(&r->h, r->h.twin[e]);
    double before = fmin(quality(r, NULL, a, b, c), quality(r, NULL, b, a, d));
    double after = fmin(quality(r, NULL, d, b, c), quality(r, NULL, c, a, d));
    if (after <= before || !palHalfEdges_CanFlip(&r->h, e))
        return false;
    palHalfEdges_Flip(&r->h, e);
    return true;
}

// Moves a vertex in the tangent plane to the centroid of its neighbours, then projects it onto the
// surface.
static bool smoothVertex(remesher* r, int v)
{
    palVec3 sum = pal_zeroVec3;
    int valence = 0;
    int e = r->h.out[v];
    do
    {
        sum = palAdd(sum, r->x[palHalfEdges_Target(&r->h, e)]);
        valence++;
    } while ((e = palHalfEdges_NextAround(&r->h, e)) != r->h.out[v]);
    palVec3 step = palSub(palScale(1.0 / valence, sum), r->x[v]);
    step = palMulAdd(step, -palDot(step, r->n[v]), r->n[v]);
    proposal p = {.a = v, .b = -1, .x = palAdd(r->x[v], step)};
    if (palLength(step) < stepMin * r->edge || !project(r, &p))
        return false;
    if (worstQuality(r, &p, v) < fmin(worstQuality(r, NULL, v), goodQuality))
        return false;
    accept(r, &p);
    return true;
}

// Applies an edit to every edge, once per pass, until a pass changes nothing.
static void editEdges(remesher* r, bool (*edit)(remesher*, int))
{
    bool changed = true;
    for (int pass = 0; changed && pass < passLimit; pass++)
    {
        changed = false;
        for (int e = 0; e < 3 * r->h.triangleCount; e++)
            if (r->h.triangles[e / 3][0] >= 0 && e < r->h.twin[e])
                changed |= edit(r, e);
    }
}

// Projects the remaining vertices onto the surface, unless a triangle would be inverted.
static void projectAll(remesher* r)
{
    for (int v = 0; v < r->h.vertexCount; v++)
    {
        if (r->h.out[v] < 0)
            continue;
        proposal p = {.a = v, .b = -1, .x = r->x[v]};
        if (project(r, &p) && worstQuality(r, &p, v) > 0.0)
            accept(r, &p);
    }
}

static void improve(remesher* r)
{
    for (int v = 0; v < r->h.vertexCount; v++)
        r->n[v] = palNormalize(palField_Gradient(r->field, r->x[v], 1e-4 * r->edge));
    for (int round = 0; round < rounds; round++)
    {
        editEdges(r, mergeEdge);
        editEdges(r, flipEdge);
        for (int pass = 0; pass < smoothingPasses; pass++)
            for (int v = 0; v < r->h.vertexCount; v++)
                if (r->h.out[v] >= 0)
                    smoothVertex(r, v);
    }
    editEdges(r, flipEdge);
    projectAll(r);
}

// Copies the remaining vertices and triangles into compact arrays, in the same order.
static palResult compact(const remesher* r, palSurface* surface, palError* error)
{
    int vertexCount = 0, triangleCount = 0;
    for (int v = 0; v < r->h.vertexCount; v++)
        vertexCount += r->h.out[v] >= 0;
    for (int t = 0; t < r->h.triangleCount; t++)
        triangleCount += r->h.triangles[t][0] >= 0;
    int* number = malloc(((size_t)r->h.vertexCount + 1) * sizeof(int));
    if (number == NULL)
        return palError_Memory(error, "numbering a surface",
                               (size_t)r->h.vertexCount * sizeof(int));
    palSurface packed;
    palResult result = palSurface_Init(&packed, vertexCount, triangleCount, error);
    if (result != pal_ok)
    {
        free(number);
        return result;
    }
    vertexCount = triangleCount = 0;
    for (int v = 0; v < r->h.vertexCount; v++)
        if (r->h.out[v] >= 0)
        {
            packed.vertices[vertexCount] = r->x[v];
            number[v] = vertexCount++;
        }
    for (int t = 0; t < r->h.triangleCount; t++)
        if (r->h.triangles[t][0] >= 0)
        {
            for (int k = 0; k < 3; k++)
                packed.triangles[triangleCount][k] = number[r->h.triangles[t][k]];
            triangleCount++;
        }
    free(number);
    palSurface_Free(surface);
    *surface = packed;
    return pal_ok;
}

palResult palRemesh(palSurface* surface, palField field, double edge, palError* error)
{
    remesher r = {.x = surface->vertices, .field = field, .edge = edge};
    palResult result = palHalfEdges_Init(&r.h, surface, error);
    if (result != pal_ok)
        return result;
    r.n = malloc(((size_t)surface->vertexCount + 1) * sizeof(palVec3));
    if (r.n == NULL)
        result = palError_Memory(error, "normals", (size_t)surface->vertexCount * sizeof(palVec3));
    else
    {
        improve(&r);
        result = compact(&r, surface, error);
    }
    free(r.n);
    palHalfEdges_Free(&r.h);
    return result;
}
