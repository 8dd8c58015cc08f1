// SPDX-License-Identifier: Apache-2.0
// Soft bodies as a whole: assembly, patch test, motion without contact, recovery.
#include "soft_fixture.h"

static const palVolumeCut cuts[] = {pal_cutFive, pal_cutSix, pal_cutNone};
enum
{
    cutCount = sizeof cuts / sizeof cuts[0],
};

static const palVec3 size = {0.1, 0.08, 0.06};

static bool isOnFace(palVec3 x)
{
    const double touch = 1e-9;
    return fabs(x.x) > 0.5 * size.x - touch || fabs(x.y) > 0.5 * size.y - touch ||
           fabs(x.z) > 0.5 * size.z - touch;
}

static bool isAtBottom(palVec3 x)
{
    return x.z < -0.5 * size.z + 1e-9;
}

// A block whose inner nodes are off the grid.
static void makeCrooked(softFixture* f, palVolumeCut cut, palSoftDef def, softHeld* isHeld)
{
    palRandom random = palMakeRandom(1);
    palVolumeShapeDef shape = softBlock(cut, size, 4, 3, 3);
    *f = (softFixture){0};
    assert_int_equal(palMakeVolumeShape(&shape, &f->volume, NULL), pal_ok);
    for (int i = 0; i < f->volume.vertexCount; i++)
        if (!isOnFace(f->volume.vertices[i]))
            f->volume.vertices[i] = palAdd(f->volume.vertices[i], softRandomVector(&random, 2e-3));
    softMakeBody(f, def, isHeld);
}

static void constant_strain_passes_the_patch_test(void** state)
{
    (void)state;
    const palMat3 stretch = {{{1.1, 0.03, -0.02}, {0.03, 0.93, 0.05}, {-0.02, 0.05, 1.04}}};
    for (int c = 0; c < cutCount; c++)
    {
        softFixture f;
        makeCrooked(&f, cuts[c], palDefaultSoftDef(), isOnFace);
        assert_true(f.body->freeCount > 0);
        for (int i = 0; i < f.body->nodeCount; i++)
            if (f.body->freeIndex[i] < 0)
                f.body->x[i] = palMat3Apply(stretch, f.body->rest[i]);
        ASSERT_BELOW(palSoftReference_Settle(&f.reference, 1e-14, 200), 1e-14);
        for (int i = 0; i < f.body->nodeCount; i++)
            ASSERT_BELOW(palDistance(f.body->x[i], palMat3Apply(stretch, f.body->rest[i])),
                         1e-12 * size.x);
        softFree(&f);
    }
}

// Elements of several stiffnesses, bent: the same as a body that was made with the other modulus.
static void another_modulus_scales_every_element(void** state)
{
    (void)state;
    const palMat3 stretch = {{{1.1, 0.03, -0.02}, {0.03, 0.93, 0.05}, {-0.02, 0.05, 1.04}}};
    double stiffer[512];
    for (int e = 0; e < 512; e++)
        stiffer[e] = 1.0 + e % 3;
    for (int c = 0; c < cutCount; c++)
    {
        softFixture f[2];
        for (int i = 0; i < 2; i++)
        {
            palSoftDef def = palDefaultSoftDef();
            def.stiffer = stiffer;
            def.material.young = i == 0 ? 10e3 : 23e3;
            makeCrooked(&f[i], cuts[c], def, isAtBottom);
            assert_true(f[i].body->tetCount + f[i].body->hexCount <= 512);
            for (int k = 0; k < f[i].body->nodeCount; k++)
                f[i].body->x[k] = palMat3Apply(stretch, f[i].body->rest[k]);
        }
        palSoftBody_SetYoung(f[0].body, 50e3);
        palSoftBody_SetYoung(f[0].body, 23e3);
        ASSERT_NEAR(f[0].body->young, 23e3, 0.0);
        for (int i = 0; i < 2; i++)
            palSoftBody_Linearise(f[i].body, pal_tangentExact);
        for (int r = 0; r < 3 * f[0].body->freeCount; r++)
            ASSERT_NEAR(f[0].body->force[r], f[1].body->force[r], 1e-12);
        ASSERT_NEAR(palSoftBody_Energy(f[0].body), palSoftBody_Energy(f[1].body), 1e-12);
        const palBlockMatrix* K[2] = {&f[0].body->K, &f[1].body->K};
        for (int b = 0; b < K[0]->blockCount; b++)
            for (int k = 0; k < 9; k++)
                ASSERT_NEAR(K[0]->blocks[b].m[k / 3][k % 3], K[1]->blocks[b].m[k / 3][k % 3], 1e-9);
        for (int i = 0; i < 2; i++)
            softFree(&f[i]);
    }
}

