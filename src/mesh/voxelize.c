// SPDX-License-Identifier: Apache-2.0
#include "mesh/voxelize.h"

#include "base/error.h"
#include "mesh/columns.h"
#include "mesh/facts.h"
#include "mesh/sets.h"

#include <stdlib.h>
#include <string.h>

// A vertex within this distance of a cell, in units of cells, counts as inside it.
static const double tolerance = 1e-9;

// Limit against accidentally huge grids.
static const double maxCells = 2e7;

typedef struct Grid
{
    palVec3 low; // m
    double cell; // m
    int n[3];
    int count;       // cells
    double* fill;    // owned, [count]
    bool* kept;      // owned, [count]
    int* hex;        // owned, [count]: the hex of a kept cell
    int* vertexCell; // owned, [surface vertices]: the cell of each
} Grid;

palVoxelDef palDefaultVoxelDef(void)
{
    return (palVoxelDef){.resolution = 16, .samples = 4};
}

static int cellIndex(const Grid* grid, int i, int j, int k)
{
    return i + grid->n[0] * (j + grid->n[1] * k);
}

static palResult check(const palSurface* surface, const palVoxelDef* def, palSurfaceFacts* facts,
                       palError* error)
{
    if (def->resolution < 1 || def->resolution > pal_voxelResolutionMax || def->samples < 1 ||
        def->samples > 16)
    {
        palError_Set(error, pal_errorInput, "%d cells and %d samples are not allowed",
                     def->resolution, def->samples);
        return palError_Remedy(error, "use 1 to %d cells and 1 to 16 samples",
                               pal_voxelResolutionMax);
    }
    palResult result = palSurface_Check(surface, facts, error);
    if (result != pal_ok || facts->solid)
        return result;
    palError_Set(
        error, pal_errorInput,
        "the surface has no inside to fill: %d open, %d non-manifold, %d misoriented edges",
        facts->boundaryEdges, facts->nonManifoldEdges, facts->misorientedEdges);
    bool hasHolesOnly = facts->nonManifoldEdges == 0 && facts->misorientedEdges == 0;
    return palError_Remedy(error, hasHolesOnly
                                      ? "close it with palpate mesh FILE --repair --out CLOSED"
                                      : "close and repair it in a mesh editor");
}

static palResult makeGrid(Grid* grid, const palSurface* surface, const palVoxelDef* def,
                          palError* error)
{
    palBounds bounds = palSurface_Bounds(surface);
    palVec3 extent = palSub(bounds.high, bounds.low);
    const double sides[3] = {extent.x, extent.y, extent.z};
    grid->cell = fmax(sides[0], fmax(sides[1], sides[2])) / def->resolution;
    for (int a = 0; a < 3; a++)
        grid->n[a] = (int)fmax(1.0, ceil(sides[a] / grid->cell - tolerance));
    // Centre the surface in the grid.
    palVec3 slack =
        palSub(palScale(grid->cell, palMakeVec3(grid->n[0], grid->n[1], grid->n[2])), extent);
    grid->low = palMulAdd(bounds.low, -0.5, slack);
    double count = (double)grid->n[0] * grid->n[1] * grid->n[2];
    if (count > maxCells)
    {
        palError_Set(error, pal_errorInput, "the grid would have %.3g cells", count);
        return palError_Remedy(error, "lower the resolution");
    }
    grid->count = (int)count;
    size_t cells = (size_t)grid->count;
    grid->fill = calloc(cells, sizeof *grid->fill);
    grid->kept = calloc(cells, sizeof *grid->kept);
    grid->hex = malloc(cells * sizeof *grid->hex);
    grid->vertexCell = malloc(((size_t)surface->vertexCount + 1) * sizeof *grid->vertexCell);
    if (grid->fill == NULL || grid->kept == NULL || grid->hex == NULL || grid->vertexCell == NULL)
        return palError_Memory(error, "voxels", cells * (sizeof *grid->fill + sizeof *grid->hex));
    return pal_ok;
}

static void freeGrid(Grid* grid)
{
    free(grid->fill);
    free(grid->kept);
    free(grid->hex);
    free(grid->vertexCell);
}

// Adds the interval from z0 to z1, which is inside the solid, to the fill of the cells (i, j, *).
static void addInside(Grid* grid, int i, int j, double z0, double z1, double weight)
{
    double a = (z0 - grid->low.z) / grid->cell, b = (z1 - grid->low.z) / grid->cell;
    for (int k = (int)fmax(0.0, floor(a)); k < grid->n[2] && k < b; k++)
        grid->fill[cellIndex(grid, i, j, k)] += weight * fmax(0.0, fmin(b, k + 1) - fmax(a, k));
}

