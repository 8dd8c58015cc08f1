// SPDX-License-Identifier: Apache-2.0
#include "mesh/columns.h"

#include "base/error.h"

#include <limits.h>
#include <stdlib.h>

// The signed distance of the point (x, y) from the line from a to b, times |b - a|. *left is the
// side of the point shifted by (e, e²).
static double side(palVec3 a, palVec3 b, double x, double y, bool* left)
{
    double dx = b.x - a.x, dy = b.y - a.y;
    double s = dx * (y - a.y) - dy * (x - a.x);
    *left = s > 0.0 || (s == 0.0 && (dy < 0.0 || (dy == 0.0 && dx > 0.0)));
    return s;
}

// Whether the column at (x, y) crosses the triangle, and at which z.
static bool cross(const palSurface* surface, int t, double x, double y, palCrossing* crossing)
{
    const int* v = surface->triangles[t];
    double weights[3], sum = 0.0;
    bool isLeft[3];
    for (int k = 0; k < 3; k++)
    {
        int a = v[(k + 1) % 3], b = v[(k + 2) % 3];
        bool up = a < b;
        bool left;
        double s = side(surface->vertices[up ? a : b], surface->vertices[up ? b : a], x, y, &left);
        weights[k] = up ? s : -s;
        isLeft[k] = left == up;
        sum += weights[k];
    }
    if (isLeft[0] != isLeft[1] || isLeft[1] != isLeft[2])
        return false;
    double z = 0.0, low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; k++)
    {
        double corner = surface->vertices[v[k]].z;
        z += (sum != 0.0 ? weights[k] / sum : 1.0 / 3.0) * corner;
        low = fmin(low, corner);
        high = fmax(high, corner);
    }
    // Counter-clockwise from above: the outward normal points up, the column leaves the solid.
    *crossing = (palCrossing){.z = fmin(fmax(z, low), high), .step = isLeft[0] ? -1 : 1};
    return true;
}

// The columns from..to within a range of coordinates, with a margin for rounding.
static void range(double low, double high, double origin, double spacing, int count, int* from,
                  int* to)
{
    double first = floor((low - origin) / spacing), last = ceil((high - origin) / spacing);
    *from = first < 0.0 ? 0 : first > count ? count : (int)first;
    *to = last >= count ? count - 1 : last < -1.0 ? -1 : (int)last;
}

// Counts the crossings of a triangle in start[column + 2], or stores them.
static void castTriangle(palColumns* columns, const palSurface* surface, int t, bool counting)
{
    const palColumnsDef* def = &columns->def;
    palVec3 low = surface->vertices[surface->triangles[t][0]], high = low;
    for (int k = 1; k < 3; k++)
    {
        low = palMinVec3(low, surface->vertices[surface->triangles[t][k]]);
        high = palMaxVec3(high, surface->vertices[surface->triangles[t][k]]);
    }
    int i0, i1, j0, j1;
    range(low.x, high.x, def->x, def->spacing, def->nx, &i0, &i1);
    range(low.y, high.y, def->y, def->spacing, def->ny, &j0, &j1);
    for (int j = j0; j <= j1; j++)
        for (int i = i0; i <= i1; i++)
        {
            palCrossing crossing;
            int column = i + def->nx * j;
            if (!cross(surface, t, def->x + i * def->spacing, def->y + j * def->spacing, &crossing))
                continue;
            if (counting)
                columns->start[column + 2]++;
            else
                columns->crossings[columns->start[column + 1]++] = crossing;
        }
}

static int compareCrossings(const void* a, const void* b)
{
    const palCrossing* s = a;
    const palCrossing* t = b;
    if (s->z != t->z)
        return s->z < t->z ? -1 : 1;
    return s->step > t->step ? -1 : s->step < t->step;
}

palResult palColumns_Init(palColumns* columns, const palSurface* surface, const palColumnsDef* def,
                          palError* error)
{
    *columns = (palColumns){.def = *def};
    int count = def->nx * def->ny;
    columns->start = calloc((size_t)count + 2, sizeof *columns->start);
    if (columns->start == NULL)
        return palError_Memory(error, "columns", (size_t)count * sizeof *columns->start);
    for (int t = 0; t < surface->triangleCount; t++)
        castTriangle(columns, surface, t, true);
    for (int c = 0; c < count; c++)
        columns->start[c + 2] += columns->start[c + 1];
    size_t total = (size_t)columns->start[count + 1] + 1;
    columns->crossings = malloc(total * sizeof *columns->crossings);
    if (columns->crossings == NULL)
    {
        palColumns_Free(columns);
        return palError_Memory(error, "columns", total * sizeof *columns->crossings);
    }
    for (int t = 0; t < surface->triangleCount; t++)
        castTriangle(columns, surface, t, false);
    for (int c = 0; c < count; c++)
        qsort(&columns->crossings[columns->start[c]],
              (size_t)(columns->start[c + 1] - columns->start[c]), sizeof *columns->crossings,
              compareCrossings);
    return pal_ok;
}

void palColumns_Free(palColumns* columns)
{
    free(columns->start);
    free(columns->crossings);
    *columns = (palColumns){0};
}

bool palColumns_IsConsistent(const palColumns* columns, int column)
{
    int sum = 0;
    for (int i = columns->start[column]; i < columns->start[column + 1]; i++)
        sum += columns->crossings[i].step;
    return sum == 0;
}
