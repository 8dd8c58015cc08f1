// SPDX-License-Identifier: Apache-2.0
#include "collide/bvh_tree.h"

#include "soup.h"

// Answers by testing every triangle.

static palVec3 corner(const palSurface* surface, int triangle, int k)
{
    return surface->vertices[surface->triangles[triangle][k]];
}

static double distanceSquared(const palSurface* surface, int i, palVec3 point)
{
    return palTriangleDistanceSquared(point, corner(surface, i, 0), corner(surface, i, 1),
                                      corner(surface, i, 2));
}

static int closestTriangle(const palSurface* surface, palVec3 point)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < surface->triangleCount; i++)
    {
        double d = distanceSquared(surface, i, point);
        if (d < least)
            least = d, best = i;
    }
    return best;
}

static double crossingOf(const palSurface* surface, int i, const palSegment* segment)
{
    return palSegmentCrossing(segment, corner(surface, i, 0), corner(surface, i, 1),
                              corner(surface, i, 2));
}

// Checks of one tree against them.

static void checkClosest(const palBvh* bvh, const palSurface* surface, palVec3 point)
{
    int expected = closestTriangle(surface, point);
    double distance = sqrt(distanceSquared(surface, expected, point));
    palClosest closest;
    assert_true(palBvh_Closest(bvh, point, INFINITY, &closest));
    assert_int_equal(closest.triangle, expected);
    assert_true(closest.distance == distance);

    // A bound of exactly the distance finds the same, a smaller one nothing.
    assert_true(palBvh_Closest(bvh, point, distance, &closest));
    assert_int_equal(closest.triangle, expected);
    assert_false(palBvh_Closest(bvh, point, nextafter(distance, -1.0), &closest));
    assert_int_equal(closest.triangle, -1);
}

static void checkWithin(const palBvh* bvh, const palSurface* surface, palVec3 centre, double radius)
{
    const int count = surface->triangleCount;
    int* found = malloc((size_t)count * sizeof *found);
    char* seen = calloc((size_t)count, 1);
    assert_true(found != NULL && seen != NULL);
    int total = palBvh_Within(bvh, centre, radius, count, found);
    int expected = 0;
    for (int i = 0; i < total; i++)
    {
        assert_in_range(found[i], 0, count - 1);
        assert_int_equal(seen[found[i]]++, 0);
    }
    for (int i = 0; i < count; i++)
    {
        bool within = distanceSquared(surface, i, centre) <= radius * radius;
        assert_int_equal(seen[i], within);
        expected += within;
    }
    assert_int_equal(total, expected);
    free(found);
    free(seen);
}

static void checkCrossing(const palBvh* bvh, const palSurface* surface, palVec3 a, palVec3 b)
{
    palSegment segment;
    assert_true(palMakeSegment(a, b, &segment));
    int expected = -1;
    double first = INFINITY;
    for (int i = 0; i < surface->triangleCount; i++)
    {
        double t = crossingOf(surface, i, &segment);
        if (t < first)
            first = t, expected = i;
    }
    palCrossing crossing;
    assert_int_equal(palBvh_FirstCrossing(bvh, a, b, &crossing), expected >= 0);
    assert_int_equal(crossing.triangle, expected);
    if (expected >= 0)
        assert_true(crossing.t == first);
}

static palVec3 randomPointNear(palRandom* random, const palSurface* surface, double size, int kind)
{
    palVec3 vertex = surface->vertices[palRandom_Below(random, surface->vertexCount)];
    if (kind % 4 == 0)
        return vertex;
    if (kind % 4 == 1)
        return palAdd(vertex, randomVec3(random, 1e-3 * size));
    return palAdd(vertex, randomVec3(random, kind % 4 == 2 ? size : 20.0 * size));
}

