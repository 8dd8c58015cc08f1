// SPDX-License-Identifier: Apache-2.0
// Small surfaces whose measures are known exactly, for the tests of src/mesh.
#ifndef PAL_TESTS_MESH_BODIES_H
#define PAL_TESTS_MESH_BODIES_H

#include "check.h"

#include "mesh/load.h"

static inline palSurface makeSurface(int vertexCount, const double (*vertices)[3],
                                     int triangleCount, const int (*triangles)[3])
{
    palSurface surface;
    palError error;
    assert_int_equal(palSurface_Init(&surface, vertexCount, triangleCount, &error), pal_ok);
    for (int i = 0; i < vertexCount; i++)
        surface.vertices[i] = palMakeVec3(vertices[i][0], vertices[i][1], vertices[i][2]);
    memcpy(surface.triangles, triangles, (size_t)triangleCount * sizeof *triangles);
    return surface;
}

/// The unit cube from 0 to 1, outward; vertex i has the bits of i as coordinates x, y, z.
static const int cubeTriangles[12][3] = {
    {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5},
};

/// Its six squares, outward.
static const int cubeSquares[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static inline palSurface makeCube(void)
{
    double vertices[8][3];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            vertices[i][k] = i >> k & 1;
    return makeSurface(8, vertices, 12, cubeTriangles);
}

/// The L: [0,2]x[0,1] and [0,1]x[1,2] in the plane, 1 high. One concave edge, at (1, 1).
static inline palSurface makeElbow(void)
{
    static const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const int cap[4][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}};
    double vertices[12][3];
    int triangles[20][3];
    for (int i = 0; i < 12; i++)
    {
        vertices[i][0] = outline[i % 6][0];
        vertices[i][1] = outline[i % 6][1];
        vertices[i][2] = i / 6;
    }
    int count = 0;
    for (int i = 0; i < 4; i++)
    {
        int bottom[3] = {cap[i][0], cap[i][2], cap[i][1]};
        int top[3] = {cap[i][0] + 6, cap[i][1] + 6, cap[i][2] + 6};
        memcpy(triangles[count++], bottom, sizeof bottom);
        memcpy(triangles[count++], top, sizeof top);
    }
    for (int i = 0; i < 6; i++)
    {
        int j = (i + 1) % 6;
        int lower[3] = {i, j, j + 6};
        int upper[3] = {i, j + 6, i + 6};
        memcpy(triangles[count++], lower, sizeof lower);
        memcpy(triangles[count++], upper, sizeof upper);
    }
    return makeSurface(12, vertices, 20, triangles);
}

/// A torus around z with n x n quadrilaterals, radii 2 and 0.5.
static inline palSurface makeTorus(int n)
{
    palSurface surface;
    palError error;
    assert_int_equal(palSurface_Init(&surface, n * n, 2 * n * n, &error), pal_ok);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            double u = 2.0 * PAL_PI * i / n, v = 2.0 * PAL_PI * j / n;
            double r = 2.0 + 0.5 * cos(v);
            surface.vertices[n * i + j] = palMakeVec3(r * cos(u), r * sin(u), 0.5 * sin(v));
            int a = n * i + j, b = n * ((i + 1) % n) + j;
            int d = n * i + (j + 1) % n, c = n * ((i + 1) % n) + (j + 1) % n;
            int first[3] = {a, b, c}, second[3] = {a, c, d};
            memcpy(surface.triangles[2 * a], first, sizeof first);
            memcpy(surface.triangles[2 * a + 1], second, sizeof second);
        }
    return surface;
}

/// Two surfaces as one, the second scaled and moved.
static inline palSurface joinSurfaces(const palSurface* a, const palSurface* b, double scale,
                                      palVec3 offset)
{
    palSurface sum;
    palError error;
    assert_int_equal(palSurface_Init(&sum, a->vertexCount + b->vertexCount,
                                     a->triangleCount + b->triangleCount, &error),
                     pal_ok);
    memcpy(sum.vertices, a->vertices, (size_t)a->vertexCount * sizeof *a->vertices);
    memcpy(sum.triangles, a->triangles, (size_t)a->triangleCount * sizeof *a->triangles);
    for (int i = 0; i < b->vertexCount; i++)
        sum.vertices[a->vertexCount + i] = palMulAdd(offset, scale, b->vertices[i]);
    for (int i = 0; i < b->triangleCount; i++)
        for (int k = 0; k < 3; k++)
            sum.triangles[a->triangleCount + i][k] = a->vertexCount + b->triangles[i][k];
    return sum;
}

static inline void turnTriangle(palSurface* surface, int t)
{
    int corner = surface->triangles[t][1];
    surface->triangles[t][1] = surface->triangles[t][2];
    surface->triangles[t][2] = corner;
}

static inline void turnAll(palSurface* surface)
{
    for (int t = 0; t < surface->triangleCount; t++)
        turnTriangle(surface, t);
}

static inline palSurfaceFacts factsOf(const palSurface* surface)
{
    palSurfaceFacts facts;
    palError error;
    assert_int_equal(palSurface_Check(surface, &facts, &error), pal_ok);
    return facts;
}

/// Loads text or bytes with the default settings.
static inline palResult loadData(palSurfaceFormat format, const void* data, size_t size,
                                 palSurface* surface, palSurfaceFacts* facts, palMessages* notes,
                                 palError* error)
{
    palLoadDef def = palDefaultLoadDef();
    palSurfaceBytes bytes = {.format = format, .data = data, .size = size};
    memset(error, 0, sizeof *error);
    return palSurface_LoadBytes(&bytes, &def, surface, facts, notes, error);
}

/// Expects the load to give the unit cube, with its lowest corner at `low`, turning nothing.
static inline void expectCube(palSurfaceFormat format, const void* data, size_t size, palVec3 low,
                              palMessages* notes)
{
    palSurface surface;
    palSurfaceFacts facts;
    palError error;
    if (loadData(format, data, size, &surface, &facts, notes, &error) != pal_ok)
        fail_msg("%s (line %d)", error.text, error.line);
    assert_int_equal(facts.vertexCount, 8);
    assert_int_equal(facts.triangleCount, 12);
    assert_true(facts.solid);
    assert_int_equal(facts.oriented.turnedTriangles + facts.oriented.turnedParts, 0);
    ASSERT_NEAR(facts.volume, 1.0, 1e-12);
    ASSERT_NEAR(palDistance(facts.bounds.low, low), 0.0, 0.0);
    palSurface_Free(&surface);
}

/// Whether a message contains the words.
static inline bool isTold(const palMessages* notes, const char* words)
{
    for (int i = 0; i < notes->count; i++)
        if (strstr(notes->items[i].what.text, words) != NULL)
            return true;
    return false;
}

/// Expects the load to fail with words in the text, on a line (0: none).
static inline void expectRefusal(palSurfaceFormat format, const void* data, size_t size,
                                 const char* words, int line)
{
    palSurface surface;
    palError error;
    assert_int_equal(loadData(format, data, size, &surface, NULL, NULL, &error), pal_errorInput);
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
    assert_int_equal(error.line, line);
    assert_true(error.remedy[0] != '\0');
    assert_null(surface.vertices);
}

#endif