static void a_turned_body_has_no_force(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    for (int c = 0; c < cutCount; c++)
    {
        softFixture f;
        makeCrooked(&f, cuts[c], palDefaultSoftDef(), NULL);
        palMat3 R = softRandomRotation(&random);
        for (int i = 0; i < f.body->nodeCount; i++)
            f.body->x[i] = palMat3Apply(R, f.body->rest[i]);
        palSoftBody_Linearise(f.body, pal_tangentExact);
        double scale = 10e3 * size.x * size.x; // E times the area of a side, N
        ASSERT_BELOW(softLargestForce(f.body), 1e-12 * scale);
        softFree(&f);
    }
}

// Held nodes are left out of the matrix, not approximated.
static void stiffness_is_the_derivative_of_the_force(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    for (int c = 0; c < cutCount; c++)
    {
        softFixture f;
        makeCrooked(&f, cuts[c], palDefaultSoftDef(), isAtBottom);
        size_t n = f.reference.rows;
        double* d = calloc(n, sizeof *d);
        double* Kd = calloc(n, sizeof *Kd);
        double* plus = calloc(n, sizeof *plus);
        const double step = 1e-6;
        for (size_t i = 0; i < n; i++)
            d[i] = step * palRandom_Normal(&random);
        palBlockMatrix_Multiply(&f.body->K, d, Kd);
        palSoftBody_Move(f.body, d, NULL);
        palSoftBody_Linearise(f.body, pal_tangentExact);
        memcpy(plus, f.body->force, n * sizeof *plus);
        for (size_t i = 0; i < n; i++)
            d[i] *= -2.0;
        palSoftBody_Move(f.body, d, NULL);
        palSoftBody_Linearise(f.body, pal_tangentExact);
        double scale = 0.0, difference = 0.0;
        for (size_t i = 0; i < n; i++)
        {
            scale = fmax(scale, fabs(Kd[i]));
            difference = fmax(difference, fabs(Kd[i] + 0.5 * (plus[i] - f.body->force[i])));
        }
        ASSERT_BELOW(difference, 1e-6 * scale);
        free(d), free(Kd), free(plus);
        softFree(&f);
    }
}

// The mass is the volume's, and is at the volume's centre.
static void mass_is_that_of_the_volume(void** state)
{
    (void)state;
    for (int c = 0; c < cutCount; c++)
    {
        softFixture f;
        makeCrooked(&f, cuts[c], palDefaultSoftDef(), NULL);
        double mass = 1000.0 * size.x * size.y * size.z;
        ASSERT_NEAR(palSoftBody_Mass(f.body), mass, 1e-12 * mass);
        softFree(&f);
    }
}

// Velocity g t exactly; position the sum of backward Euler, g h² n (n + 1)/2.
static void falls_freely(void** state)
{
    (void)state;
    const double h = 0.01;
    const int steps = 100;
    palSoftDef def = palDefaultSoftDef();
    def.gravity = palMakeVec3(1.0, -2.0, -9.81);
    for (int c = 0; c < cutCount; c++)
    {
        softFixture f;
        makeCrooked(&f, cuts[c], def, NULL);
        for (int k = 0; k < steps; k++)
            assert_true(palSoftReference_Step(&f.reference, h));
        palVec3 v = palScale(h * steps, def.gravity);
        palVec3 way = palScale(0.5 * h * h * steps * (steps + 1), def.gravity);
        for (int i = 0; i < f.body->nodeCount; i++)
        {
            ASSERT_BELOW(palDistance(f.body->v[i], v), 1e-10);
            ASSERT_BELOW(palDistance(f.body->x[i], palAdd(f.body->rest[i], way)), 1e-10);
        }
        softFree(&f);
    }
}

static palVec3 momentumOf(const palSoftBody* body)
{
    palVec3 sum = pal_zeroVec3;
    for (int i = 0; i < body->nodeCount; i++)
        sum = palMulAdd(sum, body->mass[i], body->v[i]);
    return sum;
}