// Every query on both sets of kernels.
static void checkAgainstEveryTriangle(palBvh* bvh, const palSurface* surface, double size,
                                      int queries, uint64_t seed)
{
    palRandom random = palMakeRandom(seed);
    for (int i = 0; i < queries; i++)
    {
        palVec3 a = randomPointNear(&random, surface, size, i);
        palVec3 b = randomPointNear(&random, surface, size, i / 4 + 1);
        double radius = size * pow(10.0, palRandom_Range(&random, -3.0, 0.5));
        for (int scalar = 0; scalar < 2; scalar++)
        {
            palBvh_UseScalar(bvh, scalar == 1);
            checkClosest(bvh, surface, a);
            checkWithin(bvh, surface, a, radius);
            checkCrossing(bvh, surface, a, palAdd(b, randomVec3(&random, size)));
        }
    }
}

static void checkSurface(palSurface surface, double size, int queries)
{
    palBvh* bvh;
    palError error;
    assert_int_equal(palBvh_Create(&surface, &bvh, &error), pal_ok);
    checkAgainstEveryTriangle(bvh, &surface, size, queries, 11);
    palBvh_Destroy(bvh);
    palSurface_Free(&surface);
}

static void answers_equal_every_triangle_on_soups_of_all_sizes(void** state)
{
    (void)state;
    const int counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 1000, 5000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        checkSurface(makeSoup(counts[i], 1.0, pal_zeroVec3, i), 1.0, 60);
}

static void answers_equal_every_triangle_at_all_scales_and_offsets(void** state)
{
    (void)state;
    checkSurface(makeSoup(2000, 1e-6, pal_zeroVec3, 1), 1e-6, 60);
    checkSurface(makeSoup(2000, 1e6, pal_zeroVec3, 2), 1e6, 60);
    checkSurface(makeSoup(2000, 0.1, palMakeVec3(1e4, -1e4, 1e4), 3), 0.1, 60);
    checkSurface(makeSoup(2000, 1e-3, palMakeVec3(1e6, 1e6, -1e6), 4), 1e-3, 60);
    checkSurface(makeSoup(2000, 1e-25, pal_zeroVec3, 5), 1e-25, 60);
    checkSurface(makeSoup(2000, 1e-19, pal_zeroVec3, 5), 1e-19, 60);
    checkSurface(makeSoup(2000, 4e14, pal_zeroVec3, 6), 4e14, 60);
}

static void answers_equal_every_triangle_where_sizes_span_the_floats(void** state)
{
    (void)state;
    // Triangles down to a millionth of the spacing of floats at the surface's size.
    palSurface soup = makeSoup(2000, 1.0, pal_zeroVec3, 17);
    palRandom random = palMakeRandom(17);
    for (int i = 0; i < soup.triangleCount; i++)
    {
        palVec3* x = &soup.vertices[3 * i];
        double size = pow(10.0, palRandom_Range(&random, -13.0, 1.0));
        if (i % 2 == 1)
            x[0] = soup.vertices[0]; // many of them in one place
        for (int k = 1; k < 3; k++)
            x[k] = palAdd(x[0], randomVec3(&random, size));
    }
    palSurface copy = makeSurface(soup.vertexCount, soup.triangleCount);
    memcpy(copy.vertices, soup.vertices, (size_t)soup.vertexCount * sizeof *soup.vertices);
    memcpy(copy.triangles, soup.triangles, (size_t)soup.triangleCount * sizeof *soup.triangles);
    checkSurface(soup, 1e-7, 200);
    checkSurface(copy, 1e-12, 200);
}

