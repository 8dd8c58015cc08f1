// SPDX-License-Identifier: Apache-2.0
// The stiffening material and the limit of volume: forces and stiffness are derivatives of one
// energy, bounded and continuous however far an element is strained.
#include "soft_fixture.h"

static const double young = 20e3; // Pa
static const double side = 0.1;   // m

// One cell with its corners moved about by `size`.
static void makeCell(softFixture* f, palVolumeCut cut, double b, double size, palRandom* random)
{
    palSoftDef def = palDefaultSoftDef();
    def.material = (palMaterial){.young = young, .poisson = 0.35, .density = 1000.0};
    def.stiffening = b;
    palVolumeShapeDef shape = softBlock(cut, palMakeVec3(side, side, side), 1, 1, 1);
    softMake(f, &shape, def, NULL);
    palMat3 R = softRandomRotation(random);
    for (int i = 0; i < f->body->nodeCount; i++)
        f->body->x[i] = palMat3Apply(R, palAdd(f->body->rest[i], softRandomVector(random, size)));
}

// s goes from 1 by the law to 40, without a step in it or in its slope, which is its derivative, as
// it is the derivative of its sum.
static void the_factor_is_bounded_and_smooth(void** state)
{
    (void)state;
    const double d = 1e-6;
    assert_true(palStiffen(0.0, 3.0).s == 1.0 && palStiffen(0.0, 3.0).sum == 3.0);
    for (int k = 0; k < 808; k++)
    {
        double b = 7.0, q = 0.01 + 0.0037 * k;
        palStiffening at = palStiffen(b, q), before = palStiffen(b, q - d);
        palStiffening after = palStiffen(b, q + d);
        if (b * q < pal_stiffeningExact)
            ASSERT_NEAR(at.s, exp(b * q), 1e-12 * at.s);
        assert_true(after.s >= at.s && at.s < 40.2);
        ASSERT_NEAR((after.s - before.s) / (2.0 * d), at.slope, 1e-4 * b * at.s);
        ASSERT_NEAR((after.sum - before.sum) / (2.0 * d), at.s, 1e-6 * at.s);
        ASSERT_NEAR(after.slope, at.slope, 2.0 * d * b * b * at.s);
    }
    assert_true(palStiffen(7.0, 1e6).s > 40.0);
}

// The pressure of the limit grows from nothing at half of the volume, without a step in it or in
// its slope, to its largest where an element is flat, and is the derivative of its energy.
static void the_limit_is_bounded_and_smooth(void** state)
{
    (void)state;
    const double d = 1e-6;
    assert_true(palLimitVolume(0.5).p == 0.0 && palLimitVolume(2.0).energy == 0.0);
    ASSERT_NEAR(palLimitVolume(0.0).p, pal_volumePressure, 1e-12);
    for (double J = 1e-3; J < 0.7; J += 0.00137)
    {
        palVolumeLimit at = palLimitVolume(J), before = palLimitVolume(J - d);
        palVolumeLimit after = palLimitVolume(J + d);
        assert_true(at.slope >= 0.0 && at.p >= after.p);
        ASSERT_NEAR((before.p - after.p) / (2.0 * d), at.slope, 1e-3);
        ASSERT_NEAR((before.energy - after.energy) / (2.0 * d), at.p, 1e-5);
        ASSERT_NEAR(after.slope, at.slope, 200.0 * d);
    }
}

// Elements are limited while they are flattened, on the way to being inside out all that touch
// them have no limit, and each has it back at half of its volume.
static void elements_beside_one_inside_out_have_no_limit(void** state)
{
    (void)state;
    palSoftDef def = palDefaultSoftDef();
    palVolumeShapeDef shape = softBlock(pal_cutNone, palMakeVec3(side, side, 2.0 * side), 1, 1, 4);
    softFixture f;
    softMake(&f, &shape, def, NULL);
    // The lowest layer of four keeps its height; the next is pressed to a share of its own, and
    // what is above moves with it.
    static const double shares[] = {1.0, 0.4, 0.01, -0.1, 0.1, 0.49, 0.51, 0.4};
    static const int unlimited[] = {0, 0, 0, 3, 1, 1, 0, 0};
    const double layer = 0.5 * side;
    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++)
    {
        for (int i = 0; i < f.body->nodeCount; i++)
        {
            palVec3 x = f.body->rest[i];
            bool isAbove = x.z > -side + 1.5 * layer;
            x.z -= isAbove ? (1.0 - shares[k]) * layer : 0.0;
            f.body->x[i] = x;
        }
        palSoftBody_Linearise(f.body, pal_tangentSafe);
        assert_int_equal(f.body->unlimitedCount, unlimited[k]);
        // Again: it is what this place and the way to it say.
        double force = softLargestForce(f.body);
        palSoftBody_Linearise(f.body, pal_tangentSafe);
        assert_true(softLargestForce(f.body) == force);
        assert_int_equal(f.body->unlimitedCount, unlimited[k]);
    }
    softFree(&f);
}

