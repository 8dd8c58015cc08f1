// SPDX-License-Identifier: Apache-2.0
#include "mesh/embed.h"

#include "base/error.h"
#include "math/mat3.h"

#include <stdlib.h>
#include <string.h>

// A uniform grid; each cell lists the elements whose bounding boxes overlap it.
typedef struct Grid
{
    palVec3 low;
    double cell; // m
    int n[3];
    int* start; // owned, [n0 n1 n2 + 2]
    int* items; // owned: elements
} Grid;

// A position in an element.
typedef struct Location
{
    int element;
    double distance; // m, 0 inside
    double weights[8];
} Location;

palResult palEmbedding_Init(palEmbedding* embedding, int count, palError* error)
{
    *embedding = (palEmbedding){.count = count};
    size_t n = (size_t)count + 1;
    embedding->elements = malloc(n * sizeof *embedding->elements);
    embedding->weights = malloc(n * sizeof *embedding->weights);
    if (embedding->elements != NULL && embedding->weights != NULL)
        return pal_ok;
    palEmbedding_Free(embedding);
    return palError_Memory(error, "an embedding", n * sizeof *embedding->weights);
}

void palEmbedding_Free(palEmbedding* embedding)
{
    free(embedding->elements);
    free(embedding->weights);
    *embedding = (palEmbedding){0};
}

static const int* cornersOf(const palVolume* volume, int element, int* count)
{
    bool tet = element < volume->tetCount;
    *count = tet ? 4 : 8;
    return tet ? volume->tets[element] : volume->hexes[element - volume->tetCount];
}

palVec3 palEmbedding_Point(const palEmbedding* embedding, const palVolume* volume,
                           const palVec3* vertices, int i)
{
    int count;
    const int* corners = cornersOf(volume, embedding->elements[i], &count);
    palVec3 p = pal_zeroVec3;
    for (int k = 0; k < count; k++)
        p = palMulAdd(p, embedding->weights[i][k], vertices[corners[k]]);
    return p;
}

static palBounds elementBounds(const palVolume* volume, int element)
{
    int count;
    const int* corners = cornersOf(volume, element, &count);
    palVec3 first = volume->vertices[corners[0]];
    palBounds bounds = {first, first};
    for (int k = 1; k < count; k++)
    {
        bounds.low = palMinVec3(bounds.low, volume->vertices[corners[k]]);
        bounds.high = palMaxVec3(bounds.high, volume->vertices[corners[k]]);
    }
    return bounds;
}

// The grid cell of a point, clamped to the grid.
static void cellOf(const Grid* grid, palVec3 p, int cell[3])
{
    const double x[3] = {p.x - grid->low.x, p.y - grid->low.y, p.z - grid->low.z};
    for (int a = 0; a < 3; a++)
    {
        double index = floor(x[a] / grid->cell);
        cell[a] = index < 0.0 ? 0 : index >= grid->n[a] ? grid->n[a] - 1 : (int)index;
    }
}

// The cell size is the average element size, so that an element overlaps a few cells; at most a
// million cells.
static void sizeGrid(Grid* grid, const palVolume* volume)
{
    int elements = volume->tetCount + volume->hexCount;
    palBounds bounds = palVolume_Bounds(volume);
    palVec3 extent = palSub(bounds.high, bounds.low);
    double sum = 0.0;
    for (int e = 0; e < elements; e++)
    {
        palBounds box = elementBounds(volume, e);
        palVec3 size = palSub(box.high, box.low);
        sum += fmax(size.x, fmax(size.y, size.z));
    }
    double longest = fmax(extent.x, fmax(extent.y, extent.z));
    grid->low = bounds.low;
    grid->cell = fmax(sum / elements, longest / 100.0);
    const double sides[3] = {extent.x, extent.y, extent.z};
    for (int a = 0; a < 3; a++)
        grid->n[a] = (int)(sides[a] / grid->cell) + 1;
}

// For each cell that an element overlaps: counts the element, or stores it.
static void insertElement(Grid* grid, const palVolume* volume, int element, bool counting)
{
    palBounds box = elementBounds(volume, element);
    int low[3], high[3];
    cellOf(grid, box.low, low);
    cellOf(grid, box.high, high);
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++)
            {
                int cell = i + grid->n[0] * (j + grid->n[1] * k);
                if (counting)
                    grid->start[cell + 2]++;
                else
                    grid->items[grid->start[cell + 1]++] = element;
            }
}

