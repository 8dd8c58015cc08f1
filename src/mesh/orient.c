// SPDX-License-Identifier: Apache-2.0
#include "mesh/orient.h"

#include "base/error.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

enum
{
    // Nesting is found by comparing all pairs of parts; with more parts than this it is ignored.
    maxNestedParts = 2000,
};

// Triangles connected by edges with two triangles each.
typedef struct Part
{
    int start; // of its triangles in Flood.order
    int count;
    int flipped;   // triangles to be flipped
    bool open;     // has an edge with one triangle, or with more than two
    bool oneSided; // not orientable
    double volume; // m³, signed, after flipping
    palBounds bounds;
    int container; // the outermost part that contains it, or -1
} Part;

typedef struct Flood
{
    palSurface* surface; // borrowed
    palTopology topology;
    int* order;           // owned, [triangleCount]: triangles, part by part
    signed char* flipped; // owned, [triangleCount]: -1: not reached, else whether to flip it
    Part* parts;          // owned, [triangleCount] at most
    int partCount;
} Flood;

// Visits the neighbour over one side of triangle t.
static void visitSide(Flood* flood, Part* part, int t, int side)
{
    int edge = flood->topology.triangleEdges[t][side];
    palEdgeKind kind = flood->topology.edgeKinds[edge];
    if (kind == pal_edgeBoundary || kind == pal_edgeNonManifold)
    {
        part->open = true;
        return;
    }
    const int* pair = flood->topology.edgeTriangles[edge];
    int other = pair[0] == t ? pair[1] : pair[0];
    signed char wanted = (signed char)(flood->flipped[t] ^ (kind == pal_edgeMisoriented));
    if (flood->flipped[other] < 0)
    {
        flood->flipped[other] = wanted;
        part->flipped += wanted;
        flood->order[part->start + part->count++] = other;
    }
    else if (flood->flipped[other] != wanted)
        part->oneSided = true;
}

// Reaches every triangle connected with `first`.
static void fillPart(Flood* flood, Part* part, int first)
{
    flood->flipped[first] = 0;
    flood->order[part->start] = first;
    part->count = 1;
    for (int i = 0; i < part->count; i++)
        for (int side = 0; side < 3; side++)
            visitSide(flood, part, flood->order[part->start + i], side);
}

// Flips the minority of the triangles; none of a one-sided part.
static void decideFlips(Flood* flood, Part* part)
{
    bool invert = !part->oneSided && 2 * part->flipped > part->count;
    for (int i = 0; i < part->count; i++)
    {
        signed char* flipped = &flood->flipped[flood->order[part->start + i]];
        *flipped = part->oneSided ? 0 : (signed char)(*flipped ^ invert);
    }
    if (part->oneSided)
        part->flipped = 0;
    else if (invert)
        part->flipped = part->count - part->flipped;
}

// Volume by the divergence theorem, relative to a vertex of the part to reduce rounding errors.
static void measurePart(const Flood* flood, Part* part)
{
    const palSurface* surface = flood->surface;
    palVec3 origin = surface->vertices[surface->triangles[flood->order[part->start]][0]];
    part->bounds = (palBounds){.low = origin, .high = origin};
    for (int i = 0; i < part->count; i++)
    {
        int t = flood->order[part->start + i];
        palVec3 p[3];
        for (int k = 0; k < 3; k++)
        {
            palVec3 vertex = surface->vertices[surface->triangles[t][k]];
            part->bounds.low = palMinVec3(part->bounds.low, vertex);
            part->bounds.high = palMaxVec3(part->bounds.high, vertex);
            p[k] = palSub(vertex, origin);
        }
        double sign = flood->flipped[t] ? -1.0 : 1.0;
        part->volume += sign * palDot(p[0], palCross(p[1], p[2])) / 6.0;
    }
}

static bool boundsContain(palBounds b, palVec3 p)
{
    return p.x > b.low.x && p.y > b.low.y && p.z > b.low.z && p.x < b.high.x && p.y < b.high.y &&
           p.z < b.high.z;
}

