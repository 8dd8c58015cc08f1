// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "base/random.h"
#include "touch/patch.h"

static palVec3 randomNear(palRandom* random, palVec3 centre, double size)
{
    return palAdd(centre, palMakeVec3(palRandom_Range(random, -size, size),
                                      palRandom_Range(random, -size, size),
                                      palRandom_Range(random, -size, size)));
}

static bool boxesMeet(const palLimited* limited, palVec3 low, palVec3 high)
{
    palVec3 a = limited->corner[0], b = limited->corner[0];
    for (int i = 1; i < limited->cornerCount; i++)
    {
        a = palMinVec3(a, limited->corner[i]);
        b = palMaxVec3(b, limited->corner[i]);
    }
    return a.x <= high.x && b.x >= low.x && a.y <= high.y && b.y >= low.y && a.z <= high.z &&
           b.z >= low.z;
}

static void every_constraint_near_a_box_is_in_one_of_its_runs(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    palPatch patch;
    assert_int_equal(palPatch_Init(&patch, NULL), pal_ok);
    palVec3 origin = {3.0, -2.0, 1.0}; // far from zero, where floats are coarse
    static const int sizes[] = {0, 1, 8, 9, 64, 65, 1000, pal_patchMax};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    {
        palPatch_Clear(&patch, origin);
        while (patch.count < sizes[s])
        {
            palVec3 at = randomNear(&random, origin, 0.02);
            palLimited limited;
            if (palLimited_FromTriangle(&limited, pal_limitTriangle, at,
                                        randomNear(&random, at, 1e-3),
                                        randomNear(&random, at, 1e-3)))
                assert_true(palPatch_Add(&patch, &limited));
        }
        long seen = 0;
        for (int trial = 0; trial < 50; trial++)
        {
            palVec3 p = randomNear(&random, origin, 0.02), q = randomNear(&random, p, 1e-3);
            palVec3 low = palMinVec3(p, q), high = palMaxVec3(p, q);
            int runs[pal_patchRunsMax];
            bool listed[pal_patchRunsMax] = {0};
            int count = palPatch_Near(&patch, low, high, runs);
            assert_true(count <= patch.runCount);
            for (int i = 0; i < count; i++)
            {
                assert_false(listed[runs[i]]);
                listed[runs[i]] = true;
            }
            for (int i = 0; i < patch.count; i++)
                if (boxesMeet(&patch.limited[i], low, high))
                {
                    assert_true(listed[i / pal_patchRun]);
                    seen++;
                }
        }
        assert_true(sizes[s] < 1000 || seen > 0);
    }
    palPatch_Free(&patch);
}

static void a_full_patch_refuses_more(void** state)
{
    (void)state;
    palPatch patch;
    assert_int_equal(palPatch_Init(&patch, NULL), pal_ok);
    palLimited limited;
    palVec3 a = {0.0, 0.0, 0.0}, b = {1.0, 0.0, 0.0}, c = {0.0, 1.0, 0.0};
    assert_true(palLimited_FromTriangle(&limited, pal_limitTriangle, a, b, c));
    palPatch_Clear(&patch, a);
    for (int i = 0; i < pal_patchMax; i++)
        assert_true(palPatch_Add(&patch, &limited));
    assert_false(palPatch_Add(&patch, &limited));
    assert_int_equal(patch.count, pal_patchMax);
    palPatch_Free(&patch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_constraint_near_a_box_is_in_one_of_its_runs),
        cmocka_unit_test(a_full_patch_refuses_more),
    };
    return RUN(tests);
}
