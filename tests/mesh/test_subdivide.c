// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "math/vec3.h"
#include "mesh/shapes.h"
#include "mesh/subdivide.h"

static double longestEdge(const palSurface* surface)
{
    double longest = 0.0;
    for (int t = 0; t < surface->triangleCount; t++)
        for (int k = 0; k < 3; k++)
        {
            const int* corner = surface->triangles[t];
            longest = fmax(longest, palDistance(surface->vertices[corner[k]],
                                                surface->vertices[corner[(k + 1) % 3]]));
        }
    return longest;
}

static palVec3 areaOf(const palSurface* surface, int t)
{
    const palVec3* x = surface->vertices;
    const int* c = surface->triangles[t];
    return palScale(0.5, palCross(palSub(x[c[1]], x[c[0]]), palSub(x[c[2]], x[c[0]])));
}

static double area(const palSurface* surface)
{
    double sum = 0.0;
    for (int t = 0; t < surface->triangleCount; t++)
        sum += palLength(areaOf(surface, t));
    return sum;
}

static double volume(const palSurface* surface)
{
    double sum = 0.0;
    for (int t = 0; t < surface->triangleCount; t++)
        sum += palDot(areaOf(surface, t), surface->vertices[surface->triangles[t][0]]) / 3.0;
    return sum;
}

static palSurface makeWave(void)
{
    palShapeDef def = palDefaultShapeDef(pal_shapeSineBlock);
    def.resolution = 60;
    palSurface surface;
    assert_int_equal(palMakeShape(&def, &surface, NULL), pal_ok);
    return surface;
}

// Down to slivers: closed as before, with the same vertices and the same shape.
static void no_edge_is_left_long_and_the_shape_is_the_same(void** state)
{
    (void)state;
    for (int k = 0; k < 8; k++)
    {
        double longest = 0.1 / (1 + 3 * k);
        palSurface surface = makeWave(), before;
        assert_int_equal(palSurface_Copy(&surface, &before, NULL), pal_ok);
        assert_int_equal(palSubdivide(&surface, longest, 1 << 22, NULL), pal_ok);
        assert_true((longestEdge(&before) > longest) ==
                    (surface.triangleCount > before.triangleCount));
        ASSERT_BELOW(longestEdge(&surface), longest);
        ASSERT_NEAR(area(&surface), area(&before), 1e-12);
        ASSERT_NEAR(volume(&surface), volume(&before), 1e-15);
        assert_memory_equal(surface.vertices, before.vertices,
                            (size_t)before.vertexCount * sizeof *before.vertices);
        for (int t = 0; t < surface.triangleCount; t++)
            assert_true(palLength(areaOf(&surface, t)) > 0.0);
        // V - E + F = 2 with E = 3F/2: each edge has its two triangles.
        assert_int_equal(2 * surface.vertexCount, surface.triangleCount + 4);
        palSurface_Free(&before);
        palSurface_Free(&surface);
    }
}

static void there_are_not_more_triangles_than_allowed(void** state)
{
    (void)state;
    palSurface surface = makeWave();
    int before = surface.triangleCount, most = 20 * before;
    assert_int_equal(palSubdivide(&surface, 1e-5, most, NULL), pal_ok);
    assert_true(surface.triangleCount > before && surface.triangleCount <= most);
    palSurface_Free(&surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_edge_is_left_long_and_the_shape_is_the_same),
        cmocka_unit_test(there_are_not_more_triangles_than_allowed),
    };
    return RUN(tests);
}
