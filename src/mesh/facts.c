// SPDX-License-Identifier: Apache-2.0
#include "mesh/facts.h"

#include "base/error.h"
#include "mesh/sets.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

// Counts of one component.
typedef struct Component
{
    int triangles;
    int edges;
    int fans;      // edge-connected groups of triangles around a vertex
    bool faulty;   // has an edge without exactly two consistently oriented triangles
    double volume; // m³, signed
} Component;

typedef struct Scratch
{
    palTopology topology;
    int* component;        // owned, [triangleCount]
    int* fans;             // owned, [3 triangleCount]: sets of corners
    int* rings;            // owned, [vertexCount]: sets of vertices on the boundary
    Component* components; // owned, [triangleCount] at most
} Scratch;

static void measureTriangles(const palSurface* surface, palSurfaceFacts* facts)
{
    facts->shortestEdge = INFINITY;
    facts->smallestAngle = PAL_PI;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        palVec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = surface->vertices[surface->triangles[t][k]];
        facts->area += 0.5 * palLength(palCross(palSub(p[1], p[0]), palSub(p[2], p[0])));
        for (int k = 0; k < 3; k++)
        {
            palVec3 a = palSub(p[(k + 1) % 3], p[k]);
            palVec3 b = palSub(p[(k + 2) % 3], p[k]);
            facts->shortestEdge = fmin(facts->shortestEdge, palLength(a));
            facts->longestEdge = fmax(facts->longestEdge, palLength(a));
            double angle = atan2(palLength(palCross(a, b)), palDot(a, b));
            facts->smallestAngle = fmin(facts->smallestAngle, angle);
        }
    }
    if (surface->triangleCount == 0)
        facts->shortestEdge = facts->smallestAngle = 0.0;
}

// Adds a boundary edge to the disjoint sets of boundary vertices; -1 marks a vertex not yet in a
// set. Returns the change in the number of rings: each new vertex adds one, the edge joins two.
static int addBoundaryEdge(int* rings, const int* edge)
{
    int added = 0;
    for (int end = 0; end < 2; end++)
    {
        int v = edge[end];
        if (rings[v] >= 0)
            continue;
        rings[v] = v;
        added++;
    }
    return added - palSets_Join(rings, edge[0], edge[1]);
}

// Counts the kinds of edges, and the rings that the boundary edges form.
static void countEdges(const palSurface* surface, Scratch* scratch, palSurfaceFacts* facts)
{
    const palTopology* topology = &scratch->topology;
    int counts[pal_edgeNonManifold + 1] = {0};
    memset(scratch->rings, 0xff, (size_t)surface->vertexCount * sizeof *scratch->rings);
    for (int e = 0; e < topology->edgeCount; e++)
    {
        palEdgeKind kind = topology->edgeKinds[e];
        counts[kind]++;
        if (kind == pal_edgeBoundary)
            facts->boundaryLoops += addBoundaryEdge(scratch->rings, topology->edges[e]);
        Component* component =
            &scratch->components[scratch->component[topology->edgeTriangles[e][0]]];
        component->edges++;
        component->faulty |=
            kind == pal_edgeBoundary || kind == pal_edgeMisoriented || kind == pal_edgeNonManifold;
    }
    facts->edgeCount = topology->edgeCount;
    facts->boundaryEdges = counts[pal_edgeBoundary];
    facts->misorientedEdges = counts[pal_edgeMisoriented];
    facts->nonManifoldEdges = counts[pal_edgeNonManifold];
    facts->concaveEdges = counts[pal_edgeConcave];
}

// The corner of triangle t at vertex v, numbered 3 t + k.
static int cornerAt(const palSurface* surface, int t, int v)
{
    const int* triangle = surface->triangles[t];
    return 3 * t + (triangle[0] == v ? 0 : triangle[1] == v ? 1 : 2);
}

