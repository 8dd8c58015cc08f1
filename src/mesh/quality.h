// SPDX-License-Identifier: Apache-2.0
// Element quality: 1 is best, 0 has no volume, negative is inverted.
#ifndef PAL_MESH_QUALITY_H
#define PAL_MESH_QUALITY_H

#include "mesh/volume.h"

/// 6 √2 V / l³ with l the root mean square of the six edges: 1 for a regular tetrahedron
/// (V. N. Parthasarathy, C. M. Graichen and A. F. Hathaway, "A comparison of tetrahedron quality
/// measures", Finite Elements in Analysis and Design 15, 1994).
double palTetQuality(const palVec3* vertices, const int tet[4]);

typedef struct palHexJacobians
{
    double smallest;
    double largest;
} palHexJacobians;

/// The scaled Jacobians of a hex: at each of its eight corners the determinant of the unit vectors
/// along its three edges (P. M. Knupp, "Achieving finite element mesh quality via optimization of
/// the Jacobian matrix norm", IJNME 48, 2000). The smallest is the quality. An edge of zero length
/// gives 0.
palHexJacobians palHexQuality(const palVec3* vertices, const int hex[8]);

/// V / l³ with l the root mean square of the twelve edges: 1 for a cube.
double palHexFullness(const palVec3* vertices, const int hex[8]);

#endif
