// SPDX-License-Identifier: Apache-2.0
// A scalar field whose zero set is a surface: negative inside, positive outside.
#ifndef PAL_MESH_FIELD_H
#define PAL_MESH_FIELD_H

#include "math/vec3.h"

typedef struct palField
{
    double (*value)(palVec3 p, const void* data); // distance-like, m
    const void* data;                             // borrowed
} palField;

static inline double palField_Value(palField field, palVec3 p)
{
    return field.value(p, field.data);
}

/// The gradient from four values at the corners of a tetrahedron around p. Its error is
/// O(step |second derivatives|).
palVec3 palField_Gradient(palField field, palVec3 p, double step);

/// Projects p along the gradient onto the zero set, |value| <= tolerance, and returns the outward
/// unit normal. Returns false, with p unchanged, if the distance exceeds `reach`.
bool palField_Project(palField field, double reach, double tolerance, palVec3* p, palVec3* normal);

#endif
