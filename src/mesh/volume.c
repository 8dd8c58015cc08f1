// SPDX-License-Identifier: Apache-2.0
#include "mesh/volume.h"

#include "base/error.h"
#include "math/quat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double pal_hexCorners[8][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1},
};

palResult palVolume_Init(palVolume* volume, int vertexCount, int tetCount, int hexCount,
                         palError* error)
{
    *volume = (palVolume){0};
    // At least one element, so that an empty array can be distinguished from a failed allocation.
    size_t vertices = (size_t)vertexCount + 1;
    size_t tets = (size_t)tetCount + 1;
    size_t hexes = (size_t)hexCount + 1;
    volume->vertices = malloc(vertices * sizeof *volume->vertices);
    volume->tets = malloc(tets * sizeof *volume->tets);
    volume->hexes = malloc(hexes * sizeof *volume->hexes);
    volume->labels = calloc(tets + hexes, sizeof *volume->labels);
    if (volume->vertices == NULL || volume->tets == NULL || volume->hexes == NULL ||
        volume->labels == NULL)
    {
        palVolume_Free(volume);
        return palError_Memory(error, "a volume mesh", 24 * vertices + 20 * tets + 36 * hexes);
    }
    volume->vertexCount = vertexCount;
    volume->tetCount = tetCount;
    volume->hexCount = hexCount;
    return pal_ok;
}

void palVolume_Free(palVolume* volume)
{
    for (int i = 0; i < volume->nodeSetCount; i++)
        free(volume->nodeSets[i].vertices);
    free(volume->nodeSets);
    free(volume->regions);
    free(volume->labels);
    free(volume->hexes);
    free(volume->tets);
    free(volume->vertices);
    *volume = (palVolume){0};
}

// An empty array may be NULL, which memcpy does not allow.
static void copyArray(void* to, const void* from, int count, size_t elementSize)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * elementSize);
}

palResult palVolume_AddNodeSet(palVolume* volume, const char* name, const int* vertices, int count,
                               palError* error)
{
    size_t sets = (size_t)volume->nodeSetCount + 1;
    palNodeSet* grown = realloc(volume->nodeSets, sets * sizeof *grown);
    if (grown != NULL)
        volume->nodeSets = grown;
    int* copy = malloc(((size_t)count + 1) * sizeof *copy);
    if (grown == NULL || copy == NULL)
    {
        free(copy);
        return palError_Memory(error, "a node set", (size_t)count * sizeof *copy);
    }
    copyArray(copy, vertices, count, sizeof *copy);
    palNodeSet* set = &volume->nodeSets[volume->nodeSetCount++];
    *set = (palNodeSet){.count = count, .vertices = copy};
    snprintf(set->name, sizeof set->name, "%s", name);
    return pal_ok;
}

palResult palVolume_AddRegion(palVolume* volume, int label, const char* name, palError* error)
{
    size_t regions = (size_t)volume->regionCount + 1;
    palRegion* grown = realloc(volume->regions, regions * sizeof *grown);
    if (grown == NULL)
        return palError_Memory(error, "a region", regions * sizeof *grown);
    volume->regions = grown;
    palRegion* region = &grown[volume->regionCount++];
    *region = (palRegion){.label = label};
    snprintf(region->name, sizeof region->name, "%s", name);
    return pal_ok;
}

palResult palVolume_Copy(const palVolume* volume, palVolume* copy, palError* error)
{
    palResult result =
        palVolume_Init(copy, volume->vertexCount, volume->tetCount, volume->hexCount, error);
    if (result != pal_ok)
        return result;
    int elements = volume->tetCount + volume->hexCount;
    copyArray(copy->vertices, volume->vertices, volume->vertexCount, sizeof *copy->vertices);
    copyArray(copy->tets, volume->tets, volume->tetCount, sizeof *copy->tets);
    copyArray(copy->hexes, volume->hexes, volume->hexCount, sizeof *copy->hexes);
    copyArray(copy->labels, volume->labels, elements, sizeof *copy->labels);
    for (int i = 0; i < volume->regionCount && result == pal_ok; i++)
        result =
            palVolume_AddRegion(copy, volume->regions[i].label, volume->regions[i].name, error);
    for (int i = 0; i < volume->nodeSetCount && result == pal_ok; i++)
    {
        const palNodeSet* set = &volume->nodeSets[i];
        result = palVolume_AddNodeSet(copy, set->name, set->vertices, set->count, error);
    }
    if (result != pal_ok)
        palVolume_Free(copy);
    return result;
}

const palNodeSet* palVolume_FindNodeSet(const palVolume* volume, const char* name)
{
    for (int i = 0; i < volume->nodeSetCount; i++)
        if (strcmp(volume->nodeSets[i].name, name) == 0)
            return &volume->nodeSets[i];
    return NULL;
}

palBounds palVolume_Bounds(const palVolume* volume)
{
    palSurface points = {.vertexCount = volume->vertexCount, .vertices = volume->vertices};
    return palSurface_Bounds(&points);
}

void palVolume_Transform(palVolume* volume, double scale, palQuat rotation, palVec3 position)
{
    palSurface points = {.vertexCount = volume->vertexCount, .vertices = volume->vertices};
    palSurface_Transform(&points, scale, rotation, position);
}

// det J of a trilinear hex has degree 2 in each natural coordinate: the product of two-point Gauss
// rules (abscissae ±1/√3, weights 1) integrates it exactly.
double palHexVolume(const palVec3 corners[8])
{
    const double g = 0.57735026918962576451; // 1/√3
    double sum = 0.0;
    for (int i = 0; i < 8; i++)
    {
        double s[3];
        palVec3 columns[3] = {pal_zeroVec3, pal_zeroVec3, pal_zeroVec3};
        for (int k = 0; k < 3; k++)
            s[k] = g * pal_hexCorners[i][k];
        for (int c = 0; c < 8; c++)
        {
            const double* n = pal_hexCorners[c];
            double f[3] = {1.0 + n[0] * s[0], 1.0 + n[1] * s[1], 1.0 + n[2] * s[2]};
            palVec3 p = palSub(corners[c], corners[0]);
            columns[0] = palMulAdd(columns[0], 0.125 * n[0] * f[1] * f[2], p);
            columns[1] = palMulAdd(columns[1], 0.125 * n[1] * f[0] * f[2], p);
            columns[2] = palMulAdd(columns[2], 0.125 * n[2] * f[0] * f[1], p);
        }
        sum += palDot(palCross(columns[0], columns[1]), columns[2]);
    }
    return sum;
}

double palVolume_ElementVolume(const palVolume* volume, int element)
{
    const palVec3* v = volume->vertices;
    if (element < volume->tetCount)
    {
        const int* t = volume->tets[element];
        return palTetDeterminant(v[t[0]], v[t[1]], v[t[2]], v[t[3]]) / 6.0;
    }
    palVec3 corners[8];
    for (int k = 0; k < 8; k++)
        corners[k] = v[volume->hexes[element - volume->tetCount][k]];
    return palHexVolume(corners);
}

void palHexWeights(double xi, double eta, double zeta, double weights[8])
{
    for (int k = 0; k < 8; k++)
    {
        const double* n = pal_hexCorners[k];
        weights[k] = 0.125 * (1.0 + n[0] * xi) * (1.0 + n[1] * eta) * (1.0 + n[2] * zeta);
    }
}