static palResult makeGrid(Grid* grid, const palVolume* volume, palError* error)
{
    sizeGrid(grid, volume);
    int cells = grid->n[0] * grid->n[1] * grid->n[2];
    int elements = volume->tetCount + volume->hexCount;
    grid->start = calloc((size_t)cells + 2, sizeof *grid->start);
    if (grid->start == NULL)
        return palError_Memory(error, "a grid", (size_t)cells * sizeof *grid->start);
    for (int e = 0; e < elements; e++)
        insertElement(grid, volume, e, true);
    for (int c = 0; c < cells; c++)
        grid->start[c + 2] += grid->start[c + 1];
    size_t total = (size_t)grid->start[cells + 1] + 1;
    grid->items = malloc(total * sizeof *grid->items);
    if (grid->items == NULL)
        return palError_Memory(error, "a grid", total * sizeof *grid->items);
    for (int e = 0; e < elements; e++)
        insertElement(grid, volume, e, false);
    return pal_ok;
}

// The barycentric coordinates of p: each is the determinant with p in place of a corner, divided by
// that of the tet. b[0] follows from the sum of 1.
static void barycentric(const palVec3 c[4], palVec3 p, double b[4])
{
    double whole = palTetDeterminant(c[0], c[1], c[2], c[3]);
    b[1] = palTetDeterminant(c[0], p, c[2], c[3]) / whole;
    b[2] = palTetDeterminant(c[0], c[1], p, c[3]) / whole;
    b[3] = palTetDeterminant(c[0], c[1], c[2], p) / whole;
    b[0] = 1.0 - b[1] - b[2] - b[3];
}

static double segmentDistance(palVec3 a, palVec3 b, palVec3 p)
{
    palVec3 d = palSub(b, a);
    double along = palDot(palSub(p, a), d), length = palLengthSquared(d);
    double t = length > 0.0 ? fmin(fmax(along / length, 0.0), 1.0) : 0.0;
    return palDistance(p, palMulAdd(a, t, d));
}

// The distance of p to a triangle: to its plane if p projects into the triangle, else to an edge.
static double triangleDistance(palVec3 a, palVec3 b, palVec3 c, palVec3 p)
{
    palVec3 n = palCross(palSub(b, a), palSub(c, a));
    double area = palLengthSquared(n);
    bool projectsInside = palDot(palCross(palSub(b, a), palSub(p, a)), n) >= 0.0 &&
                          palDot(palCross(palSub(c, b), palSub(p, b)), n) >= 0.0 &&
                          palDot(palCross(palSub(a, c), palSub(p, c)), n) >= 0.0;
    if (projectsInside && area > 0.0)
        return fabs(palDot(palSub(p, a), n)) / sqrt(area);
    return fmin(segmentDistance(a, b, p), fmin(segmentDistance(b, c, p), segmentDistance(c, a, p)));
}

static double tetDistance(const palVec3 c[4], palVec3 p, double b[4])
{
    static const int faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    // Due to rounding, a point on a shared face may be outside both tets.
    const double rounding = 1e-12;
    barycentric(c, p, b);
    if (b[0] >= -rounding && b[1] >= -rounding && b[2] >= -rounding && b[3] >= -rounding)
        return 0.0;
    double nearest = INFINITY;
    for (int i = 0; i < 4; i++)
        nearest =
            fmin(nearest, triangleDistance(c[faces[i][0]], c[faces[i][1]], c[faces[i][2]], p));
    return nearest;
}

// Newton's method for the natural coordinates of p in a hex. Returns whether p is inside.
static bool invertHex(const palVec3 c[8], palVec3 p, double weights[8])
{
    enum
    {
        iterations = 20,
    };
    const double limit = 1.0 + 1e-9;
    palVec3 s = pal_zeroVec3;
    for (int i = 0; i < iterations; i++)
    {
        palVec3 x = pal_zeroVec3, columns[3] = {pal_zeroVec3, pal_zeroVec3, pal_zeroVec3};
        palHexWeights(s.x, s.y, s.z, weights);
        for (int k = 0; k < 8; k++)
        {
            const double* n = pal_hexCorners[k];
            double f[3] = {1.0 + n[0] * s.x, 1.0 + n[1] * s.y, 1.0 + n[2] * s.z};
            x = palMulAdd(x, weights[k], c[k]);
            columns[0] = palMulAdd(columns[0], 0.125 * n[0] * f[1] * f[2], c[k]);
            columns[1] = palMulAdd(columns[1], 0.125 * n[1] * f[0] * f[2], c[k]);
            columns[2] = palMulAdd(columns[2], 0.125 * n[2] * f[0] * f[1], c[k]);
        }
        palMat3 inverse;
        if (!palMat3Inverse(palMakeMat3Columns(columns[0], columns[1], columns[2]), &inverse))
            return false;
        palVec3 step = palMat3Apply(inverse, palSub(p, x));
        s = palAdd(s, step);
        if (!(palLength(s) < 100.0))
            return false;
        if (palLength(step) < 1e-14)
            break;
    }
    palHexWeights(s.x, s.y, s.z, weights);
    return fabs(s.x) <= limit && fabs(s.y) <= limit && fabs(s.z) <= limit;
}

