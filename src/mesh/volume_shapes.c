// SPDX-License-Identifier: Apache-2.0
#include "mesh/volume_shapes.h"

#include "base/error.h"
#include "mesh/volume_builder.h"

#include <stdlib.h>

// Limit against accidentally huge meshes.
static const double maxElements = 2e7;

// The allowed range of lengths, m.
static const double minLength = 1e-6;
static const double maxLength = 1e3;

// The largest allowed grading; beyond it the cells are too distorted.
static const double maxGrading = 100.0;

palVolumeShapeDef palDefaultVolumeShapeDef(palVolumeShapeKind kind)
{
    static const palVolumeShapeDef defs[pal_volumeShapeKindCount] = {
        {pal_volumeBlock, pal_cutFive, {0.1, 0.1, 0.1}, {8, 8, 8}, 1.0},
        {pal_volumeBeam, pal_cutFive, {0.2, 0.04, 0.04}, {20, 4, 4}, 1.0},
        {pal_volumeGraded, pal_cutFive, {0.1, 0.1, 0.05}, {12, 12, 8}, 4.0},
        {pal_volumeRod, pal_cutSix, {0.04, 0.04, 0.1}, {4, 4, 16}, 1.0},
    };
    return defs[kind < pal_volumeShapeKindCount ? kind : pal_volumeBlock];
}

const char* palVolumeShapeKind_Name(palVolumeShapeKind kind)
{
    static const char* const names[] = {"block", "beam", "graded", "rod"};
    return kind < pal_volumeShapeKindCount ? names[kind] : NULL;
}

const char* palVolumeCut_Name(palVolumeCut cut)
{
    static const char* const names[] = {"five", "six", "hex"};
    return cut < pal_volumeCutCount ? names[cut] : NULL;
}

// The number of cells along `side` for a cell size of longest / resolution; at least one.
static int cellsAlong(double side, double longest, int resolution)
{
    double cells = round(resolution * side / longest);
    return cells >= 1.0 && cells <= resolution ? (int)cells : 1;
}

void palVolumeShapeDef_SetResolution(palVolumeShapeDef* def, int resolution)
{
    palVec3 s = def->size;
    bool rod = def->kind == pal_volumeRod;
    double longest = rod ? s.z : fmax(s.x, fmax(s.y, s.z));
    def->cells[0] = cellsAlong(rod ? fmin(0.5 * s.x, longest) : s.x, longest, resolution);
    def->cells[1] = rod ? def->cells[0] : cellsAlong(s.y, longest, resolution);
    def->cells[2] = cellsAlong(s.z, longest, resolution);
}

static palResult check(const palVolumeShapeDef* def, palError* error)
{
    const char* name = palVolumeShapeKind_Name(def->kind);
    const double lengths[3] = {def->size.x, def->size.y, def->size.z};
    for (int k = 0; k < 3; k++)
    {
        if (!(lengths[k] >= minLength && lengths[k] <= maxLength))
        {
            palError_Set(error, pal_errorInput, "side %c of the %s is %g m", 'x' + k, name,
                         lengths[k]);
            return palError_Remedy(error, "use a length from %g to %g m", minLength, maxLength);
        }
        if (def->cells[k] < 1)
        {
            palError_Set(error, pal_errorInput, "the %s has %d cells along %c", name, def->cells[k],
                         'x' + k);
            return palError_Remedy(error, "use at least one");
        }
    }
    if (!(def->grading >= 1.0 && def->grading <= maxGrading))
    {
        palError_Set(error, pal_errorInput, "the grading of the %s is %g", name, def->grading);
        return palError_Remedy(error, "use 1 to %g", maxGrading);
    }
    double n[3] = {def->cells[0], def->cells[1], def->cells[2]};
    double elements =
        def->kind == pal_volumeRod ? 18.0 * n[0] * n[0] * n[2] : 6.0 * n[0] * n[1] * n[2];
    if (elements > maxElements)
    {
        palError_Set(error, pal_errorInput, "the %s would have %.3g elements; the limit is %.3g",
                     name, elements, maxElements);
        return palError_Remedy(error, "lower the resolution");
    }
    return pal_ok;
}

// Maps u in 0..1 for cells that grow geometrically from u = 0: for many cells, the last one is
// `ratio` times as long as the first.
static double stretch(double u, double ratio)
{
    double l = log(ratio);
    return l > 1e-9 ? expm1(u * l) / expm1(l) : u;
}