// Groups the triangles around each vertex that are connected by edges at it. More than one group at
// a vertex: parts that touch only in this point.
static void countFans(const palSurface* surface, Scratch* scratch, palSurfaceFacts* facts)
{
    const palTopology* topology = &scratch->topology;
    int cornerCount = 3 * surface->triangleCount;
    palSets_Clear(scratch->fans, cornerCount);
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
        {
            int e = topology->triangleEdges[t][k];
            int first = topology->edgeTriangles[e][0];
            for (int end = 0; end < 2; end++)
            {
                int v = topology->edges[e][end];
                palSets_Join(scratch->fans, cornerAt(surface, t, v), cornerAt(surface, first, v));
            }
        }
    // The boundary has been counted: its array is reused for the number of groups at each vertex.
    int* groups = scratch->rings;
    memset(groups, 0, (size_t)surface->vertexCount * sizeof *groups);
    for (int corner = 0; corner < cornerCount; corner++)
    {
        if (scratch->fans[corner] != corner)
            continue;
        int v = surface->triangles[corner / 3][corner % 3];
        facts->pinchedVertices += ++groups[v] == 2;
        scratch->components[scratch->component[corner / 3]].fans++;
    }
}

static void measureComponents(const palSurface* surface, Scratch* scratch, palSurfaceFacts* facts)
{
    palVec3 origin = palLerp(facts->bounds.low, facts->bounds.high, 0.5);
    for (int t = 0; t < surface->triangleCount; t++)
    {
        palVec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = palSub(surface->vertices[surface->triangles[t][k]], origin);
        Component* component = &scratch->components[scratch->component[t]];
        component->triangles++;
        component->volume += palDot(p[0], palCross(p[1], p[2])) / 6.0;
    }
    // Euler's formula: fans - edges + triangles = 2 - 2 genus, for each closed part.
    int genus = 0;
    for (int i = 0; i < facts->components; i++)
    {
        const Component* component = &scratch->components[i];
        if (component->faulty)
            continue;
        facts->solidComponents++;
        facts->volume += component->volume;
        genus += 1 - (component->fans - component->edges + component->triangles) / 2;
    }
    facts->genus = facts->solidComponents > 0 ? genus : -1;
}

palResult palSurface_Check(const palSurface* surface, palSurfaceFacts* facts, palError* error)
{
    *facts = (palSurfaceFacts){
        .vertexCount = surface->vertexCount,
        .triangleCount = surface->triangleCount,
        .bounds = palSurface_Bounds(surface),
    };
    Scratch scratch = {0};
    palResult result = palTopology_Init(&scratch.topology, surface, error);
    if (result != pal_ok)
        return result;
    size_t triangles = (size_t)surface->triangleCount + 1;
    size_t vertices = (size_t)surface->vertexCount + 1;
    scratch.component = malloc(triangles * sizeof *scratch.component);
    scratch.fans = malloc(3 * triangles * sizeof *scratch.fans);
    scratch.rings = malloc(vertices * sizeof *scratch.rings);
    scratch.components = calloc(triangles, sizeof *scratch.components);
    if (scratch.component != NULL && scratch.fans != NULL && scratch.rings != NULL &&
        scratch.components != NULL)
    {
        facts->components = palTopology_Components(&scratch.topology, scratch.component);
        measureTriangles(surface, facts);
        countEdges(surface, &scratch, facts);
        countFans(surface, &scratch, facts);
        measureComponents(surface, &scratch, facts);
        facts->closed =
            facts->boundaryEdges == 0 && facts->nonManifoldEdges == 0 && surface->triangleCount > 0;
        facts->solid = facts->closed && facts->misorientedEdges == 0;
    }
    else
        result = palError_Memory(error, "checking a surface", triangles * sizeof(Component));
    free(scratch.component);
    free(scratch.fans);
    free(scratch.rings);
    free(scratch.components);
    palTopology_Free(&scratch.topology);
    return result;
}