// f = -∂Ψ/∂x, at small and large strain, of tetrahedra; R of a brick is that of its centre, whose
// change its forces leave out, which at small strain is of second order.
static void forces_are_the_slope_of_the_energy(void** state)
{
    (void)state;
    static const double sizes[] = {1e-3, 8e-3, 25e-3};
    bool isLimited = false;
    palRandom random = palMakeRandom(21);
    for (int k = 0; k < 10; k++)
    {
        bool isTets = k < 3 || k >= 6; // the last have the limit of volume
        softFixture f;
        makeCell(&f, isTets ? pal_cutFive : pal_cutNone, k >= 6 ? 0.0 : 12.0,
                 k >= 6   ? 0.04
                 : isTets ? sizes[k]
                          : 1e-4,
                 &random);
        palSoftBody_Linearise(f.body, pal_tangentExact);
        int limited = 0;
        for (int e = 0; e < f.body->tetCount; e++)
            limited += f.body->volume[e] < 0.4 && !f.body->isUnlimited[e];
        isLimited |= limited > 0;
        double largest = softLargestForce(f.body);
        for (int row = 0; row < 3 * f.body->freeCount; row++)
        {
            const double step = 1e-7;
            double* at = &(&f.body->x[row / 3].x)[row % 3];
            double old = *at;
            *at = old + step;
            double above = palSoftBody_Energy(f.body);
            *at = old - step;
            double below = palSoftBody_Energy(f.body);
            *at = old;
            ASSERT_NEAR((below - above) / (2.0 * step), f.body->force[row],
                        (isTets ? 1e-5 : 3e-3) * largest);
        }
        softFree(&f);
    }
    assert_true(isLimited);
}

// K = -∂f/∂x, beyond the exponential law too: of tetrahedra in any direction up to the s from which
// on part of the geometric stiffness is left out, else and of bricks along the stretch.
static void stiffness_is_the_slope_of_the_forces(void** state)
{
    (void)state;
    static const double stretch[] = {1.05, 1.2, 1.8};
    for (int k = 0; k < 6; k++)
    {
        bool isRandom = k < 2;
        softFixture f;
        palRandom random = palMakeRandom(22);
        makeCell(&f, k < 3 ? pal_cutFive : pal_cutNone, 8.0, isRandom ? 2e-3 : 0.0, &random);
        palSoftBody* body = f.body;
        for (int i = 0; i < body->nodeCount; i++)
        {
            body->x[i] = isRandom ? body->x[i] : body->rest[i];
            body->x[i].x *= stretch[k % 3];
        }
        size_t rows = 3 * (size_t)body->freeCount;
        double* slope = calloc(3 * rows, sizeof *slope);
        double *d = slope + rows, *Kd = d + rows;
        for (int i = 0; i < body->nodeCount; i++)
        {
            palVec3 along =
                isRandom ? softRandomVector(&random, side) : palMakeVec3(body->x[i].x, 0.0, 0.0);
            memcpy(d + 3 * body->freeIndex[i], &along, sizeof along);
        }
        const double step = 1e-6;
        double largest = 0.0;
        for (int sign = -1; sign <= 1; sign += 2)
        {
            for (size_t i = 0; i < rows; i++)
                Kd[i] = sign * step * d[i];
            palSoftBody_Move(body, Kd, NULL);
            palSoftBody_Linearise(body, pal_tangentExact);
            for (size_t i = 0; i < rows; i++)
            {
                slope[i] -= sign * body->force[i] / (2.0 * step);
                Kd[i] = -Kd[i];
            }
            palSoftBody_Move(body, Kd, NULL);
        }
        palSoftBody_Linearise(body, pal_tangentExact);
        palBlockMatrix_Multiply(&body->K, d, Kd);
        for (size_t i = 0; i < rows; i++)
            largest = fmax(largest, fabs(Kd[i]));
        for (size_t i = 0; i < rows; i++)
            ASSERT_NEAR(slope[i], Kd[i], 1e-6 * largest);
        free(slope);
        softFree(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_is_bounded_and_smooth),
        cmocka_unit_test(the_limit_is_bounded_and_smooth),
        cmocka_unit_test(elements_beside_one_inside_out_have_no_limit),
        cmocka_unit_test(forces_are_the_slope_of_the_energy),
        cmocka_unit_test(stiffness_is_the_slope_of_the_forces),
    };
    return RUN(tests);
}