// Whether a closed part contains a point: the solid angles of its triangles add up to ±4π
// (A. van Oosterom and J. Strackee, "The solid angle of a plane triangle", 1983).
static bool contains(const Flood* flood, const Part* part, palVec3 point)
{
    const palSurface* surface = flood->surface;
    double angle = 0.0;
    for (int i = 0; i < part->count; i++)
    {
        int t = flood->order[part->start + i];
        palVec3 a = palSub(surface->vertices[surface->triangles[t][0]], point);
        palVec3 b = palSub(surface->vertices[surface->triangles[t][1]], point);
        palVec3 c = palSub(surface->vertices[surface->triangles[t][2]], point);
        double la = palLength(a), lb = palLength(b), lc = palLength(c);
        double denominator =
            la * lb * lc + palDot(a, b) * lc + palDot(a, c) * lb + palDot(b, c) * la;
        double sign = flood->flipped[t] ? -1.0 : 1.0;
        angle += sign * 2.0 * atan2(palDot(a, palCross(b, c)), denominator);
    }
    return fabs(angle) > 2.0 * PAL_PI;
}

static palVec3 pointOn(const Flood* flood, const Part* part)
{
    const palSurface* surface = flood->surface;
    const int* triangle = surface->triangles[flood->order[part->start]];
    palVec3 sum = palAdd(surface->vertices[triangle[0]],
                         palAdd(surface->vertices[triangle[1]], surface->vertices[triangle[2]]));
    return palScale(1.0 / 3.0, sum);
}

// Finds for every closed part the outermost closed part around it: the largest one that contains
// one of its points.
static void nestParts(Flood* flood)
{
    for (int i = 0; i < flood->partCount; i++)
    {
        Part* part = &flood->parts[i];
        if (part->open || part->oneSided)
            continue;
        palVec3 point = pointOn(flood, part);
        double largest = fabs(part->volume);
        for (int j = 0; j < flood->partCount; j++)
        {
            const Part* other = &flood->parts[j];
            if (j == i || other->open || other->oneSided || fabs(other->volume) <= largest)
                continue;
            if (!boundsContain(other->bounds, point) || !contains(flood, other, point))
                continue;
            part->container = j;
            largest = fabs(other->volume);
        }
    }
}

// Flips closed parts of negative volume, together with the parts inside them.
static void faceOutward(Flood* flood, palOrientReport* report)
{
    for (int i = 0; i < flood->partCount; i++)
    {
        const Part* part = &flood->parts[i];
        if (part->open || part->oneSided)
            continue;
        const Part* outer = part->container >= 0 ? &flood->parts[part->container] : part;
        bool flip = outer->volume < 0.0;
        if (part->container >= 0)
        {
            bool isCavity = (part->volume < 0.0) != flip;
            report->cavities += isCavity;
            report->innerParts += !isCavity;
        }
        report->turnedParts += flip;
        for (int k = 0; flip && k < part->count; k++)
            flood->flipped[flood->order[part->start + k]] ^= 1;
    }
}

static void orient(Flood* flood, palOrientReport* report)
{
    memset(flood->flipped, -1, (size_t)flood->surface->triangleCount);
    int reached = 0;
    for (int t = 0; t < flood->surface->triangleCount; t++)
    {
        if (flood->flipped[t] >= 0)
            continue;
        Part* part = &flood->parts[flood->partCount++];
        *part = (Part){.start = reached, .container = -1};
        fillPart(flood, part, t);
        decideFlips(flood, part);
        measurePart(flood, part);
        reached += part->count;
        report->turnedTriangles += part->flipped;
        report->oneSidedParts += part->oneSided;
    }
    if (flood->partCount <= maxNestedParts)
        nestParts(flood);
    faceOutward(flood, report);
    for (int t = 0; t < flood->surface->triangleCount; t++)
    {
        int* triangle = flood->surface->triangles[t];
        int second = triangle[1];
        if (!flood->flipped[t])
            continue;
        triangle[1] = triangle[2];
        triangle[2] = second;
    }
}

palResult palSurface_Orient(palSurface* surface, palOrientReport* report, palError* error)
{
    *report = (palOrientReport){0};
    Flood flood = {.surface = surface};
    palResult result = palTopology_Init(&flood.topology, surface, error);
    if (result != pal_ok)
        return result;
    size_t count = (size_t)surface->triangleCount + 1;
    flood.order = malloc(count * sizeof *flood.order);
    flood.flipped = malloc(count);
    flood.parts = malloc(count * sizeof *flood.parts);
    if (flood.order != NULL && flood.flipped != NULL && flood.parts != NULL)
        orient(&flood, report);
    else
        result = palError_Memory(error, "orienting a surface", count * sizeof *flood.parts);
    free(flood.order);
    free(flood.flipped);
    free(flood.parts);
    palTopology_Free(&flood.topology);
    return result;
}
