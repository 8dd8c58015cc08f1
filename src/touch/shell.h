// SPDX-License-Identifier: Apache-2.0
// A surface as a point shell: a limited constraint a vertex, with the vertex's normal and the size
// of its spacing, as Knott and Kuhlen 2015, section 3.3, allow beside triangles and edges.
//
// Planes at points know nothing of what lies between them, so that a way cannot be swept against
// them: the walk takes steps no longer than the smallest of them (section 3.5, inner trust region).
#ifndef PAL_TOUCH_SHELL_H
#define PAL_TOUCH_SHELL_H

#include "collide/collider.h"
#include "touch/patch.h"

typedef struct palShell
{
    double* spacing; // owned, [vertexCount], m: half the side of each vertex's square
    int* owner;      // owned, [vertexCount]: the triangle with which the vertex is added
} palShell;

palResult palShell_Init(palShell* shell, const palCollider* collider, palError* error);
void palShell_Free(palShell* shell);

/// Adds the vertices that a triangle of the collider owns.
void palShell_Add(const palShell* shell, const palCollider* collider, int object, int triangle,
                  palPatch* patch);

#endif