// Computes the fill of the cells (i, j, *) from their columns; a point is inside if its winding
// number is not zero. Returns the number of skipped columns.
static int fillCells(Grid* grid, const palColumns* columns, int samples, int i, int j)
{
    int used = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int s = 0; s < samples * samples; s++)
        {
            int column = i * samples + s % samples + columns->def.nx * (j * samples + s / samples);
            if (!palColumns_IsConsistent(columns, column))
                continue;
            used += pass == 0;
            int winding = 0;
            for (int c = columns->start[column]; pass == 1 && c < columns->start[column + 1]; c++)
            {
                const palCrossing* crossing = &columns->crossings[c];
                if (winding != 0)
                    addInside(grid, i, j, crossing[-1].z, crossing->z, 1.0 / used);
                winding += crossing->step;
            }
        }
    return samples * samples - used;
}

static palResult measureFill(Grid* grid, const palSurface* surface, int samples,
                             int* skippedColumns, palError* error)
{
    double spacing = grid->cell / samples;
    palColumnsDef def = {
        .x = grid->low.x + 0.5 * spacing,
        .y = grid->low.y + 0.5 * spacing,
        .spacing = spacing,
        .nx = grid->n[0] * samples,
        .ny = grid->n[1] * samples,
    };
    palColumns columns;
    palResult result = palColumns_Init(&columns, surface, &def, error);
    if (result != pal_ok)
        return result;
    for (int j = 0; j < grid->n[1]; j++)
        for (int i = 0; i < grid->n[0]; i++)
            *skippedColumns += fillCells(grid, &columns, samples, i, j);
    for (int c = 0; c < grid->count; c++)
    {
        grid->fill[c] = fmin(grid->fill[c], 1.0);
        grid->kept[c] = grid->fill[c] > 0.0;
    }
    palColumns_Free(&columns);
    return pal_ok;
}

// Whether an axis separates the triangle p from the cube of side 2 r centred at the origin.
static bool isSeparating(const palVec3 p[3], double r, palVec3 axis)
{
    double a = palDot(p[0], axis), b = palDot(p[1], axis), c = palDot(p[2], axis);
    double halfExtent = r * (fabs(axis.x) + fabs(axis.y) + fabs(axis.z));
    return fmin(a, fmin(b, c)) > halfExtent || fmax(a, fmax(b, c)) < -halfExtent;
}

// Separating axes (T. Akenine-Moeller, "Fast 3D triangle-box overlap testing", JGT 6(1), 2001): the
// cube's normals, the triangle's normal, and the cross products of their edges.
static bool overlaps(const palVec3 p[3], double r)
{
    static const palVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    palVec3 edges[3];
    for (int k = 0; k < 3; k++)
        edges[k] = palSub(p[(k + 1) % 3], p[k]);
    for (int a = 0; a < 3; a++)
        if (isSeparating(p, r, axes[a]))
            return false;
    if (isSeparating(p, r, palCross(edges[0], edges[1])))
        return false;
    for (int i = 0; i < 9; i++)
        if (isSeparating(p, r, palCross(axes[i / 3], edges[i % 3])))
            return false;
    return true;
}

// Keeps the cells that a triangle intersects; touching does not count.
static void keepCrossed(Grid* grid, const palVec3 p[3])
{
    int low[3], high[3];
    palVec3 lower = palMinVec3(p[0], palMinVec3(p[1], p[2]));
    palVec3 upper = palMaxVec3(p[0], palMaxVec3(p[1], p[2]));
    const double from[3] = {lower.x, lower.y, lower.z}, to[3] = {upper.x, upper.y, upper.z};
    for (int a = 0; a < 3; a++)
    {
        low[a] = (int)fmin(fmax(floor(from[a] - tolerance), 0.0), grid->n[a] - 1);
        high[a] = (int)fmin(fmax(floor(to[a] + tolerance), 0.0), grid->n[a] - 1);
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++)
            {
                bool* kept = &grid->kept[cellIndex(grid, i, j, k)];
                palVec3 centre = palMakeVec3(i + 0.5, j + 0.5, k + 0.5);
                palVec3 q[3] = {palSub(p[0], centre), palSub(p[1], centre), palSub(p[2], centre)};
                *kept = *kept || overlaps(q, 0.5 - tolerance);
            }
}

