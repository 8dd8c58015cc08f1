// SPDX-License-Identifier: Apache-2.0
// Where bodies abut: faces that touch a face of another body which looks the other way. Between
// bodies that are tied nothing comes: such faces must neither hold a point nor let it in.
#ifndef PAL_RENDER_ABUT_H
#define PAL_RENDER_ABUT_H

#include "collide/collider.h"

/// Whether a place on a triangle is covered by another body, one of the two being soft: within
/// `distance` of a face of it that looks the other way. Looked at a little away from the triangle's
/// edges. With `groups`, [count], only by bodies of the same group; NULL: by any.
bool palAbut_CoversPlace(const palCollider* colliders, int count, const int* groups, int object,
                         int triangle, palVec3 place, double distance);

/// Whether the whole triangle is: in its middle and near its corners.
bool palAbut_CoversTriangle(const palCollider* colliders, int count, const int* groups, int object,
                            int triangle, double distance);

#endif