// The position of grid node (i, j, k).
static palVec3 gridPoint(const palVolumeShapeDef* def, int i, int j, int k)
{
    double t[3] = {(double)i / def->cells[0], (double)j / def->cells[1], (double)k / def->cells[2]};
    if (def->kind == pal_volumeGraded)
    {
        // Graded along x and y from the centre to both sides, along z from zmax downwards.
        for (int a = 0; a < 2; a++)
        {
            double s = 2.0 * t[a] - 1.0;
            t[a] = 0.5 + 0.5 * copysign(stretch(fabs(s), def->grading), s);
        }
        t[2] = 1.0 - stretch(1.0 - t[2], def->grading);
    }
    return palMakeVec3((t[0] - 0.5) * def->size.x, (t[1] - 0.5) * def->size.y,
                       (t[2] - 0.5) * def->size.z);
}

// The tets of a cell. Corner c of the cell has the bits of c as its x, y, z.
static const int fiveTets[2][5][4] = {
    {{0, 5, 3, 6}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 3, 5, 6}},
    {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}},
};
// Kuhn's subdivision: the paths from corner 0 to corner 7 along the edges.
static const int sixTets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                  {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

static void setTet(palVolume* volume, int t, int a, int b, int c, int d)
{
    volume->tets[t][0] = a, volume->tets[t][1] = b;
    volume->tets[t][2] = c, volume->tets[t][3] = d;
}

// Writes the elements of one cell with corners c from element `first` on. Returns the next element.
static int cutCell(const palVolumeShapeDef* def, const int c[8], bool odd, int first,
                   palVolume* volume)
{
    static const int vtkOrder[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    if (def->cut == pal_cutNone)
    {
        for (int k = 0; k < 8; k++)
            volume->hexes[first][k] = c[vtkOrder[k]];
        return first + 1;
    }
    int count = def->cut == pal_cutFive ? 5 : 6;
    for (int i = 0; i < count; i++)
    {
        const int* t = def->cut == pal_cutFive ? fiveTets[odd][i] : sixTets[i];
        setTet(volume, first + i, c[t[0]], c[t[1]], c[t[2]], c[t[3]]);
    }
    return first + count;
}

// Adds the vertices with `belongs` as a node set. `scratch` is [vertexCount].
static palResult addSide(palVolume* volume, const char* name, const bool* belongs, int* scratch,
                         palError* error)
{
    int count = 0;
    for (int v = 0; v < volume->vertexCount; v++)
        if (belongs[v])
            scratch[count++] = v;
    return palVolume_AddNodeSet(volume, name, scratch, count, error);
}

// Adds the node sets of a grid's six sides, from the node indices.
static palResult addGridSides(const palVolumeShapeDef* def, palVolume* volume, bool* belongs,
                              int* scratch, palError* error)
{
    static const char* const names[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    const int n[3] = {def->cells[0] + 1, def->cells[1] + 1, def->cells[2] + 1};
    palResult result = pal_ok;
    for (int side = 0; side < 6 && result == pal_ok; side++)
    {
        for (int v = 0; v < volume->vertexCount; v++)
        {
            int index[3] = {v % n[0], v / n[0] % n[1], v / n[0] / n[1]};
            belongs[v] = index[side / 2] == (side % 2 == 0 ? 0 : n[side / 2] - 1);
        }
        result = addSide(volume, names[side], belongs, scratch, error);
    }
    return result;
}

static palResult makeGrid(const palVolumeShapeDef* def, palVolume* volume, palError* error)
{
    const int* n = def->cells;
    int cells = n[0] * n[1] * n[2];
    bool hexes = def->cut == pal_cutNone;
    int tets = hexes ? 0 : (def->cut == pal_cutFive ? 5 : 6) * cells;
    palResult result = palVolume_Init(volume, (n[0] + 1) * (n[1] + 1) * (n[2] + 1), tets,
                                      hexes ? cells : 0, error);
    if (result != pal_ok)
        return result;
    int row = n[0] + 1, layer = row * (n[1] + 1);
    for (int v = 0; v < volume->vertexCount; v++)
        volume->vertices[v] = gridPoint(def, v % row, v / row % (n[1] + 1), v / layer);
    int next = 0;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++)
            {
                int c[8];
                for (int b = 0; b < 8; b++)
                    c[b] = i + (b & 1) + (j + (b >> 1 & 1)) * row + (k + (b >> 2)) * layer;
                next = cutCell(def, c, (i + j + k) % 2 != 0, next, volume);
            }
    return pal_ok;
}

// The vertices of a disc: the centre, then ring r = 1..n of 6 r vertices.
static int discVertex(int ring, int i)
{
    return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + i % (6 * ring);
}

// The triangles of the disc, counter-clockwise: in each of six sectors, ring r has 2 r - 1.
static int discTriangles(int rings, int (*triangles)[3])
{
    int count = 0;
    for (int r = 1; r <= rings; r++)
        for (int sector = 0; sector < 6; sector++)
            for (int i = 0; i < r; i++)
            {
                int outer = sector * r + i, inner = sector * (r - 1) + i;
                int* t = triangles[count++];
                t[0] = discVertex(r - 1, inner);
                t[1] = discVertex(r, outer);
                t[2] = discVertex(r, outer + 1);
                if (i + 1 == r)
                    continue;
                t = triangles[count++];
                t[0] = discVertex(r - 1, inner);
                t[1] = discVertex(r, outer + 1);
                t[2] = discVertex(r - 1, inner + 1);
            }
    return count;
}

static void placeRod(const palVolumeShapeDef* def, int disc, palVolume* volume)
{
    int rings = def->cells[0], layers = def->cells[2];
    for (int k = 0; k <= layers; k++)
    {
        double z = def->size.z * ((double)k / layers - 0.5);
        volume->vertices[k * disc] = palMakeVec3(0.0, 0.0, z);
        for (int r = 1; r <= rings; r++)
            for (int i = 0; i < 6 * r; i++)
            {
                double radius = 0.5 * def->size.x * r / rings;
                double angle = 2.0 * PAL_PI * i / (6 * r);
                volume->vertices[k * disc + discVertex(r, i)] =
                    palMakeVec3(radius * cos(angle), radius * sin(angle), z);
            }
    }
}

// Extrudes the disc into prisms and splits each into three tets.
static palResult makeRod(const palVolumeShapeDef* def, palVolume* volume, palError* error)
{
    int rings = def->cells[0], layers = def->cells[2];
    int disc = discVertex(rings + 1, 0);
    int count = 6 * rings * rings;
    int(*triangles)[3] = malloc((size_t)count * sizeof *triangles);
    if (triangles == NULL)
        return palError_Memory(error, "a rod", (size_t)count * sizeof *triangles);
    palResult result = palVolume_Init(volume, disc * (layers + 1), 3 * count * layers, 0, error);
    if (result == pal_ok)
    {
        discTriangles(rings, triangles);
        placeRod(def, disc, volume);
        for (int i = 0; i < count * layers; i++)
        {
            const int* t = triangles[i % count];
            int low = i / count * disc, high = low + disc;
            int prism[6] = {low + t[0],  low + t[1],  low + t[2],
                            high + t[0], high + t[1], high + t[2]};
            palSplitPrism(prism, &volume->tets[3 * i]);
        }
    }
    free(triangles);
    return result;
}

static palResult addRodSides(const palVolumeShapeDef* def, palVolume* volume, bool* belongs,
                             int* scratch, palError* error)
{
    static const char* const names[] = {"zmin", "zmax", "side"};
    int disc = discVertex(def->cells[0] + 1, 0), rim = discVertex(def->cells[0], 0);
    int top = def->cells[2] * disc;
    palResult result = pal_ok;
    for (int side = 0; side < 3 && result == pal_ok; side++)
    {
        for (int v = 0; v < volume->vertexCount; v++)
            belongs[v] = side == 0 ? v < disc : side == 1 ? v >= top : v % disc >= rim;
        result = addSide(volume, names[side], belongs, scratch, error);
    }
    return result;
}

palResult palMakeVolumeShape(const palVolumeShapeDef* def, palVolume* volume, palError* error)
{
    *volume = (palVolume){0};
    palResult result = check(def, error);
    if (result != pal_ok)
        return result;
    bool rod = def->kind == pal_volumeRod;
    result = rod ? makeRod(def, volume, error) : makeGrid(def, volume, error);
    bool* belongs = malloc((size_t)volume->vertexCount + 1);
    int* scratch = malloc(((size_t)volume->vertexCount + 1) * sizeof *scratch);
    if (result == pal_ok && (belongs == NULL || scratch == NULL))
        result = palError_Memory(error, "node sets", (size_t)volume->vertexCount * 5);
    if (result == pal_ok)
        result = rod ? addRodSides(def, volume, belongs, scratch, error)
                     : addGridSides(def, volume, belongs, scratch, error);
    if (result == pal_ok)
        result = palVolume_AddRegion(volume, 1, palVolumeShapeKind_Name(def->kind), error);
    for (int e = 0; result == pal_ok && e < volume->tetCount + volume->hexCount; e++)
        volume->labels[e] = 1;
    free(belongs);
    free(scratch);
    if (result != pal_ok)
        palVolume_Free(volume);
    return result;
}