// A vertex in units of cells from the grid's corner.
static palVec3 inCells(const Grid* grid, palVec3 p)
{
    return palScale(1.0 / grid->cell, palSub(p, grid->low));
}

// A kept cell that contains the point, boundary included, or else the cell of the point.
static int findCell(const Grid* grid, palVec3 q)
{
    const double x[3] = {q.x, q.y, q.z};
    int home[3], low[3], high[3];
    for (int a = 0; a < 3; a++)
    {
        home[a] = (int)fmin(fmax(floor(x[a]), 0.0), grid->n[a] - 1);
        low[a] = (int)fmin(fmax(floor(x[a] - tolerance), 0.0), grid->n[a] - 1);
        high[a] = (int)fmin(fmax(floor(x[a] + tolerance), 0.0), grid->n[a] - 1);
    }
    int cell = cellIndex(grid, home[0], home[1], home[2]);
    for (int k = low[2]; k <= high[2] && !grid->kept[cell]; k++)
        for (int j = low[1]; j <= high[1] && !grid->kept[cell]; j++)
            for (int i = low[0]; i <= high[0] && !grid->kept[cell]; i++)
                if (grid->kept[cellIndex(grid, i, j, k)])
                    cell = cellIndex(grid, i, j, k);
    return cell;
}

// Finds the cell of every vertex and keeps it. Returns the number of additional cells.
static int keepVertexCells(Grid* grid, const palSurface* surface)
{
    int dilated = 0;
    for (int v = 0; v < surface->vertexCount; v++)
    {
        int cell = findCell(grid, inCells(grid, surface->vertices[v]));
        dilated += !grid->kept[cell];
        grid->kept[cell] = true;
        grid->vertexCell[v] = cell;
    }
    return dilated;
}

