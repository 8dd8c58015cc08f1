// SPDX-License-Identifier: Apache-2.0
// Elements four by four against one by one.
#include "soft_fixture.h"

// The body linearised both ways; the largest difference of K and of the forces over the largest of
// each.
static void compareWays(softFixture* f, palTangent tangent, double bound)
{
    palSoftBody* body = f->body;
    size_t count = 9 * (size_t)body->K.blockCount;
    size_t rows = 3 * (size_t)body->freeCount;
    double* K = malloc(count * sizeof *K);
    double* force = malloc(rows * sizeof *force);
    palSoftBody_Linearise(body, tangent);
    memcpy(K, body->K.blocks, count * sizeof *K);
    memcpy(force, body->force, rows * sizeof *force);
    int inverted = body->invertedCount;
    body->usesLanes = false;
    palSoftBody_Linearise(body, tangent);
    body->usesLanes = true;
    assert_int_equal(body->invertedCount, inverted);
    double largest = 0.0, off = 0.0;
    for (size_t i = 0; i < count; i++)
    {
        double single = body->K.blocks[i / 9].m[i % 9 / 3][i % 3];
        largest = fmax(largest, fabs(single));
        off = fmax(off, fabs(single - K[i]));
    }
    ASSERT_BELOW(off, bound * largest);
    largest = softLargestForce(body);
    for (size_t i = 0; i < rows; i++)
        ASSERT_NEAR(force[i], body->force[i], bound * fmax(largest, 1e-9));
    free(K);
    free(force);
}

static bool isAtBottom(palVec3 x)
{
    return x.z < -0.05 + 1e-9;
}

// A number of elements that four does not divide, some stiffer, at rest, strongly deformed, and so
// that some are inside out.
static void four_by_four_is_one_by_one(void** state)
{
    (void)state;
    static const double sizes[] = {0.0, 1e-3, 8e-3, 30e-3};
    static const palVolumeCut cuts[] = {pal_cutFive, pal_cutNone};
    if (!palLanes_AreThere())
        SKIP("this processor has no AVX2");
    palRandom random = palMakeRandom(11);
    for (int c = 0; c < 4; c++) // linear, then stiffening
    {
        double stiffer[135];
        for (int i = 0; i < 135; i++)
            stiffer[i] = 1.0 + 0.1 * (i % 7);
        palSoftDef def = palDefaultSoftDef();
        def.gravity = palMakeVec3(0.0, 0.0, -9.81);
        def.stiffer = stiffer;
        def.stiffening = c < 2 ? 0.0 : 8.0;
        palVolumeShapeDef shape = softBlock(cuts[c % 2], palMakeVec3(0.1, 0.1, 0.1), 3, 3, 3);
        softFixture f;
        softMake(&f, &shape, def, isAtBottom);
        assert_int_not_equal((f.body->tetCount + f.body->hexCount) % pal_lanes, 0);
        assert_true(f.body->usesLanes);
        for (int s = 0; s < 4; s++)
        {
            palMat3 R = softRandomRotation(&random);
            for (int i = 0; i < f.body->nodeCount; i++)
                f.body->x[i] =
                    palAdd(palMat3Apply(R, f.body->rest[i]), softRandomVector(&random, sizes[s]));
            compareWays(&f, pal_tangentExact, 1e-10);
            compareWays(&f, pal_tangentSafe, 1e-10);
            assert_true(s < 3 || f.body->invertedCount > 0);
        }
        softFree(&f);
    }
}

// Turned as a whole, every node's frame is that rotation.
static void frames_turn_with_the_body(void** state)
{
    (void)state;
    static const palVolumeCut cuts[] = {pal_cutFive, pal_cutNone};
    for (int c = 0; c < 2; c++)
    {
        palVolumeShapeDef shape = softBlock(cuts[c], palMakeVec3(0.1, 0.1, 0.1), 3, 3, 3);
        softFixture f;
        softMake(&f, &shape, palDefaultSoftDef(), NULL);
        palRandom random = palMakeRandom(12);
        palMat3 R = softRandomRotation(&random);
        for (int i = 0; i < f.body->nodeCount; i++)
            f.body->x[i] = palMat3Apply(R, palScale(0.8, f.body->rest[i]));
        palMat3* frames = malloc((size_t)f.body->freeCount * sizeof *frames);
        palSoftBody_Frames(f.body, frames);
        for (int i = 0; i < f.body->freeCount; i++)
            for (int k = 0; k < 9; k++)
                ASSERT_NEAR(frames[i].m[k / 3][k % 3], R.m[k / 3][k % 3], 1e-9);
        free(frames);
        softFree(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_by_four_is_one_by_one),
        cmocka_unit_test(frames_turn_with_the_body),
    };
    return RUN(tests);
}