static void reportTopology(const palSurfaceFacts* facts, palMessages* notes)
{
    if (facts->boundaryEdges > 0)
        palError_Remedy(
            palMessages_Add(notes, pal_severityWarning,
                            "open surface (%d boundary edge%s in %d ring%s): contact acts on both "
                            "sides; inside and outside are undefined near the boundary",
                            facts->boundaryEdges, palPlural(facts->boundaryEdges),
                            facts->boundaryLoops, palPlural(facts->boundaryLoops)),
            "close the holes in a mesh editor if the part should be solid");
    if (facts->nonManifoldEdges > 0)
        palError_Remedy(
            palMessages_Add(notes, pal_severityWarning,
                            "%d non-manifold edge%s (three or more triangles): the outside is "
                            "undefined there and the force may change sides",
                            facts->nonManifoldEdges, palPlural(facts->nonManifoldEdges)),
            "split the parts that share the edge in a mesh editor");
    if (facts->misorientedEdges > 0)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "%d edge%s with inconsistently oriented triangles: contact "
                                        "forces may pull instead of push there",
                                        facts->misorientedEdges,
                                        palPlural(facts->misorientedEdges)),
                        "load it with orientation repair, unless the surface is one-sided");
    if (facts->pinchedVertices > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d vert%s where parts touch only in a point: contact there is with both",
                        facts->pinchedVertices, facts->pinchedVertices == 1 ? "ex" : "ices");
    if (facts->components > 1)
        palMessages_Add(notes, pal_severityNote,
                        "%d separate parts: they form one body and move together",
                        facts->components);
}

static void reportRepairs(const palSurfaceFacts* facts, palMessages* notes)
{
    const palCleanReport* cleaned = &facts->cleaned;
    const palOrientReport* oriented = &facts->oriented;
    if (cleaned->degenerate > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d triangle%s of zero area removed: they have no normal",
                        cleaned->degenerate, palPlural(cleaned->degenerate));
    if (cleaned->caps > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d triangle%s of zero area repaired by splitting a neighbour",
                        cleaned->caps, palPlural(cleaned->caps));
    if (cleaned->duplicate > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d duplicate triangle%s removed: contacts would count twice",
                        cleaned->duplicate, palPlural(cleaned->duplicate));
    if (cleaned->opposite > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d coincident triangles of opposite orientation removed: in pairs they "
                        "enclose nothing",
                        cleaned->opposite);
    if (oriented->turnedTriangles > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d triangle%s flipped to match the orientation of the neighbours",
                        oriented->turnedTriangles, palPlural(oriented->turnedTriangles));
    if (oriented->turnedParts > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d closed part%s faced inward and %s flipped to face outward",
                        oriented->turnedParts, palPlural(oriented->turnedParts),
                        oriented->turnedParts == 1 ? "was" : "were");
    if (oriented->cavities > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d closed part%s inside another and facing inward: treated as cavities "
                        "with contact from inside",
                        oriented->cavities, palPlural(oriented->cavities));
    if (oriented->innerParts > 0)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "%d closed part%s inside another and facing outward: a "
                                        "solid inside a solid, unreachable from outside",
                                        oriented->innerParts, palPlural(oriented->innerParts)),
                        "remove it, or flip it if it is a cavity");
    if (oriented->oneSidedParts > 0)
        palMessages_Add(notes, pal_severityWarning,
                        "%d one-sided part%s (like a Moebius strip): no side is outside",
                        oriented->oneSidedParts, palPlural(oriented->oneSidedParts));
    if (facts->lines > 0 || facts->points > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d line%s and %d point%s ignored: only triangles are used for contact",
                        facts->lines, palPlural(facts->lines), facts->points,
                        palPlural(facts->points));
}

void palBounds_ReportSize(const palBounds* bounds, palMessages* notes)
{
    palVec3 extent = palSub(bounds->high, bounds->low);
    double size = fmax(extent.x, fmax(extent.y, extent.z)); // m
    if (size > 10.0)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "the part is %.4g m long: did you mean millimetres?", size),
                        "use --unit mm, or unit: mm in a scene");
    else if (size < 5e-4)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "the part is only %.4g mm long: is the unit of the file "
                                        "larger than assumed?",
                                        1e3 * size),
                        "use --unit m, or --scale");
}

void palSurfaceFacts_Report(const palSurfaceFacts* facts, palMessages* notes)
{
    reportRepairs(facts, notes);
    reportTopology(facts, notes);
    palBounds_ReportSize(&facts->bounds, notes);
}