// A body that tumbles and wobbles keeps its momentum and does not gain energy.
static void keeps_its_momentum_in_flight(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(4);
    for (int c = 0; c < cutCount; c++)
    {
        softFixture f;
        makeCrooked(&f, cuts[c], palDefaultSoftDef(), NULL);
        palVec3 spin = {3.0, -5.0, 8.0};
        for (int i = 0; i < f.body->nodeCount; i++)
        {
            palVec3 turning = palCross(spin, f.body->rest[i]);
            f.body->v[i] = palAdd(palMakeVec3(0.3, 0.1, 0.2), turning);
            f.body->v[i] = palAdd(f.body->v[i], softRandomVector(&random, 0.2));
        }
        palVec3 start = momentumOf(f.body);
        double energy = palSoftBody_Energy(f.body);
        double first = energy;
        for (int k = 0; k < 300; k++)
        {
            assert_true(palSoftReference_Step(&f.reference, 2e-3));
            ASSERT_BELOW(palDistance(momentumOf(f.body), start), 1e-11 * palLength(start));
            double now = palSoftBody_Energy(f.body);
            ASSERT_BELOW(now, energy + 1e-6 * first);
            energy = now;
        }
        softFree(&f);
    }
}

// From a deformation far beyond the elements' range back to rest.
static void recoversFrom(palVec3 (*deform)(palRandom* random, palVec3 rest))
{
    for (int c = 0; c < cutCount; c++)
    {
        softFixture f;
        palRandom random = palMakeRandom(5);
        makeCrooked(&f, cuts[c], palDefaultSoftDef(), isAtBottom);
        for (int i = 0; i < f.body->nodeCount; i++)
            if (f.body->freeIndex[i] >= 0)
                f.body->x[i] = deform(&random, f.body->rest[i]);
        palSoftBody_Linearise(f.body, pal_tangentExact);
        double energy = palSoftBody_Energy(f.body);
        for (int k = 0; k < 400; k++)
        {
            assert_true(palSoftReference_Step(&f.reference, 0.01));
            ASSERT_BELOW(palSoftBody_Energy(f.body), 1.5 * energy);
        }
        ASSERT_BELOW(softFarthest(f.body), 1e-5 * size.x);
        softFree(&f);
    }
}

static palVec3 twisted(palRandom* random, palVec3 rest)
{
    (void)random;
    double angle = 4.0 * (rest.z + 0.5 * size.z) / size.z; // 230 degrees at the top
    palQuat turn = {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)};
    return palRotate(turn, rest);
}

static palVec3 flattened(palRandom* random, palVec3 rest)
{
    (void)random;
    rest.z = -0.5 * size.z + 0.1 * (rest.z + 0.5 * size.z);
    return rest;
}

static palVec3 jostled(palRandom* random, palVec3 rest)
{
    return palAdd(rest, softRandomVector(random, 0.15 * size.z));
}

static void recovers_from_a_large_twist(void** state)
{
    (void)state;
    recoversFrom(twisted);
}

static void recovers_from_compression_to_a_tenth(void** state)
{
    (void)state;
    recoversFrom(flattened);
}

static void recovers_from_inverted_elements(void** state)
{
    (void)state;
    recoversFrom(jostled);
}

static void a_body_without_free_nodes_is_refused(void** state)
{
    (void)state;
    softFixture f = {0};
    palVolumeShapeDef shape = softBlock(pal_cutFive, size, 1, 1, 1);
    assert_int_equal(palMakeVolumeShape(&shape, &f.volume, NULL), pal_ok);
    const bool held[8] = {true, true, true, true, true, true, true, true};
    palSoftDef def = palDefaultSoftDef();
    def.volume = &f.volume;
    def.held = held;
    palError error;
    assert_int_equal(palSoftBody_Create(&def, &f.body, &error), pal_errorInput);
    assert_null(f.body);
    palVolume_Free(&f.volume);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_strain_passes_the_patch_test),
        cmocka_unit_test(another_modulus_scales_every_element),
        cmocka_unit_test(a_turned_body_has_no_force),
        cmocka_unit_test(stiffness_is_the_derivative_of_the_force),
        cmocka_unit_test(mass_is_that_of_the_volume),
        cmocka_unit_test(falls_freely),
        cmocka_unit_test(keeps_its_momentum_in_flight),
        cmocka_unit_test(recovers_from_a_large_twist),
        cmocka_unit_test(recovers_from_compression_to_a_tenth),
        cmocka_unit_test(recovers_from_inverted_elements),
        cmocka_unit_test(a_body_without_free_nodes_is_refused),
    };
    return RUN(tests);
}
