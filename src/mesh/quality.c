// SPDX-License-Identifier: Apache-2.0
#include "mesh/quality.h"

double palTetQuality(const palVec3* vertices, const int tet[4])
{
    palVec3 p[4];
    double squares = 0.0;
    for (int i = 0; i < 4; i++)
    {
        p[i] = vertices[tet[i]];
        for (int k = 0; k < i; k++)
            squares += palLengthSquared(palSub(p[i], p[k]));
    }
    double l = sqrt(squares / 6.0);
    double V = palTetDeterminant(p[0], p[1], p[2], p[3]) / 6.0;
    return l > 0.0 ? 6.0 * sqrt(2.0) * V / (l * l * l) : 0.0;
}

palHexJacobians palHexQuality(const palVec3* vertices, const int hex[8])
{
    // The neighbours of each corner, ordered so that the determinants of a cube are positive.
    static const int neighbours[8][3] = {{1, 3, 4}, {2, 0, 5}, {3, 1, 6}, {0, 2, 7},
                                         {7, 5, 0}, {4, 6, 1}, {5, 7, 2}, {6, 4, 3}};
    palHexJacobians jacobians = {.smallest = INFINITY, .largest = -INFINITY};
    for (int k = 0; k < 8; k++)
    {
        palVec3 edges[3];
        for (int i = 0; i < 3; i++)
            edges[i] = palNormalize(palSub(vertices[hex[neighbours[k][i]]], vertices[hex[k]]));
        double jacobian = palDot(palCross(edges[0], edges[1]), edges[2]);
        jacobians.smallest = fmin(jacobians.smallest, jacobian);
        jacobians.largest = fmax(jacobians.largest, jacobian);
    }
    return jacobians;
}

double palHexFullness(const palVec3* vertices, const int hex[8])
{
    static const int edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                     {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    palVec3 corners[8];
    double squares = 0.0;
    for (int k = 0; k < 8; k++)
        corners[k] = vertices[hex[k]];
    for (int i = 0; i < 12; i++)
        squares += palLengthSquared(palSub(corners[edges[i][1]], corners[edges[i][0]]));
    double l = sqrt(squares / 12.0);
    return l > 0.0 ? palHexVolume(corners) / (l * l * l) : 0.0;
}
