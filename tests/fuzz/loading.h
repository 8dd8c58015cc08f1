// SPDX-License-Identifier: Apache-2.0
// What every surface must hold that loading lets pass, whatever the bytes were.
#ifndef PAL_TESTS_FUZZ_LOADING_H
#define PAL_TESTS_FUZZ_LOADING_H

#include "target.h"

#include "mesh/load.h"

static inline void checkLoading(palSurfaceFormat format, const uint8_t* data, size_t size)
{
    palSurface surface;
    palSurfaceFacts facts;
    palMessages notes = {0};
    palError error = {0};
    palLoadDef def = palDefaultLoadDef();
    palSurfaceBytes bytes = {.format = format, .data = data, .size = size};
    palResult result = palSurface_LoadBytes(&bytes, &def, &surface, &facts, &notes, &error);
    if (result != pal_ok)
    {
        mustHold(error.text[0] != '\0', "a failure without a message");
        mustHold(surface.vertices == NULL && surface.triangles == NULL, "a failure with a surface");
    }
    else
        mustHold(surface.triangleCount > 0, "a surface without triangles");
    for (int i = 0; i < surface.vertexCount; i++)
        mustHold(palIsFinite(surface.vertices[i]), "a vertex that is not finite");
    for (int i = 0; i < surface.triangleCount; i++)
        for (int k = 0; k < 3; k++)
            mustHold(surface.triangles[i][k] >= 0 && surface.triangles[i][k] < surface.vertexCount,
                     "a triangle without its vertex");
    palMessages_Free(&notes);
    palSurface_Free(&surface);
}

#endif