static void a_ball_has_what_it_touches_exactly(void** state)
{
    (void)state;
    // Points of a lattice as triangles without size, around a centre on the lattice: all numbers
    // are whole and the truth is x² + y² + z² <= r². Once near the origin, once far away.
    enum
    {
        half = 9,
        side = 2 * half + 1,
    };
    for (int far = 0; far < 2; far++)
    {
        palVec3 offset = far ? palMakeVec3(1 << 30, -(1 << 29), 1 << 20) : pal_zeroVec3;
        palSurface lattice = makeSurface(side * side * side, side * side * side);
        for (int i = 0; i < lattice.vertexCount; i++)
        {
            palVec3 x = {i % side - half, i / side % side - half, i / (side * side) - half};
            lattice.vertices[i] = palAdd(offset, x);
            for (int k = 0; k < 3; k++)
                lattice.triangles[i][k] = i;
        }
        palBvh* bvh;
        assert_int_equal(palBvh_Create(&lattice, &bvh, NULL), pal_ok);
        for (int rSquared = 0; rSquared <= half * half; rSquared++)
        {
            int expected = 0;
            for (int x = -half; x <= half; x++)
                for (int y = -half; y <= half; y++)
                    for (int z = -half; z <= half; z++)
                        expected += x * x + y * y + z * z <= rSquared;
            int r = (int)sqrt(rSquared);
            bool whole = r * r == rSquared;
            double radius = whole ? r : sqrt(rSquared + 0.5);
            for (int scalar = 0; scalar < 2; scalar++)
            {
                palBvh_UseScalar(bvh, scalar == 1);
                assert_int_equal(palBvh_Within(bvh, offset, radius, 0, NULL), expected);
                if (whole && r > 0)
                    assert_true(palBvh_Within(bvh, offset, nextafter(r, 0.0), 0, NULL) < expected);
            }
        }
        palBvh_Destroy(bvh);
        palSurface_Free(&lattice);
    }
}

static void a_ball_touches_faces_and_edges_exactly(void** state)
{
    (void)state;
    // Stairs: square k of side 2 lies at height k, its middle under the centre's path. The ball
    // around (0, 0, 100) touches square k with radius 100 - k in its face; shifted aside by 1 + 3
    // it touches the edge x = 1 with radius 5 where the height is 4.
    const int count = 40;
    palSurface stairs = makeSurface(4 * count, 2 * count);
    for (int k = 0; k < count; k++)
    {
        const double x[4] = {-1, 1, 1, -1};
        const double y[4] = {-1, -1, 1, 1};
        for (int i = 0; i < 4; i++)
            stairs.vertices[4 * k + i] = palMakeVec3(x[i], y[i], k);
        int pair[2][3] = {{4 * k, 4 * k + 1, 4 * k + 2}, {4 * k, 4 * k + 2, 4 * k + 3}};
        memcpy(stairs.triangles[2 * k], pair, sizeof pair);
    }
    palBvh* bvh;
    assert_int_equal(palBvh_Create(&stairs, &bvh, NULL), pal_ok);
    for (int k = 0; k < count; k++)
    {
        // Above the face of the first triangle of each square, off the diagonal.
        palVec3 above = {0.5, -0.25, 100};
        int higher = count - k - 1;
        assert_int_equal(palBvh_Within(bvh, above, 100 - k, 0, NULL) / 2, higher);
        assert_true(palBvh_Within(bvh, above, 100 - k, 0, NULL) % 2 == 1);
        assert_int_equal(palBvh_Within(bvh, above, nextafter(100 - k, 0), 0, NULL), 2 * higher);
    }
    palVec3 aside = {4, -0.5, count + 3};
    assert_int_equal(palBvh_Within(bvh, aside, 5, 0, NULL), 1);
    assert_int_equal(palBvh_Within(bvh, aside, nextafter(5, 0), 0, NULL), 0);
    palBvh_Destroy(bvh);
    palSurface_Free(&stairs);
}

static void answers_equal_every_triangle_on_degenerate_triangles(void** state)
{
    (void)state;
    palSurface soup = makeSoup(1500, 1.0, pal_zeroVec3, 7);
    for (int i = 0; i < soup.triangleCount; i++)
    {
        palVec3* x = &soup.vertices[3 * i];
        if (i % 3 == 0)
            x[2] = palLerp(x[0], x[1], 0.3); // no area
        else if (i % 3 == 1)
            x[1] = x[2] = x[0]; // a point
        else
            x[2] = palAdd(palLerp(x[0], x[1], 0.7), palMakeVec3(1e-13, 0, 0)); // a needle
    }
    checkSurface(soup, 1.0, 100);
}

