// SPDX-License-Identifier: Apache-2.0
#include "mesh/shapes.h"

#include "base/error.h"
#include "mesh/convex_hull.h"
#include "mesh/extrusion.h"
#include "mesh/implicit.h"
#include "mesh/models.h"
#include "mesh/shape_parts.h"
#include "mesh/vessel.h"

// Minimum number of cells per wavelength.
static const double minCellsPerWave = 8.0;

// Aspect ratio of the sine sheet's cells: length along z over length along x.
static const double sineStretch = 4.0;
// The same for the sine block: along y and along z.
static const double blockStretchDown = 4.0;
static const double blockStretchAcross = 16.0;

// A sheet of nu x nv cells, u and v from -1/2 to 1/2; vertices row by row along u.
static palResult makeSheet(const palShapeDef* def, double nu, double nv,
                           palVec3 (*point)(const palShapeDef*, double u, double v),
                           palSurface* surface, palError* error)
{
    palResult result = palShape_Init(def, (nu + 1) * (nv + 1), 2 * nu * nv, surface, error);
    if (result != pal_ok)
        return result;
    int rows = (int)nv, columns = (int)nu, t = 0;
    for (int j = 0; j <= rows; j++)
        for (int i = 0; i <= columns; i++)
            surface->vertices[j * (columns + 1) + i] = point(def, i / nu - 0.5, j / nv - 0.5);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
        {
            int a = j * (columns + 1) + i;
            t = palShape_SetCell(surface, t, a, a + 1, a + columns + 2, a + columns + 1);
        }
    return pal_ok;
}

static palVec3 planePoint(const palShapeDef* def, double u, double v)
{
    return palMakeVec3(u * def->size.x, v * def->size.y, 0.0);
}

static palResult makePlane(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = palShape_CheckLength(def, "size x", def->size.x, error);
    if (result == pal_ok)
        result = palShape_CheckLength(def, "size y", def->size.y, error);
    if (result != pal_ok)
        return result;
    double longest = fmax(def->size.x, def->size.y);
    return makeSheet(def, palShape_CellsAlong(def->size.x, longest, def->resolution),
                     palShape_CellsAlong(def->size.y, longest, def->resolution), planePoint,
                     surface, error);
}

// v is opposite to z, so that (u, v, outside) is right-handed with +y outside.
static palVec3 sinePoint(const palShapeDef* def, double u, double v)
{
    double x = u * def->size.x;
    return palMakeVec3(x, def->amplitude * sin(2.0 * PAL_PI * x / def->wavelength),
                       -v * def->size.z);
}

// Checks the dimensions of the wave and that the resolution is sufficient for it.
static palResult checkWave(const palShapeDef* def, palError* error)
{
    palResult result = palShape_CheckLength(def, "size x", def->size.x, error);
    if (result == pal_ok)
        result = palShape_CheckLength(def, "size z", def->size.z, error);
    if (result == pal_ok)
        result = palShape_CheckLength(def, "the amplitude", def->amplitude, error);
    if (result == pal_ok)
        result = palShape_CheckLength(def, "the wavelength", def->wavelength, error);
    if (result != pal_ok)
        return result;
    double needed = ceil(minCellsPerWave * def->size.x / def->wavelength);
    if (def->resolution >= needed)
        return pal_ok;
    palError_Set(error, pal_errorInput, "resolution %d gives fewer than %g cells per wavelength",
                 def->resolution, minCellsPerWave);
    palError_Remedy(error, "use a resolution of at least %.0f", needed);
    return pal_errorInput;
}

static palResult makeSine(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = checkWave(def, error);
    if (result != pal_ok)
        return result;
    double rows = palShape_CellsAlong(def->size.z, sineStretch * def->size.x, def->resolution);
    return makeSheet(def, def->resolution, rows, sinePoint, surface, error);
}

// Cells of the box along x, y, z. Its vertices are numbered layer by layer in ascending z: the
// first and the last layer are full, those between have only their border.
typedef struct boxGrid
{
    int x, y, z;
} boxGrid;

