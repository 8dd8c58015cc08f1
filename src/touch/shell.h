// SPDX-License-Identifier: Apache-2.0
// An object's surface as a point shell: a limited constraint per vertex, with the vertex's normal
// and the size of its spacing (Knott and Kuhlen 2015, section 3.3, beside triangles and edges).
//
// A path cannot be swept against points, since there is no surface between them: the steps of the
// walk are no longer than the smallest constraint (section 3.5, inner trust region).
#ifndef PAL_TOUCH_SHELL_H
#define PAL_TOUCH_SHELL_H

#include "collide/collider.h"
#include "touch/patch.h"

typedef struct palShell
{
    double* spacing; // owned, [vertexCount], m: half the side of each vertex's square
    int* owner;      // owned, [vertexCount]: the triangle that adds the vertex
} palShell;

palResult palShell_Init(palShell* shell, const palCollider* collider, palError* error);
void palShell_Free(palShell* shell);

/// Adds the vertices that a triangle of the collider owns.
void palShell_Add(const palShell* shell, const palCollider* collider, int object, int triangle,
                  palPatch* patch);

#endif
