// SPDX-License-Identifier: Apache-2.0
#include "volumes.h"

#include "base/random.h"
#include "mesh/embed.h"

static palVec3 randomPoint(palRandom* random, double half)
{
    double x = 2.0 * palRandom_Unit(random) - 1.0, y = 2.0 * palRandom_Unit(random) - 1.0;
    double z = 2.0 * palRandom_Unit(random) - 1.0;
    return palScale(half, palMakeVec3(x, y, z));
}

// A linear map has no secrets from weights that sum to one and reproduce the position.
static palVec3 linear(palVec3 p)
{
    return palMakeVec3(1.0 + 2.0 * p.x - p.y, 3.0 * p.z + 0.5 * p.x, 0.25 - p.y + p.z);
}

static void expectLinearReproduced(const palVolume* v, const palVec3* points, int count,
                                   double tolerance, palEmbedding* embedding)
{
    palError error;
    assert_int_equal(palEmbedding_Tie(embedding, v, points, count, &error), pal_ok);
    palVec3* moved = malloc((size_t)v->vertexCount * sizeof *moved);
    for (int i = 0; i < v->vertexCount; i++)
        moved[i] = linear(v->vertices[i]);
    for (int i = 0; i < count; i++)
    {
        palVec3 p = palEmbedding_Point(embedding, v, v->vertices, i);
        palVec3 q = palEmbedding_Point(embedding, v, moved, i);
        ASSERT_NEAR(palDistance(p, points[i]), 0.0, tolerance);
        ASSERT_NEAR(palDistance(q, linear(points[i])), 0.0, 4.0 * tolerance);
    }
    free(moved);
}

static void points_inside_reproduce_linear_functions(void** state)
{
    (void)state;
    enum
    {
        count = 2000
    };
    palRandom random = palMakeRandom(4);
    palVec3 points[count];
    for (int i = 0; i < count; i++)
        points[i] = randomPoint(&random, 0.05);
    for (int cut = 0; cut < 3; cut++)
    {
        palVolume v = makeShape(pal_volumeBlock, cut, 5, 4, 3);
        palEmbedding embedding;
        expectLinearReproduced(&v, points, count, 1e-15, &embedding);
        assert_int_equal(embedding.outside, 0);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < (cut == 2 ? 8 : 4); k++)
                assert_true(embedding.weights[i][k] > -1e-9);
        palEmbedding_Free(&embedding);
        palVolume_Free(&v);
    }
}

static void vertices_and_faces_belong_to_an_element(void** state)
{
    (void)state;
    for (int cut = 0; cut < 3; cut++)
    {
        palVolume v = makeShape(pal_volumeGraded, cut, 4, 4, 4);
        palEmbedding embedding;
        expectLinearReproduced(&v, v.vertices, v.vertexCount, 1e-15, &embedding);
        assert_int_equal(embedding.outside, 0);
        palEmbedding_Free(&embedding);
        palVolume_Free(&v);
    }
}

static void distorted_hexes_are_inverted(void** state)
{
    (void)state;
    enum
    {
        count = 500
    };
    // The block bent by a smooth map: cells have curved faces. Points are put at known natural
    // coordinates.
    palVolume v = makeShape(pal_volumeBlock, pal_cutNone, 3, 3, 3);
    for (int i = 0; i < v.vertexCount; i++)
    {
        palVec3* p = &v.vertices[i];
        *p = palMakeVec3(p->x + 3.0 * p->y * p->z, p->y + 2.0 * p->x * p->x, p->z - p->x * p->y);
    }
    palRandom random = palMakeRandom(9);
    palVec3 points[count];
    double weights[count][8];
    int elements[count];
    for (int i = 0; i < count; i++)
    {
        palVec3 s = randomPoint(&random, 0.95);
        elements[i] = palRandom_Below(&random, v.hexCount);
        palHexWeights(s.x, s.y, s.z, weights[i]);
        points[i] = pal_zeroVec3;
        for (int k = 0; k < 8; k++)
            points[i] = palMulAdd(points[i], weights[i][k], v.vertices[v.hexes[elements[i]][k]]);
    }
    palEmbedding embedding;
    expectLinearReproduced(&v, points, count, 1e-14, &embedding);
    int found = 0;
    for (int i = 0; i < count; i++)
    {
        if (embedding.elements[i] != elements[i])
            continue;
        found++;
        for (int k = 0; k < 8; k++)
            ASSERT_NEAR(embedding.weights[i][k], weights[i][k], 1e-9);
    }
    // Near a curved face the neighbour's tets may be nearer; most points find their own hex.
    assert_true(found > 9 * count / 10);
    palEmbedding_Free(&embedding);
    palVolume_Free(&v);
}

