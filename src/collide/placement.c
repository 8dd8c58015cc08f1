// SPDX-License-Identifier: Apache-2.0
#include "collide/placement.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

palResult palPlacement_Create(const palSkin* skin, int nodeCount, const palSurface* surface,
                              const palTopology* topology, palPlacement** placement,
                              palError* error)
{
    size_t vertices = (size_t)surface->vertexCount, triangles = (size_t)surface->triangleCount;
    size_t edges = topology != NULL ? (size_t)topology->edgeCount : 0, nodes = (size_t)nodeCount;
    palPlacement* created = calloc(1, sizeof *created);
    *placement = created;
    if (created == NULL)
        return palError_Memory(error, "the surface of a soft body", sizeof *created);
    created->skin = *skin;
    created->surface = *surface;
    if (topology != NULL)
        created->topology = *topology;
    else
        triangles = 0;
    created->nodeCount = nodeCount;
    created->nodes = calloc(nodes + 1, sizeof *created->nodes);
    created->vertexStamps = calloc(vertices + 1, sizeof *created->vertexStamps);
    created->normalStamps =
        calloc((topology != NULL ? vertices : 0) + 1, sizeof *created->normalStamps);
    created->triangleStamps = calloc(triangles + 1, sizeof *created->triangleStamps);
    created->edgeStamps = calloc(edges + 1, sizeof *created->edgeStamps);
    if (created->nodes != NULL && created->vertexStamps != NULL && created->normalStamps != NULL &&
        created->triangleStamps != NULL && created->edgeStamps != NULL)
        return pal_ok;
    palPlacement_Destroy(created);
    *placement = NULL;
    return palError_Memory(error, "the surface of a soft body", vertices * sizeof(uint64_t));
}

void palPlacement_Destroy(palPlacement* placement)
{
    if (placement == NULL)
        return;
    free(placement->nodes);
    free(placement->vertexStamps);
    free(placement->normalStamps);
    free(placement->triangleStamps);
    free(placement->edgeStamps);
    free(placement);
}

void palPlacement_Follow(palPlacement* placement, const palVec3* nodes)
{
    memcpy(placement->nodes, nodes, (size_t)placement->nodeCount * sizeof *nodes);
    placement->now++;
}

void palPlacement_TakeVertices(palPlacement* placement)
{
    placement->now++;
    for (int v = 0; v < placement->surface.vertexCount; v++)
        placement->vertexStamps[v] = placement->now;
}

void palPlacement_Place(palPlacement* placement, int vertex)
{
    placement->surface.vertices[vertex] = palSkin_Point(&placement->skin, placement->nodes, vertex);
    placement->vertexStamps[vertex] = placement->now;
    placement->placedCount++;
}

void palPlacement_PlaceAll(palPlacement* placement)
{
    for (int v = 0; v < placement->surface.vertexCount; v++)
        palPlacement_Vertex(placement, v);
}

void palPlacement_RenewTriangle(palPlacement* placement, int triangle)
{
    if (placement->triangleStamps[triangle] == placement->now)
        return;
    placement->triangleStamps[triangle] = placement->now;
    for (int k = 0; k < 3; k++)
        palPlacement_Vertex(placement, placement->surface.triangles[triangle][k]);
    palTopology_RefreshTriangle(&placement->topology, &placement->surface, triangle);
}

static void renewStar(palPlacement* placement, int vertex)
{
    const palTopology* topology = &placement->topology;
    for (int i = topology->starStarts[vertex]; i < topology->starStarts[vertex + 1]; i++)
        palPlacement_RenewTriangle(placement, topology->star[i]);
}

void palPlacement_RenewEdge(palPlacement* placement, int edge)
{
    const palTopology* topology = &placement->topology;
    if (placement->edgeStamps[edge] == placement->now)
        return;
    placement->edgeStamps[edge] = placement->now;
    if (topology->edgeKinds[edge] == pal_edgeNonManifold)
        renewStar(placement, topology->edges[edge][0]);
    for (int k = 0; k < 2 && topology->edgeTriangles[edge][k] >= 0; k++)
        palPlacement_RenewTriangle(placement, topology->edgeTriangles[edge][k]);
    palTopology_RefreshEdge(&placement->topology, &placement->surface, edge);
}

void palPlacement_RenewVertex(palPlacement* placement, int vertex)
{
    if (placement->normalStamps[vertex] == placement->now)
        return;
    placement->normalStamps[vertex] = placement->now;
    renewStar(placement, vertex);
    palTopology_RefreshVertex(&placement->topology, &placement->surface, vertex);
}

void palPlacement_RenewCorner(palPlacement* placement, int vertex)
{
    const palTopology* topology = &placement->topology;
    for (int i = topology->starStarts[vertex]; i < topology->starStarts[vertex + 1]; i++)
    {
        int t = topology->star[i];
        palPlacement_RenewTriangle(placement, t);
        for (int k = 0; k < 3; k++)
        {
            int edge = topology->triangleEdges[t][k];
            if (topology->edges[edge][0] == vertex || topology->edges[edge][1] == vertex)
                palPlacement_RenewEdge(placement, edge);
        }
    }
}