static int boxVertex(boxGrid n, int i, int j, int k)
{
    int full = (n.x + 1) * (n.y + 1);
    int rim = 2 * (n.x + n.y);
    if (k == 0)
        return j * (n.x + 1) + i;
    int first = full + (k - 1) * rim;
    if (k == n.z)
        return first + j * (n.x + 1) + i;
    // Along the border counter-clockwise from (0, 0).
    if (j == 0)
        return first + i;
    if (i == n.x)
        return first + n.x + j;
    if (j == n.y)
        return first + n.x + n.y + (n.x - i);
    return first + 2 * n.x + n.y + (n.y - j);
}

static void placeBoxVertices(const palShapeDef* def, boxGrid n, palSurface* surface)
{
    for (int k = 0; k <= n.z; k++)
        for (int j = 0; j <= n.y; j++)
        {
            // In inner layers and rows only the two end vertices are on the surface.
            bool full = k == 0 || k == n.z || j == 0 || j == n.y;
            for (int i = 0; i <= n.x; i += full ? 1 : n.x)
                surface->vertices[boxVertex(n, i, j, k)] = palMakeVec3(
                    def->size.x * ((double)i / n.x - 0.5), def->size.y * ((double)j / n.y - 0.5),
                    def->size.z * ((double)k / n.z - 0.5));
        }
}

// One cell of a face and, mirrored, of the opposite face. Corners are counter-clockwise about
// +axis.
static int setBoxCells(palSurface* surface, int t, boxGrid n, int axis, int p, int q)
{
    int corner[2][4];
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < 4; c++)
        {
            int u = p + (c == 1 || c == 2), v = q + (c >= 2);
            if (axis == 0)
                corner[side][c] = boxVertex(n, side * n.x, u, v);
            else if (axis == 1)
                corner[side][c] = boxVertex(n, v, side * n.y, u);
            else
                corner[side][c] = boxVertex(n, u, v, side * n.z);
        }
    t = palShape_SetCell(surface, t, corner[1][0], corner[1][1], corner[1][2], corner[1][3]);
    return palShape_SetCell(surface, t, corner[0][3], corner[0][2], corner[0][1], corner[0][0]);
}

// Allocates a box of n cells and sets its triangles; the vertices are set later.
static palResult initBox(const palShapeDef* def, boxGrid n, palSurface* surface, palError* error)
{
    // Two triangles per cell on three pairs of faces; Euler: V = 2 + T / 2.
    double triangles = 4.0 * ((double)n.x * n.y + (double)n.y * n.z + (double)n.z * n.x);
    palResult result = palShape_Init(def, 2 + triangles / 2, triangles, surface, error);
    if (result != pal_ok)
        return result;
    const int across[3][2] = {{n.y, n.z}, {n.z, n.x}, {n.x, n.y}};
    int t = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int p = 0; p < across[axis][0]; p++)
            for (int q = 0; q < across[axis][1]; q++)
                t = setBoxCells(surface, t, n, axis, p, q);
    return pal_ok;
}

static palResult makeBox(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = palShape_CheckLength(def, "size x", def->size.x, error);
    if (result == pal_ok)
        result = palShape_CheckLength(def, "size y", def->size.y, error);
    if (result == pal_ok)
        result = palShape_CheckLength(def, "size z", def->size.z, error);
    if (result != pal_ok)
        return result;
    double longest = fmax(def->size.x, fmax(def->size.y, def->size.z));
    boxGrid n = {(int)palShape_CellsAlong(def->size.x, longest, def->resolution),
                 (int)palShape_CellsAlong(def->size.y, longest, def->resolution),
                 (int)palShape_CellsAlong(def->size.z, longest, def->resolution)};
    result = initBox(def, n, surface, error);
    if (result == pal_ok)
        placeBoxVertices(def, n, surface);
    return result;
}

