// SPDX-License-Identifier: Apache-2.0
#include "mesh/extract.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static int countBoundary(const palFaces* faces, const palVolume* volume, int* number)
{
    int count = 0;
    memset(number, 0xff, (size_t)volume->vertexCount * sizeof *number);
    for (int i = 0, group; i < faces->count; i += group)
    {
        group = palFaces_Group(faces, i);
        if (group > 1)
            continue;
        count++;
        for (int k = 0; k < 3; k++)
            number[faces->faces[i].corners[k]] = 0;
    }
    return count;
}

static void fill(palVolumeSurface* skin, const palVolume* volume, const palFaces* faces,
                 int* number)
{
    for (int v = 0, n = 0; v < volume->vertexCount; v++)
        if (number[v] == 0)
        {
            skin->vertices[n] = v;
            skin->surface.vertices[n] = volume->vertices[v];
            number[v] = n++;
        }
    int t = 0;
    for (int i = 0, group; i < faces->count; i += group)
    {
        group = palFaces_Group(faces, i);
        if (group > 1)
            continue;
        const palFace* face = &faces->faces[i];
        int* triangle = skin->surface.triangles[t];
        triangle[0] = number[face->corners[0]];
        triangle[1] = number[face->corners[face->ascending ? 1 : 2]];
        triangle[2] = number[face->corners[face->ascending ? 2 : 1]];
        skin->elements[t++] = face->element;
    }
}

palResult palVolumeSurface_InitFaces(palVolumeSurface* skin, const palVolume* volume,
                                     const palFaces* faces, palError* error)
{
    *skin = (palVolumeSurface){0};
    size_t bytes = ((size_t)volume->vertexCount + 1) * sizeof(int);
    int* number = malloc(bytes);
    if (number == NULL)
        return palError_Memory(error, "the surface of a volume", bytes);
    int triangles = countBoundary(faces, volume, number);
    int vertices = 0;
    for (int v = 0; v < volume->vertexCount; v++)
        vertices += number[v] == 0;
    palResult result = palSurface_Init(&skin->surface, vertices, triangles, error);
    skin->vertices = malloc(((size_t)vertices + 1) * sizeof *skin->vertices);
    skin->elements = malloc(((size_t)triangles + 1) * sizeof *skin->elements);
    if (result == pal_ok && (skin->vertices == NULL || skin->elements == NULL))
        result = palError_Memory(error, "the surface of a volume",
                                 (size_t)(vertices + triangles) * sizeof(int));
    if (result == pal_ok)
        fill(skin, volume, faces, number);
    else
        palVolumeSurface_Free(skin);
    free(number);
    return result;
}

palResult palVolumeSurface_Init(palVolumeSurface* skin, const palVolume* volume, palError* error)
{
    palFaces faces;
    *skin = (palVolumeSurface){0};
    palResult result = palFaces_Init(&faces, volume, error);
    if (result == pal_ok)
        result = palVolumeSurface_InitFaces(skin, volume, &faces, error);
    palFaces_Free(&faces);
    return result;
}

void palVolumeSurface_Free(palVolumeSurface* skin)
{
    palSurface_Free(&skin->surface);
    free(skin->vertices);
    free(skin->elements);
    *skin = (palVolumeSurface){0};
}

void palVolumeSurface_Follow(palVolumeSurface* skin, const palVec3* vertices)
{
    for (int i = 0; i < skin->surface.vertexCount; i++)
        skin->surface.vertices[i] = vertices[skin->vertices[i]];
}
