// SPDX-License-Identifier: Apache-2.0
#include "mesh/clean.h"

#include "base/error.h"
#include "mesh/caps.h"
#include "mesh/topology.h"

#include <stdlib.h>
#include <string.h>

// A chained hash table of indices.
typedef struct Table
{
    int* heads; // owned, [mask + 1]; -1: empty
    int* next;  // owned, [count], by index
    uint64_t mask;
} Table;

static palResult tableInit(Table* table, int count, palError* error)
{
    size_t size = 64;
    while (size < (size_t)count)
        size *= 2;
    *table = (Table){.mask = size - 1};
    table->heads = malloc(size * sizeof *table->heads);
    table->next = malloc(((size_t)count + 1) * sizeof *table->next);
    if (table->heads != NULL && table->next != NULL)
    {
        memset(table->heads, 0xff, size * sizeof *table->heads);
        return pal_ok;
    }
    free(table->heads);
    free(table->next);
    return palError_Memory(error, "cleaning a surface", (size + (size_t)count) * sizeof(int));
}

static void tableFree(Table* table)
{
    free(table->heads);
    free(table->next);
}

static void tableAdd(Table* table, uint64_t hash, int index)
{
    int* head = &table->heads[hash & table->mask];
    table->next[index] = *head;
    *head = index;
}

// Mixes three integers; the constants are those of splitmix64 (Steele, Lea and Flood, 2014).
static uint64_t hash3(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u;
    z = ((z ^ (z >> 30)) + b) * 0xbf58476d1ce4e5b9u;
    z = ((z ^ (z >> 27)) + c) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// The hash key of a coordinate: its grid cell or, with cell 0, the bits of the number.
static uint64_t slot(double x, double cell)
{
    if (cell > 0.0)
        return (uint64_t)(int64_t)floor(x / cell);
    union
    {
        double value;
        uint64_t bits;
    } word = {.value = x + 0.0}; // -0 becomes 0
    return word.bits;
}

typedef struct Welder
{
    const palVec3* vertices; // borrowed; the first vertex at each position is kept
    palVec3 low;             // of the bounding box
    double radius;           // m
    double cell;             // m, cell size of the grid: twice the radius
    Table table;             // of the kept vertices
} Welder;

static uint64_t hashPosition(const Welder* welder, palVec3 p)
{
    return hash3(slot(p.x, welder->cell), slot(p.y, welder->cell), slot(p.z, welder->cell));
}

// The kept vertex at p, or -1.
static int findVertex(const Welder* welder, palVec3 p)
{
    palVec3 relative = palSub(p, welder->low);
    // The ball around p overlaps at most two cells along each axis: those of its box's corners.
    int corners = welder->radius > 0.0 ? 8 : 1;
    int found = -1;
    for (int i = 0; i < corners; i++)
    {
        double r = welder->radius;
        palVec3 offset = {i & 1 ? r : -r, i & 2 ? r : -r, i & 4 ? r : -r};
        uint64_t hash = hashPosition(welder, palAdd(relative, offset));
        int v = welder->table.heads[hash & welder->table.mask];
        for (; v >= 0; v = welder->table.next[v])
            if (palDistance(welder->vertices[v], p) <= r && (found < 0 || v < found))
                found = v;
    }
    return found;
}

// Finds for every vertex the one that it is welded to, possibly itself.
static palResult weld(palSurface* surface, double tolerance, int* target, int* welded,
                      palError* error)
{
    palBounds bounds = palSurface_Bounds(surface);
    // Below 1e-15 of the diagonal doubles differ only by rounding; no grid can resolve that.
    double relative = tolerance >= 1e-15 ? tolerance : 0.0;
    double radius = relative * palDistance(bounds.low, bounds.high);
    Welder welder = {
        .vertices = surface->vertices,
        .low = radius > 0.0 ? bounds.low : pal_zeroVec3,
        .radius = radius,
        .cell = 2.0 * radius,
    };
    palResult result = tableInit(&welder.table, surface->vertexCount, error);
    if (result != pal_ok)
        return result;
    for (int v = 0; v < surface->vertexCount; v++)
    {
        palVec3 p = surface->vertices[v];
        int found = findVertex(&welder, p);
        target[v] = found >= 0 ? found : v;
        *welded += found >= 0;
        if (found < 0)
            tableAdd(&welder.table, hashPosition(&welder, palSub(p, welder.low)), v);
    }
    tableFree(&welder.table);
    return pal_ok;
}

static void sortCorners(const int* triangle, int* sorted)
{
    int a = triangle[0], b = triangle[1], c = triangle[2];
    sorted[0] = a < b ? (a < c ? a : c) : (b < c ? b : c);
    sorted[2] = a > b ? (a > c ? a : c) : (b > c ? b : c);
    sorted[1] = (int)((int64_t)a + b + c - sorted[0] - sorted[2]);
}

// Whether the corners follow each other as they do when sorted.
static bool isSortedCyclic(const int* t)
{
    return (t[0] < t[1]) + (t[1] < t[2]) + (t[2] < t[0]) == 2;
}

// The kept triangle with the same corners, in either orientation. Adds the triangle otherwise, as
// `index`, and returns that.
static int findTriangle(const palSurface* surface, Table* table, const int* triangle, int index)
{
    int wanted[3], present[3];
    sortCorners(triangle, wanted);
    uint64_t hash = hash3((uint64_t)wanted[0], (uint64_t)wanted[1], (uint64_t)wanted[2]);
    for (int t = table->heads[hash & table->mask]; t >= 0; t = table->next[t])
    {
        sortCorners(surface->triangles[t], present);
        if (memcmp(wanted, present, sizeof wanted) == 0)
            return t;
    }
    tableAdd(table, hash, index);
    return index;
}

// Replaces vertices by the ones they are welded to and removes triangles that become degenerate.
static void applyWelding(palSurface* surface, const int* target, palCleanReport* report)
{
    int kept = 0;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        int a = target[surface->triangles[t][0]];
        int b = target[surface->triangles[t][1]];
        int c = target[surface->triangles[t][2]];
        if (a == b || b == c || c == a)
            continue;
        int* triangle = surface->triangles[kept++];
        triangle[0] = a, triangle[1] = b, triangle[2] = c;
    }
    report->degenerate += surface->triangleCount - kept;
    surface->triangleCount = kept;
}

