// SPDX-License-Identifier: Apache-2.0
#include "mesh/extrusion.h"

#include "base/error.h"

#include <stdlib.h>

// Of the square of the polygon's extent: twice the area of three corners that lie in one line.
static const double areaTolerance = 1e-12;

// A polygon in x, y, counterclockwise, without corners that are repeated or in the line of their
// neighbours.
typedef struct Outline
{
    int count;
    palVec3* points;  // owned
    int* left;        // owned, [count]: the corners that no ear has taken yet
    double tolerance; // twice an area, m²
} Outline;

static void freeOutline(Outline* outline)
{
    free(outline->points);
    free(outline->left);
}

// Twice the area of a triangle, positive where it is counterclockwise.
static double areaOf(palVec3 a, palVec3 b, palVec3 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static palVec3 at(const Outline* outline, int i)
{
    return outline->points[(i + outline->count) % outline->count];
}

// Corners in the line of their neighbours would give triangles without area.
static void dropStraightCorners(Outline* outline)
{
    for (int i = 0; i < outline->count && outline->count > 3;)
    {
        double area = areaOf(at(outline, i - 1), at(outline, i), at(outline, i + 1));
        if (fabs(area) > outline->tolerance)
        {
            i++;
            continue;
        }
        outline->count--;
        for (int k = i; k < outline->count; k++)
            outline->points[k] = outline->points[k + 1];
    }
}

static palResult initOutline(Outline* outline, const palVec3* polygon, int count, palError* error)
{
    *outline = (Outline){0};
    if (count < 3)
    {
        palError_Set(error, pal_errorInput, "a polygon of %d corners", count);
        return palError_Remedy(error, "give three or more, in order along the outline");
    }
    outline->points = malloc((size_t)count * sizeof *outline->points);
    outline->left = malloc((size_t)count * sizeof *outline->left);
    if (outline->points == NULL || outline->left == NULL)
        return palError_Memory(error, "a polygon", (size_t)count * sizeof *outline->points);
    double twice = 0.0, extent = 0.0;
    for (int i = 0; i < count; i++)
    {
        palVec3 p = polygon[i], next = polygon[(i + 1) % count];
        if (!isfinite(p.x) || !isfinite(p.y))
            return palError_Set(error, pal_errorInput, "corner %d of the polygon is not finite", i);
        extent = fmax(extent, hypot(p.x - polygon[0].x, p.y - polygon[0].y));
        twice += areaOf(polygon[0], p, next);
    }
    outline->tolerance = areaTolerance * extent * extent;
    if (!(fabs(twice) > outline->tolerance))
    {
        palError_Set(error, pal_errorInput, "the polygon holds no area");
        return palError_Remedy(error, "give corners that are not in one line");
    }
    for (int i = 0; i < count; i++)
    {
        palVec3 p = twice > 0.0 ? polygon[i] : polygon[count - 1 - i];
        p.z = 0.0;
        palVec3 last = outline->count > 0 ? outline->points[outline->count - 1] : p;
        if (outline->count == 0 || p.x != last.x || p.y != last.y)
            outline->points[outline->count++] = p;
    }
    palVec3 first = outline->points[0], last = outline->points[outline->count - 1];
    outline->count -= first.x == last.x && first.y == last.y;
    dropStraightCorners(outline);
    return pal_ok;
}

// Whether two sides that are not neighbours meet, ends included.
static bool doSidesMeet(const Outline* outline, int i, int j)
{
    palVec3 a = at(outline, i), b = at(outline, i + 1), c = at(outline, j), d = at(outline, j + 1);
    double ac = areaOf(a, b, c), ad = areaOf(a, b, d), ca = areaOf(c, d, a), cb = areaOf(c, d, b);
    bool boxesMeet = fmin(a.x, b.x) <= fmax(c.x, d.x) && fmin(c.x, d.x) <= fmax(a.x, b.x) &&
                     fmin(a.y, b.y) <= fmax(c.y, d.y) && fmin(c.y, d.y) <= fmax(a.y, b.y);
    return boxesMeet && fmin(ac, ad) <= 0.0 && fmax(ac, ad) >= 0.0 && fmin(ca, cb) <= 0.0 &&
           fmax(ca, cb) >= 0.0;
}

static palResult checkSimple(const Outline* outline, palError* error)
{
    int n = outline->count;
    for (int i = 0; i < n; i++)
        for (int j = i + 2; j < n; j++)
        {
            if ((j + 1) % n == i || !doSidesMeet(outline, i, j))
                continue;
            palVec3 p = at(outline, i);
            palError_Set(error, pal_errorInput,
                         "the polygon crosses or touches itself near (%g, %g)", p.x, p.y);
            return palError_Remedy(error, "give the corners in order along the outline");
        }
    return pal_ok;
}

static bool isConvex(const Outline* outline)
{
    for (int i = 0; i < outline->count; i++)
        if (areaOf(at(outline, i - 1), at(outline, i), at(outline, i + 1)) < -outline->tolerance)
            return false;
    return true;
}

// Whether the corner `i` of the `count` that are left can be cut off: it is convex and no other
// corner is in its triangle.
static bool isEar(const Outline* outline, int count, int i)
{
    const int* left = outline->left;
    int before = left[(i + count - 1) % count], after = left[(i + 1) % count];
    palVec3 a = at(outline, before), b = at(outline, left[i]), c = at(outline, after);
    if (areaOf(a, b, c) <= 0.0)
        return false;
    for (int k = 0; k < count; k++)
    {
        palVec3 p = at(outline, left[k]);
        if (left[k] != before && left[k] != left[i] && left[k] != after && areaOf(a, b, p) >= 0.0 &&
            areaOf(b, c, p) >= 0.0 && areaOf(c, a, p) >= 0.0)
            return false;
    }
    return true;
}

// The ear with the best triangle: the largest height over its longest side. A simple polygon has
// one; where rounding hides it, the corner with the least area.
static int chooseEar(const Outline* outline, int count)
{
    int best = 0;
    double quality = -INFINITY;
    for (int i = 0; i < count; i++)
    {
        palVec3 a = at(outline, outline->left[(i + count - 1) % count]);
        palVec3 b = at(outline, outline->left[i]);
        palVec3 c = at(outline, outline->left[(i + 1) % count]);
        double longest = fmax(palDistance(a, b), fmax(palDistance(b, c), palDistance(c, a)));
        double value = areaOf(a, b, c) / (longest * longest);
        if (isEar(outline, count, i))
            value = fabs(value);
        else
            value = -1.0 - fabs(value);
        if (value > quality)
            quality = value, best = i;
    }
    return best;
}

static void setTriangle(palSurface* surface, int* t, int a, int b, int c)
{
    int* triangle = surface->triangles[(*t)++];
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

// Vertices: the corners at the bottom, then those at the top.
static palResult makePrism(const Outline* outline, double height, palSurface* surface,
                           palError* error)
{
    int n = outline->count, t = 0;
    palResult result = palSurface_Init(surface, 2 * n, 4 * n - 4, error);
    if (result != pal_ok)
        return result;
    for (int i = 0; i < n; i++)
    {
        palVec3 p = outline->points[i];
        int next = (i + 1) % n;
        surface->vertices[i] = palMakeVec3(p.x, p.y, -0.5 * height);
        surface->vertices[n + i] = palMakeVec3(p.x, p.y, 0.5 * height);
        setTriangle(surface, &t, i, next, n + next);
        setTriangle(surface, &t, i, n + next, n + i);
        outline->left[i] = i;
    }
    for (int count = n; count >= 3; count--)
    {
        int ear = chooseEar(outline, count);
        int a = outline->left[(ear + count - 1) % count], b = outline->left[ear];
        int c = outline->left[(ear + 1) % count];
        setTriangle(surface, &t, c, b, a);
        setTriangle(surface, &t, n + a, n + b, n + c);
        for (int i = ear; i + 1 < count; i++)
            outline->left[i] = outline->left[i + 1];
    }
    return pal_ok;
}

palResult palMakeExtrusion(const palVec3* polygon, int count, double height, palSurface* surface,
                           bool* convex, palError* error)
{
    *surface = (palSurface){0};
    *convex = false;
    if (!(height > 0.0) || !isfinite(height))
    {
        palError_Set(error, pal_errorInput, "the height of the extrusion is %g m", height);
        return palError_Remedy(error, "use a positive length in metres");
    }
    Outline outline;
    palResult result = initOutline(&outline, polygon, count, error);
    if (result == pal_ok)
        result = checkSimple(&outline, error);
    if (result == pal_ok)
        result = makePrism(&outline, height, surface, error);
    *convex = result == pal_ok && isConvex(&outline);
    freeOutline(&outline);
    return result;
}