static void equal_distances_go_to_the_lowest_index(void** state)
{
    (void)state;
    // Every triangle many times over, the copies far apart in the list.
    palSurface soup = makeSoup(600, 1.0, pal_zeroVec3, 8);
    for (int i = 100; i < soup.triangleCount; i++)
        memcpy(soup.triangles[i], soup.triangles[i % 100], sizeof soup.triangles[i]);
    palSurface same = makeSoup(300, 1.0, pal_zeroVec3, 9);
    for (int i = 1; i < same.triangleCount; i++)
        memcpy(same.triangles[i], same.triangles[0], sizeof same.triangles[i]);
    checkSurface(soup, 1.0, 100);
    checkSurface(same, 1.0, 40);
}

static void answers_equal_every_triangle_on_a_flat_sheet(void** state)
{
    (void)state;
    // A grid in z = 0: every box without thickness, every inner vertex shared by six.
    const int n = 30;
    palSurface sheet = makeSurface((n + 1) * (n + 1), 2 * n * n);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++)
            sheet.vertices[i * (n + 1) + j] = palMakeVec3(0.1 * i, 0.1 * j, 0.0);
    for (int i = 0; i < n * n; i++)
    {
        int v = i / n * (n + 1) + i % n;
        int pair[2][3] = {{v, v + n + 1, v + n + 2}, {v, v + n + 2, v + 1}};
        memcpy(sheet.triangles[2 * i], pair, sizeof pair);
    }
    checkSurface(sheet, 1.0, 200);
}

static void a_row_that_defeats_the_area_heuristic_stays_within_bounds(void** state)
{
    (void)state;
    // Each triangle a tenth smaller and nearer than the last, over 90 orders of magnitude.
    palSurface row = makeSoup(2000, 1.0, pal_zeroVec3, 10);
    for (int i = 0; i < row.triangleCount; i++)
        for (int k = 0; k < 3; k++)
            row.vertices[3 * i + k] =
                palScale(pow(0.9, i), palAdd(palMakeVec3(10, 0, 0), row.vertices[3 * i + k]));
    checkSurface(row, 1.0, 60);
}

static void refit_answers_for_the_new_positions(void** state)
{
    (void)state;
    palSurface surface = makeSphere(16, 0.2);
    palBvh* bvh;
    assert_int_equal(palBvh_Create(&surface, &bvh, NULL), pal_ok);
    palRandom random = palMakeRandom(12);
    for (int round = 0; round < 4; round++)
    {
        palVec3 shift = palScale(pow(100.0, round), palMakeVec3(1, -2, 3));
        for (int i = 0; i < surface.vertexCount; i++)
        {
            palVec3 x = palAdd(surface.vertices[i], randomVec3(&random, 0.3));
            surface.vertices[i] = palAdd(palMakeVec3(x.y, 0.5 * x.z, x.x), shift);
        }
        palBvh_UseScalar(bvh, round % 2 == 1);
        palBvh_Refit(bvh, surface.vertices);
        checkAgainstEveryTriangle(bvh, &surface, 1.0, 40, (uint64_t)round);
    }
    palBvh_Destroy(bvh);
    palSurface_Free(&surface);
}