static void points_outside_follow_the_nearest_element(void** state)
{
    (void)state;
    enum
    {
        count = 300
    };
    palRandom random = palMakeRandom(5);
    palVec3 points[count];
    double farthest = 0.0;
    for (int i = 0; i < count; i++)
    {
        points[i] = palAdd(randomPoint(&random, 0.2), palMakeVec3(0.3, 0, 0));
        palVec3 d =
            palMaxVec3(pal_zeroVec3, palMakeVec3(fabs(points[i].x) - 0.05, fabs(points[i].y) - 0.05,
                                                 fabs(points[i].z) - 0.05));
        farthest = fmax(farthest, palLength(d)); // to the box, which the block fills
    }
    for (int cut = 0; cut < 3; cut++)
    {
        palVolume v = makeShape(pal_volumeBlock, cut, 4, 4, 4);
        palEmbedding embedding;
        expectLinearReproduced(&v, points, count, 1e-12, &embedding);
        assert_int_equal(embedding.outside, count);
        ASSERT_NEAR(embedding.farthest, farthest, 1e-14);
        palEmbedding_Free(&embedding);
        palVolume_Free(&v);
    }
}

static void the_nearest_tet_is_the_nearest_of_all(void** state)
{
    (void)state;
    // A rod is round: distances to it are compared with those to every element, one at a time.
    enum
    {
        count = 60
    };
    palVolume v = makeShape(pal_volumeRod, pal_cutSix, 2, 2, 4);
    palRandom random = palMakeRandom(6);
    palVec3 points[count];
    palError error;
    for (int i = 0; i < count; i++)
        points[i] = randomPoint(&random, 0.08);
    for (int i = 0; i < count; i++)
    {
        palEmbedding all;
        double least = INFINITY;
        assert_int_equal(palEmbedding_Tie(&all, &v, &points[i], 1, &error), pal_ok);
        for (int t = 0; t < v.tetCount; t++)
        {
            palVolume one = {.vertexCount = v.vertexCount,
                             .vertices = v.vertices,
                             .tetCount = 1,
                             .tets = &v.tets[t]};
            palEmbedding single;
            assert_int_equal(palEmbedding_Tie(&single, &one, &points[i], 1, &error), pal_ok);
            least = fmin(least, single.farthest);
            palEmbedding_Free(&single);
        }
        ASSERT_NEAR(all.farthest, least, 1e-15);
        palEmbedding_Free(&all);
    }
    palVolume_Free(&v);
}

static void a_volume_without_elements_is_refused(void** state)
{
    (void)state;
    palVolume empty = {0};
    palEmbedding embedding;
    palError error;
    palVec3 p = pal_zeroVec3;
    assert_int_equal(palEmbedding_Tie(&embedding, &empty, &p, 1, &error), pal_errorInput);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_inside_reproduce_linear_functions),
        cmocka_unit_test(vertices_and_faces_belong_to_an_element),
        cmocka_unit_test(distorted_hexes_are_inverted),
        cmocka_unit_test(points_outside_follow_the_nearest_element),
        cmocka_unit_test(the_nearest_tet_is_the_nearest_of_all),
        cmocka_unit_test(a_volume_without_elements_is_refused),
    };
    return RUN(tests);
}
