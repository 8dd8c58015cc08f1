// SPDX-License-Identifier: Apache-2.0
#include "mesh/field.h"

palVec3 palField_Gradient(palField field, palVec3 p, double step)
{
    // For the corners k of a tetrahedron, Σ k kᵀ = 4 I, hence Σ k f(p + s k) = 4 s grad f to first
    // order.
    static const palVec3 corners[4] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < 4; i++)
    {
        double value = palField_Value(field, palMulAdd(p, step, corners[i]));
        sum = palMulAdd(sum, value, corners[i]);
    }
    return palScale(0.25 / step, sum);
}

bool palField_Project(palField field, double reach, double tolerance, palVec3* p, palVec3* normal)
{
    // Newton's method along the gradient at the start. The gradient changes little over the short
    // distance to the surface, so it is recomputed only if the steps stop shrinking.
    const int steps = 16;
    const double difference = 1e-4 * reach;
    palVec3 x = *p;
    palVec3 gradient = palField_Gradient(field, x, difference);
    double previousValue = INFINITY;
    for (int i = 0; i < steps; i++)
    {
        double value = palField_Value(field, x);
        if (fabs(value) <= tolerance)
        {
            *p = x;
            *normal = palNormalize(gradient);
            return true;
        }
        if (fabs(value) > 0.25 * previousValue)
            gradient = palField_Gradient(field, x, difference);
        double slope = palLengthSquared(gradient);
        if (!(slope > 1e-12))
            return false;
        x = palMulAdd(x, -value / slope, gradient);
        if (!(palDistance(x, *p) <= reach))
            return false;
        previousValue = fabs(value);
    }
    return false;
}
