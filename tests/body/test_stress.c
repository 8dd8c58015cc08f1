// SPDX-License-Identifier: Apache-2.0
// The equivalent stress against states of stress that are known.
#include "soft_fixture.h"

#include "body/stress.h"

static const palVolumeCut cuts[] = {pal_cutFive, pal_cutSix, pal_cutNone};

enum
{
    cutCount = sizeof cuts / sizeof cuts[0],
};

static palSoftDef softDef(void)
{
    palSoftDef def = palDefaultSoftDef();
    def.material = (palMaterial){.young = 30e3, .poisson = 0.45, .density = 900.0};
    return def;
}

static void makeBlock(softFixture* f, palVolumeCut cut, palSoftDef def)
{
    palVolumeShapeDef shape = softBlock(cut, (palVec3){0.05, 0.06, 0.1}, 3, 4, 5);
    softMake(f, &shape, def, NULL);
}

// x = R (F X) + (0.3, 0.2, 0.1)
static void deform(softFixture* f, palMat3 R, palMat3 F)
{
    for (int i = 0; i < f->body->nodeCount; i++)
        f->body->x[i] =
            palAdd(palMat3Apply(R, palMat3Apply(F, f->body->rest[i])), (palVec3){0.3, 0.2, 0.1});
}

// The largest difference of a node's stress from `expected`, over all nodes of all cuts.
static double worst(palMat3 R, palMat3 F, double expected)
{
    double most = 0.0;
    for (int c = 0; c < cutCount; c++)
    {
        softFixture f;
        palStress stress;
        makeBlock(&f, cuts[c], softDef());
        deform(&f, R, F);
        assert_int_equal(palStress_Init(&stress, f.body, NULL), pal_ok);
        palStress_Advance(&stress, INT32_MAX);
        assert_true(stress.isWhole);
        for (int i = 0; i < f.body->nodeCount; i++)
            most = fmax(most, fabs(stress.nodes[i] - expected));
        palStress_Free(&stress);
        softFree(&f);
    }
    return most;
}

// Shortened by ε and thickened by ν ε the stress is E ε along the axis and nothing across: the
// equivalent stress is E ε, however the block is turned.
static void uniaxial_compression_gives_the_axial_stress(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    const double strain = 0.08;
    palMat3 F = {{{1 + 0.45 * strain, 0, 0}, {0, 1 + 0.45 * strain, 0}, {0, 0, 1 - strain}}};
    for (int k = 0; k < 5; k++)
        ASSERT_BELOW(worst(softRandomRotation(&random), F, 30e3 * strain), 1e-9 * 30e3);
}

// Stretched by 1 + e in x and 1 - e in y: τ = 2 μ e in the shear planes, σv = √3 τ.
static void pure_shear_gives_root_three_times_the_shear_stress(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    const double e = 0.05;
    const double mu = 30e3 / (2.0 * 1.45);
    palMat3 F = {{{1 + e, 0, 0}, {0, 1 - e, 0}, {0, 0, 1}}};
    ASSERT_BELOW(worst(softRandomRotation(&random), F, sqrt(3.0) * 2.0 * mu * e), 1e-9 * 30e3);
}

static void rigid_motion_and_even_pressure_give_none(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    palMat3 swollen = {{{1.1, 0, 0}, {0, 1.1, 0}, {0, 0, 1.1}}};
    for (int k = 0; k < 5; k++)
    {
        palMat3 R = softRandomRotation(&random);
        ASSERT_BELOW(worst(R, pal_identityMat3, 0.0), 1e-9 * 30e3);
        ASSERT_BELOW(worst(R, swollen, 0.0), 1e-9 * 30e3);
    }
}

// Half-filled elements have half the stiffness, but what is there is stressed as much.
static void what_is_half_filled_is_stressed_as_much(void** state)
{
    (void)state;
    const double strain = 0.02;
    palMat3 F = {{{1 + 0.45 * strain, 0, 0}, {0, 1 + 0.45 * strain, 0}, {0, 0, 1 - strain}}};
    for (int c = 0; c < cutCount; c++)
    {
        softFixture f;
        palStress stress;
        double fill[600];
        palRandom random = palMakeRandom(4);
        for (int e = 0; e < 600; e++)
            fill[e] = palRandom_Range(&random, 0.1, 1.0);
        palSoftDef def = softDef();
        def.fill = fill;
        makeBlock(&f, cuts[c], def);
        assert_true(f.volume.tetCount + f.volume.hexCount <= 600);
        deform(&f, pal_identityMat3, F);
        assert_int_equal(palStress_Init(&stress, f.body, NULL), pal_ok);
        palStress_Advance(&stress, INT32_MAX);
        for (int i = 0; i < f.body->nodeCount; i++)
            ASSERT_NEAR(stress.nodes[i], 30e3 * strain, 1e-9 * 30e3);
        palStress_Free(&stress);
        softFree(&f);
    }
}

// Every call visits no more than it may; a turn of many gives what a turn of one gives.
static void a_turn_in_many_calls_gives_the_same(void** state)
{
    (void)state;
    softFixture f;
    palStress whole, parts;
    palRandom random = palMakeRandom(5);
    makeBlock(&f, pal_cutFive, softDef());
    for (int i = 0; i < f.body->nodeCount; i++)
        f.body->x[i] = palAdd(f.body->x[i], softRandomVector(&random, 1e-3));
    assert_int_equal(palStress_Init(&whole, f.body, NULL), pal_ok);
    assert_int_equal(palStress_Init(&parts, f.body, NULL), pal_ok);
    assert_int_equal(palStress_Advance(&whole, INT32_MAX), f.body->tetCount);
    int calls = 0;
    while (!parts.isWhole)
    {
        int visited = palStress_Advance(&parts, 37);
        assert_true(visited >= 1 && visited <= 37);
        calls++;
    }
    assert_int_equal(calls, (f.body->tetCount + 36) / 37);
    for (int i = 0; i < f.body->nodeCount; i++)
        ASSERT_NEAR(parts.nodes[i], whole.nodes[i], 0.0);
    // A turn left off and begun anew counts nothing twice.
    palStress_Advance(&parts, 100);
    palStress_Restart(&parts);
    assert_false(parts.isWhole);
    palStress_Advance(&parts, INT32_MAX);
    for (int i = 0; i < f.body->nodeCount; i++)
        ASSERT_NEAR(parts.nodes[i], whole.nodes[i], 0.0);
    palStress_Free(&whole);
    palStress_Free(&parts);
    softFree(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniaxial_compression_gives_the_axial_stress),
        cmocka_unit_test(pure_shear_gives_root_three_times_the_shear_stress),
        cmocka_unit_test(rigid_motion_and_even_pressure_give_none),
        cmocka_unit_test(what_is_half_filled_is_stressed_as_much),
        cmocka_unit_test(a_turn_in_many_calls_gives_the_same),
    };
    return RUN(tests);
}
