// SPDX-License-Identifier: Apache-2.0
#include "collide/decimate.h"

#include "collide/deviation.h"
#include "mesh/clean.h"
#include "mesh/merge.h"
#include "mesh/topology.h"

#include <stdlib.h>

static palResult merge(const palSurface* surface, double tolerance, palSurface* merged,
                       palError* error)
{
    palTopology topology;
    int* origins = NULL;
    palResult result = palTopology_Init(&topology, surface, error);
    if (result != pal_ok)
        return result;
    result = palMergeTriangles(surface, &topology, tolerance, merged, &origins, error);
    palTopology_Free(&topology);
    free(origins);
    return result;
}

// What is left, without the vertices that no triangle has any more.
static palResult reduce(const palSurface* surface, double tolerance, palSurface* merged,
                        palError* error)
{
    palCleanReport cleaned;
    palResult result = merge(surface, tolerance, merged, error);
    return result == pal_ok ? palSurface_Clean(merged, 0.0, &cleaned, error) : result;
}

palResult palSurface_Merge(palSurface* surface, double tolerance, palError* error)
{
    palSurface merged = {0};
    palResult result = reduce(surface, tolerance, &merged, error);
    if (result != pal_ok)
    {
        palSurface_Free(&merged);
        return result;
    }
    palSurface_Free(surface);
    *surface = merged;
    return pal_ok;
}

palResult palSurface_Decimate(palSurface* surface, double tolerance, palDecimation* done,
                              palError* error)
{
    palSurface merged = {0};
    palResult result = reduce(surface, tolerance, &merged, error);
    if (result == pal_ok)
        result = palMeasureDeviation(surface, &merged, &done->fromGiven, error);
    if (result == pal_ok)
        result = palMeasureDeviation(&merged, surface, &done->fromReduced, error);
    if (result != pal_ok)
    {
        palSurface_Free(&merged);
        return result;
    }
    done->before = surface->triangleCount;
    done->after = merged.triangleCount;
    palSurface_Free(surface);
    *surface = merged;
    return pal_ok;
}
