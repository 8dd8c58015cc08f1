// SPDX-License-Identifier: Apache-2.0
#include "touch/merged.h"

#include "mesh/merge.h"
#include "touch/patch.h"

#include <stdlib.h>

// A surface of so many triangles is merged anew for every copy. Within the whole of its distance
// they become fewer, by up to a third, than those of the last copy within the difference. Of more
// triangles that would take too long.
static const int freshMax = 120000;

// One more copy, made of the surface itself where that has few enough triangles, or of the finest
// copy that has.
static palResult addCopy(palMerged* merged, const palCollider* collider, double tolerance,
                         palError* error)
{
    int level = merged->count;
    int base = 0; // of which it is made; 0: the surface
    const palCollider* from = collider;
    while (base < level && from->surface.triangleCount > freshMax)
        from = &merged->copies[base++];
    double more = palMerged_Error(tolerance, level + 1) - palMerged_Error(tolerance, base);
    palSurface surface;
    int* origins;
    palResult result =
        palMergeTriangles(&from->surface, &from->topology, more, &surface, &origins, error);
    if (result != pal_ok)
        return result;
    for (int i = 0; i < surface.triangleCount && base > 0; i++)
        origins[i] = merged->origins[base - 1][origins[i]];
    merged->origins[level] = origins;
    result = palCollider_Init(&merged->copies[level], &surface, collider->friction, error);
    if (result == pal_ok)
        merged->count++;
    else
        free(origins);
    return result;
}

palResult palMerged_Init(palMerged* merged, const palCollider* collider, double tolerance,
                         palError* error)
{
    *merged = (palMerged){0};
    int triangles = collider->surface.triangleCount;
    palResult result = pal_ok;
    if (!(tolerance > 0.0) || palCollider_Yields(collider) || collider->points)
        return pal_ok;
    while (result == pal_ok && merged->count < pal_mergedMax && triangles > pal_patchFacesMax)
    {
        result = addCopy(merged, collider, tolerance, error);
        if (result == pal_ok)
            triangles = merged->copies[merged->count - 1].surface.triangleCount;
    }
    if (result != pal_ok)
        palMerged_Free(merged);
    return result;
}

void palMerged_Free(palMerged* merged)
{
    for (int i = 0; i < merged->count; i++)
    {
        palCollider_Free(&merged->copies[i]);
        free(merged->origins[i]);
    }
    *merged = (palMerged){0};
}