// The distance to a hex divided into six tets around its diagonal, with the weights of the nearest.
static double hexDistance(const palVec3 c[8], palVec3 p, double weights[8])
{
    static const int tets[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                   {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    double nearest = INFINITY;
    for (int t = 0; t < 6; t++)
    {
        palVec3 corners[4];
        double b[4];
        for (int k = 0; k < 4; k++)
            corners[k] = c[tets[t][k]];
        // A collapsed hex has flat tets, which contain no point.
        if (palTetDeterminant(corners[0], corners[1], corners[2], corners[3]) == 0.0)
            continue;
        double distance = tetDistance(corners, p, b);
        if (distance >= nearest)
            continue;
        nearest = distance;
        memset(weights, 0, 8 * sizeof *weights);
        for (int k = 0; k < 4; k++)
            weights[tets[t][k]] = b[k];
    }
    return nearest;
}

static void testElement(const palVolume* volume, int element, palVec3 p, Location* best)
{
    int count;
    const int* corners = cornersOf(volume, element, &count);
    palVec3 c[8];
    double weights[8] = {0.0};
    for (int k = 0; k < count; k++)
        c[k] = volume->vertices[corners[k]];
    double distance = count == 4 ? tetDistance(c, p, weights) : hexDistance(c, p, weights);
    if (distance >= best->distance)
        return;
    *best = (Location){.element = element, .distance = distance};
    memcpy(best->weights, weights, sizeof weights);
}

// Tests the elements of the cells at Chebyshev distance `ring` from `centre`.
static void testRing(const Grid* grid, const palVolume* volume, const int centre[3], int ring,
                     palVec3 p, Location* best)
{
    int low[3], high[3];
    for (int a = 0; a < 3; a++)
    {
        low[a] = centre[a] - ring < 0 ? 0 : centre[a] - ring;
        high[a] = centre[a] + ring >= grid->n[a] ? grid->n[a] - 1 : centre[a] + ring;
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
        {
            bool isBorder = abs(k - centre[2]) == ring || abs(j - centre[1]) == ring;
            for (int i = low[0]; i <= high[0]; i++)
            {
                if (!isBorder && abs(i - centre[0]) != ring)
                    continue;
                int cell = i + grid->n[0] * (j + grid->n[1] * k);
                for (int item = grid->start[cell]; item < grid->start[cell + 1]; item++)
                    testElement(volume, grid->items[item], p, best);
            }
        }
}

// Searches ring by ring around the cell of p. Elements in ring r + 1 are at least r cells away from
// p, also if p is outside the grid: clamping moves it closer to every point inside.
static Location findLocation(const Grid* grid, const palVolume* volume, palVec3 p)
{
    Location best = {.element = 0, .distance = INFINITY};
    int centre[3];
    cellOf(grid, p, centre);
    int rings = grid->n[0] + grid->n[1] + grid->n[2];
    for (int r = 0; r < rings && best.distance > (r - 1) * grid->cell; r++)
        testRing(grid, volume, centre, r, p, &best);
    if (best.element < volume->tetCount)
        return best;
    palVec3 c[8];
    double weights[8];
    for (int k = 0; k < 8; k++)
        c[k] = volume->vertices[volume->hexes[best.element - volume->tetCount][k]];
    if (invertHex(c, p, weights))
    {
        best.distance = 0.0;
        memcpy(best.weights, weights, sizeof weights);
    }
    return best;
}

palResult palEmbedding_Tie(palEmbedding* embedding, const palVolume* volume, const palVec3* points,
                           int count, palError* error)
{
    *embedding = (palEmbedding){0};
    if (volume->tetCount + volume->hexCount == 0)
    {
        palError_Set(error, pal_errorInput, "the volume has no element to embed a surface in");
        return palError_Remedy(error, "use a volume mesh");
    }
    Grid grid = {0};
    palResult result = makeGrid(&grid, volume, error);
    if (result == pal_ok)
        result = palEmbedding_Init(embedding, count, error);
    for (int i = 0; i < count && result == pal_ok; i++)
    {
        Location found = findLocation(&grid, volume, points[i]);
        embedding->elements[i] = found.element;
        memcpy(embedding->weights[i], found.weights, sizeof found.weights);
        embedding->outside += found.distance > 0.0;
        embedding->farthest = fmax(embedding->farthest, found.distance);
    }
    free(grid.start);
    free(grid.items);
    return result;
}
