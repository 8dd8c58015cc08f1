// SPDX-License-Identifier: Apache-2.0
#include "mesh/implicit.h"

#include "base/error.h"
#include "mesh/remesh.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum
{
    blockCells = 8,    // cells along a side of the blocks that can be skipped
    edgesPerPoint = 7, // lattice edges that start at a point, one for each non-zero corner mask
    maxFaces = INT_MAX / 16,
};

// Minimum distance of a cut point from the end of its edge, as a fraction of the edge: prevents
// coincident vertices.
static const double cutMargin = 0.1;

// One layer of lattice points (z constant). Both arrays are filled on demand.
typedef struct layer
{
    double* value;             // owned, [points]: the field; NaN: not evaluated yet
    int (*cut)[edgesPerPoint]; // owned, [points]: the vertex on the edge with offset mask + 1; -1:
                               // none
} layer;

typedef struct polygoniser
{
    palField field;
    double lipschitz;
    palVec3 origin; // of the lattice, m
    double cell;    // m
    int n[3];       // cells along x, y, z
    layer low, high;
    bool* isActive; // owned: blocks of this slab that the surface may pass through
    palVec3* vertices;
    int (*triangles)[3];
    int vertexCount, vertexCapacity;
    int triangleCount, triangleCapacity;
    palResult result;
    palError* error; // borrowed, may be NULL
} polygoniser;

static palVec3 latticePoint(const polygoniser* g, double i, double j, double k)
{
    return palMulAdd(g->origin, g->cell, palMakeVec3(i, j, k));
}

static size_t layerPoints(const polygoniser* g)
{
    return (size_t)(g->n[0] + 1) * (size_t)(g->n[1] + 1);
}

static size_t pointIndex(const polygoniser* g, int i, int j)
{
    return (size_t)j * (size_t)(g->n[0] + 1) + (size_t)i;
}

static int blocksAlong(int cells)
{
    return (cells + blockCells - 1) / blockCells;
}

static void clearLayer(const polygoniser* g, layer* l)
{
    for (size_t p = 0; p < layerPoints(g); p++)
    {
        l->value[p] = NAN;
        for (int e = 0; e < edgesPerPoint; e++)
            l->cut[p][e] = -1;
    }
}

static palResult notFinite(polygoniser* g, palVec3 p)
{
    palError_Set(g->error, pal_errorInput, "the field is not finite at (%g, %g, %g) m", p.x, p.y,
                 p.z);
    palError_Remedy(g->error, "use a field that is defined everywhere within its bounds");
    return g->result = pal_errorInput;
}

static palResult exceedsBounds(polygoniser* g, palVec3 p)
{
    palError_Set(g->error, pal_errorInput,
                 "the surface extends beyond its bounds near (%g, %g, %g) m", p.x, p.y, p.z);
    palError_Remedy(g->error, "enlarge the bounds");
    return g->result = pal_errorInput;
}

static double evaluate(polygoniser* g, palVec3 p)
{
    double value = palField_Value(g->field, p);
    if (!isfinite(value))
        notFinite(g, p);
    return value;
}

// Makes room for one more item. Returns the array, possibly moved, or NULL.
static void* grow(polygoniser* g, void* items, int count, int* capacity, size_t size,
                  const char* what)
{
    if (count < *capacity)
        return items;
    int newCapacity = *capacity < maxFaces / 2 ? 2 * *capacity + 1024 : maxFaces;
    void* grown = count < maxFaces ? realloc(items, (size_t)newCapacity * size) : NULL;
    if (grown == NULL)
        g->result = palError_Memory(g->error, what, (size_t)newCapacity * size);
    else
        *capacity = newCapacity;
    return grown;
}

static int addVertex(polygoniser* g, palVec3 p)
{
    palVec3* grown =
        grow(g, g->vertices, g->vertexCount, &g->vertexCapacity, sizeof *grown, "surface vertices");
    if (grown == NULL)
        return 0;
    g->vertices = grown;
    g->vertices[g->vertexCount] = p;
    return g->vertexCount++;
}