// A box of unit height, stretched along y between the bottom and the wave.
static palResult makeSineBlock(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = checkWave(def, error);
    if (result == pal_ok)
        result = palShape_CheckLength(def, "size y", def->size.y, error);
    if (result != pal_ok)
        return result;
    if (def->size.y <= def->amplitude)
    {
        palError_Set(error, pal_errorInput, "the wave cuts through the bottom of the block");
        return palError_Remedy(error, "use a size y above the amplitude, %g m", def->amplitude);
    }
    boxGrid n = {
        def->resolution,
        (int)palShape_CellsAlong(def->size.y, blockStretchDown * def->size.x, def->resolution),
        (int)palShape_CellsAlong(def->size.z, blockStretchAcross * def->size.x, def->resolution),
    };
    result = initBox(def, n, surface, error);
    if (result != pal_ok)
        return result;
    palShapeDef unit = *def;
    unit.size.y = 1.0;
    placeBoxVertices(&unit, n, surface);
    for (int i = 0; i < surface->vertexCount; i++)
    {
        palVec3* v = &surface->vertices[i];
        double wave = def->amplitude * sin(2.0 * PAL_PI * v->x / def->wavelength);
        v->y = (v->y + 0.5) * wave - (0.5 - v->y) * def->size.y;
    }
    return pal_ok;
}

static palResult makeSolid(const palShapeDef* def, palSurface* surface, palError* error)
{
    double largest = fmax(def->size.x, fmax(def->size.y, def->size.z));
    if (!palIsFinite(def->size))
        largest = NAN;
    palResult result = palShape_CheckLength(def, "the largest size", largest, error);
    if (result != pal_ok)
        return result;
    palSolid solid = def->kind == pal_shapeStatue   ? palMakeStatue(largest)
                     : def->kind == pal_shapeRocker ? palMakeRocker(largest)
                     : def->kind == pal_shapeOrgan  ? palMakeOrgan(largest)
                                                    : palMakePolyp(largest);
    palImplicitDef implicit = palDefaultImplicitDef();
    implicit.field = (palField){.value = palSolid_Value, .data = &solid};
    implicit.bounds = solid.bounds;
    implicit.cells = def->resolution;
    return palMakeImplicitSurface(&implicit, surface, error);
}

// How far a point is within a convex surface, m.
static double depthIn(const palSurface* hull, palVec3 point)
{
    double depth = INFINITY;
    for (int t = 0; t < hull->triangleCount; t++)
    {
        const int* corner = hull->triangles[t];
        palVec3 a = hull->vertices[corner[0]];
        palVec3 normal =
            palCross(palSub(hull->vertices[corner[1]], a), palSub(hull->vertices[corner[2]], a));
        depth = fmin(depth, palDot(palNormalize(normal), palSub(a, point)));
    }
    return depth;
}

// All points must be corners of the hull, or on its faces.
static palResult makeHull(const palShapeDef* def, palSurface* surface, palError* error)
{
    const double tolerance = 1e-6; // of the extent
    const palVec3* points = def->pointCount > 0 ? &def->points[0].at : NULL;
    palResult result = palMakeConvexHull(points, def->pointCount, surface, error);
    if (result != pal_ok)
        return result;
    palBounds bounds = palSurface_Bounds(surface);
    double extent = palDistance(bounds.low, bounds.high);
    for (int i = 0; i < def->pointCount; i++)
    {
        double depth = depthIn(surface, def->points[i].at);
        if (depth <= tolerance * extent)
            continue;
        palSurface_Free(surface);
        palError_Set(error, pal_errorInput,
                     "the hull is not convex: point %d is %.3g mm within that of the others", i,
                     1e3 * depth);
        return palError_Remedy(error, "take the point out, or give the body as a mesh");
    }
    return pal_ok;
}

static palResult makeExtrusion(const palShapeDef* def, palSurface* surface, palError* error)
{
    bool convex;
    const palVec3* polygon = def->pointCount > 0 ? &def->points[0].at : NULL;
    return palMakeExtrusion(polygon, def->pointCount, def->height, surface, &convex, error);
}

typedef struct shapeKind
{
    const char* name;
    palResult (*make)(const palShapeDef* def, palSurface* surface, palError* error);
    int low, high;        // range of the resolution
    palShapeDef defaults; // dimensions
} shapeKind;

