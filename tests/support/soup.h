// SPDX-License-Identifier: Apache-2.0
// Surfaces for the tests of src/collide: soups, and a closed sphere with bumps.
#ifndef PAL_TESTS_SOUP_H
#define PAL_TESTS_SOUP_H

#include "base/random.h"
#include "check.h"
#include "mesh/surface.h"

static inline palVec3 randomVec3(palRandom* random, double size)
{
    return palMakeVec3(palRandom_Range(random, -size, size), palRandom_Range(random, -size, size),
                       palRandom_Range(random, -size, size));
}

static inline palSurface makeSurface(int vertexCount, int triangleCount)
{
    palSurface surface;
    palError error;
    assert_int_equal(palSurface_Init(&surface, vertexCount, triangleCount, &error), pal_ok);
    return surface;
}

/// Triangles that share nothing, of all sizes up to a tenth of `size`.
static inline palSurface makeSoup(int count, double size, palVec3 offset, uint64_t seed)
{
    palRandom random = palMakeRandom(seed);
    palSurface soup = makeSurface(3 * count, count);
    for (int i = 0; i < count; i++)
    {
        palVec3 centre = palAdd(offset, randomVec3(&random, size));
        double extent = 0.1 * size * palRandom_Unit(&random);
        for (int k = 0; k < 3; k++)
        {
            soup.vertices[3 * i + k] = palAdd(centre, randomVec3(&random, extent));
            soup.triangles[i][k] = 3 * i + k;
        }
    }
    return soup;
}

/// The sphere's radius in a direction: 1, with bumps.
static inline double bumpyRadius(palVec3 direction, double bump)
{
    return 1.0 + bump * sin(7.0 * direction.x) * sin(5.0 * direction.y + 1.0) *
                     sin(6.0 * direction.z + 2.0);
}

/// A closed sphere of 8 n² triangles: each face of an octahedron divided n times, vertices shared.
static inline palSurface makeSphere(int n, double bump)
{
    // Vertices by rings from the top: ring i has 4 min(i, 2n - i) of them, the poles one.
    int ringStart[257];
    int count = 0;
    assert_true(2 * n < 256);
    for (int i = 0; i <= 2 * n; i++)
    {
        int sides = i < 2 * n - i ? i : 2 * n - i;
        ringStart[i] = count;
        count += sides == 0 ? 1 : 4 * sides;
    }
    palSurface sphere = makeSurface(count, 8 * n * n);
    int triangle = 0;
    for (int i = 0; i <= 2 * n; i++)
    {
        int sides = i < 2 * n - i ? i : 2 * n - i;
        double z = (double)(n - i) / n;
        double r = 1.0 - fabs(z);
        for (int j = 0; j < (sides == 0 ? 1 : 4 * sides); j++)
        {
            int quarter = sides == 0 ? 0 : j / sides;
            double s = sides == 0 ? 0.0 : (double)(j % sides) / sides;
            double x[5] = {1, 0, -1, 0, 1};
            double y[5] = {0, 1, 0, -1, 0};
            palVec3 flat = {r * (x[quarter] * (1 - s) + x[quarter + 1] * s),
                            r * (y[quarter] * (1 - s) + y[quarter + 1] * s), z};
            palVec3 direction = palNormalize(flat);
            sphere.vertices[ringStart[i] + j] = palScale(bumpyRadius(direction, bump), direction);
        }
    }
    for (int i = 0; i < 2 * n; i++)
    {
        // Between rings i and i+1; the smaller ring has a sides a quarter, the larger a + 1.
        bool upper = i < n;
        int a = upper ? i : 2 * n - i - 1;
        int small = ringStart[upper ? i : i + 1];
        int large = ringStart[upper ? i + 1 : i];
        for (int quarter = 0; quarter < 4; quarter++)
        {
            for (int j = 0; j <= a; j++)
            {
                int s0 = small + (a == 0 ? 0 : (quarter * a + j) % (4 * a));
                int s1 = small + (a == 0 ? 0 : (quarter * a + j + 1) % (4 * a));
                int l0 = large + (quarter * (a + 1) + j) % (4 * (a + 1));
                int l1 = large + (quarter * (a + 1) + j + 1) % (4 * (a + 1));
                int first[3] = {s0, upper ? l0 : l1, upper ? l1 : l0};
                memcpy(sphere.triangles[triangle++], first, sizeof first);
                if (j == a)
                    continue;
                int second[3] = {s0, upper ? l1 : s1, upper ? s1 : l1};
                memcpy(sphere.triangles[triangle++], second, sizeof second);
            }
        }
    }
    assert_int_equal(triangle, sphere.triangleCount);
    return sphere;
}

#endif