static void addTriangle(polygoniser* g, int a, int b, int c)
{
    int(*grown)[3] = grow(g, g->triangles, g->triangleCount, &g->triangleCapacity, sizeof *grown,
                          "surface triangles");
    if (grown == NULL)
        return;
    g->triangles = grown;
    int* triangle = g->triangles[g->triangleCount++];
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

// A cube of the lattice. Corner m has the offset (m & 1, m >> 1 & 1, m >> 2).
typedef struct cube
{
    int i, j, k;
    double value[8];
} cube;

static layer* layerOf(polygoniser* g, int corner)
{
    return corner & 4 ? &g->high : &g->low;
}

static double cornerValue(polygoniser* g, const cube* c, int m)
{
    int i = c->i + (m & 1), j = c->j + (m >> 1 & 1), k = c->k + (m >> 2);
    double* value = &layerOf(g, m)->value[pointIndex(g, i, j)];
    if (isnan(*value))
        *value = evaluate(g, latticePoint(g, i, j, k));
    return *value;
}

// The vertex on the lattice edge between two corners of the cube. In a Freudenthal tetrahedron the
// bits of one corner always include those of the other: the edge is stored at the lower point.
static int cutVertex(polygoniser* g, const cube* c, int p, int q)
{
    int low = p & q, high = p | q;
    int i = c->i + (low & 1), j = c->j + (low >> 1 & 1), k = c->k + (low >> 2);
    int* cut = &layerOf(g, low)->cut[pointIndex(g, i, j)][(high ^ low) - 1];
    if (*cut < 0)
    {
        double a = c->value[low], b = c->value[high];
        double t = fmin(fmax(a / (a - b), cutMargin), 1.0 - cutMargin);
        int direction = high ^ low;
        *cut = addVertex(g, latticePoint(g, i + t * (direction & 1), j + t * (direction >> 1 & 1),
                                         k + t * (direction >> 2)));
    }
    return *cut;
}

// The triangles of one tetrahedron; its corners are positively oriented:
// (v1 - v0) x (v2 - v0) . (v3 - v0) > 0.
static void cutTetrahedron(polygoniser* g, const cube* c, const int v[4])
{
    // Even permutations of the corners that bring one, or two, corners to the front.
    static const int single[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 0, 1, 3}, {3, 0, 2, 1}};
    static const int pair[16][4] = {
        [3] = {0, 1, 2, 3}, [5] = {0, 2, 3, 1},  [9] = {0, 3, 1, 2},
        [6] = {1, 2, 0, 3}, [10] = {1, 3, 2, 0}, [12] = {2, 3, 0, 1},
    };
    int inside = 0;
    for (int m = 0; m < 4; m++)
        inside |= (c->value[v[m]] < 0.0) << m;
    for (int m = 0; m < 4; m++)
    {
        if (inside != 1 << m && inside != (15 ^ 1 << m))
            continue;
        // One corner on the other side: seen from it the other three are clockwise, from the
        // opposite side counter-clockwise.
        const int* s = single[m];
        int a = cutVertex(g, c, v[s[0]], v[s[1]]);
        int b = cutVertex(g, c, v[s[0]], v[s[2]]);
        int d = cutVertex(g, c, v[s[0]], v[s[3]]);
        if (inside == 1 << m)
            addTriangle(g, a, b, d);
        else
            addTriangle(g, a, d, b);
        return;
    }
    if (inside == 0 || inside == 15)
        return;
    // Two corners p, q inside, two r, s outside: the quadrilateral pr, ps, qs, qr.
    const int* s = pair[inside];
    int pr = cutVertex(g, c, v[s[0]], v[s[2]]);
    int qr = cutVertex(g, c, v[s[1]], v[s[2]]);
    int qs = cutVertex(g, c, v[s[1]], v[s[3]]);
    int ps = cutVertex(g, c, v[s[0]], v[s[3]]);
    addTriangle(g, pr, ps, qs);
    addTriangle(g, pr, qs, qr);
}