static void scalar_and_avx2_agree_to_the_last_bit(void** state)
{
    (void)state;
    if (palBvhAvx2Kernels() == NULL)
        SKIP("this processor has no AVX2");
    palSurface surface = makeSphere(40, 0.2);
    palBvh* wide;
    palBvh* scalar;
    assert_int_equal(palBvh_Create(&surface, &wide, NULL), pal_ok);
    assert_int_equal(palBvh_Create(&surface, &scalar, NULL), pal_ok);
    palBvh_UseScalar(scalar, true);
    palBvh_Refit(scalar, surface.vertices);
    for (int n = 0; n < wide->nodeCount; n++)
        for (int i = 0; i < pal_bvhWidth; i++)
            for (int k = 0; k < 3 && wide->nodes[n].child[i] != pal_bvhNoChild; k++)
            {
                assert_true(wide->nodes[n].low[k][i] == scalar->nodes[n].low[k][i]);
                assert_true(wide->nodes[n].high[k][i] == scalar->nodes[n].high[k][i]);
            }

    palRandom random = palMakeRandom(13);
    int found[2][4000];
    for (int i = 0; i < 20000; i++)
    {
        palVec3 a = randomPointNear(&random, &surface, 0.5, i);
        palVec3 b = randomPointNear(&random, &surface, 0.5, i + 1);
        palClosest closest[2];
        palCrossing crossing[2];
        bool near = palBvh_Closest(wide, a, 2.0, &closest[0]);
        assert_int_equal(palBvh_Closest(scalar, a, 2.0, &closest[1]), near);
        assert_memory_equal(&closest[0], &closest[1], sizeof closest[0]);
        bool crossed = palBvh_FirstCrossing(wide, a, b, &crossing[0]);
        assert_int_equal(palBvh_FirstCrossing(scalar, a, b, &crossing[1]), crossed);
        assert_memory_equal(&crossing[0], &crossing[1], sizeof crossing[0]);
        double radius = 0.1 * palRandom_Unit(&random);
        int count = palBvh_Within(wide, a, radius, 4000, found[0]);
        assert_int_equal(palBvh_Within(scalar, a, radius, 4000, found[1]), count);
        assert_memory_equal(found[0], found[1], (size_t)count * sizeof found[0][0]);
    }
    palBvh_Destroy(wide);
    palBvh_Destroy(scalar);
    palSurface_Free(&surface);
}

static void within_counts_what_it_has_no_room_for(void** state)
{
    (void)state;
    palSurface surface = makeSphere(10, 0.0);
    palBvh* bvh;
    assert_int_equal(palBvh_Create(&surface, &bvh, NULL), pal_ok);
    int found[12] = {0};
    found[10] = found[11] = -7;
    assert_int_equal(palBvh_Within(bvh, pal_zeroVec3, 2.0, 10, found), surface.triangleCount);
    assert_int_equal(found[10], -7);
    assert_int_equal(palBvh_Within(bvh, pal_zeroVec3, 2.0, 0, NULL), surface.triangleCount);
    assert_int_equal(palBvh_Within(bvh, palMakeVec3(1, 0.1, 0.1), 0.2, 3, found),
                     palBvh_Within(bvh, palMakeVec3(1, 0.1, 0.1), 0.2, 0, NULL));
    assert_int_equal(palBvh_Within(bvh, pal_zeroVec3, INFINITY, 0, NULL), surface.triangleCount);
    assert_int_equal(palBvh_Within(bvh, pal_zeroVec3, -2.0, 10, found), 0);
    assert_int_equal(palBvh_Within(bvh, pal_zeroVec3, NAN, 10, found), 0);
    palBvh_Destroy(bvh);
    palSurface_Free(&surface);
}

static void queries_that_are_no_numbers_find_nothing(void** state)
{
    (void)state;
    palSurface surface = makeSphere(10, 0.0);
    palBvh* bvh;
    assert_int_equal(palBvh_Create(&surface, &bvh, NULL), pal_ok);
    palVec3 nowhere = {NAN, 0, 0};
    for (int scalar = 0; scalar < 2; scalar++)
    {
        palBvh_UseScalar(bvh, scalar == 1);
        palClosest closest;
        palCrossing crossing;
        assert_false(palBvh_Closest(bvh, nowhere, INFINITY, &closest));
        assert_false(palBvh_Closest(bvh, pal_zeroVec3, NAN, &closest));
        assert_false(palBvh_Closest(bvh, pal_zeroVec3, -1.0, &closest));
        assert_int_equal(closest.triangle, -1);
        assert_int_equal(palBvh_Within(bvh, nowhere, 1.0, 0, NULL), 0);
        assert_false(palBvh_FirstCrossing(bvh, nowhere, pal_zeroVec3, &crossing));
        assert_false(palBvh_FirstCrossing(bvh, pal_zeroVec3, pal_zeroVec3, &crossing));
        assert_int_equal(crossing.triangle, -1);
    }
    palBvh_Destroy(bvh);
    palSurface_Free(&surface);
}

