// SPDX-License-Identifier: Apache-2.0
// Bodies brought to rest under gravity: where theory has them, and where they come to rest by
// themselves.
#include "soft_fixture.h"

#include "body/settle.h"

static const palVolumeCut cuts[] = {pal_cutFive, pal_cutSix, pal_cutNone};
enum
{
    cutCount = sizeof cuts / sizeof cuts[0],
};

static const palVec3 size = {0.1, 0.08, 0.12};

static bool isAtTop(palVec3 x)
{
    return x.z > 0.5 * size.z - 1e-9;
}

static bool isAtBottom(palVec3 x)
{
    return x.z < -0.5 * size.z + 1e-9;
}

static bool isAtSide(palVec3 x)
{
    return x.x < -0.5 * size.x + 1e-9;
}

static void make(softFixture* f, palVolumeCut cut, palSoftDef def, softHeld* isHeld)
{
    palVolumeShapeDef shape = softBlock(cut, size, 3, 2, 4);
    softMake(f, &shape, def, isHeld);
}

// Without Poisson's ratio a hanging block is a bar that stretches by its own weight: at the depth z
// below the top u = ρ g (L z - z²/2)/E. Bricks have that exactly at their nodes, at large strain
// too, because their force is linear in it.
static void a_hanging_bar_stretches_as_theory_says(void** state)
{
    (void)state;
    static const double youngs[] = {1e6, 2e3};
    const double weight = 1000.0 * 9.81; // N/m³
    for (int e = 0; e < 2; e++)
    {
        softFixture f;
        palSoftDef def = palDefaultSoftDef();
        def.material = (palMaterial){.young = youngs[e], .poisson = 0.0, .density = 1000.0};
        def.gravity = palMakeVec3(0.0, 0.0, -9.81);
        make(&f, pal_cutNone, def, isAtTop);
        palSettleInfo info;
        assert_int_equal(palSoftBody_Settle(f.body, &info, NULL), pal_ok);
        double whole = 0.5 * weight * size.z * size.z / youngs[e];
        ASSERT_NEAR(info.sag, whole, 1e-9 * whole);
        for (int i = 0; i < f.body->nodeCount; i++)
        {
            double z = 0.5 * size.z - f.body->rest[i].z;
            double u = weight * (size.z * z - 0.5 * z * z) / youngs[e];
            ASSERT_NEAR(f.body->rest[i].z - f.body->x[i].z, u, 1e-9 * whole);
        }
        softFree(&f);
    }
}

// Held at the bottom, at the top and at a side; soft enough to sag by a tenth and more.
static void rest_is_where_motion_ends(void** state)
{
    (void)state;
    softHeld* const holds[] = {isAtBottom, isAtTop, isAtSide};
    palSoftDef def = palDefaultSoftDef();
    def.material.young = 5e3;
    def.gravity = palMakeVec3(1.0, 2.0, -9.0);
    for (int c = 0; c < cutCount; c++)
        for (int k = 0; k < 3; k++)
        {
            softFixture settled, moving;
            make(&settled, cuts[c], def, holds[k]);
            make(&moving, cuts[c], def, holds[k]);
            palSettleInfo info;
            assert_int_equal(palSoftBody_Settle(settled.body, &info, NULL), pal_ok);
            assert_true(info.steps < 30);
            ASSERT_BELOW(0.005, info.sag);
            // The body itself, slowed down as by a thick fluid, in steps of 10 ms.
            moving.body->alpha = 10.0;
            for (int i = 0; i < 1000; i++)
                assert_true(palSoftReference_Step(&moving.reference, 0.01));
            for (int i = 0; i < settled.body->nodeCount; i++)
            {
                ASSERT_BELOW(palDistance(settled.body->x[i], moving.body->x[i]), 1e-6 * info.sag);
                ASSERT_NEAR(palLength(settled.body->v[i]), 0.0, 0.0);
            }
            softFree(&settled);
            softFree(&moving);
        }
}

// The force that is left, against the weight.
static void nothing_is_unbalanced_afterwards(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    for (int k = 0; k < 30; k++)
    {
        softFixture f;
        palSoftDef def = palDefaultSoftDef();
        def.material.young = 3e3 * pow(10.0, palRandom_Range(&random, 0.0, 3.0));
        def.material.poisson = palRandom_Range(&random, 0.0, 0.45);
        def.gravity = palScale(9.81, palNormalize(softRandomVector(&random, 1.0)));
        make(&f, cuts[k % cutCount], def, isAtBottom);
        palSettleInfo info;
        assert_int_equal(palSoftBody_Settle(f.body, &info, NULL), pal_ok);
        ASSERT_BELOW(softLargestForce(f.body), 1e-7 * 9.81 * palSoftBody_Mass(f.body));
        softFree(&f);
    }
}

static void expectNoRest(palSoftDef def, softHeld* isHeld, const char* text)
{
    softFixture f;
    make(&f, pal_cutFive, def, isHeld);
    palSettleInfo info;
    palError error = {0};
    assert_int_equal(palSoftBody_Settle(f.body, &info, &error), pal_errorRun);
    assert_non_null(strstr(error.text, text));
    for (int i = 0; i < f.body->nodeCount; i++)
        assert_memory_equal(&f.body->x[i], &f.body->rest[i], sizeof f.body->x[i]);
    softFree(&f);
}

static void a_body_without_rest_is_told_and_left_alone(void** state)
{
    (void)state;
    palSoftDef def = palDefaultSoftDef();
    def.gravity = palMakeVec3(0.0, 0.0, -9.81);
    // It falls, or is no stiffer than a puddle.
    expectNoRest(def, NULL, "found no shape in which gravity is balanced");
    def.material.young = 50.0;
    expectNoRest(def, isAtBottom, "found no shape in which gravity is balanced");
    // At this side it would hang by elements that are folded over.
    def.material.young = 1342.0;
    expectNoRest(def, isAtSide, "gravity turns 2 elements inside out");
    // A load that is no number balances nothing.
    def.gravity.z = NAN;
    expectNoRest(def, isAtBottom, "found no shape in which gravity is balanced");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hanging_bar_stretches_as_theory_says),
        cmocka_unit_test(rest_is_where_motion_ends),
        cmocka_unit_test(nothing_is_unbalanced_afterwards),
        cmocka_unit_test(a_body_without_rest_is_told_and_left_alone),
    };
    return RUN(tests);
}
