// SPDX-License-Identifier: Apache-2.0
// Cylinder and sphere, and the tools of revolution: peg and probe.
#include "base/error.h"
#include "mesh/revolved.h"
#include "mesh/shape_parts.h"

// Aspect ratio of the cells on the probe's shaft: length along the axis over length around it.
static const double probeStretch = 2.0;

enum
{
    pegRings = pal_roundMax / 4 + 1,
    sleeveRows = pal_sleeveMax / 4,
    probeRows = 2000,
    probeRings = 2 * (pal_roundMax / 4) + probeRows,
};

// A cap of the cylinder: ring k = 0 .. rings has the radius r k / rings and 6 k vertices (one at
// the centre), so that its triangles are near-equilateral. The outermost ring is the cylinder's
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
            // Triangles with a side on the outer ring alternate with those on the inner ring.
            int outer = sector * k + (i + 1) / 2;
            int inner = sector * (k - 1) + i / 2;
            int a = capVertex(first, k - 1, inner);
            int b = capVertex(first, k, outer);
            int c =
                i % 2 == 0 ? capVertex(first, k, outer + 1) : capVertex(first, k - 1, inner + 1);
            if (top)
                palShape_SetTriangle(surface, t++, a, b, c);
            else
                palShape_SetTriangle(surface, t++, a, c, b);
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
palResult palMakeCylinder(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = palShape_CheckLength(def, "the radius", def->radius, error);
    if (result == pal_ok)
        result = palShape_CheckLength(def, "the height", def->height, error);
    if (result != pal_ok)
        return result;
    int rings = (def->resolution + 5) / 6;
    int around = 6 * rings;
    double belts = palShape_CellsAlong(def->height, 2.0 * PAL_PI * def->radius, around);
    double capVertices = 1.0 + 3.0 * rings * (rings + 1.0);
    double capTriangles = 6.0 * rings * rings;
    result = palShape_Init(def, 2.0 * capVertices + (belts - 1.0) * around,
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
            t = palShape_SetCell(surface, t, low + i, low + next, high + next, high + i);
        }
    }
    return pal_ok;
}

// The icosahedron whose faces are subdivided. Vertices of the sphere: its corners, then those
// inside its edges, then those inside its faces.
typedef struct icosahedron
{
    palVec3 corner[12]; // unit
    int face[20][3];    // counter-clockwise from outside
    int edge[12][12];   // number of the edge between two corners
    double angle;       // of an edge seen from the centre
} icosahedron;