static bool isBorderCube(const polygoniser* g, const cube* c)
{
    return c->i == 0 || c->j == 0 || c->k == 0 || c->i == g->n[0] - 1 || c->j == g->n[1] - 1 ||
           c->k == g->n[2] - 1;
}

static void cutCube(polygoniser* g, int i, int j, int k)
{
    // The six paths from corner 0 to corner 7 along the axes in each order, with the last two
    // corners exchanged if the order is an odd permutation of x, y, z.
    static const int tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
                                         {0, 1, 7, 5}, {0, 2, 7, 3}, {0, 4, 7, 6}};
    cube c = {.i = i, .j = j, .k = k};
    bool border = isBorderCube(g, &c);
    c.value[0] = cornerValue(g, &c, 0);
    // No corner is farther from the first than the diagonal: a larger value means no crossing.
    bool isClear = fabs(c.value[0]) > g->lipschitz * sqrt(3.0) * g->cell;
    for (int m = 1; m < 8 && !isClear; m++)
        c.value[m] = cornerValue(g, &c, m);
    for (int m = 0; m < (isClear ? 1 : 8) && g->result == pal_ok; m++)
        if (border && c.value[m] < 0.0)
            exceedsBounds(g, latticePoint(g, i, j, k));
    for (int t = 0; t < 6 && !isClear && g->result == pal_ok; t++)
        cutTetrahedron(g, &c, tetrahedra[t]);
}

// Marks the blocks of a slab, blockCells layers from layer k on, that the surface may pass through:
// |field| at the centre is at most the Lipschitz constant times the distance to a corner.
static void markSlab(polygoniser* g, int k)
{
    int nx = blocksAlong(g->n[0]), ny = blocksAlong(g->n[1]);
    double half = 0.5 * blockCells;
    double reach = g->lipschitz * sqrt(3.0) * half * g->cell;
    for (int bj = 0; bj < ny; bj++)
        for (int bi = 0; bi < nx; bi++)
        {
            palVec3 middle =
                latticePoint(g, bi * blockCells + half, bj * blockCells + half, k + half);
            double value = evaluate(g, middle);
            g->isActive[bj * nx + bi] = fabs(value) <= reach;
            bool border = bi == 0 || bj == 0 || k == 0 || bi == nx - 1 || bj == ny - 1 ||
                          k + blockCells >= g->n[2];
            if (border && value < -reach)
                exceedsBounds(g, middle);
        }
}

// Processes the cubes layer by layer in ascending z.
static palResult cutCubes(polygoniser* g)
{
    int nx = blocksAlong(g->n[0]);
    clearLayer(g, &g->low);
    for (int k = 0; k < g->n[2] && g->result == pal_ok; k++)
    {
        clearLayer(g, &g->high);
        if (k % blockCells == 0)
            markSlab(g, k);
        for (int j = 0; j < g->n[1] && g->result == pal_ok; j++)
            for (int i = 0; i < g->n[0] && g->result == pal_ok; i++)
                if (g->isActive[j / blockCells * nx + i / blockCells])
                    cutCube(g, i, j, k);
        layer swap = g->low;
        g->low = g->high;
        g->high = swap;
    }
    return g->result;
}

