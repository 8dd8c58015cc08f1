// SPDX-License-Identifier: Apache-2.0
// Isotropic remeshing after Botsch and Kobbelt, "A remeshing approach to multiresolution modeling",
// SGP 2004: merge short edges, flip, smooth within the tangent plane, project; without splits.
//
// One number decides every edit, the quality of a triangle against the surface's own normal n:
//     q = 2 sqrt(3) ((b - a) x (c - a)) . n / (|ab|² + |bc|² + |ca|²)
// 1 for an equilateral triangle that faces along n, 0 for a sliver or one that stands on edge,
// negative for an inverted one. An edit that lowers the worst q about it below what is good enough
// is not made, so no edit turns a triangle over.
#include "mesh/remesh.h"

#include "base/error.h"
#include "mesh/halfedge.h"

#include <stdlib.h>

// Share of the wanted length below which an edge is merged and above which none is made: the
// balance of Botsch and Kobbelt, for which a merge never leaves an edge that a split would undo.
static const double shortEdge = 4.0 / 5.0;
static const double longEdge = 4.0 / 3.0;

// Qualities that an edit may leave behind: a merge anything usable, smoothing only good triangles.
static const double usableQuality = 0.1;
static const double goodQuality = 0.75;

// How far a vertex may stray from the zero set, as a share of the edge length.
static const double settleTolerance = 1e-7;

// Smoothing steps below this share of the edge length are not worth their cost.
static const double leastStep = 0.02;

enum
{
    rounds = 3,          // of merging, flipping and smoothing
    smoothingPasses = 3, // a round
    passLimit = 12,      // of merging or flipping within a round; most end after five
};

typedef struct remesher
{
    palHalfEdges h;
    palVec3* x; // borrowed, [vertexCount], m
    palVec3* n; // owned, [vertexCount], outward unit normals of the field
    palField field;
    double edge; // m
} remesher;

// A vertex about to move: positions and normals are read through it.
typedef struct proposal
{
    int a, b; // both stand at x with the normal n; b may be -1
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

// The worst quality of the triangles about vertex v. Triangles that hold both a and b of the
// proposal vanish in the merge and are left out.
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
    } while ((e = palHalfEdges_Turn(&r->h, e)) != r->h.out[v]);
    return worst;
}

static double longestEdge(const remesher* r, palVec3 x, int v)
{
    double longest = 0.0;
    int e = r->h.out[v];
    do
        longest = fmax(longest, palDistance(x, r->x[palHalfEdges_Target(&r->h, e)]));
    while ((e = palHalfEdges_Turn(&r->h, e)) != r->h.out[v]);
    return longest;
}

static bool settle(const remesher* r, proposal* p)
{
    return palField_Settle(r->field, 0.5 * r->edge, settleTolerance * r->edge, &p->x, &p->n);
}

static void accept(remesher* r, const proposal* p)
{
    r->x[p->a] = p->x;
    r->n[p->a] = p->n;
}

// Merges a short edge into a point of the surface near its middle. Returns whether it was done.
static bool tryMerge(remesher* r, int e)
{
    int a = palHalfEdges_Origin(&r->h, e);
    int b = palHalfEdges_Target(&r->h, e);
    proposal p = {.a = a, .b = b, .x = palLerp(r->x[a], r->x[b], 0.5)};
    if (palDistance(r->x[a], r->x[b]) >= shortEdge * r->edge)
        return false;
    if (fmax(longestEdge(r, p.x, a), longestEdge(r, p.x, b)) > longEdge * r->edge)
        return false;
    if (!palHalfEdges_CanCollapse(&r->h, e) || !settle(r, &p))
        return false;
    double before = fmin(worstQuality(r, NULL, a), worstQuality(r, NULL, b));
    double after = fmin(worstQuality(r, &p, a), worstQuality(r, &p, b));
    if (after < fmin(before, usableQuality))
        return false;
    palHalfEdges_Collapse(&r->h, e);
    accept(r, &p);
    return true;
}

// Takes the diagonal whose worse triangle is the better one. Each flip raises the sorted list of
// qualities, so that flipping ends.
static bool tryFlip(remesher* r, int e)
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

// Moves a vertex towards the middle of its neighbours within the tangent plane, then onto the
// surface.
static bool trySmooth(remesher* r, int v)
{
    palVec3 sum = pal_zeroVec3;
    int valence = 0;
    int e = r->h.out[v];
    do
    {
        sum = palAdd(sum, r->x[palHalfEdges_Target(&r->h, e)]);
        valence++;
    } while ((e = palHalfEdges_Turn(&r->h, e)) != r->h.out[v]);
    palVec3 step = palSub(palScale(1.0 / valence, sum), r->x[v]);
    step = palMulAdd(step, -palDot(step, r->n[v]), r->n[v]);
    proposal p = {.a = v, .b = -1, .x = palAdd(r->x[v], step)};
    if (palLength(step) < leastStep * r->edge || !settle(r, &p))
        return false;
    if (worstQuality(r, &p, v) < fmin(worstQuality(r, NULL, v), goodQuality))
        return false;
    accept(r, &p);
    return true;
}

// Runs an edit over every edge, once an edge a pass, until a pass changes nothing.
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

// Puts the vertices that no edit has moved yet onto the surface, unless a triangle would turn over.
static void settleAll(remesher* r)
{
    for (int v = 0; v < r->h.vertexCount; v++)
    {
        if (r->h.out[v] < 0)
            continue;
        proposal p = {.a = v, .b = -1, .x = r->x[v]};
        if (settle(r, &p) && worstQuality(r, &p, v) > 0.0)
            accept(r, &p);
    }
}

static void improve(remesher* r)
{
    for (int v = 0; v < r->h.vertexCount; v++)
        r->n[v] = palNormalize(palField_Gradient(r->field, r->x[v], 1e-4 * r->edge));
    for (int round = 0; round < rounds; round++)
    {
        editEdges(r, tryMerge);
        editEdges(r, tryFlip);
        for (int pass = 0; pass < smoothingPasses; pass++)
            for (int v = 0; v < r->h.vertexCount; v++)
                if (r->h.out[v] >= 0)
                    trySmooth(r, v);
    }
    editEdges(r, tryFlip);
    settleAll(r);
}

// Copies what is left into arrays without gaps, in the old order.
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
