// SPDX-License-Identifier: Apache-2.0
// In each round every second spoke of a fan is flipped to an edge of its rim, which halves the
// number of spokes:
//
//     spokes to a, b, c, d, e, ...     ->   rim edges a-c, c-e, ...   spokes to a, c, e, ...
//
// A vertex on the rim gets at most two more edges per round, and a fan of n triangles takes
// log2(n / allowed) rounds.
#include "mesh/fans.h"

#include "base/error.h"
#include "mesh/halfedge.h"

#include <math.h>
#include <stdlib.h>

// Triangles are nearly coplanar if their normals are within 5 degrees of the mean.
static const double coplanarCosine = 0.9962;

enum
{
    roundsMax = 32,
};

static palVec3 areaOf(const palVec3* x, int a, int b, int c)
{
    return palCross(palSub(x[b], x[a]), palSub(x[c], x[a]));
}

// Whether the two triangles of an edge, and those with the other diagonal, are nearly coplanar.
static bool isFlat(const palHalfEdges* h, const palVec3* x, int e)
{
    int a = palHalfEdges_Origin(h, e);
    int b = palHalfEdges_Target(h, e);
    int c = palHalfEdges_Apex(h, e);
    int d = palHalfEdges_Apex(h, h->twin[e]);
    const palVec3 areas[4] = {
        areaOf(x, a, b, c),
        areaOf(x, b, a, d),
        areaOf(x, d, b, c),
        areaOf(x, c, a, d),
    };
    palVec3 mean = palNormalize(palAdd(areas[0], areas[1]));
    for (int i = 0; i < 4; i++)
    {
        double length = palLength(areas[i]);
        if (!(length > 0.0) || !(palDot(areas[i], mean) >= coplanarCosine * length))
            return false;
    }
    return true;
}

// One round at a vertex: flips every second edge that can be flipped, while more than `allowed`
// remain. Returns the number of flips.
static int thinOut(palHalfEdges* h, const palVec3* x, int vertex, int allowed)
{
    int valence = palHalfEdges_Valence(h, vertex);
    int flips = 0;
    int e = h->out[vertex];
    for (int k = 0; k < valence && valence - flips > allowed; k++)
    {
        int next = palHalfEdges_NextAround(h, e);
        if (k % 2 == 1 && isFlat(h, x, e) && palHalfEdges_CanFlip(h, e))
        {
            palHalfEdges_Flip(h, e);
            flips++;
        }
        e = next;
    }
    return flips;
}

// Counts the triangles at each vertex.
static void countTriangles(const palSurface* surface, int* counts)
{
    for (int v = 0; v < surface->vertexCount; v++)
        counts[v] = 0;
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
            counts[surface->triangles[t][k]]++;
}

static palResult openAll(palSurface* surface, const int* counts, int allowed, palError* error)
{
    palHalfEdges h;
    palResult result = palHalfEdges_Init(&h, surface, error);
    for (int v = 0; v < surface->vertexCount && result == pal_ok; v++)
        for (int round = 0; round < roundsMax && counts[v] > allowed; round++)
            if (thinOut(&h, surface->vertices, v, allowed) == 0)
                break;
    if (result == pal_ok)
        palHalfEdges_Free(&h);
    return result;
}

palResult palOpenFans(palSurface* surface, int allowed, palFanFacts* facts, palError* error)
{
    *facts = (palFanFacts){0};
    int* counts = malloc(((size_t)surface->vertexCount + 1) * sizeof *counts);
    if (counts == NULL)
        return palError_Memory(error, "the fans of a surface",
                               (size_t)surface->vertexCount * sizeof *counts);
    countTriangles(surface, counts);
    int before = 0;
    for (int v = 0; v < surface->vertexCount; v++)
        before += counts[v] > allowed;
    palResult result = before > 0 ? openAll(surface, counts, allowed, error) : pal_ok;
    // A surface that is not a closed manifold is left unchanged.
    if (result == pal_errorInput)
        result = pal_ok;
    countTriangles(surface, counts);
    for (int v = 0; v < surface->vertexCount; v++)
    {
        facts->left += counts[v] > allowed;
        facts->most = counts[v] > allowed && counts[v] > facts->most ? counts[v] : facts->most;
    }
    facts->opened = before - facts->left;
    free(counts);
    return result;
}