// Numbers the kept cells and, in `node`, their corners, then writes both to the volume.
static palResult makeVolume(Grid* grid, int* node, palVolume* volume, palError* error)
{
    static const int vtkOrder[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    int row = grid->n[0] + 1, layer = row * (grid->n[1] + 1), nodes = layer * (grid->n[2] + 1);
    int hexes = 0, vertices = 0;
    memset(node, 0xff, (size_t)nodes * sizeof *node);
    for (int pass = 0; pass < 2; pass++)
    {
        for (int c = 0; c < grid->count; c++)
        {
            if (!grid->kept[c])
                continue;
            int i = c % grid->n[0], j = c / grid->n[0] % grid->n[1],
                k = c / grid->n[0] / grid->n[1];
            if (pass == 0)
                grid->hex[c] = hexes++;
            for (int b = 0; b < 8; b++)
            {
                int corner =
                    i + vtkOrder[b][0] + (j + vtkOrder[b][1]) * row + (k + vtkOrder[b][2]) * layer;
                if (pass == 0)
                    node[corner] = 0;
                else
                    volume->hexes[grid->hex[c]][b] = node[corner];
            }
        }
        if (pass == 1)
            break;
        for (int v = 0; v < nodes; v++)
            if (node[v] == 0)
                node[v] = vertices++;
        palResult result = palVolume_Init(volume, vertices, 0, hexes, error);
        if (result != pal_ok)
            return result;
    }
    for (int v = 0; v < nodes; v++)
        if (node[v] >= 0)
            volume->vertices[node[v]] = palMulAdd(
                grid->low, grid->cell, palMakeVec3(v % row, v / row % (grid->n[1] + 1), v / layer));
    for (int h = 0; h < hexes; h++)
        volume->labels[h] = 1;
    return palVolume_AddRegion(volume, 1, "body", error);
}

// Counts the face-connected parts of the kept cells; overwrites grid->hex.
static int countParts(Grid* grid)
{
    palSets_Clear(grid->hex, grid->count);
    const int steps[3] = {1, grid->n[0], grid->n[0] * grid->n[1]};
    for (int c = 0; c < grid->count; c++)
    {
        const int index[3] = {c % grid->n[0], c / grid->n[0] % grid->n[1], c / steps[2]};
        for (int a = 0; a < 3; a++)
            if (grid->kept[c] && index[a] + 1 < grid->n[a] && grid->kept[c + steps[a]])
                palSets_Join(grid->hex, c, c + steps[a]);
    }
    int parts = 0;
    for (int c = 0; c < grid->count; c++)
        parts += grid->kept[c] && grid->hex[c] == c;
    return parts;
}

static palResult embedSurface(const Grid* grid, const palSurface* surface, palVoxels* voxels,
                              palError* error)
{
    palResult result = palEmbedding_Init(&voxels->embedding, surface->vertexCount, error);
    for (int v = 0; v < surface->vertexCount && result == pal_ok; v++)
    {
        int c = grid->vertexCell[v];
        palVec3 q = inCells(grid, surface->vertices[v]);
        int i = c % grid->n[0], j = c / grid->n[0] % grid->n[1], k = c / grid->n[0] / grid->n[1];
        voxels->embedding.elements[v] = grid->hex[c];
        palHexWeights(2.0 * (q.x - i) - 1.0, 2.0 * (q.y - j) - 1.0, 2.0 * (q.z - k) - 1.0,
                      voxels->embedding.weights[v]);
    }
    return result;
}

static palResult build(Grid* grid, const palSurface* surface, palVoxels* voxels, palError* error)
{
    size_t nodes = ((size_t)grid->n[0] + 1) * ((size_t)grid->n[1] + 1) * ((size_t)grid->n[2] + 1);
    int* node = malloc(nodes * sizeof *node);
    if (node == NULL)
        return palError_Memory(error, "voxels", nodes * sizeof *node);
    palResult result = makeVolume(grid, node, &voxels->volume, error);
    free(node);
    if (result == pal_ok)
        result = embedSurface(grid, surface, voxels, error);
    if (result != pal_ok)
        return result;
    voxels->fill = malloc(((size_t)voxels->volume.hexCount + 1) * sizeof *voxels->fill);
    if (voxels->fill == NULL)
        return palError_Memory(error, "voxels", (size_t)voxels->volume.hexCount * 8);
    for (int c = 0; c < grid->count; c++)
        if (grid->kept[c])
            voxels->fill[grid->hex[c]] = grid->fill[c];
    voxels->parts = countParts(grid);
    return pal_ok;
}

// Parts may overlap: only of one the surface tells the volume.
static double measureInside(const palVoxels* voxels, const palSurfaceFacts* facts)
{
    double cells = 0.0;
    for (int h = 0; h < voxels->volume.hexCount; h++)
        cells += voxels->fill[h];
    return facts->solidComponents == 1 ? facts->volume
                                       : cells * voxels->cell * voxels->cell * voxels->cell;
}

static void report(const palVoxels* voxels, const palSurfaceFacts* facts, palMessages* notes)
{
    if (voxels->parts > 1)
        palError_Remedy(palMessages_Add(notes, pal_severityWarning,
                                        "the cells form %d parts that share no face (the surface "
                                        "has %d): they move independently unless attached",
                                        voxels->parts, facts->solidComponents),
                        "use a coarser grid, or connect the parts");
    if (voxels->skippedColumns > 0)
        palMessages_Add(notes, pal_severityNote,
                        "%d sampling columns skipped that pass too close to a vertex",
                        voxels->skippedColumns);
}

palResult palVoxels_Init(palVoxels* voxels, const palSurface* surface, const palVoxelDef* def,
                         palMessages* notes, palError* error)
{
    *voxels = (palVoxels){0};
    palSurfaceFacts facts;
    Grid grid = {0};
    palResult result = check(surface, def, &facts, error);
    if (result == pal_ok)
        result = makeGrid(&grid, surface, def, error);
    if (result == pal_ok)
        result = measureFill(&grid, surface, def->samples, &voxels->skippedColumns, error);
    for (int t = 0; t < surface->triangleCount && result == pal_ok; t++)
    {
        palVec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = inCells(&grid, surface->vertices[surface->triangles[t][k]]);
        keepCrossed(&grid, p);
    }
    if (result == pal_ok)
    {
        voxels->cell = grid.cell;
        voxels->dilated = keepVertexCells(&grid, surface);
        result = build(&grid, surface, voxels, error);
    }
    freeGrid(&grid);
    if (result == pal_ok)
        voxels->inside = measureInside(voxels, &facts);
    if (result == pal_ok)
        report(voxels, &facts, notes);
    else
        palVoxels_Free(voxels);
    return result;
}

void palVoxels_Free(palVoxels* voxels)
{
    palVolume_Free(&voxels->volume);
    palEmbedding_Free(&voxels->embedding);
    free(voxels->fill);
    *voxels = (palVoxels){0};
}
