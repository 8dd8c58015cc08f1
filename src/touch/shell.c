// SPDX-License-Identifier: Apache-2.0
#include "touch/shell.h"

#include "base/error.h"

#include <stdlib.h>

// Squares of this share of the longest edge as half side cover the triangles between the points:
// the farthest place of an equilateral triangle is 1/√3 of its edge from the corners.
static const double coveringShare = 0.6;

palResult palShell_Init(palShell* shell, const palCollider* collider, palError* error)
{
    const palSurface* surface = &collider->surface;
    size_t count = (size_t)surface->vertexCount;
    *shell =
        (palShell){calloc(count, sizeof *shell->spacing), malloc(count * sizeof *shell->owner)};
    if (shell->spacing == NULL || shell->owner == NULL)
    {
        palShell_Free(shell);
        return palError_Memory(error, "a point shell", count * sizeof *shell->spacing);
    }
    for (int t = surface->triangleCount - 1; t >= 0; t--)
        for (int k = 0; k < 3; k++)
        {
            int a = surface->triangles[t][k];
            int b = surface->triangles[t][(k + 1) % 3];
            double half = coveringShare * palDistance(surface->vertices[a], surface->vertices[b]);
            shell->spacing[a] = fmax(shell->spacing[a], half);
            shell->spacing[b] = fmax(shell->spacing[b], half);
            shell->owner[a] = t;
        }
    return pal_ok;
}

void palShell_Free(palShell* shell)
{
    free(shell->spacing);
    free(shell->owner);
    *shell = (palShell){0};
}

void palShell_Add(const palShell* shell, const palCollider* collider, int object, int triangle,
                  palPatch* patch)
{
    for (int k = 0; k < 3; k++)
    {
        int vertex = collider->surface.triangles[triangle][k];
        if (shell->owner[vertex] != triangle)
            continue;
        palLimited limited;
        palLimited_FromPoint(&limited, palCollider_Vertex(collider, vertex),
                             palCollider_Normal(collider, triangle, pal_featureVertex0 + k),
                             shell->spacing[vertex]);
        limited.friction = collider->friction;
        limited.object = object;
        limited.triangle = triangle;
        palPatch_Add(patch, &limited);
    }
}
