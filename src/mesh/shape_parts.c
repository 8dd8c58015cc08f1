// SPDX-License-Identifier: Apache-2.0
#include "mesh/shape_parts.h"

#include "base/error.h"

// Limit against accidentally huge meshes.
static const double maxTriangles = 2e7;

// The allowed range of lengths, m.
static const double minLength = 1e-6;
static const double maxLength = 1e3;

palResult palShape_CheckLength(const palShapeDef* def, const char* what, double length,
                               palError* error)
{
    if (length >= minLength && length <= maxLength)
        return pal_ok;
    palError_Set(error, pal_errorInput, "%s of the %s is %g m", what, palShapeKind_Name(def->kind),
                 length);
    palError_Remedy(error, "use a length from %g to %g m", minLength, maxLength);
    return pal_errorInput;
}

double palShape_CellsAlong(double side, double longest, int resolution)
{
    return fmax(1.0, round(resolution * side / longest));
}

palResult palShape_Init(const palShapeDef* def, double vertices, double triangles,
                        palSurface* surface, palError* error)
{
    if (triangles <= maxTriangles)
        return palSurface_Init(surface, (int)vertices, (int)triangles, error);
    palError_Set(error, pal_errorInput, "the %s would have %.3g triangles; the limit is %.3g",
                 palShapeKind_Name(def->kind), triangles, maxTriangles);
    palError_Remedy(error, "lower the resolution or use a smaller aspect ratio");
    return pal_errorInput;
}

void palShape_SetTriangle(palSurface* surface, int t, int a, int b, int c)
{
    surface->triangles[t][0] = a;
    surface->triangles[t][1] = b;
    surface->triangles[t][2] = c;
}

int palShape_SetCell(palSurface* surface, int t, int a, int b, int c, int d)
{
    palShape_SetTriangle(surface, t, a, b, c);
    palShape_SetTriangle(surface, t + 1, a, c, d);
    return t + 2;
}