// A point on a vertex, on an edge or in a face of the surface, or just beside it.
static palVec3 adversarialTarget(palRandom* random, const palSurface* surface, int kind)
{
    int triangle = palRandom_Below(random, surface->triangleCount);
    palVec3 a = corner(surface, triangle, palRandom_Below(random, 3));
    palVec3 b = corner(surface, triangle, palRandom_Below(random, 3));
    palVec3 c = corner(surface, triangle, palRandom_Below(random, 3));
    switch (kind % 4)
    {
    case 0:
        return a;
    case 1:
        return palLerp(a, b, palRandom_Unit(random));
    case 2:
        return palLerp(a, b, 0.5);
    default:
        return palLerp(palLerp(a, b, palRandom_Unit(random)), c, palRandom_Unit(random));
    }
}

static void nothing_slips_out_of_a_closed_surface(void** state)
{
    (void)state;
    // Segments that begin inside and end outside, aimed at vertices, edges, edge middles and faces.
    palSurface surface = makeSphere(10, 0.2);
    palBvh* bvh;
    assert_int_equal(palBvh_Create(&surface, &bvh, NULL), pal_ok);
    palRandom random = palMakeRandom(14);
    for (int i = 0; i < 1000000; i++)
    {
        palVec3 start = i % 8 < 4 ? pal_zeroVec3 : randomVec3(&random, 0.3);
        palVec3 target = adversarialTarget(&random, &surface, i);
        palVec3 end = palLerp(start, target, i % 3 == 0 ? 8.0 : 4.0);
        palCrossing crossing;
        if (!palBvh_FirstCrossing(bvh, start, end, &crossing))
            fail_msg("segment %d slips through at (%.17g, %.17g, %.17g)", i, target.x, target.y,
                     target.z);
        palClosest closest;
        if (i % 16 == 0)
        {
            assert_true(palBvh_Closest(bvh, crossing.point, INFINITY, &closest));
            ASSERT_BELOW(closest.distance, 1e-13);
        }
    }
    palBvh_Destroy(bvh);
    palSurface_Free(&surface);
}

static void nothing_slips_between_a_segment_and_the_next(void** state)
{
    (void)state;
    // The way out is cut in two where it meets the surface: one of the parts must cross.
    palSurface surface = makeSphere(10, 0.2);
    palBvh* bvh;
    assert_int_equal(palBvh_Create(&surface, &bvh, NULL), pal_ok);
    palRandom random = palMakeRandom(16);
    for (int i = 0; i < 200000; i++)
    {
        palVec3 start = randomVec3(&random, 0.3);
        palVec3 target = adversarialTarget(&random, &surface, i);
        palVec3 end = palLerp(start, target, 4.0);
        palCrossing crossing;
        assert_true(palBvh_FirstCrossing(bvh, start, target, &crossing) ||
                    palBvh_FirstCrossing(bvh, target, end, &crossing));
    }
    palBvh_Destroy(bvh);
    palSurface_Free(&surface);
}

