// SPDX-License-Identifier: Apache-2.0
#include "mesh/shapes.h"

#include "base/error.h"
#include "mesh/implicit.h"
#include "mesh/models.h"
#include "mesh/revolved.h"

// More triangles than this are a slip of the pen rather than a wish.
static const double maxTriangles = 2e7;

// Lengths outside of this range are refused, m.
static const double minLength = 1e-6;
static const double maxLength = 1e3;

// A wave needs this many cells to be seen as one.
static const double minCellsPerWave = 8.0;

// Along its straight lines the sine sheet's cells are this many times as long as along x.
static const double sineStretch = 4.0;
// The same of the sine block: down its sides, and across.
static const double blockStretchDown = 4.0;
static const double blockStretchAcross = 16.0;
// And of the probe's shaft.
static const double probeStretch = 2.0;

enum
{
    roundMax = 256, // vertices around a peg or probe
    pegRings = roundMax / 4 + 1,
    probeRows = 2000,
    probeRings = 2 * (roundMax / 4) + probeRows,
};

static palResult checkLength(const palShapeDef* def, const char* what, double length,
                             palError* error)
{
    if (length >= minLength && length <= maxLength)
        return pal_ok;
    palError_Set(error, pal_errorInput, "%s of the %s is %g m", what, palShapeKind_Name(def->kind),
                 length);
    palError_Remedy(error, "use a length from %g to %g m", minLength, maxLength);
    return pal_errorInput;
}

// Cells along a side of which `resolution` would have the length `longest`; at least one.
static double cellsAlong(double side, double longest, int resolution)
{
    return fmax(1.0, round(resolution * side / longest));
}

// Allocates the surface, whose sizes are computed as doubles so that they cannot overflow.
static palResult initSurface(const palShapeDef* def, double vertices, double triangles,
                             palSurface* surface, palError* error)
{
    if (triangles <= maxTriangles)
        return palSurface_Init(surface, (int)vertices, (int)triangles, error);
    palError_Set(error, pal_errorInput, "the %s would have %.3g triangles; allowed are %.3g",
                 palShapeKind_Name(def->kind), triangles, maxTriangles);
    palError_Remedy(error, "lower the resolution or make its sides less unequal");
    return pal_errorInput;
}

static void setTriangle(palSurface* surface, int t, int a, int b, int c)
{
    surface->triangles[t][0] = a;
    surface->triangles[t][1] = b;
    surface->triangles[t][2] = c;
}

// The two triangles of a cell whose corners a, b, c, d turn counter-clockwise; returns the next
// free triangle.
static int setCell(palSurface* surface, int t, int a, int b, int c, int d)
{
    setTriangle(surface, t, a, b, c);
    setTriangle(surface, t + 1, a, c, d);
    return t + 2;
}

// A sheet of nu x nv cells between -1/2 and 1/2 in both parameters; row by row, u first.
static palResult makeSheet(const palShapeDef* def, double nu, double nv,
                           palVec3 (*point)(const palShapeDef*, double u, double v),
                           palSurface* surface, palError* error)
{
    palResult result = initSurface(def, (nu + 1) * (nv + 1), 2 * nu * nv, surface, error);
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
            t = setCell(surface, t, a, a + 1, a + columns + 2, a + columns + 1);
        }
    return pal_ok;
}

static palVec3 planePoint(const palShapeDef* def, double u, double v)
{
    return palMakeVec3(u * def->size.x, v * def->size.y, 0.0);
}

static palResult makePlane(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = checkLength(def, "size x", def->size.x, error);
    if (result == pal_ok)
        result = checkLength(def, "size y", def->size.y, error);
    if (result != pal_ok)
        return result;
    double longest = fmax(def->size.x, def->size.y);
    return makeSheet(def, cellsAlong(def->size.x, longest, def->resolution),
                     cellsAlong(def->size.y, longest, def->resolution), planePoint, surface, error);
}

// v runs against z, so that (u, v, outside) is right-handed with +y outside.
static palVec3 sinePoint(const palShapeDef* def, double u, double v)
{
    double x = u * def->size.x;
    return palMakeVec3(x, def->amplitude * sin(2.0 * PAL_PI * x / def->wavelength),
                       -v * def->size.z);
}

