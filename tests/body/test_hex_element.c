// SPDX-License-Identifier: Apache-2.0
#include "soft_fixture.h"

#include <lapacke.h>

static const double young = 20e3;  // Pa
static const double poisson = 0.3; //
static const double side = 0.1;    // m

// A brick with its corners moved about by up to `share` of its side.
static void crookedBrick(palRandom* random, double share, palVec3 rest[8])
{
    for (int a = 0; a < 8; a++)
        for (int k = 0; k < 3; k++)
            (&rest[a].x)[k] =
                0.5 * side * (pal_hexCorners[a][k] + palRandom_Range(random, -share, share));
}

static void a_rigid_motion_gives_no_force(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(1);
    for (int trial = 0; trial < 100; trial++)
    {
        palVec3 rest[8], x[8], force[8];
        palHexShape shape;
        crookedBrick(&random, 0.4, rest);
        assert_true(palHexShape_Init(&shape, rest, poisson));
        palMat3 R = softRandomRotation(&random);
        palVec3 shift = softRandomVector(&random, side);
        for (int a = 0; a < 8; a++)
            x[a] = palAdd(shift, palMat3Apply(R, rest[a]));
        palHexShape_Forces(&shape, young, x, force);
        for (int a = 0; a < 8; a++)
            ASSERT_BELOW(palLength(force[a]), 1e-12 * young * side * side);
    }
}

// Six motions cost nothing, the rigid ones, and no other: no hourglass.
static void only_rigid_motions_are_free(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(2);
    for (int trial = 0; trial < 50; trial++)
    {
        palVec3 rest[8];
        palHexShape shape;
        double values[24];
        crookedBrick(&random, 0.4, rest);
        assert_true(palHexShape_Init(&shape, rest, poisson));
        for (int i = 0; i < 24; i++)
            for (int j = 0; j < i; j++)
                ASSERT_NEAR(shape.K[i][j], shape.K[j][i], 1e-15);
        assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 24, &shape.K[0][0], 24, values),
                         0);
        for (int i = 0; i < 6; i++)
            ASSERT_BELOW(fabs(values[i]), 1e-13 * values[23]);
        assert_true(values[6] > 1e-4 * values[23]);
    }
}

// The energy of a constant strain in a crooked brick is that of the continuum.
static void constant_strain_has_the_energy_of_the_continuum(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(3);
    palMaterial material = {.young = 1.0, .poisson = poisson};
    palLame lame = palMaterial_Lame(&material);
    for (int trial = 0; trial < 50; trial++)
    {
        palVec3 rest[8];
        palHexShape shape;
        crookedBrick(&random, 0.4, rest);
        assert_true(palHexShape_Init(&shape, rest, poisson));
        palVec3 a = softRandomVector(&random, 1.0);
        palVec3 b = softRandomVector(&random, 1.0);
        palMat3 e = palMat3MulAdd(palOuter(a, b), 1.0, palOuter(b, a));
        double u[24], energy = 0.0, square = 0.0;
        for (int c = 0; c < 8; c++)
        {
            palVec3 uc = palMat3Apply(e, rest[c]);
            u[3 * c] = uc.x, u[3 * c + 1] = uc.y, u[3 * c + 2] = uc.z;
        }
        for (int i = 0; i < 24; i++)
            for (int j = 0; j < 24; j++)
                energy += 0.5 * u[i] * shape.K[i][j] * u[j];
        for (int k = 0; k < 9; k++)
            square += e.m[k / 3][k % 3] * e.m[k / 3][k % 3];
        double trace = e.m[0][0] + e.m[1][1] + e.m[2][2];
        double density = 0.5 * lame.lambda * trace * trace + lame.mu * square;
        double expected = density * palHexVolume(rest);
        ASSERT_NEAR(energy, expected, 1e-12 * expected);
    }
}

// Pure bending of a slab: what the inner modes are for. The corners follow ux = κ x z and
// uy = -ν κ y z; the quadratic rest of the exact solution is the same at all corners. The energy is
// that of the beam, ½ E I κ² L, with I = w h³/12.
static void bending_has_the_energy_of_the_beam(void** state)
{
    (void)state;
    const double length = 0.1, width = 0.06, height = 0.03, curvature = 0.7;
    palVec3 rest[8];
    palHexShape shape;
    double u[24], energy = 0.0;
    for (int a = 0; a < 8; a++)
    {
        rest[a] =
            palMakeVec3(0.5 * length * pal_hexCorners[a][0], 0.5 * width * pal_hexCorners[a][1],
                        0.5 * height * pal_hexCorners[a][2]);
        u[3 * a] = curvature * rest[a].x * rest[a].z;
        u[3 * a + 1] = -poisson * curvature * rest[a].y * rest[a].z;
        u[3 * a + 2] = 0.0;
    }
    assert_true(palHexShape_Init(&shape, rest, poisson));
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 24; j++)
            energy += 0.5 * young * u[i] * shape.K[i][j] * u[j];
    double inertia = width * pow(height, 3.0) / 12.0;
    double expected = 0.5 * young * inertia * curvature * curvature * length;
    ASSERT_NEAR(energy, expected, 1e-12 * expected);
}

static void blocks_are_the_derivative_of_the_forces_at_rest(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(4);
    palVec3 rest[8], x[8], plus[8], minus[8];
    palHexShape shape;
    crookedBrick(&random, 0.3, rest);
    assert_true(palHexShape_Init(&shape, rest, poisson));
    palMat3 R = softRandomRotation(&random);
    for (int a = 0; a < 8; a++)
        x[a] = palMat3Apply(R, rest[a]);
    const double step = 1e-6;
    for (int b = 0; b < 8; b++)
        for (int j = 0; j < 3; j++)
        {
            palVec3 axis = palMat3Column(pal_identityMat3, j);
            palVec3 at = x[b];
            x[b] = palMulAdd(at, step, axis);
            palHexShape_Forces(&shape, young, x, plus);
            x[b] = palMulAdd(at, -step, axis);
            palHexShape_Forces(&shape, young, x, minus);
            x[b] = at;
            for (int a = 0; a < 8; a++)
            {
                palVec3 slope = palScale(-0.5 / step, palSub(plus[a], minus[a]));
                palMat3 block = palHexShape_Block(&shape, young, R, a, b);
                ASSERT_BELOW(palDistance(slope, palMat3Column(block, j)), 1e-6 * young * side);
            }
        }
}

static void inverted_bricks_are_refused(void** state)
{
    (void)state;
    palRandom random = palMakeRandom(5);
    palVec3 rest[8];
    palHexShape shape;
    crookedBrick(&random, 0.0, rest);
    for (int a = 0; a < 8; a++)
        rest[a].z = -rest[a].z;
    assert_false(palHexShape_Init(&shape, rest, poisson));
    for (int a = 0; a < 8; a++)
        rest[a].z = 0.0;
    assert_false(palHexShape_Init(&shape, rest, poisson));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rigid_motion_gives_no_force),
        cmocka_unit_test(only_rigid_motions_are_free),
        cmocka_unit_test(constant_strain_has_the_energy_of_the_continuum),
        cmocka_unit_test(bending_has_the_energy_of_the_beam),
        cmocka_unit_test(blocks_are_the_derivative_of_the_forces_at_rest),
        cmocka_unit_test(inverted_bricks_are_refused),
    };
    return RUN(tests);
}