static void nothing_slips_out_of_a_box_along_its_axes_and_diagonals(void** state)
{
    (void)state;
    // Whole numbers: segments meet edges, corners and diagonals exactly, and run in their planes.
    static const int corners[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                       {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                       {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    palSurface box = makeSurface(8, 12);
    memcpy(box.triangles, corners, sizeof corners);
    for (int i = 0; i < 8; i++)
        box.vertices[i] = palMakeVec3(i & 1 ? 3 : -3, i & 2 ? 3 : -3, i & 4 ? 3 : -3);
    palBvh* bvh;
    assert_int_equal(palBvh_Create(&box, &bvh, NULL), pal_ok);
    for (int i = 0; i < 125; i++)
    {
        palVec3 start = {i % 5 - 2, i / 5 % 5 - 2, i / 25 - 2};
        for (int j = 0; j < 13 * 13 * 13; j++)
        {
            palVec3 end = {j % 13 - 6, j / 13 % 13 - 6, j / 169 - 6};
            double reach = fmax(fabs(end.x), fmax(fabs(end.y), fabs(end.z)));
            palCrossing crossing;
            bool crossed = palBvh_FirstCrossing(bvh, start, end, &crossing);
            assert_int_equal(crossed, reach >= 3.0);
            if (!crossed)
                continue;
            double side =
                fmax(fabs(crossing.point.x), fmax(fabs(crossing.point.y), fabs(crossing.point.z)));
            ASSERT_NEAR(side, 3.0, 1e-14);
        }
    }
    palBvh_Destroy(bvh);
    palSurface_Free(&box);
}

static void the_way_out_crosses_an_odd_number_of_times(void** state)
{
    (void)state;
    palSurface surface = makeSphere(10, 0.5);
    palRandom random = palMakeRandom(15);
    for (int i = 0; i < 5000; i++)
    {
        palVec3 start = randomVec3(&random, 0.2);
        palVec3 end = palScale(4.0, palNormalize(randomVec3(&random, 1.0)));
        palSegment segment;
        assert_true(palMakeSegment(start, end, &segment));
        int crossings = 0;
        for (int k = 0; k < surface.triangleCount; k++)
            crossings += crossingOf(&surface, k, &segment) <= 1.0;
        assert_int_equal(crossings % 2, 1);
    }
    palSurface_Free(&surface);
}

static void what_cannot_be_a_tree_is_refused_with_its_place(void** state)
{
    (void)state;
    palBvh* bvh;
    palError error;
    palSurface empty = makeSurface(0, 0);
    assert_int_equal(palBvh_Create(&empty, &bvh, &error), pal_errorInput);
    assert_null(bvh);
    palSurface_Free(&empty);

    palSurface soup = makeSoup(10, 1.0, pal_zeroVec3, 1);
    soup.triangles[7][1] = 30;
    assert_int_equal(palBvh_Create(&soup, &bvh, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "triangle 7 refers to vertex 30"));
    soup.triangles[7][1] = -1;
    assert_int_equal(palBvh_Create(&soup, &bvh, NULL), pal_errorInput);
    soup.triangles[7][1] = 3;
    soup.vertices[3].y = NAN;
    assert_int_equal(palBvh_Create(&soup, &bvh, &error), pal_errorInput);
    assert_non_null(strstr(error.text, "vertex 3"));
    soup.vertices[3].y = 1e30;
    assert_int_equal(palBvh_Create(&soup, &bvh, &error), pal_errorInput);
    assert_null(bvh);
    palBvh_Destroy(bvh);
    palSurface_Free(&soup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_equal_every_triangle_on_soups_of_all_sizes),
        cmocka_unit_test(answers_equal_every_triangle_at_all_scales_and_offsets),
        cmocka_unit_test(answers_equal_every_triangle_where_sizes_span_the_floats),
        cmocka_unit_test(a_ball_has_what_it_touches_exactly),
        cmocka_unit_test(a_ball_touches_faces_and_edges_exactly),
        cmocka_unit_test(answers_equal_every_triangle_on_degenerate_triangles),
        cmocka_unit_test(equal_distances_go_to_the_lowest_index),
        cmocka_unit_test(answers_equal_every_triangle_on_a_flat_sheet),
        cmocka_unit_test(a_row_that_defeats_the_area_heuristic_stays_within_bounds),
        cmocka_unit_test(refit_answers_for_the_new_positions),
        cmocka_unit_test(scalar_and_avx2_agree_to_the_last_bit),
        cmocka_unit_test(within_counts_what_it_has_no_room_for),
        cmocka_unit_test(queries_that_are_no_numbers_find_nothing),
        cmocka_unit_test(nothing_slips_out_of_a_closed_surface),
        cmocka_unit_test(nothing_slips_between_a_segment_and_the_next),
        cmocka_unit_test(nothing_slips_out_of_a_box_along_its_axes_and_diagonals),
        cmocka_unit_test(the_way_out_crosses_an_odd_number_of_times),
        cmocka_unit_test(what_cannot_be_a_tree_is_refused_with_its_place),
    };
    return RUN(tests);
}
