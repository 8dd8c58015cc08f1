// SPDX-License-Identifier: Apache-2.0
#include "collide/deviation.h"

#include "base/error.h"
#include "collide/bvh.h"

#include <math.h>

palResult palMeasureDeviation(const palSurface* from, const palSurface* to, double* largest,
                              palError* error)
{
    static const double weights[][3] = {{1.0, 0.0, 0.0},
                                        {0.0, 1.0, 0.0},
                                        {0.0, 0.0, 1.0},
                                        {0.5, 0.5, 0.0},
                                        {0.0, 0.5, 0.5},
                                        {0.5, 0.0, 0.5},
                                        {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}};
    const int samples = sizeof weights / sizeof weights[0];
    palBvh* tree;
    *largest = 0.0;
    palResult result = palBvh_Create(to, &tree, error);
    if (result != pal_ok)
        return result;
    for (int t = 0; t < from->triangleCount; t++)
        for (int i = 0; i < samples; i++)
        {
            palVec3 x = pal_zeroVec3;
            for (int k = 0; k < 3; k++)
                x = palMulAdd(x, weights[i][k], from->vertices[from->triangles[t][k]]);
            palClosest closest;
            if (palBvh_Closest(tree, x, INFINITY, &closest))
                *largest = fmax(*largest, closest.distance);
        }
    palBvh_Destroy(tree);
    return pal_ok;
}
