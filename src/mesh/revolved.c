// SPDX-License-Identifier: Apache-2.0
#include "mesh/revolved.h"

static void setTriangle(palSurface* surface, int t, int a, int b, int c)
{
    surface->triangles[t][0] = a;
    surface->triangles[t][1] = b;
    surface->triangles[t][2] = c;
}

palResult palMakeRevolved(double bottom, double top, int ringCount, const palRing* rings,
                          int around, palSurface* surface, palError* error)
{
    // Vertex 0 is the lower end, 1 the upper end; ring r starts at vertex 2 + r around.
    palResult result =
        palSurface_Init(surface, 2 + ringCount * around, 2 * around * ringCount, error);
    if (result != pal_ok)
        return result;
    surface->vertices[0] = palMakeVec3(0, 0, bottom);
    surface->vertices[1] = palMakeVec3(0, 0, top);
    int t = 0;
    for (int i = 0; i < around; i++)
    {
        double angle = 2.0 * PAL_PI * i / around;
        int a = 2 + i, b = 2 + (i + 1) % around; // of the lowest ring
        for (int r = 0; r < ringCount; r++)
            surface->vertices[a + r * around] =
                palMakeVec3(rings[r].radius * cos(angle), rings[r].radius * sin(angle), rings[r].z);
        setTriangle(surface, t++, 0, b, a);
        for (int r = 0; r + 1 < ringCount; r++)
        {
            int low = r * around, high = low + around;
            setTriangle(surface, t++, a + low, b + low, b + high);
            setTriangle(surface, t++, a + low, b + high, a + high);
        }
        int last = (ringCount - 1) * around;
        setTriangle(surface, t++, 1, a + last, b + last);
    }
    return pal_ok;
}

palResult palMakeRevolvedRing(int ringCount, const palRing* rings, int around, palSurface* surface,
                              palError* error)
{
    palResult result = palSurface_Init(surface, ringCount * around, 2 * around * ringCount, error);
    if (result != pal_ok)
        return result;
    int t = 0;
    for (int r = 0; r < ringCount; r++)
        for (int i = 0; i < around; i++)
        {
            double angle = 2.0 * PAL_PI * i / around;
            int low = r * around, high = (r + 1) % ringCount * around, next = (i + 1) % around;
            surface->vertices[low + i] =
                palMakeVec3(rings[r].radius * cos(angle), rings[r].radius * sin(angle), rings[r].z);
            setTriangle(surface, t++, low + i, low + next, high + next);
            setTriangle(surface, t++, low + i, high + next, high + i);
        }
    return pal_ok;
}