// clang-format off
// The lowest resolutions still represent the shape: for the statue two cells across an arm.
static const shapeKind kinds[pal_shapeKindCount] = {
    [pal_shapePlane] = {"plane", makePlane, 2, 3000,
                        {.size = {0.2, 0.2, 0}, .resolution = 20}},
    [pal_shapeSine] = {"sine", makeSine, 8, 20000,
                       {.size = {0.3, 0, 0.05}, .amplitude = 0.005, .wavelength = 0.025,
                        .resolution = 240}},
    [pal_shapeSineBlock] = {"sine-block", makeSineBlock, 8, 20000,
                            {.size = {0.15, 0.03, 0.05}, .amplitude = 0.005, .wavelength = 0.025,
                             .resolution = 240}},
    [pal_shapeBox] = {"box", makeBox, 2, 1000,
                      {.size = {0.1, 0.1, 0.1}, .resolution = 10}},
    [pal_shapeCylinder] = {"cylinder", palMakeCylinder, 6, 3000,
                           {.radius = 0.02, .height = 0.1, .resolution = 48}},
    [pal_shapeSphere] = {"sphere", palMakeSphere, 6, 3000,
                         {.radius = 0.05, .resolution = 96}},
    [pal_shapeStatue] = {"statue", makeSolid, 64, 512,
                         {.size = {0.1, 0.1, 0.1}, .resolution = 100}},
    [pal_shapeRocker] = {"rocker", makeSolid, 40, 512,
                         {.size = {0.1, 0.1, 0.1}, .resolution = 120}},
    [pal_shapePeg] = {"peg", palMakePeg, 4, pal_roundMax,
                      {.radius = 0.005, .height = 0.02, .resolution = 16}},
    [pal_shapeProbe] = {"probe", palMakeProbe, 8, pal_roundMax,
                        {.radius = 0.005, .height = 0.08, .resolution = 24}},
    [pal_shapeOrgan] = {"organ", makeSolid, 24, 512,
                        {.size = {0.2, 0.2, 0.2}, .resolution = 60}},
    [pal_shapePolyp] = {"polyp", makeSolid, 24, 512,
                        {.size = {0.06, 0.06, 0.06}, .resolution = 48}},
    [pal_shapeHalfSpace] = {"half-space", makePlane, 2, 3000,
                            {.size = {0.4, 0.4, 0}, .resolution = 20}},
    [pal_shapeCapsule] = {"capsule", palMakeProbe, 8, pal_roundMax,
                          {.radius = 0.02, .height = 0.1, .resolution = 32}},
    [pal_shapeHull] = {"hull", makeHull, 1, 20000, {.resolution = 1}},
    [pal_shapeExtrusion] = {"extrusion", makeExtrusion, 1, 20000,
                            {.height = 0.02, .resolution = 1}},
    [pal_shapeSleeve] = {"sleeve", palMakeSleeve, 8, pal_sleeveMax,
                         {.size = {0.04, 0.04, 0}, .radius = 0.01, .height = 0.03,
                          .resolution = 64}},
    [pal_shapeVessel] = {"vessel", palMakeVessel, 8, pal_vesselSidesMax,
                         {.radius = 0.002, .wall = 0.001, .resolution = 32}},
};
// clang-format on

static bool isKind(palShapeKind kind)
{
    return (int)kind >= 0 && kind < pal_shapeKindCount;
}

palShapeDef palDefaultShapeDef(palShapeKind kind)
{
    palShapeDef def = isKind(kind) ? kinds[kind].defaults : (palShapeDef){0};
    def.kind = kind;
    return def;
}

const char* palShapeKind_Name(palShapeKind kind)
{
    return isKind(kind) ? kinds[kind].name : NULL;
}

palResult palMakeShape(const palShapeDef* def, palSurface* surface, palError* error)
{
    *surface = (palSurface){0};
    if (!isKind(def->kind))
        return palError_Set(error, pal_errorInput, "shape kind %d does not exist", (int)def->kind);
    const shapeKind* kind = &kinds[def->kind];
    palShapeDef full = *def;
    if (full.resolution == 0)
        full.resolution = kind->defaults.resolution;
    if (full.resolution < kind->low || full.resolution > kind->high)
    {
        palError_Set(error, pal_errorInput, "the resolution of the %s is %d", kind->name,
                     full.resolution);
        palError_Remedy(error, "use a resolution from %d to %d, or 0 for the default %d", kind->low,
                        kind->high, kind->defaults.resolution);
        return pal_errorInput;
    }
    return kind->make(&full, surface, error);
}