// Whether amplitude, wavelength and resolution show a wave along x.
static palResult checkWave(const palShapeDef* def, palError* error)
{
    palResult result = checkLength(def, "size x", def->size.x, error);
    if (result == pal_ok)
        result = checkLength(def, "size z", def->size.z, error);
    if (result == pal_ok)
        result = checkLength(def, "the amplitude", def->amplitude, error);
    if (result == pal_ok)
        result = checkLength(def, "the wavelength", def->wavelength, error);
    if (result != pal_ok)
        return result;
    double needed = ceil(minCellsPerWave * def->size.x / def->wavelength);
    if (def->resolution >= needed)
        return pal_ok;
    palError_Set(error, pal_errorInput, "resolution %d shows fewer than %g cells a wavelength",
                 def->resolution, minCellsPerWave);
    palError_Remedy(error, "use a resolution of at least %.0f", needed);
    return pal_errorInput;
}

static palResult makeSine(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = checkWave(def, error);
    if (result != pal_ok)
        return result;
    double rows = cellsAlong(def->size.z, sineStretch * def->size.x, def->resolution);
    return makeSheet(def, def->resolution, rows, sinePoint, surface, error);
}

// Cells of the box along x, y, z. Its vertices are numbered layer by layer from the lower z up: the
// first and the last layer are full, those between have only the rim.
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
    // Along the rim counter-clockwise from (0, 0).
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
            // Between the first and the last layer and row only the two ends are on the surface.
            bool full = k == 0 || k == n.z || j == 0 || j == n.y;
            for (int i = 0; i <= n.x; i += full ? 1 : n.x)
                surface->vertices[boxVertex(n, i, j, k)] = palMakeVec3(
                    def->size.x * ((double)i / n.x - 0.5), def->size.y * ((double)j / n.y - 0.5),
                    def->size.z * ((double)k / n.z - 0.5));
        }
}

// One cell of a face and, mirrored, of the face across. Corners turn counter-clockwise about +axis.
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
    t = setCell(surface, t, corner[1][0], corner[1][1], corner[1][2], corner[1][3]);
    return setCell(surface, t, corner[0][3], corner[0][2], corner[0][1], corner[0][0]);
}

// The triangles of a box of n cells, whose vertices are still to be placed.
static palResult initBox(const palShapeDef* def, boxGrid n, palSurface* surface, palError* error)
{
    // Two triangles a cell on twice three faces; Euler: V = 2 + T / 2.
    double triangles = 4.0 * ((double)n.x * n.y + (double)n.y * n.z + (double)n.z * n.x);
    palResult result = initSurface(def, 2 + triangles / 2, triangles, surface, error);
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
    palResult result = checkLength(def, "size x", def->size.x, error);
    if (result == pal_ok)
        result = checkLength(def, "size y", def->size.y, error);
    if (result == pal_ok)
        result = checkLength(def, "size z", def->size.z, error);
    if (result != pal_ok)
        return result;
    double longest = fmax(def->size.x, fmax(def->size.y, def->size.z));
    boxGrid n = {(int)cellsAlong(def->size.x, longest, def->resolution),
                 (int)cellsAlong(def->size.y, longest, def->resolution),
                 (int)cellsAlong(def->size.z, longest, def->resolution)};
    result = initBox(def, n, surface, error);
    if (result == pal_ok)
        placeBoxVertices(def, n, surface);
    return result;
}