static palResult initPolygoniser(polygoniser* g, const palImplicitDef* def, palError* error)
{
    palVec3 extent = palSub(def->bounds.high, def->bounds.low);
    double cell = fmax(extent.x, fmax(extent.y, extent.z)) / def->cells;
    *g = (polygoniser){
        .field = def->field, .lipschitz = def->lipschitz, .cell = cell, .error = error};
    // A margin of at least 1.5 cells on every side: the border cubes do not overlap the bounds.
    const double sides[3] = {extent.x, extent.y, extent.z};
    for (int a = 0; a < 3; a++)
        g->n[a] = (int)ceil(sides[a] / cell - 1e-9) + 3;
    palVec3 middle = palLerp(def->bounds.low, def->bounds.high, 0.5);
    g->origin = palMulAdd(middle, -0.5 * cell, palMakeVec3(g->n[0], g->n[1], g->n[2]));

    size_t points = layerPoints(g);
    size_t blocks = (size_t)blocksAlong(g->n[0]) * (size_t)blocksAlong(g->n[1]);
    g->low = (layer){malloc(points * sizeof(double)), malloc(points * sizeof *g->low.cut)};
    g->high = (layer){malloc(points * sizeof(double)), malloc(points * sizeof *g->high.cut)};
    g->isActive = malloc(blocks * sizeof(bool));
    if (g->low.value == NULL || g->low.cut == NULL || g->high.value == NULL ||
        g->high.cut == NULL || g->isActive == NULL)
        g->result = palError_Memory(error, "layers of the polygoniser",
                                    2 * points * (sizeof(double) + sizeof *g->low.cut) + blocks);
    return g->result;
}

static void freePolygoniser(polygoniser* g)
{
    free(g->low.value);
    free(g->low.cut);
    free(g->high.value);
    free(g->high.cut);
    free(g->isActive);
    free(g->vertices);
    free(g->triangles);
}

static palResult checkDef(const palImplicitDef* def, palError* error)
{
    palVec3 extent = palSub(def->bounds.high, def->bounds.low);
    if (!palIsFinite(extent) || extent.x <= 0.0 || extent.y <= 0.0 || extent.z <= 0.0)
        return palError_Set(error, pal_errorInput,
                            "the bounds of an implicit surface have extents (%g, %g, %g) m; each "
                            "must be above 0 and finite",
                            extent.x, extent.y, extent.z);
    if (def->cells < pal_implicitCellsMin || def->cells > pal_implicitCellsMax)
        return palError_Set(error, pal_errorInput,
                            "%d cells for an implicit surface; the allowed range is %d to %d",
                            def->cells, (int)pal_implicitCellsMin, (int)pal_implicitCellsMax);
    if (!(def->lipschitz > 0.0) || !isfinite(def->lipschitz))
        return palError_Set(error, pal_errorInput,
                            "Lipschitz constant %g of an implicit surface; it must be above 0 and "
                            "finite",
                            def->lipschitz);
    return pal_ok;
}

static palResult packSurface(const polygoniser* g, palSurface* surface, palError* error)
{
    if (g->triangleCount == 0)
    {
        palError_Set(error, pal_errorInput, "the field has no surface within its bounds");
        palError_Remedy(error, "move the bounds to the surface or use more cells");
        return pal_errorInput;
    }
    palResult result = palSurface_Init(surface, g->vertexCount, g->triangleCount, error);
    if (result != pal_ok)
        return result;
    memcpy(surface->vertices, g->vertices, (size_t)g->vertexCount * sizeof(palVec3));
    memcpy(surface->triangles, g->triangles, (size_t)g->triangleCount * sizeof *g->triangles);
    result = palRemesh(surface, g->field, g->cell, error);
    if (result != pal_ok)
        palSurface_Free(surface);
    return result;
}

palImplicitDef palDefaultImplicitDef(void)
{
    return (palImplicitDef){.cells = 100, .lipschitz = 1.0};
}

palResult palMakeImplicitSurface(const palImplicitDef* def, palSurface* surface, palError* error)
{
    *surface = (palSurface){0};
    palResult result = checkDef(def, error);
    if (result != pal_ok)
        return result;
    polygoniser g;
    result = initPolygoniser(&g, def, error);
    if (result == pal_ok)
        result = cutCubes(&g);
    if (result == pal_ok)
        result = packSurface(&g, surface, error);
    freePolygoniser(&g);
    return result;
}