static icosahedron makeIcosahedron(void)
{
    // The corners are (0, ±1, ±golden ratio) and cyclic permutations; the edge length is 2.
    icosahedron ico = {.angle = 2.0 * atan(2.0 / (1.0 + sqrt(5.0)))};
    double golden = 0.5 * (1.0 + sqrt(5.0));
    for (int i = 0; i < 4; i++)
    {
        double p = i & 1 ? 1.0 : -1.0, q = i & 2 ? golden : -golden;
        ico.corner[3 * i] = palNormalize(palMakeVec3(0, p, q));
        ico.corner[3 * i + 1] = palNormalize(palMakeVec3(q, 0, p));
        ico.corner[3 * i + 2] = palNormalize(palMakeVec3(p, q, 0));
    }
    // Corners joined by an edge have the cosine 1/sqrt(5), all others at most -1/sqrt(5).
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

// The index of the vertex with barycentric steps w, w[0] + w[1] + w[2] = n, in face f.
static int sphereVertex(const icosahedron* ico, int n, int f, const int w[3])
{
    const int* face = ico->face[f];
    for (int c = 0; c < 3; c++)
    {
        if (w[c] == n)
            return face[c];
        if (w[c] != 0 || w[(c + 1) % 3] == 0 || w[(c + 2) % 3] == 0)
            continue;
        // Inside the edge between the other two corners, counted from the one of lower index.
        int p = (c + 1) % 3, q = (c + 2) % 3;
        int steps = face[p] < face[q] ? w[q] : w[p];
        return 12 + ico->edge[face[p]][face[q]] * (n - 1) + steps - 1;
    }
    int row = w[1] - 1;
    int within = row * (n - 1) - row * (row + 1) / 2 + w[2] - 1;
    return 12 + 30 * (n - 1) + f * ((n - 1) * (n - 2) / 2) + within;
}

// Equal angles along the edges, interpolated over the face: with the weights sin(w angle / n) of
// the corners an edge is divided into exactly equal arcs.
static void placeSphereVertex(const icosahedron* ico, int n, int f, const int w[3], double radius,
                              palSurface* surface)
{
    palVec3 sum = pal_zeroVec3;
    for (int c = 0; c < 3; c++)
        sum = palMulAdd(sum, sin(w[c] * ico->angle / n), ico->corner[ico->face[f][c]]);
    surface->vertices[sphereVertex(ico, n, f, w)] = palScale(radius, palNormalize(sum));
}

palResult palMakeSphere(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = palShape_CheckLength(def, "the radius", def->radius, error);
    if (result != pal_ok)
        return result;
    int n = (def->resolution + 5) / 6;
    double square = (double)n * n;
    result = palShape_Init(def, 10.0 * square + 2.0, 20.0 * square, surface, error);
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
                palShape_SetTriangle(surface, t++, sphereVertex(&ico, n, f, w[0]), b, c);
                if (i + j + 2 <= n)
                    palShape_SetTriangle(surface, t++, b, sphereVertex(&ico, n, f, w[3]), c);
            }
    return pal_ok;
}

static palResult checkRod(const palShapeDef* def, palError* error)
{
    palResult result = palShape_CheckLength(def, "the radius", def->radius, error);
    return result == pal_ok ? palShape_CheckLength(def, "the height", def->height, error) : result;
}

palResult palMakePeg(const palShapeDef* def, palSurface* surface, palError* error)
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

// The profile goes up outside and down in the hole.
palResult palMakeSleeve(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = checkRod(def, error);
    if (result != pal_ok)
        return result;
    double outer = 0.5 * fmax(def->size.x, fmax(def->size.y, def->size.z)), h = 0.5 * def->height;
    if (!(outer > def->radius))
    {
        palError_Set(error, pal_errorInput, "the sleeve has no wall: its outer diameter is %g m",
                     2.0 * outer);
        return palError_Remedy(error, "use a size above twice the radius, %g m", 2.0 * def->radius);
    }
    palRing rings[2 * (sleeveRows + 1)];
    int rows = (def->resolution + 3) / 4;
    for (int i = 0; i <= rows; i++)
    {
        double z = h * (2.0 * i / rows - 1.0);
        rings[i] = (palRing){outer, z};
        rings[rows + 1 + i] = (palRing){def->radius, -z};
    }
    return palMakeRevolvedRing(2 * (rows + 1), rings, def->resolution, surface, error);
}

// Two hemispheres, each with a quarter as many rings as vertices around, and the shaft.
palResult palMakeProbe(const palShapeDef* def, palSurface* surface, palError* error)
{
    palResult result = checkRod(def, error);
    if (result != pal_ok)
        return result;
    double R = def->radius, shaft = def->height - 2.0 * R;
    if (!(shaft > 0.0))
    {
        palError_Set(error, pal_errorInput, "the %s has no shaft: its height is %g m",
                     palShapeKind_Name(def->kind), def->height);
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
    // The first and the last ring of the shaft belong to the hemispheres.
    for (int i = 1; i < rows; i++)
        rings[quarter - 1 + i] = (palRing){R, shaft * ((double)i / rows - 0.5)};
    return palMakeRevolved(-0.5 * def->height, 0.5 * def->height, 2 * quarter + rows - 1, rings,
                           4 * quarter, surface, error);
}