// A box between y = -1 and y = 0, stretched to the depth below and the wave above.
static palResult makeSineBlock(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = checkWave(def, error);
    if (result == pal_ok)
        result = checkLength(def, "size y", def->size.y, error);
    if (result != pal_ok)
        return result;
    if (def->size.y <= def->amplitude)
    {
        palError_Set(error, pal_errorInput, "the wave cuts through the bottom of the block");
        return palError_Remedy(error, "use a size y above the amplitude, %g m", def->amplitude);
    }
    boxGrid n = {
        def->resolution,
        (int)cellsAlong(def->size.y, blockStretchDown * def->size.x, def->resolution),
        (int)cellsAlong(def->size.z, blockStretchAcross * def->size.x, def->resolution),
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

// A cap of the cylinder: ring k = 0 .. rings has the radius r k / rings and 6 k vertices (one in
// the middle), so that its triangles are near-equilateral. The outermost ring is the cylinder's
// edge.
static int capVertex(int first, int ring, int index)
{
    return ring == 0 ? first : first + 1 + 3 * ring * (ring - 1) + index % (6 * ring);
}

// The triangles between ring k - 1 and ring k of a cap, sector by sector.
static int setCapRing(palSurface* surface, int t, int first, int k, bool top)
{
    for (int sector = 0; sector < 6; sector++)
        for (int i = 0; i < 2 * k - 1; i++)
        {
            // Triangles that stand on the outer ring alternate with those on the inner one.
            int outer = sector * k + (i + 1) / 2;
            int inner = sector * (k - 1) + i / 2;
            int a = capVertex(first, k - 1, inner);
            int b = capVertex(first, k, outer);
            int c =
                i % 2 == 0 ? capVertex(first, k, outer + 1) : capVertex(first, k - 1, inner + 1);
            if (top)
                setTriangle(surface, t++, a, b, c);
            else
                setTriangle(surface, t++, a, c, b);
        }
    return t;
}

static void placeCircle(palSurface* surface, int first, int count, double radius, double z)
{
    for (int i = 0; i < count; i++)
    {
        double angle = 2.0 * PAL_PI * i / count;
        surface->vertices[first + i] = palMakeVec3(radius * cos(angle), radius * sin(angle), z);
    }
}

static void placeCap(palSurface* surface, int first, int rings, double radius, double z)
{
    surface->vertices[first] = palMakeVec3(0.0, 0.0, z);
    for (int k = 1; k <= rings; k++)
        placeCircle(surface, capVertex(first, k, 0), 6 * k, radius * k / rings, z);
}

// Vertices: the lower cap, the upper cap, then the circles between them from the lower one up.
static palResult makeCylinder(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = checkLength(def, "the radius", def->radius, error);
    if (result == pal_ok)
        result = checkLength(def, "the height", def->height, error);
    if (result != pal_ok)
        return result;
    int rings = (def->resolution + 5) / 6;
    int around = 6 * rings;
    double belts = cellsAlong(def->height, 2.0 * PAL_PI * def->radius, around);
    double capVertices = 1.0 + 3.0 * rings * (rings + 1.0);
    double capTriangles = 6.0 * rings * rings;
    result = initSurface(def, 2.0 * capVertices + (belts - 1.0) * around,
                         2.0 * (capTriangles + belts * around), surface, error);
    if (result != pal_ok)
        return result;

    int upper = (int)capVertices, between = 2 * upper;
    placeCap(surface, 0, rings, def->radius, -0.5 * def->height);
    placeCap(surface, upper, rings, def->radius, 0.5 * def->height);
    for (int m = 1; m < (int)belts; m++)
        placeCircle(surface, between + (m - 1) * around, around, def->radius,
                    def->height * (m / belts - 0.5));
    int t = 0;
    for (int k = 1; k <= rings; k++)
    {
        t = setCapRing(surface, t, 0, k, false);
        t = setCapRing(surface, t, upper, k, true);
    }
    for (int m = 0; m < (int)belts; m++)
    {
        int low = m == 0 ? capVertex(0, rings, 0) : between + (m - 1) * around;
        int high = m + 1 == (int)belts ? capVertex(upper, rings, 0) : between + m * around;
        for (int i = 0; i < around; i++)
        {
            int next = (i + 1) % around;
            t = setCell(surface, t, low + i, low + next, high + next, high + i);
        }
    }
    return pal_ok;
}

// The icosahedron whose faces the sphere is subdivided from. Vertices of the sphere: its corners,
// then those within its edges, then those within its faces.
typedef struct icosahedron
{
    palVec3 corner[12]; // unit
    int face[20][3];    // counter-clockwise from outside
    int edge[12][12];   // number of the edge between two corners
    double angle;       // of an edge seen from the centre
} icosahedron;

static icosahedron makeIcosahedron(void)
{
    // The corners are (0, ±1, ±golden ratio) and its cyclic permutations, two apart along an edge.
    icosahedron ico = {.angle = 2.0 * atan(2.0 / (1.0 + sqrt(5.0)))};
    double golden = 0.5 * (1.0 + sqrt(5.0));
    for (int i = 0; i < 4; i++)
    {
        double p = i & 1 ? 1.0 : -1.0, q = i & 2 ? golden : -golden;
        ico.corner[3 * i] = palNormalize(palMakeVec3(0, p, q));
        ico.corner[3 * i + 1] = palNormalize(palMakeVec3(q, 0, p));
        ico.corner[3 * i + 2] = palNormalize(palMakeVec3(p, q, 0));
    }
    // Corners joined by an edge are nearer than any others: cosine 1/sqrt(5) against -1/sqrt(5).
    bool joined[12][12];
    int edges = 0, faces = 0;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
        {
            joined[i][j] = i != j && palDot(ico.corner[i], ico.corner[j]) > 0.0;
            if (i < j && joined[i][j])
                ico.edge[i][j] = ico.edge[j][i] = edges++;
        }
    for (int i = 0; i < 12; i++)
        for (int j = i + 1; j < 12; j++)
            for (int k = j + 1; k < 12; k++)
            {
                if (!joined[i][j] || !joined[j][k] || !joined[k][i])
                    continue;
                palVec3 across = palCross(ico.corner[j], ico.corner[k]);
                bool outward = palDot(ico.corner[i], across) > 0.0;
                int* face = ico.face[faces++];
                face[0] = i, face[1] = outward ? j : k, face[2] = outward ? k : j;
            }
    return ico;
}

// The number of the vertex at w[0] + w[1] + w[2] = n steps from the sides of a face, each counted
// from the side across from the corner.
static int sphereVertex(const icosahedron* ico, int n, int f, const int w[3])
{
    const int* face = ico->face[f];
    for (int c = 0; c < 3; c++)
    {
        if (w[c] == n)
            return face[c];
        if (w[c] != 0 || w[(c + 1) % 3] == 0 || w[(c + 2) % 3] == 0)
            continue;
        // Within the edge between the other two corners, counted from the one of lower number.
        int p = (c + 1) % 3, q = (c + 2) % 3;
        int steps = face[p] < face[q] ? w[q] : w[p];
        return 12 + ico->edge[face[p]][face[q]] * (n - 1) + steps - 1;
    }
    int row = w[1] - 1;
    int within = row * (n - 1) - row * (row + 1) / 2 + w[2] - 1;
    return 12 + 30 * (n - 1) + f * ((n - 1) * (n - 2) / 2) + within;
}

// Steps of equal angle along the edges, blended over the face: with weights sin(w angle / n) for
// the corners an edge is divided exactly evenly.
static void placeSphereVertex(const icosahedron* ico, int n, int f, const int w[3], double radius,
                              palSurface* surface)
{
    palVec3 sum = pal_zeroVec3;
    for (int c = 0; c < 3; c++)
        sum = palMulAdd(sum, sin(w[c] * ico->angle / n), ico->corner[ico->face[f][c]]);
    surface->vertices[sphereVertex(ico, n, f, w)] = palScale(radius, palNormalize(sum));
}

static palResult makeSphere(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = checkLength(def, "the radius", def->radius, error);
    if (result != pal_ok)
        return result;
    int n = (def->resolution + 5) / 6;
    double square = (double)n * n;
    result = initSurface(def, 10.0 * square + 2.0, 20.0 * square, surface, error);
    if (result != pal_ok)
        return result;
    icosahedron ico = makeIcosahedron();
    int t = 0;
    for (int f = 0; f < 20; f++)
        for (int i = 0; i <= n; i++)
            for (int j = 0; i + j <= n; j++)
            {
                const int w[4][3] = {{n - i - j, i, j},
                                     {n - i - j - 1, i + 1, j},
                                     {n - i - j - 1, i, j + 1},
                                     {n - i - j - 2, i + 1, j + 1}};
                placeSphereVertex(&ico, n, f, w[0], def->radius, surface);
                if (i + j + 1 > n)
                    continue;
                int b = sphereVertex(&ico, n, f, w[1]), c = sphereVertex(&ico, n, f, w[2]);
                setTriangle(surface, t++, sphereVertex(&ico, n, f, w[0]), b, c);
                if (i + j + 2 <= n)
                    setTriangle(surface, t++, b, sphereVertex(&ico, n, f, w[3]), c);
            }
    return pal_ok;
}

static palResult checkRod(const palShapeDef* def, palError* error)
{
    palResult result = checkLength(def, "the radius", def->radius, error);
    return result == pal_ok ? checkLength(def, "the height", def->height, error) : result;
}

static palResult makePeg(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = checkRod(def, error);
    if (result != pal_ok)
        return result;
    palRing rings[pegRings];
    int rows = (def->resolution + 3) / 4;
    for (int i = 0; i <= rows; i++)
        rings[i] = (palRing){def->radius, def->height * ((double)i / rows - 0.5)};
    return palMakeRevolved(-0.5 * def->height, 0.5 * def->height, rows + 1, rings, 4 * rows,
                           surface, error);
}

// Two half balls, of a quarter as many rings as there are vertices around, and the shaft.
static palResult makeProbe(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = checkRod(def, error);
    if (result != pal_ok)
        return result;
    double R = def->radius, shaft = def->height - 2.0 * R;
    if (!(shaft > 0.0))
    {
        palError_Set(error, pal_errorInput, "the probe is all ends: its height is %g m",
                     def->height);
        return palError_Remedy(error, "use a height above twice the radius, %g m", 2.0 * R);
    }
    int quarter = (def->resolution + 3) / 4;
    double cell = probeStretch * 2.0 * PAL_PI * R / (4 * quarter);
    int rows = (int)fmin(fmax(1.0, round(shaft / cell)), probeRows);
    palRing rings[probeRings];
    for (int i = 0; i < quarter; i++)
    {
        double angle = 0.5 * PAL_PI * (i + 1) / quarter;
        double z = 0.5 * shaft + R * cos(angle);
        rings[i] = (palRing){R * sin(angle), -z};
        rings[2 * quarter + rows - 2 - i] = (palRing){R * sin(angle), z};
    }
    // The first and the last ring of the shaft are the rims of the ends.
    for (int i = 1; i < rows; i++)
        rings[quarter - 1 + i] = (palRing){R, shaft * ((double)i / rows - 0.5)};
    return palMakeRevolved(-0.5 * def->height, 0.5 * def->height, 2 * quarter + rows - 1, rings,
                           4 * quarter, surface, error);
}

static palResult makeSolid(const palShapeDef* def, palSurface* surface, palError* error)
{
    double largest = fmax(def->size.x, fmax(def->size.y, def->size.z));
    if (!palIsFinite(def->size))
        largest = NAN;
    palResult result = checkLength(def, "the largest size", largest, error);
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

typedef struct shapeKind
{
    const char* name;
    palResult (*make)(const palShapeDef* def, palSurface* surface, palError* error);
    int low, high;     // of the resolution
    palShapeDef usual; // dimensions
} shapeKind;

// clang-format off
// The lowest resolutions still show the shape: for the statue two cells across an arm.
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
    [pal_shapeCylinder] = {"cylinder", makeCylinder, 6, 3000,
                           {.radius = 0.02, .height = 0.1, .resolution = 48}},
    [pal_shapeSphere] = {"sphere", makeSphere, 6, 3000,
                         {.radius = 0.05, .resolution = 96}},
    [pal_shapeStatue] = {"statue", makeSolid, 64, 512,
                         {.size = {0.1, 0.1, 0.1}, .resolution = 100}},
    [pal_shapeRocker] = {"rocker", makeSolid, 40, 512,
                         {.size = {0.1, 0.1, 0.1}, .resolution = 120}},
    [pal_shapePeg] = {"peg", makePeg, 4, roundMax,
                      {.radius = 0.005, .height = 0.02, .resolution = 16}},
    [pal_shapeProbe] = {"probe", makeProbe, 8, roundMax,
                        {.radius = 0.005, .height = 0.08, .resolution = 24}},
    [pal_shapeOrgan] = {"organ", makeSolid, 24, 512,
                        {.size = {0.2, 0.2, 0.2}, .resolution = 60}},
    [pal_shapePolyp] = {"polyp", makeSolid, 24, 512,
                        {.size = {0.06, 0.06, 0.06}, .resolution = 48}},
};
// clang-format on

static bool isKind(palShapeKind kind)
{
    return (int)kind >= 0 && kind < pal_shapeKindCount;
}

palShapeDef palDefaultShapeDef(palShapeKind kind)
{
    palShapeDef def = isKind(kind) ? kinds[kind].usual : (palShapeDef){0};
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
        full.resolution = kind->usual.resolution;
    if (full.resolution < kind->low || full.resolution > kind->high)
    {
        palError_Set(error, pal_errorInput, "the resolution of the %s is %d", kind->name,
                     full.resolution);
        palError_Remedy(error, "use a resolution from %d to %d, or 0 for the usual %d", kind->low,
                        kind->high, kind->usual.resolution);
        return pal_errorInput;
    }
    return kind->make(&full, surface, error);
}
