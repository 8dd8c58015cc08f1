// SPDX-License-Identifier: Apache-2.0
#include "mesh/faces.h"

#include "base/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum
{
    tetFaces = 4,
    hexFaces = 12, // triangles
};

// The triangles of an element, counter-clockwise from outside. Returns their number; degenerate
// triangles of a collapsed hex are omitted.
static int elementFaces(const palVolume* volume, int element, int (*triangles)[3])
{
    static const int tetSides[tetFaces][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    static const int hexSides[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                       {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    if (element < volume->tetCount)
    {
        for (int i = 0; i < tetFaces; i++)
            for (int k = 0; k < 3; k++)
                triangles[i][k] = volume->tets[element][tetSides[i][k]];
        return tetFaces;
    }
    const int* hex = volume->hexes[element - volume->tetCount];
    int count = 0;
    for (int i = 0; i < 6; i++)
    {
        int quad[4], low = 0;
        for (int k = 0; k < 4; k++)
        {
            quad[k] = hex[hexSides[i][k]];
            low = quad[k] < quad[low] ? k : low;
        }
        for (int half = 1; half <= 2; half++)
        {
            int* t = triangles[count];
            t[0] = quad[low], t[1] = quad[(low + half) % 4], t[2] = quad[(low + half + 1) % 4];
            count += t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        }
    }
    return count;
}

static palFace makeFace(const int t[3], int element)
{
    // Rotated so that the lowest corner is first; the order of the other two is the orientation.
    int low = t[0] < t[1] ? (t[0] < t[2] ? 0 : 2) : (t[1] < t[2] ? 1 : 2);
    int b = t[(low + 1) % 3], c = t[(low + 2) % 3];
    return (palFace){
        .corners = {t[low], b < c ? b : c, b < c ? c : b},
        .element = element,
        .ascending = b < c,
    };
}

static int compareFaces(const void* a, const void* b)
{
    const palFace* s = a;
    const palFace* t = b;
    for (int k = 1; k < 3; k++)
        if (s->corners[k] != t->corners[k])
            return s->corners[k] < t->corners[k] ? -1 : 1;
    return s->element < t->element ? -1 : s->element > t->element;
}

// Counting sort of the faces by their lowest vertex: while they are inserted, start[v + 1] runs
// from the first position of v to that of v + 1.
static void sortFaces(const palVolume* volume, int* start, palFaces* faces)
{
    int n = volume->vertexCount, elements = volume->tetCount + volume->hexCount;
    int triangles[hexFaces][3];
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    for (int e = 0; e < elements; e++)
    {
        int count = elementFaces(volume, e, triangles);
        for (int i = 0; i < count; i++)
            start[makeFace(triangles[i], e).corners[0] + 2]++;
    }
    for (int v = 0; v < n; v++)
        start[v + 2] += start[v + 1];
    faces->count = start[n + 1];
    for (int e = 0; e < elements; e++)
    {
        int count = elementFaces(volume, e, triangles);
        for (int i = 0; i < count; i++)
        {
            palFace face = makeFace(triangles[i], e);
            faces->faces[start[face.corners[0] + 1]++] = face;
        }
    }
    for (int v = 0; v < n; v++)
        qsort(&faces->faces[start[v]], (size_t)(start[v + 1] - start[v]), sizeof *faces->faces,
              compareFaces);
}

palResult palFaces_Init(palFaces* faces, const palVolume* volume, palError* error)
{
    *faces = (palFaces){0};
    size_t countMax = (size_t)tetFaces * (size_t)volume->tetCount +
                      (size_t)hexFaces * (size_t)volume->hexCount + 1;
    int* start = malloc(((size_t)volume->vertexCount + 2) * sizeof *start);
    faces->faces = countMax < INT_MAX ? malloc(countMax * sizeof *faces->faces) : NULL;
    bool allocated = start != NULL && faces->faces != NULL;
    if (allocated)
        sortFaces(volume, start, faces);
    else
        palFaces_Free(faces);
    free(start);
    return allocated
               ? pal_ok
               : palError_Memory(error, "the faces of a volume", countMax * sizeof *faces->faces);
}

void palFaces_Free(palFaces* faces)
{
    free(faces->faces);
    *faces = (palFaces){0};
}

int palFaces_Group(const palFaces* faces, int first)
{
    int end = first + 1;
    while (end < faces->count && memcmp(faces->faces[end].corners, faces->faces[first].corners,
                                        sizeof faces->faces[end].corners) == 0)
        end++;
    return end - first;
}