// Whether all triangles but the cancelled ones are closed where these meet them, and there are any.
static palResult isClosedWithout(const palSurface* surface, const int* winding, bool* closed,
                                 palError* error)
{
    palTopology topology;
    palResult result = palTopology_Init(&topology, surface, error);
    bool* odd = result == pal_ok ? calloc((size_t)topology.edgeCount + 1, sizeof *odd) : NULL;
    if (result == pal_ok && odd == NULL)
        result = palError_Memory(error, "cleaning a surface", (size_t)topology.edgeCount);
    int others = 0;
    for (int t = 0; result == pal_ok && t < surface->triangleCount; t++)
    {
        others += winding[t] != 0;
        for (int k = 0; k < 3 && winding[t] != 0; k++)
            odd[topology.triangleEdges[t][k]] ^= true;
    }
    *closed = others > 0;
    for (int t = 0; result == pal_ok && t < surface->triangleCount; t++)
        for (int k = 0; k < 3 && winding[t] == 0; k++)
            *closed = *closed && !odd[topology.triangleEdges[t][k]];
    free(odd);
    palTopology_Free(&topology);
    return result;
}

// Removes triangles that coincide with one of the opposite orientation, with which they enclose
// nothing. A surface of such pairs alone is a sheet with two sides, and where the rest is open
// beside a pair it closes a hole: then one of each pair stays.
static palResult dropPairs(palSurface* surface, const int* winding, palCleanReport* report,
                           palError* error)
{
    int pairs = 0;
    for (int t = 0; t < surface->triangleCount; t++)
        pairs += winding[t] == 0;
    if (pairs == 0)
        return pal_ok;
    bool closed = false;
    palResult result = isClosedWithout(surface, winding, &closed, error);
    if (result != pal_ok || !closed)
        return result;
    int kept = 0;
    for (int t = 0; t < surface->triangleCount; t++)
        if (winding[t] != 0)
            memmove(surface->triangles[kept++], surface->triangles[t],
                    sizeof surface->triangles[t]);
    surface->triangleCount = kept;
    report->duplicate -= pairs;
    report->opposite = 2 * pairs;
    return pal_ok;
}

// Removes degenerate and duplicate triangles. `winding` is scratch, [triangleCount]: how many more
// of the triangles that coincide with a kept one have its orientation than the opposite one.
static palResult dropTriangles(palSurface* surface, int* winding, palCleanReport* report,
                               palError* error)
{
    Table table;
    palResult result = tableInit(&table, surface->triangleCount, error);
    if (result != pal_ok)
        return result;
    int kept = 0;
    for (int t = 0; t < surface->triangleCount; t++)
    {
        int triangle[3];
        memcpy(triangle, surface->triangles[t], sizeof triangle);
        if (!palTriangleHasArea(surface, triangle))
        {
            report->degenerate++;
            continue;
        }
        int found = findTriangle(surface, &table, triangle, kept);
        if (found < kept)
        {
            report->duplicate++;
            bool alike = isSortedCyclic(triangle) == isSortedCyclic(surface->triangles[found]);
            winding[found] += alike ? 1 : -1;
            continue;
        }
        memcpy(surface->triangles[kept], triangle, sizeof triangle);
        winding[kept++] = 1;
    }
    surface->triangleCount = kept;
    tableFree(&table);
    return dropPairs(surface, winding, report, error);
}

// Removes unused vertices and renumbers the others. `number` is scratch, [vertexCount].
static int dropVertices(palSurface* surface, int* number)
{
    for (int v = 0; v < surface->vertexCount; v++)
        number[v] = -1;
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
            number[surface->triangles[t][k]] = 0;
    int kept = 0;
    for (int v = 0; v < surface->vertexCount; v++)
    {
        if (number[v] < 0)
            continue;
        number[v] = kept;
        surface->vertices[kept++] = surface->vertices[v];
    }
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
            surface->triangles[t][k] = number[surface->triangles[t][k]];
    int dropped = surface->vertexCount - kept;
    surface->vertexCount = kept;
    return dropped;
}

palResult palSurface_Clean(palSurface* surface, double tolerance, palCleanReport* report,
                           palError* error)
{
    *report = (palCleanReport){0};
    int most = surface->vertexCount > surface->triangleCount ? surface->vertexCount
                                                             : surface->triangleCount;
    size_t bytes = ((size_t)most + 1) * sizeof(int);
    int* target = malloc(bytes);
    if (target == NULL)
        return palError_Memory(error, "cleaning a surface", bytes);
    palResult result = weld(surface, tolerance, target, &report->welded, error);
    if (result == pal_ok)
    {
        applyWelding(surface, target, report);
        result = palSurface_SwapCaps(surface, &report->caps, error);
    }
    if (result == pal_ok)
        result = dropTriangles(surface, target, report, error);
    if (result == pal_ok)
        report->unreferenced = dropVertices(surface, target) - report->welded;
    free(target);
    return result;
}
